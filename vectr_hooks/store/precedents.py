"""What earlier events of a conversation left to a note at a later one: the deliveries of it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from vectr_hooks.store.journal import Event


@dataclass(frozen=True)
class Precedent:
    """An earlier delivery of a note, as the ledger has it."""

    event: int
    at: int | None
    """None: the event is no longer in the audit."""
    name: str | None
    epoch: int
    """The one it was made in, which is not always the one it counts for."""
    turn: str
    turns: int
    """How many turns before."""
    form: str
    clauses: tuple[int, ...]
    in_epoch: bool
    """Whether it counts for the epoch of the later event."""
    counted: bool
    """Whether it counts towards the most deliveries of a session."""


def precedents(con: sqlite3.Connection, event: Event, note: int) -> tuple[Precedent, ...]:
    """The deliveries of `note` that the ledger held at `event`, oldest first."""
    rows = con.execute(
        "SELECT delivery.event, event.at, event.name, coalesce(event.epoch, delivery.epoch) AS epoch,"
        "  delivery.turn, delivery.turn_number, form, group_concat(clause) AS clauses,"
        "  delivery.epoch = ?3 AS in_epoch, counted"
        " FROM delivery LEFT JOIN event ON event.id = delivery.event"
        " WHERE delivery.session = ?1 AND delivery.agent = ?2 AND note = ?4 AND delivery.event < ?5"
        "  AND (lost = 0 OR lost > ?5)"
        " GROUP BY delivery.event, delivery.epoch"
        " ORDER BY delivery.event, delivery.epoch",
        (event.session, event.agent, event.epoch, note, event.id),
    ).fetchall()
    return tuple(
        Precedent(
            event=row["event"],
            at=row["at"],
            name=row["name"],
            epoch=row["epoch"],
            turn=row["turn"],
            turns=event.turn_number - row["turn_number"],
            form=row["form"],
            clauses=tuple(sorted(map(int, row["clauses"].split(",")))),
            in_epoch=bool(row["in_epoch"]),
            counted=bool(row["counted"]),
        )
        for row in rows
    )
