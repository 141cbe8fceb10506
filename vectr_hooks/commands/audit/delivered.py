"""`vectr-hooks audit delivered`: whether what was printed reached the conversation."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing

import click

from vectr_hooks import output
from vectr_hooks.commands.audit.listing import whole_session
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.proof import STATUSES, Arrival, arrivals
from vectr_hooks.store.create import open_store
from vectr_hooks.store.journal import Outcome, sessions_beginning


@click.command("delivered")
@click.option("--session", metavar="ID", help="This session of the host; its id's beginning will do.")
@click.option(
    "--last",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="The newest N sessions.  [default: 1]",
)
@project_option
@json_option
def command(session: str | None, last: int | None, project: str | None, as_json: bool) -> None:
    """Say of everything delivered whether it reached the conversation.

    The audit is compared, text by text, with the client's own record of the session: a delivery has arrived
    when the record has it, whole, in the conversation as it stands. Else it was cut to a preview, is on a
    branch that was rewound, or is lost. Where the client's record is gone, that cannot be said.

    \b
    Examples:
      vectr-hooks audit delivered
      vectr-hooks audit delivered --last 5
      vectr-hooks audit delivered --session 2465e12e --json
    """
    if session is not None and last is not None:
        raise click.UsageError("--session and --last do not go together.")
    found = delivered(session=session, last=last or 1, project=project)
    if as_json:
        output.json_result(
            {"events": [_fields(arrival) for arrival in found], "totals": dict(_totals(found))}
        )
    else:
        _tell(found)


def delivered(*, session: str | None, last: int, project: str | None) -> list[Arrival]:
    """What became of the deliveries of `session`, or of the newest `last` sessions, oldest first."""
    with closing(open_store(open_project(project).store_path)) as con:
        return [arrival for one in _sessions(con, session, last) for arrival in arrivals(con, one)]


def _sessions(con: sqlite3.Connection, session: str | None, last: int) -> Sequence[str]:
    return sessions_beginning(con, "")[:last][::-1] if session is None else [whole_session(con, session)]


def _tell(found: Sequence[Arrival]) -> None:
    if not found:
        output.remark("nothing was delivered there")
        return
    output.table(
        ("event", "time", "name", "cost", "became", "notes"),
        [
            (
                str(arrival.event.id),
                output.utc(arrival.event.at),
                arrival.event.name + (f", agent {arrival.event.agent}" if arrival.event.agent else ""),
                str(arrival.event.cost),
                arrival.status + (f": {arrival.reason}" if arrival.reason else ""),
                ", ".join(f"#{outcome.note}" for outcome in _notes(arrival)) or "the handoff",
            )
            for arrival in found
        ],
        flexible=("time", "name", "became", "notes"),
    )
    totals = _totals(found)
    parts = ", ".join(f"{count} {status}" for status, count in totals.items()) or "none"
    count = output.counted(sum(totals.values()), "delivery", "deliveries")
    output.result(f"{count} of notes: {parts}")


def _notes(arrival: Arrival) -> Sequence[Outcome]:
    return [outcome for outcome in arrival.event.outcomes if outcome.status == "delivered"]


def _totals(found: Sequence[Arrival]) -> dict[str, int]:
    """How many deliveries of notes became what, in a fixed order."""
    count: Counter[str] = Counter()
    for arrival in found:
        count[arrival.status] += len(_notes(arrival))
    return {status: count[status] for status in STATUSES if count[status]}


def _fields(arrival: Arrival) -> dict[str, object]:
    event = arrival.event
    return {
        "event": event.id,
        "session": event.session,
        "agent": event.agent,
        "epoch": event.epoch,
        "name": event.name,
        "at_ms": event.at,
        "cost_tokens": event.cost,
        "status": arrival.status,
        "reason": arrival.reason,
        "transcript": arrival.transcript,
        "line": arrival.line,
        "notes": [
            {
                "note": outcome.note,
                "title": outcome.title,
                "form": outcome.form,
                "cost_tokens": outcome.cost,
                "status": arrival.status,
            }
            for outcome in _notes(arrival)
        ],
    }
