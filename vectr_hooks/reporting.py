"""What a report shows: the audit and the notes in numbers, ready to be drawn."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from vectr_hooks.core.model import FULL, MOMENTS, POST_COMPACTION
from vectr_hooks.output import utc, visible
from vectr_hooks.store.activity import DAY_MS
from vectr_hooks.store.arrivals import count_lost
from vectr_hooks.store.damage import Told, refuse
from vectr_hooks.store.journal import Event, HookError, Outcome, recent_errors, recent_events
from vectr_hooks.store.statistics import Statistics, gather

MOST_SESSIONS = 40
MOST_EVENTS = 20_000
MOST_ERRORS = 20
MOST_DAYS = 31
#: in one session's own list
MOST_LISTED = 300


@dataclass(frozen=True)
class Bar:
    """One bar of a chart, of one value or of two on top of each other."""

    label: str
    value: int
    more: int = 0
    share: float = 0.0
    """Of the longest bar, 0 to 1; so is the next."""
    more_share: float = 0.0


@dataclass(frozen=True)
class Mark:
    """One event on a session's strip."""

    at: float
    """From 0, its first event, to 1."""
    what: str
    """`compaction`, `delivered`, `held` or `event`."""
    size: float
    """How much was delivered, 0 to 1."""
    title: str


@dataclass(frozen=True)
class Line:
    """One event as a session's list shows it."""

    id: int
    clock: str
    what: str
    cost: int
    compaction: bool
    outcomes: tuple[Outcome, ...]


@dataclass
class Session:
    """One session: its strip, and the events at which something was delivered or held back."""

    id: str
    begun: str
    events: int
    turns: int
    compactions: int
    tokens: int
    marks: list[Mark]
    lines: list[Line]
    left_out: int
    """Events with something to tell beyond those listed."""


@dataclass
class HeldBack:
    """A note that matched and was not delivered, how often, and why the last time."""

    note: int
    title: str | None
    times: int
    last: str
    why: str


@dataclass
class Report:
    """Everything on the page."""

    project: str
    until: str
    """When the newest event was; '' without any."""
    is_partial: bool
    """There are older events than the `MOST_EVENTS` that everything here is about."""
    statistics: Statistics
    deliveries: int
    tokens: int
    held_back: list[HeldBack]
    lost: int
    """Deliveries that a later look at the host's own record did not find."""
    percentiles: list[Bar]
    """Of the time inside the hook, in milliseconds."""
    days: list[Bar]
    """Tokens delivered by day: in full, and as index lines."""
    moments: list[Bar]
    """Deliveries by moment: in full, and as index lines."""
    sessions: list[Session]
    sessions_left_out: int
    errors: list[HookError] = field(default_factory=list)


def report(con: sqlite3.Connection, project: str, told: Told = refuse) -> Report:
    """Everything on the page of `project`; `told` is called with the refusal of each row that is damaged."""
    events = recent_events(con, MOST_EVENTS, told=told)[::-1]
    outcomes = [(event, outcome) for event in events for outcome in event.outcomes]
    delivered = [(event, outcome) for event, outcome in outcomes if outcome.status == "delivered"]
    sessions = _sessions(events)
    is_partial = len(events) == MOST_EVENTS
    return Report(
        project=project,
        until=utc(max(event.at for event in events)) if events else "",
        is_partial=is_partial,
        statistics=gather(con, min(event.at for event in events) if is_partial else 0, told),
        deliveries=len(delivered),
        tokens=sum(event.cost for event in events),
        held_back=_held_back(outcomes),
        lost=count_lost(con),
        percentiles=_percentiles([event.took_us for event in events if event.took_us]),
        days=_days(delivered),
        moments=_moments(delivered),
        sessions=sessions[:MOST_SESSIONS],
        sessions_left_out=max(0, len(sessions) - MOST_SESSIONS),
        errors=recent_errors(con, MOST_ERRORS, told),
    )


def bars(values: Iterable[tuple[str, int, int]]) -> list[Bar]:
    """Bars of (label, value, another value on top of it), scaled to the longest."""
    rows = list(values)
    longest = max((value + more for _, value, more in rows), default=0) or 1
    return [Bar(label, value, more, value / longest, more / longest) for label, value, more in rows]


def _percentiles(times_us: Sequence[int]) -> list[Bar]:
    ordered = sorted(times_us)
    return bars(
        (f"p{percent}", ordered[(len(ordered) * percent + 99) // 100 - 1], 0)
        for percent in (50, 90, 95, 99)
        if ordered
    )


def _days(delivered: Sequence[tuple[Event, Outcome]]) -> list[Bar]:
    """The last days up to the newest delivery, also those without one."""
    if not delivered:
        return []
    days = [event.at // DAY_MS for event, _ in delivered]
    first = max(min(days), max(days) - MOST_DAYS + 1)
    by_day = {day: [0, 0] for day in range(first, max(days) + 1)}
    for day, (_, outcome) in zip(days, delivered, strict=True):
        if day in by_day:
            by_day[day][outcome.form != FULL] += outcome.cost
    return bars(
        (time.strftime("%Y-%m-%d", time.gmtime(day * DAY_MS / 1000)), full, lines)
        for day, (full, lines) in by_day.items()
    )


def _moments(delivered: Sequence[tuple[Event, Outcome]]) -> list[Bar]:
    by_moment = {moment: [0, 0] for moment in MOMENTS}
    for event, outcome in delivered:
        for moment in _moments_of(event)[:1]:
            by_moment[moment][outcome.form != FULL] += 1
    return bars((moment, full, lines) for moment, (full, lines) in by_moment.items() if full or lines)


def _moments_of(event: Event) -> list[str]:
    moments = event.facts.get("moments")
    return [moment for moment in moments if moment in MOMENTS] if isinstance(moments, list) else []


def _held_back(outcomes: Sequence[tuple[Event, Outcome]]) -> list[HeldBack]:
    found: dict[int, HeldBack] = {}
    for event, outcome in outcomes:
        if outcome.status == "held back":
            held = found.setdefault(outcome.note, HeldBack(outcome.note, outcome.title, 0, "", ""))
            held.times += 1
            held.last = f"event {event.id}, {utc(event.at)}"
            held.why = visible(outcome.reason)
    return sorted(found.values(), key=lambda held: (-held.times, held.note))


def _sessions(events: Sequence[Event]) -> list[Session]:
    """Those last active first."""
    by_session: dict[str, list[Event]] = {}
    for event in events:
        by_session.setdefault(event.session, []).append(event)
    ordered = sorted(by_session.items(), key=lambda session: -session[1][-1].id)
    return [_session(id, there) for id, there in ordered]


def _session(id: str, events: Sequence[Event]) -> Session:
    most = max(event.cost for event in events) or 1
    lines = [_line(event) for event in events if _is_telling(event)]
    return Session(
        id=visible(id),
        begun=utc(events[0].at),
        events=len(events),
        turns=max(event.turn_number for event in events),
        compactions=sum(_is_compaction(event) for event in events),
        tokens=sum(event.cost for event in events),
        marks=[
            Mark(at / max(1, len(events) - 1), _sort(event), event.cost / most, _title(event))
            for at, event in enumerate(events)
        ],
        lines=lines[-MOST_LISTED:],
        left_out=max(0, len(lines) - MOST_LISTED),
    )


def _is_compaction(event: Event) -> bool:
    return POST_COMPACTION in _moments_of(event) and not event.agent


def _is_telling(event: Event) -> bool:
    return _sort(event) != "event"


def _sort(event: Event) -> str:
    if _is_compaction(event):
        return "compaction"
    if event.cost:
        return "delivered"
    return "held" if any(outcome.status == "held back" for outcome in event.outcomes) else "event"


def _title(event: Event) -> str:
    tokens = f", {event.cost} tokens" if event.cost else ""
    return f"{event.id}: {', '.join(_moments_of(event)) or event.name}{tokens}"


def _line(event: Event) -> Line:
    return Line(
        id=event.id,
        clock=time.strftime("%H:%M:%S", time.gmtime(event.at / 1000)),
        what=visible(", ".join(_moments_of(event)) or event.name)
        + (f" · subagent {visible(event.agent)}" if event.agent else ""),
        cost=event.cost,
        compaction=_is_compaction(event),
        outcomes=tuple(o for o in event.outcomes if o.status in ("delivered", "held back")),
    )
