"""Short ways to write the core's records in tests."""

from __future__ import annotations

from typing import Any

from vectr_hooks.core.ledger import Delivery, Ledger
from vectr_hooks.core.model import Candidate, Clause, Facts


def clause(
    number: int = 0, unless: dict[str, list[str]] | None = None, **conditions: list[str] | str
) -> Clause:
    return Clause(number, _conditions(conditions), _conditions(unless or {}))


def candidate(note: int = 1, *clauses: Clause, kind: str = "gotcha", **fields: Any) -> Candidate:
    given = {"revision": note, "precedence": note, "cost": 10, **fields}
    return Candidate(note, kind=kind, clauses=clauses, **given)


def facts(*moments: str, path: str = "", **fields: Any) -> Facts:
    targets = tuple((moment, path) for moment in moments) if path else ()
    return Facts(moments=moments, targets=targets, **{"today": "2026-06-15", **fields})


def ledger(
    *deliveries: tuple[int, Delivery], turn: str = "t1", turn_number: int = 1, **counted: int
) -> Ledger:
    rows: dict[int, list[Delivery]] = {}
    for note, delivery in deliveries:
        rows.setdefault(note, []).append(delivery)
    return Ledger(turn, turn_number, rows, {int(note.lstrip("n")): n for note, n in counted.items()})


def _conditions(conditions: dict[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(
        (name, (values,) if isinstance(values, str) else tuple(values)) for name, values in conditions.items()
    )
