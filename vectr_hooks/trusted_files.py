"""The files of a repository that notes came from: read without following a link, and compared.

Whoever can write to the repository can put anything in their place, so nothing but a regular file of no great
size that lies in the folder itself is ever opened.
"""

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: where they lie, under the root of the worktree
FOLDER = ".vectr/notes"
#: bytes; a body of a mebibyte, which a note of one's own may have, is no note to review
LARGEST = 1 << 18

CHANGED = "changed since it was trusted"
GONE = "gone since it was trusted"
UNKNOWN = "no file of it is trusted"


class UnfitFile(Exception):
    """What lies at a path is nothing to read a note from; says why."""


def content(root: str, path: str) -> bytes:
    """Read the file `path` of the repository at `root`.

    Raises UnfitFile, FileNotFoundError where there is nothing, or OSError where it cannot be read.
    """
    _size(root, path)
    # Should a link or a FIFO have come into the file's place since.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(os.path.join(root, path), flags | getattr(os, "O_BINARY", 0))
    try:
        _refuse_unfit(os.fstat(descriptor))
        found = b""
        while True:
            part = os.read(descriptor, LARGEST + 1 - len(found))
            found += part
            if not part or len(found) > LARGEST:
                break
    finally:
        os.close(descriptor)
    if len(found) > LARGEST:
        raise UnfitFile(_too_large())
    return found


def folder(root: str) -> str:
    """Name the folder of the notes under `root`.

    Raises UnfitFile where it, or what it lies in, is none of the repository's folders, FileNotFoundError
    where there is none.
    """
    place = root
    for name in FOLDER.split("/"):
        place = os.path.join(place, name)
        mode = os.lstat(place).st_mode
        if stat.S_ISLNK(mode):
            raise UnfitFile(name + " is a symbolic link, and is not followed")
        if not stat.S_ISDIR(mode):
            raise UnfitFile(name + " is not a folder")
    return place


def fingerprint(found: bytes) -> "tuple[int, int]":
    """Give the size of a file's content in bytes, and its CRC-32."""
    from zlib import crc32

    return len(found), crc32(found)


def withheld(root: str, trusted: "Mapping[int, tuple[str, int, int]]") -> "dict[int, str]":
    """Say why notes are not to be delivered whose files under `root` are not as they were when trusted.

    `trusted` gives of each note the path, the size in bytes and the CRC-32 of its file.
    """
    found = {}
    for note, (path, size, crc) in trusted.items():
        why = _difference(root, path, size, crc)
        if why:
            found[note] = why
    return found


def by_reason(withheld: "Mapping[int, str]") -> "dict[str, list[int]]":
    """Turn the reasons of notes into the notes that each reason is of."""
    found: "dict[str, list[int]]" = {}
    for note, why in withheld.items():
        found.setdefault(why, []).append(note)
    return found


def _difference(root: str, path: str, size: int, crc: int) -> str:
    # Only what `trust` wrote is there, but a store may have been written by other means.
    if os.path.dirname(path) != FOLDER:
        return UNKNOWN
    try:
        if _size(root, path) != size:
            return CHANGED
        return "" if fingerprint(content(root, path)) == (size, crc) else CHANGED
    except FileNotFoundError:
        return GONE
    except (UnfitFile, OSError, ValueError):
        return CHANGED


def _size(root: str, path: str) -> int:
    found = os.lstat(os.path.join(folder(root), os.path.basename(path)))
    _refuse_unfit(found)
    return found.st_size


def _refuse_unfit(found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise UnfitFile("it is a symbolic link, and is not followed")
    if not stat.S_ISREG(found.st_mode):
        raise UnfitFile("it is not a regular file")
    if found.st_size > LARGEST:
        raise UnfitFile(_too_large())


def _too_large() -> str:
    return "it has more than " + format(LARGEST, ",") + " bytes"
