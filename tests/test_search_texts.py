from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest

from vectr_hooks.core.keywords import compose, occurs
from vectr_hooks.search_texts import outputs, symbols
from vectr_hooks.store.candidates import FEW_TOKENS, few_tokens

TEXTS = [
    "",
    "E42",
    "an E42 here",
    "E421",
    "xE42",
    "quota exceeded",
    "no quota exceeded!",
    "データ",
    "--- !!",
    "a-b",
]
NEEDLES = ["E42", "quota exceeded", "データ", "!!", "E42 here"]


@pytest.mark.parametrize("more", [0, FEW_TOKENS, 3 * FEW_TOKENS])
def test_the_same_is_found_however_many_needles_there_are(
    store: sqlite3.Connection, write: Callable[..., int], more: int
) -> None:
    write("Look.", trigger=[{"output": [*NEEDLES, "/E42\\d+/"]}])
    if more:
        write("More.", trigger=[{"output": [f"other{n}" for n in range(more)]}])
    assert (few_tokens(store, "o") is None) is (more > 0)
    for text in TEXTS:
        expected = {"o" + needle for needle in NEEDLES if occurs(needle, compose(text))}
        assert outputs(store, text)[0] - {"o/E42\\d+/"} == expected, text
    assert symbols(store, "E42") == set()


def test_a_pattern_is_searched_for_where_its_word_stands(
    store: sqlite3.Connection, write: Callable[..., int]
) -> None:
    write("Look.", trigger=[{"output": "/no quota: \\d+/"}])
    assert few_tokens(store, "o") == ["oquota"]
    assert outputs(store, "no quota: 7")[0] == {"o/no quota: \\d+/"}
    assert outputs(store, "no myquota: 7")[0] == set()
    assert few_tokens(store, "s") == []
