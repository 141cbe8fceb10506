"""Whether what a note is about still stands as it did when the note was written."""

import os
import stat

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


def checksum(path: str) -> int:
    """Compute the CRC-32 of a regular file of at most `CRC_BYTES`; 0 for any other."""
    from zlib import crc32

    # Non-blocking, so that a FIFO in the file's place cannot hang the hook.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return 0
        content = os.read(descriptor, CRC_BYTES + 1)
    finally:
        os.close(descriptor)
    return crc32(content) if len(content) <= CRC_BYTES else 0


def _mark(path: str, size: int, crc: int) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return GONE
    if size < 0 or not stat.S_ISREG(found.st_mode):
        return ""
    if found.st_size != size:
        return CHANGED
    try:
        return CHANGED if size <= CRC_BYTES and checksum(path) != crc else ""
    except OSError:
        return ""
