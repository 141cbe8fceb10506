"""Plays the demo's session through the installed hook commands, in a workspace made for it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from vectr_hooks import authoring
from vectr_hooks.commands.demo_session import (
    FILES,
    NOTES,
    RECORDED_IN,
    SESSIONS,
    SETTINGS,
    HookEvent,
    Session,
    Step,
    StoredNote,
)
from vectr_hooks.core.budget import tokens
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.core.model import FULL, INDEX
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.project import Project, init_project
from vectr_hooks.registration import command_line
from vectr_hooks.store import configuration
from vectr_hooks.store.create import open_store
from vectr_hooks.store.journal import Choice, Event, recent_errors, recent_events
from vectr_hooks.store.notes import Note, all_notes

HOOK_TIMEOUT_S = 30


@dataclass(frozen=True)
class Scratch:
    """A project with notes in a folder of its own, and the commands that a client would run there."""

    folder: str
    project: Project
    commands: Mapping[str, str]


@dataclass(frozen=True)
class Answer:
    """What one hook process did."""

    told: HookEvent
    text: str
    """What the model is given; '' for nothing."""
    ms: float
    """The whole process, from its start to its end."""
    event: Event
    """The same as the audit has it."""

    @property
    def tokens(self) -> int:
        return self.event.cost or tokens(self.text)

    @property
    def for_summary(self) -> bool:
        """Whether the text is for the author of a summary, not for the conversation."""
        return self.told.name == "PreCompact"


@dataclass(frozen=True)
class Survival:
    """What a compaction left of the notes that had been used: ids by what came back of each."""

    whole: tuple[int, ...]
    lines: tuple[int, ...]
    """Index lines only, of notes that had arrived as such."""
    missing: tuple[int, ...]

    @property
    def complete(self) -> bool:
        return not self.missing


@dataclass(frozen=True)
class Played:
    """A step with the answers of its hooks."""

    number: int
    session: Session
    step: Step
    answers: tuple[Answer, ...]
    note: Note | None = None
    """What the agent wrote in it."""
    survival: Survival | None = None
    """After a compaction."""


@dataclass(frozen=True)
class Totals:
    """The sums of what was played; a text for a summary's author is no injection."""

    events: int
    injections: int
    tokens: int
    median_ms: float


def project_root(folder: str) -> str:
    return os.path.join(os.path.realpath(folder), os.path.basename(RECORDED_IN))


def data_home(folder: str) -> str:
    return os.path.join(os.path.realpath(folder), "vectr-hooks")


def set_up(folder: str) -> Scratch:
    """Make the project in `folder`, with a store and the notes written before its first session."""
    root, home = project_root(folder), data_home(folder)
    # A repository of its own: the search for a workspace must not climb to one around the temporary folder.
    for place in ("refs", "objects"):
        os.makedirs(os.path.join(root, ".git", place))
    for path, content in {".git/HEAD": "ref: refs/heads/start-up-race\n", **FILES}.items():
        file = Path(root, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="\n")
    with _data_home(home):
        project = init_project(root)
    with closing(open_store(project.store_path)) as con:
        for key, value in SETTINGS.items():
            configuration.set_value(con, key, value, _now_ms())
    commands = command_line.hook_commands(command_line.interpreter(), command_line.hooks_folder(), home)
    scratch = Scratch(folder, project, commands)
    for note in NOTES:
        write(scratch, note)
    return scratch


def write(scratch: Scratch, note: StoredNote, session: str = "") -> Note:
    with closing(open_store(scratch.project.store_path)) as con:
        return authoring.remember(
            con,
            scratch.project.root,
            note.text,
            title=note.title,
            kind=note.kind,
            anchors=note.anchors,
            trigger=parse_trigger(note.trigger) if note.trigger else None,
            provenance=note.provenance,
            session=session,
            now_ms=_now_ms(),
        )


def stored_notes(scratch: Scratch) -> list[Note]:
    with closing(open_store(scratch.project.store_path)) as con:
        return sorted(all_notes(con), key=lambda note: note.id)


def play(scratch: Scratch) -> Iterator[Played]:
    """Play both sessions, step by step."""
    number = 0
    for session in SESSIONS:
        client = _Client(scratch, session)
        before: list[Played] = []
        for step in session.steps:
            number += 1
            played = client.play(number, step)
            if step.summary:
                kept = survival(before, played.answers[-1], stored_notes(scratch))
                played = replace(played, survival=kept)
            before.append(played)
            yield played


def totals(played: Iterable[Played]) -> Totals:
    answers = [answer for one in played for answer in one.answers]
    given = [answer for answer in answers if answer.text and not answer.for_summary]
    return Totals(
        events=len(answers),
        injections=len(given),
        tokens=sum(answer.tokens for answer in given),
        median_ms=round(statistics.median(answer.ms for answer in answers), 1),
    )


def survival(before: Sequence[Played], begun: Answer, notes: Iterable[Note]) -> Survival:
    """Look in the text of `begun`, after a compaction, for every note used or written `before` it."""
    forms: dict[int, set[str]] = {one.note.id: {FULL} for one in before if one.note}
    for answer in (answer for one in before for answer in one.answers if not answer.event.agent):
        for outcome in answer.event.outcomes:
            if outcome.status in ("delivered", "held back"):
                forms.setdefault(outcome.note, set()).add(outcome.form)
    used = [note for note in notes if note.id in forms]
    whole = tuple(note.id for note in used if begun.text.count(note.body) == 1)
    lines = tuple(
        note.id
        for note in used
        if forms[note.id] == {INDEX} and begun.text.splitlines().count(note.line) == 1
    )
    return Survival(whole, lines, tuple(note.id for note in used if note.id not in (*whole, *lines)))


class _Client:
    """The client in one session: it numbers prompts and tool calls, and runs a hook at each event."""

    def __init__(self, scratch: Scratch, session: Session) -> None:
        self.scratch = scratch
        self.session = session
        self.prompts = 0
        self.calls = 0
        self.newest = 0

    def play(self, number: int, step: Step) -> Played:
        if step.events[0].name in ("UserPromptSubmit", "PreCompact"):
            self.prompts += 1
        *before, last = step.events
        answers = [self.run(event) for event in before]
        note = self._take_effect(step)
        return Played(number, self.session, step, (*answers, self.run(last)), note)

    def _take_effect(self, step: Step) -> Note | None:
        if step.change:
            file = Path(self.scratch.project.root, step.change.path)
            text = file.read_text(encoding="utf-8").replace(step.change.old, step.change.new)
            file.write_text(text, encoding="utf-8", newline="\n")
        return write(self.scratch, step.note, self.session.id) if step.note else None

    def run(self, told: HookEvent) -> Answer:
        """Run the hook of an event as the client does, and take its answer and what it recorded."""
        place = self.scratch.project
        self.calls += told.name == "PreToolUse"
        before = time.perf_counter()
        done = subprocess.run(
            ["/bin/sh", "-c", self.scratch.commands[told.name]],
            input=self.payload(told),
            capture_output=True,
            cwd=place.root,
            env={
                "PATH": os.environ.get("PATH", os.defpath),
                "HOME": self.scratch.folder,
                "CLAUDE_PROJECT_DIR": place.root,
            },
            timeout=HOOK_TIMEOUT_S,
        )
        ms = (time.perf_counter() - before) * 1000
        with closing(open_store(place.store_path)) as con:
            recorded = next(iter(recent_events(con, 1, Choice(session=self.session.id))), None)
            errors = recent_errors(con, 1)
        said = done.stderr.decode("utf-8", "replace").strip() or (errors[0].message if errors else "")
        if said or done.returncode or recorded is None or recorded.id <= self.newest:
            raise VectrHooksError(
                f"the hook of {told.name} failed ({done.returncode}): {said or 'it recorded nothing'}",
                "`vectr-hooks demo --keep` leaves the project for a closer look",
            )
        self.newest = recorded.id
        return Answer(told, context(told, done.stdout.decode("utf-8")), ms, recorded)

    def payload(self, told: HookEvent) -> bytes:
        """The event as the client writes it, with the recorded folder moved to where the project is."""
        fields: dict[str, object] = {
            "session_id": self.session.id,
            "transcript_path": f"{RECORDED_IN}/../.claude/projects/orders/{self.session.id}.jsonl",
            "cwd": RECORDED_IN,
        }
        if self.prompts:
            fields["prompt_id"] = f"{self.session.id[:8]}-0000-4000-8000-{self.prompts:012}"
        if told.subagent:
            fields |= {"agent_id": f"a{self.calls:016x}", "agent_type": told.subagent}
        if "tool_name" in told.fields:
            fields |= {"permission_mode": "default", "tool_use_id": f"toolu_{self.prompts:04}{self.calls:04}"}
        fields |= {"hook_event_name": told.name, **told.fields}
        moved_to = json.dumps(self.scratch.project.root, ensure_ascii=False)[1:-1]
        return json.dumps(fields, ensure_ascii=False).replace(RECORDED_IN, moved_to).encode()


def context(told: HookEvent, output: str) -> str:
    """What of a hook's output goes into a context."""
    if not output or told.name == "PreCompact":
        return output
    text: str = json.loads(output)["hookSpecificOutput"]["additionalContext"]
    return text


@contextmanager
def _data_home(folder: str) -> Iterator[None]:
    """Let `folder` hold the stores, as a user would choose it."""
    before = os.environ.get("VECTR_HOOKS_HOME")
    os.environ["VECTR_HOOKS_HOME"] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ["VECTR_HOOKS_HOME"]
        else:
            os.environ["VECTR_HOOKS_HOME"] = before


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
