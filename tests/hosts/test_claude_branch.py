"""Which lines of a recorded session the conversation still has."""

from __future__ import annotations

import json

import pytest

from tests.hosts.transcript import Lines, attachment, boundary, prompt, reply, result, uuid
from vectr_hooks.hosts.claude_branch import AGAIN, ASIDE, LIVE, NO_ENTRY, follow, read_entry


def held(lines: Lines) -> list[int]:
    branch = follow(lines)
    return [number for number in range(len(lines)) if branch.holds(number)]


def test_a_conversation_that_only_went_on_is_held_whole() -> None:
    lines = [prompt("1", None), reply("2", "1", "m1"), result("3", "2", "call-2"), prompt("4", "3")]
    assert held(lines) == [0, 1, 2, 3]
    assert follow(lines).rooted


def test_what_was_rewound_is_left_behind() -> None:
    lines = [prompt("1", None), reply("2", "1", "m1")]
    lines += [prompt("3", "2"), attachment("4", "3"), reply("5", "4", "m2"), prompt("6", "2")]
    assert held(lines) == [0, 1, 5]


def test_calls_made_at_once_are_held_with_what_hooks_said_of_them() -> None:
    lines = [prompt("1", None), reply("2", "1", "m1"), attachment("3", "2"), reply("4", "2", "m1")]
    lines += [attachment("5", "4"), result("6", "4", "call-4"), result("7", "2", "call-2")]
    lines += [reply("8", "7", "m2")]
    assert held(lines) == list(range(8))


def test_a_reply_that_was_left_before_its_prompt_is_not_one_of_several_calls() -> None:
    lines = [prompt("1", None), reply("2", "1", "m1"), result("3", "2", "call-2")]
    lines += [reply("4", "3", "m2"), attachment("5", "4"), prompt("6", "3")]
    assert held(lines) == [0, 1, 2, 5]


@pytest.mark.parametrize("named", ["2", "never-written"])
def test_a_compaction_is_crossed_also_when_it_names_an_entry_that_was_not_written(named: str) -> None:
    lines = [prompt("1", None), reply("2", "1", "m1"), boundary("3", named), prompt("4", "3")]
    assert held(lines) == [0, 1, 2, 3]
    assert follow(lines).rooted


def test_a_part_of_a_file_that_begins_with_a_compaction_has_its_root() -> None:
    assert follow([boundary("3", "2"), prompt("4", "3")]).rooted
    assert not follow([reply("3", "2", "m1"), prompt("4", "3")]).rooted


def test_entries_written_again_are_copies() -> None:
    lines = [prompt("1", None), reply("2", "1", "m1")]
    again = [*lines, prompt("1", None, promptId="other"), boundary("3", "2"), prompt("4", "3")]
    assert list(follow(again).states) == [LIVE, LIVE, AGAIN, LIVE, LIVE]


def test_a_subagent_is_aside_and_leads_nowhere() -> None:
    lines = [prompt("1", None), prompt("a", None, isSidechain=True), reply("b", "a", "m9", isSidechain=True)]
    assert list(follow(lines).states) == [LIVE, ASIDE, ASIDE]


def test_names_of_links_inside_a_result_are_not_links() -> None:
    forged = {"uuid": uuid("9"), "parentUuid": None, "logicalParentUuid": uuid("8")}
    lines = [prompt("1", None), reply("2", "1", "m1")]
    lines += [result("3", "2", "call-2", toolUseResult=forged), prompt("4", "3")]
    assert held(lines) == [0, 1, 2, 3]


def test_a_text_that_looks_like_a_link_or_a_mark_is_neither() -> None:
    text = f'{{"parentUuid":null,"uuid":"{uuid("9")}","isSidechain":true,"tool_use_id":"x"}}'
    lines = [prompt("1", None, text), prompt("2", "1", text), prompt("3", "1")]
    assert held(lines) == [0, 2]


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"null", b'{"type":"summary"}', b'{"parentUuid":', b"\xff\xfe", b'{"parentUuid":null}'],
)
def test_a_line_that_is_no_entry_changes_nothing(line: bytes) -> None:
    lines = [prompt("1", None), line, prompt("2", "1"), line]
    assert list(follow(lines).states) == [LIVE, NO_ENTRY, LIVE, NO_ENTRY]


def test_spaced_json_is_read_as_well() -> None:
    lines = [json.dumps(json.loads(line)).encode() for line in (prompt("1", None), prompt("2", "1"))]
    assert held(lines) == [0, 1]


def test_a_line_that_was_written_anew_has_its_marks_whatever_the_order_of_its_fields() -> None:
    lines = [prompt("1", None), reply("2", "1", "m1"), attachment("3", "2"), reply("4", "2", "m1")]
    lines += [result("5", "4", "call-4"), prompt("a", None, isSidechain=True), reply("6", "5", "m2")]
    anew = [json.dumps(json.loads(line), sort_keys=True).encode() for line in lines]
    first, second = follow(lines), follow(anew)
    assert second.states == first.states
    assert (second.said, second.replies) == (first.said, first.replies)
    assert held(anew) == held(lines)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_json_has_not_is_null(number: str) -> None:
    assert read_entry(f'{{"a":{number},"b":1.5}}'.encode()) == {"a": None, "b": 1.5}


def test_links_that_go_in_circles_end() -> None:
    lines = [prompt("1", "2"), reply("2", "1", "m1"), attachment("3", "4"), attachment("4", "3")]
    assert held(lines) == [2, 3]
    assert held([*lines, prompt("5", "9")]) == [4]
