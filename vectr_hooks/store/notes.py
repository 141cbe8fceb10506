"""Notes as commands read and write them: every change a revision, and what hooks read derived from it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from vectr_hooks.core.budget import tokens
from vectr_hooks.core.compile import SORTS, clause_keys, clause_needles
from vectr_hooks.core.grammar import Trigger, parse_trigger, trigger_value
from vectr_hooks.core.kinds import RECALLED_KINDS, default_clauses, precedence
from vectr_hooks.core.likeness import note_terms
from vectr_hooks.core.model import Clause
from vectr_hooks.core.needles import FILE_SYMBOL, SYMBOL
from vectr_hooks.core.render import MARKS_SLOT, WHY_SLOT
from vectr_hooks.core.terms import bigrams, words
from vectr_hooks.errors import VectrHooksError
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


#: gives the text and the index line for the model, from the note's id and the note
Render = Callable[[int, NoteDraft], tuple[str, str]]


def add_note(con: sqlite3.Connection, draft: NoteDraft, render: Render, now_ms: int) -> Note:
    with writing(con):
        note = con.execute("INSERT INTO note(revision, precedence) VALUES (0, 0)").lastrowid
        assert note is not None
        return _append(con, note, draft, render, now_ms, created=now_ms)


def change_note(con: sqlite3.Connection, id: int, now_ms: int, render: Render, **changes: Any) -> Note:
    """Append a revision of note `id` in which the fields named in `changes` are others."""
    with writing(con):
        before = existing_note(con, id)
        draft = replace(_draft(before), **changes)
        return _append(con, id, draft, render, now_ms, created=before.created)


def get_note(con: sqlite3.Connection, id: int) -> Note | None:
    return next(read_notes(con, "WHERE note.id = ?", (id,)), None) if _exists(con, id) else None


def _exists(con: sqlite3.Connection, id: int) -> bool:
    return 0 < id <= _LAST_ID and bool(con.execute("SELECT 1 FROM note WHERE id = ?", (id,)).fetchone())


def existing_note(con: sqlite3.Connection, id: int) -> Note:
    """The note `id`; refuses an id that is none."""
    note = get_note(con, id)
    if note is None:
        raise VectrHooksError(f"there is no note #{id}", "`vectr-hooks list` shows those there are")
    return note


def all_notes(con: sqlite3.Connection) -> list[Note]:
    """Every note, in order of precedence."""
    return list(read_notes(con, "ORDER BY note.precedence, note.id"))


def _append(
    con: sqlite3.Connection, note: int, draft: NoteDraft, render: Render, now_ms: int, created: int
) -> Note:
    text, line = render(note, draft)
    cost = tokens(text.replace(WHY_SLOT, "").replace(MARKS_SLOT, ""))
    trigger = draft.trigger
    columns = {
        "note": note,
        "at": now_ms,
        "title": draft.title,
        "body": draft.body,
        "kind": draft.kind,
        "priority": draft.priority,
        "tags": _json(draft.tags),
        "anchors": _json(draft.anchors),
        "trigger": "" if trigger is None else _json(trigger_value(trigger)),
        "scope": draft.scope,
        "scope_value": draft.scope_value,
        "provenance": draft.provenance,
        "author": draft.author,
        "state": draft.state,
        "pinned": int(draft.pinned),
        "created": created,
        "session": draft.session,
        "cooldown": trigger and trigger.cooldown,
        "max_deliveries": trigger and trigger.max_deliveries,
        "not_before": trigger.not_before if trigger else "",
        "expires": trigger.expires if trigger else "",
        "text": text,
        "line": line,
        "cost": cost,
    }
    revision = con.execute(
        f"INSERT INTO revision({', '.join(columns)}) VALUES ({', '.join(':' + name for name in columns)})",
        columns,
    ).lastrowid
    assert revision is not None
    order = precedence(draft.pinned, draft.kind, draft.priority, revision)
    con.execute("UPDATE note SET revision = ?, precedence = ? WHERE id = ?", (revision, order, note))
    _derive(con, note, order, draft)
    return existing_note(con, note)


def _derive(con: sqlite3.Connection, note: int, order: int, draft: NoteDraft) -> None:
    """Write what hooks and searches read of `note`, in place of what was there."""
    clear_derived(con, note)
    clauses = draft.clauses
    con.executemany(
        "INSERT INTO clause_condition(note, clause, veto, name, value, position) VALUES (?, ?, ?, ?, ?, ?)",
        [(note, *row) for clause in clauses for row in _condition_rows(clause)],
    )
    con.executemany(
        "INSERT INTO trigger_key(key, precedence, note) VALUES (?, ?, ?)",
        [(key, order, note) for key in {key for clause in clauses for key in clause_keys(clause)}],
    )
    con.executemany(
        "INSERT INTO needle(token, text, note) VALUES (?, ?, ?)",
        [(*row, note) for row in {row for clause in clauses for row in clause_needles(clause)}],
    )
    _index_for_recall(con, note, draft)
    con.executemany(
        "INSERT INTO watched_path(note, path, size, crc) VALUES (?, ?, ?, ?)",
        [(note, watched.path, watched.size, watched.crc) for watched in draft.watched],
    )
    tags = " ".join(draft.tags)
    searched = "\n".join((draft.title, draft.body, tags, *draft.anchors))
    con.execute(
        "INSERT INTO note_fts(rowid, title, body, tags, words, bigrams) VALUES (?, ?, ?, ?, ?, ?)",
        (note, draft.title, draft.body, tags, " ".join(words(searched)), " ".join(bigrams(searched))),
    )


def _index_for_recall(con: sqlite3.Connection, note: int, draft: NoteDraft) -> None:
    """Let a prompt bring up a note that nothing else delivers."""
    if draft.clauses or draft.kind not in RECALLED_KINDS:
        return
    terms = note_terms(draft.title, "\n".join((draft.title, draft.body, *draft.tags, *draft.anchors)))
    con.executemany(
        "INSERT INTO recall_term(term, note, words) VALUES (?, ?, ?)",
        [(term, note, words) for term, words in terms],
    )
    con.executemany(
        "INSERT INTO recall_frequency(term, notes) VALUES (?, 1) ON CONFLICT DO UPDATE SET notes = notes + 1",
        [(term,) for term, _ in terms],
    )


def _leave_recall(con: sqlite3.Connection, note: int) -> None:
    terms = con.execute("SELECT term FROM recall_term WHERE note = ?", (note,)).fetchall()
    con.executemany("UPDATE recall_frequency SET notes = notes - 1 WHERE term = ?", terms)
    con.executemany("DELETE FROM recall_frequency WHERE term = ? AND notes < 1", terms)
    con.execute("DELETE FROM recall_term WHERE note = ?", (note,))


def clear_derived(con: sqlite3.Connection, note: int) -> None:
    _leave_recall(con, note)
    for table in ("clause_condition", "trigger_key", "needle", "watched_path"):
        con.execute(f"DELETE FROM {table} WHERE note = ?", (note,))
    con.execute("DELETE FROM note_fts WHERE rowid = ?", (note,))


def _condition_rows(clause: Clause) -> Iterator[tuple[int, int, str, str, int]]:
    for veto, conditions in enumerate((clause.conditions, clause.unless)):
        pairs = [(name, value) for name, values in conditions for value in values]
        for position, (name, value) in enumerate(pairs):
            yield clause.number, veto, name, value, position


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


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
