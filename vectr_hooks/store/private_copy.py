"""A copy of a store with its notes and settings, and nothing of what happened so far."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from vectr_hooks.store.create import open_store

#: what a session writes
OF_SESSIONS = (
    "conversation",
    "claim",
    "turn_needle",
    "delivery",
    "working_set",
    "work",
    "event",
    "outcome",
    "event_text",
    "lookup",
    "error",
)


@contextmanager
def private_copy(path: str) -> Iterator[str]:
    """Copy the store at `path` for its owner alone; it is deleted when the block ends."""
    # On disk: a store may be larger than what memory should hold.
    with tempfile.TemporaryDirectory(prefix="vectr-hooks-") as folder:
        copied = str(Path(folder) / "store.db")
        with closing(open_store(path)) as source, closing(sqlite3.connect(copied)) as target:
            source.backup(target)
            # Nothing of it outlives the process.
            target.execute("PRAGMA journal_mode = MEMORY")
            target.execute("PRAGMA synchronous = OFF")
            for table in OF_SESSIONS:
                target.execute(f"DELETE FROM {table}")
            target.commit()
        yield copied
