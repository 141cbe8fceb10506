"""Answers to statements that are asked again and again, while one process plays sessions to a copy.

A hook asks its store some twenty things at an event and is gone. A trial asks them at thousands of events,
most of notes and settings, which nothing changes meanwhile. So it plays through a `Remembering`, and the code
of the hooks runs as it is. What a statement reads and writes is taken from its text; one of a shape that is
not known here goes to the store unremembered.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from vectr_hooks.store.candidates import OF_TOKENS
from vectr_hooks.store.ledger import COLUMNS, WRITE_CONVERSATION

#: what most events read: the notes and settings, and what is written at few
OFTEN_READ = frozenset(
    (
        *("revision", "note", "clause_condition", "trigger_key", "needle", "recall_term", "recall_frequency"),
        *("watched_path", "team_file", "note_vector", "setting"),
        "turn_needle",
    )
)

# About 20 MB, and far more than the keys of any session lead to.
MOST_REMEMBERED = 100_000

_SESSION, _AGENT = COLUMNS.index("session"), COLUMNS.index("agent")

_READ = re.compile(r"\b(?:FROM|JOIN)\s+(\w+|\()")
_WRITTEN = re.compile(r"(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM) (\w+)")


Row = tuple[object, ...]


class Answer(tuple[Row, ...]):
    """The rows that a statement gave, to be read once, as from a cursor."""

    __slots__ = ()

    def fetchone(self) -> Row | None:
        return self[0] if self else None

    def fetchall(self) -> list[Row]:
        return list(self)


_Way = Callable[[str, Sequence[Any]], sqlite3.Cursor | Answer]


class Remembering:
    """Stands for a connection through which session after session is played.

    It remembers answers until what they were read from is written to, which notes and settings never are: one
    event asks the same of them as the one before. Where a conversation stands it writes down when that is
    asked for.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._tokens = {token for (token,) in connection.execute("SELECT DISTINCT token FROM needle")}
        #: how each statement is answered
        self._ways: dict[str, _Way] = {}
        #: by the tables that were read: by statement and what was bound
        self._answers: dict[frozenset[str], dict[tuple[object, ...], Answer]] = {}
        self._remembered = 0
        #: conversations that are to be written, by session and agent
        self._held: dict[tuple[object, object], Sequence[Any]] = {}

    def execute(self, statement: str, bound: Sequence[Any] = ()) -> sqlite3.Cursor | Answer:
        way = self._ways.get(statement)
        if way is None:
            way = self._ways[statement] = self._way(statement)
        return way(statement, bound)

    def executemany(self, statement: str, bound: Iterable[Sequence[Any]]) -> None:
        for one in bound:
            self.execute(statement, one)

    def _way(self, statement: str) -> _Way:
        if statement == WRITE_CONVERSATION:
            return self._hold
        if "conversation" in statement:
            return self._after_writing
        if statement.startswith(OF_TOKENS):
            return self._of_tokens
        tables = frozenset(_READ.findall(statement) if statement.startswith("SELECT") else ())
        if tables and OFTEN_READ.issuperset(tables):
            return partial(self._remember, self._answers.setdefault(tables, {}))
        written = _WRITTEN.match(statement)
        if written and written[1] in OFTEN_READ:
            return partial(self._forget, written[1])
        return self._connection.execute

    def _remember(
        self, answers: dict[tuple[object, ...], Answer], statement: str, bound: Sequence[Any]
    ) -> Answer:
        key = (statement, *bound)
        answer = answers.get(key)
        if answer is None:
            answer = Answer(self._connection.execute(statement, bound))
            self._remembered += 1 + len(answer)
            if self._remembered > MOST_REMEMBERED:
                self._remembered = 0
                for others in self._answers.values():
                    others.clear()
            answers[key] = answer
        return answer

    def _forget(self, table: str, statement: str, bound: Sequence[Any]) -> sqlite3.Cursor:
        for tables, answers in self._answers.items():
            if table in tables:
                answers.clear()
        return self._connection.execute(statement, bound)

    def _of_tokens(self, statement: str, tokens: Sequence[Any]) -> sqlite3.Cursor:
        # Of the hundreds of words of a text hardly one is a note's.
        known = [token for token in tokens if token in self._tokens]
        return self._connection.execute(OF_TOKENS + ",".join("?" * len(known)) + ")", known)

    def _hold(self, statement: str, conversation: Sequence[Any]) -> Answer:
        self._held[conversation[_SESSION], conversation[_AGENT]] = conversation
        return Answer()

    def _after_writing(self, statement: str, bound: Sequence[Any]) -> sqlite3.Cursor:
        self._connection.executemany(WRITE_CONVERSATION, self._held.values())
        self._held.clear()
        return self._connection.execute(statement, bound)
