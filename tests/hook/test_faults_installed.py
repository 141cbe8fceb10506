"""The commands that `vectr-hooks install` writes, after something has happened to the program they run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hook.faults import (
    BROKEN_PROGRAM,
    EVENTS,
    WHOLE,
    Done,
    Run,
    brought,
    copy_package,
    payloads,
    recorded_errors,
    run,
    write_notes,
)
from tests.hook.session import Session
from vectr_hooks.registration.command_line import ENTRY_FILES, plugin_commands

Write = Callable[..., int]

#: modules that a hook imports only when it needs them
LATE = [
    "response.py", "facts.py", "search_texts.py", "work_in_progress.py", "hosts/claude.py", "store/audit.py",
    "store/ledger.py", "core/conversation.py", "core/pipeline.py", "core/render.py", "core/shell.py",
]  # fmt: skip


class Installation:
    """A copy of the program with an interpreter of its own, and the commands that run it."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "opt/a b'c"
        self.python = folder / "bin/python"
        self.commands: dict[str, str] = {}
        self.whole = copy_package(folder / "whole")
        self.renew()
        # Compiled as after a first use; the times that this goes by stay with the copies.
        subprocess.run([self.python, "-m", "compileall", "-q", self.whole], check=True)

    def renew(self) -> None:
        """Make program and interpreter as they were installed."""
        for place in (self.package, self.python.parent):
            shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.whole, self.package)
        self.python.parent.mkdir()
        self.python.symlink_to(sys.executable)

    def install(self, home: Path) -> None:
        (home / "project/.git").mkdir(parents=True)
        (home / "project/.git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        libraries = [path for path in sys.path if path.endswith("site-packages")]
        subprocess.run(
            [self.python, "-m", "vectr_hooks", "install", "--scope", "project", "--yes"],
            env={
                "HOME": str(home),
                "PATH": "/usr/bin:/bin",
                "PYTHONPATH": os.pathsep.join([str(self.package), *libraries]),
            },
            cwd=home / "project",
            check=True,
            capture_output=True,
        )
        settings = json.loads((home / "project/.claude/settings.json").read_text("utf-8"))
        self.commands = {
            event: groups[0]["hooks"][0]["command"] for event, groups in settings["hooks"].items()
        }

    def play(self, session: Session, cwd: str | Path = "/") -> list[Done]:
        commands = {event: ["/bin/sh", "-c", command] for event, command in self.commands.items()}
        return [
            run(Run(event, payload, session.env(), commands[event], {"cwd": cwd})).check()
            for event, payload in payloads(session).items()
        ]


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    installation = Installation(tmp_path_factory.mktemp("installed"))
    installation.install(tmp_path_factory.mktemp("home"))
    return installation


@pytest.fixture
def installed(installation: Installation, write: Write) -> Installation:
    write_notes(write)
    installation.renew()
    return installation


def delete(name: str) -> Callable[[Installation], object]:
    def change(installed: Installation) -> None:
        place = installed.package / name
        shutil.rmtree(place) if place.is_dir() else place.unlink()

    return change


def interpreter(content: str | None, mode: int = 0o755) -> Callable[[Installation], object]:
    """Replace the interpreter by a script, or for None by nothing."""

    def change(installed: Installation) -> None:
        installed.python.unlink()
        if content is not None:
            installed.python.write_text(content, encoding="utf-8")
            installed.python.chmod(mode)

    return change


def folder_for_interpreter(installed: Installation) -> None:
    installed.python.unlink()
    installed.python.mkdir()


def damage(name: str, content: bytes) -> Callable[[Installation], object]:
    return lambda installed: (installed.package / name).write_bytes(content)


GONE: dict[str, Callable[[Installation], object]] = {
    "the whole program": lambda installed: shutil.rmtree(installed.package),
    "the package": delete("vectr_hooks"),
    "the entry files": delete("hooks"),
    "the core": delete("vectr_hooks/core"),
    "the store's code": delete("vectr_hooks/store"),
    "the hosts": delete("vectr_hooks/hosts"),
    "the hook itself": delete("vectr_hooks/hook.py"),
    "half of the hook": damage("vectr_hooks/hook.py", b'"""The program\n'),
    "half of a late module": damage("vectr_hooks/response.py", b"class Response:\n    def"),
    "a module of zeros": damage("vectr_hooks/response.py", b"\0" * 5000),
    "an empty module": damage("vectr_hooks/response.py", b""),
    "the interpreter": interpreter(None),
    "the right to run the interpreter": interpreter("#!/bin/sh\nexit 0\n", mode=0o644),
    "a folder for an interpreter": folder_for_interpreter,
    "an older interpreter": interpreter("#!/bin/sh\necho 'Unknown option: -I' >&2; exit 2\n"),
    "an interpreter's libraries": interpreter("#!/bin/sh\necho 'cannot open shared object' >&2; exit 127\n"),
    "an interpreter's standard library": interpreter("#!/bin/sh\necho 'init_fs_encoding' >&2; exit 1\n"),
    "an interpreter's interpreter": interpreter("#!/nonexistent/sh\n"),
}


@pytest.mark.parametrize("fault", GONE)
def test_case_42_a_program_that_is_gone_tells_the_user_at_a_session_start(
    installed: Installation, session: Session, fault: str
) -> None:
    GONE[fault](installed)
    here = session.project / "here"
    here.mkdir()
    answers = installed.play(session, cwd=here)
    assert list(here.iterdir()) == []
    assert [done.document for done in answers] == [BROKEN_PROGRAM, None, None, None, None]


@pytest.mark.parametrize("name", LATE)
def test_case_42_a_program_that_lacks_a_module_tells_the_user_and_the_log(
    installed: Installation, session: Session, store_path: Path, name: str
) -> None:
    (installed.package / "vectr_hooks" / name).unlink()
    answers = installed.play(session, cwd=session.project)
    silent = {done.event for done in answers if not done.text}
    assert "SessionStart" not in silent or answers[0].document == BROKEN_PROGRAM
    recorded = recorded_errors(store_path)
    assert all("Error: vectr_hooks" in line for line in recorded)
    # Where nothing was delivered there is nothing to announce either.
    assert silent - {"PreCompact"} <= {line.split(":")[0] for line in recorded} <= silent
    assert silent


@pytest.mark.parametrize("event", list(EVENTS)[1:])
def test_case_42_an_entry_file_that_is_missing_silences_its_event_alone(
    installed: Installation, session: Session, event: str
) -> None:
    (installed.package / "hooks" / ENTRY_FILES[event]).unlink()
    answers = installed.play(session)
    expected = [mark for name, mark in EVENTS.items() if name != event]
    assert [mark for mark in brought(answers) if mark in expected] == expected
    assert next(done for done in answers if done.event == event).stdout == b""


def test_case_42_a_program_deleted_while_a_hook_waits_tells_the_user(
    installed: Installation, session: Session
) -> None:
    payload = json.dumps(payloads(session)["SessionStart"]).encode()
    with subprocess.Popen(
        ["/bin/sh", "-c", installed.commands["SessionStart"]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=session.env(),
    ) as process:
        assert process.stdin
        # Nobody tells when it has come to its input; either way it has not read all of its program yet.
        time.sleep(0.3)
        shutil.rmtree(installed.package)
        output, _ = process.communicate(payload, timeout=30)
    assert process.returncode == 0
    assert json.loads(output) == BROKEN_PROGRAM


CACHES: dict[str, Callable[[Path], object]] = {
    "a file for the folder": lambda cache: (shutil.rmtree(cache), cache.write_bytes(b"")),
    "empty files": lambda cache: [file.write_bytes(b"") for file in cache.iterdir()],
    "zeros": lambda cache: [file.write_bytes(b"\0" * 500) for file in cache.iterdir()],
    "folders for files": lambda cache: [(file.unlink(), file.mkdir()) for file in list(cache.iterdir())],
    "no right to read": lambda cache: [file.chmod(0) for file in cache.iterdir()],
    "no right to write": lambda cache: cache.chmod(0o555),
}


@pytest.mark.parametrize("fault", CACHES)
def test_compiled_files_that_are_no_good_change_nothing(
    installed: Installation, session: Session, fault: str
) -> None:
    caches = list(installed.package.rglob("__pycache__"))
    assert caches
    for cache in caches:
        CACHES[fault](cache)
    answers = installed.play(session)
    assert brought(answers) == WHOLE
    assert [done.stderr for done in answers] == [b""] * len(EVENTS)


def test_a_compiled_file_that_was_cut_tells_the_user(
    installed: Installation, session: Session, store_path: Path
) -> None:
    (compiled,) = installed.package.glob("vectr_hooks/__pycache__/response.*.pyc")
    os.truncate(compiled, compiled.stat().st_size // 2)
    answers = installed.play(session)
    assert [done.document for done in answers] == [BROKEN_PROGRAM, None, None, None, None]
    assert len(recorded_errors(store_path)) == len(EVENTS)


def test_case_41_the_plugins_commands_work_under_a_name_with_a_blank_and_a_quote(
    installed: Installation, session: Session
) -> None:
    installed.commands = plugin_commands()
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    session.environ = {"CLAUDE_PLUGIN_ROOT": str(installed.package), "PATH": path}
    assert brought(installed.play(session)) == WHOLE
    session.environ["CLAUDE_PLUGIN_ROOT"] = "/nonexistent/a b'c"
    later = Session(session.project, "later", **session.environ)
    answers = installed.play(later)
    assert [done.document for done in answers] == [BROKEN_PROGRAM, None, None, None, None]
