"""What `uninstall --purge` deletes: a project's store with all beside it, its code index, and its id."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.output import counted
from vectr_hooks.registration.settings_file import read
from vectr_hooks.search.location import cache_home
from vectr_hooks.store import inspection
from vectr_hooks.store.files import DELETED
from vectr_hooks.store.workspace import Workspace, data_home, home_folder, locate, read_id, store_path

# As `init` writes it; one that says more is somebody's own.
_OWN_IGNORE = b"/id\n"
_ID_FOLDER = ".vectr"
_MOST_NAMED = 5


@dataclass(frozen=True)
class Purge:
    """What is to be deleted of a project."""

    root: str
    notes: int | None
    """None: the store cannot be read."""
    others: tuple[str, ...]
    """Other folders that use the same notes."""
    home: str
    """Where the stores are."""
    folders: tuple[str, ...]
    """Of the store and the code index, and those that a purge which was cut off left."""
    id_files: tuple[str, ...]

    @property
    def told(self) -> str:
        if self.notes is None:
            return "a store that cannot be read"
        return counted(self.notes, "note")

    @property
    def paths(self) -> list[str]:
        return [*self.folders, *self.id_files]

    def warning(self) -> str:
        """What is lost, for who is asked."""
        shared = ""
        if self.others:
            more = len(self.others) - _MOST_NAMED
            named = ", ".join(self.others[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
            shared = f", which {named} use as well"
        return (
            f"this deletes {self.told} of {self.root}{shared}, with all their revisions and backups, for good"
            f", and the project's id: {', '.join(self.id_files)}"
        )

    def perform(self) -> None:
        try:
            # At once, so that a hook that runs meanwhile finds no store rather than half of one.
            doomed = [_renamed(folder) for folder in self.folders]
            for folder in doomed:
                shutil.rmtree(folder)
            # Last: without it nobody finds what a purge that was cut off left.
            for path in self.id_files:
                os.unlink(path)
                _tidy(os.path.dirname(path))
        except OSError as error:
            raise VectrHooksError(
                f"{error.filename or self.root} cannot be deleted: {error.strerror or error}",
                "check who may write there, and what holds it open; then the same command deletes the rest",
            ) from None
        # Not ours to remove while they hold something else, such as the stores of other projects.
        for folder in (*dict.fromkeys(map(os.path.dirname, self.folders)), self.home):
            with contextlib.suppress(OSError):
                os.rmdir(folder)


def purge_of(start: str, environ: Mapping[str, str]) -> Purge | None:
    """What there is to delete of the project of the folder `start`; None where there is none.

    Refuses a store whose folder is a link.
    """
    place = locate(start, home_folder(environ))
    if place is None or not place.id:
        return None
    home = data_home(environ)
    path = store_path(home, place.id)
    folders = tuple(_folders(os.path.dirname(path)))
    if folders:
        folders += tuple(_folders(os.path.join(cache_home(environ), place.id)))
    counts = [_notes(os.path.join(folder, os.path.basename(path))) for folder in folders]
    return Purge(
        place.root,
        None if None in counts else sum(filter(None, counts)),
        tuple(dict.fromkeys(_others(place, path, environ))),
        home,
        folders,
        tuple(_id_files(place)),
    )


def _folders(folder: str) -> Iterator[str]:
    if os.path.islink(folder):
        raise VectrHooksError(
            f"{folder} is a link, to {os.path.realpath(folder)}; nothing was changed",
            "move what it leads to in its place, then try again",
        )
    if os.path.isdir(folder):
        yield folder
    parent, id = os.path.split(folder)
    for name in sorted(os.listdir(parent)) if os.path.isdir(parent) else ():
        left = os.path.join(parent, name)
        if name.startswith(id + DELETED) and os.path.isdir(left) and not os.path.islink(left):
            yield left


def _renamed(folder: str) -> str:
    """Give the folder the name of one that is being deleted, unless it has it."""
    if DELETED in os.path.basename(folder):
        return folder
    doomed = f"{folder}{DELETED}-{secrets.token_hex(4)}"
    os.rename(folder, doomed)
    return doomed


def _notes(path: str) -> int | None:
    if not os.path.exists(path):
        return 0
    try:
        with inspection.opened(path) as con:
            return inspection.notes_in(con)
    except sqlite3.Error:
        return None


def _others(place: Workspace, path: str, environ: Mapping[str, str]) -> Iterator[str]:
    """Other worktrees of the repository, and a copy or the original of this folder, with the same id."""
    worktrees = os.path.join(os.path.dirname(place.id_file), "worktrees")
    roots = [os.path.dirname(place.id_file).removesuffix(f"{os.sep}.git")] if place.head_file else []
    for name in sorted(os.listdir(worktrees)) if os.path.isdir(worktrees) else ():
        pointer = read(os.path.join(worktrees, name, "gitdir")) or b""
        roots.append(os.path.dirname(os.fsdecode(pointer).strip()))
    with contextlib.suppress(sqlite3.Error, VectrHooksError):
        if os.path.exists(path):
            roots.append(inspection.owner(path)[1])
    for root in roots:
        other = locate(root, home_folder(environ)) if os.path.isdir(root) else None
        if other and other.id == place.id and other.root != place.root:
            yield other.root


def _id_files(place: Workspace) -> Iterator[str]:
    # Of a repository, an id that is older than it may lie in the folder itself.
    for path in dict.fromkeys((place.id_file, os.path.join(place.root, _ID_FOLDER, "id"))):
        # Another file there, or one that a link leads to, is somebody else's.
        if read_id(path) == place.id:
            yield path


def _tidy(folder: str) -> None:
    """Remove the folder `.vectr` where nothing is left in it but what `init` put there."""
    if os.path.basename(folder) != _ID_FOLDER or os.path.islink(folder):
        return
    ignore = os.path.join(folder, ".gitignore")
    own = os.listdir(folder) == [".gitignore"] and not os.path.islink(ignore)
    if own and read(ignore) == _OWN_IGNORE:
        os.unlink(ignore)
    with contextlib.suppress(OSError):
        os.rmdir(folder)
