"""Whether triggers fire, on pairs of a trigger and an event that were labelled by hand.

All triggers stand in one store, so that candidate selection is judged with them; but for those that every
prompt is compared with in meaning, which takes its time.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.hook.session import recorded
from tests.playback import Playback
from vectr_hooks import prompt_similarity
from vectr_hooks.hook import read_event
from vectr_hooks.hosts import claude

PAIRS = [
    pair
    for pair in yaml.safe_load((Path(__file__).parent / "cases/precision.yaml").read_text("utf-8"))
    if pair.get("os", sys.platform) in (sys.platform, "posix")
]


def payload(pair: dict[str, Any], root: str) -> dict[str, Any]:
    """The event of `pair` as the client would report it."""
    event = pair["event"]
    (what,) = [name for name in event if name not in ("error", "result", "input")]
    value = event[what]
    inputs = {"file_path": os.path.join(root, str(value))}
    return {
        "prompt": lambda: {**recorded("UserPromptSubmit"), "prompt": value},
        "read": lambda: {**recorded("PostToolUse.Read"), "tool_input": inputs, "tool_response": {}},
        "edit": lambda: {
            **recorded("PreToolUse.Edit"),
            "tool_input": {**inputs, "old_string": "1", "new_string": "2"},
        },
        "run": lambda: {**recorded("PreToolUse.Bash"), "tool_input": {"command": value}},
        "ran": lambda: {
            **recorded("PostToolUse.Bash"),
            "tool_input": {"command": value},
            "tool_response": {"stdout": event.get("result", ""), "stderr": ""},
        },
        "fail": lambda: {
            **recorded("PostToolUseFailure.Bash"),
            "tool_input": {"command": value},
            "error": event.get("error", ""),
        },
        "tool": lambda: {
            **recorded("PreToolUse.Edit"),
            "tool_name": value,
            "tool_input": absolute(event.get("input", {}), root),
        },
        "start": lambda: recorded(f"SessionStart.{value}"),
        "subagent": lambda: {**recorded("SubagentStart"), "agent_type": value},
    }[what]()


def absolute(inputs: dict[str, Any], root: str) -> dict[str, Any]:
    paths = ("file_path", "notebook_path", "path")
    return {name: os.path.join(root, text) if name in paths else text for name, text in inputs.items()}


@pytest.mark.slow
@pytest.mark.parametrize("by_meaning", [False, True])
def test_triggers_fire_where_they_should_and_nowhere_else(
    project: Path,
    store_path: Path,
    write: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
    by_meaning: bool,
) -> None:
    # However busy the machine is, there is time to compare meanings.
    monkeypatch.setattr(prompt_similarity, "SECONDS", 60.0)
    pairs = [pair for pair in PAIRS if ("semantic" in pair["trigger"]) is by_meaning]
    notes = [write(pair.get("note", f"Note {n}."), trigger=pair["trigger"]) for n, pair in enumerate(pairs)]
    session = Playback(project, store_path)
    session.rows("INSERT INTO setting(at, key, value) VALUES (0, 'candidates.max', '100000')")
    root = session.place.root
    wrong = []
    for note, pair in zip(notes, pairs, strict=True):
        branch = pair.get("branch", "main")
        head = f"ref: refs/heads/{branch}" if branch else "0" * 40
        (project / ".git/HEAD").write_text(head + "\n", "utf-8")
        for name, content in pair.get("files", {}).items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(content, "utf-8")
        fired = fires(session, note, pair, payload(pair, root))
        for name in pair.get("files", {}):
            (project / name).unlink()
        if fired != pair["fires"]:
            wrong.append(f"{pair['says']}: {pair['trigger']} at {pair['event']} fires: {fired}")
    assert len(pairs) >= (7 if by_meaning else 300)
    assert wrong == []


def fires(session: Playback, note: int, pair: dict[str, Any], event: dict[str, Any]) -> bool:
    """Whether a clause of `note` holds at `event` in a session of its own."""
    session.session = f"session-{note}"
    if event.get("source") != "startup":
        session.start()
    session.prompt(pair.get("turn", "go on"))
    inside = {"agent_id": "a1", "agent_type": pair["in_subagent"]} if "in_subagent" in pair else {}
    own = {
        "session_id": session.session,
        "cwd": session.place.root,
        "prompt_id": f"prompt-{session.prompts}",
        "tool_use_id": f"call-{note}",
    }
    given = read_event(session.connection, claude, json.dumps({**event, **own, **inside}))
    assert given is not None
    session.answer(given)
    rows = session.rows("SELECT max(id) FROM event")
    held = session.rows(
        "SELECT clauses FROM outcome WHERE event = ? AND note = ? AND clauses <> ''", rows[0][0], note
    )
    return bool(held)
