"""What became of what was printed: whether it is in the host's own record of the session."""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vectr_hooks.arrival import Emitted, is_printed, recognise
from vectr_hooks.hosts import claude
from vectr_hooks.hosts.claude_branch import follow
from vectr_hooks.hosts.claude_contexts import LAST_ENTRIES, TIME_MARK, Context, contexts, newest_entries
from vectr_hooks.store.connection import open_scratch
from vectr_hooks.store.journal import Choice, Event, events_in_order
from vectr_hooks.store.ledger import read_conversation
from vectr_hooks.store.workspace import beginning

ARRIVED = "arrived"
CUT = "cut to a preview"
REWOUND = "on a rewound branch"
LOST = "lost"
UNKNOWN = "cannot be said"
STATUSES = (ARRIVED, CUT, REWOUND, LOST, UNKNOWN)

_LARGEST_OUTPUT = 1 << 24


@dataclass(frozen=True)
class Arrival:
    """What became of the output of one event that delivered notes."""

    event: Event
    status: str
    """One of `STATUSES`."""
    reason: str
    """Why it cannot be said; '' for the other statuses."""
    transcript: str
    """The file that was looked into; '' for none."""
    line: int | None
    """Where in it the output stands, from 1."""


@dataclass(frozen=True)
class _Record:
    """What the host's file has of one conversation."""

    path: str
    contexts: Sequence[Context]
    newest: str
    """When its newest entry was written."""


def arrivals(con: sqlite3.Connection, session: str) -> list[Arrival]:
    """Say of every event of `session` that delivered a note what became of it, in order."""
    printed = [event for event in events_in_order(con, Choice(session=session)) if event.cost]
    found: dict[int, Arrival] = {}
    for agent in dict.fromkeys(event.agent for event in printed):
        for arrival in _of_conversation(con, [event for event in printed if event.agent == agent]):
            found[arrival.event.id] = arrival
    return [found[event.id] for event in printed]


def _of_conversation(con: sqlite3.Connection, printed: Sequence[Event]) -> Iterator[Arrival]:
    session, agent, host = printed[0].session, printed[0].agent, printed[0].host
    conversation = read_conversation(con, session, agent)
    path = conversation.transcript if conversation else ""
    if host != claude.NAME:
        record: _Record | str = f"no record that {host} keeps is read"
    elif not path:
        record = "the host named no record of the session"
    else:
        record = _read(path, session, agent)
    if isinstance(record, str):
        yield from (Arrival(event, UNKNOWN, record, "", None) for event in printed)
        return
    emitted = [_emitted(event) for event in printed]
    scratch = open_scratch()
    try:
        whole = recognise(scratch, claude, emitted, record.contexts)
        previews = _previews(scratch, [one for one in emitted if one.event not in whole], record)
        for event, one in zip(printed, emitted, strict=True):
            yield _arrival(event, one, record, whole.get(event.id), previews.get(event.id))
    finally:
        scratch.close()


def _emitted(event: Event) -> Emitted:
    notes = [outcome.note for outcome in event.outcomes if outcome.status == "delivered"]
    return Emitted(
        event.id, event.at, event.name, event.printed_bytes, event.printed_checksum, event.cost, notes
    )


def _arrival(
    event: Event, emitted: Emitted, record: _Record, whole: Context | None, preview: Context | None
) -> Arrival:
    noted = whole or preview
    if noted is None:
        # The client writes after the hook has ended.
        if record.newest <= emitted.at:
            return Arrival(event, UNKNOWN, "the client has written nothing since", record.path, None)
        return Arrival(event, LOST, "", record.path, None)
    status = CUT if whole is None else ARRIVED
    return Arrival(event, status if noted.held else REWOUND, "", record.path, noted.line + 1)


def _previews(scratch: sqlite3.Connection, emitted: Iterable[Emitted], record: _Record) -> dict[int, Context]:
    """The previews that the client made of `emitted`, by event."""
    left = [context for context in record.contexts if context.is_preview]
    found = {}
    for one in emitted:
        for context in left:
            if context.event == one.name and context.at >= one.at and _is_preview_of(scratch, context, one):
                found[one.event] = context
                left.remove(context)
                break
    return found


def _is_preview_of(scratch: sqlite3.Connection, context: Context, emitted: Emitted) -> bool:
    whole = beginning(context.whole_at, _LARGEST_OUTPUT) if context.whole_at else None
    if whole is not None:
        return is_printed(scratch, claude, emitted, whole.decode("utf-8", "replace"))
    # The client has thrown the file away: it begins with the first note.
    return bool(emitted.notes) and f"#{emitted.notes[0]} " in context.text


def _read(transcript: str, session: str, agent: str) -> _Record | str:
    """What the file has of the conversation of `agent`, or why that cannot be said."""
    path = Path(transcript)
    own = path.with_suffix("") / "subagents" / f"agent-{agent}.jsonl"
    if agent and own.is_file():
        path = own
    if not path.is_file():
        why = "is no file" if path.exists() else "is gone, or was never there"
        return f"the session's record {why}"
    try:
        with path.open("rb") as file:
            branch = follow(file)
        with path.open("rb") as file:
            found = [one for one in contexts(file, branch) if one.aside == bool(agent)]
        with path.open("rb") as file:
            last = deque((line for line in file if TIME_MARK in line), LAST_ENTRIES)
    except OSError as error:
        return f"the session's record cannot be read: {error.strerror}"
    newest, sessions = newest_entries(list(last))
    if sessions and session not in sessions:
        return "the record is of another session"
    return _Record(os.fspath(path), found, newest)
