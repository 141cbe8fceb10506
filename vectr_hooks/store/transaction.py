"""Writing to the store: one short transaction that holds the write lock from its start."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from vectr_hooks.errors import VectrHooksError


@contextmanager
def writing(con: sqlite3.Connection) -> Iterator[None]:
    """Commit what the block writes, or nothing of it when it raises."""
    try:
        con.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        raise VectrHooksError(f"the store cannot be written: {error}", _hint(error)) from error
    try:
        yield
        con.execute("COMMIT")
    except BaseException as error:
        # Some errors (a full disk) have rolled back already.
        if con.in_transaction:
            con.execute("ROLLBACK")
        if isinstance(error, sqlite3.OperationalError):
            raise VectrHooksError(f"the store cannot be written: {error}", _hint(error)) from error
        raise


def _hint(error: sqlite3.OperationalError) -> str:
    if "locked" in str(error):
        return "another process holds it; try again in a moment"
    return "check that the disk has room and that the store's folder may be written to"
