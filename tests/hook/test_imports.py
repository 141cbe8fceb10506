"""What a hook process may import.

Measured on the hook path, in fractions of a bare interpreter's start: `sqlite3` instead of `_sqlite3` +0.2,
`signal` instead of `_signal` +0.19, `re` +0.27, `json` +0.4, `typing` +0.5, `pathlib` and `dataclasses` more.
A module of our own costs about 0.01. Extending a list needs a measurement with `benchmarks/hook_latency.py`.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.hook.session import ROOT, Session
from tests.hosts.transcript import attachment, prompt
from tests.hosts.transcript import write as write_record
from tests.team_files import team_file, trust_all
from vectr_hooks.store.configuration import set_value

# The light modules a hook may take from the interpreter, with what they load themselves.
LIGHT = "import gc, os, time, _functools, _signal"

#: always loaded
ALWAYS = {
    "vectr_hooks", "vectr_hooks.core", "vectr_hooks.core.conversation", "vectr_hooks.core.keys",
    "vectr_hooks.core.model", "vectr_hooks.core.needles", "vectr_hooks.core.occurrence",
    "vectr_hooks.core.settings", "vectr_hooks.delivery", "vectr_hooks.facts",
    "vectr_hooks.hook", "vectr_hooks.hosts", "vectr_hooks.hosts.claude", "vectr_hooks.native",
    "vectr_hooks.payload", "vectr_hooks.response", "vectr_hooks.store", "vectr_hooks.store.audit",
    "vectr_hooks.store.candidates",
    "vectr_hooks.store.connection", "vectr_hooks.store.ledger", "vectr_hooks.store.workspace",
}  # fmt: skip

#: loaded when there is a candidate to decide on
DECIDING = {
    "vectr_hooks.core.budget", "vectr_hooks.core.conditions", "vectr_hooks.core.ledger",
    "vectr_hooks.core.pipeline", "vectr_hooks.core.render", "vectr_hooks.core.secret_forms",
}  # fmt: skip

#: loaded to look for needles in a text
SEARCHING = {"vectr_hooks.core.keywords", "vectr_hooks.core.needles", "vectr_hooks.search_texts"}

#: loaded to tell of unfinished work
TELLING = {
    "vectr_hooks.core.handoff", "vectr_hooks.core.sanitise", "vectr_hooks.core.secret_forms",
    "vectr_hooks.core.secrets", "vectr_hooks.store.work", "vectr_hooks.work_in_progress",
}  # fmt: skip

#: loaded where a session resumes, to see what of it is still there
RESUMING = {
    "vectr_hooks.arrival", "vectr_hooks.core.feedback", "vectr_hooks.hosts.claude_branch",
    "vectr_hooks.hosts.claude_contexts", "vectr_hooks.store.arrivals", "json", "json.decoder", "json.encoder",
    "json.scanner", "_json",
}  # fmt: skip

#: loaded to compare the file of a note of the team with what was trusted
COMPARING = {"vectr_hooks.trusted_files", "zlib"}

#: per event, what it needs beyond that
OWN = {
    "nothing at an edit": set(),
    "a note at an edit": {"vectr_hooks.core.globs", *DECIDING},
    "a prompt": {*SEARCHING, *DECIDING},
    "a command": {
        "vectr_hooks.core.globs", "vectr_hooks.core.shell", "vectr_hooks.core.shell_files",
        "vectr_hooks.core.shell_reader", "vectr_hooks.core.wrappers",
        "vectr_hooks.core.secrets", *DECIDING,
    },
    "a session's start": {*TELLING, *DECIDING},
    "a compaction": {"vectr_hooks.store.snapshots"},
}  # fmt: skip

PROBE = """
import os, sys
end = os._exit
def report(status):
    sys.stderr.write("\\n".join(sys.modules))
    sys.stderr.flush()
    end(status)
os._exit = report
sys.path.append({root!r})
from vectr_hooks.hook import main
main("claude", {event!r})
"""


def imported(session: Session, payload: dict[str, Any]) -> tuple[set[str], bytes]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROBE.format(root=str(ROOT), event=payload["hook_event_name"])],
        input=json.dumps(payload).encode(),
        capture_output=True,
        env=session.env(),
        check=True,
    )
    return set(done.stderr.decode().split()), done.stdout


@pytest.fixture(scope="module")
def light() -> set[str]:
    """What the interpreter has loaded once it has the light modules."""
    program = LIGHT + "; import sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("what", OWN)
def test_a_hook_imports_only_what_is_listed(
    session: Session, write: Callable[..., int], light: set[str], what: str
) -> None:
    project = str(session.project)
    write("Lock.", kind="gotcha", trigger=[{"path": "src/db/**"}])
    write("Push.", trigger=[{"command": "git push"}])
    write("Deploy.", trigger=[{"keyword": "deploy"}])
    write("Rule.", kind="directive")
    edit = {name: {"file_path": f"{project}/{name}"} for name in ("x", "src/db/x")}
    payload, delivers = {
        "nothing at an edit": (session.payload("PreToolUse.Edit", tool_input=edit["x"]), False),
        "a note at an edit": (session.payload("PreToolUse.Edit", tool_input=edit["src/db/x"]), True),
        "a prompt": (session.payload("UserPromptSubmit", prompt="deploy"), True),
        "a command": (session.payload("PreToolUse.Bash", tool_input={"command": "git push"}), True),
        "a session's start": (session.payload("SessionStart.startup"), True),
        "a compaction": (session.payload("PreCompact.auto"), False),
    }[what]
    modules, output = imported(session, payload)
    assert bool(output) == delivers
    extra = TELLING if what == "a prompt" else set()
    assert modules - light - {"_sqlite3"} <= ALWAYS | OWN[what] | extra


def test_only_for_a_note_of_the_team_is_its_file_compared(
    session: Session, store: sqlite3.Connection, write: Callable[..., int], light: set[str]
) -> None:
    team_file(session.project)
    trust_all(store, session.project)
    write("Elsewhere.", trigger=[{"path": "docs/**"}])
    for path, compared in (("docs/a.md", set()), ("src/a.py", COMPARING)):
        edit = {"file_path": f"{session.project}/{path}"}
        payload = session.payload("PreToolUse.Edit", tool_use_id=path, tool_input=edit)
        modules, output = imported(session, payload)
        assert output
        loaded = modules - light - {"_sqlite3"}
        assert loaded <= ALWAYS | OWN["a note at an edit"] | compared
        assert loaded & COMPARING == compared


def test_without_a_store_a_hook_loads_nothing_that_would_open_one(session: Session) -> None:
    session.environ = {"VECTR_HOOKS_HOME": "/nonexistent"}
    modules, output = imported(session, session.payload("SessionStart.startup"))
    assert output == b""
    assert "vectr_hooks.response" not in modules


def test_only_what_retrieves_loads_what_a_nudge_takes(
    session: Session, store: sqlite3.Connection, light: set[str]
) -> None:
    set_value(store, "nudge", True, 1)
    set_value(store, "nudge.calls", 0, 1)
    for name, nudged in (("PostToolUse.Read", True), ("PostToolUse.Edit", False)):
        modules, output = imported(session, session.payload(name))
        assert bool(output) is nudged
        extra = {"vectr_hooks.core.budget", "vectr_hooks.core.nudge", "vectr_hooks.core.secrets"}
        assert modules - light - {"_sqlite3"} <= ALWAYS | TELLING | (extra if nudged else set())


def test_only_where_a_session_resumes_is_its_record_read(
    session: Session, write: Callable[..., int], light: set[str]
) -> None:
    write("Rule.", kind="directive")
    context = session.start().context
    record = session.project / f"{session.session}.jsonl"
    write_record(record, [attachment("1", None, "SessionStart", context), prompt("2", "1")])
    modules, output = imported(session, session.payload("SessionStart.resume"))
    assert output == b""
    loaded = modules - light - {"_sqlite3"}
    assert "vectr_hooks.hosts.claude_contexts" in loaded
    assert loaded & {"json", *(name for name in loaded if name.startswith("vectr_hooks"))} <= (
        ALWAYS | TELLING | DECIDING | RESUMING
    )
    modules, _ = imported(session, session.payload("SessionStart.startup"))
    assert not modules & (RESUMING - ALWAYS)
