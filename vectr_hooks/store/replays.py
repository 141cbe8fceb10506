"""What a replay reads of the record, and does to its private copy of a store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable

#: the tables of the ledger whose rows say since which event they are there
_DATED = ("delivery", "working_set")


def newest_ids(con: sqlite3.Connection) -> tuple[int, int]:
    """The newest ids that were ever given: of a note, and of a revision; 0 for none."""
    (note,) = con.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = 'note'").fetchone()
    (revision,) = con.execute("SELECT max(id) FROM revision").fetchone()
    return note or 0, revision or 0


def count_traces(con: sqlite3.Connection) -> int:
    """How many notes have left something: themselves, or a revision."""
    (count,) = con.execute(
        "SELECT count(*) FROM (SELECT id FROM note UNION SELECT note FROM revision)"
    ).fetchone()
    return int(count)


def torn(con: sqlite3.Connection) -> dict[int, str]:
    """The notes of which only a part is left, and what is missing."""
    return dict(
        con.execute(
            "SELECT note, 'revisions without a note' FROM revision WHERE note NOT IN (SELECT id FROM note)"
            " UNION SELECT id, 'a note without its revision' FROM note"
            " WHERE revision NOT IN (SELECT id FROM revision)"
        ).fetchall()
    )


def ids(con: sqlite3.Connection) -> set[int]:
    return {note for (note,) in con.execute("SELECT id FROM note")}


def title(con: sqlite3.Connection, note: int) -> str | None:
    """The title that a note has now; None when it was forgotten."""
    row = con.execute(
        "SELECT title FROM note JOIN revision ON revision.id = note.revision WHERE note.id = ?", (note,)
    ).fetchone()
    return row["title"] if row else None


def revision_of(con: sqlite3.Connection, note: int) -> int | None:
    """The newest revision of a note; None when there is no such note."""
    row = con.execute("SELECT revision FROM note WHERE id = ?", (note,)).fetchone()
    return row[0] if row else None


def text_at(con: sqlite3.Connection, note: int, revision: int) -> tuple[str, str] | None:
    """Title and body that a note had when `revision` was the newest of all; None before it was written."""
    row = con.execute(
        "SELECT title, body FROM revision WHERE note = ? AND id <= ? ORDER BY id DESC LIMIT 1",
        (note, revision),
    ).fetchone()
    return tuple(row) if row else None


def newest_recallable(con: sqlite3.Connection) -> int:
    """The newest revision of a note that a prompt may bring up; 0 for none."""
    (newest,) = con.execute(
        "SELECT max(revision) FROM note WHERE id IN (SELECT note FROM recall_term)"
    ).fetchone()
    return newest or 0


def needles(con: sqlite3.Connection) -> list[str]:
    return [text for (text,) in con.execute("SELECT DISTINCT text FROM needle")]


def found_by(
    con: sqlite3.Connection, keys: Collection[str], any_command: bool, after_revision: int, most: int
) -> list[int]:
    """The notes newer than `after_revision` that one of `keys` finds, or with `any_command` any command's."""
    if not keys and not any_command:
        return []
    rows = con.execute(
        "SELECT DISTINCT k.note FROM trigger_key k JOIN note n ON n.id = k.note"
        " WHERE (k.key IN (SELECT value FROM json_each(?)) OR (? AND k.key >= '$' AND k.key < '%'))"
        " AND n.revision > ? LIMIT ?",
        (json.dumps(sorted(keys)), any_command, after_revision, most),
    )
    return [note for (note,) in rows]


def copy_ledger(
    recorded: sqlite3.Connection, store: sqlite3.Connection, first: int, before: int | None
) -> None:
    """Give `store` what events delivered and used, from the event `first` to those `before` another."""
    for table in _DATED:
        rows = recorded.execute(
            f"SELECT * FROM {table} WHERE event >= ?1 AND (?2 IS NULL OR event < ?2)", (first, before)
        ).fetchall()
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            store.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


Loss = tuple[str, str, int, int, int]


def losses(con: sqlite3.Connection) -> dict[int, list[Loss]]:
    """By the event from which on they do not count: deliveries that were lost.

    Each is a session, an agent, an event, a note, and whether (1) that event lost all it delivered.
    """
    found: dict[int, list[Loss]] = {}
    rows = con.execute(
        "SELECT DISTINCT lost, session, agent, event, note, NOT EXISTS ("
        "   SELECT 1 FROM delivery AS kept"
        "   WHERE kept.lost <> delivery.lost AND kept.session = delivery.session"
        "   AND kept.agent = delivery.agent AND kept.event = delivery.event)"
        " FROM delivery WHERE lost > 0"
    )
    for lost, *delivered in rows:
        found.setdefault(lost, []).append(tuple(delivered))
    return found


def mark_lost(con: sqlite3.Connection, found_by: int, lost: Iterable[Loss]) -> None:
    """Let deliveries not count from the event `found_by` on; of an event that lost all, any it made."""
    con.executemany(
        "UPDATE delivery SET lost = ?"
        " WHERE session = ? AND agent = ? AND event = ? AND (note = ? OR ?) AND lost = 0",
        [(found_by, *loss) for loss in lost],
    )
