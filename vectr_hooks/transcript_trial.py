"""Plays sessions that a host recorded to a copy of a store, to see what its notes would have done."""

from __future__ import annotations

import os
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from vectr_hooks.authoring import draft, render
from vectr_hooks.core.conversation import Conversation
from vectr_hooks.core.explain import ClauseReading, Reading, can_nearly_hold, near_miss, read_clause
from vectr_hooks.core.model import Decision, Facts
from vectr_hooks.core.nearness import Nearness
from vectr_hooks.core.occurrence import TOOL_AFTER, TOOL_FAILED, Occurrence
from vectr_hooks.core.pipeline import ORIGINS
from vectr_hooks.delivery import Delivered
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import read_note
from vectr_hooks.hosts import claude
from vectr_hooks.hosts.claude_transcript import Account, Occurred, recorded_events
from vectr_hooks.importing import read_file
from vectr_hooks.parsed_payload import RESULT, TooDeep, check_depth, fields, tool_result
from vectr_hooks.response import Response
from vectr_hooks.store.audit import Spent, harmless, shortened
from vectr_hooks.store.configuration import set_value
from vectr_hooks.store.connection import open_for_hook
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, NoteDraft, add_note, all_notes, uncollected
from vectr_hooks.store.private_copy import private_copy
from vectr_hooks.store.remembering import Remembering
from vectr_hooks.store.workspace import Workspace, locate
from vectr_hooks.trial import PROPOSED, Firing, NearMiss, Place, Trial

SUFFIX = ".jsonl"

CONTEXT_LENGTH = 80
# Near misses are looked for clause by clause, at every event.
MOST_CLAUSES = 50
CACHE_KIBIBYTES = 32 * 1024

OUTSIDE = "happened outside the workspace"
NO_TIME = "have no time: today's date stood in"
FILE_NOW = "depended on what a file holds: it was read as it is now"
NO_BRANCH = "depended on the branch, which is not recorded"
TOO_SLOW = "had a regular expression that took too long"
MORE_CLAUSES = f"were only looked through for near misses of {MOST_CLAUSES} clauses"

Progress = Callable[[int], object]


def transcripts(paths: Iterable[str]) -> list[str]:
    """The session files that `paths` name: each itself, and of a folder every one in it, oldest first."""
    found: dict[str, None] = {}
    for path in paths:
        if os.path.isdir(path):
            inside = [str(file) for file in Path(path).glob("*" + SUFFIX)]
            if not any(map(os.path.isfile, inside)):
                raise VectrHooksError(f"{path} holds no file *{SUFFIX}", "name the session files themselves")
            found.update(dict.fromkeys(sorted(inside, key=lambda file: (_changed(file), file))))
        elif os.path.isfile(path):
            found[path] = None
        else:
            what = "is not a regular file" if os.path.exists(path) else "does not exist"
            raise VectrHooksError(f"{path} {what}", "name a session file of Claude Code, or their folder")
    return list(found)


def _changed(file: str) -> float:
    """When `file` was changed; 0 where that cannot be said, and reading it will say why."""
    try:
        return os.path.getmtime(file)
    except OSError:
        return 0


def propose(root: str, file: str, provenance: str) -> NoteDraft:
    """The note in `file`, as it would be stored in the workspace at `root`."""
    written = read_note(read_file(file), file)
    try:
        return draft(root, written, provenance=provenance)
    except VectrHooksError as error:
        if "--redact" not in error.hint:
            raise
        raise VectrHooksError(error.message, f"take it out of {file}", error.field) from None


def try_transcripts(
    store_path: str,
    place: Workspace,
    files: Sequence[str],
    proposed: NoteDraft | None = None,
    progress: Progress = lambda size: None,
) -> Trial:
    """Play the sessions in `files` with the notes of today, and `proposed` where it is given.

    With a proposed note only that one is watched, else all are. The store itself is only read. `progress` is
    called with the bytes read since: in all, twice the size of the files. A file that cannot be read is named
    in the result; where all are such, a VectrHooksError is raised.
    """
    with private_copy(store_path) as copied:
        with closing(open_store(copied)) as con:
            # What notes would do does not depend on whether hooks are switched off at present.
            set_value(con, "enabled", True, _now_ms())
            # It is no note, and costs none.
            set_value(con, "nudge", False, _now_ms())
            new = add_note(con, proposed, render, _now_ms()) if proposed else None
            watched = [new] if new else all_notes(con)
        connection, writable = open_for_hook(copied)
        try:
            if not writable:
                raise VectrHooksError(f"{copied} cannot be written", "check that the disk has room")
            # Nothing is ever taken back.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIBIBYTES}")
            connection.execute("BEGIN IMMEDIATE")
            # It does what is asked of a connection.
            remembering = cast(sqlite3.Connection, Remembering(connection))
            player = _Player(remembering, place, watched, new.id if new else None)
            with uncollected():
                for file in files:
                    player.play(file, progress)
            if player.unread and len(player.unread) == len(files):
                file, why = next(iter(player.unread.items()))
                raise VectrHooksError(f"{file} cannot be read: {why}", "check who may read it")
            return player.trial()
        finally:
            connection.close()


@dataclass
class _Player:
    """The copy of a store that sessions are played to, and what they did there."""

    connection: sqlite3.Connection
    place: Workspace
    watched: Sequence[Note]
    proposed: int | None
    account: Account = field(default_factory=Account)
    sessions: dict[str, None] = field(default_factory=dict)
    events: int = 0
    firings: list[Firing] = field(default_factory=list)
    near_misses: list[NearMiss] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    unread: dict[str, str] = field(default_factory=dict)
    places: dict[str, Workspace | None] = field(default_factory=dict)
    conversations: dict[tuple[str, str], Conversation] = field(default_factory=dict)
    """By session and agent, as they were written last: they need not be read again."""
    answered: int = 0
    """Events, duplicates among them."""

    def __post_init__(self) -> None:
        clauses = [
            (note, clause) for note in self.watched for clause in note.clauses if can_nearly_hold(clause)
        ]
        self.notes = {note.id: note for note in self.watched}
        self.clauses = clauses[:MOST_CLAUSES]
        self.nearness = Nearness([clause for _, clause in self.clauses])
        self.has_more_clauses = len(clauses) > MOST_CLAUSES

    def play(self, file: str, progress: Progress) -> None:
        try:
            for occurred in recorded_events(file, self.account, progress):
                self._occur(occurred)
        except OSError as error:
            self.unread[file] = error.strerror or type(error).__name__

    def trial(self) -> Trial:
        return Trial(
            tuple(self.sessions),
            self.events,
            tuple(self.firings),
            tuple(self.near_misses),
            dict(self.unknown),
            dict(self.account.skipped),
            dict(self.unread),
        )

    def _occur(self, occurred: Occurred) -> None:
        self.sessions.setdefault(str(occurred.payload["session_id"]))
        place = self._place(str(occurred.payload["cwd"]))
        try:
            event = self._read(occurred.payload)
        except TooDeep:
            self.account.skipped["unreadable"] += 1
            return
        if place is None or event is None:
            self.unknown[OUTSIDE] += 1
            return
        if occurred.at_ms is None:
            self.unknown[NO_TIME] += 1
        self.events += 1
        response = _Response(self, event, place, occurred.at_ms or _now_ms())
        response.sight.branch = occurred.branch
        response.answer()
        if response.delivered is not None:
            self._look(_Where(occurred, event, response.delivered.facts), response.delivered)

    def _read(self, payload: Mapping[str, Any]) -> Occurrence | None:
        """Read a payload as a hook does; its result, most of the bytes, only when a trigger asks for it."""
        check_depth(self.connection, {name: value for name, value in payload.items() if name != RESULT})
        event = claude.read_event(*fields(payload))
        if event is not None and RESULT in payload:
            event.result = lambda: self._result(payload)
        return event

    def _result(self, payload: Mapping[str, Any]) -> str:
        try:
            check_depth(self.connection, {RESULT: payload[RESULT]})
        except TooDeep:
            self.account.skipped["unreadable"] += 1
            return ""
        return tool_result(payload)

    def _look(self, where: _Where, delivered: Delivered) -> None:
        facts = delivered.facts
        outcomes = {
            one.candidate.note: one for one in delivered.decisions if one.candidate.note in self.notes
        }
        for note, one in outcomes.items():
            if one.status in ("delivered", "suppressed", "held back"):
                # `index:budget` is an index line all the same.
                given = (one.form.partition(":")[0], "")
                form, reason = given if one.status == "delivered" else (one.status, one.reason)
                why = one.why or ORIGINS.get(one.candidate.origin, "")
                self.firings.append(
                    Firing(where.place, self._id(note), self.notes[note].title, form, reason, one.cost, why)
                )
        if facts.slow:
            self.unknown[TOO_SLOW] += 1
        if facts.moments:
            self._look_for_near_misses(where, outcomes)

    def _look_for_near_misses(self, where: _Where, outcomes: Mapping[int, Decision]) -> None:
        if self.has_more_clauses:
            self.unknown[MORE_CLAUSES] += 1
        unknown = set()
        for position in self.nearness.at(where.facts):
            note, clause = self.clauses[position]
            reading = read_clause(clause, where.facts)
            missed = near_miss(reading)
            if missed is None or (missed.condition == "output" and not where.has_result):
                continue
            if missed.condition == "symbol" and any(name == "path" for name, _ in clause.conditions):
                unknown.add(FILE_NOW)
            elif missed.condition == "branch" and not where.facts.branch:
                unknown.add(NO_BRANCH)
            elif note.id not in outcomes or not outcomes[note.id].clauses:
                self.near_misses.append(self._near_miss(where, note, reading, missed))
        self.unknown.update(unknown)

    def _near_miss(self, where: _Where, note: Note, reading: ClauseReading, missed: Reading) -> NearMiss:
        return NearMiss(
            where.place,
            self._id(note.id),
            note.title,
            reading.number,
            "unless" if missed in reading.unless else missed.condition,
            missed.expected,
            tuple(harmless(text) for text in missed.seen),
        )

    def _id(self, note: int) -> int:
        return PROPOSED if note == self.proposed else note

    def _place(self, folder: str) -> Workspace | None:
        """The worktree of this workspace that `folder` is in, or was; None for none."""
        if folder not in self.places:
            found = self._located(folder)
            # What is checked out now is not what was: see `Occurred.branch`.
            self.places[folder] = found and Workspace(found.root, found.id, found.id_file, "")
        return self.places[folder]

    def _located(self, folder: str) -> Workspace | None:
        found = locate(folder, "") if os.path.isdir(folder) else None
        if found is not None and found.id == self.place.id:
            return found
        # A folder that is gone may have been a part of it.
        inside = os.path.normpath(folder).startswith(os.path.join(self.place.root, ""))
        return self.place if found is None and (inside or folder == self.place.root) else None


class _Response(Response):
    """A response that can be asked what it delivered."""

    delivered: Delivered | None = None

    def __init__(self, player: _Player, event: Occurrence, place: Workspace, now_ms: int) -> None:
        self.player = player
        super().__init__(player.connection, claude, event, place, now_ms)

    def _next_event(self) -> int:
        self.player.answered += 1
        return self.player.answered

    def _conversation(self) -> Conversation:
        known = self.player.conversations.get((self.event.session, self.event.agent))
        return known or super()._conversation()

    def _record(
        self,
        event_id: int,
        conversation: Conversation,
        delivered: Delivered,
        spent: Spent,
        output: bytes,
        remark: str = "",
    ) -> None:
        # Nobody reads this audit.
        if not remark:
            self.delivered = delivered
            self.player.conversations[conversation.session, conversation.agent] = conversation

    def _prepare_to_decide(self) -> None:
        """Nothing: no lock is waited for."""


class _Where:
    """The place of an event, made only when it is asked for: most events lead to nothing."""

    def __init__(self, occurred: Occurred, event: Occurrence, facts: Facts) -> None:
        self.facts = facts
        self.has_result = event.what in (TOOL_AFTER, TOOL_FAILED)
        self._of = (occurred, event)
        self._place: Place | None = None

    @property
    def place(self) -> Place:
        if self._place is None:
            occurred, event = self._of
            self._place = Place(
                session=event.session,
                event=f"line {occurred.line}",
                at_ms=occurred.at_ms,
                name=event.name,
                moments=self.facts.moments,
                context=_context(event, self.facts),
                agent=event.agent,
            )
        return self._place


def _context(event: Occurrence, facts: Facts) -> str:
    targets = list(dict.fromkeys(path for _, path in facts.targets))
    if event.command:
        about = event.command
    elif targets:
        about = ", ".join(targets)
    else:
        about = event.prompt or event.path or event.tool or facts.subagent or event.source
    text = shortened(" ".join(about.split()), CONTEXT_LENGTH + 1)
    return text if len(text) <= CONTEXT_LENGTH else text[:CONTEXT_LENGTH] + "…"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def total_bytes(files: Sequence[str]) -> int:
    """How many bytes `try_transcripts` will have read of `files`."""
    return 2 * sum(os.path.getsize(file) for file in files if os.path.isfile(file))
