"""What notes would have done at events that are over: what fired, and what nearly did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

PROPOSED = -1
"""Stands for the id of a note that is not stored."""


@dataclass(frozen=True)
class Place:
    """One event of one session."""

    session: str
    """The host's id of the session."""
    event: str
    """What finds the event again: the id of a recorded one, `line N` in a host's own file."""
    at_ms: int | None
    """Milliseconds since 1970, UTC; None where it is not known."""
    name: str
    """The host's name of the event."""
    moments: tuple[str, ...]
    context: str
    """What it was about, for people: a path, a command, the start of a prompt; short, without secrets."""
    agent: str = ""
    """The subagent it happened in; '' for the main conversation."""


@dataclass(frozen=True)
class Firing:
    """A note whose trigger held at an event, or that the event brought otherwise."""

    place: Place
    note: int
    """`PROPOSED` for the proposed one."""
    title: str
    form: str
    """`full` or `index` when it would have been delivered, else `suppressed` or `held back`."""
    reason: str
    """Why it was not delivered; '' when it was."""
    cost: int
    """Tokens that it would have cost."""
    why: str = ""
    """The condition that held, in words; '' where it is not known."""

    @property
    def delivered(self) -> bool:
        return self.form in ("full", "index")


@dataclass(frozen=True)
class NearMiss:
    """A clause of which all conditions but one held at an event."""

    place: Place
    note: int
    title: str
    clause: int
    """Its number, from 0."""
    condition: str
    """The one that failed; `unless` when the clause was vetoed."""
    expected: tuple[str, ...]
    """Any of these would have done."""
    seen: tuple[str, ...]
    """What the event had to compare with."""


@dataclass(frozen=True)
class NoteSummary:
    """What one note did in all sessions of a trial."""

    note: int
    title: str
    delivered: int
    """Events at which it would have been delivered."""
    matched: int
    """Events at which it matched and was suppressed or held back."""
    sessions: int
    """Sessions in which it would have been delivered."""
    cost: int
    """Tokens, in all."""
    near_misses: int


@dataclass(frozen=True)
class SessionSummary:
    """What all notes did in one session of a trial."""

    session: str
    delivered: int
    cost: int
    """Tokens."""


@dataclass(frozen=True)
class Trial:
    """What notes would have done at a number of past events."""

    sessions: tuple[str, ...]
    """The host's ids, in the order in which they were read."""
    events: int
    firings: tuple[Firing, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    unknown: Mapping[str, int] = field(default_factory=dict)
    """By reason: how many events could not be answered for, or not wholly."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """By sort: how many lines of the source are no part of what was tried."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """By name: why a file could not be read."""

    def notes(self) -> tuple[NoteSummary, ...]:
        """A summary of each note that did anything, those that cost most first."""
        titles = {miss.note: miss.title for miss in self.near_misses}
        titles |= {firing.note: firing.title for firing in self.firings}
        near = Counter(miss.note for miss in self.near_misses)
        own: dict[int, list[Firing]] = {note: [] for note in titles}
        for firing in self.firings:
            own[firing.note].append(firing)
        summaries = [_summary(note, title, own[note], near[note]) for note, title in titles.items()]
        return tuple(sorted(summaries, key=lambda one: (-one.cost, -one.delivered, one.note)))

    def by_session(self) -> tuple[SessionSummary, ...]:
        """A summary of each session, in the order in which they were read."""
        delivered = [firing for firing in self.firings if firing.delivered]
        count = Counter(firing.place.session for firing in delivered)
        cost: Counter[str] = Counter()
        for firing in delivered:
            cost[firing.place.session] += firing.cost
        return tuple(SessionSummary(session, count[session], cost[session]) for session in self.sessions)


def _summary(note: int, title: str, firings: Sequence[Firing], near_misses: int) -> NoteSummary:
    delivered = [firing for firing in firings if firing.delivered]
    return NoteSummary(
        note,
        title,
        len(delivered),
        len(firings) - len(delivered),
        len({firing.place.session for firing in delivered}),
        sum(firing.cost for firing in delivered),
        near_misses,
    )
