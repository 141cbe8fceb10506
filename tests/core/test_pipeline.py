from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from tests.core.builders import candidate, clause, facts, ledger
from vectr_hooks.core.budget import Limits
from vectr_hooks.core.model import Candidate, Decision, Facts
from vectr_hooks.core.pipeline import decide, deliver, matched
from vectr_hooks.core.settings import DEFAULTS

EVENT = facts("pre-edit", path="src/a.py")
HERE = clause(path="src/**")
ELSEWHERE = clause(path="docs/**")


def outcomes(*notes: Candidate, event: Facts = EVENT, **past: int) -> list[tuple[int, str, str]]:
    return [
        (decision.candidate.note, decision.status, decision.form)
        for decision in decide(notes, event, ledger(**past), DEFAULTS)
    ]


def test_a_candidate_whose_clauses_fail_is_unmatched_for_the_named_conditions() -> None:
    (decision,) = decide([candidate(1, ELSEWHERE, clause(1, keyword="x"))], EVENT, ledger(), DEFAULTS)
    assert (decision.status, decision.reason) == ("unmatched", "event, path")


def test_dates_come_before_everything() -> None:
    assert outcomes(candidate(1, HERE, not_before="2026-06-16")) == [(1, "out of scope", "")]
    assert outcomes(candidate(1, HERE, expires="2026-06-14")) == [(1, "expired", "")]
    assert outcomes(candidate(1, HERE, not_before="2026-06-15", expires="2026-06-15")) == [
        (1, "matched", "full")
    ]


def test_a_note_above_its_kinds_cap_is_open_as_an_index_line_only() -> None:
    assert outcomes(candidate(1, HERE, cost=300), candidate(2, HERE, cost=301)) == [
        (1, "matched", "full"),
        (2, "matched", "index"),
    ]


def test_a_decision_is_never_delivered_in_full() -> None:
    assert outcomes(candidate(1, HERE, kind="decision", cost=5)) == [(1, "matched", "index")]


def test_a_boundary_brings_a_note_without_a_match() -> None:
    note = candidate(1, ELSEWHERE, origin="working set", held_clauses=(0,))
    (decision,) = decide([note], facts("post-compaction"), ledger(), DEFAULTS)
    assert (decision.status, decision.form, decision.clauses) == ("matched", "full", ())
    assert decision.why == "used earlier in this session"


def test_what_was_used_long_ago_comes_back_as_an_index_line() -> None:
    assert outcomes(candidate(1, ELSEWHERE, origin="older working set")) == [(1, "matched", "index")]


def test_a_match_outranks_the_reason_of_the_boundary() -> None:
    (decision,) = decide([candidate(1, HERE, origin="older working set")], EVENT, ledger(), DEFAULTS)
    assert (decision.form, decision.why) == ("full", "path src/**")


clauses = st.sampled_from([HERE, ELSEWHERE, clause(1, keyword="deploy"), clause(2, event="pre-edit")])
notes = st.lists(
    st.builds(
        lambda note, cost, kind, origin, own: candidate(note, *own, kind=kind, cost=cost, origin=origin),
        st.integers(1, 10**6),
        st.integers(1, 500),
        st.sampled_from(["directive", "gotcha", "finding", "reference"]),
        st.sampled_from(["trigger", "pinned", "working set", "older working set"]),
        st.lists(clauses, max_size=3),
    ),
    max_size=25,
    unique_by=lambda found: found.note,
)
limits = st.builds(Limits, st.integers(0, 900), st.integers(0, 900), st.integers(0, 9500), st.booleans())


def run(found: list[Candidate], limit: Limits) -> tuple[list[Decision], str]:
    decisions = decide(found, EVENT, ledger(), DEFAULTS)
    texts = {note.note: (f"[#{note.note}\x1e\x1f]\n" + "b" * note.cost, f"#{note.note} t") for note in found}
    settled, packed = deliver(decisions, texts, {}, limit)
    return settled, "\n".join(packed.lines)


@given(notes, limits)
def test_each_candidate_has_exactly_one_outcome(found: list[Candidate], limit: Limits) -> None:
    settled, _ = run(found, limit)
    assert sorted(decision.candidate.note for decision in settled) == sorted(note.note for note in found)
    assert {decision.status for decision in settled} <= {
        "delivered", "suppressed", "held back", "unmatched", "out of scope", "expired",
    }  # fmt: skip
    assert all(decision.reason for decision in settled if decision.status != "delivered")


@given(notes, limits, st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(
    found: list[Candidate], limit: Limits, chance: random.Random
) -> None:
    shuffled = list(found)
    chance.shuffle(shuffled)
    first, text = run(found, limit)
    second, again = run(shuffled, limit)
    assert text == again
    assert [decision.candidate.note for decision in first] == [decision.candidate.note for decision in second]


@given(notes, limits)
def test_what_is_matched_is_settled_and_nothing_else_is_touched(
    found: list[Candidate], limit: Limits
) -> None:
    before = decide(found, EVENT, ledger(), DEFAULTS)
    settled, _ = run(found, limit)
    assert not matched(settled)
    assert len([d for d in settled if d.status in ("delivered", "held back")]) == len(matched(before))
