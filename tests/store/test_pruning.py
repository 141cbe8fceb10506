"""What leaves the audit, and what stays."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from vectr_hooks.core.conversation import Conversation
from vectr_hooks.store.activity import DAY_MS
from vectr_hooks.store.configuration import set_value
from vectr_hooks.store.create import open_store
from vectr_hooks.store.ledger import next_event, write_conversation
from vectr_hooks.store.pruning import AT_ONCE, SAMPLE, prune

NOW = 20_000 * DAY_MS


def rows(con: sqlite3.Connection, statement: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in con.execute(statement)]


def record(con: sqlite3.Connection, id: int, days_ago: float, facts: str = "{}", session: str = "s") -> None:
    at = NOW - int(days_ago * DAY_MS)
    con.execute(
        "INSERT INTO event VALUES (?, ?, 'claude', ?, '', 0, 't', 'PreToolUse', 0, 0, ?, '', 0, 0, 0, 0, 0,"
        " 1, 0, 0, 0, 0)",
        (id, at, session, facts),
    )
    con.execute("INSERT INTO outcome VALUES (?, 0, 1, 1, 'unmatched', 'path', '', '', 'trigger', 0)", (id,))
    con.execute("INSERT INTO event_text VALUES (?, 'prompt', 'words')", (id,))


def events(con: sqlite3.Connection, table: str = "event", column: str = "id") -> list[int]:
    return [row[0] for row in rows(con, f"SELECT {column} FROM {table} ORDER BY 1")]


def test_events_older_than_the_setting_leave_with_their_outcomes_and_texts(con):
    for id, days_ago in ((1, 40), (2, 31), (3, 13), (4, 0)):
        record(con, id, days_ago)
    assert prune(con, NOW) == 2
    assert events(con) == events(con, "outcome", "event") == events(con, "event_text", "event") == [3, 4]


def test_texts_leave_before_their_events(con):
    for id, days_ago in ((1, 20), (2, 15), (3, 13)):
        record(con, id, days_ago)
    assert prune(con, NOW) == 0
    assert events(con) == [1, 2, 3]
    assert events(con, "event_text", "event") == [3]


def test_the_settings_decide(con):
    for id, days_ago in ((1, 9), (2, 4), (3, 2)):
        record(con, id, days_ago)
    set_value(con, "audit.days", "5", NOW)
    set_value(con, "audit.text_days", "3", NOW)
    assert prune(con, NOW) == 1
    assert events(con) == [2, 3]
    assert events(con, "event_text", "event") == [3]


def test_the_newest_event_stays_so_that_no_id_is_given_twice(con):
    for id in (1, 2, 3):
        record(con, id, 100)
    prune(con, NOW)
    assert events(con) == [3]
    assert next_event(con) == 4


def test_an_event_that_is_young_stays_where_the_clock_was_set_back(con):
    for id, days_ago in ((1, 50), (2, 1), (3, 50), (4, 0)):
        record(con, id, days_ago)
    assert prune(con, NOW) == 2
    assert events(con) == events(con, "outcome", "event") == [2, 4]


def test_more_than_fits_into_one_transaction_leaves_in_several(con):
    with con:
        con.execute("BEGIN")
        for id in range(1, 2 * AT_ONCE + 10):
            record(con, id, 99)
    assert prune(con, NOW) == 2 * AT_ONCE + 8
    assert events(con) == [2 * AT_ONCE + 9]


def test_what_is_beyond_the_size_leaves_oldest_first(con):
    set_value(con, "audit.megabytes", "1", NOW)
    with con:
        con.execute("BEGIN")
        for id in range(1, 1201):
            record(con, id, 0, facts='{"x": "%s"}' % ("y" * 4000))
    prune(con, NOW)
    left = events(con)
    assert left == list(range(left[0], 1201))
    assert 200 <= len(left) <= 250
    assert len(left) < SAMPLE


def test_an_audit_within_its_limits_is_left_alone(con):
    for id in range(1, 50):
        record(con, id, 0)
    assert prune(con, NOW) == 0
    assert len(events(con)) == 49


@pytest.mark.parametrize("table", ["claim", "turn_needle"])
def test_what_tells_events_apart_leaves_with_a_conversation_as_old_and_its_deliveries_stay(con, table):
    for session, days_ago in (("old", 60), ("new", 3)):
        conversation = Conversation(session, "")
        conversation.seen = NOW - days_ago * DAY_MS
        write_conversation(con, conversation)
        con.execute("INSERT INTO claim VALUES (?, '', 'k', 1)", (session,))
        con.execute("INSERT INTO turn_needle VALUES (?, 't', 'wdeploy')", (session,))
        con.execute("INSERT INTO delivery VALUES (?, '', 0, 1, 0, 1, 't', 1, 'full', 1, 0)", (session,))
    record(con, 1, 60)
    record(con, 2, 0)
    prune(con, NOW)
    assert rows(con, f"SELECT session FROM {table}") == [("new",)]
    assert rows(con, "SELECT session FROM delivery ORDER BY 1") == [("new",), ("old",)]
    assert len(rows(con, "SELECT * FROM conversation")) == 2


def test_nothing_happens_while_the_store_is_busy(con, monkeypatch):
    record(con, 1, 99)
    record(con, 2, 0)
    path = con.execute("PRAGMA database_list").fetchone()["file"]
    other = open_store(str(Path(path)))
    other.execute("BEGIN IMMEDIATE")
    con.execute("PRAGMA busy_timeout = 10")
    assert prune(con, NOW) == 0
    other.execute("ROLLBACK")
    other.close()
    assert prune(con, NOW) == 1
