"""What is derived from the notes can be made anew, and whoever looks for a difference finds it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store import earlier
from vectr_hooks.store import derived
from vectr_hooks.store.notes import forget

Write = Callable[..., int]


@pytest.fixture
def notes(write: Write, project: Path) -> None:
    (project / "pool.py").write_text("x = 1\n", encoding="utf-8")
    write("Deploys go through the canary.", trigger={"trigger": [{"keyword": "deploy", "path": "src/**"}]})
    write("The ACQUIRE_LOCK of the pool is not reentrant.", anchors=["pool.py"])
    write("ECONNRESET: try again.", trigger={"trigger": [{"output": "ECONNRESET"}]}, pinned=True)


@pytest.mark.usefixtures("notes")
def test_a_whole_store_agrees_and_making_it_anew_changes_nothing(store: sqlite3.Connection) -> None:
    assert derived.disagreements(store) == []
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'note_fts!_%' ESCAPE '!'"
    tables = [name for (name,) in store.execute(query)]
    before = [earlier.rows(store, name) for name in tables], earlier.shape(store)
    assert derived.rebuild(store) == 3
    assert ([earlier.rows(store, name) for name in tables], earlier.shape(store)) == before


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize("table", ["note", *derived.REMADE])
def test_a_table_that_was_emptied_is_named_and_filled_again(store: sqlite3.Connection, table: str) -> None:
    store.execute(f"DELETE FROM {table}")
    assert derived.disagreements(store) == [table]
    derived.rebuild(store)
    assert derived.disagreements(store) == []


@pytest.mark.usefixtures("notes")
def test_embeddings_are_no_disagreement_and_are_dropped(store: sqlite3.Connection) -> None:
    store.execute("INSERT INTO note_vector VALUES (1, 'm', 'h', x'00')")
    assert derived.disagreements(store) == []
    derived.rebuild(store)
    assert store.execute("SELECT * FROM note_vector").fetchall() == []


@pytest.mark.usefixtures("notes")
def test_what_was_seen_of_a_file_when_a_note_was_written_stays(store: sqlite3.Connection) -> None:
    before = store.execute("SELECT * FROM watched_path").fetchall()
    assert before
    derived.rebuild(store)
    assert store.execute("SELECT * FROM watched_path").fetchall() == before


@pytest.mark.usefixtures("notes")
def test_ids_of_forgotten_notes_are_not_given_again(store: sqlite3.Connection, write: Write) -> None:
    forget(store, [3])
    derived.rebuild(store)
    assert write("Another.") == 4


@pytest.mark.parametrize(
    ("parts", "made"),
    [
        ([], True),
        (["needle.token", "needle_note", "note_fts_idx.segid", "note_fts"], True),
        (["note_vector", "needle"], True),
        (["event.more"], False),
        (["needle.token", "revision.body"], False),
        (["note.precedence"], False),
    ],
)
def test_only_what_no_author_wrote_is_made_anew(parts: list[str], made: bool) -> None:
    assert derived.makes(parts) is made
