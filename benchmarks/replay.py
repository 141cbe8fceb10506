"""Measures how fast `vectr-hooks audit replay` decides recorded events again, and what recording them takes.

Some sessions are played to a store of many notes, and their records then multiplied: as many sessions more,
that did the same. Every event must come out as it was recorded.

    .venv/bin/python benchmarks/replay.py --events 50000 --notes 20000
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from vectr_hooks.authoring import draft, render  # noqa: E402
from vectr_hooks.core.grammar import parse_trigger  # noqa: E402
from vectr_hooks.core.occurrence import (  # noqa: E402
    COMPACTION_ANNOUNCED,
    PROMPT,
    SESSION_BEGINS,
    TOOL_AFTER,
    TOOL_BEFORE,
    Occurrence,
)
from vectr_hooks.front_matter import NoteText  # noqa: E402
from vectr_hooks.hosts import claude  # noqa: E402
from vectr_hooks.project import init_project  # noqa: E402
from vectr_hooks.replay.exact import EXACT, Tally, replay  # noqa: E402
from vectr_hooks.replay.past import Past  # noqa: E402
from vectr_hooks.response import Response  # noqa: E402
from vectr_hooks.store.create import open_store  # noqa: E402
from vectr_hooks.store.notes import add_notes  # noqa: E402
from vectr_hooks.store.workspace import locate  # noqa: E402

SESSIONS = 4
PLAYED = 2_000
#: per table, its columns that name an event, and those that name a session
TABLES = {
    "event": ("id", "session"),
    "outcome": ("event", ""),
    "delivery": ("event", "session"),
    "working_set": ("event", "session"),
}


def write_notes(store: sqlite3.Connection, root: str, notes: int) -> None:
    """Of four notes three have a trigger: a path, a command or a keyword."""
    triggers = (
        lambda n: None,
        lambda n: [{"command": f"tool{n}"}],
        lambda n: [{"keyword": f"keyword{n}"}],
        lambda n: [{"path": f"pkg{n % 97}/mod_{n}.py"}],
    )
    texts = [
        NoteText(
            body=f"Module {n} keeps its lock while it writes; take it before touching it.",
            kind="directive" if n < 3 else "gotcha",
            trigger=parse_trigger(trigger) if (trigger := triggers[n % 4](n)) else None,
        )
        for n in range(notes)
    ]
    add_notes(store, [draft(root, text, provenance="agent") for text in texts], render, 1)


def events(session: int) -> Iterator[Occurrence]:
    """Prompts, each followed by a read, an edit and a command; now and then a compaction."""
    yield Occurrence(SESSION_BEGINS, "SessionStart", "startup")
    for turn in range(PLAYED):
        id = f"prompt-{turn}"
        near = session * 100 + turn % 60
        yield Occurrence(PROMPT, "UserPromptSubmit", prompt=f"look at keyword{near}", prompt_id=id)
        for what, name, mode in ((TOOL_AFTER, "PostToolUse", "read"), (TOOL_BEFORE, "PreToolUse", "edit")):
            path = f"pkg{near % 97}/mod_{near}.py"
            yield Occurrence(what, name, tool=mode.title(), mode=mode, path=path, prompt_id=id)
        line = f"cd lib && tool{near} --now | head -3"
        yield Occurrence(TOOL_BEFORE, "PreToolUse", tool="Bash", mode="run", command=line, prompt_id=id)
        if turn % 20 == 19:
            yield Occurrence(COMPACTION_ANNOUNCED, "PreCompact", "auto", prompt_id=id)
            yield Occurrence(SESSION_BEGINS, "SessionStart", "compact", prompt_id=id)


def play(store_path: str, root: str) -> None:
    place = locate(root, "/")
    assert place is not None
    with closing(sqlite3.connect(store_path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for session in range(SESSIONS):
            for number, event in enumerate(events(session)):
                if number == PLAYED // SESSIONS:
                    break
                event.session, event.folder = f"session-{session}", root
                response = Response(connection, claude, event, place, 1_700_000_000_000 + number * 1000)
                connection.execute("BEGIN IMMEDIATE")
                response.answer()
                connection.execute("COMMIT")


def multiply(store: sqlite3.Connection, times: int) -> None:
    """Record everything again, `times` - 1 times, under other sessions."""
    (played,) = store.execute("SELECT max(id) FROM event").fetchone()
    store.execute("BEGIN")
    for table, (event, session) in TABLES.items():
        names = [row["name"] for row in store.execute(f"PRAGMA table_info({table})")]
        shifted = [
            f"{name} + {played} * :n" if name == event
            else f"{name} || '-' || :n" if name == session
            else name
            for name in names
        ]  # fmt: skip
        for n in range(1, times):
            store.execute(
                f"INSERT INTO {table} SELECT {', '.join(shifted)} FROM {table} WHERE {event} <= {played}",
                {"n": n},
            )
    store.execute("COMMIT")


def bytes_of_events(store: sqlite3.Connection) -> list[int]:
    """What each event takes in the audit: facts and outcomes, and 120 and 50 bytes for the rest of them."""
    return [
        row[0]
        for row in store.execute(
            "SELECT length(CAST(facts AS BLOB)) + 120 + coalesce(("
            "  SELECT sum(50 + length(reason)) FROM outcome WHERE outcome.event = event.id), 0)"
            f" FROM event WHERE id <= {PLAYED}"
        )
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--events", type=int, default=50_000)
    parser.add_argument("--notes", type=int, default=20_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.realpath(folder)
        os.environ.update(HOME=home, VECTR_HOOKS_HOME=f"{home}/data")
        root = Path(home) / "project"
        (root / ".git/refs").mkdir(parents=True)
        (root / ".git/objects").mkdir()
        (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
        store_path = init_project(str(root)).store_path
        with closing(open_store(store_path)) as store:
            write_notes(store, str(root), given.notes)
            play(store_path, str(root))
            multiply(store, max(1, given.events // PLAYED))
            each = bytes_of_events(store)
            tally = Tally()
            began, cpu = time.perf_counter(), time.process_time()
            past = Past(store)
            prepared = time.perf_counter()
            with closing(past):
                for replayed in replay(past):
                    tally.add(replayed)
            seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        if tally.verdicts[EXACT] != tally.events:
            sys.exit(f"not all of {tally.events} events are exact: {tally.different[:3]}")
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            "| events | notes | outcomes | events/s | by CPU | copy s | peak MB | median bytes | p95 bytes |"
        )
        print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        print(
            f"| {tally.events:,} | {given.notes:,} | {tally.outcomes:,} | {tally.events / seconds:,.0f} |"
            f" {tally.events / cpu:,.0f} | {prepared - began:.1f} | {peak_mb:,.0f} | {median(each):,.0f} |"
            f" {sorted(each)[len(each) * 95 // 100]:,} |"
        )


if __name__ == "__main__":
    main()
