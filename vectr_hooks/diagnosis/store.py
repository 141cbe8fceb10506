"""Whether the project has a store, and whether hooks can use it."""

from __future__ import annotations

import os
import shlex
import sqlite3
import stat
from collections.abc import Iterator

from vectr_hooks.diagnosis.finding import Finding, error, ok, warning
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store import VERSION, configuration, inspection
from vectr_hooks.store.connection import StoreError, open_for_hook
from vectr_hooks.store.create import open_store

SUBJECT = "store"
# SQLite writes its log back at 4 MiB; beyond twice that, something keeps it from doing so.
LARGE_LOG_BYTES = 8 * 1024 * 1024


def check_opening(path: str) -> list[Finding]:
    """Open the store as a hook opens it; what keeps the hook from it, or from writing to it."""
    try:
        if not os.path.isfile(path):
            raise StoreError("it is not a regular file")
        with inspection.opened(path):
            connection, writable = open_for_hook(path)
            connection.close()
    except (StoreError, sqlite3.Error) as problem:
        return [_refusal(path, problem)]
    if writable:
        return []
    message = f"{path} cannot be written: hooks deliver at session start and after compactions only"
    return [warning(SUBJECT, message, "give your user the right to write the file and its folder")]


def check_soundness(con: sqlite3.Connection, path: str) -> Iterator[Finding]:
    """Look into an open store and at its files."""
    faults = [f"{part} is missing" for part in inspection.missing_parts(con)] or inspection.faults(con)
    if faults:
        yield error(
            SUBJECT,
            f"{path} is damaged: {'; '.join(faults[:3])}",
            "keep a copy; then move it away and run `vectr-hooks init`",
        )
    else:
        sizes = f"{_size(path):,} bytes, write-ahead log {_size(path + '-wal'):,}"
        yield ok(SUBJECT, f"{path} (schema {VERSION}; {sizes}) is sound, and so is its search index")
    if inspection.journal_mode(con) != "wal":
        yield warning(
            SUBJECT, "hooks that run at once block each other: no write-ahead log", "vectr-hooks init"
        )
    if _size(path + "-wal") > LARGE_LOG_BYTES:
        yield warning(
            SUBJECT,
            f"its write-ahead log has {_size(path + '-wal'):,} bytes: another program holds it",
            "end programs that hold the store open; the next hook then writes it back",
        )
    yield from check_privacy(path)
    if not faults and not configuration.current(con)["enabled"]:
        yield warning(
            SUBJECT, "hooks are switched off in this project", "vectr-hooks config set enabled true"
        )


def check_privacy(path: str) -> Iterator[Finding]:
    """Notes are for their owner's eyes alone."""
    if os.name != "posix":
        return
    files = [
        os.path.dirname(path),
        *(path + end for end in ("", "-wal", "-shm") if os.path.exists(path + end)),
    ]
    open_to_others = [file for file in files if stat.S_IMODE(os.stat(file).st_mode) & 0o077]
    if open_to_others:
        yield warning(
            SUBJECT,
            f"other users may get at {', '.join(open_to_others)}",
            f"chmod go-rwx {shlex.join(open_to_others)}",
        )


def _refusal(path: str, problem: Exception) -> Finding:
    """Why a hook cannot use the store, as the other commands say it."""
    try:
        open_store(path).close()
    except VectrHooksError as refused:
        return error(SUBJECT, refused.message, refused.hint)
    return error(SUBJECT, f"{path}: {problem}", "check who may read it and its folder")


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0
