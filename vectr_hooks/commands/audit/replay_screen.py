"""What a replay found, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from vectr_hooks import output
from vectr_hooks.commands.audit.listing import heading
from vectr_hooks.output import counted
from vectr_hooks.replay.exact import DIFFERENT, EXACT, NOT_REPLAYABLE, PARTLY, Replayed, Tally
from vectr_hooks.replay.todays_notes import Changed, TodaysNotes

MOST_SHOWN = 50


def tell_tally(tally: Tally, as_json: bool) -> None:
    """The differences, event by event, and one line of summary."""
    if as_json:
        output.json_result(_tally_fields(tally))
        return
    for replayed in tally.different[:MOST_SHOWN]:
        output.result("\n".join(_diff(replayed)))
    if len(tally.different) > MOST_SHOWN:
        output.remark(f"{len(tally.different) - MOST_SHOWN} more events differ; --json names all of them")
    output.result(_summary(tally))


def _summary(tally: Tally) -> str:
    if not tally.events:
        return "no event was recorded yet, or none that was chosen"
    parts = [
        f"{counted(tally.verdicts[verdict], 'event')} {words}{_reasons(tally, verdict)}"
        for verdict, words in (
            (EXACT, "exact"),
            (PARTLY, "partly replayable, and the same as far as they are"),
            (NOT_REPLAYABLE, "not replayable"),
            (DIFFERENT, "different"),
        )
        if tally.verdicts[verdict]
    ]
    return f"{counted(tally.events, 'event')} with {counted(tally.outcomes, 'outcome')}: {'; '.join(parts)}"


def _reasons(tally: Tally, verdict: str) -> str:
    found = sorted((reason, count) for (of, reason), count in tally.reasons.items() if of == verdict)
    return f" ({', '.join(f'{reason}: {count:,}' for reason, count in found)})" if found else ""


def _diff(replayed: Replayed) -> Iterator[str]:
    yield f"--- {heading(replayed.event)}, as recorded"
    yield "+++ replayed"
    for difference in replayed.differences:
        yield f"-{difference.what}: {difference.recorded}"
        yield f"+{difference.what}: {difference.replayed}"
    if any(difference.what == "output" for difference in replayed.differences) and replayed.text:
        yield " The replay would print:"
        yield from (f" | {line}" for line in replayed.text.splitlines())


def _tally_fields(tally: Tally) -> dict[str, object]:
    return {
        "events": tally.events,
        "outcomes": tally.outcomes,
        "exact": tally.verdicts[EXACT],
        "partly": tally.verdicts[PARTLY],
        "not_replayable": {
            reason: count for (verdict, reason), count in tally.reasons.items() if verdict == NOT_REPLAYABLE
        },
        "different": [
            {
                "event": replayed.event.id,
                "session": replayed.event.session,
                "name": replayed.event.name,
                "differences": [asdict(difference) for difference in replayed.differences],
                "replayed_text": replayed.text,
            }
            for replayed in tally.different
        ],
    }


def tell_changes(notes: TodaysNotes, as_json: bool) -> None:
    """What the notes and settings of today would change, and one line of summary."""
    if as_json:
        output.json_result(
            {
                "events": notes.events,
                "cost_tokens_before": notes.cost_before,
                "cost_tokens_after": notes.cost_after,
                "changes": [asdict(change) for change in notes.changes],
                "unknown": dict(notes.unknown),
            }
        )
        return
    if notes.changes:
        output.table(
            ("event", "name", "id", "was", "would be", "about", "title"),
            [_row(change) for change in notes.changes[:MOST_SHOWN]],
            flexible=("about", "title"),
        )
    if len(notes.changes) > MOST_SHOWN:
        output.remark(f"{len(notes.changes) - MOST_SHOWN} more changes; --json names all of them")
    output.result(_changes_summary(notes))
    for reason, count in sorted(notes.unknown.items()):
        output.result(f"unknown: {counted(count, 'event')} {reason}")


def _row(change: Changed) -> tuple[str, ...]:
    after = change.after or (f"- ({change.reason})" if change.reason else "-")
    title = "forgotten since" if change.title is None else change.title
    place = change.place
    return (place.event, place.name, str(change.note), change.before or "-", after, place.context, title)


def _changes_summary(notes: TodaysNotes) -> str:
    newly = sum(not change.before for change in notes.changes)
    gone = sum(not change.after for change in notes.changes)
    return (
        f"{counted(notes.events, 'event')}: {newly:,} newly delivered, {gone:,} no longer, "
        f"{len(notes.changes) - newly - gone:,} in another form; "
        f"{notes.cost_before:,} tokens would be {notes.cost_after:,}"
    )
