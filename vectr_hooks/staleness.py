"""Whether what a note is about still stands as it did when the note was written."""

import os
import stat

from vectr_hooks.store.workspace import beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

GONE = "STALE: path gone"
CHANGED = "changed since"

# Larger files are compared by size alone.
CRC_BYTES = 1 << 20


def marks(root: str, watched: "Sequence[tuple[str, int, int]]") -> "list[str]":
    """Compare `watched` (path, size in bytes or -1 for existence only, CRC) with the files under `root`."""
    found = {_mark(os.path.join(root, path), size, crc) for path, size, crc in watched}
    return [mark for mark in (GONE, CHANGED) if mark in found]


def checksum(path: str) -> "int | None":
    """Compute the CRC-32 of a regular file of at most `CRC_BYTES`; None for any other."""
    from zlib import crc32

    content = beginning(path, CRC_BYTES + 1)
    return None if content is None or len(content) > CRC_BYTES else crc32(content)


def _mark(path: str, size: int, crc: int) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return GONE
    if size < 0 or not stat.S_ISREG(found.st_mode):
        return ""
    if found.st_size != size:
        return CHANGED
    # What cannot be read or is too large is compared by size alone.
    return CHANGED if checksum(path) not in (crc, None) else ""
