"""What commands looked up in the notes: who asked, and with what result."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from vectr_hooks.store.damage import END_OF_TIME_MS


@dataclass(frozen=True)
class Lookups:
    """How often one sort of caller used one command."""

    command: str
    caller: str
    calls: int
    empty: int
    """Calls that found nothing."""


def record_lookup(
    con: sqlite3.Connection, command: str, caller: str, session: str, notes: Iterable[int], now_ms: int
) -> None:
    """Record that `command` answered with `notes`; not where the store is busy or cannot be written."""
    try:
        con.execute(
            "INSERT INTO lookup(at, command, caller, session, notes) VALUES (?, ?, ?, ?, ?)",
            (now_ms, command, caller, session, json.dumps(list(notes))),
        )
    except sqlite3.OperationalError:
        # The answer counts, not the count.
        pass


def count_lookups(con: sqlite3.Connection, since_ms: int = 0) -> list[Lookups]:
    rows = con.execute(
        "SELECT command, caller, count(*), sum(iif(json_valid(notes), json_array_length(notes) = 0, 0))"
        " FROM lookup"
        " WHERE at >= ? GROUP BY command, caller ORDER BY command, caller",
        (since_ms,),
    )
    return [Lookups(*row) for row in rows]


def shown(con: sqlite3.Connection, since_ms: int = 0) -> list[tuple[int, str, int]]:
    """The notes that `show` printed, each with the session that asked and when, in milliseconds."""
    rows = con.execute(
        "SELECT entry.value, session, at FROM lookup,"
        " json_each(iif(json_valid(lookup.notes), lookup.notes, '[]')) AS entry"
        " WHERE command = 'show' AND at >= ? AND at < ? ORDER BY lookup.id",
        (since_ms, END_OF_TIME_MS),
    )
    return [(note, session, at) for note, session, at in rows]
