"""What every host beside Claude Code keeps to: its recorded payloads, read and answered by real hooks."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.hosts.playing import FILES, OTHERS, ROOT, Player, context, event_of
from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED, Occurrence
from vectr_hooks.hook import read_event
from vectr_hooks.hosts import NAMES
from vectr_hooks.payload import fields
from vectr_hooks.registration import support
from vectr_hooks.registration.hosts import HOSTS
from vectr_hooks.store.configuration import set_value
from vectr_hooks.store.connection import open_scratch

MOST_BYTES = 9_500
PROBE = """
import os, sys
end = os._exit
def report(status):
    sys.stderr.write("\\n".join(sys.modules))
    sys.stderr.flush()
    end(status)
os._exit = report
sys.path.append(sys.argv[3])
from vectr_hooks.hook import main
main(sys.argv[1], sys.argv[2])
"""


def module(name: str) -> ModuleType:
    return import_module(f"vectr_hooks.hosts.{name}")


def read(file: Path) -> Occurrence | None:
    from vectr_hooks.hook import as_event

    connection, text = open_scratch(), file.read_text("utf-8")
    return as_event(connection, module(file.parent.name), text, *fields(connection, text), event_of(file))


def meaning(event: Occurrence | None) -> dict[str, Any] | None:
    """What there is to say of an event, without its ids."""
    if event is None:
        return None
    names = ("what", "source", "tool", "mode", "path", "command", "prompt", "subagent", "carries", "forgets")
    found = {name: getattr(event, name) for name in names}
    usual = {"carries": True, "forgets": False, "prompt": None}
    return {name: value for name, value in found.items() if value not in ("", usual.get(name, ""))}


RAN = {"mode": "run", "command": "echo tool-ran-42"}
# Every recorded payload: what it means; None for an event that is not ours.
MEANT: dict[str, dict[str, Any] | None] = {
    "codex/PostCompact_auto": None,
    "codex/PostToolUse_Bash": {
        "what": "post", "tool": "Bash", "mode": "run", "command": "echo tool-ran-$((40+2))",
    },
    "codex/PreCompact_auto": {"what": "compaction", "source": "auto", "forgets": True},
    "codex/PreToolUse_Bash": {
        "what": "pre", "tool": "Bash", "mode": "run", "command": "echo tool-ran-$((40+2))",
    },
    "codex/SessionEnd": None,
    "codex/SessionStart_compact": {"what": "session", "source": "compact"},
    "codex/SessionStart_resume": {"what": "session", "source": "resume"},
    "codex/SessionStart_startup": {"what": "session", "source": "startup"},
    "codex/Stop": None,
    "codex/SubagentStart": {"what": "subagent", "subagent": "default"},
    "codex/UserPromptSubmit": {"what": "prompt", "prompt": "USE_TOOL please"},
    "gemini/AfterAgent": None,
    "gemini/AfterTool_run_shell_command": {"what": "post", "tool": "run_shell_command", **RAN},
    "gemini/BeforeAgent": {"what": "prompt", "prompt": "USE_TOOL please"},
    "gemini/BeforeModel": None,
    "gemini/BeforeToolSelection": None,
    "gemini/BeforeTool_run_shell_command": None,
    "gemini/PreCompress_auto": None,
    "gemini/SessionEnd": None,
    "gemini/SessionStart_resume": {"what": "session", "source": "resume", "forgets": True},
    "gemini/SessionStart_startup": {"what": "session", "source": "startup"},
    "copilot/agentStop": None,
    "copilot/postToolUse_bash": {"what": "post", "tool": "bash", **RAN},
    "copilot/preCompact_auto": {"what": "compaction", "source": "auto", "forgets": True},
    "copilot/preToolUse_bash": {"what": "pre", "tool": "bash", **RAN},
    "copilot/sessionEnd": None,
    "copilot/sessionStart_new": {"what": "session", "source": "startup"},
    "copilot/sessionStart_resume": {"what": "session", "source": "resume", "forgets": True},
    "copilot/userPromptSubmitted": {"what": "prompt", "prompt": "USE_TOOL please"},
    "qwen/PostToolUse_run_shell_command": {"what": "post", "tool": "run_shell_command", **RAN},
    "qwen/PreCompact_manual": {"what": "compaction", "source": "manual", "forgets": True},
    "qwen/PreToolUse_run_shell_command": None,
    "qwen/SessionStart_startup": {"what": "session", "source": "startup", "carries": False},
    "qwen/Stop": None,
    "qwen/UserPromptSubmit": {"what": "prompt", "prompt": "USE_TOOL please"},
    "droid/PostToolUse_Execute": {"what": "post", "tool": "Execute", **RAN},
    "droid/SessionStart_startup": {"what": "session", "source": "startup"},
}  # fmt: skip

by_name = pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")


def name_of(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


def test_every_recorded_payload_has_its_meaning_below() -> None:
    assert sorted(map(name_of, FILES)) == sorted(MEANT)


@by_name
def test_a_recorded_payload_means_this(file: Path) -> None:
    event = read(file)
    assert meaning(event) == MEANT[name_of(file)]
    if event is not None:
        payload = json.loads(file.read_text("utf-8"))
        assert event.session in (payload.get("session_id"), payload.get("sessionId"))
        assert event.folder == "/home/dev/proj"
        assert event.prompt_id == payload.get("turn_id", "")
        assert event.agent == payload.get("agent_id", "")
        assert event.result
        assert ("tool-ran-42" in event.result()) == (event.what == "post")


@by_name
def test_a_recorded_payload_is_answered_in_the_hosts_form_or_not_at_all(
    file: Path, project: Path, store_path: Path, write: Callable[..., int]
) -> None:
    player, event = Player(file.parent.name, project), event_of(file)
    payload = player.payload(file.stem)
    meant = MEANT[name_of(file)]
    if meant is not None:
        # Nothing applies, so there is nothing to say.
        assert player.send(event, payload) == b""
    for moment in ("session-start", "post-compaction", "prompt-submit", "pre-run", "post-run"):
        write(f"At {moment}.", trigger=[{"event": moment}])
    write("In a subagent.", trigger=[{"event": "subagent-start", "subagent": "*"}])
    hears = meant and meant["what"] != COMPACTION_ANNOUNCED and meant.get("carries", True)
    # Another session of the same: the first has reported this event already.
    other = {key: "another" for key in ("session_id", "sessionId") if key in payload}
    printed = player.send(event, payload | other)
    assert bool(printed) == bool(hears)
    context(player.host, event, printed)


@pytest.mark.parametrize("host", ["codex", "gemini", "copilot", "droid"])
def test_no_output_is_larger_than_any_host_takes_whole(
    host: str, project: Path, store: sqlite3.Connection, write: Callable[..., int]
) -> None:
    for key in ("budget.boundary", "budget.epoch"):
        set_value(store, key, "20000", now_ms=1)
    for number in range(80):
        write(f"Note {number}: " + "表" * 90, kind="directive")
    start = "sessionStart_new" if host == "copilot" else "SessionStart_startup"
    given = Player(host, project).play(start)
    assert MOST_BYTES - 400 < len(given.encode()) <= MOST_BYTES


@pytest.mark.parametrize("host", ["codex", "gemini", "copilot", "qwen", "droid"])
def test_without_a_store_nothing_is_printed(host: str, project: Path) -> None:
    file = next(file for file in FILES if file.parent.name == host and MEANT[name_of(file)])
    player = Player(host, project)
    assert player.send(event_of(file), player.payload(file.stem)) == b""


@pytest.mark.parametrize("host", NAMES)
def test_a_host_has_what_a_hook_asks_of_it(host: str) -> None:
    found = module(host)
    assert host == found.NAME
    for name in ("project_folder", "written_by", "read_event", "compacted_since", "answer"):
        assert callable(getattr(found, name))
    assert read_event(open_scratch(), found, '{"hook_event_name": "NoSuchEvent"}') is None


@pytest.mark.parametrize("host", OTHERS)
def test_what_is_registered_is_what_is_read(host: str) -> None:
    assert set(HOSTS[host].events) <= set(module(host).EVENTS)


# The events of a moment: a host that carries none of them cannot deliver at it.
EVENTS_OF = {
    "session-start": "session", "prompt-submit": "prompt", "pre-tool": "pre", "post-tool": "post",
    "post-failure": "failure", "subagent-start": "subagent",
}  # fmt: skip


@pytest.mark.parametrize("host", NAMES)
@pytest.mark.parametrize("moment", EVENTS_OF)
def test_the_table_of_support_says_what_the_adapter_does(host: str, moment: str) -> None:
    found = module(host)
    heard = set()
    for name, what in found.EVENTS.items():
        event = found.read_event({"hook_event_name": name, "prompt": "x", "agent_id": ""}, {}, name)
        if event.carries:
            heard.add(what)
    carried = EVENTS_OF[moment] in heard
    # A session that begins unheard is told of at its first prompt.
    late = moment == "session-start" and "prompt" in heard
    assert (support.of(host, moment) != support.NO) == (carried or late)


@pytest.mark.parametrize("host", NAMES)
def test_a_compaction_is_followed_where_the_host_announces_it(host: str) -> None:
    announced = COMPACTION_ANNOUNCED in module(host).EVENTS.values()
    assert (support.of(host, "post-compaction") != support.NO) == announced


@pytest.mark.parametrize("host", OTHERS)
def test_a_hook_of_a_host_imports_no_other_host_and_nothing_heavy(
    host: str, project: Path, store_path: Path
) -> None:
    payload = {"hook_event_name": HOSTS[host].events[0], "session_id": "s", "cwd": str(project)}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROBE, host, HOSTS[host].events[0], str(ROOT)],
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=True,
    )
    modules = set(done.stderr.decode().split())
    needs = {"qwen": {"gemini"}}.get(host, set())
    assert not {f"vectr_hooks.hosts.{other}" for other in OTHERS if other not in (host, *needs)} & modules
    assert f"vectr_hooks.hosts.{host}" in modules
    assert not {"re", "json", "typing", "collections", "dataclasses", "importlib.metadata"} & modules
