from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vectr_hooks.core.occurrence import Occurrence
from vectr_hooks.hosts import claude
from vectr_hooks.store.connection import open_scratch

PAYLOADS = Path(__file__).parents[1] / "payloads/claude"
FILES = sorted(PAYLOADS.glob("*/*.json"))


def plain(values: object) -> dict[str, object]:
    """As `payload.fields` gives them: lists and objects are None."""
    given = values if isinstance(values, dict) else {}
    return {key: None if isinstance(value, list | dict) else value for key, value in given.items()}


def read(payload: dict[str, Any]) -> Occurrence | None:
    return claude.read_event(plain(payload), plain(payload.get("tool_input")))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_every_recorded_payload_is_read_or_passed_over(file: Path) -> None:
    payload = json.loads(file.read_text("utf-8"))
    event = read(payload)
    assert (event is not None) == (payload["hook_event_name"] in claude.EVENTS)
    if event is not None:
        assert event.name == payload["hook_event_name"]
        assert event.session == payload["session_id"]
        assert event.agent == payload.get("agent_id", "")
        assert event.tool == payload.get("tool_name", "")


@pytest.mark.parametrize("version", ["2.1.197", "2.1.332"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SessionStart.compact", {"what": "session", "source": "compact"}),
        ("PreCompact.auto", {"what": "compaction", "source": "auto"}),
        ("PreToolUse.Read", {"mode": "read", "path": "/home/dev/proj/a.txt"}),
        ("PreToolUse.Edit", {"mode": "edit", "path": "/home/dev/proj/a.txt"}),
        ("PreToolUse.Write", {"mode": "edit", "path": "/home/dev/proj/new.txt"}),
        ("PreToolUse.Bash", {"mode": "run", "command": "exit 3"}),
        ("PostToolUseFailure.Bash", {"what": "failure", "command": "exit 3", "error": "Exit code 3"}),
        ("SubagentStart", {"what": "subagent", "subagent": "general-purpose"}),
        ("PreToolUse.Read.in-subagent", {"subagent": "general-purpose", "path": "/home/dev/proj/sub/b.txt"}),
        ("PostToolUse.Skill", {"mode": "run", "path": "", "command": ""}),
    ],
)
def test_both_versions_payloads_mean_the_same(version: str, name: str, expected: dict[str, str]) -> None:
    event = read(json.loads((PAYLOADS / version / f"{name}.json").read_text("utf-8")))
    assert {key: getattr(event, key) for key in expected} == expected


@pytest.mark.parametrize(
    ("prompt", "typed"),
    [
        ("deploy this", True),
        ("/etc/x is broken", True),
        ("/ what is this", True),
        ("/compact", False),
        ("/my:command with words", False),
        ("  /compact", False),
        ("<task-notification>\n<task-id>1", False),
        ("<system-reminder>x", False),
        ("<command-name>/x</command-name>", False),
        ("<div> is not centred", True),
        ("", False),
        ("   ", False),
    ],
)
def test_only_what_a_person_typed_is_a_prompt(prompt: str, typed: bool) -> None:
    assert claude.is_typed(prompt) is typed


def test_the_type_of_an_agent_without_an_id_makes_no_subagent() -> None:
    event = read({"hook_event_name": "SessionStart", "source": "startup", "agent_type": "reviewer"})
    assert event
    assert (event.agent, event.subagent) == ("", "")


def test_a_subagent_without_a_type_is_one_all_the_same() -> None:
    event = read({"hook_event_name": "PreToolUse", "tool_name": "Read", "agent_id": "a1", "agent_type": ""})
    assert event
    assert (event.agent, event.subagent) == ("a1", "unnamed")


def test_the_answer_is_one_object_with_the_hosts_two_keys() -> None:
    event = Occurrence("prompt", "UserPromptSubmit")
    answer = claude.answer(open_scratch(), event, 'a "b"\n表\x07')
    assert json.loads(answer) == {
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": 'a "b"\n表\x07'}
    }


def test_a_message_for_the_user_stands_beside_it() -> None:
    answer = json.loads(claude.answer(open_scratch(), Occurrence("session", "SessionStart"), "a", "1 note"))
    assert answer["systemMessage"] == "1 note"
    assert answer["hookSpecificOutput"]["additionalContext"] == "a"


def test_before_a_compaction_the_answer_is_plain_text() -> None:
    assert claude.answer(open_scratch(), Occurrence("compaction", "PreCompact"), "keep #1") == b"keep #1"
