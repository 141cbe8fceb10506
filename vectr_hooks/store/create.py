"""Creates a workspace's store, and opens it for the commands, brought up to date where it is older."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store import upkeep
from vectr_hooks.store.files import BUSY_TIMEOUT_SECONDS, RUN_INIT, connect, is_empty, schema_in
from vectr_hooks.store.schema import APPLICATION_ID, TABLES, VERSION
from vectr_hooks.store.transaction import writing


def create_store(path: str, workspace_id: str, root: str, now_ms: int) -> None:
    """Create the store at `path` for its owner alone; leave one that is there already as it is.

    But for what `open_store` would do to it. Any number of processes may do this at once.
    """
    folder = os.path.dirname(path)
    _make_folder(folder)
    _restrict(folder, 0o700)
    _make_file(path)
    _restrict(path, 0o600)
    con = connect(path)
    try:
        schema_in(con, path)
        use_wal(con)
        with writing(con):
            # Under the lock: another process may have been first.
            if is_empty(con):
                _create_tables(con)
                con.execute(
                    "INSERT INTO workspace(id, root, created) VALUES (?, ?, ?)", (workspace_id, root, now_ms)
                )
    finally:
        con.close()
    open_store(path).close()


def open_store(path: str) -> sqlite3.Connection:
    """Open the store at `path` for reading and writing; refuse what is not a store of this version.

    One of an older version, or that lacks a part that can be made anew, is backed up and brought up to date;
    a line on standard error says so.
    """
    con = _connect_to_store(path)
    try:
        if upkeep.is_due(con, _schema(con, path)):
            # The connection must not be in the way of what is done.
            con.close()
            done = upkeep.bring_up_to_date(path)
            if done:
                print(done, file=sys.stderr)
            con = _connect_to_store(path)
        _prepare(con)
    except BaseException:
        con.close()
        raise
    return con


def _connect_to_store(path: str) -> sqlite3.Connection:
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise VectrHooksError(f"there is no store at {path}", RUN_INIT) from error
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise VectrHooksError(f"{path} is {what}, not a store", f"move it away, then {RUN_INIT}")
    return connect(path)


def _schema(con: sqlite3.Connection, path: str) -> int:
    schema = schema_in(con, path)
    if not schema:
        raise VectrHooksError(f"the store at {path} was not finished", RUN_INIT)
    return schema


def _prepare(con: sqlite3.Connection) -> None:
    """Set what holds for a connection only."""
    con.execute("PRAGMA synchronous = NORMAL")
    # What is deleted must leave the file, not only the tables.
    con.execute("PRAGMA secure_delete = ON")


def use_wal(con: sqlite3.Connection) -> None:
    """Have the store write ahead, so that nobody who reads waits for one who writes."""
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
