from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.budget import Limits, Piece, pack, size, tokens
from vectr_hooks.core.render import held_line


@pytest.mark.parametrize(
    ("text", "cost"),
    [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("表", 1), ("表示", 2), ("ab表", 2), ("🙂" * 10, 10)],
)
def test_a_token_is_four_ascii_characters_or_one_other(text: str, cost: int) -> None:
    assert tokens(text) == cost


@pytest.mark.parametrize(
    ("text", "expected"),
    [("abc", 3), ("é", 2), ("表", 3), ("🙂", 4)],
)
def test_the_size_of_an_output_is_in_bytes(text: str, expected: int) -> None:
    assert size(text) == expected
    assert size(text) >= len(text.encode("utf-16-le")) // 2


def pieces(*costs: int, line: str = "#9 gotcha: " + "t" * 28) -> list[Piece]:
    return [Piece(n, "x" * (4 * cost - 1), line) for n, cost in enumerate(costs, 1)]


def forms(*costs: int, tokens: int = 1000, full: int = 1000, bytes: int = 9500) -> list[str]:
    return pack(pieces(*costs), Limits(tokens, full, bytes), held_line).forms


def test_full_texts_are_taken_until_one_does_not_fit() -> None:
    assert forms(100, 100, 100, full=250) == ["full", "full", "index:budget"]


def test_a_small_note_does_not_slip_past_a_larger_one_that_outranks_it() -> None:
    assert forms(100, 300, 10, full=250) == ["full", "index:budget", "index:budget"]


def test_index_lines_are_taken_until_one_does_not_fit_and_the_rest_is_held_back() -> None:
    assert forms(100, 100, 100, 100, 100, tokens=135, full=100) == [
        "full",
        "index:budget",
        "index:budget",
        "",
        "",
    ]


def test_what_is_held_back_is_told_in_one_last_line() -> None:
    packed = pack(pieces(100, 100, 100, 100, 100), Limits(135, 100, 9500), held_line)
    assert packed.lines[-1] == "2 more held back: vectr-hooks show 4 5"
    assert packed.told


def test_the_line_is_not_repeated_in_a_turn_and_takes_no_room_then() -> None:
    packed = pack(pieces(100, 100, 100, 100, 100), Limits(125, 100, 9500, tell_held_back=False), held_line)
    assert packed.forms == ["full", "index:budget", "index:budget", "", ""]
    assert not packed.told


def test_at_most_ten_ids_are_named() -> None:
    assert held_line(range(1, 51)) == "50 more held back: vectr-hooks show 1 2 3 4 5 6 7 8 9 10"


def test_a_note_open_only_in_full_is_held_back_without_stopping_the_lines_behind_it() -> None:
    only_full = Piece(1, "x" * 400, "")
    assert pack([only_full, *pieces(10)], Limits(50, 20, 9500, False), held_line).forms == [
        "",
        "index:budget",
    ]


def test_the_hosts_own_limit_holds_whatever_the_tokens_allow() -> None:
    text = "🙂" * 2000
    packed = pack([Piece(n, text, f"#{n} finding: t") for n in (1, 2)], Limits(10**6, 10**6, 9500), held_line)
    assert packed.forms == ["full", "index:budget"]
    assert size("\n".join(packed.lines)) <= 9500


texts = st.text(st.sampled_from("ab é表🙂\n"), max_size=400)
some_pieces = st.lists(st.builds(Piece, st.integers(1, 10**6), texts, texts), max_size=30)
some_limits = st.builds(Limits, st.integers(0, 500), st.integers(0, 500), st.integers(0, 2000), st.booleans())


@given(some_pieces, some_limits)
def test_the_budget_is_never_exceeded(matched: list[Piece], limits: Limits) -> None:
    packed = pack(matched, limits, held_line)
    text = "\n".join(packed.lines)
    assert packed.spent <= limits.tokens
    assert tokens(text) <= packed.spent
    assert size(text) <= limits.bytes
    whole = sum(cost for cost, form in zip(packed.costs, packed.forms, strict=True) if form == "full")
    assert whole <= limits.full_tokens


@given(some_pieces, some_limits)
def test_every_piece_has_one_form_and_no_text_is_cut(matched: list[Piece], limits: Limits) -> None:
    packed = pack(matched, limits, held_line)
    expected = [
        piece.full if form == "full" else piece.line
        for piece, form in zip(matched, packed.forms, strict=True)
        if form
    ]
    assert packed.lines[: len(expected)] == expected
    assert len(packed.lines) == len(expected) + packed.told


@given(some_pieces, some_limits)
def test_the_line_names_just_what_was_held_back(matched: list[Piece], limits: Limits) -> None:
    packed = pack(matched, limits, held_line)
    held = [piece.note for piece, form in zip(matched, packed.forms, strict=True) if not form]
    if packed.told:
        assert packed.lines[-1] == held_line(held)
        assert held
