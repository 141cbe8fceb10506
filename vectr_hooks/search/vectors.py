"""The vectors of the index: one file of float32 rows. The database says which rows hold one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

_PREFIX = "vectors-"
_FLOAT_BYTES = 4


def vectors_path(folder: str, model: str) -> str:
    """The file of the vectors of the model whose hash this is: never mistaken for those of another."""
    return os.path.join(folder, f"{_PREFIX}{model[:16]}.f32")


def remove_others(folder: str, model: str) -> None:
    """Remove the vectors of other models. Who has them open goes on reading them."""
    own = os.path.basename(vectors_path(folder, model))
    for name in os.listdir(folder):
        if name.startswith(_PREFIX) and name != own:
            with suppress(OSError):
                os.unlink(os.path.join(folder, name))


class VectorWriter:
    """Writes rows that nobody reads yet: free ones first, then new ones at the end."""

    def __init__(self, path: str, dimensions: int, used: Sequence[int]) -> None:
        self._row = dimensions * _FLOAT_BYTES
        self._file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        # Rows freed by this run are left alone until the next: a search that began before may read them.
        self._free = _free(used)

    def write(self, vectors: Sequence[bytes]) -> list[int]:
        """Write vectors and have them on the disk; give their rows."""
        slots = [next(self._free) for _ in vectors]
        for slot, vector in zip(slots, vectors, strict=True):
            assert len(vector) == self._row
            os.pwrite(self._file, vector, slot * self._row)
        os.fsync(self._file)
        return slots

    def close(self) -> None:
        os.close(self._file)


def rows_in(path: str, dimensions: int) -> int:
    """How many whole rows the file holds; 0 where it is missing."""
    try:
        return os.stat(path).st_size // (dimensions * _FLOAT_BYTES)
    except OSError:
        return 0


def open_rows(path: str, dimensions: int) -> NDArray[numpy.float32]:
    """Map the file's rows into memory; what is not read takes none."""
    import numpy

    return numpy.memmap(path, dtype="<f4", mode="r", shape=(rows_in(path, dimensions), dimensions))


def _free(used: Sequence[int]) -> Iterator[int]:
    at = 0
    for slot in used:
        yield from range(at, slot)
        at = slot + 1
    while True:
        yield at
        at += 1
