"""Small projects, indexed without the model or with one that is made of the words."""

from __future__ import annotations

import math
import os
import sqlite3
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from pathlib import Path

import pytest

from vectr_hooks.embedding import Embedder
from vectr_hooks.search.build import Summary, build
from vectr_hooks.search.index_file import read_index

DIMENSIONS = 32
LONG_AGO_S = time.time() - 3600


def embedder(hash: str = "words" * 8) -> Embedder:
    """A model in which texts are close that share words: as fixed as the real one, and quick."""

    def embed(texts: Sequence[str]) -> list[bytes]:
        return [one(text) for text in texts]

    def one(text: str) -> bytes:
        values = [0.0] * DIMENSIONS
        for word in text.lower().split():
            values[blake2b(word.encode(), digest_size=1).digest()[0] % DIMENSIONS] += 1.0
        length = math.sqrt(sum(value * value for value in values)) or 1.0
        return struct.pack(f"<{DIMENSIONS}f", *(value / length for value in values))

    return Embedder(hash, DIMENSIONS, embed)


class Tree:
    """A folder with files, and its index."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.folder = folder

    def write(self, path: str, content: str | bytes, *, age_s: float = 3600) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        # A file that has just been written is read again by the next run.
        os.utime(file, (time.time() - age_s,) * 2)

    def fill(self, files: Mapping[str, str | bytes]) -> None:
        for path, content in files.items():
            self.write(path, content)

    def index(
        self,
        load: Callable[[], Embedder | None] | None = None,
        *,
        force: bool = False,
        folder: Path | None = None,
    ) -> Summary:
        return build(
            str(folder or self.folder), str(self.root), load, lambda what, done, total: None, force=force
        )

    def open(self, folder: Path | None = None) -> AbstractContextManager[sqlite3.Connection]:
        return read_index(str(folder or self.folder))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root = tmp_path / "tree"
    root.mkdir()
    return Tree(root, tmp_path / "cache/workspace/code")
