"""Opening a store to look at it: nothing is written, and nothing that others wrote is tidied up."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

TIMEOUT_SECONDS = 5.0


@contextmanager
def opened(path: str, timeout_s: float = TIMEOUT_SECONDS) -> Iterator[sqlite3.Connection]:
    """Open the store for reading. While it is open, no other connection that closes writes the log back."""
    try:
        con = connect(path, "mode=ro", timeout_s)
    except sqlite3.OperationalError:
        # Reading the log takes a file beside it, which cannot be made everywhere.
        con = connect(path, "mode=ro&immutable=1", timeout_s)
    with closing(con):
        yield con


def connect(path: str, query: str, timeout_s: float = TIMEOUT_SECONDS) -> sqlite3.Connection:
    """Connect to the store at `path` in the way that the parameters `query` of SQLite's URIs say."""
    con = sqlite3.connect(uri(path, query), timeout=timeout_s, isolation_level=None, uri=True)
    con.row_factory = sqlite3.Row
    try:
        # Opens the file, which connecting alone does not.
        con.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        con.close()
        raise
    return con


def uri(path: str, query: str) -> str:
    """How SQLite is told to open the file at `path` in the way that `query` says."""
    # Not `pathlib`, which costs a status line as much as all the rest of it.
    place = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if os.sep == "\\":
        place = "/" + place.replace("\\", "/")
    return f"file:{place}?{query}"
