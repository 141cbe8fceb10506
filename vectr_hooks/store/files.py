"""A store's file: connected to as it is, refused when it is none of ours, counted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store import reading
from vectr_hooks.store.schema import APPLICATION_ID, VERSION

BUSY_TIMEOUT_SECONDS = 5.0

RUN_INIT = "run `vectr-hooks init` in the project's folder"

#: how the name of a store's folder goes on while it is deleted; one that stays was cut off
DELETED = ".deleted"

# Not the search index, which is derived from the notes and may be the part that is broken.
_TABLES = (
    "SELECT name FROM sqlite_master"
    " WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'note_fts*'"
    " ORDER BY name"
)


def connect(path: str) -> sqlite3.Connection:
    """Connect to the file at `path`, which is there."""
    try:
        con = sqlite3.connect(
            reading.uri(path, "mode=rw"),
            timeout=BUSY_TIMEOUT_SECONDS,
            isolation_level=None,
            uri=True,
        )
    except sqlite3.Error as error:
        raise VectrHooksError(
            f"{path} cannot be opened: {error}", "check who may read it and its folder"
        ) from error
    con.row_factory = sqlite3.Row
    return con


def schema_in(con: sqlite3.Connection, path: str) -> int:
    """The version of the schema of the store at `path`, 0 while it is empty.

    Refuses what is no database, another program's, or of a newer version.
    """
    try:
        application = con.execute("PRAGMA application_id").fetchone()[0]
        version: int = con.execute("PRAGMA user_version").fetchone()[0]
        empty = is_empty(con)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise VectrHooksError(
                f"{path} cannot be read: {error}", "check who may read and write it and its folder"
            ) from error
        raise VectrHooksError(
            f"{path} is not a database: {error}", f"move it away, then {RUN_INIT}"
        ) from error
    if empty:
        return 0
    if application != APPLICATION_ID:
        raise VectrHooksError(f"{path} is a database of another program", f"move it away, then {RUN_INIT}")
    if version > VERSION:
        raise VectrHooksError(
            f"{path} was written by a newer version (schema {version}, this is {VERSION})",
            "upgrade vectr-hooks",
        )
    if version < 1:
        raise VectrHooksError(
            f"{path} says that it has schema {version}, which no version had",
            "`vectr-hooks backup --list` lists the backups; `vectr-hooks restore FILE` brings one back",
        )
    return version


def is_empty(con: sqlite3.Connection) -> bool:
    return con.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


@contextmanager
def one_moment(con: sqlite3.Connection) -> Iterator[None]:
    """Let every read of the block see the same state, whatever others write meanwhile."""
    con.execute("BEGIN")
    try:
        yield
    finally:
        con.execute("ROLLBACK")


def row_counts(con: sqlite3.Connection) -> dict[str, int]:
    """How many rows each table has, the search index apart."""
    names = [row[0].replace('"', '""') for row in con.execute(_TABLES).fetchall()]
    return {name: con.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}
