"""Which notes weigh on hooks, which wait to be recalled, and which can never arrive."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from vectr_hooks.core import lint
from vectr_hooks.core.budget import tokens
from vectr_hooks.core.globs import split_glob, split_pattern
from vectr_hooks.diagnosis.finding import Finding, ok, warning
from vectr_hooks.store import configuration, inspection
from vectr_hooks.store.activity import DAY_MS
from vectr_hooks.store.notes import Note, read_notes
from vectr_hooks.store.workspace import Workspace, branch

SUBJECT = "notes"
# A second's reading.
MOST_READ = 5_000
MOST_NAMED = 8
MOST_REASONS = 6
# A session can be taken up again; after this it hardly is.
SESSION_DAYS = 7

Settings = Mapping[str, int | bool]


def check(con: sqlite3.Connection, place: Workspace, now_ms: int) -> Iterator[Finding]:
    settings = configuration.current(con)
    total = inspection.notes_in(con)
    yield from _weights(con)
    yield _waiting(con, total, settings)
    yield from _arrivals(con, place, settings, now_ms)
    if total > MOST_READ:
        yield ok(SUBJECT, f"whether each can arrive was looked at for the first {MOST_READ} in precedence")


def why_never(note: Note, place: Workspace, settings: Settings, today: str, seen_ms: int, now_ms: int) -> str:
    """Why `note` cannot arrive, as things are, or ''; its session was last seen at `seen_ms`."""
    return (
        _out_of_time(note, today)
        or _out_of_scope(note, place, seen_ms, now_ms)
        or _too_large(note, settings)
        or ("" if note.pinned else _unmatchable(note, place.root, settings, today))
    )


def named(ids: Sequence[int]) -> str:
    """`#3, #5 and 12 others`."""
    shown = ", ".join(f"#{id}" for id in ids[:MOST_NAMED])
    more = len(ids) - MOST_NAMED
    return f"{shown} and {more} other{'s' if more > 1 else ''}" if more > 0 else shown


def _weights(con: sqlite3.Connection) -> Iterator[Finding]:
    residual = inspection.residual(con)
    if residual:
        yield ok(
            SUBJECT,
            f"{_counted(residual)} a trigger that names nothing definite: every event of some sort has to "
            f"look at {named(residual)}",
            "give it a literal word, folder or extension to go by",
        )
    unindexed = inspection.unindexed(con)
    if unindexed:
        yield ok(
            SUBJECT,
            f"{_counted(unindexed)} a text or expression without a literal word: every result is searched "
            f"for that of {named(unindexed)}",
            "let it hold a whole word, such as an error's name",
        )


def _counted(ids: Sequence[int]) -> str:
    return f"{len(ids)} note{' has' if len(ids) == 1 else 's have'}"


def _waiting(con: sqlite3.Connection, total: int, settings: Settings) -> Finding:
    if not total:
        return ok(SUBJECT, "no notes yet; `vectr-hooks remember` stores one")
    waiting = inspection.waiting(con)
    if not waiting:
        return ok(SUBJECT, f"{total} note{'' if total == 1 else 's'}, all with a trigger")
    how = "they come when a prompt is about them, or are recalled"
    if not _is_recalling(settings):
        how = "they are only recalled, since `recall.notes` or `recall.tokens` is 0"
    return ok(
        SUBJECT,
        f"{waiting} of {total} notes have no trigger: {how}",
        "to have them sooner, give them --path, --symbol, --output, --keyword, --command or --event",
    )


def _arrivals(
    con: sqlite3.Connection, place: Workspace, settings: Settings, now_ms: int
) -> Iterator[Finding]:
    today = time.strftime("%Y-%m-%d", time.gmtime(now_ms / 1000))
    seen = inspection.last_seen(con)
    found: dict[str, list[int]] = {}
    for note in read_notes(con, "WHERE state <> 'superseded' ORDER BY note.precedence LIMIT ?", (MOST_READ,)):
        last = seen.get(note.scope_value, note.created) if note.scope == "session" else 0
        if reason := why_never(note, place, settings, today, last, now_ms):
            found.setdefault(reason, []).append(note.id)
    for reason, unordered in list(found.items())[:MOST_REASONS]:
        ids = sorted(unordered)
        words = " ".join(map(str, ids[:MOST_NAMED]))
        yield warning(
            SUBJECT,
            f"{named(ids)} cannot arrive: {reason}",
            f"change it with `vectr-hooks edit {words}`, or `vectr-hooks forget {words}`",
        )
    more = sum(map(len, list(found.values())[MOST_REASONS:]))
    if more:
        yield warning(SUBJECT, f"nor can {more} others, for other reasons")


def _out_of_time(note: Note, today: str) -> str:
    if note.trigger is None or not note.trigger.expires:
        return ""
    expires, begins = note.trigger.expires, note.trigger.not_before
    if begins > expires:
        return f"expires on {expires}, before it begins on {begins}"
    return f"expired on {expires}" if expires < today else ""


def _out_of_scope(note: Note, place: Workspace, seen_ms: int, now_ms: int) -> str:
    if note.scope == "branch" and not _branch_exists(place, note.scope_value):
        return f"branch {note.scope_value} is gone"
    if note.scope == "worktree" and not os.path.isdir(note.scope_value):
        return f"worktree {note.scope_value} is gone"
    if note.scope == "session" and seen_ms < now_ms - SESSION_DAYS * DAY_MS:
        return f"the session has not been seen for {SESSION_DAYS} days"
    return ""


def _too_large(note: Note, settings: Settings) -> str:
    """Neither its text nor its index line fits any budget."""
    largest = min(max(settings["budget.turn"], settings["budget.boundary"]), settings["budget.epoch"])
    full = note.cost if note.cost <= settings[f"cap.{note.kind}"] else None
    least = min(cost for cost in (full, tokens(note.line)) if cost is not None)
    return f"no budget has the {least} tokens that it takes" if least > largest else ""


def _unmatchable(note: Note, root: str, settings: Settings, today: str) -> str:
    remarks = lint.remarks(note, note.cost, settings, today)
    never = sum(remark.code == lint.NEVER for remark in remarks)
    if never and never == len(note.clauses):
        return "`unless` always holds"
    missing = [_missing_folder(dict(clause.conditions).get("path", ()), root) for clause in note.clauses]
    if missing and all(missing):
        return f"the trigger names the folder {missing[0]}, which is not there"
    return ""


def _missing_folder(patterns: Sequence[str], root: str) -> str:
    """The first folder that `patterns` name, if each names one that is not there; ''."""
    folders = [_literal_folder(pattern) for pattern in patterns]
    lost = [folder for folder in folders if folder and not os.path.isdir(os.path.join(root, folder))]
    return lost[0] if lost and len(lost) == len(folders) else ""


def _literal_folder(pattern: str) -> str:
    """The folder that whatever `pattern` covers lies in, as far as it is named to the letter."""
    segments, below = split_pattern(pattern)
    folders = list(takewhile(lambda segment: split_glob(segment) == [segment], segments))
    if len(folders) == len(segments) and not below:
        folders.pop()
    return "/".join(folders)


def _is_recalling(settings: Settings) -> bool:
    return bool(settings["recall.notes"] and settings["recall.tokens"])


def _branch_exists(place: Workspace, name: str) -> bool:
    """Whether git has the branch, as far as its files tell without git."""
    if not place.head_file or name == branch(place):
        return bool(place.head_file)
    common = os.path.dirname(place.id_file)
    if os.path.isdir(os.path.join(common, "reftable")):
        return True
    reference = f"refs/heads/{name}"
    return os.path.isfile(os.path.join(common, reference)) or reference in _packed(common)


def _packed(common: str) -> set[str]:
    try:
        with open(os.path.join(common, "packed-refs"), encoding="utf-8", errors="replace") as file:
            return {line.rstrip("\n").partition(" ")[2] for line in file}
    except OSError:
        return set()
