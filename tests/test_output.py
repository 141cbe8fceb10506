"""How results are printed: JSON, and tables too long to be laid out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.secret_samples import TOKENS
from vectr_hooks import output
from vectr_hooks.core.secrets import redact

SECRET = TOKENS[0][1]

documents = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
        max_leaves=12,
    ),
    max_size=5,
)


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


@given(documents)
def test_json_is_laid_out_as_by_the_library_and_means_the_same(document: dict[str, Any]) -> None:
    document.pop("version", None)
    text = output._in_json(output._indented(document, "", output._encoder().encode))
    assert json.loads(text) == document
    assert text == output._in_json(json.dumps(document, ensure_ascii=False, indent=2))


def test_a_secret_anywhere_in_a_document_is_redacted(capsys: pytest.CaptureFixture[str]) -> None:
    deep = {"a": [{"b": ("x", [f"y {SECRET}"])}], "c": SECRET, "d": "as it is", "e": 1}
    for show in (output.json_result, output.json_line):
        show(deep)
        assert json.loads(printed(capsys)) == {
            "version": 1,
            "a": [{"b": ["x", [redact(f"y {SECRET}")]]}],
            "c": redact(SECRET),
            "d": "as it is",
            "e": 1,
        }


@pytest.mark.parametrize("character", ["\x1b", "\u202e", "\u200b", "\x9b", "\ud800", "\U000e0041", "\u2028"])
def test_json_holds_no_character_that_a_terminal_does_not_show(
    capsys: pytest.CaptureFixture[str], character: str
) -> None:
    output.json_result({"a": f"x{character}y", "b": "é日"})
    text = printed(capsys)
    assert character not in text
    assert "é日" in text
    assert json.loads(text)["a"] == f"x{character}y"


cells = st.text(st.sampled_from("abé日\x1b%"), min_size=1, max_size=6)


@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=6))
def test_the_columns_of_a_plain_table_stand_below_each_other(rows: list[tuple[str, str, str]]) -> None:
    shown = output._shown(rows)
    lines = list(output._plain_lines([(*row, "|") for row in shown], [True, False, False, False]))
    assert [tuple(line.split()) for line in lines] == [(*row, "|") for row in shown]
    assert len({cell_len(line) for line in lines}) == 1


def test_a_table_shows_no_secret_of_any_cell(capsys: pytest.CaptureFixture[str]) -> None:
    output.table(("id", "title"), [("1", "plain"), ("2", f"x {SECRET}"), ("3", "\x1b[2J 100%s")])
    text = printed(capsys)
    assert SECRET not in text
    assert redact(f"x {SECRET}") in text
    assert "\\x1b[2J 100%s" in text
