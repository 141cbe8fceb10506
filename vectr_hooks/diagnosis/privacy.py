"""Which of the files in a folder are for their owner alone, as notes and settings have to be."""

from __future__ import annotations

import os
from collections.abc import Iterator

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def files_in(folder: str) -> Iterator[str]:
    """`folder`, and every folder and regular file in it, links apart."""
    yield folder
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except PermissionError:
        return
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            yield from files_in(entry.path)
        elif entry.is_file(follow_symlinks=False):
            yield entry.path


def is_private(path: str) -> bool:
    """Whether nobody else can do anything with it, and its owner all that there is to do."""
    needed = own_mode(path)
    return not is_open(path) and os.stat(path).st_mode & needed == needed


def is_open(path: str) -> bool:
    """Whether other users may do anything with it."""
    return bool(os.stat(path).st_mode & 0o077)


def own_mode(path: str) -> int:
    return FOLDER_MODE if os.path.isdir(path) else FILE_MODE
