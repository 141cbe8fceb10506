"""What a trial remembers of its copy of a store is what the copy holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from vectr_hooks.core.conversation import Conversation
from vectr_hooks.store import candidates, ledger, work
from vectr_hooks.store.connection import open_for_hook
from vectr_hooks.store.private_copy import OF_SESSIONS, private_copy
from vectr_hooks.store.remembering import Remembering


@pytest.fixture
def copied(store_path: Path, store: sqlite3.Connection, write: Callable[..., int]) -> Iterator[str]:
    write("Lock.", trigger=[{"path": "src/db/**", "event": "pre-edit"}])
    write("E42 means no quota.", trigger=[{"output": "E42"}, {"keyword": "quota"}])
    store.execute("INSERT INTO claim VALUES ('s', '', 'k', 1)")
    store.commit()
    with private_copy(str(store_path)) as path:
        yield path


@pytest.fixture
def statements() -> list[str]:
    return []


@pytest.fixture
def plain(copied: str, statements: list[str]) -> Iterator[sqlite3.Connection]:
    with closing(open_for_hook(copied)[0]) as connection:
        connection.set_trace_callback(statements.append)
        yield connection


@pytest.fixture
def remembering(plain: sqlite3.Connection) -> sqlite3.Connection:
    return cast(sqlite3.Connection, Remembering(plain))


def test_it_has_the_notes_and_nothing_of_sessions(plain: sqlite3.Connection) -> None:
    assert plain.execute("SELECT count(*) FROM note").fetchone() == (2,)
    for table in OF_SESSIONS:
        assert plain.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


def test_what_is_asked_of_notes_is_asked_once(
    plain: sqlite3.Connection, remembering: sqlite3.Connection, statements: list[str]
) -> None:
    def answers(connection: sqlite3.Connection) -> list[object]:
        read = candidates.read(connection, [1, 2], {})
        return [
            ledger.read_configuration(connection),
            candidates.by_trigger(connection, ["=src/db", "@pre-edit", "oE42"], 200),
            candidates.by_trigger(connection, ["=docs"], 200),
            [(one.note, [clause.conditions for clause in one.clauses], one.kind) for one in read],
            [candidates.has_needles(connection, sort) for sort in "wso"],
            candidates.few_tokens(connection, "o"),
            candidates.needles(connection, ["o", "oE42", "oother", "wquota"]),
            candidates.needles(connection, ["oother"]),
            sorted(candidates.texts(connection, [1, 2])),
        ]

    expected = answers(plain)
    assert answers(remembering) == expected
    statements.clear()
    assert answers(remembering) == expected
    # But for needles, which every text asks for by other words.
    assert all(statement.startswith(candidates.OF_TOKENS) for statement in statements)


def test_it_forgets_what_is_written_to(remembering: sqlite3.Connection) -> None:
    assert ledger.read_needles(remembering, "s", "t") == frozenset()
    ledger.write_needles(remembering, "s", "t", ["wquota", "sx"])
    assert ledger.read_needles(remembering, "s", "t") == {"wquota", "sx"}
    assert candidates.by_trigger(remembering, ["oE42"], 200) == ([2], 0)
    remembering.execute("DELETE FROM trigger_key WHERE note = ?", (2,))
    assert candidates.by_trigger(remembering, ["oE42"], 200) == ([], 0)


def test_conversations_are_written_down_when_one_is_asked_for(
    plain: sqlite3.Connection, remembering: sqlite3.Connection
) -> None:
    for session, seen in (("a", 5), ("b", 6), ("a", 7)):
        conversation = Conversation(session, "", "claude", "", "/w")
        conversation.seen = seen
        ledger.write_conversation(remembering, conversation)
    assert plain.execute("SELECT count(*) FROM conversation").fetchone() == (0,)
    assert work.last_session(remembering, "/w", "", 8) == "a"
    last = ledger.last_conversation(remembering, "a", "/w")
    assert last
    assert (last.session, last.seen) == ("b", 6)
    read = ledger.read_conversation(remembering, "a", "")
    assert read
    assert read.seen == 7


def test_what_changes_is_not_remembered(remembering: sqlite3.Connection) -> None:
    assert ledger.claim(remembering, "s", "", "k", 1)
    assert not ledger.claim(remembering, "s", "", "k", 2)
    assert work.failing(remembering, "s") == []
    work.write_command(remembering, "s", "make", 3, False)
    assert work.failing(remembering, "s") == ["make"]
    work.forget_failures(remembering, "s", ["make"])
    assert work.failing(remembering, "s") == []
