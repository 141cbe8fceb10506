"""Makes anew what is derived from the notes' revisions, and tells where it no longer agrees with them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.damage import NOT_OF_ITS_FORM
from vectr_hooks.store.notes import Note, WatchedPath, note_at
from vectr_hooks.store.revisions import Revision, prepare, write
from vectr_hooks.store.schema import TABLES
from vectr_hooks.store.transaction import writing

#: What is dropped and made again. `note` keeps its rows, since what ids it has given is known nowhere else;
#: `watched_path` holds what was seen when a note was written, which no revision repeats.
REMADE = ("clause_condition", "trigger_key", "needle", "recall_term", "recall_frequency", "note_fts")

#: What is dropped and made empty: a model fills it again as it is needed.
CACHED = ("note_vector",)

# A NULL, which another tool may have written, is no note.
_NEWEST = "SELECT note, max(id) FROM revision WHERE note IS NOT NULL GROUP BY note ORDER BY note"


def rebuild(con: sqlite3.Connection) -> int:
    """Derive everything again from the newest revision of each note; the number of notes.

    Nothing that people wrote is touched: no revision, no setting, neither ledger nor audit.
    """
    newest, revisions = _derived(con)
    with writing(con):
        if con.execute(_NEWEST).fetchall() != newest:
            # Another process wrote meanwhile.
            newest, revisions = _derived(con)
        _replace(con, revisions)
    return len(revisions)


def rebuild_within(con: sqlite3.Connection) -> None:
    """The same in the transaction that `con` is in, which then keeps others waiting meanwhile."""
    _, revisions = _derived(con)
    _replace(con, revisions)


def disagreements(con: sqlite3.Connection) -> list[str]:
    """The tables that do not hold what the revisions say.

    Every note is derived again, in a copy of the store: a second for some thousands of them.
    """
    with closing(sqlite3.connect("", isolation_level=None)) as copy:
        con.backup(copy)
        copy.row_factory = sqlite3.Row
        before = _contents(copy)
        rebuild(copy)
        after = _contents(copy)
    return [name for name in before if before[name] != after[name]]


def makes(parts: Iterable[str]) -> bool:
    """Whether `rebuild` brings back all of `parts`: tables, indexes, and columns as `table.column`."""
    with _whole() as con:
        rows = con.execute("SELECT name, tbl_name FROM sqlite_master")
        made = {name for name, table in rows if table in (*REMADE, *CACHED) or table.startswith("note_fts")}
    return made.issuperset(part.partition(".")[0] for part in parts)


def _replace(con: sqlite3.Connection, revisions: list[Revision]) -> None:
    con.execute("DELETE FROM note WHERE id NOT IN (SELECT note FROM revision)")
    # Written again as it was.
    con.executemany("DELETE FROM watched_path WHERE note = ?", [(revision.id,) for revision in revisions])
    for name in (*REMADE, *CACHED):
        con.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in _statements():
        con.execute(statement)
    write(con, revisions)


def _derived(con: sqlite3.Connection) -> tuple[list[sqlite3.Row], list[Revision]]:
    """Each note with its newest revision, and what those that can be read are derived to."""
    watched: dict[int, list[WatchedPath]] = {}
    for note, *file in con.execute("SELECT note, path, size, crc FROM watched_path"):
        watched.setdefault(note, []).append(WatchedPath(*file))
    newest = con.execute(_NEWEST).fetchall()
    revisions = []
    for id, revision in newest:
        # A damaged one keeps nobody from the others; what else looks at it names it.
        with suppress(VectrHooksError, *NOT_OF_ITS_FORM):
            note = note_at(con, id, revision)
            if note:
                revisions.append(_again(note, watched.get(note.id, ())))
    return newest, revisions


def _again(note: Note, watched: Iterable[WatchedPath]) -> Revision:
    seen = replace(note, watched=tuple(watched))
    prepared = prepare(note.id, note.revision, seen, lambda *_: (note.text, note.line), note.at, note.created)
    # The revision itself is there already.
    return replace(prepared, revision=[])


def _statements() -> list[str]:
    """What makes the tables that are made again, and their indexes."""
    with _whole() as con:
        rows = con.execute("SELECT sql, tbl_name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        return [statement for statement, table in rows if table in (*REMADE, *CACHED)]


@contextmanager
def _whole() -> Iterator[sqlite3.Connection]:
    """An empty store in memory."""
    with closing(sqlite3.connect(":memory:")) as con:
        con.executescript(TABLES)
        yield con


def _contents(con: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    whole = {"note_fts": "rowid, *"}
    return {
        name: sorted(map(tuple, con.execute(f"SELECT {whole.get(name, '*')} FROM {name}")))
        for name in ("note", *REMADE)
    }
