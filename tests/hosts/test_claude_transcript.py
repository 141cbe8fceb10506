"""The events of a recorded session, as hooks would have got them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.transcript import (
    Lines,
    attachment,
    boundary,
    entry,
    prompt,
    reply,
    result,
    uses,
    uuid,
    write,
)
from vectr_hooks.hosts.claude_transcript import Account, Occurred, last_request, recorded_events

READ = {"file_path": "/p/a.txt"}


def events(path: Path, lines: Lines, account: Account | None = None) -> list[Occurred]:
    return list(recorded_events(write(path / "s1.jsonl", lines), account or Account()))


def told(found: list[Occurred], *fields: str) -> list[tuple[Any, ...]]:
    names = ("hook_event_name", *fields)
    return [tuple(one.payload.get(name) for name in names) for one in found]


def test_a_turn_is_a_prompt_and_its_calls_with_their_results(tmp_path: Path) -> None:
    lines = [
        prompt("1", None, "Look", sessionId="s1", cwd="/p", promptId="p1", gitBranch="main"),
        uses("2", "1", "Read", READ, timestamp="2026-01-31T12:00:00.250Z"),
        result("3", "2", "call-2", "alpha", toolUseResult={"type": "text", "file": {"content": "alpha"}}),
        uses("4", "3", "Bash", {"command": "false"}, cwd="/p/sub"),
        result("5", "4", "call-4", "Exit code 1", is_error=True),
    ]
    found = events(tmp_path, lines)
    assert told(found, "tool_name", "prompt_id") == [
        ("SessionStart", None, ""),
        ("UserPromptSubmit", None, "p1"),
        ("PreToolUse", "Read", "p1"),
        ("PostToolUse", "Read", "p1"),
        ("PreToolUse", "Bash", "p1"),
        ("PostToolUseFailure", "Bash", "p1"),
    ]
    assert found[3].payload["tool_input"] == READ
    assert found[3].payload["tool_response"] == {"type": "text", "file": {"content": "alpha"}}
    assert found[5].payload["error"] == "Exit code 1"
    assert (found[1].line, found[1].branch, found[1].at_ms) == (1, "main", None)
    assert (found[2].line, found[2].at_ms, found[4].payload["cwd"]) == (2, 1_769_860_800_250, "/p/sub")


@pytest.mark.parametrize(
    ("what", "fields"),
    [
        ("a remark of the client", {"isMeta": True}),
        ("the summary after a compaction", {"isCompactSummary": True}),
        ("a command's name", {"text": "<command-name>/compact</command-name>"}),
        ("a slash command", {"text": "/model opus"}),
        ("an interruption", {"text": "[Request interrupted by user for tool use]"}),
        ("a shell command of the user's", {"text": "<bash-input>ls</bash-input>"}),
        ("what it printed", {"text": "<bash-stdout>a</bash-stdout>"}),
        ("a notice", {"text": "<task-notification>done</task-notification>"}),
    ],
)
def test_what_was_not_submitted_as_a_prompt_is_none(
    tmp_path: Path, what: str, fields: dict[str, Any]
) -> None:
    lines = [prompt("1", None, "Typed"), prompt("2", "1", **{"text": "Not typed", **fields})]
    found = [one for one in events(tmp_path, lines) if one.payload["hook_event_name"] == "UserPromptSubmit"]
    assert [one.payload["prompt"] for one in found] == ["Typed"]
    assert last_request(str(tmp_path / "s1.jsonl")) == "Typed"


def test_a_prompt_of_several_blocks_is_one_text(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": "Look"}, {"type": "image"}, {"type": "text", "text": "here"}]
    lines = [entry("1", None, type="user", message={"role": "user", "content": blocks})]
    assert events(tmp_path, lines)[1].payload["prompt"] == "Look\nhere"


def test_a_prompt_typed_while_a_tool_runs_joins_the_turn(tmp_path: Path) -> None:
    queued = {"type": "queued_command", "prompt": "And deploy", "commandMode": "prompt"}
    lines = [prompt("1", None, promptId="p1"), entry("2", "1", type="attachment", attachment=queued)]
    assert told(events(tmp_path, lines), "prompt", "prompt_id")[2] == ("UserPromptSubmit", "And deploy", "p1")


def test_what_was_rewound_did_not_happen(tmp_path: Path) -> None:
    account = Account()
    lines = [prompt("1", None, "One"), reply("2", "1", "m1"), prompt("3", "2", "Two"), reply("4", "3", "m2")]
    lines += [prompt("5", "2", "Three")]
    found = [one.payload.get("prompt") for one in events(tmp_path, lines, account)]
    assert [text for text in found if text] == ["One", "Three"]
    assert account.skipped == {"rewound": 2}


def test_calls_made_at_once_all_happened(tmp_path: Path) -> None:
    lines = [prompt("1", None), reply("2", "1", "m1"), reply("4", "2", "m1")]
    lines += [result("6", "4", "call-4"), result("7", "2", "call-2"), prompt("8", "7")]
    found = told(events(tmp_path, lines), "tool_use_id")
    assert found[2:6] == [
        ("PreToolUse", "call-2"),
        ("PreToolUse", "call-4"),
        ("PostToolUse", "call-4"),
        ("PostToolUse", "call-2"),
    ]


def test_a_compaction_is_announced_and_begins_the_session_anew(tmp_path: Path) -> None:
    auto = [prompt("1", None, promptId="p1"), boundary("2", "1", "auto"), prompt("3", "2", promptId="p2")]
    found = events(tmp_path, auto)[2:4]
    assert told(found, "trigger", "source", "prompt_id") == [
        ("PreCompact", "auto", None, "p1"),
        ("SessionStart", None, "compact", "p1"),
    ]
    by_hand = [prompt("1", None, promptId="p1"), boundary("2", "1"), prompt("3", "2", promptId="p2")]
    assert [one.payload["prompt_id"] for one in events(tmp_path, by_hand)[2:4]] == [uuid("2")] * 2


def test_how_the_session_began_and_that_it_was_resumed_is_taken_from_what_hooks_left(tmp_path: Path) -> None:
    def began(name: str, before: str | None, source: str) -> bytes:
        said = {"type": "hook_success", "hookName": f"SessionStart:{source}", "hookEvent": "SessionStart"}
        return entry(name, before, attachment=said, type="attachment")

    lines = [began("1", None, "clear"), prompt("2", "1"), began("3", "2", "resume"), prompt("4", "3")]
    assert [one.payload.get("source") for one in events(tmp_path, lines)] == ["clear", None, "resume", None]


def test_a_tool_that_never_ran_has_no_result(tmp_path: Path) -> None:
    refused = "The user doesn't want to proceed with this tool use."
    lines = [prompt("1", None), reply("2", "1", "m1"), result("3", "2", "call-2", refused, is_error=True)]
    assert told(events(tmp_path, lines))[-1] == ("PreToolUse",)


def test_a_subagent_in_a_file_of_its_own_happens_where_it_was_started(tmp_path: Path) -> None:
    helper = write(
        tmp_path / "s1/subagents/agent-a1.jsonl",
        [
            prompt("a", None, "Look", isSidechain=True),
            uses("b", "a", "Read", READ, isSidechain=True),
            result("c", "b", "call-b", isSidechain=True),
        ],
    )
    about = {"agentType": "general-purpose", "toolUseId": "call-2"}
    Path(helper).with_suffix(".meta.json").write_text(json.dumps(about), encoding="utf-8")
    write(tmp_path / "s1/subagents/agent-a2.jsonl", [prompt("x", None, isSidechain=True)])
    lines = [prompt("1", None), uses("2", "1", "Agent", {"prompt": "Look"}), result("3", "2", "call-2")]
    assert told(events(tmp_path, lines), "agent_id", "agent_type")[2:] == [
        ("PreToolUse", None, None),
        ("SubagentStart", "a1", "general-purpose"),
        ("PreToolUse", "a1", "general-purpose"),
        ("PostToolUse", "a1", "general-purpose"),
        ("PostToolUse", None, None),
        ("SubagentStart", "a2", "unnamed"),
    ]


def test_a_subagent_in_the_same_file_has_the_type_it_was_asked_for(tmp_path: Path) -> None:
    lines = [
        prompt("1", None),
        uses("2", "1", "Task", {"prompt": "Look", "subagent_type": "Explore"}),
        prompt("a", None, "Look", isSidechain=True),
        uses("b", "a", "Read", READ, isSidechain=True),
        result("c", "b", "call-b", isSidechain=True),
        result("3", "2", "call-2"),
    ]
    assert told(events(tmp_path, lines), "agent_id", "agent_type")[3:6] == [
        ("SubagentStart", uuid("a"), "Explore"),
        ("PreToolUse", uuid("a"), "Explore"),
        ("PostToolUse", uuid("a"), "Explore"),
    ]


def test_a_fork_tells_only_what_its_parent_did_not(tmp_path: Path) -> None:
    account = Account()
    parent = [prompt("1", None, "One", sessionId="s1"), reply("2", "1", "m1", sessionId="s1")]
    events(tmp_path, parent, account)
    fork = [line.replace(b'"s1"', b'"s2"') for line in parent]
    fork += [result("3", "2", "call-2", sessionId="s2"), prompt("4", "3", "Two", sessionId="s2")]
    found = list(recorded_events(write(tmp_path / "s2.jsonl", fork), account))
    assert told(found, "source", "session_id") == [
        ("SessionStart", "fork", "s2"),
        ("PostToolUse", None, "s2"),
        ("UserPromptSubmit", None, "s2"),
    ]


def test_lines_that_say_nothing_are_counted_and_a_torn_one_is_not_fatal(tmp_path: Path) -> None:
    account = Account()
    lines = [
        b'{"type":"summary","summary":"x"}',
        prompt("1", None, "One"),
        b"",
        b"{not json}",
        b'{"type":"us',
    ]
    lines += [
        b'{"parentUuid":null,"isSidechain":false,"message":{broken,"uuid":"' + uuid("9").encode() + b'"}'
    ]
    lines += [prompt("2", "1", "Two")]
    found = [one.payload.get("prompt") for one in events(tmp_path, lines, account)]
    assert found == [None, "One", "Two"]
    assert account.skipped == {"not of the conversation": 2, "unreadable": 2}


def test_a_session_is_read_the_same_twice_and_all_its_bytes_are_counted(tmp_path: Path) -> None:
    lines = [prompt("1", None), reply("2", "1", "m1"), attachment("3", "2"), result("4", "2", "call-2")]
    path = write(tmp_path / "s1.jsonl", lines)
    sizes: list[int] = []
    first = list(recorded_events(path, Account(), sizes.append))
    assert first == list(recorded_events(path, Account()))
    assert sum(sizes) == 2 * Path(path).stat().st_size


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "s1/subagents"
    folder.mkdir(parents=True)
    for name in ("agent-x.jsonl", "agent-y.meta.json"):
        os.mkfifo(folder / name)
    write(folder / "agent-y.jsonl", [prompt("1", None)])
    account = Account()
    assert told(events(tmp_path, [prompt("1", None)], account))[-1] == ("SubagentStart",)
    assert account.skipped == {"subagents that cannot be read": 1}
    for path in (folder / "agent-x.jsonl", folder, tmp_path / "gone"):
        with pytest.raises(OSError, match=str(path)):
            list(recorded_events(str(path), Account()))


def test_a_record_that_was_written_anew_has_the_same_events(tmp_path: Path) -> None:
    lines = [prompt("1", None), uses("2", "1", "Read", READ), result("3", "2", "call-2"), boundary("4", "3")]
    lines += [prompt("a", None, isSidechain=True), prompt("5", "4")]
    anew = [json.dumps(json.loads(line)).encode() for line in lines]
    accounts = Account(), Account()
    assert events(tmp_path, anew, accounts[0]) == events(tmp_path, lines, accounts[1])
    assert accounts[0].skipped == accounts[1].skipped
