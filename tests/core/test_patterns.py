from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from vectr_hooks.core.keywords import tokens
from vectr_hooks.core.patterns import check_pattern, literal_word
from vectr_hooks.errors import VectrHooksError


@pytest.mark.parametrize(
    ("pattern", "word"),
    [
        (r"\bE0432\b", "E0432"),
        (r"error: cannot find \w+ in scope", "cannot"),
        (r"^Traceback ", "Traceback"),
        (r"foo", ""),
        (r"foo.bar", ""),
        (r" foo | bar ", ""),
        (r" (foo) ", ""),
        (r" foo? ", ""),
        (r" foo+ ", ""),
        (r"(?i) foo ", ""),
        (r"\Bfoo ", ""),
        (r"x foo\d y", ""),
        (r"port \d+ is in use", "is"),
        (r": 部署 失败", "部署"),
    ],
)
def test_a_pattern_is_indexed_by_a_word_that_every_match_lies_around(pattern: str, word: str) -> None:
    assert literal_word(pattern) == word


pieces = st.sampled_from(
    ["a", "ab", " ", "\\b", "^", "$", ".", "\\d", "a?", "(ab)", "b+", "[ab]", "-", "(?:a|b)", "_", "部", "署"]
)


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(st.lists(pieces, min_size=1, max_size=8).map("".join), st.text("ab -_1部署", max_size=30))
def test_the_word_of_a_pattern_is_among_the_tokens_of_a_text_it_matches(pattern: str, text: str) -> None:
    assume(re.search(pattern, text))
    assert literal_word(pattern) in {"", *tokens(text)}


@pytest.mark.parametrize("pattern", ["(", "*", "[", "(?P<a", "a*", "", "x|", "^", "(?:)"])
def test_what_is_no_pattern_or_always_found_is_refused(pattern: str) -> None:
    with pytest.raises(VectrHooksError, match=r"expression|every text"):
        check_pattern(pattern)
