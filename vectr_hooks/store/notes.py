"""Notes as commands read and write them: every change a revision, and what hooks read derived from it."""

from __future__ import annotations

import gc
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from vectr_hooks.core.grammar import CONDITIONS, Trigger, stored_trigger
from vectr_hooks.core.kinds import KINDS, PRIORITIES, default_clauses
from vectr_hooks.core.model import Clause
from vectr_hooks.core.states import ACTIVE, REVOKED, SUPERSEDED, given_up
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store import damage
from vectr_hooks.store.transaction import writing

if TYPE_CHECKING:
    from vectr_hooks.store.revisions import Render, Revision

# What writes is imported where it is used: most commands only read, and it is half of what they would load.

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
    """Why it is revoked, or superseded by no other note."""
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
    then: Callable[[Sequence[int]], object] = lambda ids: None,
) -> list[int]:
    """Store all of `drafts` or none, in one transaction; the ids they are given, in their order.

    The notes in `supersedes`, all of them active, are given up in favour of the first. `drafts` is read
    before the store is locked, so it may take its time: a hook waits for the lock. `then` is called with the
    ids in the same transaction.
    """
    from vectr_hooks.store.revisions import next_ids, write

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
            ended = {"state": SUPERSEDED, "superseded_by": prepared[0].id, "state_by": new[0].changed_by}
            _append(con, existing_note(con, other), ended, render, now_ms, new[0].changed_by)
        ids = [revision.id for revision in prepared]
        then(ids)
    return ids


def _prepared(
    drafts: Iterable[NoteDraft], first: tuple[int, int], render: Render, now_ms: int
) -> list[Revision]:
    from vectr_hooks.store.revisions import prepare

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
    then: Callable[[], object] = lambda: None,
) -> list[Note]:
    """Append a revision of every note in `changes`, or of none; the notes as they are then.

    `seen` names the revisions that the changes were made from: a note with a newer one is refused. `by` is
    who makes them. `then` is called in the same transaction.
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
        then()
        return [existing_note(con, id) for id in changes]


def _append(
    con: sqlite3.Connection, before: Note, changed: Mapping[str, Any], render: Render, now_ms: int, by: str
) -> None:
    draft = replace(_draft(before), **{"changed_by": by, **changed})
    from vectr_hooks.store.ledger import next_event
    from vectr_hooks.store.revisions import next_ids, prepare, write

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
            f"#{note.id} is {given_up(note)}",
            f"`vectr-hooks reinstate {note.id}` brings it back",
        )


def get_note(con: sqlite3.Connection, id: int) -> Note | None:
    return next(read_notes(con, "WHERE note.id = ?", (id,)), None) if _exists(con, id) else None


def note_at(con: sqlite3.Connection, id: int, revision: int) -> Note | None:
    """Note `id` as it was when `revision` was the newest of all; None before it was written."""
    newest = "WHERE note = ? AND id <= ? ORDER BY id DESC LIMIT 1"
    return next(read_revisions(con, newest, (min(id, _LAST_ID), revision)), None)


def history(con: sqlite3.Connection, id: int) -> list[Note]:
    """Note `id` at each of its revisions, oldest first, but for the files it was about."""
    return list(read_revisions(con, "WHERE note = ? ORDER BY id", (id,)))


def stored_revisions(con: sqlite3.Connection, damaged: dict[int, int]) -> Iterator[Revision]:
    """Every revision of every note that is not forgotten, oldest first, as it can be written again.

    Leaves out those that cannot be read, and enters their ids in `damaged`, with those of their notes.
    """
    from vectr_hooks.store.revisions import restored

    for row in con.execute(f"SELECT *, {_SELECTED}, '{_EMPTY}' FROM revision ORDER BY id"):
        try:
            revision = restored(row["note"], row, _note(tuple(row)[-_COLUMNS:]))
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


def states(con: sqlite3.Connection) -> dict[int, str]:
    """The state of every note, by id."""
    select = "SELECT note.id, state FROM note JOIN revision ON revision.id = note.revision"
    return {id: str(state) for id, state in con.execute(select)}


def all_notes(con: sqlite3.Connection, told: damage.Told = damage.refuse) -> list[Note]:
    """Every note, in order of precedence; `told` is called with the refusal of each that is damaged."""
    with uncollected():
        return list(read_notes(con, "ORDER BY note.precedence, note.id", told=told))


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector away while all notes are read and shown.

    All that is made of them stays: it would look through it again and again, and free nothing.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def forget(con: sqlite3.Connection, ids: Iterable[int]) -> int:
    """Delete the notes among `ids` for good, with all their revisions; return how many there were.

    The ledger and the audit keep their numbers: what was delivered when, and what it cost. What they had of
    its words goes.
    """
    from vectr_hooks.store.forgetting import forget_words
    from vectr_hooks.store.revisions import clear_derived

    with writing(con):
        there = [id for id in dict.fromkeys(ids) if _exists(con, id)]
        needles = {needle for id in there for needle in _needles(con, "revision.note = ?", id)}
        words = [text for id in there for text in _words(con, id)]
        for id in there:
            clear_derived(con, id)
            con.execute("DELETE FROM revision WHERE note = ?", (id,))
            con.execute("DELETE FROM note WHERE id = ?", (id,))
            con.execute("DELETE FROM team_file WHERE note = ?", (id,))
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
    from vectr_hooks.core.compile import SORTS
    from vectr_hooks.core.needles import COMMAND, FILE_SYMBOL, SYMBOL

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
    from vectr_hooks.core.needles import COMMAND

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
        f"SELECT {_SELECTED}, (SELECT json_group_array(json_array(path, size, crc))"
        "   FROM watched_path WHERE watched_path.note = note.id)"
        " FROM note JOIN revision ON revision.id = note.revision " + where,
        values,
    )
    return damage.readable(rows, _note, told)


def read_revisions(
    con: sqlite3.Connection, where: str, values: Sequence[object] = (), told: damage.Told = damage.refuse
) -> Iterator[Note]:
    """Read notes at the revisions that the end of a statement, `where`, chooses and orders.

    Which files they were about then is not kept. `told` is called with the refusal of each that is damaged.
    """
    rows = con.execute(f"SELECT {_SELECTED}, '{_EMPTY}' FROM revision " + where, values)
    return damage.readable(rows, _note, told)


def _note(row: Sequence[Any]) -> Note:
    """A note from the columns of `_SELECTED` and the files it was about."""
    *plain, pinned, tags, anchors, trigger, watched = row
    id = plain[_ID]
    name = f"#{id}"
    note = object.__new__(Note)
    # Not by `Note(…)`, which sets one field after the other: of many notes that is half of all that is done.
    note.__dict__.update(
        zip(_PLAIN, plain, strict=True),
        pinned=bool(pinned),
        tags=() if tags == _EMPTY else damage.read_value(name, "tags", lambda: _texts(tags)),
        anchors=() if anchors == _EMPTY else damage.read_value(name, "anchors", lambda: _texts(anchors)),
        trigger=None if trigger == "" else damage.read_value(name, "trigger", lambda: _trigger(trigger, id)),
        watched=() if watched == _EMPTY else damage.read_value(name, "watched", lambda: _files(watched)),
    )
    return damage.sound(note, name, _CHECKS)


def _trigger(text: str, note: int) -> Trigger:
    trigger = stored_trigger(json.loads(text), note)
    for clause in trigger.clauses:
        for name, values in (*clause.conditions, *clause.unless):
            if name not in CONDITIONS or not all(map(damage.is_text, values)):
                raise ValueError(name)
    for count in (trigger.cooldown, trigger.max_deliveries):
        if count is not None and not damage.is_number(count):
            raise ValueError(count)
    if not (damage.is_text(trigger.not_before) and damage.is_text(trigger.expires)):
        raise ValueError(trigger.expires)
    return trigger


def _texts(text: str) -> tuple[str, ...]:
    values = tuple(json.loads(text))
    if not all(map(damage.is_text, values)):
        raise ValueError(text)
    return values


def _files(text: str) -> tuple[WatchedPath, ...]:
    files = tuple(WatchedPath(*each) for each in json.loads(text))
    for file in files:
        if not (damage.is_text(file.path) and damage.is_number(file.size) and damage.is_number(file.crc)):
            raise ValueError(file)
    return files


# How a revision without tags or anchors has them.
_EMPTY = "[]"
_PARSED = ("pinned", "tags", "anchors", "trigger")
#: the fields that are as they are stored
_PLAIN = [field.name for field in fields(Note) if field.name not in (*_PARSED, "watched")]
_SELECTED = ", ".join(
    "revision." + {"id": "note", "revision": "id"}.get(name, name) for name in (*_PLAIN, *_PARSED)
)
_ID = _PLAIN.index("id")
# With the files that it was about.
_COLUMNS = len(_PLAIN) + len(_PARSED) + 1
_CHECKS = damage.checks(
    Note,
    at=damage.is_time,
    created=damage.is_time,
    kind=KINDS.__contains__,
    priority=PRIORITIES.__contains__,
    state=(ACTIVE, SUPERSEDED, REVOKED).__contains__,
)


def _draft(note: Note) -> NoteDraft:
    return NoteDraft(**{field.name: getattr(note, field.name) for field in fields(NoteDraft)})
