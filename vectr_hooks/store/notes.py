"""Notes as commands read and write them: every change a revision, and what hooks read derived from it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from vectr_hooks.core.compile import SORTS
from vectr_hooks.core.grammar import Trigger, parse_trigger
from vectr_hooks.core.kinds import default_clauses
from vectr_hooks.core.model import Clause
from vectr_hooks.core.needles import FILE_SYMBOL, SYMBOL
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.revisions import Render, Revision, clear_derived, next_ids, prepare, write
from vectr_hooks.store.transaction import writing

ACTIVE = "active"

# SQLite refuses to compare with anything larger.
_LAST_ID = (1 << 63) - 1


@dataclass(frozen=True)
class WatchedPath:
    """A file a note is about as it was then; a size of -1: only its existence counts."""

    path: str
    size: int
    crc: int


@dataclass(frozen=True, kw_only=True)
class NoteDraft:
    """What an author decides about a note, and what was seen when it was written."""

    title: str
    body: str
    kind: str
    priority: str
    tags: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    trigger: Trigger | None = None
    """None: the default of the kind."""
    scope: str = "workspace"
    scope_value: str = ""
    """The branch, session or worktree it is limited to."""
    provenance: str
    author: str = ""
    state: str = ACTIVE
    pinned: bool = False
    session: str = ""
    watched: tuple[WatchedPath, ...] = ()

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses that are compiled: the trigger's, else the kind's default."""
        if self.trigger is not None:
            return self.trigger.clauses
        return default_clauses(self.kind, self.priority, self.anchors)


@dataclass(frozen=True, kw_only=True)
class Note(NoteDraft):
    """A stored note at its newest revision."""

    id: int
    revision: int
    at: int
    """When this revision was written, in milliseconds; `created` is when the first was."""
    created: int
    cost: int
    """Tokens of `text` without what a hook fills in."""
    text: str
    line: str


def add_note(con: sqlite3.Connection, draft: NoteDraft, render: Render, now_ms: int) -> Note:
    (id,) = add_notes(con, [draft], render, now_ms)
    return existing_note(con, id)


def add_notes(con: sqlite3.Connection, drafts: Iterable[NoteDraft], render: Render, now_ms: int) -> list[int]:
    """Store all of `drafts` or none, in one transaction; the ids they are given, in their order.

    `drafts` is read before the store is locked, so it may take its time: a hook waits for the lock.
    """
    new = list(drafts)
    first = next_ids(con)
    prepared = _prepared(new, first, render, now_ms)
    with writing(con):
        if next_ids(con) != first:
            # Another process wrote meanwhile, and the ids are part of what is written.
            prepared = _prepared(new, next_ids(con), render, now_ms)
        write(con, prepared)
    return [revision.id for revision in prepared]


def _prepared(
    drafts: Iterable[NoteDraft], first: tuple[int, int], render: Render, now_ms: int
) -> list[Revision]:
    note, revision = first
    return [
        prepare(note + n, revision + n, draft, render, now_ms, created=now_ms)
        for n, draft in enumerate(drafts)
    ]


def change_note(con: sqlite3.Connection, id: int, now_ms: int, render: Render, **changes: Any) -> Note:
    """Append a revision of note `id` in which the fields named in `changes` are others."""
    return change_notes(con, {id: changes}, now_ms, render)[0]


def change_notes(
    con: sqlite3.Connection,
    changes: Mapping[int, Mapping[str, Any]],
    now_ms: int,
    render: Render,
    seen: Mapping[int, int] | None = None,
) -> list[Note]:
    """Append a revision of every note in `changes`, or of none; the notes as they are then.

    `seen` names the revisions that the changes were made from: a note with a newer one is refused.
    """
    with writing(con):
        for id, changed in changes.items():
            before = existing_note(con, id)
            if seen is not None and before.revision != seen[id]:
                raise VectrHooksError(
                    f"#{id} has been changed meanwhile", f"`vectr-hooks show {id}` shows it as it is now"
                )
            draft = replace(_draft(before), **changed)
            _, revision = next_ids(con)
            write(con, [prepare(id, revision, draft, render, now_ms, before.created)])
        return [existing_note(con, id) for id in changes]


def get_note(con: sqlite3.Connection, id: int) -> Note | None:
    return next(read_notes(con, "WHERE note.id = ?", (id,)), None) if _exists(con, id) else None


def note_at(con: sqlite3.Connection, id: int, revision: int) -> Note | None:
    """Note `id` as it was when `revision` was the newest of all; None before it was written."""
    row = con.execute(
        "SELECT *, '[]' AS watched FROM revision WHERE note = ? AND id <= ? ORDER BY id DESC LIMIT 1",
        (min(id, _LAST_ID), revision),
    ).fetchone()
    return _note(row) if row else None


def is_forgotten(con: sqlite3.Connection, id: int) -> bool:
    """Whether `id` was a note's that was deleted; ids are never given twice."""
    row = con.execute("SELECT seq FROM sqlite_sequence WHERE name = 'note'").fetchone()
    return row is not None and 0 < id <= row[0] and not _exists(con, id)


def _exists(con: sqlite3.Connection, id: int) -> bool:
    return 0 < id <= _LAST_ID and bool(con.execute("SELECT 1 FROM note WHERE id = ?", (id,)).fetchone())


def existing_note(con: sqlite3.Connection, id: int) -> Note:
    """The note `id`; refuses an id that is none."""
    note = get_note(con, id)
    if note is None:
        raise VectrHooksError(f"there is no note #{id}", "`vectr-hooks list` shows those there are")
    return note


def newest_note(con: sqlite3.Connection) -> int:
    """The id of the note written last; refuses where there is none."""
    (id,) = con.execute("SELECT max(id) FROM note").fetchone()
    if id is None:
        raise VectrHooksError("there are no notes yet", "`vectr-hooks remember` stores one")
    return int(id)


def all_notes(con: sqlite3.Connection) -> list[Note]:
    """Every note, in order of precedence."""
    return list(read_notes(con, "ORDER BY note.precedence, note.id"))


def forget(con: sqlite3.Connection, ids: Iterable[int]) -> int:
    """Delete the notes among `ids` for good, with all their revisions; return how many there were.

    The ledger and the audit keep their numbers: what was delivered when, and what it cost.
    """
    with writing(con):
        there = [id for id in dict.fromkeys(ids) if _exists(con, id)]
        needles = {needle for id in there for needle in _needles(con, id)}
        for id in there:
            clear_derived(con, id)
            con.execute("DELETE FROM revision WHERE note = ?", (id,))
            con.execute("DELETE FROM note WHERE id = ?", (id,))
        _forget_needles(con, needles)
        if there:
            # Until its segments are merged, the index keeps the words of what was deleted.
            con.execute("INSERT INTO note_fts(note_fts) VALUES ('optimize')")
    # The log still holds the pages as they were. While a reader uses it, it stays until a later checkpoint.
    con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return len(there)


def _needles(con: sqlite3.Connection, note: int) -> set[str]:
    """Everything that a revision of `note` had looked for in texts."""
    rows = con.execute(
        "SELECT DISTINCT part.path, part.atom"
        " FROM revision, json_tree(revision.trigger) AS part"
        " WHERE revision.note = ? AND revision.trigger <> '' AND part.type = 'text'",
        (note,),
    )
    found = {SORTS[name] + text for path, text in rows if (name := path.rpartition(".")[2]) in SORTS}
    return found | {FILE_SYMBOL + needle[1:] for needle in found if needle.startswith(SYMBOL)}


def _forget_needles(con: sqlite3.Connection, needles: Iterable[str]) -> None:
    """Take out of what was recorded of texts the needles that no note has any longer."""
    for needle in sorted(needles):
        asked = SYMBOL + needle[1:] if needle.startswith(FILE_SYMBOL) else needle
        if con.execute("SELECT 1 FROM needle WHERE text = ? LIMIT 1", (asked,)).fetchone():
            continue
        con.execute("DELETE FROM turn_needle WHERE text = ?", (needle,))
        for fact in ("$.needles", "$.fresh", "$.slow"):
            con.execute(
                "UPDATE event SET facts = json_set(facts, ?2,"
                "  (SELECT json_group_array(value) FROM json_each(facts, ?2) WHERE value <> ?1))"
                " WHERE EXISTS (SELECT 1 FROM json_each(facts, ?2) WHERE value = ?1)",
                (needle, fact),
            )


def read_notes(con: sqlite3.Connection, where: str, values: Sequence[object] = ()) -> Iterator[Note]:
    """Read the notes that the end of a statement, `where`, chooses and orders."""
    rows = con.execute(
        "SELECT revision.*, (SELECT json_group_array(json_array(path, size, crc))"
        "   FROM watched_path WHERE watched_path.note = note.id) AS watched"
        " FROM note JOIN revision ON revision.id = note.revision " + where,
        values,
    )
    return map(_note, rows)


def _note(row: sqlite3.Row) -> Note:
    return Note(
        id=row["note"],
        revision=row["id"],
        at=row["at"],
        title=row["title"],
        body=row["body"],
        kind=row["kind"],
        priority=row["priority"],
        tags=tuple(json.loads(row["tags"])),
        anchors=tuple(json.loads(row["anchors"])),
        trigger=parse_trigger(json.loads(row["trigger"])) if row["trigger"] else None,
        scope=row["scope"],
        scope_value=row["scope_value"],
        provenance=row["provenance"],
        author=row["author"],
        state=row["state"],
        pinned=bool(row["pinned"]),
        created=row["created"],
        session=row["session"],
        cost=row["cost"],
        text=row["text"],
        line=row["line"],
        watched=tuple(WatchedPath(*watched) for watched in json.loads(row["watched"])),
    )


def _draft(note: Note) -> NoteDraft:
    return NoteDraft(**{field.name: getattr(note, field.name) for field in fields(NoteDraft)})
