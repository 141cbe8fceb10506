"""Stands in for forgotten notes, of which only ids, outcomes and costs are left.

Each keeps its place in precedence and its part of the budget, so that what became of the others can be
decided again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from vectr_hooks.core.model import FULL, INDEX, INDEX_BY_BUDGET, Candidate, Decision
from vectr_hooks.store.journal import Outcome

#: a text that fits into no output
_TOO_LARGE = "x" * 20_000


def candidate_of(outcome: Outcome) -> Candidate:
    return Candidate(outcome.note, outcome.revision, 0, "", 0, origin=outcome.origin)


def stands_in(outcome: Outcome) -> Decision:
    """The decision on a forgotten note before the budget, from what became of it."""
    candidate = candidate_of(outcome)
    if not took_part(outcome):
        return Decision(
            candidate, outcome.status, outcome.reason, outcome.form, outcome.clauses, "", outcome.cost
        )
    return Decision(candidate, "matched", "", INDEX if outcome.form == INDEX else FULL, outcome.clauses)


def texts_of(outcome: Outcome) -> tuple[str, str]:
    """A full text and an index line that take what the note's own took."""
    of_its_cost = "x" * (4 * outcome.cost - 1)
    if outcome.status != "delivered":
        return _TOO_LARGE, _TOO_LARGE
    return _TOO_LARGE if outcome.form == INDEX_BY_BUDGET else of_its_cost, of_its_cost


def took_part(outcome: Outcome) -> bool:
    """Whether the budget decided on it."""
    return outcome.status == "delivered" or (outcome.status, outcome.reason) == ("held back", "budget")


def leave_open(outcomes: Iterable[Outcome], settings: Mapping[str, int | bool]) -> bool:
    """Whether the forgotten notes' sizes, which are not known, may have decided on other notes."""
    sharing = [outcome for outcome in outcomes if took_part(outcome)]
    # A token has at most four bytes: where all that may be spent fits into one output, bytes never decide.
    most_bytes = 4 * max(settings["budget.turn"], settings["budget.boundary"])
    return bool(sharing) and (
        most_bytes > settings["budget.bytes"] or any(outcome.form not in (FULL, INDEX) for outcome in sharing)
    )


def at_their_places(
    decisions: Sequence[Decision], outcomes: Sequence[Outcome], forgotten: Iterable[int], most: int
) -> list[Decision]:
    """`decisions` on the notes that are still there, and between them those on the forgotten ones."""
    merged = list(decisions)
    for position, outcome in enumerate(outcomes):
        if outcome.note in forgotten:
            merged.insert(position, stands_in(outcome))
    return merged[:most]
