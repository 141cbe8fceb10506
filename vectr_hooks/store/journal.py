"""What hooks recorded, for people: events with their outcomes, errors, and how much there is."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from vectr_hooks.core.model import Facts
from vectr_hooks.core.needles import COMMAND
from vectr_hooks.core.shell import simple_commands
from vectr_hooks.store import damage
from vectr_hooks.store.audit import COMMAND_LENGTH, is_partial


@dataclass(frozen=True)
class Outcome:
    """What became of one candidate."""

    note: int
    revision: int
    title: str | None
    """None: the note was forgotten since."""
    status: str
    reason: str
    form: str
    clauses: tuple[int, ...]
    """-1 stands for what is recorded in place of a number and is none."""
    origin: str
    cost: int


@dataclass(frozen=True)
class Event:
    """One event as a hook saw it, with the outcome of every candidate in order of precedence."""

    id: int
    at: int
    host: str
    session: str
    agent: str
    epoch: int
    turn: str
    name: str
    note_revision: int
    setting_revision: int
    facts: Mapping[str, object]
    """Empty where the record is damaged."""
    remark: str
    printed_checksum: int
    printed_bytes: int
    cost: int
    more: int
    """Candidates beyond those considered."""
    took_us: int
    turn_number: int
    turn_spent: int
    """Tokens, before this event, as are the next two."""
    boundary_spent: int
    epoch_spent: int
    told_held_back: int
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True)
class HookError:
    """What went wrong in a hook."""

    id: int
    at: int
    event: str
    message: str


@dataclass(frozen=True)
class Counts:
    """How much a store holds."""

    notes: Mapping[str, int]
    """By kind, only those there are."""
    errors: int
    bytes: int


@dataclass(frozen=True)
class Choice:
    """Which events are wanted: all that every given field allows."""

    session: str | None = None
    note: int | None = None
    """Events with this note among the candidates."""
    moment: str | None = None
    outcome: str | None = None
    """Events with an outcome of this status, of `note` where that is given."""
    since_ms: int | None = None
    until_ms: int | None = None
    """Up to, but without, this time."""
    after: int | None = None
    """Events with a larger id."""


ALL = Choice()

_BY_SESSION_AND_TIME = (
    " WHERE (:session IS NULL OR session = :session)"
    " AND (:since_ms IS NULL OR at >= :since_ms)"
    " AND (:until_ms IS NULL OR at < :until_ms)"
)


def recent_events(
    con: sqlite3.Connection, limit: int, choice: Choice = ALL, told: damage.Told = damage.refuse
) -> list[Event]:
    """The newest events of `choice`, newest first; `told` is called with the refusal of each damaged one."""
    rows = con.execute(
        "SELECT * FROM event" + _BY_SESSION_AND_TIME + " AND (:after IS NULL OR id > :after)"
        " AND (:moment IS NULL OR EXISTS ("
        "   SELECT 1 FROM json_each(iif(json_valid(facts), facts, '{}'), '$.moments')"
        "   WHERE value = :moment))"
        " AND (:note IS NULL AND :outcome IS NULL OR id IN ("
        "   SELECT event FROM outcome"
        "   WHERE (:note IS NULL OR note = :note) AND (:outcome IS NULL OR status = :outcome)))"
        " ORDER BY id DESC LIMIT :limit",
        {**asdict(choice), "limit": limit},
    ).fetchall()
    return list(damage.readable(rows, lambda row: _sound_event(con, row), told))


def events_in_order(con: sqlite3.Connection, choice: Choice = ALL) -> Iterator[Event]:
    """The events of `choice` by session and time, oldest first, read as they are asked for.

    Damaged ones are there as far as they can be read.
    """
    rows = con.execute("SELECT * FROM event" + _BY_SESSION_AND_TIME + " ORDER BY id", asdict(choice))
    return (_event(con, row) for row in rows)


def count_events(con: sqlite3.Connection, choice: Choice = ALL) -> int:
    """How many events there are of `choice`, by session and time."""
    (count,) = con.execute("SELECT count(*) FROM event" + _BY_SESSION_AND_TIME, asdict(choice)).fetchone()
    return int(count)


def is_among(event: Event, choice: Choice) -> bool:
    """Whether `event` is of `choice`, by session and time."""
    return (
        choice.session in (None, event.session)
        and (choice.since_ms is None or event.at >= choice.since_ms)
        and (choice.until_ms is None or event.at < choice.until_ms)
    )


def sessions_beginning(con: sqlite3.Connection, prefix: str) -> list[str]:
    """The recorded sessions whose ids begin with `prefix`, those last seen first."""
    rows = con.execute(
        "SELECT session FROM event WHERE substr(session, 1, length(?1)) = ?1"
        " GROUP BY session ORDER BY max(id) DESC",
        (prefix,),
    )
    return [session for (session,) in rows]


def read_event(con: sqlite3.Connection, id: int) -> Event | None:
    row = con.execute("SELECT * FROM event WHERE id = ?", (id,)).fetchone()
    return _sound_event(con, row) if row else None


def recorded_facts(event: Event, commands: tuple[tuple[str, ...], ...] | None = None) -> Facts:
    """The facts that the decisions at `event` saw, but for what `partly_recorded` names.

    `commands` are those of the whole command line, where it is known.
    """
    texts = {name: _texts(event.facts, name) for name in ("moments", "targets", "needles", "fresh", "slow")}
    command, tool, subagent, branch, today, worktree = (
        _text(event.facts, name) for name in ("command", "tool", "subagent", "branch", "today", "worktree")
    )
    recalled, similar = event.facts.get("recalled"), event.facts.get("similar")
    if _is_cut(command):
        # The last word may be half a word.
        command = command.rpartition(" ")[0]
    targets = texts["targets"]
    held = frozenset(COMMAND + value for value in _texts(event.facts, "held"))
    return Facts(
        moments=texts["moments"],
        targets=tuple(zip(targets[::2], targets[1::2], strict=False)),
        commands=simple_commands(command) if commands is None else commands,
        tool=tool,
        needles=held.union(texts["needles"]),
        subagent=subagent,
        branch=branch,
        today=today,
        session=event.session,
        worktree=worktree,
        fresh=held.union(texts["fresh"]),
        slow=frozenset(texts["slow"]),
        recalled=tuple(filter(damage.is_number, recalled)) if isinstance(recalled, list) else (),
        similar=dict(zip(similar[::2], similar[1::2], strict=False)) if isinstance(similar, list) else {},
        not_compared=_text(event.facts, "not_compared"),
    )


def deciding_facts(event: Event) -> Facts:
    """The facts of `event` on which every decision is as it was.

    Of a command line that was not kept whole they have the programs that triggers ask for, and as needles the
    conditions that it fulfilled.
    """
    if not partly_recorded(event):
        return recorded_facts(event)
    return recorded_facts(event, tuple((word,) for word in _texts(event.facts, "programs")))


def recorded_marks(event: Event, note: int) -> tuple[str, ...]:
    """What the header of `note` was to add at `event` about its files, where it was to come in full."""
    marked = event.facts.get("marks")
    if not isinstance(marked, dict):
        return ()
    return tuple(mark for mark, notes in marked.items() if isinstance(notes, list) and note in notes)


def recorded_reasons(event: Event, notes: Iterable[int]) -> dict[int, str]:
    """Why those of `notes` that were withheld at `event` were: their files were no longer as trusted."""
    told = event.facts.get("withheld")
    if not isinstance(told, dict):
        return {}
    found = {note: why for why, withheld in told.items() if isinstance(withheld, list) for note in withheld}
    return {note: found[note] for note in notes if note in found}


def partly_recorded(event: Event) -> frozenset[str]:
    """The conditions that could see more of `event` than was recorded: they may have held all the same."""
    command = _text(event.facts, "command")
    return frozenset(["command"] if is_partial(command) else [])


def recent_errors(con: sqlite3.Connection, limit: int, told: damage.Told = damage.refuse) -> list[HookError]:
    """The newest errors, newest first; `told` is called with the refusal of each damaged one."""
    rows = con.execute("SELECT * FROM error ORDER BY id DESC LIMIT ?", (limit,))
    return list(damage.readable(rows, _error, told))


def last_delivered(con: sqlite3.Connection) -> dict[int, int]:
    """When each note was last delivered, in milliseconds; notes that never were are not there.

    Nor is an event whose time is damaged.
    """
    return dict(
        con.execute(
            "SELECT outcome.note, max(event.at)"
            " FROM outcome JOIN event ON event.id = outcome.event"
            " WHERE outcome.status = 'delivered' AND event.at >= 0 AND event.at < ?"
            " GROUP BY outcome.note",
            (damage.END_OF_TIME_MS,),
        ).fetchall()
    )


def counts(con: sqlite3.Connection) -> Counts:
    from sqlite_utils import Database

    tables = Database(con, recursive_triggers=False, execute_plugins=False).table
    return Counts(
        notes=dict(
            con.execute(
                "SELECT revision.kind, count(*)"
                " FROM note JOIN revision ON revision.id = note.revision"
                " GROUP BY revision.kind ORDER BY min(note.precedence)"
            ).fetchall()
        ),
        errors=tables("error").count,
        bytes=size_bytes(con),
    )


def size_bytes(con: sqlite3.Connection) -> int:
    """The size of the store's files."""
    path = con.execute("PRAGMA database_list").fetchone()["file"]
    files = (path, path + "-wal")
    return sum(os.path.getsize(file) for file in files if os.path.exists(file))


def _is_cut(command: str) -> bool:
    return len(command) == COMMAND_LENGTH


def _text(facts: Mapping[str, object], name: str) -> str:
    value = facts.get(name)
    return value if isinstance(value, str) else ""


def _texts(facts: Mapping[str, object], name: str) -> tuple[str, ...]:
    values = facts.get(name)
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()


def _sound_event(con: sqlite3.Connection, row: sqlite3.Row) -> Event:
    name = f"event {row['id']}"
    event = _event(con, row)
    if not event.facts:
        damage.facts(name, row["facts"])
    for outcome in event.outcomes:
        damage.sound(outcome, f"{name} (what became of #{outcome.note})", _OUTCOME)
    return damage.sound(event, name, _EVENT)


def is_sound(event: Event) -> bool:
    """Whether what was read as `event` has facts, and everything else is of its form."""
    return bool(event.facts) and not (_EVENT.wrong(event) or any(map(_OUTCOME.wrong, event.outcomes)))


def _error(row: sqlite3.Row) -> HookError:
    return damage.sound(HookError(*row), f"error {row['id']}", _ERROR)


def _event(con: sqlite3.Connection, row: sqlite3.Row) -> Event:
    """An event as far as it can be read: without facts, and with clauses of -1, where these are damaged."""
    fields = dict(row)
    try:
        facts = json.loads(fields["facts"])
    except (ValueError, TypeError, RecursionError):
        facts = None
    fields["facts"] = facts if isinstance(facts, dict) else {}
    return Event(**fields, outcomes=_outcomes(con, row["id"]))


def _outcomes(con: sqlite3.Connection, event: int) -> tuple[Outcome, ...]:
    rows = con.execute(
        "SELECT outcome.note, outcome.revision,"
        # None is a forgotten note's, and a damaged one's is no text.
        "  iif(typeof(newest.title) = 'blob', '', newest.title) AS title,"
        "  status, outcome.reason, form, clauses,"
        "  origin, outcome.cost"
        " FROM outcome"
        " LEFT JOIN note ON note.id = outcome.note"
        " LEFT JOIN revision AS newest ON newest.id = note.revision"
        " WHERE outcome.event = ?"
        " ORDER BY position",
        (event,),
    )
    return tuple(Outcome(**{**row, "clauses": _clauses(str(row["clauses"]))}) for row in map(dict, rows))


def _clauses(numbers: str) -> tuple[int, ...]:
    if not numbers:
        return ()
    return tuple(int(number) if number.isdecimal() else -1 for number in numbers.split(","))


_EVENT = damage.checks(Event, at=damage.is_time)
_ERROR = damage.checks(HookError, at=damage.is_time)
_OUTCOME = damage.checks(Outcome, clauses=lambda numbers: -1 not in numbers)
