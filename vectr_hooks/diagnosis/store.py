"""Whether the project has a store, and whether hooks can use it."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing

from vectr_hooks.diagnosis import file_systems, repairs
from vectr_hooks.diagnosis.file_systems import Mount
from vectr_hooks.diagnosis.finding import Finding, error, ok, warning
from vectr_hooks.diagnosis.privacy import files_in, is_open, is_private
from vectr_hooks.editing import DESK_PREFIX
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store import VERSION, backups, configuration, derived, inspection
from vectr_hooks.store.connection import StoreError, open_for_hook
from vectr_hooks.store.files import connect, schema_in
from vectr_hooks.store.parts import missing_parts

SUBJECT = "store"
FIX = "vectr-hooks doctor --fix"
# SQLite writes its log back at 4 MiB; beyond twice that, something keeps it from doing so.
LARGE_LOG_BYTES = 8 * 1024 * 1024
# Room for some weeks of the audit, and for the log that a write needs.
LITTLE_ROOM_BYTES = 50 * 1024 * 1024
# Deriving all notes again takes half a second for a thousand.
MOST_COMPARED = 3_000
# A store that is only ever added to settles below this.
MOST_PIECES = 16
ELSEWHERE = "VECTR_HOOKS_HOME names a folder on a local disk for it; move the store there"


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
    return [
        warning(
            SUBJECT,
            message,
            "free space on its disk, or give your user the right to write the store's folder and files",
        )
    ]


def check_soundness(con: sqlite3.Connection, path: str) -> Iterator[Finding]:
    """Look into an open store."""
    damage = list(_damage(con, path))
    yield from damage
    if damage:
        return
    sizes = f"{_megabytes(_size(path))}, write-ahead log {_megabytes(_size(path + '-wal'))}"
    yield ok(SUBJECT, f"sound, and so is its search index (schema {VERSION}, {sizes}): {path}")
    pieces = inspection.index_pieces(con)
    if pieces > MOST_PIECES:
        message = f"its search index lies in {pieces} pieces, which slows searching"
        yield ok(SUBJECT, message, FIX, repairs.search_index_merged(path))
    if inspection.journal_mode(con) != "wal":
        yield warning(
            SUBJECT, "hooks that run at once block each other: no write-ahead log", "vectr-hooks init"
        )
    if not configuration.current(con)["enabled"]:
        yield warning(
            SUBJECT, "hooks are switched off in this project", "vectr-hooks config set enabled true"
        )


def check_place(path: str, mounts: Iterable[Mount]) -> Iterator[Finding]:
    """Whether the store at `path` lies where it can be safe, and has room."""
    danger = file_systems.danger(os.path.realpath(path), mounts)
    if danger:
        message = f"{os.path.dirname(path)} is on {danger}: there SQLite may damage a store that several use"
        yield warning(SUBJECT, message, ELSEWHERE)
    free = shutil.disk_usage(os.path.dirname(path)).free
    if free < LITTLE_ROOM_BYTES:
        message = f"the disk with the store is nearly full: {_megabytes(free)} are free"
        yield warning(SUBJECT, message, "free some space, else hooks cannot record what they delivered")
    log = _size(path + "-wal")
    if log > LARGE_LOG_BYTES:
        yield warning(
            SUBJECT,
            f"its write-ahead log has {_megabytes(log)}: another program keeps it from being written back",
            f"end what holds the store open, then: {FIX}",
            repairs.log_written_back(path),
        )


def check_privacy(path: str, data_home: str) -> Iterator[Finding]:
    """Notes are for their owner's eyes alone, and so are the settings that are kept for `uninstall`."""
    if os.name != "posix":
        return
    folders = [os.path.dirname(path), os.path.join(data_home, "backups")]
    wrong = {
        folder: [file for file in files_in(folder) if not is_private(file)]
        for folder in folders
        if os.path.isdir(folder)
    }
    for folder, files in wrong.items():
        if files:
            how = "you may not use"
            if any(map(is_open, files)):
                # Nobody gets at what lies in a folder that is closed to them.
                how = "other users may get at" if is_open(folder) else "only their folder keeps others from"
            yield warning(
                SUBJECT,
                f"{how} {', '.join(files)}",
                f"chmod -R u=rwX,go= {shlex.quote(folder)}",
                repairs.private(folder),
            )


def check_left_over(path: str) -> Iterator[Finding]:
    """Texts that an editor, or the command that had opened it, left behind when it was ended."""
    parent = os.path.dirname(path)
    for name in sorted(os.listdir(parent)):
        folder = os.path.join(parent, name)
        if not name.startswith(DESK_PREFIX) or not os.path.isdir(folder) or os.path.islink(folder):
            continue
        files = [file for file in files_in(folder) if file.endswith(".md")]
        if not files:
            continue
        told = os.path.basename(files[0])
        yield warning(
            SUBJECT,
            f"an edit was ended before it was stored, unless it still goes on: {', '.join(files)} "
            "may hold what was written",
            f"vectr-hooks edit {told.removesuffix('.md')} --from {shlex.quote(files[0])} "
            f"stores it; then delete {folder}",
        )


def _damage(con: sqlite3.Connection, path: str) -> Iterator[Finding]:
    missing = missing_parts(con)
    faults = inspection.faults(con)
    # An index can be made again, and so can what is derived from the notes.
    lost = [part for part in missing if "." in part and not derived.makes([part])]
    if faults.pages or lost:
        what = "; ".join([*(f"{part} is missing" for part in lost), *faults.pages][:3])
        yield error(SUBJECT, f"{path} is damaged: {what}", backups.command_to_restore(path))
    elif missing:
        what = ", ".join(missing[:3])
        yield error(SUBJECT, f"{path} lacks {what}", FIX, repairs.brought_up_to_date(path))
    elif faults.index:
        yield _derivable(path, f"the search index in {path} is damaged: {faults.index}")
    elif inspection.notes_in(con) <= MOST_COMPARED:
        differing = derived.disagreements(con)
        if differing:
            tables = ", ".join(differing)
            yield _derivable(path, f"{tables} of {path} does not agree with the notes: some may not arrive")


def _derivable(path: str, message: str) -> Finding:
    return error(SUBJECT, message, FIX, repairs.derived_again(path))


def _refusal(path: str, problem: Exception) -> Finding:
    """Why a hook cannot use the store; nothing is brought up to date here."""
    if not os.path.isfile(path):
        return error(SUBJECT, f"{path} is not a regular file", "move it away, then: vectr-hooks init")
    try:
        with closing(connect(path)) as con:
            schema = schema_in(con, path)
    except VectrHooksError as refused:
        if isinstance(refused.__cause__, sqlite3.OperationalError):
            return _not_read(path, refused.__cause__)
        damaged = isinstance(refused.__cause__, sqlite3.DatabaseError)
        return error(SUBJECT, refused.message, _start_anew(path) if damaged else refused.hint)
    if not schema:
        return error(SUBJECT, f"{path} was not finished", "vectr-hooks init")
    if schema < VERSION:
        message = f"{path} has schema {schema}, hooks need {VERSION}: until then they do nothing"
        return error(SUBJECT, message, FIX, repairs.brought_up_to_date(path))
    if isinstance(problem, sqlite3.DatabaseError) and not isinstance(problem, sqlite3.OperationalError):
        return error(SUBJECT, f"{path} is damaged: {problem}", _start_anew(path))
    return _not_read(path, problem)


def _not_read(path: str, problem: Exception) -> Finding:
    if "locked" in str(problem) or "busy" in str(problem):
        message = f"another process holds {path}, so hooks can do nothing"
        return error(SUBJECT, message, "end it (a database viewer, a backup, a program that syncs folders)")
    return error(SUBJECT, f"{path}: {problem}", "check who may read it and its folder")


def _start_anew(path: str) -> str:
    """What to do where not even a backup can be put into the file."""
    away = f"move {path}, {path}-wal and {path}-shm away, then `vectr-hooks init`"
    newest = backups.newest_sound(path)
    return f"{away}, then `vectr-hooks restore {shlex.quote(newest)}`" if newest else away


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB"


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0
