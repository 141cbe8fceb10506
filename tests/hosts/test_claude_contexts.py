"""What hooks told the model, read back from the client's record."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.hosts.transcript import Lines, attachment, boundary, of_session, prompt, reply, result, write
from vectr_hooks.hosts import claude_contexts
from vectr_hooks.hosts.claude_contexts import Held, held_since_compaction, newest_entries

AT = "2026-01-31T12:00:00.000Z"
LATER = "2026-01-31T12:00:05.000Z"


def held_in(path: Path, lines: Lines) -> Held | None:
    own = [of_session("s", line) for line in lines]
    # The client's own accounts follow.
    own.append(b'{"type":"last-prompt","sessionId":"s","timestamp":"' + AT.encode() + b'"}')
    return held_since_compaction(write(path, own), ["s"])


def test_each_text_is_given_with_its_event_its_time_and_whether_it_is_held(tmp_path: Path) -> None:
    lines = [
        prompt("1", None),
        attachment("2", "1", "UserPromptSubmit", "one", "two", timestamp=AT),
        prompt("3", "1"),
        attachment("4", "3", "UserPromptSubmit", "three", timestamp=LATER),
        prompt("5", "2", isSidechain=True),
        attachment("6", "5", "SubagentStart", "a subagent's", isSidechain=True),
    ]
    held = held_in(tmp_path / "s.jsonl", lines)
    assert held
    assert [(one.event, one.text, one.at, one.held) for one in held.contexts] == [
        ("UserPromptSubmit", "one", AT, False),
        ("UserPromptSubmit", "two", AT, False),
        ("UserPromptSubmit", "three", LATER, True),
    ]
    assert (held.since, held.newest) == ("", LATER)


def test_only_what_follows_the_last_compaction_counts(tmp_path: Path) -> None:
    lines = [prompt("1", None), attachment("2", "1", "UserPromptSubmit", "before")]
    lines += [boundary("3", "2", timestamp=AT), attachment("4", "3", "SessionStart", "after")]
    held = held_in(tmp_path / "s.jsonl", lines)
    assert held
    assert [one.text for one in held.contexts] == ["after"]
    assert held.since == AT


def test_a_compaction_on_a_branch_that_was_rewound_leaves_it_open(tmp_path: Path) -> None:
    lines = [prompt("1", None), boundary("2", "1"), prompt("3", "2"), prompt("4", "1")]
    assert held_in(tmp_path / "s.jsonl", lines) is None


def test_a_file_that_is_missing_or_no_file_leaves_it_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in ("", str(tmp_path / "gone"), str(tmp_path), str(tmp_path / "fifo")):
        assert held_since_compaction(path, ["s"]) is None


def test_a_file_larger_than_is_looked_through_is_read_from_its_last_compaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude_contexts, "MOST_BYTES", 2000)
    long = [prompt("1", None, "x" * 4000), reply("2", "1", "m1")]
    assert held_in(tmp_path / "a.jsonl", [*long, prompt("3", "2")]) is None
    after = [boundary("3", "2"), attachment("4", "3", "SessionStart", "after")]
    held = held_in(tmp_path / "b.jsonl", [*long, *after])
    assert held
    assert [one.text for one in held.contexts] == ["after"]


def test_a_preview_names_the_file_of_the_whole(tmp_path: Path) -> None:
    text = "<persisted-output>\nOutput too large (16.3KB). Full output saved to: /p/whole.txt\n\nPreview…"
    held = held_in(tmp_path / "s.jsonl", [attachment("1", None, "SessionStart", text)])
    assert held
    [context] = held.contexts
    assert context.is_preview
    assert context.whole_at == "/p/whole.txt"


def test_only_an_entrys_own_time_and_session_count() -> None:
    inside = {"timestamp": "9999-12-31T23:59:59.000Z", "sessionId": "inside"}
    lines = [
        of_session("s", prompt("1", None, timestamp=AT)),
        of_session("s", result("2", "1", "call-1", timestamp=LATER, toolUseResult=inside)),
        of_session("s", prompt("3", "2", timestamp="tomorrow noon, at 12:00 ")),
    ]
    assert newest_entries(lines) == (LATER, {"s"})
    assert newest_entries([]) == newest_entries([b"[]", b"{"]) == ("", set())


def test_a_file_of_another_session_leaves_it_open(tmp_path: Path) -> None:
    file = write(tmp_path / "s.jsonl", [of_session("s", prompt("1", None, timestamp=AT))])
    assert held_since_compaction(file, ["s"])
    assert held_since_compaction(file, ["other"]) is None
    assert (
        held_since_compaction(write(tmp_path / "s.jsonl", [prompt("1", None, timestamp=AT)]), ["s"]) is None
    )
