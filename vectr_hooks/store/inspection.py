"""Looking at a store without changing it: whether it is sound, and how hooks have fared with it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from vectr_hooks.core.kinds import default_clauses
from vectr_hooks.store.create import BUSY_TIMEOUT_SECONDS
from vectr_hooks.store.schema import TABLES

_PARTS = (
    "SELECT part.name || coalesce('.' || field.name, '')"
    " FROM sqlite_master AS part LEFT JOIN pragma_table_info(part.name) AS field"
    " WHERE part.name NOT LIKE 'sqlite!_%' ESCAPE '!'"
)


@dataclass(frozen=True)
class Load:
    """What the newest events cost hooks."""

    events: int
    median_us: int
    p95_us: int
    crowded: int
    """Events at which more notes could have matched than were considered."""


@contextmanager
def opened(path: str) -> Iterator[sqlite3.Connection]:
    """Open the store for reading. While it is open, no other connection that closes writes the log back."""
    uri = Path(path).absolute().as_uri()
    try:
        con = _connect(f"{uri}?mode=ro")
    except sqlite3.OperationalError:
        # Reading the log takes a file beside it, which cannot be made everywhere.
        con = _connect(f"{uri}?mode=ro&immutable=1")
    with closing(con):
        yield con


def owner(path: str) -> tuple[str, str]:
    """The id and root of the workspace that the store at `path` was made for; nothing beside it is made."""
    with closing(_connect(f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1")) as con:
        id, root = con.execute("SELECT id, root FROM workspace").fetchone() or ("", "")
    return id, root


def missing_parts(con: sqlite3.Connection) -> list[str]:
    """Tables, indexes and columns that a store of this version has and this one lacks."""
    with closing(sqlite3.connect(":memory:")) as whole:
        whole.executescript(TABLES)
        return sorted(_names(whole) - _names(con))


def faults(con: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with the store and with its search index.

    A private copy is checked: the check of the index counts as writing, and would keep hooks waiting.
    """
    found: list[str] = []
    with closing(sqlite3.connect("", isolation_level=None)) as copy:
        try:
            con.backup(copy)
            found += [row[0] for row in copy.execute("PRAGMA quick_check") if row[0] != "ok"]
            copy.execute("INSERT INTO note_fts(note_fts) VALUES ('integrity-check')")
        except sqlite3.DatabaseError as error:
            found.append(str(error))
    return found


def journal_mode(con: sqlite3.Connection) -> str:
    mode: str = con.execute("PRAGMA journal_mode").fetchone()[0]
    return mode


def load(con: sqlite3.Connection, newest: int) -> Load:
    """What the `newest` events cost; all zero where there are none."""
    rows = con.execute("SELECT took_us, more > 0 FROM event ORDER BY id DESC LIMIT ?", (newest,)).fetchall()
    if not rows:
        return Load(0, 0, 0, 0)
    times = sorted(row[0] for row in rows)
    p95 = times[(len(times) * 95 + 99) // 100 - 1]
    return Load(len(rows), times[len(times) // 2], p95, sum(row[1] for row in rows))


def waiting(con: sqlite3.Connection) -> int:
    """How many notes have neither a trigger of their own nor one by default, and are not pinned."""
    rows = con.execute(
        "SELECT kind, priority, anchors"
        " FROM note JOIN revision ON revision.id = note.revision"
        " WHERE trigger = '' AND pinned = 0"
    )
    return sum(not default_clauses(kind, priority, json.loads(anchors)) for kind, priority, anchors in rows)


def _names(con: sqlite3.Connection) -> set[str]:
    return {row[0] for row in con.execute(_PARTS)}


def _connect(uri: str) -> sqlite3.Connection:
    con = sqlite3.connect(uri, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, uri=True)
    con.row_factory = sqlite3.Row
    try:
        # Opens the file, which connecting alone does not.
        con.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        con.close()
        raise
    return con
