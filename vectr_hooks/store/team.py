"""Which notes come from files of the repository, and how those were when a person trusted them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.notes import Note, read_notes


@dataclass(frozen=True)
class TeamFile:
    """A file that a note is of, as it was when it was trusted or written."""

    path: str
    """Relative to the workspace root."""
    size: int
    """Bytes."""
    crc: int
    note: Note


def team_files(con: sqlite3.Connection) -> list[TeamFile]:
    """Every file that a note is of, by path."""
    rows = con.execute("SELECT path, size, crc, note FROM team_file ORDER BY path").fetchall()
    if not rows:
        return []
    there = {note.id: note for note in read_notes(con, "WHERE note.id IN (SELECT note FROM team_file)")}
    return [TeamFile(path, size, crc, there[note]) for path, size, crc, note in rows if note in there]


def titled(con: sqlite3.Connection, titles: Iterable[str]) -> list[Note]:
    """The active notes with one of `titles`, oldest first."""
    asked = json.dumps(sorted(set(titles)))
    where = "WHERE state = 'active' AND title IN (SELECT value FROM json_each(?)) ORDER BY note.id"
    return list(read_notes(con, where, (asked,)))


def keep_file(con: sqlite3.Connection, path: str, size: int, crc: int, note: int) -> None:
    """Let the file `path`, as it is, be what `note` is of, and no other file.

    Refuses one that another note is of by now: that would be withheld, being of no file.
    """
    taken = "SELECT 1 FROM team_file WHERE path = ? AND note <> ? AND note IN (SELECT id FROM note)"
    if con.execute(taken, (path, note)).fetchone():
        raise VectrHooksError(f"{path} has been trusted meanwhile", "run the command again")
    con.execute(
        "INSERT OR REPLACE INTO team_file(path, note, size, crc) VALUES (?, ?, ?, ?)", (path, note, size, crc)
    )
