"""Creates a workspace's store, and opens it for the commands."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.schema import APPLICATION_ID, TABLES, VERSION
from vectr_hooks.store.transaction import writing

BUSY_TIMEOUT_SECONDS = 5.0

_RUN_INIT = "run `vectr-hooks init` in the project's folder"


def create_store(path: str, workspace_id: str, root: str, now_ms: int) -> None:
    """Create the store at `path` for its owner alone; leave one that is there already as it is.

    Any number of processes may do this at once.
    """
    folder = os.path.dirname(path)
    _make_folder(folder)
    _restrict(folder, 0o700)
    _make_file(path)
    _restrict(path, 0o600)
    con = _connect(path)
    try:
        _refuse_foreign(con, path)
        _use_wal(con)
        with writing(con):
            # Again under the lock: another process may have been first.
            if not _is_empty(con):
                _refuse_foreign(con, path)
                return
            _create_tables(con)
            con.execute(
                "INSERT INTO workspace(id, root, created) VALUES (?, ?, ?)", (workspace_id, root, now_ms)
            )
    finally:
        con.close()


def open_store(path: str) -> sqlite3.Connection:
    """Open the store at `path` for reading and writing; refuse what is not a store of this version."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise VectrHooksError(f"there is no store at {path}", _RUN_INIT) from error
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise VectrHooksError(f"{path} is {what}, not a store", f"move it away, then {_RUN_INIT}")
    con = _connect(path)
    try:
        _refuse_foreign(con, path)
        if _is_empty(con):
            raise VectrHooksError(f"the store at {path} was not finished", _RUN_INIT)
        _prepare(con)
    except BaseException:
        con.close()
        raise
    return con


def _connect(path: str) -> sqlite3.Connection:
    try:
        con = sqlite3.connect(
            Path(path).absolute().as_uri() + "?mode=rw",
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


def _prepare(con: sqlite3.Connection) -> None:
    """Set what holds for a connection only."""
    con.execute("PRAGMA synchronous = NORMAL")
    # What is deleted must leave the file, not only the tables.
    con.execute("PRAGMA secure_delete = ON")


def _refuse_foreign(con: sqlite3.Connection, path: str) -> None:
    """Refuse what is neither a store of this version nor empty."""
    try:
        application = con.execute("PRAGMA application_id").fetchone()[0]
        version = con.execute("PRAGMA user_version").fetchone()[0]
        empty = _is_empty(con)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise VectrHooksError(
                f"{path} cannot be read: {error}", "check who may read it and its folder"
            ) from error
        raise VectrHooksError(
            f"{path} is not a database: {error}", f"move it away, then {_RUN_INIT}"
        ) from error
    if empty:
        return
    if application != APPLICATION_ID:
        raise VectrHooksError(f"{path} is a database of another program", f"move it away, then {_RUN_INIT}")
    if version > VERSION:
        raise VectrHooksError(
            f"{path} was written by a newer version (schema {version}, this is {VERSION})",
            "upgrade vectr-hooks",
        )
    if version < VERSION:
        raise VectrHooksError(
            f"{path} has schema {version}, which this version (schema {VERSION}) cannot read",
            f"move it away, then {_RUN_INIT}",
        )


def _is_empty(con: sqlite3.Connection) -> bool:
    return con.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def _use_wal(con: sqlite3.Connection) -> None:
    from sqlite_utils import Database

    database = Database(con, recursive_triggers=False, execute_plugins=False)
    # Changing the mode does not wait for a lock by itself.
    give_up = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            database.enable_wal()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise VectrHooksError(
                    f"the store cannot be set up: {error}", "try again in a moment"
                ) from error
            time.sleep(0.01)


def _create_tables(con: sqlite3.Connection) -> None:
    for statement in _statements(TABLES):
        con.execute(statement)
    con.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    con.execute(f"PRAGMA user_version = {VERSION}")


def _statements(script: str) -> Iterator[str]:
    # Not `executescript`, which commits first and so gives up the lock.
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _make_folder(folder: str) -> None:
    """Make `folder` and what is missing above it, for the owner alone."""
    parent = os.path.dirname(folder)
    try:
        if parent != folder and not os.path.isdir(parent):
            _make_folder(parent)
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise VectrHooksError(f"{folder} is not a folder", "move it away and try again") from None
    except OSError as error:
        raise VectrHooksError(
            f"{folder} cannot be made: {error.strerror}", "check who may write there"
        ) from error


def _make_file(path: str) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if not os.path.isfile(path):
            raise VectrHooksError(f"{path} is not a regular file", "move it away and try again") from None
    except OSError as error:
        raise VectrHooksError(
            f"{path} cannot be written: {error.strerror}", "check who may write there"
        ) from error


def _restrict(path: str, mode: int) -> None:
    if stat.S_IMODE(os.stat(path).st_mode) != mode and os.name == "posix":
        try:
            os.chmod(path, mode)
        except OSError as error:
            raise VectrHooksError(
                f"{path} cannot be kept from other users: {error.strerror}", "check who owns it"
            ) from error
