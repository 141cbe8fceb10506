"""Lists events, each with what became of every candidate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict

from vectr_hooks import output
from vectr_hooks.core.needles import FILE_SYMBOL, KEYWORD, OUTPUT, SYMBOL
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.journal import Event, Outcome, recent_events


def audit(*, limit: int, session: str | None, note: int | None, project: str | None, as_json: bool) -> None:
    with closing(open_store(open_project(project).store_path)) as con:
        events = recent_events(con, limit, session, note)
    if as_json:
        for event in events:
            output.json_line(event_fields(event))
    elif events:
        output.result("\n\n".join(output.visible("\n".join(lines(event))) for event in events))
    else:
        output.remark("no event was recorded yet" if session is None and note is None else "no such event")


def event_fields(event: Event) -> dict[str, object]:
    fields = asdict(event)
    return {
        "event": fields.pop("id"),
        "at_ms": fields.pop("at"),
        "cost_tokens": fields.pop("cost"),
        **fields,
        "outcomes": [outcome_fields(outcome) for outcome in event.outcomes],
    }


def outcome_fields(outcome: Outcome) -> dict[str, object]:
    fields = asdict(outcome)
    return {**fields, "cost_tokens": fields.pop("cost"), "clauses": list(outcome.clauses)}


def lines(event: Event) -> Iterator[str]:
    yield f"{heading(event)}, {event.cost} tokens"
    seen = "; ".join(facts_in_words(event.facts))
    if seen:
        yield f"  {seen}"
    if event.remark:
        yield f"  {event.remark}"
    for outcome in event.outcomes:
        yield f"  {outcome_in_words(outcome)}"
    if event.more:
        yield f"  {event.more} more candidates were not considered"
    if not event.outcomes and not event.remark:
        yield "  no candidates"


def heading(event: Event) -> str:
    agent = f", agent {event.agent}" if event.agent else ""
    return (
        f"event {event.id}, {output.utc(event.at)}: {event.name}, session {event.session}{agent}, "
        f"epoch {event.epoch}"
    )


#: how what was found in an event's texts is said, by the sort of needle
NEEDLES_IN_WORDS = {
    KEYWORD: "the prompt says",
    SYMBOL: "the prompt or the input has",
    FILE_SYMBOL: "the file has",
    OUTPUT: "the result has",
}


def facts_in_words(facts: object) -> Iterator[str]:
    """What the event's triggers could see, as far as there was anything."""
    if not isinstance(facts, dict):
        return
    moments = facts.get("moments")
    if isinstance(moments, list) and moments:
        yield ", ".join(map(str, moments))
    targets = facts.get("targets")
    if isinstance(targets, list) and targets:
        # Each is a moment followed by its path.
        yield "targets " + ", ".join(dict.fromkeys(map(str, targets[1::2])))
    needles = facts.get("needles")
    if isinstance(needles, list):
        for sort, words in NEEDLES_IN_WORDS.items():
            found = [str(needle)[1:] for needle in needles if str(needle).startswith(sort)]
            if found:
                yield f"{words} {', '.join(found)}"
    for name in ("source", "tool", "command", "subagent", "branch"):
        if facts.get(name):
            yield f"{name} {facts[name]}"


def outcome_in_words(outcome: Outcome) -> str:
    title = "forgotten since" if outcome.title is None else outcome.title
    status = f"{outcome.status} {outcome.form}" if outcome.form else outcome.status
    reason = f": {outcome.reason}" if outcome.reason else ""
    cost = f", {outcome.cost} tokens" if outcome.cost else ""
    origin = "" if outcome.origin == "trigger" else f" ({outcome.origin})"
    return f"#{outcome.note} {status}{reason}{cost}{origin} - {title}"
