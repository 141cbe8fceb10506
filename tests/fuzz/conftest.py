"""A workspace whose notes look for something in everything that an event can hold."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fuzz.notes import write_notes


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    """The garbage collector, which a hook switches off for the rest of its short life."""
    was_on = gc.isenabled()
    gc.enable()
    yield
    if not was_on:
        gc.disable()


@pytest.fixture
def noted(project: Path, store_path: Path, write: Callable[..., int]) -> Path:
    """The project's folder; its store holds notes with every sort of condition."""
    for name in ("src/db/a.py", "a.txt", "migrations/1.sql"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("acquire_lock()\n" * 100, encoding="utf-8")
    (project / "transcript.jsonl").write_text('{"type":"user"}\n', encoding="utf-8")
    write_notes(write)
    return project
