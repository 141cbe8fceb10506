"""Says in words when a note will arrive."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Protocol

from vectr_hooks.core.grammar import Trigger
from vectr_hooks.core.kinds import RECALLED_KINDS, default_clauses
from vectr_hooks.core.model import BOUNDARIES, Clause
from vectr_hooks.core.states import REVOKED, SUPERSEDED, given_up

RECALLED = (
    "no trigger: arrives as an index line when a prompt shares a rare name, path or error code with it or "
    "most words of its title, and after a compaction of the session that wrote it; else by "
    "`vectr-hooks recall`"
)
NO_TRIGGER = (
    "no trigger: found by `vectr-hooks recall`; arrives by itself only after a compaction of the session "
    "that wrote it. Give --path, --keyword, --command or --event to have it delivered"
)
_PINNED = "at session start and after every compaction (pinned)"

_MOMENTS = {
    "session-start": "at session start",
    "post-compaction": "after every compaction",
    "prompt-submit": "at a prompt",
    "pre-read": "before a read",
    "pre-edit": "before an edit",
    "pre-run": "before a command",
    "pre-commit": "before a commit",
    "post-read": "after a read",
    "post-edit": "after an edit",
    "post-run": "after a command",
    "post-failure": "after a failure",
    "subagent-start": "at the start of a subagent",
}
# Moments after whose phrase a condition can follow directly: "before an edit" + " of src/db/**".
_FOLLOWING = (
    ("path", frozenset(("pre-read", "pre-edit", "post-read", "post-edit")), " of {}"),
    ("command", frozenset(("pre-run", "post-run")), " that starts with {}"),
    ("subagent", frozenset(("subagent-start",)), " of type {}"),
)
# What says when in a clause without `event`: the first of these that it has.
_IMPLIED = (
    ("path", "before or after a read or an edit of {}"),
    ("command", "before or after a command that starts with {}"),
    ("tool", "before or after a use of the tool {}"),
    ("symbol", "when the prompt or a tool's input has {}"),
    ("output", "when a tool's result has {}"),
    ("keyword", "when the prompt says {}"),
    ("semantic", "when the prompt is near it in meaning ({} or more)"),
)
_CIRCUMSTANCES = {
    "path": "for {}",
    "symbol": "with {} in the prompt, the tool's input or the file",
    "output": "when the result has {}",
    "command": "with the command {}",
    "keyword": "when the prompt says {}",
    "semantic": "when the prompt is near it in meaning ({} or more)",
    "tool": "with the tool {}",
    "subagent": "in a subagent of type {}",
    "branch": "on branch {}",
}

_AT_BOUNDARIES = frozenset(BOUNDARIES)

_Named = dict[str, tuple[str, ...]]


class Described(Protocol):
    """What of a note decides when it arrives, its trigger apart."""

    @property
    def kind(self) -> str: ...
    @property
    def priority(self) -> str: ...
    @property
    def anchors(self) -> Sequence[str]: ...
    @property
    def pinned(self) -> bool: ...
    @property
    def state(self) -> str: ...
    @property
    def superseded_by(self) -> int: ...
    @property
    def reason(self) -> str: ...


def arrival(trigger: Trigger | None, note: Described) -> str:
    """When `note` arrives, under its own trigger or, with None, by default of its kind."""
    if note.state == SUPERSEDED:
        return f"no longer arrives: {given_up(note)}"
    as_warning = "revoked: " if note.state == REVOKED else ""
    pinned = note.pinned and not as_warning
    trigger = _in_force(trigger, note)
    # What a pin does anyway is not said twice.
    clauses = [clause for clause in trigger.clauses if not (pinned and _is_boundary(clause))]
    when = ([_PINNED] if pinned else []) + [describe_clause(clause) for clause in clauses]
    if not when:
        return as_warning + (RECALLED if note.kind in RECALLED_KINDS else NO_TRIGGER)
    return f"{as_warning}arrives {'as a warning ' if as_warning else ''}{_limited(when, trigger, clauses)}"


def describe_trigger(trigger: Trigger | None, note: Described) -> str:
    """The trigger alone, whether or not `note` is pinned; with None, that of its kind. '' for none."""
    trigger = _in_force(trigger, note)
    when = [describe_clause(clause) for clause in trigger.clauses]
    return _limited(when, trigger, trigger.clauses) if when else ""


def _in_force(trigger: Trigger | None, note: Described) -> Trigger:
    if trigger is not None:
        return trigger
    return Trigger(default_clauses(note.kind, note.priority, note.anchors))


def _limited(when: Sequence[str], trigger: Trigger, clauses: Iterable[Clause]) -> str:
    limits = _limits(trigger, clauses)
    return "; or ".join(when) + (f"; {', '.join(limits)}" if limits else "")


def describe_clause(clause: Clause) -> str:
    """The conditions of a clause as one phrase that can follow "arrives"."""
    named = dict(clause.conditions)
    moment, told = _moment(named)
    phrase = ", ".join([moment, *_circumstances(named, told)])
    return f"{phrase}, unless {_veto(dict(clause.unless))}" if clause.unless else phrase


def _moment(named: _Named) -> tuple[str, set[str]]:
    """The part that says when, and the conditions it tells."""
    events = named.get("event")
    if events is None:
        for name, phrase in _IMPLIED:
            if name in named:
                return phrase.format(_values(name, named)), {name}
        return "at any event", set()
    phrase, told = _events(events), {"event"}
    for name, moments, following in _FOLLOWING:
        if name in named and moments.issuperset(events):
            phrase += following.format(_values(name, named))
            told.add(name)
    return phrase, told


def _circumstances(named: _Named, told: Container[str] = ()) -> list[str]:
    return [
        phrase.format(_values(name, named))
        for name, phrase in _CIRCUMSTANCES.items()
        if name in named and name not in told
    ]


def _veto(named: _Named) -> str:
    events = [_events(named["event"])] if "event" in named else []
    return " and ".join(events + [phrase.removeprefix("when ") for phrase in _circumstances(named)])


def _events(events: Sequence[str]) -> str:
    # A note arrives at both boundaries, but at one of an edit and a read.
    return _listed([_MOMENTS[event] for event in events], "and" if _boundaries(events) else "or")


def _is_boundary(clause: Clause) -> bool:
    """Whether the clause asks for nothing but a boundary."""
    return not clause.unless and all(name == "event" and _boundaries(v) for name, v in clause.conditions)


def _boundaries(events: Iterable[str]) -> bool:
    return _AT_BOUNDARIES.issuperset(events)


def _values(name: str, named: _Named) -> str:
    return _listed(
        [_quoted(value) if name in ("keyword", "command", "output") else value for value in named[name]]
    )


def _quoted(value: str) -> str:
    return f'"{value}"' if " " in value else value


def _listed(words: Sequence[str], last: str = "or") -> str:
    if len(words) == 1:
        return words[0]
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def _limits(trigger: Trigger, clauses: Iterable[Clause]) -> list[str]:
    limits = []
    if trigger.cooldown:
        limits.append(
            "at most every turn" if trigger.cooldown == 1 else f"at most every {trigger.cooldown} turns"
        )
    elif not all(_boundaries(dict(clause.conditions).get("event", ("",))) for clause in clauses):
        limits.append("once per epoch")
    if trigger.not_before and trigger.expires:
        limits.append(f"from {trigger.not_before} to {trigger.expires}")
    elif trigger.not_before:
        limits.append(f"from {trigger.not_before}")
    elif trigger.expires:
        limits.append(f"until {trigger.expires}")
    if trigger.max_deliveries:
        times = "once" if trigger.max_deliveries == 1 else f"{trigger.max_deliveries} times"
        limits.append(f"at most {times} a session")
    return limits
