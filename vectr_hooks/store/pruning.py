"""Takes old events out of the audit; run by commands, never by a hook."""

from __future__ import annotations

import sqlite3

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.activity import DAY_MS
from vectr_hooks.store.ledger import read_settings
from vectr_hooks.store.transaction import writing

# Hooks wait for the lock, so one transaction deletes no more events than this.
AT_ONCE = 500
# What is measured to estimate how large the audit is.
SAMPLE = 500
# A command has other things to do: the rest goes with the next one.
MOST_BATCHES = 40

_BYTES = """
SELECT avg(length(facts) + 120 + (
  SELECT coalesce(sum(length(reason) + 50), 0) FROM outcome WHERE outcome.event = event.id) + (
  SELECT coalesce(sum(length(text)), 0) FROM event_text WHERE event_text.event = event.id))
FROM (SELECT id, facts FROM event ORDER BY id DESC LIMIT ?) AS event
"""


def prune(con: sqlite3.Connection, now_ms: int) -> int:
    """Delete what the settings `audit.*` no longer keep; how many events that were.

    The newest event always stays, since its id is what the next one counts from. The ledger stays too, but
    for what only identifies events of conversations that are as old. Does nothing where the store is busy or
    cannot be written: there is always a next time.
    """
    try:
        return _prune(con, now_ms)
    except (sqlite3.OperationalError, VectrHooksError):
        return 0


def _prune(con: sqlite3.Connection, now_ms: int) -> int:
    settings = read_settings(con)
    oldest_ms = now_ms - settings["audit.days"] * DAY_MS
    kept = _kept(con, settings["audit.megabytes"] * 1_000_000)
    texts_ms = now_ms - settings["audit.text_days"] * DAY_MS
    pruned = 0
    for _ in range(MOST_BATCHES):
        ids = [
            id
            for (id,) in con.execute(
                "SELECT id FROM event WHERE (at < ? OR id <= ?) AND id < (SELECT max(id) FROM event)"
                " ORDER BY id LIMIT ?",
                (oldest_ms, kept, AT_ONCE),
            )
        ]
        if not ids:
            break
        _delete(con, ids)
        pruned += len(ids)
    if con.execute("SELECT 1 FROM event_text LIMIT 1").fetchone():
        with writing(con):
            con.execute(
                "DELETE FROM event_text WHERE event IN (SELECT id FROM event WHERE at < ?)", (texts_ms,)
            )
    if pruned:
        _forget_conversations(con, oldest_ms)
    return pruned


def _kept(con: sqlite3.Connection, most_bytes: int) -> int:
    """The newest event that there is no room for, as far as the newest ones tell the size of all."""
    (each,) = con.execute(_BYTES, (SAMPLE,)).fetchone()
    if not each:
        return 0
    room = int(most_bytes / each)
    row = con.execute("SELECT id FROM event ORDER BY id DESC LIMIT 1 OFFSET ?", (room,)).fetchone()
    return int(row[0]) if row else 0


def _delete(con: sqlite3.Connection, events: list[int]) -> None:
    bounds = (events[0], events[-1])
    with writing(con):
        # An event that is younger than its neighbours, after the clock was set back, may lie between.
        marks = ",".join("?" * len(events))
        con.execute(f"DELETE FROM event WHERE id IN ({marks})", events)
        for table in ("outcome", "event_text"):
            con.execute(
                f"DELETE FROM {table} WHERE event BETWEEN ? AND ?"
                f" AND NOT EXISTS (SELECT 1 FROM event WHERE event.id = {table}.event)",
                bounds,
            )


def _forget_conversations(con: sqlite3.Connection, oldest_ms: int) -> None:
    """Drop what tells the events of conversations apart that have not been seen for as long."""
    old = "session IN (SELECT session FROM conversation GROUP BY session HAVING max(seen) < ?)"
    with writing(con):
        for table in ("claim", "turn_needle"):
            con.execute(f"DELETE FROM {table} WHERE {old}", (oldest_ms,))
        for table in ("error", "lookup"):
            con.execute(f"DELETE FROM {table} WHERE at < ?", (oldest_ms,))
