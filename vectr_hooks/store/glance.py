"""What a status line tells of a store: read fast, and without leaving a trace."""

from __future__ import annotations

import time
from typing import NamedTuple

from vectr_hooks.store import APPLICATION_ID, VERSION
from vectr_hooks.store.connection import StoreError
from vectr_hooks.store.ledger import read_settings
from vectr_hooks.store.reading import opened

# Rather nothing to read than a prompt that waits.
TIMEOUT_SECONDS = 0.1
DAY_SECONDS = 24 * 60 * 60

_DELIVERIES = (
    "SELECT count(*) FROM event JOIN outcome ON outcome.event = event.id"
    " WHERE event.session = ? AND outcome.status = 'delivered'"
)


class Glance(NamedTuple):
    """How a store stands."""

    enabled: bool
    notes: int
    deliveries: int
    """To the session, index lines included."""
    tokens: int
    """Of all that the session was given."""
    errors: int
    """Of hooks, in the last 24 hours."""


def glance(path: str, session: str) -> Glance:
    """How the store at `path` stands, and what `session` (or '') was given.

    Raises StoreError for one that hooks cannot use.
    """
    with opened(path, TIMEOUT_SECONDS) as con:

        def number(query: str, *values: object) -> int:
            return int(con.execute(query, values).fetchone()[0])

        if (number("PRAGMA application_id"), number("PRAGMA user_version")) != (APPLICATION_ID, VERSION):
            raise StoreError("hooks cannot use the store")
        return Glance(
            bool(read_settings(con)["enabled"]),
            number("SELECT count(*) FROM note"),
            number(_DELIVERIES, session) if session else 0,
            number("SELECT total(cost) FROM event WHERE session = ?", session) if session else 0,
            number("SELECT count(*) FROM error WHERE at > ?", round((time.time() - DAY_SECONDS) * 1000)),
        )
