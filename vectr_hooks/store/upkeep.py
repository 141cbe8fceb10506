"""Brings a store up to date: migrated, mended where that can be derived, or left as it was."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.files import connect, row_counts, schema_in
from vectr_hooks.store.parts import missing_parts
from vectr_hooks.store.schema import TABLES, VERSION
from vectr_hooks.store.transaction import writing

# A large store takes a while to migrate, and whoever comes second can only wait.
_LOCK_SECONDS = 60
_GIVE_RIGHT = "give your user the right to write the store's folder and what is in it"


def is_due(con: sqlite3.Connection, schema: int) -> bool:
    """Whether a store with `schema` is older than this program, or lacks a part."""
    return schema < VERSION or bool(missing_parts(con))


def bring_up_to_date(path: str) -> str:
    """Migrate and mend the store at `path`, which is backed up first; what was done, '' for nothing.

    Any number of processes may do this at once: one does it, the others wait. Whatever fails leaves the store
    as it was, and is refused with the place of the backup.
    """
    folder = os.path.dirname(path)
    if not (os.access(path, os.W_OK) and os.access(folder, os.W_OK)):
        raise VectrHooksError(
            f"{path} has to be brought up to date, and may not be written", f"{_GIVE_RIGHT}: {folder}"
        )
    # Imported here, as is what else only a store that is due needs: every command asks whether it is.
    from vectr_hooks.store import backups

    with exclusive(path), closing(connect(path)) as con:
        schema = schema_in(con, path)
        if not schema or not is_due(con, schema):
            return ""
        # Commands may be cut off by a power failure, and this is not done twice a day.
        con.execute("PRAGMA synchronous = FULL")
        backup = ""
        try:
            with writing(con):
                # Nobody writes meanwhile, so this is exactly what is about to be changed.
                schema, missing = schema_in(con, path), missing_parts(con)
                with closing(connect(path)) as reader:
                    backup = backups.save_once(reader, path, schema)
                _migrate(con, schema)
        except (VectrHooksError, sqlite3.Error, ValueError) as error:
            if not backup:
                raise
            what = f"brought from schema {schema} to {VERSION}" if schema < VERSION else "mended"
            raise VectrHooksError(
                f"{path} could not be {what}: {error}",
                f"it is as it was, and {backup} is a copy; `vectr-hooks backup --list` lists earlier ones, "
                "and `vectr-hooks restore FILE` brings one back",
            ) from error
    if schema < VERSION:
        return f"{path} was brought from schema {schema} to {VERSION}; as it was, it is kept at {backup}"
    return f"{path} lacked {', '.join(missing)}, made anew from the notes; as it was, it is kept at {backup}"


@contextmanager
def exclusive(path: str) -> Iterator[list[str]]:
    """Keep other commands from migrating, mending, restoring or backing up the store at `path` meanwhile.

    Nobody is at work on a backup then: the files that one which was cut off left are removed, and given.
    """
    from filelock import FileLock, Timeout

    from vectr_hooks.store import backups

    folder = os.path.dirname(path)
    lock = FileLock(os.path.join(folder, "store.lock"), timeout=_LOCK_SECONDS, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise VectrHooksError(f"another command is at work on {path}", "try again when it is done") from None
    except OSError as error:
        raise VectrHooksError(
            f"{folder} cannot be written: {error.strerror or error}", f"{_GIVE_RIGHT}: {folder}"
        ) from error
    try:
        yield backups.remove_drafts(path)
    finally:
        lock.release()


def update(con: sqlite3.Connection, schema: int) -> None:
    """Migrate and mend a store that nobody else has open."""
    with writing(con):
        _migrate(con, schema)


def _migrate(con: sqlite3.Connection, schema: int) -> None:
    """Take a store from `schema` to this version, and mend it, in the transaction that `con` is in.

    What is derived is made anew where a part is missing or was an older version's, which may have derived
    otherwise: in the same transaction, since afterwards nothing tells that it has still to be done.
    """
    from vectr_hooks.store.migrations import MIGRATIONS

    older = schema < VERSION
    while schema < VERSION:
        migration = MIGRATIONS[schema]
        before = row_counts(con)
        try:
            migration.apply(con)
        except sqlite3.Error as error:
            raise VectrHooksError(str(error)) from error
        after = row_counts(con)
        for table, rows in before.items():
            kept = after.get(table, 0)
            if kept < rows or (kept > rows and table not in migration.rewrites):
                raise VectrHooksError(f"{table} had {rows} rows, and would have {kept}")
        schema = migration.version
        con.execute(f"PRAGMA user_version = {schema}")
    _make_indexes(con)
    if older or missing_parts(con):
        from vectr_hooks.store import derived

        derived.rebuild_within(con)


def _make_indexes(con: sqlite3.Connection) -> None:
    """Make the indexes that are missing; refuse where another part is that no revision tells."""
    from vectr_hooks.store import derived

    missing = [part for part in missing_parts(con) if not derived.makes([part])]
    lost = [part for part in missing if "." in part]
    if lost:
        raise VectrHooksError(f"{', '.join(lost[:3])} is missing, and nothing else holds it")
    with closing(sqlite3.connect(":memory:")) as whole:
        whole.executescript(TABLES)
        for part in missing:
            con.execute(_statement(whole, part))
        _drop_incomplete_search_index(con, whole)


def _drop_incomplete_search_index(con: sqlite3.Connection, whole: sqlite3.Connection) -> None:
    """Drop a search index that lacks tables of its own; it is given them first, else it cannot be dropped."""
    missing = missing_parts(con)
    tables = sorted({part.partition(".")[0] for part in missing if part.startswith("note_fts_")})
    if not tables or "note_fts" in missing:
        return
    for name in tables:
        con.execute(_statement(whole, name))
        rows = whole.execute(f"SELECT * FROM {name}").fetchall()
        if rows:
            con.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    con.execute("DROP TABLE note_fts")


def _statement(whole: sqlite3.Connection, name: str) -> str:
    statement: str = whole.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
    return statement
