"""What is read agrees with `json`, what is refused names its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration.json_text import MAX_DEPTH, Node, parse

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def value(text: str, node: Node) -> object:
    """The value of `node`, taken from its positions alone."""
    if node.kind == "object":
        return {child.key: value(text, child.node) for child in node.children}
    if node.kind == "array":
        return [value(text, child.node) for child in node.children]
    return json.loads(text[node.start : node.end])


@given(VALUES, st.booleans(), st.sampled_from([None, 0, 1, "\t"]), st.sampled_from(["", " \r\n\t"]))
def test_every_document_reads_as_json_reads_it(
    document: object, ascii_only: bool, indent: int | str | None, around: str
) -> None:
    text = around + json.dumps(document, ensure_ascii=ascii_only, indent=indent) + around
    assert value(text, parse(text)) == document
    assert value("\ufeff" + text, parse("\ufeff" + text)) == document


@given(st.text(alphabet='{}[]",:/*\\ \n\r\t\x00au0-1.eE+tfn', max_size=12))
def test_whatever_json_refuses_is_refused(text: str) -> None:
    try:
        json.loads(text, parse_constant=lambda name: [][0])
    except (ValueError, IndexError):
        with pytest.raises(VectrHooksError, match=r"^line \d+, column \d+: "):
            parse(text)
    else:
        parse(text)


REFUSED = {
    '{\n  // note\n  "a": 1}': "line 2, column 3: a comment",
    '{"a": 1 /* one */}': "line 1, column 9: a comment",
    '{"a": 1} // end': "line 1, column 10: a comment",
    "[1, // one\n2]": "line 1, column 5: a comment",
    '{"a": 1,\r\n}': "line 1, column 8: a trailing comma",
    '{"a": [1, 2,]}': "line 1, column 12: a trailing comma",
    '\ufeff{"a": 1,}': "line 1, column 8: a trailing comma",
    '{"a" 1}': "line 1, column 6: a colon",
    "{'a': 1}": "line 1, column 2: a key in double quotes",
    '{"a": 1 "b": 2}': "line 1, column 9: a comma or }",
    '{"a":\r\n"b\r\n"}': "line 2, column 1: a string",
    '{"a": NaN}': "line 1, column 7: no JSON value",
    '{"a": 01}': "line 1, column 8: a comma or }",
    '{"a": 1': "line 1, column 8: the document ends too early",
    "": "line 1, column 1: the document ends too early",
    "{} {}": "line 1, column 4: something follows",
    "[" * 2000: f"line 1, column {MAX_DEPTH + 2}: nested",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items())
def test_a_refusal_names_line_and_column(text: str, message: str) -> None:
    with pytest.raises(VectrHooksError) as refusal:
        parse(text)
    assert refusal.value.message.startswith(message)


def test_of_duplicate_keys_the_last_counts() -> None:
    text = '{"a": 1, "\\u0061": 2}'
    found = parse(text).last("a")
    assert found
    assert value(text, found) == 2
