from __future__ import annotations

import pytest

from tests.core.builders import candidate, ledger
from vectr_hooks.core.ledger import Delivery, Ledger, weigh
from vectr_hooks.core.model import Candidate

ONE = candidate(1)


def ruling(note: Candidate, clauses: tuple[int, ...], past: Ledger, *moments: str) -> tuple[str, bool, bool]:
    found = weigh(note, clauses, past, moments)
    return found.reason.split(":")[0], found.full, found.line


def row(clause: int = 0, form: str = "full", turn: str = "t0", turn_number: int = 0) -> tuple[int, Delivery]:
    return 1, Delivery(clause, form, turn, turn_number)


@pytest.mark.parametrize(
    ("clauses", "past", "expected"),
    [
        pytest.param((0,), ledger(), ("", True, True), id="the first match is open in full"),
        pytest.param((0,), ledger(row()), ("ledger", True, True), id="a clause delivers once an epoch"),
        pytest.param((0,), ledger(row(form="index")), ("ledger", True, True), id="also as an index line"),
        pytest.param((1,), ledger(row()), ("", False, True), id="another clause gives an index line"),
        pytest.param((1,), ledger(row(form="index")), ("", True, True), id="in full if it was not yet whole"),
        pytest.param((0, 1), ledger(row()), ("", False, True), id="a fresh clause among used ones counts"),
        pytest.param((1,), ledger(row(turn="t1")), ("turn", True, True), id="once a turn, whatever matches"),
        pytest.param(
            (0,), ledger(row(form="index:budget")), ("", True, False), id="a forced line uses nothing up"
        ),
        pytest.param(
            (0,), ledger(row(form="index:budget", turn="t1")), ("turn", True, True), id="not twice in a turn"
        ),
        pytest.param((), ledger(), ("", True, True), id="a boundary brings what was not delivered"),
        pytest.param((), ledger(row(clause=-1)), ("ledger", True, True), id="and nothing twice"),
        pytest.param((), ledger(row(clause=3)), ("ledger", True, True), id="whichever clause delivered it"),
    ],
)
def test_what_an_epoch_has_delivered_decides(
    clauses: tuple[int, ...], past: Ledger, expected: tuple[str, bool, bool]
) -> None:
    assert ruling(ONE, clauses, past) == expected


@pytest.mark.parametrize(("turns", "again"), [(9, False), (10, True), (11, True)])
def test_a_cooldown_lets_the_same_clause_deliver_in_full_after_its_turns(turns: int, again: bool) -> None:
    note = candidate(1, cooldown=10)
    past = ledger(row(turn_number=1), turn_number=1 + turns)
    assert ruling(note, (0,), past) == (("", True, True) if again else ("ledger", True, True))


def test_a_limit_on_deliveries_holds_for_the_session() -> None:
    note = candidate(1, max_deliveries=2)
    assert ruling(note, (0,), ledger(n1=1), "prompt-submit")[0] == ""
    assert ruling(note, (0,), ledger(n1=2), "prompt-submit")[0] == "ledger"


def test_a_limit_on_deliveries_does_not_bind_what_a_compaction_destroyed() -> None:
    assert ruling(candidate(1, max_deliveries=1), (0,), ledger(n1=1), "post-compaction")[0] == ""
