from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from vectr_hooks.store.create import create_store, open_store


@pytest.fixture
def store_path(tmp_path: Path) -> str:
    """A store without notes."""
    path = str(tmp_path / "data" / "notes.db")
    create_store(path, "0123456789abcdef" * 2, str(tmp_path), 0)
    return path


@pytest.fixture
def con(store_path: str) -> Iterator[sqlite3.Connection]:
    with closing(open_store(store_path)) as con:
        yield con
