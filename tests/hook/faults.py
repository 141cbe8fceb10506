"""Hooks under faults as a test plays them: many processes, what they printed, and what was recorded of it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.hook.session import ROOT, Session, entry
from vectr_hooks.diagnosis.activity import errors_beside
from vectr_hooks.hook import COULD_NOT_START

#: what a user waits for a hook at most, and for its process to start on a busy machine
LONGEST_S = 2.0 + 1.5

#: the events that a fault is tried on, by what they bring in a sound store with `FIVE`
EVENTS = {
    "SessionStart": "#1 rule",
    "UserPromptSubmit": "#2 canary",
    "PreToolUse": "#3 lock",
    "PostToolUse": "#4 cure",
    "PreCompact": "kept outside",
}
WHOLE = list(EVENTS.values())

BROKEN_PROGRAM = {"systemMessage": COULD_NOT_START}

as_ordinary_user: dict[str, Any] = (
    {"user": 65534, "group": 65534, "extra_groups": []} if os.name == "posix" and os.getuid() == 0 else {}
)


def write_notes(write: Any) -> None:
    """One note for each of `EVENTS`; the compaction announces those that came."""
    write("#1 rule: lint before every commit.", kind="directive", trigger=[{"event": "session-start"}])
    write("#2 canary: deploys go through it.", trigger=[{"keyword": "deploy"}])
    write("#3 lock: take it before the pool.", kind="gotcha", trigger=[{"path": "src/db/**"}])
    write("#4 cure: restart the worker.", trigger=[{"output": "E_KNOWN"}])


def payloads(session: Session) -> dict[str, dict[str, Any]]:
    """A payload for each of `EVENTS`, in the order of a session."""
    file = str(session.project / "src/db/pool.py")
    return {
        "SessionStart": session.payload("SessionStart.startup"),
        "UserPromptSubmit": session.payload("UserPromptSubmit", prompt="deploy this", prompt_id="p1"),
        "PreToolUse": session.payload(
            "PreToolUse.Edit",
            tool_use_id="t1",
            prompt_id="p1",
            tool_input={"file_path": file, "old_string": "a", "new_string": "b"},
        ),
        "PostToolUse": session.payload(
            "PostToolUse.Bash",
            tool_use_id="t2",
            prompt_id="p1",
            tool_input={"command": "make run"},
            tool_response={"stdout": "fails with E_KNOWN", "stderr": ""},
        ),
        "PreCompact": session.payload("PreCompact.auto", prompt_id="p1"),
    }


@dataclass
class Run:
    """One hook process to be started."""

    event: str
    payload: Mapping[str, Any] | bytes
    environ: Mapping[str, str]
    #: default: the entry file in this checkout
    command: Sequence[str] = ()
    options: dict[str, Any] = field(default_factory=dict)


@dataclass
class Done:
    """What became of one."""

    event: str
    status: int
    stdout: bytes
    stderr: bytes
    seconds: float

    @property
    def document(self) -> Any:
        """The JSON document printed; None for nothing. PreCompact prints plain text."""
        if not self.stdout:
            return None
        return self.stdout.decode() if self.event == "PreCompact" else json.loads(self.stdout.decode())

    @property
    def text(self) -> str:
        document = self.document
        if isinstance(document, dict):
            return str(document.get("hookSpecificOutput", {}).get("additionalContext", ""))
        return document or ""

    def check(self) -> Done:
        """Hold it against what a hook promises whatever is wrong; a broken program may say so to the user."""
        assert self.status == 0, self
        assert self.seconds < LONGEST_S, self
        document = self.document
        if document == BROKEN_PROGRAM:
            assert self.event == "SessionStart", self
        elif isinstance(document, dict):
            assert set(document) == {"hookSpecificOutput"}, self
            own = document["hookSpecificOutput"]
            assert set(own) == {"hookEventName", "additionalContext"}, self
            assert own["hookEventName"] == self.event, self
            assert own["additionalContext"], self
        elif document is not None:
            assert "kept outside" in document, self
        return self


def run(one: Run) -> Done:
    raw = one.payload if isinstance(one.payload, bytes) else json.dumps(one.payload).encode()
    options = {"cwd": "/", "capture_output": True, "timeout": 60, **one.options}
    began = time.monotonic()
    done = subprocess.run(
        list(one.command) or entry(one.event), input=raw, env=dict(one.environ), check=False, **options
    )
    seconds = time.monotonic() - began
    return Done(one.event, done.returncode, done.stdout or b"", done.stderr or b"", seconds)


def run_all(runs: Iterable[Run], at_once: int = 3) -> list[Done]:
    """Run processes that have nothing to do with each other."""
    with ThreadPoolExecutor(at_once) as pool:
        return [done.check() for done in pool.map(run, list(runs))]


def play(session: Session, command: Sequence[str] = (), **options: Any) -> list[Done]:
    """Play `EVENTS` one after another; `command`, if given, goes before each hook's own."""
    environ = session.env()
    return [
        run(Run(event, payload, environ, [*command, *entry(event)], options)).check()
        for event, payload in payloads(session).items()
    ]


def brought(answers: Iterable[Done]) -> list[str]:
    """Which of what `EVENTS` bring is in `answers`, in order."""
    texts = [done.text for done in answers]
    return [mark for text in texts for mark in WHOLE if mark in text]


def recorded_errors(store: Path) -> list[str]:
    """What hooks recorded of their failures, in the store and beside it; each is one line."""
    found = [f"{error.event}: {error.message}" for error in errors_beside(str(store))]
    if store.is_file():
        found += _errors_in(store)
    assert all("\n" not in line and len(line) < 400 for line in found)
    return found


def _errors_in(store: Path) -> list[str]:
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as con:
        return [f"{event}: {message}" for event, message in con.execute("SELECT event, message FROM error")]
    return []


def executed(*statements: str) -> Callable[[Path], None]:
    """A change to a store, as SQL."""

    def change(store: Path) -> None:
        with closing(sqlite3.connect(store, isolation_level=None)) as con:
            for statement in statements:
                con.execute(statement)

    return change


def copy_home(target: Path) -> Path:
    """Copy every store of the test; the copied folder serves as `VECTR_HOOKS_HOME`."""
    shutil.copytree(os.environ["VECTR_HOOKS_HOME"], target)
    return target


def copy_package(target: Path) -> Path:
    """Copy this checkout's program, which a test may then damage."""
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("vectr_hooks", "hooks", "templates"):
        shutil.copytree(ROOT / name, target / name, ignore=ignore)
    return target
