"""How hooks have fared lately, and which notes weigh on them or wait in vain."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence

from vectr_hooks import output
from vectr_hooks.diagnosis.finding import Finding, ok, warning
from vectr_hooks.hook import ERROR_FILE
from vectr_hooks.store import configuration, inspection, journal
from vectr_hooks.store.activity import DAY_MS
from vectr_hooks.store.journal import HookError

DAYS = 7
MOST_ERRORS = 1000
MOST_SHOWN = 3
NEWEST_EVENTS = 1000
# A quarter of a hook's deadline; usual is a hundredth of this.
SLOW_US = 500_000

# By how the message begins: what to do about it.
REMEDIES = {
    "Deadline": "the machine was busy or the store is on a slow disk; if it goes on, move VECTR_HOOKS_HOME",
    "OperationalError: database is locked": "another program held the store; if it goes on, find and end it",
    "Malformed": "another program than Claude Code has called a hook, or the call was cut short",
    "StoreError": "see what is said of the store",
    "DatabaseError": "see what is said of the store",
}
OTHER_REMEDY = "`vectr-hooks audit` shows the events around it"


def recorded_errors(con: sqlite3.Connection) -> list[HookError]:
    """The newest errors of the store itself."""
    return journal.recent_errors(con, MOST_ERRORS)


def errors_beside(store_path: str) -> list[HookError]:
    """The errors that hooks could not write to the store."""
    path = os.path.join(os.path.dirname(store_path), ERROR_FILE)
    if not os.path.isfile(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as file:
        parts = [line.rstrip("\n").split(" ", 2) for line in file]
    return [
        HookError(0, int(at), event.removesuffix(":"), message)
        for at, event, message in (part for part in parts if len(part) == 3)
        if at.isascii() and at.isdigit()
    ]


def check_errors(errors: Sequence[HookError], now_ms: int) -> Iterator[Finding]:
    """The errors of the last days, equal ones together."""
    alike: dict[tuple[str, str], list[int]] = {}
    for each in sorted(errors, key=lambda each: -each.at):
        if each.at > now_ms - DAYS * DAY_MS:
            alike.setdefault((each.event, each.message), []).append(each.at)
    for (event, message), times in list(alike.items())[:MOST_SHOWN]:
        often = f" ({len(times)} times)" if len(times) > 1 else ""
        remedy = next((text for start, text in REMEDIES.items() if message.startswith(start)), OTHER_REMEDY)
        yield warning("errors", f"{output.utc(times[0])} {event}: {message}{often}", remedy)
    if len(alike) > MOST_SHOWN:
        yield warning("errors", f"and {len(alike) - MOST_SHOWN} other errors in the last {DAYS} days")
    if not alike:
        yield ok("errors", f"none recorded in the last {DAYS} days")


def check_load(con: sqlite3.Connection) -> Iterator[Finding]:
    """What the newest events took, and what makes them take longer."""
    load = inspection.load(con, NEWEST_EVENTS)
    if not load.events:
        yield ok("speed", "no event yet; one is recorded when a session starts")
    else:
        took = f"median {load.median_us / 1000:.1f} ms, 95 of 100 within {load.p95_us / 1000:.1f} ms"
        message = f"inside the hook, the newest {load.events} events: {took}"
        if load.p95_us > SLOW_US:
            yield warning("speed", message, "is the store on a network disk? VECTR_HOOKS_HOME moves it")
        else:
            yield ok("speed", message)
    if load.crowded:
        most = configuration.current(con)["candidates.max"]
        yield warning(
            "notes",
            f"at {load.crowded} of the newest {load.events} events more than {most} notes could have matched",
            "narrow the triggers, or `vectr-hooks forget` what is no longer needed",
        )


def check_notes(con: sqlite3.Connection) -> Iterator[Finding]:
    """Notes that every event has to look at, and those that wait to be recalled."""
    counts = journal.counts(con)
    total = sum(counts.notes.values())
    if counts.residual_keys:
        yield ok(
            "notes",
            f"{counts.residual_keys} trigger keys name nothing definite: many events look at them in vain",
            "give those notes a literal word, folder or extension to go by",
        )
    waiting = inspection.waiting(con)
    if waiting:
        yield ok(
            "notes",
            f"{waiting} of {total} have no trigger: they come when a prompt is about them, or are recalled",
            "to have them sooner, give them --path, --symbol, --output, --keyword, --command or --event",
        )
    else:
        yield ok(
            "notes",
            f"{total}, all with a trigger" if total else "none yet; `vectr-hooks remember` stores one",
        )
