"""What two rankings make together, and what is no answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.conditions import SCALE
from vectr_hooks.core.fusion import COVERAGE_COUNTS, LEAST_EVIDENCE, fuse

ENOUGH = round(LEAST_EVIDENCE * SCALE)


def ranked(by_words=(), coverage=None, similarities=None, precedences=None):
    coverage, similarities = coverage or {}, similarities or {}
    notes = {*by_words, *coverage, *similarities}
    found = fuse(by_words, coverage, similarities, precedences or {note: note for note in notes})
    return [note for note, _ in found]


def test_meaning_alone_is_enough_from_some_nearness_on():
    assert ranked(similarities={1: ENOUGH, 2: ENOUGH - 1}) == [1]


def test_words_alone_are_enough_where_they_cover_the_question():
    assert ranked([1], {1: 1.0}) == [1]
    assert ranked([1], {1: 0.3}) == []


def test_words_and_meaning_make_up_for_each_other():
    assert ranked([1], {1: 0.5}, {1: round(ENOUGH - COVERAGE_COUNTS * 0.5 * SCALE)}) == [1]
    assert ranked([1], {1: 0.5}, {1: round(ENOUGH - COVERAGE_COUNTS * 0.5 * SCALE) - 1}) == []


def test_words_that_cover_little_do_not_outrank_meaning():
    """A question in other words shares some word with another note."""
    assert ranked([2, 3], {2: 0.2, 3: 0.2}, {1: 5000, 2: 3000, 3: 2900}) == [1, 2, 3]


def test_words_that_cover_all_outrank_meaning():
    assert ranked([2], {2: 1.0}, {1: 4000, 2: 3900}) == [2, 1]


def test_what_both_find_comes_first():
    assert set(ranked([1, 2], {1: 0.9, 2: 0.9}, {3: 5000, 2: 4900, 1: 2000})[:2]) == {1, 2}


def test_near_ties_go_by_precedence():
    assert ranked(similarities={1: 5000, 2: 5000}, precedences={1: 9, 2: 8}) == [2, 1]
    many = {note: 6000 - note for note in range(40)}
    falling = {note: -note for note in many}
    # Far down a place more or less says nothing.
    assert ranked(similarities=many, precedences=falling).index(31) < 31


notes = st.integers(1, 8)


@given(st.lists(notes, unique=True), st.data())
def test_every_answer_has_evidence_and_a_score(by_words, data):
    coverage = {note: data.draw(st.floats(0, 1)) for note in by_words}
    similarities = data.draw(st.dictionaries(notes, st.integers(-SCALE, SCALE)))
    precedences = {note: note for note in range(1, 9)}
    found = fuse(by_words, coverage, similarities, precedences)
    assert len({note for note, _ in found}) == len(found)
    for note, score in found:
        assert score >= 0
        assert similarities.get(note, 0) / SCALE + COVERAGE_COUNTS * coverage.get(note, 0) >= LEAST_EVIDENCE
    assert fuse(by_words, coverage, dict(reversed(similarities.items())), precedences) == found
