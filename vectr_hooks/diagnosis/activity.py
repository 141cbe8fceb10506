"""How hooks have fared lately."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence

from vectr_hooks import output
from vectr_hooks.diagnosis import repairs
from vectr_hooks.diagnosis.finding import Finding, ok, warning
from vectr_hooks.hook import ERROR_FILE
from vectr_hooks.store import configuration, inspection, journal
from vectr_hooks.store.activity import DAY_MS
from vectr_hooks.store.journal import HookError

DAYS = 7
MOST_ERRORS = 1000
MOST_SHOWN = 3
NEWEST_EVENTS = 1000
# Of fewer, one slow event is all that a percentile shows.
FEWEST_EVENTS = 100
# Usual are five; at ten times as many a session that reads a file every second begins to feel it.
TARGET_P95_MS = 50
# A quarter of a hook's deadline.
TARGET_P99_MS = 500

# By what the message holds: what to do about it.
REINSTALL = "files of the program are missing: install vectr-hooks again, then `vectr-hooks install`"
REMEDIES = {
    "Deadline": "the machine was busy or the store is on a slow disk; if it goes on, move VECTR_HOOKS_HOME",
    "database is locked": (
        "another program held the store for more than a second; if it goes on, close what looks into it: "
        "a database viewer, a backup, a program that syncs folders"
    ),
    "disk is full": "the disk with the store is full: free some space; VECTR_HOOKS_HOME moves the store",
    "disk I/O error": "the disk, or the way to it, failed: check it, and look at the store again",
    "readonly database": "the store cannot be written: see what is said of the store",
    "unable to open database file": "the store or its folder cannot be read: see what is said of the store",
    "malformed": "the store is damaged: see what is said of the store",
    "Malformed": "another program than Claude Code has called a hook, or the call was cut short",
    "the store cannot be written": "see what is said of the store",
    "ModuleNotFoundError": REINSTALL,
    "ImportError": REINSTALL,
    "SyntaxError": REINSTALL,
    "EOFError": REINSTALL,
    "StoreError": "see what is said of the store",
    "DatabaseError": "see what is said of the store",
}
OTHER_REMEDY = "`vectr-hooks audit` shows the events around it"


def recorded_errors(con: sqlite3.Connection) -> list[HookError]:
    """The newest errors of the store itself."""
    return journal.recent_errors(con, MOST_ERRORS)


def error_log(store_path: str) -> str:
    return os.path.join(os.path.dirname(store_path), ERROR_FILE)


def errors_beside(store_path: str) -> list[HookError]:
    """The errors that hooks could not write to the store."""
    path = error_log(store_path)
    if not os.path.isfile(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as file:
        parts = [line.rstrip("\n").split(" ", 2) for line in file]
    return [
        HookError(0, int(at), event.removesuffix(":"), message)
        for at, event, message in (part for part in parts if len(part) == 3)
        if at.isascii() and at.isdigit() and int(at) < 1 << 63
    ]


def check_leftover(store_path: str) -> Iterator[Finding]:
    """Say of a store that works when hooks once could not use it."""
    path = error_log(store_path)
    if os.path.isfile(path):
        errors = errors_beside(store_path)
        yield ok(
            "errors",
            f"{path} holds {len(errors)} errors of hooks that could not use the store",
            "vectr-hooks doctor --fix",
            repairs.errors_moved(store_path, path, errors),
        )


def check_errors(errors: Sequence[HookError], now_ms: int) -> Iterator[Finding]:
    """The errors of the last days, equal ones together."""
    alike: dict[tuple[str, str], list[int]] = {}
    for each in sorted(errors, key=lambda each: -each.at):
        if each.at > now_ms - DAYS * DAY_MS:
            alike.setdefault((each.event, each.message), []).append(each.at)
    for (event, message), times in list(alike.items())[:MOST_SHOWN]:
        often = f" ({len(times)} times)" if len(times) > 1 else ""
        remedy = next((text for part, text in REMEDIES.items() if part in message), OTHER_REMEDY)
        yield warning("errors", f"{output.utc(times[0])} {event}: {message}{often}", remedy)
    if len(alike) > MOST_SHOWN:
        yield warning("errors", f"and {len(alike) - MOST_SHOWN} other errors in the last {DAYS} days")
    if not alike:
        yield ok("errors", f"no hook recorded an error in the last {DAYS} days")


def check_load(con: sqlite3.Connection) -> Iterator[Finding]:
    """What the newest events took, and what makes them take longer."""
    load = inspection.load(con, NEWEST_EVENTS)
    if not load.events:
        yield ok("speed", "no event yet; one is recorded when a session starts")
        return
    p50, p95, p99 = (us / 1000 for us in (load.p50_us, load.p95_us, load.p99_us))
    message = (
        f"inside the hook, the newest {load.events} events: p50 {p50:.1f} ms, p95 {p95:.1f} ms, "
        f"p99 {p99:.1f} ms (to be below {TARGET_P95_MS} ms at p95, {TARGET_P99_MS} ms at p99)"
    )
    if load.events >= FEWEST_EVENTS and (p95 > TARGET_P95_MS or p99 > TARGET_P99_MS):
        remedy = "was the machine busy? is the store on a network disk? VECTR_HOOKS_HOME moves it"
        yield warning("speed", message, remedy)
    else:
        yield ok("speed", message)
    if load.crowded:
        most = configuration.current(con)["candidates.max"]
        yield warning(
            "notes",
            f"at {load.crowded} of the newest {load.events} events more than {most} notes could have matched",
            "narrow the triggers, or `vectr-hooks forget` what is no longer needed",
        )
