"""Our block in a text: nothing else of the text is touched, and it comes out without a trace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.guidance_block import BEGINS, ENDS, find, with_block, without_block
from vectr_hooks.errors import VectrHooksError

PIECES = ["# A", "b", " ", "é", f"see `{BEGINS}`", ENDS[:-1], "\n"]


def texts(*pieces: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=12).map("".join)


TEXTS = st.builds(str.__add__, st.sampled_from(["", "\ufeff"]), texts(*PIECES, "\r\n", "\r"))
CONTENTS = st.lists(st.sampled_from(["## Notes", "", "- save it"]), min_size=1, max_size=5).map("\n".join)


@given(TEXTS, CONTENTS)
def test_what_was_added_comes_out_without_a_trace(text: str, content: str) -> None:
    added = with_block(text, content)
    assert added.startswith(text)
    assert find(added)
    assert without_block(added, text) == text


@given(TEXTS, CONTENTS, CONTENTS)
def test_it_is_replaced_in_its_place(text: str, content: str, newer: str) -> None:
    added = with_block(text, content)
    assert with_block(added, content) == added
    assert with_block(added, newer) == with_block(text, newer)
    below = f"{added}Below it.\n"
    assert with_block(below, newer) == f"{with_block(text, newer)}Below it.\n"


@given(texts(*PIECES).map("{}\n".format), CONTENTS)
def test_without_a_record_it_comes_out_of_a_text_that_ended_in_a_line_end(text: str, content: str) -> None:
    assert without_block(with_block(text, content)) == text


def test_the_lines_of_a_text_end_as_they_did() -> None:
    added = with_block("a\r\nb\r\n", "one\ntwo")
    assert added == f"a\r\nb\r\n\r\n{BEGINS}\r\none\r\ntwo\r\n{ENDS}\r\n"


def test_it_is_a_paragraph_of_its_own() -> None:
    assert with_block("a", "one") == f"a\n\n{BEGINS}\none\n{ENDS}\n"
    assert with_block("", "one") == f"{BEGINS}\none\n{ENDS}\n"
    assert with_block("\ufeff", "one") == f"\ufeff{BEGINS}\none\n{ENDS}\n"


def test_what_somebody_wrote_around_it_stays() -> None:
    text = f"above\n\n{BEGINS}\none\n{ENDS}\nbelow"
    assert without_block(text) == "above\n\nbelow"
    # The text it was added to did not end in a line end, and still does not.
    assert without_block(f"changed\n\n{BEGINS}\none\n{ENDS}\n", "a") == "changed"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{BEGINS}\none", "1"),
        (f"a\none\n{ENDS}", "3"),
        (f"{ENDS}\n{BEGINS}", "1, 2"),
        (f"{BEGINS}\n{ENDS}\n{BEGINS}\n{ENDS}", "1, 2, 3, 4"),
        (f"a\r\n{BEGINS}\r\n{BEGINS}\r\n{ENDS}", "2, 3, 4"),
    ],
)
def test_markers_that_are_not_one_pair_are_refused_by_their_lines(text: str, lines: str) -> None:
    for attempt in (lambda: with_block(text, "x"), lambda: without_block(text)):
        with pytest.raises(VectrHooksError, match=rf"not one pair: line {lines}$") as refused:
            attempt()
        assert BEGINS in refused.value.hint


def test_what_a_text_says_about_the_markers_is_none() -> None:
    text = f"We write between `{BEGINS}` and `{ENDS}`.\n"
    assert find(text) is None
    assert find(with_block(text, "one")) == (len(text) + 1, len(with_block(text, "one")) - 1)
