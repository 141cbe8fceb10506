from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.payload import EAGER_BYTES, Malformed, fields, receive
from vectr_hooks.store.connection import open_scratch


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)


def send(writer: int, *parts: bytes, close: bool = True) -> threading.Thread:
    def write() -> None:
        for part in parts:
            rest = part
            while rest:
                rest = rest[os.write(writer, rest) :]
            time.sleep(0.02)
        if close:
            os.close(writer)

    thread = threading.Thread(target=write)
    thread.start()
    return thread


def test_one_complete_object_is_enough(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    thread = send(writer, b'{"a": ', b'{"b": 1}', b"}", close=False)
    assert receive(reader, open_scratch()) == '{"a": {"b": 1}}'
    thread.join()
    os.close(writer)


def test_a_large_object_in_pieces_that_end_like_one_is_read_whole(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    whole = json.dumps({"a": "}" * EAGER_BYTES, "b": {"c": "}" * EAGER_BYTES}}).encode()
    cut = whole.index(b"b") - 20
    thread = send(writer, whole[:cut], whole[cut:])
    assert json.loads(receive(reader, open_scratch())) == json.loads(whole)
    thread.join()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b" \n",
        b"[]",
        b"5",
        b"null",
        b'"{}"',
        b'{"a": 1',
        b"{}{}",
        b'{"a": NaN}',
        b"{" * 3000 + b"}" * 3000,
    ],
)
def test_anything_else_is_malformed(pipe: tuple[int, int], raw: bytes) -> None:
    reader, writer = pipe
    send(writer, raw).join()
    with pytest.raises(Malformed, match="not one JSON object"):
        receive(reader, open_scratch())


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'\xef\xbb\xbf{"a": "x"}', {"a": "x"}),
        (b'{"a": "x", "a": "y"}', {"a": "x"}),
        (b'{"\\u0061": "x"}', {"a": "x"}),
        (b'{"a": [1], "b": {"c": 1}, "d": true, "e": null}', {"a": None, "b": None, "d": 1, "e": None}),
        (b'{"a": "\xff"}', {"a": "\ufffd"}),
    ],
)
def test_the_top_level_is_read_as_plain_values(
    pipe: tuple[int, int], raw: bytes, expected: dict[str, object]
) -> None:
    reader, writer = pipe
    send(writer, raw).join()
    connection = open_scratch()
    assert fields(connection, receive(reader, connection)) == (expected, {})


def test_lone_surrogates_are_replaced() -> None:
    top, _ = fields(open_scratch(), '{"prompt": "a \\ud83d b"}')
    text = top["prompt"]
    assert isinstance(text, str)
    assert text.startswith("a ")
    assert text.encode("utf-8")


@pytest.mark.parametrize("given", ["null", "5", "[1, 2]", "{}"])
def test_a_tool_input_of_another_shape_has_no_named_values(given: str) -> None:
    _, tool_input = fields(open_scratch(), '{"tool_input": ' + given + "}")
    assert not [key for key in tool_input if isinstance(key, str)]


@pytest.mark.parametrize("name", ["tool_input", "toolArgs"])
def test_a_tool_input_that_is_a_text_is_read_as_the_object_it_spells_or_as_itself(name: str) -> None:
    for written, read in (
        ('{"command": "make", "more": {}}', {"command": "make", "more": None}),
        ("*** Begin Patch", {"input": "*** Begin Patch"}),
        ("{broken", {"input": "{broken"}),
        ("", {"input": ""}),
    ):
        _, tool_input = fields(open_scratch(), json.dumps({name: written}))
        assert tool_input == read


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@given(st.dictionaries(texts, texts, max_size=5), st.dictionaries(texts, texts, max_size=5))
def test_texts_arrive_as_they_were_sent(top: dict[str, str], tool_input: dict[str, str]) -> None:
    document = {**top, "tool_input": tool_input}
    read_top, read_input = fields(open_scratch(), json.dumps(document))
    assert read_top == {**top, "tool_input": None}
    assert read_input == tool_input
