"""The embeddings of notes as a search needs them: which are missing, kept, and all of them read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from vectr_hooks.core.similarity import embedded_text, text_hash
from vectr_hooks.core.states import SUPERSEDED
from vectr_hooks.store import note_vectors
from vectr_hooks.store.transaction import writing


@dataclass(frozen=True)
class Unembedded:
    """A note without a vector of some model."""

    note: int
    revision: int
    text: str


def missing(con: sqlite3.Connection, model: str) -> list[Unembedded]:
    """The notes that have no vector of `model`, in order of precedence, but for superseded ones."""
    rows = con.execute(
        "SELECT note.id, note.revision, revision.title, revision.body"
        " FROM note"
        " JOIN revision ON revision.id = note.revision"
        " LEFT JOIN note_vector ON note_vector.note = note.id AND note_vector.model = ?"
        " WHERE note_vector.note IS NULL"
        f" AND revision.state <> '{SUPERSEDED}'"
        " AND typeof(revision.title) = 'text' AND typeof(revision.body) = 'text'"
        " ORDER BY note.precedence",
        (model,),
    )
    return [Unembedded(note, revision, embedded_text(title, body)) for note, revision, title, body in rows]


def keep(con: sqlite3.Connection, model: str, vectors: Iterable[tuple[Unembedded, bytes]]) -> None:
    """Keep the vector of each note, but of one that was changed or forgotten meanwhile."""
    with writing(con):
        note_vectors.keep(
            con, model, [(one.note, one.revision, text_hash(one.text), vector) for one, vector in vectors]
        )


def kept(con: sqlite3.Connection, model: str, size: int) -> dict[int, bytes]:
    """The vectors of `model` by note; not one that is damaged: each has `size` bytes."""
    rows = con.execute(
        "SELECT note, vector FROM note_vector"
        " WHERE model = ? AND typeof(vector) = 'blob' AND length(vector) = ?",
        (model, size),
    )
    return dict(rows.fetchall())
