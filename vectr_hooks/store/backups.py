"""Backups of a store: made, verified, listed."""

from __future__ import annotations

import contextlib
import filecmp
import os
import shlex
import sqlite3
import time
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store import inspection
from vectr_hooks.store.files import connect, one_moment, row_counts
from vectr_hooks.store.schema import APPLICATION_ID, VERSION

_DRAFT = ".part"
# What SQLite puts beside a file.
_BESIDE = ("-journal", "-wal", "-shm")


@dataclass(frozen=True)
class Backup:
    """A file that holds a store as it was at one moment."""

    path: str
    size_bytes: int
    made_ms: int
    schema: int | None
    """None: the file cannot be read as a store."""
    notes: int | None


def folder_of(store_path: str) -> str:
    """The folder `backups` beside the store."""
    return os.path.join(os.path.dirname(store_path), "backups")


def new_path(store_path: str, schema: int, name: str = "notes") -> str:
    """A path for a new backup beside the store, whose folder is made; the moment in it is UTC."""
    folder = folder_of(store_path)
    _make_folder(folder)
    stem = os.path.join(folder, f"{name}-schema{schema}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")
    path, n = f"{stem}.db", 1
    while os.path.lexists(path):
        n += 1
        path = f"{stem}-{n}.db"
    return path


def save(con: sqlite3.Connection, path: str, verify: bool = True) -> Backup:
    """Copy the store that `con` has open, as it is at one moment, to the new file `path`.

    The file is its owner's alone. Only what was found to be whole gets that name, unless `verify` is off;
    else it is refused, as is a file that is there already. `con` must not be writing.
    """
    draft = f"{path}.{os.urandom(4).hex()}{_DRAFT}"
    if os.path.lexists(path):
        raise _there_already(path)
    try:
        with _removed(draft):
            copy_to(con, draft, verify)
            _flush(draft)
            _name(draft, path)
            _flush(os.path.dirname(os.path.abspath(path)))
    except OSError as error:
        raise VectrHooksError(
            f"no backup could be made at {path}: {error.strerror or error}",
            "check that the disk has room and who may write there",
        ) from error
    return described(path)


def save_once(con: sqlite3.Connection, store_path: str, schema: int) -> str:
    """Back the store up beside itself, unless a backup there has exactly this content already; its path.

    An attempt that fails each time must not fill the disk.
    """
    made = save(con, new_path(store_path, schema)).path
    for other in sorted(_files(store_path)):
        if other != made and filecmp.cmp(made, other, shallow=False):
            os.remove(made)
            return other
    return made


def copy_to(con: sqlite3.Connection, path: str, verify: bool = True) -> None:
    """Copy the store that `con` has open to `path`, a new file that needs none beside it."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with closing(connect(path)) as copy:
            with one_moment(con):
                rows = row_counts(con) if verify else {}
                con.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            if verify:
                _refuse_unsound(copy, rows)
    except sqlite3.OperationalError as error:
        raise VectrHooksError(
            f"the store cannot be copied: {error}", "check that the disk has room; else try again in a moment"
        ) from error
    except sqlite3.DatabaseError as error:
        raise _damaged(str(error)) from error


def faults(con: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with the file. A NULL where none belongs is a row all the same."""
    rows = con.execute("PRAGMA integrity_check(100000)").fetchall()
    return [row[0] for row in rows if row[0] != "ok" and not row[0].startswith("NULL value in ")]


def is_sound(path: str) -> bool:
    try:
        with inspection.opened(path) as con:
            return not faults(con)
    except sqlite3.DatabaseError:
        return False


def described(path: str) -> Backup:
    schema = notes = None
    with contextlib.suppress(sqlite3.Error), inspection.opened(path) as con:
        if con.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
            schema = con.execute("PRAGMA user_version").fetchone()[0]
            notes = con.execute("SELECT count(*) FROM note").fetchone()[0]
    found = os.stat(path)
    return Backup(path, found.st_size, found.st_mtime_ns // 1_000_000, schema, notes)


def beside(store_path: str) -> list[Backup]:
    """The backups beside the store, oldest first."""
    return sorted(map(described, _files(store_path)), key=lambda backup: (backup.made_ms, backup.path))


def newest_sound(store_path: str) -> str:
    """The newest backup beside the store that is whole and that this version can restore, or ''."""
    restorable = (each for each in reversed(beside(store_path)) if each.schema in range(1, VERSION + 1))
    return next((each.path for each in restorable if is_sound(each.path)), "")


def command_to_restore(store_path: str) -> str:
    """The command that brings the newest sound backup back; without one, the command that lists them."""
    newest = newest_sound(store_path)
    return f"vectr-hooks restore {shlex.quote(newest)}" if newest else "vectr-hooks backup --list"


def holding(store_path: str, notes: Collection[int]) -> list[str]:
    """The backups beside the store that hold a revision of one of `notes`."""
    found = []
    ids = "[" + ",".join(map(str, notes)) + "]"
    for path in sorted(_files(store_path)):
        with contextlib.suppress(sqlite3.Error), inspection.opened(path) as con:
            query = "SELECT 1 FROM revision WHERE note IN (SELECT value FROM json_each(?)) LIMIT 1"
            if con.execute(query, (ids,)).fetchone():
                found.append(path)
    return found


def remove_drafts(store_path: str) -> list[str]:
    """Remove what processes that were killed left of backups, which nobody may be making; the paths."""
    folder = folder_of(store_path)
    ends = (_DRAFT, *(_DRAFT + end for end in _BESIDE))
    try:
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        drafts = [os.path.join(folder, name) for name in names if name.endswith(ends)]
        for draft in drafts:
            os.remove(draft)
    except OSError as error:
        raise VectrHooksError(
            f"{error.filename or folder} cannot be removed: {error.strerror or error}",
            "check who may write there",
        ) from error
    return drafts


@contextlib.contextmanager
def draft_beside(store_path: str) -> Iterator[str]:
    """A path beside the store's backups for a file that is gone after the block."""
    folder = folder_of(store_path)
    _make_folder(folder)
    with _removed(os.path.join(folder, os.urandom(8).hex() + _DRAFT)) as path:
        yield path


def _refuse_unsound(copy: sqlite3.Connection, rows: dict[str, int]) -> None:
    found = faults(copy)
    counted = {} if found else row_counts(copy)
    if found or counted != rows:
        raise _damaged("; ".join(found[:3]) or "its copy has not the same rows")


def _damaged(what: str) -> VectrHooksError:
    return VectrHooksError(
        f"the store is damaged, so it was not copied: {what}",
        "`vectr-hooks backup --list` lists the backups; `vectr-hooks restore FILE` brings one back",
    )


def _files(store_path: str) -> Iterator[str]:
    with contextlib.suppress(FileNotFoundError), os.scandir(folder_of(store_path)) as entries:
        for entry in entries:
            if entry.name.endswith(".db") and entry.is_file(follow_symlinks=False):
                yield entry.path


@contextlib.contextmanager
def _removed(draft: str) -> Iterator[str]:
    """Have `draft`, and what SQLite puts beside it, removed after the block where it is still there."""
    try:
        yield draft
    finally:
        for path in (draft, *(draft + end for end in _BESIDE)):
            with contextlib.suppress(OSError):
                os.remove(path)


def _name(draft: str, path: str) -> None:
    """Give the finished `draft` its name; nothing that is there is ever overwritten."""
    try:
        os.link(draft, path)
        os.remove(draft)
    except FileExistsError:
        raise _there_already(path) from None
    except OSError:
        # Not every file system has hard links.
        if os.path.lexists(path):
            raise
        os.rename(draft, path)


def _there_already(path: str) -> VectrHooksError:
    return VectrHooksError(f"{path} is there already", "name another file, or delete it first")


def _flush(path: str) -> None:
    """Have a file, or a folder's names, on the disk itself."""
    if os.path.isdir(path) and os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _make_folder(folder: str) -> None:
    """Make the folder of the backups for its owner alone."""
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        os.chmod(folder, 0o700)
    except OSError as error:
        raise VectrHooksError(
            f"{folder} cannot be used: {error.strerror or error}", "check who may write there"
        ) from error
