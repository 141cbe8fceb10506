"""A hook's connection to a store that is already there and validated."""

import os
import time

from vectr_hooks.native import sqlite
from vectr_hooks.store import APPLICATION_ID, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

# For what SQLite waits for by itself: another connection's recovery or checkpoint.
BUSY_TIMEOUT_S = 0.25

# SQLite would wait longer after each try, up to a tenth of a second, and the last of many hooks would wait
# for ever: with 16 at once on two busy cores one in ten was lost. Here who has waited longer asks more often,
# so that nearly all come in their turn.
LOCK_TIMEOUT_S = 1.5
FIRST_POLL_S = 0.006
POLLS_FASTER_PER_S = 20

# A WAL below this is left for a later process: closing properly costs a checkpoint with two syncs. Above it,
# never closing would let it grow without bound, since each first opener forgets how far it was written back.
WAL_LIMIT_BYTES = 256 * 1024

# On a full disk a COMMIT fails when the output is out already, and would do so at every event. An event
# writes about a tenth of this.
LEAST_FREE_BYTES = 1 << 20


class StoreError(Exception):
    """Why a store cannot be used by a hook."""


def open_scratch() -> "Connection":
    """Open a database in memory, for SQLite's JSON functions alone."""
    return _prepare(sqlite.connect(":memory:", isolation_level=None))


def open_for_hook(path: str) -> "tuple[Connection, bool]":
    """Open the store at `path`; return it and whether it can be written.

    Never creates, migrates or sets a journal mode. Raises StoreError where the file is not a store of this
    version. `immutable` is the last resort, since it does not see the write-ahead log.
    """
    if not os.path.isfile(path):
        raise StoreError("the store is missing or not a regular file")
    if _may_write(path):
        try:
            return _validated(_connect(path, "mode=rw")), True
        except sqlite.OperationalError as error:
            if is_locked(error):
                raise
    try:
        return _validated(_connect(path, "mode=ro")), False
    except sqlite.OperationalError:
        return _validated(_connect(path, "mode=ro&immutable=1")), False


def begin(connection: "Connection", timeout_s: float = LOCK_TIMEOUT_S) -> bool:
    """Begin a transaction that may write; False where it turns out that the store cannot be written.

    Raises OperationalError when others hold the lock for `timeout_s`.
    """
    connection.execute("PRAGMA busy_timeout = 0")
    began = time.monotonic()
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
            return True
        except sqlite.OperationalError as error:
            if not is_locked(error):
                return False
            waited = time.monotonic() - began
            if waited > timeout_s:
                raise
        time.sleep(FIRST_POLL_S / (1 + POLLS_FASTER_PER_S * waited))


def close_if_large(connection: "Connection", path: str) -> None:
    """Close only when the write-ahead log is due to be written back."""
    try:
        large = os.stat(path + "-wal").st_size > WAL_LIMIT_BYTES
    except OSError:
        return
    if large:
        connection.close()


def is_locked(error: BaseException) -> bool:
    """Tell whether another connection was in the way, which passes."""
    return isinstance(error, sqlite.OperationalError) and "locked" in str(error)


def is_damage(error: BaseException) -> bool:
    """Tell whether SQLite found the file itself to be wrong."""
    return type(error) is sqlite.DatabaseError


def _may_write(path: str) -> bool:
    folder = os.path.dirname(path)
    if not os.access(path, os.W_OK) or not os.access(folder, os.W_OK):
        return False
    if not hasattr(os, "statvfs"):
        return True
    disk = os.statvfs(folder)
    return not disk.f_blocks or disk.f_bavail * disk.f_frsize >= LEAST_FREE_BYTES


def _connect(path: str, query: str) -> "Connection":
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if os.sep == "\\":
        escaped = "/" + escaped.replace("\\", "/")
    uri = "file:" + escaped + "?" + query
    return _prepare(sqlite.connect(uri, timeout=BUSY_TIMEOUT_S, isolation_level=None, uri=True))


def _prepare(connection: "Connection") -> "Connection":
    # JSON may hold lone surrogates, which SQLite gives back as bytes that are not UTF-8.
    connection.text_factory = _decode
    return connection


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _validated(connection: "Connection") -> "Connection":
    # Both stand in the file's header, so that a foreign schema is not even parsed.
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise StoreError("the file is not a vectr-hooks store")
    if version != VERSION:
        raise StoreError("the store has schema " + str(version) + ", this program works with " + str(VERSION))
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection
