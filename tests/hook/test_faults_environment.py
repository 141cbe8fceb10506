"""Whatever the environment of a hook's process is like, it answers as ever or harms nothing."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.hook.faults import (
    EVENTS,
    WHOLE,
    Run,
    brought,
    payloads,
    play,
    recorded_errors,
    run_all,
    write_notes,
)
from tests.hook.session import Session, entry
from vectr_hooks.registration.command_line import hook_commands, hooks_folder

Write = Callable[..., int]

HOSTILE = "print('not ours', flush=True)\nraise SystemExit(3)\n"
MODULES = (
    "os",
    "sqlite3",
    "_sqlite3",
    "json",
    "time",
    "gc",
    "stat",
    "select",
    "site",
    "sitecustomize",
    "encodings",
)


@pytest.fixture(autouse=True)
def notes(write: Write) -> None:
    write_notes(write)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder of modules that give themselves away when somebody imports them."""
    folder = tmp_path / "hostile"
    (folder / "vectr_hooks").mkdir(parents=True)
    for name in (*MODULES, "vectr_hooks/__init__", "vectr_hooks/hook"):
        (folder / f"{name}.py").write_text(HOSTILE, encoding="utf-8")
    return folder


ENVIRONMENTS: dict[str, dict[str, str]] = {
    "hostile modules": {"PYTHONPATH": "{hostile}", "PYTHONUSERBASE": "{hostile}"},
    "a hostile start-up file": {"PYTHONSTARTUP": "{hostile}/os.py", "PYTHONINSPECT": "1"},
    "another standard library": {"PYTHONHOME": "{hostile}", "PYTHONPLATLIBDIR": "none"},
    "warnings as errors": {"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1", "PYTHONMALLOC": "debug"},
    "much to report": {"PYTHONVERBOSE": "2", "PYTHONPROFILEIMPORTTIME": "1", "PYTHONTRACEMALLOC": "5"},
    "other output encodings": {"PYTHONIOENCODING": "utf-16", "PYTHONUTF8": "0"},
    "an unknown encoding and seed": {"PYTHONIOENCODING": "bogus", "PYTHONHASHSEED": "bogus"},
    "no bytecode": {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "/dev/null/x"},
    "locale C": {"LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0"},
    "locale POSIX": {"LC_ALL": "POSIX"},
    "an unknown locale": {"LC_ALL": "xx_YY.KOI8-R", "LANGUAGE": "tr"},
    "odd times and places": {"TZ": "bogus/../..", "TMPDIR": "/dev/null", "SQLITE_TMPDIR": "/dev/null"},
    "no home": {"HOME": "", "USERPROFILE": ""},
    "a home that is not there": {"HOME": "/nonexistent/home"},
    "a home that is a file": {"HOME": "/dev/null"},
    "a relative home": {"HOME": "home"},
    "a home of many characters": {"HOME": "/" + "x" * 10_000},
    "data found through XDG": {"VECTR_HOOKS_HOME": "", "XDG_DATA_HOME": "{data}"},
    "variables like ours": {"VECTR_HOOKS": "on", "VECTR_HOOKS_DEBUG": "1", "VECTR_HOOKS_STORE": "/dev/null"},
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_environment_changes_nothing(session: Session, hostile: Path, tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    if "{data}" in str(ENVIRONMENTS[name]):
        shutil.copytree(os.environ["VECTR_HOOKS_HOME"], data / "vectr-hooks")
    session.environ = {
        key: value.replace("{hostile}", str(hostile)).replace("{data}", str(data))
        for key, value in ENVIRONMENTS[name].items()
    }
    answers = play(session, cwd=hostile)
    assert brought(answers) == WHOLE
    assert [done.stderr for done in answers] == [b""] * len(EVENTS)


SHELL_PREFIXES = {
    "a working folder that is gone": 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"',
    "few files": 'ulimit -n 16; exec "$@"',
    "a small stack": 'ulimit -s 256; exec "$@"',
    "little memory": 'ulimit -v 60000; exec "$@"',
    "no standard error": 'exec "$@" 2>&-',
    "standard error that is full": 'exec "$@" 2>/dev/full',
    "no permissions by default": 'umask 0777; exec "$@"',
    "signals ignored": 'trap "" PIPE ALRM HUP TERM INT XFSZ; exec "$@"',
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits as Linux has them")
@pytest.mark.parametrize("name", SHELL_PREFIXES)
def test_the_state_of_the_process_changes_nothing(session: Session, tmp_path: Path, name: str) -> None:
    prefix = ["/bin/sh", "-c", SHELL_PREFIXES[name], str(tmp_path / "gone")]
    answers = play(session, prefix)
    assert brought(answers) == WHOLE
    assert [done.stderr for done in answers] == [b""] * len(EVENTS)


NOWHERE = {"no standard output": 'exec "$@" >&-', "a full device": 'exec "$@" >/dev/full'}


@pytest.mark.parametrize("name", [*NOWHERE, "a reader that is gone"])
@pytest.mark.parametrize("pipe_signal", [True, False], ids=["SIGPIPE kills", "SIGPIPE ignored"])
def test_what_cannot_be_printed_is_recorded_and_stays_deliverable(
    session: Session, store_path: Path, name: str, pipe_signal: bool
) -> None:
    if name in NOWHERE:
        answers = play(session, ["/bin/sh", "-c", NOWHERE[name], "sh"], restore_signals=pipe_signal)
    else:
        reader, writer = os.pipe()
        os.close(reader)
        try:
            answers = play(
                session,
                capture_output=False,
                stdout=writer,
                stderr=subprocess.PIPE,
                restore_signals=pipe_signal,
            )
        finally:
            os.close(writer)
    assert [done.stderr for done in answers] == [b""] * len(EVENTS)
    # With nothing delivered, a compaction has nothing to announce.
    assert len(recorded_errors(store_path)) == len(EVENTS) - 1
    assert brought(play(session)) == WHOLE


def test_without_standard_input_nothing_is_answered(session: Session, store_path: Path) -> None:
    answers = play(session, ["/bin/sh", "-c", 'exec "$@" <&-', "sh"])
    assert brought(answers) == []
    assert len(recorded_errors(store_path)) == len(EVENTS)
    assert brought(play(session)) == WHOLE


def test_no_file_of_the_store_is_taken_for_standard_output(session: Session, store_path: Path) -> None:
    play(session, ["/bin/sh", "-c", 'exec "$@" >&- 2>&-', "sh"])
    play(session, ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"])
    with closing(sqlite3.connect(store_path)) as con:
        assert con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert all(b"additionalContext" not in file.read_bytes() for file in store_path.parent.iterdir())
    assert brought(play(session)) == WHOLE


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="needs a pipe of a given size")
def test_a_small_pipe_that_does_not_block_gets_the_whole_document(session: Session, write: Write) -> None:
    for number in range(4):
        write(f"Rule {number}. " + "x" * 1400, kind="directive")
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, False)
    with subprocess.Popen(
        entry("SessionStart"), stdin=subprocess.PIPE, stdout=writer, env=session.env()
    ) as process:
        os.close(writer)
        assert process.stdin
        process.stdin.write(json.dumps(payloads(session)["SessionStart"]).encode())
        process.stdin.close()
        received = b""
        while chunk := os.read(reader, 1000):
            received += chunk
            time.sleep(0.01)
    os.close(reader)
    assert process.returncode == 0
    assert len(received) > 5000
    assert len(json.loads(received)["hookSpecificOutput"]["additionalContext"]) > 5000


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits as Linux has them")
def test_too_little_memory_is_harmless_through_the_installed_command(session: Session) -> None:
    commands = hook_commands(sys.executable, hooks_folder())
    sent = payloads(session)
    large = {**sent["PostToolUse"], "tool_response": {"stdout": "x" * 10_000_000}}
    runs = [
        Run(event, payload, session.env(), ["/bin/sh", "-c", f"ulimit -v {kib}; {commands[event]}"])
        for kib in (3_000, 8_000, 12_000, 16_000, 20_000, 24_000, 28_000, 32_000, 48_000)
        for event, payload in (("SessionStart", sent["SessionStart"]), ("PostToolUse", large))
    ]
    answers = run_all(runs)
    started = [done for done in answers if done.event == "SessionStart"]
    # A program that cannot even start says so.
    assert all(done.stdout for done in started[:2])
    assert brought(play(Session(session.project, "later"))) == WHOLE


PLACES = ["", "home", "/dev/null", "/dev/null/x", "/nonexistent", "~", "/" + "x" * 5000, "/a\nb", "/\udcff"]


@pytest.mark.parametrize("place", PLACES)
def test_data_that_are_nowhere_mean_no_store(session: Session, tmp_path: Path, place: str) -> None:
    here = tmp_path / "here"
    here.mkdir()
    before = sorted(tmp_path.rglob("*"))
    session.environ = {"VECTR_HOOKS_HOME": place, "XDG_DATA_HOME": "relative"}
    answers = play(session, cwd=here)
    assert brought(answers) == []
    assert [done.stderr for done in answers] == [b""] * len(EVENTS)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_relative_place_of_data_counts_from_the_working_folder(session: Session) -> None:
    home = Path(os.environ["VECTR_HOOKS_HOME"])
    session.environ = {"VECTR_HOOKS_HOME": home.name}
    assert brought(play(session, cwd=home.parent)) == WHOLE


@pytest.mark.parametrize(
    "folder", ["/dev/null", "/nonexistent/x", ".", "/" + "x" * 10_000, "/a\nb", "/\udcff"]
)
def test_a_project_that_is_nowhere_is_none_of_ours(session: Session, tmp_path: Path, folder: str) -> None:
    here = tmp_path / "here"
    here.mkdir()
    session.environ = {"CLAUDE_PROJECT_DIR": folder}
    answers = play(session, cwd=here)
    assert brought(answers) == []
    assert [done.stderr for done in answers] == [b""] * len(EVENTS)
    assert list(here.iterdir()) == []


def test_a_project_whose_name_is_no_text_is_harmless(
    session: Session, project: Path, store_path: Path
) -> None:
    """No host that writes JSON can name such a folder."""
    named = os.fsencode(project.parent) + b"/caf\xe9"
    shutil.copytree(os.fsencode(project), named)
    session.environ = {"CLAUDE_PROJECT_DIR": os.fsdecode(named)}
    answers = play(session)
    assert [done.stderr for done in answers] == [b""] * len(EVENTS)
    assert len(recorded_errors(store_path)) + len(brought(answers)) >= len(EVENTS) - 1
