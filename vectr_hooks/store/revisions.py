"""Writes revisions of notes, and with each what hooks and searches read of the note."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vectr_hooks.core.budget import tokens
from vectr_hooks.core.compile import clause_keys, clause_needles
from vectr_hooks.core.grammar import trigger_value
from vectr_hooks.core.kinds import RECALLED_KINDS, precedence
from vectr_hooks.core.model import Clause
from vectr_hooks.core.prompt_recall import note_terms
from vectr_hooks.core.render import MARKS_SLOT, WHY_SLOT
from vectr_hooks.core.states import SUPERSEDED
from vectr_hooks.core.terms import bigrams, words

if TYPE_CHECKING:
    from vectr_hooks.store.notes import NoteDraft

#: gives the text and the index line for the model, from the note's id and the note
Render = Callable[[int, "NoteDraft"], tuple[str, str]]

_COLUMNS = (
    *("id", "note", "at", "title", "body", "kind", "priority", "tags", "anchors", "trigger", "scope"),
    *(
        "scope_value",
        "provenance",
        "author",
        "state",
        "pinned",
        "created",
        "session",
        "cooldown",
        "max_deliveries",
    ),
    *("not_before", "expires", "text", "line", "cost"),
    *("changed_by", "quote", "reason", "state_by", "superseded_by"),
)
_INSERTS = {
    "revision": f"INSERT INTO revision({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})",
    "note": "INSERT OR REPLACE INTO note(id, revision, precedence) VALUES (?, ?, ?)",
    "conditions": (
        "INSERT INTO clause_condition(note, clause, veto, name, value, position) VALUES (?, ?, ?, ?, ?, ?)"
    ),
    "keys": "INSERT INTO trigger_key(key, precedence, note) VALUES (?, ?, ?)",
    "needles": "INSERT INTO needle(token, text, note) VALUES (?, ?, ?)",
    "recalled": "INSERT INTO recall_term(term, note, words) VALUES (?, ?, ?)",
    "frequencies": (
        "INSERT INTO recall_frequency(term, notes) VALUES (?, 1) ON CONFLICT DO UPDATE SET notes = notes + 1"
    ),
    "watched": "INSERT INTO watched_path(note, path, size, crc) VALUES (?, ?, ?, ?)",
    "searched": "INSERT INTO note_fts(rowid, title, body, tags, words, bigrams) VALUES (?, ?, ?, ?, ?, ?)",
}


@dataclass(frozen=True)
class Revision:
    """One revision of the note `id` as the rows to be written, by table."""

    id: int
    revision: list[tuple[object, ...]]
    note: list[tuple[object, ...]]
    conditions: list[tuple[object, ...]]
    keys: list[tuple[object, ...]]
    needles: list[tuple[object, ...]]
    recalled: list[tuple[object, ...]]
    frequencies: list[tuple[object, ...]]
    watched: list[tuple[object, ...]]
    searched: list[tuple[object, ...]]

    @property
    def number(self) -> int:
        """The id of the revision, where `id` is the note's."""
        (row,) = self.revision
        return int(str(row[0]))


def next_ids(con: sqlite3.Connection) -> tuple[int, int]:
    """The ids that the next new note and the next revision have."""
    newest = dict(con.execute("SELECT name, seq FROM sqlite_sequence WHERE name IN ('note', 'revision')"))
    return newest.get("note", 0) + 1, newest.get("revision", 0) + 1


def prepare(
    note: int, revision: int, draft: NoteDraft, render: Render, now_ms: int, created: int
) -> Revision:
    """Everything that takes time, so that the store need not be locked meanwhile."""
    searched = _searched(draft)
    return Revision(
        id=note,
        revision=[_columns(note, revision, draft, render, now_ms, created)],
        **_read_by_hooks(note, revision, draft),
        watched=[(note, watched.path, watched.size, watched.crc) for watched in draft.watched],
        searched=[
            (
                note,
                draft.title,
                draft.body,
                " ".join(draft.tags),
                " ".join(words(searched)),
                " ".join(bigrams(searched)),
            )
        ],
    )


def restored(note: int, row: sqlite3.Row, draft: NoteDraft) -> Revision:
    """A stored revision, `row`, as it was written, without what only commands and the present read of it."""
    return Revision(
        id=note,
        revision=[tuple(row[name] for name in _COLUMNS)],
        **_read_by_hooks(note, row["id"], draft),
        watched=[],
        searched=[],
    )


def _read_by_hooks(note: int, revision: int, draft: NoteDraft) -> dict[str, list[tuple[object, ...]]]:
    """The rows by which an event finds the note and decides on it, by table."""
    order = precedence(draft.pinned, draft.kind, draft.priority, revision, draft.state)
    clauses = draft.clauses
    # What nothing else delivers may be brought up by a prompt.
    brought_up = not clauses and draft.kind in RECALLED_KINDS and draft.state != SUPERSEDED
    terms = note_terms(draft.title, _searched(draft)) if brought_up else []
    return {
        "note": [(note, revision, order)],
        "conditions": [(note, *row) for clause in clauses for row in _condition_rows(clause)],
        "keys": [(key, order, note) for key in {key for clause in clauses for key in clause_keys(clause)}],
        "needles": [(*row, note) for row in {row for clause in clauses for row in clause_needles(clause)}],
        "recalled": [(term, note, count) for term, count in terms],
        "frequencies": [(term,) for term, _ in terms],
    }


def _searched(draft: NoteDraft) -> str:
    return "\n".join((draft.title, draft.body, " ".join(draft.tags), *draft.anchors))


def write(con: sqlite3.Connection, revisions: Iterable[Revision]) -> None:
    """Append them, each in place of what was derived from an older one of its note."""
    revisions = list(revisions)
    for revision in revisions:
        if con.execute("SELECT 1 FROM note WHERE id = ?", (revision.id,)).fetchone():
            clear_derived(con, revision.id)
    for table, statement in _INSERTS.items():
        con.executemany(statement, (row for revision in revisions for row in getattr(revision, table)))


def clear_derived(con: sqlite3.Connection, note: int) -> None:
    terms = con.execute("SELECT term FROM recall_term WHERE note = ?", (note,)).fetchall()
    con.executemany("UPDATE recall_frequency SET notes = notes - 1 WHERE term = ?", terms)
    con.executemany("DELETE FROM recall_frequency WHERE term = ? AND notes < 1", terms)
    con.execute("DELETE FROM recall_term WHERE note = ?", (note,))
    for table in ("clause_condition", "trigger_key", "needle", "watched_path", "note_vector"):
        con.execute(f"DELETE FROM {table} WHERE note = ?", (note,))
    con.execute("DELETE FROM note_fts WHERE rowid = ?", (note,))


def _columns(
    note: int, revision: int, draft: NoteDraft, render: Render, now_ms: int, created: int
) -> tuple[object, ...]:
    text, line = render(note, draft)
    trigger = draft.trigger
    return (
        revision,
        note,
        now_ms,
        draft.title,
        draft.body,
        draft.kind,
        draft.priority,
        as_json(draft.tags),
        as_json(draft.anchors),
        "" if trigger is None else as_json(trigger_value(trigger)),
        draft.scope,
        draft.scope_value,
        draft.provenance,
        draft.author,
        draft.state,
        int(draft.pinned),
        created,
        draft.session,
        trigger and trigger.cooldown,
        trigger and trigger.max_deliveries,
        trigger.not_before if trigger else "",
        trigger.expires if trigger else "",
        text,
        line,
        cost(text),
        draft.changed_by,
        draft.quote,
        draft.reason,
        draft.state_by,
        draft.superseded_by,
    )


def cost(text: str) -> int:
    """The tokens of a rendered text without what a hook fills in."""
    return tokens(text.replace(WHY_SLOT, "").replace(MARKS_SLOT, ""))


def _condition_rows(clause: Clause) -> Iterator[tuple[int, int, str, str, int]]:
    for veto, conditions in enumerate((clause.conditions, clause.unless)):
        pairs = [(name, value) for name, values in conditions for value in values]
        for position, (name, value) in enumerate(pairs):
            yield clause.number, veto, name, value, position


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
