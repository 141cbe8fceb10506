"""Whether what a note is about still stands as it did when the note was written."""

import os
import stat

from vectr_hooks.store.workspace import beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GONE = "STALE: path gone"
CHANGED = "changed since"
#: in the order in which a header shows them
MARKS = (GONE, CHANGED)

# Larger files are compared by size alone.
CRC_BYTES = 1 << 20


def marks(root: str, watched: "Sequence[tuple[str, int, int]]") -> "list[str]":
    """Compare `watched` (path, size in bytes or -1 for existence only, CRC) with the files under `root`."""
    found = {_mark(os.path.join(root, path), size, crc) for path, size, crc in watched}
    return [mark for mark in MARKS if mark in found]


def marks_of(root: str, watched: "Mapping[int, Sequence[tuple[str, int, int]]]") -> "dict[int, list[str]]":
    """Do so for many notes, of which some have a mark; a file that several are about is looked at once."""
    looked: "dict[tuple[str, int, int], str]" = {}
    for file in {file for files in watched.values() for file in files}:
        looked[file] = _mark(os.path.join(root, file[0]), *file[1:])
    found = {}
    for note, files in watched.items():
        marks = {looked[file] for file in files}
        if marks - {""}:
            found[note] = [mark for mark in MARKS if mark in marks]
    return found


def by_mark(marked: "Mapping[int, Sequence[str]]") -> "dict[str, list[int]]":
    """Turn the marks of notes into the notes that have each mark; leave out a mark that none has."""
    notes = {mark: [note for note, marks in marked.items() if mark in marks] for mark in MARKS}
    return {mark: having for mark, having in notes.items() if having}


def checksum(path: str) -> "int | None":
    """Compute the CRC-32 of a regular file of at most `CRC_BYTES`; None for any other."""
    from zlib import crc32

    content = beginning(path, CRC_BYTES + 1)
    return None if content is None or len(content) > CRC_BYTES else crc32(content)


def _mark(path: str, size: int, crc: int) -> str:
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return GONE
    except (OSError, ValueError):
        return ""  # it cannot be told
    if size < 0 or not stat.S_ISREG(found.st_mode):
        return ""
    if found.st_size != size:
        return CHANGED
    # What cannot be read or is too large is compared by size alone.
    return CHANGED if checksum(path) not in (crc, None) else ""
