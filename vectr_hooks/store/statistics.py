"""What the notes cost and whether they were of use, counted from the audit."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from vectr_hooks.core.globs import match_path
from vectr_hooks.core.model import FULL
from vectr_hooks.core.prompt_recall import names
from vectr_hooks.core.shell import simple_commands, starts_with
from vectr_hooks.store import damage
from vectr_hooks.store.lookups import Lookups, count_lookups, shown
from vectr_hooks.store.notes import Note, all_notes

#: at so many deliveries without a use it is time to look at a note
UNUSED_DELIVERIES = 8
#: after so many events that could have brought a note it is time to look at its trigger
UNMATCHED_EVENTS = 200

_EVENTS = (
    "SELECT id, at, session, agent, epoch, facts FROM event WHERE at >= ? AND remark <> 'duplicate'"
    " ORDER BY id"
)
_OUTCOMES = (
    "SELECT outcome.event, outcome.note, outcome.status, outcome.form, outcome.clauses, outcome.cost"
    " FROM outcome JOIN event ON event.id = outcome.event"
    " WHERE event.at >= ? AND (outcome.status = 'delivered' OR outcome.clauses <> '')"
    " ORDER BY outcome.event, outcome.position"
)


@dataclass
class NoteUse:
    """What one note cost, and what came of it."""

    note: int
    title: str
    kind: str
    full: int = 0
    """Deliveries of the whole text."""
    lines: int = 0
    """Deliveries of the index line."""
    tokens: int = 0
    """Of both together."""
    last_delivered_ms: int | None = None
    used: int = 0
    """Deliveries after which the same session began something the note is about, or showed the note."""
    shown: int = 0
    """How often `show` printed it."""
    matched: int = 0
    """Events at which a clause held, delivered or not."""
    events_since: int = 0
    """Events since it was written."""
    has_trigger: bool = False
    can_be_used: bool = False
    """It is about something that an action could begin with; a rule of conduct is not."""

    @property
    def delivered(self) -> int:
        return self.full + self.lines

    @property
    def suggestion(self) -> str:
        """What its author could do about it, or ''."""
        if self.can_be_used and self.delivered >= UNUSED_DELIVERIES and not self.used:
            return f"delivered {self.delivered} times and not used: narrow its trigger, or lower its priority"
        if self.has_trigger and not self.matched and self.events_since >= UNMATCHED_EVENTS:
            return f"no clause held at {self.events_since} events: look at its trigger"
        return ""


@dataclass
class KindUse:
    """The notes of one kind together."""

    kind: str
    notes: int = 0
    delivered: int = 0
    tokens: int = 0
    used: int = 0


@dataclass
class Rereads:
    """Files that were read again after a compaction."""

    files: int = 0
    """A file counts once for every epoch in which it was read again."""
    tokens: int = 0
    """What the results cost again, where the host said how large they were."""
    compactions: int = 0


@dataclass
class Statistics:
    """Everything that `stats` tells."""

    events: int = 0
    sessions: int = 0
    notes: list[NoteUse] = field(default_factory=list)
    lookups: list[Lookups] = field(default_factory=list)
    rereads: Rereads = field(default_factory=Rereads)
    written: dict[str, int] = field(default_factory=dict)
    """By session, how many notes it stored."""

    @property
    def kinds(self) -> list[KindUse]:
        """In the order in which the kinds come first among the notes."""
        found: dict[str, KindUse] = {}
        for note in self.notes:
            kind = found.setdefault(note.kind, KindUse(note.kind))
            kind.notes += 1
            kind.delivered += note.delivered
            kind.tokens += note.tokens
            kind.used += note.used
        return list(found.values())


@dataclass(frozen=True)
class _Event:
    id: int
    at: int
    session: str
    agent: str
    epoch: int
    facts: Mapping[str, object]

    def texts(self, name: str) -> list[str]:
        values = self.facts.get(name)
        return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []

    @property
    def targets(self) -> list[tuple[str, str]]:
        """(moment, path) of each file it is about."""
        flat = self.texts("targets")
        return list(zip(flat[::2], flat[1::2], strict=False))


def gather(con: sqlite3.Connection, since_ms: int = 0, told: damage.Told = damage.refuse) -> Statistics:
    """Count over all events since `since_ms`, and over all notes there are.

    `told` is called with the refusal of each row that is damaged, and so does not count.
    """
    notes = all_notes(con, told)
    uses = {note.id: NoteUse(note.id, note.title, note.kind) for note in notes}
    events = list(damage.readable(con.execute(_EVENTS, (since_ms,)), _event, told))
    at = {event.id: event.at for event in events}
    deliveries: dict[int, list[int]] = {}
    for id, note, status, form, clauses, cost in con.execute(_OUTCOMES, (since_ms,)):
        use = uses.get(note)
        if use is None or id not in at:
            continue
        if not damage.is_number(cost):
            told(damage.damaged(f"event {id} (what became of #{note})", "cost"))
            continue
        use.matched += bool(clauses)
        if status == "delivered":
            use.full += form == FULL
            use.lines += form != FULL
            use.tokens += cost
            use.last_delivered_ms = at[id]
            deliveries.setdefault(id, []).append(note)
    for note in notes:
        uses[note.id].has_trigger = bool(note.clauses)
    _count_events_since(notes, uses, events)
    _count_used(con, notes, uses, events, deliveries, since_ms)
    return Statistics(
        events=len(events),
        sessions=len({event.session for event in events}),
        notes=list(uses.values()),
        lookups=count_lookups(con, since_ms),
        rereads=_rereads(events),
        written=dict(
            con.execute(
                "SELECT session, count(*) FROM revision WHERE session <> '' AND at = created AND at >= ?"
                " GROUP BY session ORDER BY min(id)",
                (since_ms,),
            ).fetchall()
        ),
    )


def _event(row: sqlite3.Row) -> _Event:
    name = f"event {row['id']}"
    event = _Event(**{**dict(row), "facts": damage.facts(name, row["facts"])})
    return damage.sound(event, name, _SOUND_EVENT)


_SOUND_EVENT = damage.checks(_Event, at=damage.is_time)


def _count_events_since(notes: Iterable[Note], uses: Mapping[int, NoteUse], events: list[_Event]) -> None:
    from bisect import bisect_left

    times = sorted(event.at for event in events)
    for note in notes:
        uses[note.id].events_since = len(times) - bisect_left(times, note.at)


def _count_used(
    con: sqlite3.Connection,
    notes: Iterable[Note],
    uses: Mapping[int, NoteUse],
    events: Iterable[_Event],
    deliveries: Mapping[int, list[int]],
    since_ms: int,
) -> None:
    """Count the deliveries that something came of: each at most once."""
    subjects = {note.id: _subject(note) for note in notes}
    for id, subject in subjects.items():
        uses[id].can_be_used = bool(subject.names or subject.paths or subject.commands)
    shows: dict[str, list[tuple[int, int]]] = {}
    for id, session, at in shown(con, since_ms):
        if id in uses:
            uses[id].shown += 1
            shows.setdefault(session, []).append((at, id))
    # By session and note: how many deliveries nothing has come of yet.
    waiting: dict[str, dict[int, int]] = {}
    for event in events:
        here = waiting.setdefault(event.session, {})
        asked = shows.get(event.session, [])
        while asked and asked[0][0] <= event.at:
            _use(here, uses, asked.pop(0)[1])
        if here and any(moment.startswith("pre-") for moment in event.texts("moments")):
            begun = _begun(event)
            for id in [id for id in here if subjects[id].is_met_by(begun)]:
                _use(here, uses, id)
        for id in deliveries.get(event.id, ()):
            here[id] = here.get(id, 0) + 1
    for session, asked in shows.items():
        for _, id in asked:
            _use(waiting.get(session, {}), uses, id)


def _use(waiting: dict[int, int], uses: Mapping[int, NoteUse], note: int) -> None:
    uses[note].used += waiting.pop(note, 0)


@dataclass(frozen=True)
class _Subject:
    """What a note is about or, of one event, what it begins."""

    names: frozenset[str]
    paths: tuple[str, ...]
    """Of a note: patterns."""
    commands: tuple[tuple[str, ...], ...]
    """Of a note: the words that a command begins with."""

    def is_met_by(self, begun: _Subject) -> bool:
        return (
            not self.names.isdisjoint(begun.names)
            or any(match_path(pattern, path) for pattern in self.paths for path in begun.paths)
            or any(starts_with(words, own) for own in self.commands for words in begun.commands)
        )


def _subject(note: Note) -> _Subject:
    asked: dict[str, list[str]] = {"path": [], "symbol": [], "command": []}
    for clause in note.clauses:
        for name, values in clause.conditions:
            asked.get(name, []).extend(values)
    return _Subject(
        frozenset(names("\n".join((note.title, note.body, *note.anchors, *asked["symbol"])))),
        tuple(asked["path"]),
        tuple(tuple(value.split(" ")) for value in asked["command"]),
    )


def _begun(event: _Event) -> _Subject:
    """The files an event is about to touch, and the command it is about to run."""
    given = event.facts.get("command")
    command = given if isinstance(given, str) else ""
    paths = tuple(path for _, path in event.targets)
    return _Subject(frozenset(names("\n".join((*paths, command)))), paths, simple_commands(command))


def _rereads(events: Iterable[_Event]) -> Rereads:
    found = Rereads()
    first: dict[tuple[str, str], int] = {}
    counted: set[tuple[str, str, int]] = set()
    epochs: dict[str, int] = {}
    for event in events:
        if event.agent:
            continue
        found.compactions += event.epoch > epochs.get(event.session, event.epoch)
        epochs[event.session] = event.epoch
        for moment, path in event.targets:
            if moment != "post-read" or path.endswith("/"):
                continue
            file = (event.session, path)
            if event.epoch > first.setdefault(file, event.epoch):
                found.files += (*file, event.epoch) not in counted
                counted.add((*file, event.epoch))
                found.tokens += _result_tokens(event)
    return found


def _result_tokens(event: _Event) -> int:
    tokens = event.facts.get("result_tokens")
    return tokens if isinstance(tokens, int) else 0
