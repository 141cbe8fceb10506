"""A payload that was parsed already is read as a hook reads it from its JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vectr_hooks import payload
from vectr_hooks.core.occurrence import RESULT_CHARACTERS
from vectr_hooks.hook import read_event
from vectr_hooks.hosts import claude
from vectr_hooks.parsed_payload import TooDeep, check_depth, fields, tool_result
from vectr_hooks.store.connection import open_scratch

CONNECTION = open_scratch()

# Lone surrogates and NUL among them, and what looks like an escape of one.
texts = st.text(st.sampled_from('a\\u0"\n\0é\ud83d\ude00\U0001f600\u2028') | st.characters(), max_size=12) | (
    st.sampled_from(["\\u0000", "\\\\u0000", "\\\0", "\udc80\ud800", "a\ud800"])
)
plain = texts | st.booleans() | st.none() | st.integers(-9, 9)
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
payloads = st.fixed_dictionaries(
    {},
    optional={
        "tool_input": st.dictionaries(st.sampled_from(["command", "pattern", "path", "edits"]), values),
        "tool_response": values,
        "prompt": values,
        "cwd": values,
    },
)


def as_received(given: dict[str, Any]) -> str:
    """As `payload.receive` hands on what a host wrote."""
    return json.dumps(given).replace("\\u0000", "\\ufffd")


@example(
    {"prompt": "\ud800", "tool_input": {"command": "\\u0000\0"}, "tool_response": ["\0", {"a": "\\u0000"}]}
)
@given(payloads)
def test_it_is_what_a_hook_reads_from_its_json(parsed: dict[str, Any]) -> None:
    received = as_received(parsed)
    assert fields(parsed) == payload.fields(CONNECTION, received)
    assert tool_result(parsed) == payload.tool_result(CONNECTION, received)


@given(payloads)
def test_a_host_makes_the_same_event_of_it(parsed: dict[str, Any]) -> None:
    parsed = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "1"} | parsed
    received = read_event(CONNECTION, claude, as_received(parsed))
    read = claude.read_event(*fields(parsed))
    assert received
    assert read
    compared = set(read.__slots__) - {"result", "size"}
    assert {name: getattr(read, name) for name in compared} == {
        name: getattr(received, name) for name in compared
    }


def test_of_a_long_result_the_end_is_given() -> None:
    parsed = {"tool_response": {"lines": ["é" * 1000] * 100, "last": "\0" * 10}}
    assert len(tool_result(parsed)) == RESULT_CHARACTERS
    assert tool_result(parsed) == payload.tool_result(CONNECTION, as_received(parsed))


@pytest.mark.parametrize("depth", [10, 900, 1100, 3000])
@pytest.mark.parametrize("wide", [1, 1500])
def test_what_sqlite_cannot_read_is_too_deep(depth: int, wide: int) -> None:
    inside: object = "text"
    for _ in range(depth):
        inside = [inside]
    parsed = {"tool_input": {"n": inside}, "all": [[]] * wide}
    try:
        readable = CONNECTION.execute("SELECT json_valid(?)", (json.dumps(parsed),)).fetchone()[0]
    except RecursionError:
        readable = 0
    if readable:
        check_depth(CONNECTION, parsed)
    else:
        with pytest.raises(TooDeep):
            check_depth(CONNECTION, parsed)
