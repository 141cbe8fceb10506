"""The files of a workspace that may go into its index."""

from __future__ import annotations

import os
from dataclasses import dataclass

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.search.ignored import IGNORE_FILES, Rules, is_ignored, of_the_repository, rules_in

_OF_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", "CVS"})
# A folder that holds one of these is a cache, or a virtual environment.
_MARKS_OF_OTHERS = frozenset({"CACHEDIR.TAG", "pyvenv.cfg"})


@dataclass(frozen=True)
class Found:
    """A regular file, as it is on the disk."""

    size: int
    modified_ns: int
    stamp: str
    """Changes with the file, as far as can be told without reading it."""


def files_below(root: str, unreadable: list[str] | None = None) -> dict[str, Found]:
    """Every regular file below `root` that is not ignored, by its path with `/`, in order.

    No link is followed; folders that are repositories of their own, or nobody's source, are left out. Those
    that cannot be listed are added to `unreadable`.
    """
    found: dict[str, Found] = {}
    ahead = [("", of_the_repository(root))]
    while ahead:
        folder, levels = ahead.pop()
        try:
            entries = sorted(os.scandir(os.path.join(root, folder)), key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError as error:
            if not folder:
                raise VectrHooksError(
                    f"{root} cannot be read: {error.strerror}", "check who may read it"
                ) from error
            if unreadable is not None:
                unreadable.append(folder)
            continue
        names = {entry.name for entry in entries}
        if not _MARKS_OF_OTHERS.isdisjoint(names) or (folder and ".git" in names):
            continue
        for name in IGNORE_FILES:
            rules = rules_in(os.path.join(root, folder, name)) if name in names else Rules(())
            if rules:
                levels = [*levels, (folder, rules)]
        for entry in entries:
            _take(entry, folder, levels, found, ahead)
    return dict(sorted(found.items()))


def stamp(path: str) -> str:
    """What `Found.stamp` is for the file at `path` now; '' where there is no regular file."""
    try:
        return _found(os.lstat(path)).stamp
    except OSError:
        return ""


def _take(
    entry: os.DirEntry[str],
    folder: str,
    levels: list[tuple[str, Rules]],
    found: dict[str, Found],
    ahead: list[tuple[str, list[tuple[str, Rules]]]],
) -> None:
    path = folder + entry.name
    if not _can_be_named(entry.name):
        return
    try:
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in _OF_VERSION_CONTROL and not is_ignored(levels, path + "/"):
                ahead.append((path + "/", levels))
        elif entry.is_file(follow_symlinks=False) and not is_ignored(levels, path):
            found[path] = _found(entry.stat(follow_symlinks=False))
    except OSError:
        # It is gone since the folder was listed.
        return


def _found(status: os.stat_result) -> Found:
    stamp = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"
    return Found(status.st_size, status.st_mtime_ns, stamp)


def _can_be_named(name: str) -> bool:
    """Whether a line of output or of commands can hold a name: it is UTF-8 without control characters."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return name.isprintable() or not any(character < " " or character == "\x7f" for character in name)
