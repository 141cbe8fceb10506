"""A store as it was at its past events."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from vectr_hooks.store import replays
from vectr_hooks.store.configuration import settings_at
from vectr_hooks.store.journal import ALL, Choice, Event, count_events, events_in_order
from vectr_hooks.store.notes import stored_revisions
from vectr_hooks.store.revisions import Revision, write
from vectr_hooks.store.schema import TABLES


class Past:
    """A private copy of a store, in memory, and beside it one whose notes are as they were at some event.

    The copy is taken at once, so that what hooks and commands write meanwhile is no part of it.
    """

    def __init__(self, con: sqlite3.Connection) -> None:
        self.recorded = _database()
        con.backup(self.recorded)
        self.recorded.row_factory = sqlite3.Row
        #: The store as it was: hooks' statements read it as they read any.
        self.store = _database()
        self.store.executescript(TABLES)
        #: the revisions that cannot be read, with their notes, as far as the notes were read
        self._damaged: dict[int, int] = {}
        self._revisions = stored_revisions(self.recorded, self._damaged)
        self._next = next(self._revisions, None)
        self.newest_note, self.newest_revision = replays.newest_ids(self.recorded)
        #: the notes of which only a part is left, and what is missing
        self.torn = replays.torn(self.recorded)
        #: whether a note was ever forgotten: ids are given once each
        self.has_forgotten = self.newest_note > replays.count_traces(self.recorded)
        self._settings: dict[int, dict[str, int | bool]] = {}

    def close(self) -> None:
        self.recorded.close()
        self.store.close()

    def count(self, choice: Choice = ALL) -> int:
        return count_events(self.recorded, choice)

    def events(self, choice: Choice = ALL) -> Iterator[Event]:
        return events_in_order(self.recorded, choice)

    def title(self, note: int) -> str | None:
        """The title that a note has now; None when it was forgotten."""
        return replays.title(self.recorded, note)

    def damaged_at(self, note_revision: int) -> set[int]:
        """The notes that had a revision which cannot be read when `note_revision` was the newest of all."""
        return {note for revision, note in self._damaged.items() if revision <= note_revision}

    def settings(self, event: Event) -> dict[str, int | bool]:
        if event.setting_revision not in self._settings:
            self._settings[event.setting_revision] = settings_at(self.recorded, event.setting_revision)
        return self._settings[event.setting_revision]

    def remember_ledger(self, first: int = 0, before: int | None = None) -> None:
        """Give the store what events delivered and used, from the event `first` to those `before` another.

        Which rows an event finds is up to the statements, which go by its id.
        """
        replays.copy_ledger(self.recorded, self.store, first, before)

    def advance(self, note_revision: int) -> list[Revision]:
        """Let the notes be as they were when `note_revision` was the newest of all; give what that added.

        Only ever forwards: events are played in order.
        """
        added = []
        while self._next is not None and self._next.number <= note_revision:
            # One by one: the next may be of the same note.
            write(self.store, [self._next])
            added.append(self._next)
            self._next = next(self._revisions, None)
        return added


def _database() -> sqlite3.Connection:
    con = sqlite3.connect(":memory:", isolation_level=None)
    # Nothing to roll back to, nobody to wait for.
    con.execute("PRAGMA journal_mode = OFF")
    return con
