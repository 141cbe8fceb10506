"""How notes that are shown stand now: in which state, and whether their files are as they were."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass

from vectr_hooks import output
from vectr_hooks.core.states import ACTIVE, state, state_in_words
from vectr_hooks.staleness import marks_of
from vectr_hooks.store.ledger import read_settings
from vectr_hooks.store.notes import Note


@dataclass(frozen=True)
class AsItStands:
    """What a reader of a note has to know before believing it."""

    state: str
    state_in_words: str
    """'' for an active note."""
    stale: tuple[str, ...]
    """As its header would say it when it is delivered."""

    @property
    def words(self) -> str:
        """All of it; '' where there is nothing to know."""
        return "; ".join(filter(None, (self.state_in_words, *self.stale)))


def as_it_stands(con: sqlite3.Connection, root: str, notes: Iterable[Note]) -> dict[int, AsItStands]:
    """Of each of `notes`, whose files lie under `root`."""
    settings = read_settings(con)
    today = time.strftime("%Y-%m-%d", time.gmtime())
    notes = list(notes)
    stale = marks_of(
        root, {note.id: [(one.path, one.size, one.crc) for one in note.watched] for note in notes}
    )
    return {
        note.id: AsItStands(
            state(note, settings, today), state_in_words(note, settings, today), tuple(stale.get(note.id, ()))
        )
        for note in notes
    }


def standing_fields(note: Note, standing: AsItStands) -> dict[str, object]:
    """A note as JSON gives it, with how it stands."""
    return output.note_fields(note) | {"state": standing.state, "stale": list(standing.stale)}


def sort(note: Note, standing: AsItStands) -> str:
    """The kind of a note, with what becomes of it unless it is active: `revoked gotcha`."""
    return note.kind if standing.state == ACTIVE else f"{standing.state} {note.kind}"
