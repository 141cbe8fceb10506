"""What must hold of a store's files whatever became of the processes that used it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

from vectr_hooks.authoring import render, watched_paths
from vectr_hooks.store.inspection import opened
from vectr_hooks.store.notes import Note, read_notes
from vectr_hooks.store.revisions import prepare, write
from vectr_hooks.store.schema import TABLES

#: what is written again, as a whole, with every revision of a note
DERIVED = (
    *("note", "clause_condition", "trigger_key", "needle", "recall_term", "recall_frequency"),
    *("watched_path", "note_fts"),
)
# Of every note that has any, so that one left behind by a note that is gone shows too.
NEWEST = "SELECT * FROM revision WHERE id IN (SELECT max(id) FROM revision GROUP BY note)"


def faults(store: Path, root: str) -> list[str]:
    """Everything that is wrong with the store of the workspace at `root`, whose files are as they were when
    its notes were written.

    A private copy is examined, so that nothing is locked or repaired by looking.
    """
    with closing(sqlite3.connect("", isolation_level=None)) as copy:
        copy.row_factory = sqlite3.Row
        with opened(str(store)) as con:
            con.backup(copy)
        return [*_damage(copy), *_drift(copy, root)]


def _damage(con: sqlite3.Connection) -> Iterator[str]:
    """What SQLite finds wrong with the pages, and with the search index against its own texts."""
    yield from (row[0] for row in con.execute("PRAGMA integrity_check") if row[0] != "ok")
    try:
        con.execute("INSERT INTO note_fts(note_fts) VALUES ('integrity-check')")
    except sqlite3.DatabaseError as error:
        yield f"note_fts: {error}"


def _drift(con: sqlite3.Connection, root: str) -> Iterator[str]:
    """Where what was derived from the notes is not what their newest revisions give anew."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as anew:
        anew.executescript(TABLES)
        notes = read_notes(con, "ORDER BY note.id")
        write(
            anew,
            [
                prepare(note.id, note.revision, _looked_at(note, root), render, note.at, note.created)
                for note in notes
            ],
        )
        for table in DERIVED:
            key = "rowid, " if table == "note_fts" else ""
            yield from _differences(table, con, anew, f"SELECT {key}* FROM {table}")
        yield from _differences("revision", con, anew, NEWEST)


def _looked_at(note: Note, root: str) -> Note:
    return replace(note, watched=tuple(watched_paths(root, note.anchors, note.body)))


def _differences(
    table: str, found: sqlite3.Connection, expected: sqlite3.Connection, select: str
) -> Iterator[str]:
    there, due = (Counter(map(tuple, con.execute(select))) for con in (found, expected))
    for what, rows in (("rows too many", there - due), ("rows missing", due - there)):
        if rows:
            yield f"{table}: {rows.total()} {what}, such as {list(islice(rows, 2))}"
