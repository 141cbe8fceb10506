"""What hooks recorded, for people: events with their outcomes, errors, and how much there is."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from vectr_hooks.core.compile import RESIDUAL
from vectr_hooks.core.model import Facts
from vectr_hooks.core.shell import simple_commands
from vectr_hooks.store.audit import COMMAND_LENGTH


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
    residual_keys: int
    """Keys of triggers that every event of some broad sort has to look at."""
    errors: int
    bytes: int


def recent_events(
    con: sqlite3.Connection, limit: int, session: str | None = None, note: int | None = None
) -> list[Event]:
    """The newest events, newest first; where given, those of `session`, with `note` among the candidates."""
    rows = con.execute(
        "SELECT * FROM event"
        " WHERE (?1 IS NULL OR session = ?1)"
        " AND (?2 IS NULL OR id IN (SELECT event FROM outcome WHERE note = ?2))"
        " ORDER BY id DESC LIMIT ?3",
        (session, note, limit),
    ).fetchall()
    return [_event(con, row) for row in rows]


def read_event(con: sqlite3.Connection, id: int) -> Event | None:
    row = con.execute("SELECT * FROM event WHERE id = ?", (id,)).fetchone()
    return _event(con, row) if row else None


def recorded_facts(event: Event, commands: tuple[tuple[str, ...], ...] | None = None) -> Facts:
    """The facts that the decisions at `event` saw, but for what `partly_recorded` names.

    `commands` are those of the whole command line, where it is known.
    """
    texts = {name: _texts(event.facts, name) for name in ("moments", "targets", "needles", "fresh", "slow")}
    command, tool, subagent, branch, today, worktree = (
        _text(event.facts, name) for name in ("command", "tool", "subagent", "branch", "today", "worktree")
    )
    recalled = event.facts.get("recalled")
    if _is_cut(command):
        # The last word may be half a word.
        command = command.rpartition(" ")[0]
    targets = texts["targets"]
    return Facts(
        moments=texts["moments"],
        targets=tuple(zip(targets[::2], targets[1::2], strict=True)),
        commands=simple_commands(command) if commands is None else commands,
        tool=tool,
        needles=frozenset(texts["needles"]),
        subagent=subagent,
        branch=branch,
        today=today,
        session=event.session,
        worktree=worktree,
        fresh=frozenset(texts["fresh"]),
        slow=frozenset(texts["slow"]),
        recalled=tuple(recalled) if isinstance(recalled, list) else (),
    )


def partly_recorded(event: Event) -> frozenset[str]:
    """The conditions that could see more of `event` than was recorded: they may have held all the same."""
    command = _text(event.facts, "command")
    return frozenset(["command"] if _is_cut(command) or "[redacted: " in command else [])


def recent_errors(con: sqlite3.Connection, limit: int) -> list[HookError]:
    """The newest errors, newest first."""
    return [HookError(*row) for row in con.execute("SELECT * FROM error ORDER BY id DESC LIMIT ?", (limit,))]


def last_delivered(con: sqlite3.Connection) -> dict[int, int]:
    """When each note was last delivered, in milliseconds; notes that never were are not there."""
    return dict(
        con.execute(
            "SELECT outcome.note, max(event.at)"
            " FROM outcome JOIN event ON event.id = outcome.event"
            " WHERE outcome.status = 'delivered'"
            " GROUP BY outcome.note"
        ).fetchall()
    )


def counts(con: sqlite3.Connection) -> Counts:
    from sqlite_utils import Database

    tables = Database(con, recursive_triggers=False, execute_plugins=False).table
    residual = sorted(RESIDUAL)
    any_of_them = ", ".join("?" * len(residual))
    return Counts(
        notes=dict(
            con.execute(
                "SELECT revision.kind, count(*)"
                " FROM note JOIN revision ON revision.id = note.revision"
                " GROUP BY revision.kind ORDER BY min(note.precedence)"
            ).fetchall()
        ),
        residual_keys=tables("trigger_key").count_where(f"key IN ({any_of_them})", residual),
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


def _event(con: sqlite3.Connection, row: sqlite3.Row) -> Event:
    fields = dict(row)
    fields["facts"] = json.loads(fields["facts"])
    return Event(**fields, outcomes=_outcomes(con, row["id"]))


def _outcomes(con: sqlite3.Connection, event: int) -> tuple[Outcome, ...]:
    rows = con.execute(
        "SELECT outcome.note, outcome.revision, newest.title, status, reason, form, clauses, origin,"
        "  outcome.cost"
        " FROM outcome"
        " LEFT JOIN note ON note.id = outcome.note"
        " LEFT JOIN revision AS newest ON newest.id = note.revision"
        " WHERE outcome.event = ?"
        " ORDER BY position",
        (event,),
    )
    return tuple(
        Outcome(**{**row, "clauses": tuple(map(int, row["clauses"].split(","))) if row["clauses"] else ()})
        for row in map(dict, rows)
    )
