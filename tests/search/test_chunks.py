"""Chunks cover a file, each line once, and keep definitions whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.samples import SAMPLES
from vectr_hooks.search.chunks import (
    LONG_CLASS,
    LONG_FUNCTION,
    MERGED,
    WINDOW,
    WINDOW_CHARACTERS,
    Chunk,
    chunks,
)
from vectr_hooks.search.languages import CLASS, FUNCTION, METHOD, VALUE, language_of
from vectr_hooks.search.outline import Definition, Outline, outline

ROOT = Path(__file__).resolve().parents[2]


def cut(path: str, text: str) -> list[Chunk]:
    lines = text.split("\n")
    found = chunks(lines, outline(language_of(path).name, text))
    assert_covered(found, len(lines))
    return found


def assert_covered(found: list[Chunk], lines: int) -> None:
    assert [line for chunk in found for line in range(chunk.first, chunk.last + 1)] == list(
        range(1, lines + 1)
    )
    for chunk in found:
        assert 1 <= chunk.shown_first <= chunk.shown_last <= lines


def definitions(depth: int, first: int, last: int) -> st.SearchStrategy[list[Definition]]:
    if depth == 0 or last < first:
        return st.just([])

    def nested(bounds: tuple[int, int, str]) -> st.SearchStrategy[Definition]:
        low, high, kind = min(bounds[:2]), max(bounds[:2]), bounds[2]
        return definitions(depth - 1, low, high).map(
            lambda inner: Definition(f"d{low}", kind, low, high, low, inner)
        )

    line = st.integers(first, last)
    return st.lists(
        st.tuples(line, line, st.sampled_from([CLASS, FUNCTION, METHOD, VALUE])).flatmap(nested), max_size=4
    )


@given(st.data())
def test_chunks_of_any_outline_cover_the_file_without_overlap_or_loss(data: st.DataObject) -> None:
    lines = data.draw(
        st.lists(st.sampled_from(["", "x = 1", "}", "# note", "    y()"]), min_size=1, max_size=300)
    )
    found = chunks(lines, Outline(data.draw(definitions(3, 1, len(lines)))))
    assert_covered(found, len(lines))


@pytest.mark.parametrize("path", SAMPLES)
def test_chunks_of_every_language_cover_the_file(path: str) -> None:
    assert cut(path, SAMPLES[path][0])


@pytest.mark.parametrize("path", ["vectr_hooks/search/tree_outline.py", "ARCHITECTURE.md", "pyproject.toml"])
def test_chunks_of_our_own_files_cover_them(path: str) -> None:
    assert cut(path, (ROOT / path).read_text(encoding="utf-8"))


def test_no_text_is_no_chunk_and_blank_lines_are_one() -> None:
    assert chunks([], None) == []
    assert_covered(chunks(["", "", ""], None), 3)


def test_a_function_comes_whole_with_its_decorators_and_the_comment_above_it() -> None:
    text = "import os\n\nX = 1\n\n# Why it is so.\n# And more.\n@cached\ndef work():\n" + "    a = 1\n" * 4
    found = cut("a.py", text)
    assert [(chunk.name, chunk.shown_first, chunk.shown_last) for chunk in found] == [
        ("", 1, 3),
        ("work", 5, 12),
    ]


def test_a_short_class_is_one_chunk_and_a_long_one_has_a_head_and_its_methods() -> None:
    method = "    def m{0}(self):\n" + "        x = 1\n" * 8
    short = "class A:\n    y = 1\n\n" + method.format(0)
    assert [chunk.name for chunk in cut("a.py", short)] == ["A"]
    long = "class A:\n    '''Doc.'''\n    y = 1\n\n" + "\n".join(
        method.format(n) for n in range(LONG_CLASS // 8)
    )
    found = cut("a.py", long)
    assert [chunk.name for chunk in found] == ["A", *(f"A.m{n}" for n in range(LONG_CLASS // 8))]
    assert (found[0].shown_first, found[0].shown_last) == (1, 3)


def test_a_long_function_takes_several_chunks_that_all_show_it_whole() -> None:
    text = "def f():\n" + "    x = 1\n" * (LONG_FUNCTION + 20) + "\ny = 2\n"
    found = [chunk for chunk in cut("a.py", text) if chunk.name == "f"]
    assert len(found) > 1
    assert {(chunk.shown_first, chunk.shown_last) for chunk in found} == {(1, LONG_FUNCTION + 21)}


def test_tiny_neighbours_share_a_chunk_but_not_with_longer_ones() -> None:
    tiny = "".join(f"def t{n}():\n    return {n}\n\n\n" for n in range(8))
    found = cut("a.py", tiny + "def long():\n" + "    x = 1\n" * 10)
    assert [len(chunk.name.split(", ")) for chunk in found] == [5, 3, 1]
    assert all(chunk.shown_last - chunk.shown_first <= MERGED + 4 for chunk in found)


def test_definitions_on_one_line_do_not_share_it() -> None:
    found = cut("a.js", "function a() {} function b() {}\nfunction c() {\n  return 1;\n\n\n\n}\n")
    assert [chunk.first for chunk in found] == [1, 2]


def test_windows_are_bounded_in_lines_and_characters_and_end_at_blank_lines() -> None:
    lines = [f"line {n}" if n % 10 else "" for n in range(1, 201)]
    found = chunks(lines, None)
    assert_covered(found, 200)
    assert {chunk.last % 10 for chunk in found} == {0}
    assert all(chunk.last - chunk.first < WINDOW for chunk in found)
    wide = chunks(["x" * 1500] * 10, None)
    assert all((chunk.last - chunk.first + 1) * 1500 <= WINDOW_CHARACTERS for chunk in wide)
