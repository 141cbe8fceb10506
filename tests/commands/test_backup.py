"""`backup` and `restore`, and what `forget` says of backups."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from tests.commands.conftest import Hook, Run
from tests.hook.session import Session
from tests.store import earlier
from vectr_hooks.project import Project, init_project
from vectr_hooks.store import backups, inspection, restoring
from vectr_hooks.store.create import open_store
from vectr_hooks.store.schema import VERSION

ROOT = Path(__file__).resolve().parents[2]
Stored = Callable[..., int]


def titles(run: Run) -> dict[int, str]:
    return {note["id"]: note["title"] for note in json.loads(run("list", "--json").stdout)["notes"]}


def titles_in(path: str | Path) -> list[str]:
    with closing(sqlite3.connect(path)) as con:
        rows = con.execute(
            "SELECT title FROM note JOIN revision ON revision.id = note.revision ORDER BY note.id"
        )
        return [row[0] for row in rows]


def backed_up(run: Run, *arguments: str) -> str:
    path: str = json.loads(run("backup", *arguments, "--json").stdout)["path"]
    return path


def sound(path: str) -> bool:
    with closing(open_store(path)) as con:
        return inspection.faults(con).pages == [] and inspection.faults(con).index == ""


def test_a_backup_lies_beside_the_store_and_is_a_whole_store(
    run: Run, place: Project, stored: Stored
) -> None:
    stored("a")
    stored("b")
    done = run("backup")
    folder = Path(place.store_path).parent / "backups"
    (made,) = folder.iterdir()
    assert done.stdout == f"{made} ({made.stat().st_size:,} bytes, 2 notes)\n"
    assert "kept until you delete the file" in done.stderr
    assert titles_in(made) == ["a", "b"]
    assert (stat.S_IMODE(made.stat().st_mode), stat.S_IMODE(folder.stat().st_mode)) == (0o600, 0o700)
    # It needs no file beside it.
    assert list(folder.iterdir()) == [made]


def test_a_backup_goes_into_the_file_named_and_overwrites_nothing(
    run: Run, stored: Stored, tmp_path: Path
) -> None:
    stored("a")
    file = tmp_path / "kept.db"
    assert json.loads(run("backup", str(file), "--json").stdout) == {
        "version": 1,
        "path": str(file),
        "size_bytes": file.stat().st_size,
        "made_ms": file.stat().st_mtime_ns // 1_000_000,
        "schema": VERSION,
        "notes": 1,
    }
    before = file.read_bytes()
    stored("b")
    done = run("backup", str(file))
    assert (done.exit_code, file.read_bytes()) == (1, before)
    assert "is there already" in done.stderr
    done = run("backup", str(tmp_path / "nowhere" / "kept.db"))
    assert done.exit_code == 1
    assert "no backup could be made" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "kept.db"]


def test_backups_in_one_second_have_names_of_their_own(run: Run) -> None:
    assert len({backed_up(run) for _ in range(4)}) == 4


def test_a_backup_while_hooks_write_is_of_one_moment(run: Run, place: Project, stored: Stored) -> None:
    stored("Lock.", "--path", "src/**")
    session = Session(Path(place.root))
    session.start()

    def work(number: int) -> None:
        for n in range(6):
            Session(Path(place.root), f"s{number}").read(f"src/{n}.py")

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(work, number) for number in range(3)]
        made = [backed_up(run) for _ in range(4)]
        for each in running:
            each.result()
    for path in made:
        with closing(sqlite3.connect(path)) as con:
            assert con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            # Every event that is in it has its conversation, and the other way round.
            assert (
                con.execute("SELECT count(DISTINCT session) FROM event").fetchone()
                == con.execute("SELECT count(*) FROM conversation").fetchone()
            )


def test_a_damaged_store_makes_no_backup(run: Run, place: Project, stored: Stored) -> None:
    stored("a")
    damage(place.store_path)
    done = run("backup")
    assert done.exit_code == 1
    assert "the store is damaged, so it was not copied" in done.stderr
    assert "vectr-hooks restore" in done.stderr
    assert list((Path(place.store_path).parent / "backups").iterdir()) == []


def damage(path: str) -> None:
    """Write over a page of the store that no command but `audit` reads."""
    with closing(sqlite3.connect(path)) as con:
        (page,) = con.execute("SELECT rootpage FROM sqlite_master WHERE name = 'claim'").fetchone()
        con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with open(path, "r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)


def test_the_list_names_every_backup_oldest_first(run: Run, place: Project, stored: Stored) -> None:
    assert run("backup", "--list").stderr.startswith("there is no backup yet")
    first = backed_up(run)
    stored("a")
    second = backed_up(run)
    os.utime(first, (1, 1))
    odd = Path(first).parent / "odd.db"
    odd.write_text("no store", encoding="utf-8")
    listed = json.loads(run("backup", "--list", "--json").stdout)
    assert listed["folder"] == str(odd.parent)
    assert [(each["path"], each["schema"], each["notes"]) for each in listed["backups"]] == [
        (first, VERSION, 0),
        (second, VERSION, 1),
        (str(odd), None, None),
    ]
    table = run("backup", "--list").stdout.splitlines()
    assert table[1].startswith("1970-01-01 00:00:01Z")
    assert table[1].rstrip().endswith(first)
    assert "not a store" in table[3]
    assert run("backup", "x", "--list").exit_code == 2


def drafts(folder: Path) -> list[str]:
    """Leave what killed commands leave; the names."""
    names = ["notes-schema2.db.01234567.part", "0123456789abcdef.part", "0123456789abcdef.part-journal"]
    for name in names:
        (folder / name).write_text("the note's text", encoding="utf-8")
    return names


@pytest.mark.parametrize("words", [["backup"], ["restore"], ["restore", "--dry-run"], ["forget", "1"]])
def test_what_killed_backups_left_is_removed_by_the_next_command_that_has_the_store_to_itself(
    run: Run, stored: Stored, words: list[str]
) -> None:
    stored("a")
    kept = Path(backed_up(run))
    names = drafts(kept.parent)
    listed = json.loads(run("backup", "--list", "--json").stdout)["backups"]
    assert [backup["path"] for backup in listed] == [str(kept)]
    assert {path.name for path in kept.parent.iterdir()} == {kept.name, *names}
    done = run(*words, *([str(kept)] if words[0] == "restore" else []), *["--yes"][: words[0] != "backup"])
    assert done.exit_code == 0
    assert [path for path in kept.parent.iterdir() if path.suffix != ".db"] == []
    assert kept.exists()
    if words[0] == "forget":
        assert f"removed 3 files that a backup which was cut off left in {kept.parent}\n" in done.stderr


def test_no_draft_of_a_restore_that_waits_for_an_answer_is_removed(
    run: Run, place: Project, stored: Stored
) -> None:
    stored("a")
    file = backed_up(run)
    stored("b")
    with restoring.prepared(file, place.store_path, place.workspace.id) as ready:
        begun = subprocess.Popen(
            [sys.executable, "-m", "vectr_hooks", "forget", "2", "--yes"],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
        )
        with pytest.raises(subprocess.TimeoutExpired):
            begun.wait(timeout=1.5)
        assert Path(ready.path).exists()
    begun.communicate(timeout=30)
    assert begun.returncode == 0
    assert titles(run) == {1: "a"}


def test_restoring_brings_back_what_was_and_keeps_what_is(run: Run, place: Project, stored: Stored) -> None:
    stored("kept")
    stored("forgotten later")
    stored("pinned later")
    file = backed_up(run)
    run("forget", "2", "--yes")
    run("pin", "3")
    stored("new")
    shown = run("restore", file, "--dry-run")
    assert shown.stderr == ""
    there, here, *changes = shown.stdout.splitlines()
    assert there.startswith("there: 3 notes, the newest of 2")
    assert here.startswith("here: 3 notes, the newest of 2")
    assert changes == [
        "#2 finding would come back, although forgotten: forgotten later",
        "#3 finding would be as it was: pinned later",
        "#4 finding would be gone: new",
    ]
    assert titles(run) == {1: "kept", 3: "pinned later", 4: "new"}
    done = run("restore", file, "--yes")
    assert done.stdout.startswith(f"restored {file}; as it was, the store is kept at ")
    assert titles(run) == {1: "kept", 2: "forgotten later", 3: "pinned later"}
    assert titles_in(done.stdout.split()[-1]) == ["kept", "pinned later", "new"]
    assert sound(place.store_path)
    # #4 was given to another note.
    assert stored("newest") == 5
    with closing(open_store(place.store_path)) as con:
        assert con.execute("SELECT count(*) = max(id) FROM revision").fetchone()[0] == 0
    assert list(Path(file).parent.glob("*.part*")) == []


def test_what_would_change_is_in_json_too(run: Run, stored: Stored) -> None:
    stored("a")
    file = backed_up(run)
    stored("b")
    answer = json.loads(run("restore", file, "--yes", "--json").stdout)
    assert (answer["restored"], answer["file"], answer["schema"]) == (True, file, VERSION)
    assert answer["changes"] == [
        {"id": 2, "kind": "finding", "title": "b", "change": "gone", "forgotten": False}
    ]
    assert (answer["there"]["notes"], answer["here"]["notes"]) == (1, 2)
    assert titles_in(answer["backup"]) == ["a", "b"]
    again = json.loads(run("restore", file, "--dry-run", "--json").stdout)
    assert (again["restored"], again["backup"], again["changes"]) == (False, None, [])


def test_restoring_refuses_where_nobody_can_be_asked(run: Run, stored: Stored) -> None:
    file = backed_up(run)
    stored("a")
    done = run("restore", file, input="y\n")
    assert done.exit_code == 1
    assert "#1 finding would be gone: a" in done.stderr
    assert "give --yes" in done.stderr
    assert titles(run) == {1: "a"}


@pytest.mark.parametrize(("answer", "left"), [(b"y\n", {}), (b"n\n", {1: "a"})])
def test_restoring_asks_at_a_terminal(run: Run, stored: Stored, answer: bytes, left: dict[int, str]) -> None:
    file = backed_up(run)
    stored("a")
    controller, terminal = pty.openpty()
    os.write(controller, answer)
    done = subprocess.run(
        [sys.executable, "-m", "vectr_hooks", "restore", file],
        stdin=terminal,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
    )
    os.close(controller)
    os.close(terminal)
    assert b"Replace this project's notes" in done.stderr
    assert titles(run) == left


def test_a_backup_of_an_older_version_is_brought_to_this_one(
    run: Run, place: Project, stored: Stored, hook: Hook, tmp_path: Path
) -> None:
    stored("here")
    file = tmp_path / "old" / "notes.db"
    earlier.write(file, earlier.script(1), place.root, place.workspace.id)
    before = file.read_bytes()
    done = run("restore", str(file), "--yes")
    assert (done.exit_code, "another project" in done.stderr) == (0, False)
    assert file.read_bytes() == before
    assert sorted(titles(run)) == [*range(1, 16), 18]
    assert "canary" in hook("SessionStart", source="startup")
    assert sound(place.store_path)


def test_a_backup_of_another_project_is_said_to_be_one_and_becomes_this_project_s(
    run: Run, place: Project, stored: Stored, home: Path
) -> None:
    other = home / "other"
    other.mkdir()
    init_project(str(other))
    run("remember", "of the other", "--project", str(other))
    file = backed_up(run, "--project", str(other))
    done = run("restore", file, "--yes")
    assert f"is of another project: {other}" in done.stderr
    assert titles(run) == {1: "of the other"}
    assert inspection.owner(place.store_path) == (place.workspace.id, place.root)


def no_store(place: Project, path: Path) -> None:
    path.write_text("no store", encoding="utf-8")


def another_programs(place: Project, path: Path) -> None:
    with closing(sqlite3.connect(path)) as con:
        con.execute("CREATE TABLE t(x)")


def newer(place: Project, path: Path) -> None:
    shutil.copy(place.store_path, path)
    with closing(sqlite3.connect(path)) as con:
        con.execute(f"PRAGMA user_version = {VERSION + 1}")


def damaged(place: Project, path: Path) -> None:
    shutil.copy(place.store_path, path)
    damage(str(path))


def lacking(place: Project, path: Path) -> None:
    shutil.copy(place.store_path, path)
    with closing(sqlite3.connect(path)) as con:
        con.execute("DROP TABLE setting")


def nothing(place: Project, path: Path) -> None:
    pass


def an_empty_file(place: Project, path: Path) -> None:
    path.touch()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (nothing, "there is no file"),
        (no_store, "cannot be read as a store"),
        (an_empty_file, "another program"),
        (another_programs, "another program"),
        (newer, "newer version"),
        (damaged, "is damaged"),
        (lacking, "is missing, and nothing else holds it"),
    ],
)
def test_what_is_no_sound_store_is_not_restored(
    run: Run,
    place: Project,
    stored: Stored,
    tmp_path: Path,
    make: Callable[[Project, Path], None],
    message: str,
) -> None:
    stored("a")
    make(place, tmp_path / "file.db")
    done = run("restore", str(tmp_path / "file.db"), "--yes")
    assert done.exit_code == 1
    assert message in done.stderr
    assert "\nhint: " in done.stderr
    assert titles(run) == {1: "a"}
    # Nothing was replaced, so there was nothing to back up.
    assert list((Path(place.store_path).parent).glob("backups/*")) == []


def test_the_store_itself_is_not_restored(run: Run, place: Project) -> None:
    done = run("restore", place.store_path, "--yes")
    assert "is the store itself" in done.stderr


def test_a_damaged_store_is_replaced_and_kept_as_it_was(run: Run, place: Project, stored: Stored) -> None:
    stored("a")
    file = backed_up(run)
    damage(place.store_path)
    done = run("restore", file, "--yes")
    assert done.exit_code == 0, done.stderr
    assert "/damaged-schema" in done.stdout
    assert sound(place.store_path)
    assert titles(run) == {1: "a"}


def test_a_store_that_another_process_holds_is_not_replaced(
    place: Project, run: Run, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = backed_up(run)
    stored("a")
    monkeypatch.setattr("vectr_hooks.store.files.BUSY_TIMEOUT_SECONDS", 0.1)
    with closing(open_store(place.store_path)) as con:
        con.execute("BEGIN IMMEDIATE")
        done = run("restore", file, "--yes")
        con.execute("ROLLBACK")
    assert done.exit_code == 1
    assert "error: the store cannot be written: another process holds it\n" in done.stderr
    assert titles(run) == {1: "a"}


def test_a_store_without_its_tables_is_replaced(run: Run, place: Project, stored: Stored) -> None:
    stored("a")
    file = backed_up(run)
    with closing(sqlite3.connect(place.store_path)) as con:
        con.execute("DROP TABLE revision")
    assert run("list").exit_code == 1
    done = run("restore", file, "--yes")
    assert "here: the store cannot be read" in done.stderr
    assert titles(run) == {1: "a"}


def test_who_has_the_store_open_sees_the_old_and_then_the_new(
    run: Run, place: Project, stored: Stored
) -> None:
    stored("old")
    file = backed_up(run)
    for n in range(30):
        stored(f"new {n} " + "word " * 50)
    with closing(open_store(place.store_path)) as con:
        count = "SELECT count(*) FROM note"
        con.execute("BEGIN")
        assert con.execute(count).fetchone()[0] == 31
        assert run("restore", file, "--yes").exit_code == 0
        assert con.execute(count).fetchone()[0] == 31
        con.execute("COMMIT")
        assert con.execute(count).fetchone()[0] == 1
        con.execute("INSERT INTO error(at, event, message) VALUES (1, 'e', 'm')")
    assert sound(place.store_path)


def test_hooks_that_run_meanwhile_find_the_old_store_or_the_new(
    run: Run, place: Project, stored: Stored
) -> None:
    stored("The old rule.", "--keyword", "deploy")
    old = backed_up(run)
    run("forget", "1", "--yes")
    stored("The new rule.", "--keyword", "deploy")
    for n in range(50):
        stored(f"Filling {n}. " + "word " * 40)
    new = backed_up(run)

    def work(number: int) -> set[str]:
        found = set()
        for n in range(8):
            session = Session(Path(place.root), f"s{number}-{n}")
            found |= {line for line in session.prompt("deploy").context.splitlines() if "rule." in line}
        return found

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(work, number) for number in range(3)]
        for file in (old, new) * 3:
            assert run("restore", file, "--yes").exit_code == 0
        seen = set().union(*(each.result() for each in running))
    assert seen <= {"The old rule.", "The new rule."}
    assert seen
    assert sound(place.store_path)
    log = Path(place.store_path).parent / "errors.log"
    assert not log.exists() or "malformed" not in log.read_text(encoding="utf-8")
    # The larger sequence of all that were restored holds.
    assert stored("last") == 53


# Kills the process before its nth statement on the store's connections; by then hooks are kept from writing.
KILLED = """
import os, signal, sqlite3, sys
left = int(sys.argv[1])
def step(statement):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
def connect(*arguments, **options):
    con = plain(*arguments, **options)
    con.set_trace_callback(step)
    return con
plain, sqlite3.connect = sqlite3.connect, connect
from vectr_hooks.cli import program
try:
    program(["restore", sys.argv[2], "--yes"])
finally:
    print(-left)
"""


def test_a_restore_that_is_killed_leaves_the_old_store_or_the_new(
    run: Run, place: Project, stored: Stored
) -> None:
    stored("old")
    file = backed_up(run)
    stored("new")

    def killed_at(statement: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", KILLED, str(statement), file],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )

    statements = int(killed_at(0).stdout.splitlines()[-1])
    assert titles(run) == {1: "old"}
    stored("new again")
    for share in (0.6, 0.8, 0.97):
        assert killed_at(int(statements * share)).returncode == -signal.SIGKILL
        assert titles(run) in ({1: "old"}, {1: "old", 3: "new again"})
        assert sound(place.store_path)
    assert run("restore", file, "--yes").exit_code == 0
    assert titles(run) == {1: "old"}


def test_forgetting_says_which_backups_still_hold_the_text(run: Run, stored: Stored) -> None:
    stored("a")
    assert "backup" not in run("forget", "1", "--yes").stderr
    stored("b")
    folder = Path(backed_up(run)).parent
    stored("c")
    backed_up(run)
    done = run("forget", "2", "--yes")
    assert done.stderr == (
        f"2 backups still hold their text, in {folder}: delete what you no longer need of it\n"
    )
    assert run("forget", "3", "--yes").stderr.startswith("1 backup still holds their text")
    assert backups.holding(str(folder.parent / "notes.db"), [1]) == []


def test_a_backup_of_an_older_store_is_of_the_store_it_becomes(run: Run, place: Project) -> None:
    earlier.write(Path(place.store_path), earlier.script(1), place.root, place.workspace.id)
    done = run("backup", "--json")
    assert json.loads(done.stdout)["schema"] == VERSION
    assert [backup.schema for backup in backups.beside(place.store_path)] == [1, VERSION]
