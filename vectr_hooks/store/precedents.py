"""What earlier events of a conversation left to a note at a later one: deliveries of it, and tokens spent."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from vectr_hooks.core.model import BOUNDARIES, PROMPT_SUBMIT
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


@dataclass(frozen=True)
class Spent:
    """Tokens that earlier events delivered."""

    turn: int
    """In the same turn, boundaries apart."""
    boundary: int
    """At boundaries in the same turn."""
    epoch: int


def precedents(con: sqlite3.Connection, event: Event, note: int) -> tuple[Precedent, ...]:
    """The deliveries of `note` that the ledger held at `event`, oldest first."""
    rows = con.execute(
        "SELECT delivery.event, event.at, event.name, coalesce(event.epoch, delivery.epoch) AS epoch,"
        "  delivery.turn, form, group_concat(clause) AS clauses, delivery.epoch = ?3 AS in_epoch, counted"
        " FROM delivery LEFT JOIN event ON event.id = delivery.event"
        " WHERE delivery.session = ?1 AND delivery.agent = ?2 AND note = ?4 AND delivery.event < ?5"
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
            turns=_turns(con, event, row["event"], row["turn"]),
            form=row["form"],
            clauses=tuple(sorted(map(int, row["clauses"].split(",")))),
            in_epoch=bool(row["in_epoch"]),
            counted=bool(row["counted"]),
        )
        for row in rows
    )


def spent_before(con: sqlite3.Connection, event: Event) -> Spent:
    row = con.execute(
        "SELECT coalesce(sum(CASE WHEN turn = ?4 AND NOT boundary THEN cost END), 0),"
        "  coalesce(sum(CASE WHEN turn = ?4 AND boundary THEN cost END), 0),"
        "  coalesce(sum(cost), 0)"
        " FROM (SELECT turn, cost, EXISTS ("
        "    SELECT 1 FROM json_each(facts, '$.moments') WHERE value IN (?6, ?7)) AS boundary"
        "  FROM event WHERE session = ?1 AND agent = ?2 AND epoch = ?3 AND id < ?5)",
        (event.session, event.agent, event.epoch, event.turn, event.id, *BOUNDARIES),
    ).fetchone()
    return Spent(*row)


def _turns(con: sqlite3.Connection, event: Event, earlier: int, turn: str) -> int:
    """How many turns began after the event `earlier`, of `turn`, up to `event`."""
    (count,) = con.execute(
        "SELECT count(DISTINCT turn) FROM event"
        " WHERE session = ? AND agent = ? AND id > ? AND id <= ? AND turn <> ?"
        " AND EXISTS (SELECT 1 FROM json_each(facts, '$.moments') WHERE value = ?)",
        (event.session, event.agent, earlier, event.id, turn, PROMPT_SUBMIT),
    ).fetchone()
    return int(count)
