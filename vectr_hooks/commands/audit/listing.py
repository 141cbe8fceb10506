"""Lists events, each with what became of every candidate."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace

from vectr_hooks import output
from vectr_hooks.core.needles import FILE_SYMBOL, KEYWORD, OUTPUT, SYMBOL
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.journal import Choice, Event, Outcome, recent_events, sessions_beginning
from vectr_hooks.store.pruning import prune

FOLLOW_SECONDS = 0.5
_MOST_AT_ONCE = 1000


def audit(
    *, limit: int, choice: Choice, every_candidate: bool, follow: bool, project: str | None, as_json: bool
) -> None:
    from vectr_hooks.commands.audit.timeline import Timeline, by_conversation

    with closing(open_store(open_project(project).store_path)) as con:
        prune(con, time.time_ns() // 1_000_000)
        if choice.session is not None:
            choice = replace(choice, session=whole_session(con, choice.session))
        left_out = output.LeftOut()
        events = recent_events(con, limit, choice, left_out)[::-1]
        timeline = Timeline(every_candidate=every_candidate, sessions=[event.session for event in events])

        def show(found: list[Event]) -> None:
            if as_json:
                for event in found:
                    output.json_line(event_fields(event))
            elif found:
                output.drawn(*timeline.parts(found if follow else by_conversation(found)))

        show(events)
        if not (as_json or events or follow):
            output.remark("no event was recorded yet" if choice == Choice() else "no such event")
        while follow:
            time.sleep(FOLLOW_SECONDS)
            newest = events[-1].id if events else choice.after
            found = recent_events(con, _MOST_AT_ONCE, replace(choice, after=newest), left_out)[::-1]
            events = found or events
            show(found)


def whole_session(con: sqlite3.Connection, beginning: str) -> str:
    """The one recorded session whose id begins so; refuses none and more than one."""
    found = sessions_beginning(con, beginning)
    if beginning in found:
        return beginning
    if len(found) == 1:
        return found[0]
    if not found:
        raise VectrHooksError(
            f"no session {beginning} was recorded", "`vectr-hooks audit` shows the newest ones"
        )
    raise VectrHooksError(
        f"{len(found)} sessions begin with {beginning}", "give more of it: " + ", ".join(found[:5])
    )


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
    """What decided at the event itself beside its moments, as far as there was anything."""
    if not isinstance(facts, dict):
        return
    targets = facts.get("targets")
    if isinstance(targets, list) and targets:
        # Each is a moment followed by its path.
        yield ", ".join(dict.fromkeys(map(str, targets[1::2])))
    # Without those that the turn's prompt holds, which stand at the prompt.
    needles = facts.get("fresh")
    if isinstance(needles, list):
        for sort, words in NEEDLES_IN_WORDS.items():
            found = [str(needle)[1:] for needle in needles if str(needle).startswith(sort)]
            if found:
                yield f"{words} {', '.join(found)}"
    for name in ("source", "tool", "command"):
        if facts.get(name):
            yield f"{name} {facts[name]}"
    if facts.get("nudge"):
        yield "nudge due"
