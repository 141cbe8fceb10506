"""Lines of a file of the workspace, as they are on the disk now."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.search.index_file import NAME, read_index
from vectr_hooks.search.walk import stamp
from vectr_hooks.store.workspace import beginning

_LINES = re.compile(r"(.+?):([0-9]{1,9})(?:(-)([0-9]{1,9})?)?")
LARGEST_BYTES = 64 << 20


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file, from 1, both ends included; with `first` above `last` for a file without any."""

    path: str
    first: int
    last: int
    lines: int
    """How many the whole file has."""
    text: str
    """With the ends of its lines as they are in the file."""
    is_utf8: bool
    changed: bool | None
    """Whether the file has changed since it was indexed; None where it is in no index."""


def excerpt(root: str, place: str, here: str, folder: str) -> Excerpt:
    """Read what `place` names: `PATH`, `PATH:LINE`, `PATH:FROM-TO` or `PATH:FROM-`.

    A path is looked for in `root`, then in the folder `here`. `folder` is that of the index.
    """
    path, first, last = _named(root, place, here)
    full = os.path.join(root, path)
    try:
        status = os.stat(full)
        size = status.st_size
    except OSError as error:
        raise VectrHooksError(f"{path} cannot be read: {error.strerror}", "check its name") from error
    if not stat.S_ISREG(status.st_mode):
        raise VectrHooksError(f"{path} is not a regular file", "name a file")
    if size > LARGEST_BYTES:
        raise VectrHooksError(f"{path} is larger than {LARGEST_BYTES >> 20} MiB", "read it by other means")
    content = beginning(full, LARGEST_BYTES)
    if content is None:
        raise VectrHooksError(f"{path} cannot be read", "check who may read it")
    if b"\0" in content[:8192]:
        raise VectrHooksError(f"{path} is not a text", "name a source file")
    lines = _lines(content)
    if first is not None and first > max(1, len(lines)):
        raise VectrHooksError(f"{path} has only {len(lines)} lines", "name lines that it has")
    start = 1 if first is None else first
    end = len(lines) if last is None else min(last, len(lines))
    chosen = b"".join(lines[start - 1 : end])
    try:
        text, is_utf8 = chosen.decode("utf-8"), True
    except UnicodeDecodeError:
        text, is_utf8 = chosen.decode("latin-1"), False
    return Excerpt(path, start, end, len(lines), text, is_utf8, _changed(folder, root, path))


def _named(root: str, place: str, here: str) -> tuple[str, int | None, int | None]:
    """The path relative to `root`, and the lines where some are named."""
    match = _LINES.fullmatch(place)
    # A file may be called `a:1`.
    if match is None or _inside(root, place, here):
        path = _inside(root, place, here)
        first = last = None
    else:
        path = _inside(root, match[1], here)
        first = int(match[2])
        last = int(match[4]) if match[4] else (None if match[3] else first)
        if first < 1 or (last is not None and last < first):
            raise VectrHooksError(f"{place} names no lines", "lines count from 1, such as `src/a.py:10-20`")
    if not path:
        name = match[1] if match else place
        raise VectrHooksError(f"there is no file {name} in {root}", "name one by its path in the project")
    return path, first, last


def _inside(root: str, path: str, here: str) -> str:
    """The path of an existing file relative to `root`; '' where there is none.

    Refuses what lies outside of it, also where only a link leads there.
    """
    for folder in (root, here):
        full = os.path.join(folder, path)
        if not os.path.exists(full):
            continue
        base = root.rstrip(os.sep) + os.sep
        real = os.path.realpath(full)
        if not real.startswith(base):
            raise VectrHooksError(f"{path} lies outside of {root}", "name a file of the project")
        # A link within the project keeps its own name; what `..` means after one, only the system knows.
        written = os.path.normpath(full)
        chosen = written if written.startswith(base) and os.path.realpath(written) == real else real
        return chosen[len(base) :].replace(os.sep, "/")
    return ""


def _lines(content: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _changed(folder: str, root: str, path: str) -> bool | None:
    if not os.path.exists(os.path.join(folder, NAME)):
        return None
    try:
        with read_index(folder) as con:
            row = con.execute("SELECT stamp FROM file WHERE path = ?", (path,)).fetchone()
    except VectrHooksError:
        # What is asked for is the file.
        return None
    return None if row is None else stamp(os.path.join(root, path)) != row[0]
