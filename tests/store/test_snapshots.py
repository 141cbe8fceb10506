"""Snapshots as compactions take them, inside the transaction of the event."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from tests.playback import Playback
from vectr_hooks.authoring import render
from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED, Occurrence
from vectr_hooks.replay.exact import EXACT, replay
from vectr_hooks.replay.past import Past
from vectr_hooks.store.notes import change_note, forget
from vectr_hooks.store.snapshots import take

Write = Callable[..., int]
Rows = Callable[[str], list[sqlite3.Row]]


def taken(rows: Rows) -> list[tuple[object, ...]]:
    return [
        tuple(row) for row in rows("SELECT name, note_revision, session, event FROM snapshot ORDER BY id")
    ]


def announce(session: Playback, prompt: int = 0) -> None:
    session.answer(Occurrence(COMPACTION_ANNOUNCED, "PreCompact", "auto", prompt_id=f"p{prompt}"))


def test_a_compaction_takes_a_snapshot_and_another_only_when_a_note_has_changed(
    project: Path, store_path: str, store: sqlite3.Connection, write: Write, rows: Rows
) -> None:
    write("one")
    session = Playback(project, Path(store_path))
    session.start()
    session.compact()
    assert taken(rows) == [("", 1, "session-1", 2)]
    for _ in range(3):
        session.compact()
    assert len(taken(rows)) == 1
    change_note(store, 1, 0, render, title="other")
    session.compact()
    assert taken(rows)[1:] == [("", 2, "session-1", 10)]
    # What is forgotten is a change, too, as far as a snapshot shows it.
    write("two")
    forget(store, [2])
    session.compact()
    assert len(taken(rows)) == 2


def test_every_session_has_its_own(
    project: Path, store_path: str, store: sqlite3.Connection, write: Write, rows: Rows
) -> None:
    write("one")
    for name in ("a", "b"):
        Playback(project, Path(store_path), name).compact()
    assert [row[2] for row in taken(rows)] == ["a", "b"]
    take(store, 0, "named", "c")
    Playback(project, Path(store_path), "c").compact()
    assert [row[2] for row in taken(rows)] == ["a", "b", "c"]


def test_none_is_taken_without_notes_by_a_repeated_event_or_inside_a_subagent(
    project: Path, store_path: str, write: Write, rows: Rows
) -> None:
    session = Playback(project, Path(store_path))
    session.compact()
    assert taken(rows) == []
    write("one")
    inside = session.inside("agent-1", "Explore")
    announce(inside)
    assert taken(rows) == []
    announce(session)
    write("two")
    announce(session)
    assert [row[1] for row in taken(rows)] == [1]


def test_no_other_event_takes_one(project: Path, store_path: str, write: Write, rows: Rows) -> None:
    write("one", kind="directive")
    session = Playback(project, Path(store_path))
    session.start()
    session.prompt("one")
    session.edit("src/a.py")
    session.run_to("make", "one")
    session.start("compact")
    session.start("resume")
    assert taken(rows) == []


def test_what_a_compaction_decided_replays_exactly(
    project: Path, store_path: str, store: sqlite3.Connection, write: Write
) -> None:
    write("The rule.", kind="directive")
    session = Playback(project, Path(store_path))
    session.start()
    for n in range(3):
        session.prompt(f"prompt {n}")
        write(f"Fact {n}.", session="session-1", kind="task", priority="high")
        assert "Fact" in session.compact()
    past = Past(store)
    assert {replayed.verdict for replayed in replay(past)} == {EXACT}
    past.close()
