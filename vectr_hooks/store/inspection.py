"""Looking at a store without changing it: whether it is sound, and how hooks have fared with it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass

from vectr_hooks.core.compile import RESIDUAL, SORTS
from vectr_hooks.core.kinds import default_clauses
from vectr_hooks.store.damage import NOT_OF_ITS_FORM
from vectr_hooks.store.reading import connect
from vectr_hooks.store.reading import opened as opened


@dataclass(frozen=True)
class Load:
    """What the newest events cost hooks, in the hook's own process."""

    events: int
    p50_us: int
    p95_us: int
    p99_us: int
    crowded: int
    """Events at which more notes could have matched than were considered."""


def owner(path: str) -> tuple[str, str]:
    """The id and root of the workspace that the store at `path` was made for; nothing beside it is made."""
    with closing(connect(path, "mode=ro&immutable=1")) as con:
        id, root = con.execute("SELECT id, root FROM workspace").fetchone() or ("", "")
    return id, root


@dataclass(frozen=True)
class Faults:
    """What SQLite finds wrong with a store."""

    pages: list[str]
    """Of the file itself, where a backup has to help."""
    index: str
    """Of the search index, which can be made again; ''."""


def faults(con: sqlite3.Connection) -> Faults:
    """Have SQLite check the store and its search index.

    A private copy is checked: the check of the index counts as writing, and would keep hooks waiting.
    """
    with closing(sqlite3.connect("", isolation_level=None)) as copy:
        try:
            con.backup(copy)
            pages = [row[0] for row in copy.execute("PRAGMA quick_check") if row[0] != "ok"]
        except sqlite3.DatabaseError as error:
            return Faults([str(error)], "")
        try:
            copy.execute("INSERT INTO note_fts(note_fts) VALUES ('integrity-check')")
        except sqlite3.DatabaseError as error:
            return Faults(pages, str(error))
    return Faults(pages, "")


def journal_mode(con: sqlite3.Connection) -> str:
    mode: str = con.execute("PRAGMA journal_mode").fetchone()[0]
    return mode


def load(con: sqlite3.Connection, newest: int) -> Load:
    """What the `newest` events cost; all zero where there are none."""
    rows = con.execute("SELECT took_us, more > 0 FROM event ORDER BY id DESC LIMIT ?", (newest,)).fetchall()
    if not rows:
        return Load(0, 0, 0, 0, 0)
    times = sorted(row[0] for row in rows)
    p50, p95, p99 = (times[(len(times) * percent + 99) // 100 - 1] for percent in (50, 95, 99))
    return Load(len(rows), p50, p95, p99, sum(row[1] for row in rows))


def residual(con: sqlite3.Connection) -> list[int]:
    """The notes that every event of some broad sort has to look at, for want of a key, in order of id."""
    keys = sorted(RESIDUAL)
    marks = ", ".join("?" * len(keys))
    rows = con.execute(f"SELECT DISTINCT note FROM trigger_key WHERE key IN ({marks}) ORDER BY note", keys)
    return [row[0] for row in rows]


def unindexed(con: sqlite3.Connection) -> list[int]:
    """The notes with a text that no word leads to, so that every text is searched for it."""
    sorts = sorted(SORTS.values())
    marks = ", ".join("?" * len(sorts))
    rows = con.execute(f"SELECT DISTINCT note FROM needle WHERE token IN ({marks}) ORDER BY note", sorts)
    return [row[0] for row in rows]


def notes_in(con: sqlite3.Connection) -> int:
    total: int = con.execute("SELECT count(*) FROM note").fetchone()[0]
    return total


def index_pieces(con: sqlite3.Connection) -> int:
    """In how many pieces the search index lies: a search looks into each."""
    pieces: int = con.execute("SELECT count(DISTINCT segid) FROM note_fts_idx").fetchone()[0]
    return pieces


def last_seen(con: sqlite3.Connection) -> dict[str, int]:
    """When each session was last seen by a hook, in milliseconds."""
    return dict(con.execute("SELECT session, max(seen) FROM conversation GROUP BY session").fetchall())


def newest_transcript(con: sqlite3.Connection) -> str:
    """The transcript of the conversation that a hook of Claude Code saw last, or ''."""
    row = con.execute(
        "SELECT transcript FROM conversation WHERE host = 'claude' ORDER BY seen DESC LIMIT 1"
    ).fetchone()
    return row[0] if row else ""


def waiting(con: sqlite3.Connection) -> int:
    """How many notes have neither a trigger of their own nor one by default, and are not pinned."""
    rows = con.execute(
        "SELECT kind, priority, anchors"
        " FROM note JOIN revision ON revision.id = note.revision"
        " WHERE trigger = '' AND pinned = 0 AND state <> 'superseded'"
    )
    return sum(_waits(*row) for row in rows)


def _waits(kind: str, priority: str, anchors: str) -> bool:
    try:
        return not default_clauses(kind, priority, json.loads(anchors))
    except NOT_OF_ITS_FORM:
        # What is damaged waits for a repair.
        return False
