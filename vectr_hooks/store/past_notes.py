"""The notes as they were at a snapshot, and the snapshots there are."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from vectr_hooks.core.changes import Seen
from vectr_hooks.core.kinds import KINDS, precedence
from vectr_hooks.core.settings import effective
from vectr_hooks.core.states import state, state_in_words
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store import damage, snapshots
from vectr_hooks.store.notes import Note, note_at, read_revisions
from vectr_hooks.store.transaction import writing

SHOW_THEM = "`vectr-hooks snapshots` shows those there are"

_SHORT_SESSION = 8
_NUMBER = re.compile(r"#?([0-9]{1,18})")


@dataclass(frozen=True)
class Snapshot:
    """A point in time at which the notes can be read as they were."""

    id: int
    """0: now."""
    at: int
    """Milliseconds."""
    name: str
    """'' at a compaction."""
    note_revision: int
    """The newest of all then."""
    session: str
    """The host's session, or ''."""
    event: int
    """At which it was taken; 0: by a command."""


@dataclass(frozen=True)
class Listed:
    """A snapshot among the others."""

    snapshot: Snapshot
    notes: int
    """There were so many, without those that were forgotten since."""
    changes: int
    """Revisions since the snapshot before it, without those of notes that were forgotten since."""


def present(con: sqlite3.Connection, now_ms: int) -> Snapshot:
    """What a snapshot that is taken now would hold."""
    (newest,) = con.execute("SELECT coalesce(max(id), 0) FROM revision").fetchone()
    return Snapshot(0, now_ms, "", newest, "", 0)


def take(con: sqlite3.Connection, now_ms: int, name: str, session: str) -> tuple[Snapshot, int]:
    """Take a snapshot called `name`, refused if one is; it, and how many notes it holds."""
    with writing(con):
        if con.execute("SELECT 1 FROM snapshot WHERE name = ?", (name,)).fetchone():
            raise VectrHooksError(
                f"there is a snapshot `{name}` already", f"give this one another name; {SHOW_THEM}"
            )
        snapshots.take(con, now_ms, name, session)
        (notes,) = con.execute("SELECT count(*) FROM note").fetchone()
        return find(con, name), int(notes)


def find(con: sqlite3.Connection, given: str) -> Snapshot:
    """The snapshot that is called `given`, or has that number (`3`, `#3`); refuses what is none."""
    number = _NUMBER.fullmatch(given)
    column, value = ("id", int(number[1])) if number else ("name", given.strip())
    row = con.execute(f"SELECT * FROM snapshot WHERE {column} = ? AND ?1 <> ''", (value,)).fetchone()
    if row is None:
        raise VectrHooksError(f"there is no snapshot {given.strip() or 'without a name'}", SHOW_THEM)
    return _snapshot(row)


def listed(con: sqlite3.Connection, limit: int, told: damage.Told) -> list[Listed]:
    """The newest snapshots, oldest first; `told` is called with the refusal of each that is damaged."""
    rows = con.execute(
        "SELECT snapshot.*,"
        "  (SELECT count(*) FROM revision WHERE revision.id <= snapshot.note_revision"
        "   AND revision.id > coalesce((SELECT before.note_revision FROM snapshot AS before"
        "     WHERE before.id < snapshot.id ORDER BY before.id DESC LIMIT 1), 0)) AS changes"
        " FROM snapshot ORDER BY id DESC LIMIT ?",
        (limit,),
    ).fetchall()
    written = sorted(first for (first,) in con.execute("SELECT min(id) FROM revision GROUP BY note"))

    def read(row: sqlite3.Row) -> Listed:
        snapshot = _snapshot(row)
        return Listed(snapshot, bisect_right(written, snapshot.note_revision), row["changes"])

    return list(damage.readable(rows[::-1], read, told))


def count(con: sqlite3.Connection) -> int:
    (number,) = con.execute("SELECT count(*) FROM snapshot").fetchone()
    return int(number)


def notes_at(
    con: sqlite3.Connection, snapshot: Snapshot, told: damage.Told = damage.refuse
) -> list[Seen[Note]]:
    """Every note as it was, in the order of precedence of then."""
    notes = read_revisions(
        con,
        "WHERE id IN (SELECT max(id) FROM revision WHERE id <= ? GROUP BY note)",
        (snapshot.note_revision,),
        told,
    )
    found = list(map(_eyes(con, snapshot), notes))
    found.sort(key=_precedence)
    return found


def existing_note_at(con: sqlite3.Connection, id: int, snapshot: Snapshot) -> Seen[Note]:
    """The note `id` as it was; refuses one that was not there, or is no longer kept."""
    note = note_at(con, id, snapshot.note_revision)
    if note is None:
        raise VectrHooksError(
            f"no note #{id} is kept of {named(snapshot)}",
            f"`vectr-hooks list --at {snapshot.id}` shows those there were; what is forgotten is gone from"
            " every snapshot",
        )
    return _eyes(con, snapshot)(note)


def differing(
    con: sqlite3.Connection, older: Snapshot, newer: Snapshot, told: damage.Told = damage.refuse
) -> tuple[list[Seen[Note]], list[Seen[Note]]]:
    """The notes that may not be the same at both, as they were at the one and at the other.

    They are those that have another revision, and those that time alone may have made expire. `told` is
    called with the refusal of each that is damaged.
    """
    aging = sorted({*_aging(con, older), *_aging(con, newer)})
    rows = con.execute(
        "SELECT was, now FROM ("
        "  SELECT max(iif(id <= ?1, id, NULL)) AS was, max(id) AS now FROM revision WHERE id <= ?2"
        "  GROUP BY note)"
        " WHERE was IS NOT now OR EXISTS ("
        "  SELECT 1 FROM revision WHERE revision.id = now AND (expires <> '' OR kind IN"
        f"  ({', '.join('?' * len(aging))})))",
        (older.note_revision, newer.note_revision, *aging),
    ).fetchall()
    chosen = json.dumps(sorted({revision for row in rows for revision in row} - {None}))
    read = read_revisions(con, "WHERE id IN (SELECT value FROM json_each(?))", (chosen,), told)
    found = {note.revision: note for note in read}
    # Of a damaged note nothing can be said.
    sound = [row for row in rows if all(revision in found for revision in row if revision is not None)]
    was = [found[row["was"]] for row in sound if row["was"] is not None]
    return list(map(_eyes(con, older), was)), list(
        map(_eyes(con, newer), (found[row["now"]] for row in sound))
    )


def forgotten_since(con: sqlite3.Connection, snapshot: Snapshot) -> list[int]:
    """The notes that are known to have been there and were forgotten since: the audit saw them later."""
    rows = con.execute(
        "SELECT DISTINCT outcome.note FROM outcome JOIN event ON event.id = outcome.event"
        " WHERE outcome.revision <= ?1 AND event.note_revision >= ?1 AND event.at >= ?2"
        " AND outcome.note NOT IN (SELECT note FROM revision) ORDER BY outcome.note",
        (snapshot.note_revision, snapshot.at),
    )
    return [note for (note,) in rows if damage.is_number(note)]


def named(snapshot: Snapshot) -> str:
    """`snapshot 3 (before-the-merge)`, for a sentence."""
    if not snapshot.id:
        return "now"
    return f"snapshot {snapshot.id} ({snapshot.name or at_compaction(snapshot)})"


def at_compaction(snapshot: Snapshot) -> str:
    """What stands for the name of one that has none."""
    return f"compaction of session {snapshot.session[:_SHORT_SESSION]}"


def _eyes(con: sqlite3.Connection, snapshot: Snapshot) -> Callable[[Note], Seen[Note]]:
    """What tells of a revision in which state the note was, by the settings and on the day of then."""
    settings = _settings(con, snapshot.at)
    today = time.strftime("%Y-%m-%d", time.gmtime(snapshot.at / 1000))
    return lambda note: Seen(note, state(note, settings, today), state_in_words(note, settings, today))


def _settings(con: sqlite3.Connection, at_ms: int) -> Mapping[str, int | bool]:
    return effective(con.execute("SELECT key, value FROM setting WHERE at <= ? ORDER BY id", (at_ms,)))


def _aging(con: sqlite3.Connection, snapshot: Snapshot) -> Iterator[str]:
    """The kinds of which notes expired by their age."""
    settings = _settings(con, snapshot.at)
    return (kind for kind in KINDS if settings.get(f"expire.{kind}"))


def _precedence(seen: Seen[Note]) -> int:
    note = seen.note
    return precedence(note.pinned, note.kind, note.priority, note.revision, note.state)


def _snapshot(row: sqlite3.Row) -> Snapshot:
    names = ("id", "at", "name", "note_revision", "session", "event")
    snapshot = Snapshot(**{name: row[name] for name in names})
    return damage.sound(snapshot, f"snapshot {row['id']}", _CHECKS)


_CHECKS = damage.checks(Snapshot, at=damage.is_time)
