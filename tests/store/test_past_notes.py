"""The notes as they were at a snapshot."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.playback import DAY_MS, Playback
from vectr_hooks.authoring import render
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store import backups, configuration, past_notes, restoring, snapshots
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, all_notes, change_note, forget
from vectr_hooks.store.past_notes import Snapshot, differing, find, forgotten_since, listed, notes_at
from vectr_hooks.store.pruning import prune

Write = Callable[..., int]
NOW_MS = 20_000 * DAY_MS


def take(store: sqlite3.Connection, name: str, now_ms: int = NOW_MS) -> Snapshot:
    return past_notes.take(store, now_ms, name, "")[0]


def as_kept(note: Note) -> Note:
    """Of a revision everything is kept but how files were."""
    return replace(note, watched=())


@pytest.mark.parametrize("seed", range(4))
def test_every_snapshot_gives_back_what_there_was_but_for_what_is_forgotten(
    store: sqlite3.Connection, write: Write, seed: int
) -> None:
    chance = random.Random(seed)
    taken: list[tuple[Snapshot, list[Note]]] = []
    ids: list[int] = []
    for n in range(30):
        move = chance.choice(["write", "write", "title", "pin", "revoke", "forget"])
        if move == "write" or not ids:
            ids.append(
                write(f"Note {n} about src/a.py.", kind=chance.choice(["gotcha", "directive", "task"]))
            )
        elif move == "forget":
            forget(store, [ids.pop(chance.randrange(len(ids)))])
        else:
            changes = {
                "title": {"title": f"Title {n}"},
                "pin": {"pinned": chance.random() < 0.5},
                "revoke": {"state": chance.choice(["active", "revoked"]), "reason": "no"},
            }[move]
            change_note(store, chance.choice(ids), NOW_MS + n, render, **changes)
        taken.append((take(store, f"after {n}", NOW_MS + n), all_notes(store)))
    for snapshot, were in taken:
        found = [seen.note for seen in notes_at(store, snapshot)]
        assert found == [as_kept(note) for note in were if note.id in ids]


def test_a_snapshot_is_found_by_its_name_and_by_its_number(store: sqlite3.Connection) -> None:
    first, second = take(store, "first"), take(store, "2nd")
    assert (first.id, second.id) == (1, 2)
    for given in ("first", " first ", "1", "#1"):
        assert find(store, given) == first
    for given in ("3", "First", "", " ", "#", "1" * 30):
        with pytest.raises(VectrHooksError, match="there is no snapshot"):
            find(store, given)


def test_no_name_is_given_twice(store: sqlite3.Connection) -> None:
    take(store, "x")
    with pytest.raises(VectrHooksError, match="there is a snapshot `x` already"):
        take(store, "x")
    assert past_notes.count(store) == 1


def test_the_list_tells_how_many_notes_there_were_and_how_many_changes_since_the_one_before(
    store: sqlite3.Connection, write: Write
) -> None:
    take(store, "nothing")
    write("one")
    write("two")
    take(store, "two")
    change_note(store, 1, NOW_MS, render, title="x")
    write("three")
    take(store, "three")
    take(store, "again")

    def told(limit: int) -> list[tuple[str, int, int]]:
        return [(each.snapshot.name, each.notes, each.changes) for each in listed(store, limit, pytest.fail)]

    assert told(9) == [("nothing", 0, 0), ("two", 2, 2), ("three", 3, 2), ("again", 3, 0)]
    assert told(2) == [("three", 3, 2), ("again", 3, 0)]
    forget(store, [1])
    assert told(9) == [("nothing", 0, 0), ("two", 1, 1), ("three", 2, 1), ("again", 2, 0)]


def test_what_does_not_differ_is_not_read(store: sqlite3.Connection, write: Write) -> None:
    for n in range(5):
        write(f"Note {n}.")
    first = take(store, "first")
    change_note(store, 2, NOW_MS, render, title="x")
    write("new")
    before, after = differing(store, first, past_notes.present(store, NOW_MS))
    assert [seen.note.id for seen in before] == [2]
    assert [(seen.note.id, seen.note.title) for seen in after] == [(2, "x"), (6, "new")]


def test_a_note_expires_between_two_snapshots_by_its_date_and_by_the_age_of_then(
    store: sqlite3.Connection, write: Write
) -> None:
    dated = write("dated", trigger={"keyword": "a", "expires": "2024-10-10"}, now_ms=NOW_MS)
    aged = write("aged", kind="gotcha", now_ms=NOW_MS)
    write("neither", now_ms=NOW_MS)
    early = take(store, "early", NOW_MS)
    configuration.set_value(store, "expire.gotcha", 10, NOW_MS + 1)
    late = take(store, "late", NOW_MS + 30 * DAY_MS)
    before, after = differing(store, early, late)
    assert {seen.note.id: seen.state for seen in before} == {dated: "active", aged: "active"}
    assert {seen.note.id: seen.state for seen in after} == {dated: "expired", aged: "expired"}
    # The day and the settings are those of then, whatever they are now.
    assert {seen.state for seen in notes_at(store, early)} == {"active"}


def test_of_a_damaged_note_nothing_is_said_but_that(store: sqlite3.Connection, write: Write) -> None:
    for name in ("one", "two"):
        write(name)
    first = take(store, "first")
    for id in (1, 2):
        change_note(store, id, NOW_MS, render, title="x")
    store.execute("UPDATE revision SET kind = 'zzz' WHERE id = 1")
    told: list[VectrHooksError] = []
    before, after = differing(store, first, past_notes.present(store, NOW_MS), told.append)
    assert ([seen.note.id for seen in before], [seen.note.id for seen in after]) == ([2], [2])
    assert [error.message for error in told] == ["#1 cannot be read: its kind is damaged"]


@pytest.mark.parametrize("column", ["at", "name", "note_revision", "event"])
def test_a_damaged_snapshot_is_refused_and_left_out_of_the_list(
    store: sqlite3.Connection, column: str
) -> None:
    for name in ("first", "second"):
        take(store, name)
    store.execute(f"UPDATE snapshot SET {column} = x'ff' WHERE id = 1")
    told: list[VectrHooksError] = []
    assert [each.snapshot.name for each in listed(store, 9, told.append)] == ["second"]
    assert [error.message.partition(":")[0] for error in told] == ["snapshot 1 cannot be read"]
    with pytest.raises(VectrHooksError, match="snapshot 1 cannot be read"):
        find(store, "1")


def test_what_is_forgotten_is_gone_from_every_snapshot_and_known_by_the_audit_alone(
    project: Path, store_path: str, store: sqlite3.Connection, write: Write
) -> None:
    seen, unseen = write("The rule.", kind="directive"), write("Never seen.")
    first = take(store, "first", NOW_MS)
    Playback(project, Path(store_path), now_ms=NOW_MS).start()
    later = write("A later rule.", kind="directive")
    Playback(project, Path(store_path), "session-2", NOW_MS + DAY_MS).start()
    forget(store, [seen, unseen, later])
    assert notes_at(store, first) == []
    # The later one was not there, and of the other nobody knows.
    assert forgotten_since(store, first) == [seen]
    assert forgotten_since(store, take(store, "second", NOW_MS + 2 * DAY_MS)) == []


def test_snapshots_outlive_the_audit_and_every_note(store: sqlite3.Connection, write: Write) -> None:
    write("one")
    snapshots.take_at_compaction(store, NOW_MS, "s1", 7)
    store.execute(
        "INSERT INTO event SELECT 1, 1, '', '', '', 0, '', '', 0, 0, '{}', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"
    )
    store.execute(
        "INSERT INTO event SELECT 2, 1, '', '', '', 0, '', '', 0, 0, '{}', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"
    )
    assert prune(store, NOW_MS) == 1
    assert len(notes_at(store, find(store, "1"))) == 1
    forget(store, [1])
    assert notes_at(store, find(store, "1")) == []
    assert take(store, "later").id == 2


def test_a_backup_brings_its_snapshots_back_and_their_numbers_are_not_given_again(
    store_path: str, store: sqlite3.Connection, write: Write, tmp_path: Path
) -> None:
    write("one")
    take(store, "kept")
    backup = backups.save(store, str(tmp_path / "copy.db")).path
    write("two")
    take(store, "lost")
    store.close()
    id = "0123456789abcdef" * 2
    with restoring.prepared(backup, store_path, id) as ready:
        restoring.replace(ready, store_path)
    with closing(open_store(store_path)) as con:
        assert [each.snapshot.name for each in listed(con, 9, pytest.fail)] == ["kept"]
        assert [seen.note.title for seen in notes_at(con, find(con, "kept"))] == ["one"]
        assert take(con, "new").id == 3
