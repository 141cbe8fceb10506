"""Notes as commands read and write them: every change a revision, and what hooks read derived from it."""

from __future__ import annotations

import gc
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from vectr_hooks.core.compile import SORTS
from vectr_hooks.core.grammar import CONDITIONS, Trigger, stored_trigger
from vectr_hooks.core.kinds import KINDS, PRIORITIES, default_clauses
from vectr_hooks.core.model import Clause
from vectr_hooks.core.needles import COMMAND, FILE_SYMBOL, SYMBOL
from vectr_hooks.core.states import ACTIVE, REVOKED, SUPERSEDED
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store import damage
from vectr_hooks.store.forgetting import forget_words
from vectr_hooks.store.ledger import next_event
from vectr_hooks.store.revisions import (
    Render,
    Revision,
    clear_derived,
    next_ids,
    prepare,
    restored,
    write,
)
from vectr_hooks.store.transaction import writing

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
    """`active`, `superseded` or `revoked`; what has expired is told by `core.states`."""
    pinned: bool = False
    session: str = ""
    watched: tuple[WatchedPath, ...] = ()
    changed_by: str = ""
    """Who made this revision: `human` or `agent`; '' where that is not known."""
    quote: str = ""
    """What the user said in a prompt of the session, where that stands behind the note."""
    reason: str = ""
    """Why it is revoked."""
    state_by: str = ""
    """Who gave it its state: as `changed_by`."""
    superseded_by: int = 0
    """The note in whose favour it was given up; 0 for none."""

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses that are compiled: the trigger's, else the kind's default; none if superseded."""
        if self.state == SUPERSEDED:
            return ()
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


def add_note(
    con: sqlite3.Connection, draft: NoteDraft, render: Render, now_ms: int, supersedes: Iterable[int] = ()
) -> Note:
    """Store `draft`; the notes it `supersedes`, all of them active, are given up in its favour."""
    (id,) = add_notes(con, [draft], render, now_ms, supersedes)
    return existing_note(con, id)


def add_notes(
    con: sqlite3.Connection,
    drafts: Iterable[NoteDraft],
    render: Render,
    now_ms: int,
    supersedes: Iterable[int] = (),
) -> list[int]:
    """Store all of `drafts` or none, in one transaction; the ids they are given, in their order.

    The notes in `supersedes`, all of them active, are given up in favour of the first. `drafts` is read
    before the store is locked, so it may take its time: a hook waits for the lock.
    """
    new = list(drafts)
    replaced = list(dict.fromkeys(supersedes))
    first = next_ids(con)
    prepared = _prepared(new, first, render, now_ms)
    with writing(con):
        if next_ids(con) != first:
            # Another process wrote meanwhile, and the ids are part of what is written.
            prepared = _prepared(new, next_ids(con), render, now_ms)
        for other in replaced:
            refuse_inactive(existing_note(con, other))
        write(con, prepared)
        for other in replaced:
            given_up = {"state": SUPERSEDED, "superseded_by": prepared[0].id, "state_by": new[0].changed_by}
            _append(con, existing_note(con, other), given_up, render, now_ms, new[0].changed_by)
    return [revision.id for revision in prepared]


def _prepared(
    drafts: Iterable[NoteDraft], first: tuple[int, int], render: Render, now_ms: int
) -> list[Revision]:
    note, revision = first
    return [
        prepare(note + n, revision + n, draft, render, now_ms, created=now_ms)
        for n, draft in enumerate(drafts)
    ]


def change_note(
    con: sqlite3.Connection, id: int, now_ms: int, render: Render, by: str = "", **changes: Any
) -> Note:
    """Append a revision of note `id`, made by `by`, in which the fields named in `changes` are others."""
    return change_notes(con, {id: changes}, now_ms, render, by=by)[0]


def change_notes(
    con: sqlite3.Connection,
    changes: Mapping[int, Mapping[str, Any]],
    now_ms: int,
    render: Render,
    seen: Mapping[int, int] | None = None,
    by: str = "",
) -> list[Note]:
    """Append a revision of every note in `changes`, or of none; the notes as they are then.

    `seen` names the revisions that the changes were made from: a note with a newer one is refused. `by` is
    who makes them.
    """
    # The first rendering of a process loads the templates, which hooks must not wait for.
    for id in changes:
        render(id, existing_note(con, id))
    with writing(con):
        for id, changed in changes.items():
            before = existing_note(con, id)
            if seen is not None and before.revision != seen[id]:
                raise VectrHooksError(
                    f"#{id} has been changed meanwhile", f"`vectr-hooks show {id}` shows it as it is now"
                )
            _append(con, before, changed, render, now_ms, by)
        return [existing_note(con, id) for id in changes]


def _append(
    con: sqlite3.Connection, before: Note, changed: Mapping[str, Any], render: Render, now_ms: int, by: str
) -> None:
    draft = replace(_draft(before), **{"changed_by": by, **changed})
    _, revision = next_ids(con)
    write(con, [prepare(before.id, revision, draft, render, now_ms, before.created)])
    if draft.state != before.state:
        # Who was told it as true, or as a warning, is to be told the other.
        con.execute("UPDATE delivery SET lost = ? WHERE note = ? AND lost = 0", (next_event(con), before.id))


def refuse_inactive(note: Note) -> None:
    """Refuse what is revoked or superseded already, where it has to stand as true."""
    if note.state == REVOKED:
        raise VectrHooksError(
            f"#{note.id} is revoked: {note.reason}",
            f"it arrives as a warning; `vectr-hooks reinstate {note.id}` takes that back",
        )
    if note.state == SUPERSEDED:
        raise VectrHooksError(
            f"#{note.id} is superseded by #{note.superseded_by}",
            f"`vectr-hooks reinstate {note.id}` brings it back",
        )


def get_note(con: sqlite3.Connection, id: int) -> Note | None:
    return next(read_notes(con, "WHERE note.id = ?", (id,)), None) if _exists(con, id) else None


def note_at(con: sqlite3.Connection, id: int, revision: int) -> Note | None:
    """Note `id` as it was when `revision` was the newest of all; None before it was written."""
    row = con.execute(
        "SELECT *, '[]' AS watched FROM revision WHERE note = ? AND id <= ? ORDER BY id DESC LIMIT 1",
        (min(id, _LAST_ID), revision),
    ).fetchone()
    return _note(row) if row else None


def history(con: sqlite3.Connection, id: int) -> list[Note]:
    """Note `id` at each of its revisions, oldest first, but for the files it was about."""
    rows = con.execute("SELECT *, '[]' AS watched FROM revision WHERE note = ? ORDER BY id", (id,))
    return list(map(_note, rows))


def stored_revisions(con: sqlite3.Connection, damaged: dict[int, int]) -> Iterator[Revision]:
    """Every revision of every note that is not forgotten, oldest first, as it can be written again.

    Leaves out those that cannot be read, and enters their ids in `damaged`, with those of their notes.
    """
    for row in con.execute("SELECT *, '[]' AS watched FROM revision ORDER BY id"):
        try:
            revision = restored(row["note"], row, _note(row))
        except (VectrHooksError, *damage.NOT_OF_ITS_FORM):
            damaged[row["id"]] = row["note"]
        else:
            yield revision


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


def all_notes(con: sqlite3.Connection, told: damage.Told = damage.refuse) -> list[Note]:
    """Every note, in order of precedence; `told` is called with the refusal of each that is damaged."""
    # All that is read stays: the collector would look through it again and again, and free nothing.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return list(read_notes(con, "ORDER BY note.precedence, note.id", told=told))
    finally:
        if collecting:
            gc.enable()


def forget(con: sqlite3.Connection, ids: Iterable[int]) -> int:
    """Delete the notes among `ids` for good, with all their revisions; return how many there were.

    The ledger and the audit keep their numbers: what was delivered when, and what it cost. What they had of
    its words goes.
    """
    with writing(con):
        there = [id for id in dict.fromkeys(ids) if _exists(con, id)]
        needles = {needle for id in there for needle in _needles(con, "revision.note = ?", id)}
        words = [text for id in there for text in _words(con, id)]
        for id in there:
            clear_derived(con, id)
            con.execute("DELETE FROM revision WHERE note = ?", (id,))
            con.execute("DELETE FROM note WHERE id = ?", (id,))
        _forget_needles(con, needles)
        if there:
            forget_words(con, words)
            # Until its segments are merged, the index keeps the words of what was deleted.
            con.execute("INSERT INTO note_fts(note_fts) VALUES ('optimize')")
    # The log still holds the pages as they were. While a reader uses it, it stays until a later checkpoint.
    con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return len(there)


def _words(con: sqlite3.Connection, id: int) -> Iterator[str]:
    """Everything that the note `id` ever said."""
    rows = con.execute("SELECT DISTINCT title, body, quote, reason FROM revision WHERE note = ?", (id,))
    return (text for row in rows.fetchall() for text in row)


def _needles(con: sqlite3.Connection, where: str = "1", *values: object) -> set[str]:
    """Everything that the revisions `where` says had looked for in texts and command lines."""
    rows = con.execute(
        "SELECT DISTINCT part.path, part.atom"
        " FROM revision,"
        " json_tree(CASE WHEN json_valid(revision.trigger) THEN revision.trigger ELSE '{}' END) AS part"
        f" WHERE {where} AND part.type = 'text'",
        values,
    )
    sorts = {**SORTS, "command": COMMAND}
    found = {sorts[name] + text for path, text in rows if (name := path.rpartition(".")[2]) in sorts}
    return found | {FILE_SYMBOL + needle[1:] for needle in found if needle.startswith(SYMBOL)}


def _forget_needles(con: sqlite3.Connection, needles: set[str]) -> None:
    """Take out of what was recorded of texts the needles that no note has any longer, nor had once."""
    # What older revisions of other notes asked for decided on those, and a replay asks again.
    for needle in sorted(needles - _needles(con) if needles else ()):
        con.execute("DELETE FROM turn_needle WHERE text = ?", (needle,))
        in_line = needle.startswith(COMMAND)
        for fact in ("$.held",) if in_line else ("$.needles", "$.fresh", "$.slow"):
            con.execute(
                "UPDATE event SET facts = json_set(facts, ?2,"
                "  (SELECT json_group_array(value) FROM json_each(facts, ?2) WHERE value <> ?1))"
                " WHERE EXISTS ("
                "  SELECT 1 FROM json_each(CASE WHEN json_valid(facts) THEN facts ELSE '{}' END, ?2)"
                "  WHERE value = ?1)",
                (needle[1:] if in_line else needle, fact),
            )


def read_notes(
    con: sqlite3.Connection, where: str, values: Sequence[object] = (), told: damage.Told = damage.refuse
) -> Iterator[Note]:
    """Read the notes that the end of a statement, `where`, chooses and orders.

    `told` is called with the refusal of each that is damaged.
    """
    rows = con.execute(
        "SELECT revision.*, (SELECT json_group_array(json_array(path, size, crc))"
        "   FROM watched_path WHERE watched_path.note = note.id) AS watched"
        " FROM note JOIN revision ON revision.id = note.revision " + where,
        values,
    )
    return damage.readable(rows, _note, told)


def _note(row: sqlite3.Row) -> Note:
    name = f"#{row['note']}"
    note = Note(
        id=row["note"],
        revision=row["id"],
        at=row["at"],
        title=row["title"],
        body=row["body"],
        kind=row["kind"],
        priority=row["priority"],
        tags=damage.read_value(name, "tags", lambda: _list(row["tags"])),
        anchors=damage.read_value(name, "anchors", lambda: _list(row["anchors"])),
        trigger=damage.read_value(name, "trigger", lambda: _trigger(row["trigger"])),
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
        changed_by=row["changed_by"],
        quote=row["quote"],
        reason=row["reason"],
        state_by=row["state_by"],
        superseded_by=row["superseded_by"],
        watched=tuple(WatchedPath(*watched) for watched in _list(row["watched"])),
    )
    return damage.sound(note, name, _CHECKS)


def _trigger(text: str) -> Trigger | None:
    return stored_trigger(json.loads(text)) if text else None


def _list(text: str) -> tuple[Any, ...]:
    # Most are empty.
    return () if text == "[]" else tuple(json.loads(text))


def _are_texts(values: Iterable[object]) -> bool:
    return all(map(damage.is_text, values))


def _is_trigger(trigger: Trigger | None) -> bool:
    if trigger is None:
        return True
    conditions = [each for clause in trigger.clauses for each in (*clause.conditions, *clause.unless)]
    counts = (trigger.cooldown, trigger.max_deliveries)
    return (
        all(name in CONDITIONS and _are_texts(values) for name, values in conditions)
        and all(count is None or damage.is_number(count) for count in counts)
        and _are_texts((trigger.not_before, trigger.expires))
    )


def _is_watched(watched: Iterable[WatchedPath]) -> bool:
    return all(
        damage.is_text(one.path) and damage.is_number(one.size) and damage.is_number(one.crc)
        for one in watched
    )


_CHECKS = damage.checks(
    Note,
    at=damage.is_time,
    created=damage.is_time,
    kind=KINDS.__contains__,
    priority=PRIORITIES.__contains__,
    state=(ACTIVE, SUPERSEDED, REVOKED).__contains__,
    tags=_are_texts,
    anchors=_are_texts,
    trigger=_is_trigger,
    watched=_is_watched,
)


def _draft(note: Note) -> NoteDraft:
    return NoteDraft(**{field.name: getattr(note, field.name) for field in fields(NoteDraft)})
