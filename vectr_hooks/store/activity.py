"""How much hooks did lately."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

DAY_MS = 24 * 60 * 60 * 1000


@dataclass(frozen=True)
class Activity:
    """What hooks answered and delivered since some time."""

    events: int
    deliveries: int


def since(con: sqlite3.Connection, at_ms: int) -> Activity:
    events: int = con.execute("SELECT count(*) FROM event WHERE at >= ?", (at_ms,)).fetchone()[0]
    deliveries: int = con.execute(
        "SELECT count(*)"
        " FROM outcome JOIN event ON event.id = outcome.event"
        " WHERE event.at >= ? AND outcome.status = 'delivered'",
        (at_ms,),
    ).fetchone()[0]
    return Activity(events, deliveries)
