"""A trial for people and for programs: what fired, what it would have cost, what nearly fired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from vectr_hooks import output
from vectr_hooks.output import counted
from vectr_hooks.trial import PROPOSED, Firing, NearMiss, NoteSummary, Place, Trial

FIRINGS_SHOWN = 5
NEAR_MISSES_SHOWN = 3
NOTES_SHOWN = 20

# What an event lacked is said shorter than in full.
_LENGTH = 80


def tell_trial(trial: Trial, as_json: bool) -> None:
    """Print `trial`: for each note the first events with their context, and in all what it would cost."""
    if as_json:
        output.json_result(trial_fields(trial))
    else:
        output.result("\n".join(lines(trial)))


def lines(trial: Trial) -> Iterator[str]:
    yield _heading(trial)
    notes = trial.notes()
    for summary in notes[:NOTES_SHOWN]:
        yield ""
        yield from _note(trial, summary)
    if len(notes) > NOTES_SHOWN:
        yield ""
        yield f"{counted(len(notes) - NOTES_SHOWN, 'more note')}; --json names all of them"
    if trial.unknown or trial.skipped or trial.unread:
        yield ""
    for reason, count in sorted(trial.unknown.items()):
        yield f"unknown: {counted(count, 'event')} {reason}"
    for sort, count in sorted(trial.skipped.items()):
        yield f"not played: {counted(count, 'line')} {sort}"
    for file, why in sorted(trial.unread.items()):
        yield f"not played: {file}: {why}"


def _heading(trial: Trial) -> str:
    delivered = [firing for firing in trial.firings if firing.delivered]
    cost = sum(firing.cost for firing in delivered)
    sessions = len(trial.sessions)
    each = f" ({cost / sessions:,.0f} a session)" if sessions > 1 else ""
    return (
        f"{counted(sessions, 'session')}, {counted(trial.events, 'event')}: would have fired "
        f"{counted(len(delivered), 'time')}, for {counted(cost, 'token')}{each}; "
        f"{counted(len(trial.near_misses), 'near miss', 'near misses')}"
    )


def _note(trial: Trial, summary: NoteSummary) -> Iterator[str]:
    name = "the proposed note" if summary.note == PROPOSED else f"#{summary.note}"
    yield f"{name}: {summary.title}"
    sessions = max(1, len(trial.sessions))
    yield (
        f"  fired {counted(summary.delivered, 'time')} in {counted(summary.sessions, 'session')}, "
        f"{counted(summary.cost, 'token')} in all, {summary.cost / sessions:,.0f} a session"
        + (f"; matched {summary.matched:,} more times and was not delivered" if summary.matched else "")
    )
    own = [firing for firing in trial.firings if firing.note == summary.note and firing.delivered]
    for firing in own[:FIRINGS_SHOWN]:
        yield f"    {_firing(firing)}"
    if len(own) > FIRINGS_SHOWN:
        yield f"    and {counted(len(own) - FIRINGS_SHOWN, 'more time')}"
    yield from _near_misses([miss for miss in trial.near_misses if miss.note == summary.note])


def _near_misses(misses: Sequence[NearMiss]) -> Iterator[str]:
    by_condition: dict[tuple[int, str], list[NearMiss]] = {}
    for miss in misses:
        by_condition.setdefault((miss.clause, miss.condition), []).append(miss)
    for (clause, condition), found in by_condition.items():
        lacked = (
            f"but for {condition} {_any_of(found[0].expected)}"
            if condition != "unless"
            else "but for `unless`"
        )
        yield f"  nearly fired {counted(len(found), 'time')}, {lacked} (clause {clause + 1})"
        for miss in found[:NEAR_MISSES_SHOWN]:
            yield f"    {_where(miss.place)}; it had {_any_of(miss.seen)}"
        if len(found) > NEAR_MISSES_SHOWN:
            yield f"    and {counted(len(found) - NEAR_MISSES_SHOWN, 'more time')}"


def _firing(firing: Firing) -> str:
    why = f" ({firing.why})" if firing.why else ""
    form = "in full" if firing.form == "full" else "as an index line"
    return f"{_where(firing.place)}{why}, {form}, {counted(firing.cost, 'token')}"


def _where(place: Place) -> str:
    at = "" if place.at_ms is None else f"{output.utc(place.at_ms)}, "
    agent = f" of agent {place.agent}" if place.agent else ""
    moments = "/".join(place.moments) or place.name
    about = f": {place.context}" if place.context else ""
    return f"{at}{place.event}{agent}, {moments}{about}"


def _any_of(values: Sequence[str]) -> str:
    text = " or ".join(values) or "nothing"
    return text if len(text) <= _LENGTH else text[:_LENGTH] + "…"


def trial_fields(trial: Trial) -> dict[str, object]:
    """A trial as JSON gives it; the proposed note has no id."""
    return {
        "sessions": [
            {"session": one.session, "delivered": one.delivered, "cost_tokens": one.cost}
            for one in trial.by_session()
        ],
        "events": trial.events,
        "notes": [_renamed(asdict(one)) for one in trial.notes()],
        "firings": [_renamed(asdict(one)) | {"delivered": one.delivered} for one in trial.firings],
        "near_misses": [_renamed(asdict(one)) for one in trial.near_misses],
        "unknown": dict(trial.unknown),
        "skipped": dict(trial.skipped),
        "unread": dict(trial.unread),
    }


def _renamed(fields: dict[str, object]) -> dict[str, object]:
    if "cost" in fields:
        fields["cost_tokens"] = fields.pop("cost")
    if fields["note"] == PROPOSED:
        fields["note"] = None
    return fields
