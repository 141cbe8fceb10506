"""Whatever has become of the store, a hook harms nothing, says so where `doctor` looks, and works again."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.hook.faults import (
    EVENTS,
    WHOLE,
    Run,
    as_ordinary_user,
    brought,
    copy_home,
    copy_package,
    executed,
    payloads,
    play,
    recorded_errors,
    run,
    run_all,
    write_notes,
)
from tests.hook.session import Session
from vectr_hooks.hook import ERROR_FILE, ERROR_FILE_BYTES
from vectr_hooks.registration.command_line import ENTRY_FILES
from vectr_hooks.store import APPLICATION_ID, VERSION

Write = Callable[..., int]
NOISE = random.Random(1).randbytes(20_000)


@pytest.fixture
def sound(write: Write, store: sqlite3.Connection, store_path: Path) -> Path:
    """The path of a store with notes, all of it in its one file."""
    write_notes(write)
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return store_path


def replace(ending: str, content: bytes | None) -> Callable[[Path], None]:
    """Put `content`, or for None a folder, in the place of one of the store's files."""

    def change(path: Path) -> None:
        place = Path(f"{path}{ending}")
        place.unlink(missing_ok=True)
        if content is None:
            place.mkdir()
        else:
            place.write_bytes(content)

    return change


def link(to: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.unlink()
        path.symlink_to(to)

    return change


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = NOISE * (len(content) // len(NOISE) + 1)
    path.write_bytes(content[: path.stat().st_size])


REFUSED = {
    "empty": replace("", b""),
    "a folder": replace("", None),
    "noise": replace("", NOISE),
    "text": replace("", b"not a database\n" * 100),
    "a header alone": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "noise behind the first page": damaged,
    "a FIFO": fifo,
    "a link to itself": link("notes.db"),
    "a link to nothing": link("elsewhere"),
    "a link to a device": link("/dev/zero"),
    "an older schema": executed(f"PRAGMA user_version = {VERSION - 1}"),
    "a newer schema": executed(f"PRAGMA user_version = {VERSION + 1}"),
    "another program's": executed(f"PRAGMA application_id = {APPLICATION_ID + 1}"),
    "no table of settings": executed("DROP TABLE setting"),
    "no table of conversations": executed("DROP TABLE conversation"),
    "no table of events": executed("DROP TABLE event"),
    "no column in conversation": executed("ALTER TABLE conversation DROP COLUMN host"),
    "no column in event": executed("ALTER TABLE event DROP COLUMN more"),
    "no table at all": executed(
        "PRAGMA writable_schema = ON", "DELETE FROM sqlite_master", "PRAGMA writable_schema = OFF"
    ),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_store_that_cannot_be_used_silences_hooks_and_is_recorded(
    sound: Path, session: Session, fault: str
) -> None:
    kept = sound.read_bytes()
    REFUSED[fault](sound)
    answers = play(session)
    assert [done.stderr for done in answers] == [b""] * len(EVENTS)
    assert brought(answers) == []
    assert len(recorded_errors(sound)) == len(EVENTS)
    assert not list(session.project.rglob(ERROR_FILE))
    if sound.is_dir():
        sound.rmdir()
    sound.unlink(missing_ok=True)
    for ending in ("-wal", "-shm"):
        Path(f"{sound}{ending}").unlink(missing_ok=True)
    sound.write_bytes(kept)
    assert brought(play(session)) == WHOLE


@pytest.mark.parametrize(
    "table", ["error", "delivery", "revision", "trigger_key", "outcome", "needle", "claim"]
)
def test_case_34_a_store_that_lacks_a_table_is_not_written_half(
    sound: Path, session: Session, table: str
) -> None:
    executed(f"DROP TABLE {table}")(sound)
    answers = play(session)
    failed = len(recorded_errors(sound))
    # Events that do not come to the missing table are answered as ever; without one nothing is announced.
    assert failed + len(brought(answers)) >= len(EVENTS) - 1
    with closing(sqlite3.connect(sound)) as con:
        (events,) = con.execute("SELECT count(*) FROM event").fetchone()
    assert events == len(EVENTS) - failed


@pytest.mark.parametrize("schema", [VERSION - 1, VERSION + 1])
def test_case_34_a_store_of_another_version_is_not_written(
    sound: Path, session: Session, schema: int
) -> None:
    executed(f"PRAGMA user_version = {schema}", "PRAGMA wal_checkpoint(TRUNCATE)")(sound)
    before = sound.read_bytes()
    play(session)
    assert sound.read_bytes() == before


def test_a_damaged_store_is_not_written(sound: Path, session: Session, store: sqlite3.Connection) -> None:
    """Only one table is unreadable, so that writing what went wrong to another would go well."""
    (page,) = store.execute("SELECT rootpage FROM sqlite_master WHERE name = 'conversation'").fetchone()
    store.close()
    content = bytearray(sound.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = NOISE[:4096]
    sound.write_bytes(content)
    assert brought(play(session)) == []
    with closing(sqlite3.connect(sound)) as con:
        assert con.execute("SELECT count(*) FROM error").fetchone() == (0,)
    assert sound.read_bytes() == content
    assert len(recorded_errors(sound)) == len(EVENTS)


BESIDE = {
    "a log of noise": replace("-wal", NOISE),
    "a log cut short": replace("-wal", b"\x37\x7f\x06\x82\x00"),
    "an index of noise": replace("-shm", NOISE + NOISE),
    "an empty index": replace("-shm", b""),
    "a rollback journal of noise": replace("-journal", NOISE),
    "no write-ahead log": executed("PRAGMA journal_mode = DELETE"),
    "nothing wrong": lambda path: None,
    "an error log of noise": lambda path: path.with_name(ERROR_FILE).write_bytes(NOISE),
}


@pytest.mark.parametrize("fault", BESIDE)
def test_what_lies_beside_a_sound_store_does_not_matter(
    sound: Path, session: Session, store: sqlite3.Connection, fault: str
) -> None:
    store.close()
    BESIDE[fault](sound)
    assert brought(play(session)) == WHOLE


@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_a_store_whose_log_cannot_be_written_answers_session_starts_alone(
    sound: Path, session: Session, ending: str
) -> None:
    replace(ending, None)(sound)
    assert brought(play(session)) == WHOLE[:1]
    assert len(recorded_errors(sound)) == len(EVENTS)
    Path(f"{sound}{ending}").rmdir()
    assert brought(play(session)) == WHOLE


def test_without_a_store_nothing_is_made_or_recorded(sound: Path, session: Session) -> None:
    sound.unlink()
    for ending in ("-wal", "-shm"):
        Path(f"{sound}{ending}").unlink(missing_ok=True)
    assert brought(play(session)) == []
    assert list(sound.parent.iterdir()) == []


def cuts(size: int) -> list[int]:
    """Where to cut a store: in its header, at and around page ends, in mid-page, at random."""
    page = 4096
    ends = [page * number for number in range(1, size // page, max(1, size // page // 8))]
    around = [end + by for end in ends for by in (-1, 0, 1)]
    at_random = [random.Random(2).randrange(size) for _ in range(8)]
    return sorted(
        {1, 15, 16, 18, 56, 60, 64, 68, 99, 100, 101, 108, 512, 2048, *around, *at_random, size - 1}
    )


@pytest.mark.parametrize("with_log", [False, True], ids=["without its log", "with its log"])
def test_a_store_cut_anywhere_harms_nothing(
    sound: Path, session: Session, write: Write, tmp_path: Path, with_log: bool
) -> None:
    if with_log:
        write("#5 late: only in the log.", trigger=[{"keyword": "deploy"}])
        assert Path(f"{sound}-wal").stat().st_size > 0
    size = sound.stat().st_size
    places = cuts(size)
    assert len(places) >= 40
    every = list(payloads(session).items())
    runs, stores = [], []
    for number, cut in enumerate(places):
        home = copy_home(tmp_path / f"cut-{cut}")
        store = home / sound.relative_to(os.environ["VECTR_HOOKS_HOME"])
        Path(f"{store}-shm").unlink(missing_ok=True)
        os.truncate(store, cut)
        event, payload = every[number % len(every)]
        runs.append(Run(event, payload, {**session.env(), "VECTR_HOOKS_HOME": str(home)}))
        stores.append(store)
    answers = run_all(runs)
    for cut, store, done in zip(places, stores, answers, strict=True):
        assert done.stderr == b"", cut
        # What the log holds of a page stands for that page; before a prompt a compaction is told of nothing,
        # and so may not come to the page that is gone.
        assert done.text or recorded_errors(store) or with_log or done.event == "PreCompact", cut
    for store in stores:
        shutil.copyfile(sound, store)
        for ending in ("-wal", "-shm"):
            Path(f"{store}{ending}").unlink(missing_ok=True)
        if with_log:
            shutil.copyfile(f"{sound}-wal", f"{store}-wal")
    for one, done in zip(runs, run_all(runs), strict=True):
        if one.event != "PreCompact":
            assert EVENTS[one.event] in done.text


@contextmanager
def held(store: Path, statements: str, for_s: float = 10) -> Iterator[None]:
    """Have another process hold the store with `statements`."""
    program = (
        "import sqlite3, sys, time\n"
        "con = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "con.executescript(sys.argv[2])\n"
        "print('held', flush=True)\n"
        "time.sleep(float(sys.argv[3]))\n"
    )
    command = [sys.executable, "-c", program, store, statements, str(for_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        assert other.stdout
        assert other.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            other.kill()


@pytest.mark.slow
@pytest.mark.parametrize(
    "statements",
    [
        "BEGIN IMMEDIATE; INSERT INTO error VALUES (1, 1, 'x', 'x')",
        "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM error",
    ],
)
def test_a_store_locked_for_ten_seconds_costs_no_more_than_two(
    sound: Path, session: Session, store: sqlite3.Connection, statements: str
) -> None:
    store.close()
    runs = [Run(event, payload, session.env()) for event, payload in payloads(session).items()]
    with held(sound, statements):
        answers = run_all(runs, at_once=len(runs))
    assert brought(answers) == []
    recorded = recorded_errors(sound)
    assert len(recorded) == len(runs)
    assert all("OperationalError: database is locked" in line for line in recorded)
    assert brought(play(session)) == WHOLE


@pytest.mark.slow
@pytest.mark.parametrize("what", ["prompt", "text", "list"])
def test_a_locked_store_and_a_huge_payload_cost_no_more_than_two_seconds_together(
    sound: Path, session: Session, what: str
) -> None:
    sent = payloads(session)
    huge = {
        "prompt": {**sent["UserPromptSubmit"], "prompt": "deploy the snake_case and " * 200_000},
        "text": {**sent["PostToolUse"], "tool_response": {"stdout": "x}\n" * 6_700_000}},
        "list": {**sent["PostToolUse"], "tool_response": {"stdout": ["ab"] * 2_000_000}},
    }[what]
    with held(sound, "BEGIN IMMEDIATE"):
        done = run(Run(huge["hook_event_name"], huge, session.env())).check()
    assert done.text == ""
    assert len(recorded_errors(sound)) == 1
    assert brought(play(session)) == WHOLE


def test_a_lock_that_ends_in_time_costs_nothing_but_time(sound: Path, session: Session) -> None:
    with held(sound, "BEGIN IMMEDIATE", for_s=0.4):
        assert brought(play(session)) == WHOLE
    assert recorded_errors(sound) == []


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip(f"needs the right to mount a small disk: {made.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as filler:
        for piece in (1 << 16, 1):
            try:
                while filler.write(b"x" * piece) == piece:
                    pass
            except OSError:
                continue


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mounts a small disk as Linux does")
@pytest.mark.parametrize("with_log", [False, True], ids=["closed", "in use"])
def test_on_a_full_disk_only_session_starts_are_answered(
    sound: Path, session: Session, tmp_path: Path, with_log: bool
) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk:
        home = copy_home(disk / "home")
        store = home / sound.relative_to(os.environ["VECTR_HOOKS_HOME"])
        session.environ = {"VECTR_HOOKS_HOME": str(home)}
        for ending in ("-wal", "-shm"):
            Path(f"{store}{ending}").unlink(missing_ok=True)
        if with_log:
            # The process ends without closing, as a hook does.
            run(Run("PreToolUse", {**payloads(session)["PreToolUse"], "session_id": "other"}, session.env()))
        fill(disk / "filler")
        answers = play(session)
        answers += play(session)
        assert brought(answers) == [WHOLE[0], WHOLE[0]]
        assert [done.stderr for done in answers] == [b""] * len(answers)
        (disk / "filler").unlink()
        assert brought(play(session)) == WHOLE


def test_a_commit_that_fails_marks_nothing_delivered(sound: Path, session: Session) -> None:
    """A quota, here on the size of a file, shows only when the output is out already."""
    answers = play(session, ["/bin/sh", "-c", 'ulimit -f 8; exec "$@"', "sh"])
    assert all(done.stderr == b"" for done in answers)
    with closing(sqlite3.connect(sound)) as con:
        assert con.execute("SELECT count(*) FROM delivery").fetchone() == (0,)
        assert con.execute("SELECT count(*) FROM event").fetchone() == (0,)
    assert len(recorded_errors(sound)) == len(EVENTS)
    assert brought(play(session)) == WHOLE


@pytest.fixture(scope="module")
def program() -> Iterator[Path]:
    """A folder that an ordinary user gets at, with the program in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = copy_package(Path(name))
        subprocess.run([usable_interpreter(), "-m", "compileall", "-q", folder], check=True)
        open_up(folder)
        yield folder


@pytest.fixture
def public() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def open_up(folder: Path, file: int = 0o644, sub: int = 0o755) -> None:
    for path in [folder, *folder.rglob("*")]:
        path.chmod(sub if path.is_dir() else file)


def usable_interpreter() -> str:
    """An interpreter that an ordinary user may start."""
    for path in (sys.executable, os.path.realpath(sys.executable), "/usr/bin/python3"):
        try:
            subprocess.run([path, "-I", "-S", "-c", ""], check=True, capture_output=True, **as_ordinary_user)
            return path
        except (OSError, subprocess.SubprocessError):
            continue
    pytest.skip("needs an interpreter that an ordinary user may start")


CLOSED = {
    "a folder that cannot be written": lambda store: store.parent.chmod(0o555),
    "a store that cannot be written": lambda store: store.chmod(0o444),
    "an index that cannot be written": lambda store: Path(f"{store}-shm").chmod(0o444),
    "a log that cannot be written": lambda store: Path(f"{store}-wal").chmod(0o444),
    "an index that cannot be read": lambda store: Path(f"{store}-shm").chmod(0),
    "a log that cannot be read": lambda store: Path(f"{store}-wal").chmod(0),
}


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("fault", CLOSED)
def test_case_32_a_store_that_cannot_be_written_answers_session_starts_alone(
    sound: Path, session: Session, program: Path, public: Path, fault: str
) -> None:
    python = usable_interpreter()
    project, home = public / "project", copy_home(public / "data")
    shutil.copytree(session.project, project)
    store = home / sound.relative_to(os.environ["VECTR_HOOKS_HOME"])
    for ending in ("-wal", "-shm"):
        Path(f"{store}{ending}").unlink(missing_ok=True)
    open_up(project)
    open_up(home, 0o666, 0o777)
    here = Session(project, VECTR_HOOKS_HOME=str(home))

    def as_user(session: Session) -> list[str]:
        runs = [
            Run(
                event,
                payload,
                session.env(),
                [python, "-I", "-S", str(program / "hooks" / ENTRY_FILES[event])],
                as_ordinary_user,
            )
            for event, payload in payloads(session).items()
        ]
        answers = [run(one).check() for one in runs]
        assert [done.stderr for done in answers] == [b""] * len(answers)
        return brought(answers)

    # Leaves a log and an index behind.
    assert as_user(Session(project, "other", VECTR_HOOKS_HOME=str(home))) == WHOLE
    CLOSED[fault](store)
    before = store.read_bytes()
    assert as_user(here) == WHOLE[:1]
    assert store.read_bytes() == before
    if store.parent.stat().st_mode & 0o200:
        assert len(recorded_errors(store)) == len(EVENTS)
    open_up(home, 0o666, 0o777)
    assert as_user(here) == WHOLE


def test_a_clock_set_back_changes_nothing(
    sound: Path, session: Session, store: sqlite3.Connection, project: Path
) -> None:
    first = Session(project, "first")
    first.start()
    assert "#3 lock" in first.before_edit("src/db/pool.py").text
    ahead_ms = 400 * 24 * 3600 * 1000
    store.execute("UPDATE event SET at = at + ?", (ahead_ms,))
    store.execute("UPDATE conversation SET seen = seen + ?", (ahead_ms,))
    store.execute("UPDATE revision SET at = at + ?, created = created + ?", (ahead_ms, ahead_ms))
    assert brought(play(session)) == WHOLE
    assert first.before_edit("src/db/pool.py").text == ""
    newest = store.execute("SELECT session FROM event ORDER BY id DESC LIMIT 1").fetchone()
    assert newest[0] == "first"


def test_the_error_log_beside_the_store_stays_small_and_private(sound: Path, session: Session) -> None:
    replace("", b"")(sound)
    log = sound.with_name(ERROR_FILE)
    log.write_text("1 PreToolUse: " + "x" * ERROR_FILE_BYTES + "\n")
    play(session)
    assert log.stat().st_size < 2000
    assert len(recorded_errors(sound)) == len(EVENTS)
    log.unlink()
    play(session, umask=0o777)
    assert log.stat().st_mode & 0o777 == 0o600
    assert len(recorded_errors(sound)) == len(EVENTS)


@pytest.mark.parametrize("what", ["folder", "fifo", "link to nothing", "device"])
def test_an_error_log_that_is_no_file_is_left_alone(sound: Path, session: Session, what: str) -> None:
    replace("", b"")(sound)
    log = sound.with_name(ERROR_FILE)
    if what == "folder":
        log.mkdir()
    elif what == "fifo":
        os.mkfifo(log)
    elif what == "device":
        log.symlink_to("/dev/full")
    else:
        log.symlink_to(log.with_name("away") / "errors.log")
    began = time.monotonic()
    assert brought(play(session)) == []
    assert time.monotonic() - began < 2 * len(EVENTS)
