"""Plays sessions side by side for thousands of events, and judges everything that was printed and recorded.

Whole processes through the installed command: prompts, tool calls at once, subagents, compactions of every
sort, sessions resumed and cleared, events registered twice, and commands that write notes meanwhile. What is
played follows from the seed; in which order the sessions meet in the store does not.

    .venv/bin/python benchmarks/soak.py
    .venv/bin/python benchmarks/soak.py --events 600 --sessions 10 --seed 2 --json
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.hook_latency import compile_hook_path, machine, new_project  # noqa: E402
from benchmarks.judgement import Judge, context_of  # noqa: E402
from benchmarks.sessions import BUDGETS, Lab, Player, fixed_notes  # noqa: E402
from benchmarks.soundness import faults  # noqa: E402
from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED  # noqa: E402
from vectr_hooks.core.settings import DEFAULTS  # noqa: E402
from vectr_hooks.hook import ERROR_FILE  # noqa: E402
from vectr_hooks.hosts.claude import EVENTS  # noqa: E402
from vectr_hooks.store import configuration  # noqa: E402
from vectr_hooks.store.create import open_store  # noqa: E402
from vectr_hooks.store.inspection import opened  # noqa: E402
from vectr_hooks.store.journal import recent_errors, recent_events  # noqa: E402

#: what is written for every event, as rows
AUDIT = (("event", "id"), ("outcome", "event"))
SHOWN = 20


@dataclass(frozen=True)
class Soak:
    """What a soak found. Times are of whole processes and in milliseconds; sizes are in bytes."""

    events: int
    sessions: int
    processes: int
    """At most so many at a time."""
    seed: int
    commands: int
    deliveries: int
    seconds: float
    wrong: list[str]
    judged: int
    """Events of sessions in which no hook gave up."""
    given_up: list[str]
    """What hooks said that gave up, for want of time or of the lock, and printed nothing."""
    bare_ms: dict[str, float]
    hook_ms: dict[str, float]
    peak_kib_median: float
    peak_kib_largest: int
    largest_output: int
    largest_context: int
    audit_median: float
    audit_p95: float
    store_per_event: float
    store: int
    largest_log: int
    log_at_end: int
    left_running: int
    left_open: int

    @property
    def ratios(self) -> dict[str, float]:
        return {name: self.hook_ms[name] / self.bare_ms[name] for name in self.bare_ms}


def soak(
    folder: Path,
    events: int,
    sessions: int,
    seed: int,
    at_once: int,
    advance: Callable[[int], object] = lambda count: None,
) -> Soak:
    """Play `events` events of `sessions` sessions in `folder`, which is empty, and judge them.

    No more than `at_once` processes run at a time.
    """
    fixed = fixed_notes()
    with environment(VECTR_HOOKS_HOME=str(folder / "data"), HOME=str(folder)):
        project = folder / "project"
        store = new_project(project, [known.note for known in fixed])
    with closing(open_store(str(store))) as con:
        for key in BUDGETS:
            if BUDGETS[key] != DEFAULTS[key]:
                configuration.set_value(con, key, str(BUDGETS[key]), 0)
    before = store.stat().st_size
    open_before = open_files()
    began = time.monotonic()
    with ThreadPoolExecutor(at_once) as pool:
        lab = Lab(folder, project, store, seed, pool, advance)
        play(lab, events, sessions)
    seconds = time.monotonic() - began
    log = Path(f"{store}-wal")
    log_at_end = log.stat().st_size if log.exists() else 0
    left_running, left_open = running(lab.home), open_files() - open_before
    judge = Judge(dict(enumerate(fixed, 1)), lab.moving)
    wrong = faults(store, str(project.resolve()))
    with opened(str(store)) as con:
        given_up = [f"{error.event}: {error.message}" for error in recent_errors(con, events)]
        rows = con.execute("SELECT session, agent, key, event FROM claim")
        claims = {(session, agent, key): event for session, agent, key, event in rows}
        beside = store.with_name(ERROR_FILE)
        given_up += beside.read_text().splitlines() if beside.exists() else []
        judge.judge(lab.sent, recent_events(con, 2 * events), claims, len(given_up))
        audit = audit_sizes(con)
    outputs = [(sent.told.name, output) for sent in lab.sent for output in sent.outputs]
    contexts = [context_of(text) for name, text in outputs if EVENTS[name] != COMPACTION_ANNOUNCED]
    return Soak(
        events=len(outputs),
        sessions=sessions,
        processes=at_once,
        seed=seed,
        commands=lab.commands,
        deliveries=judge.delivered,
        seconds=seconds,
        wrong=[*lab.noises, *wrong, *judge.wrong],
        judged=judge.judged,
        given_up=given_up,
        bare_ms=percentiles(lab.bare_ms),
        hook_ms=percentiles(lab.times_ms),
        peak_kib_median=median(lab.peaks_kib),
        peak_kib_largest=max(lab.peaks_kib),
        largest_output=max(len(output) for _, output in outputs),
        largest_context=max(len(context.encode()) for context in contexts),
        audit_median=median(audit),
        audit_p95=quantiles(audit, n=20)[-1],
        store_per_event=(store.stat().st_size - before) / events,
        store=store.stat().st_size,
        largest_log=lab.largest_log,
        log_at_end=log_at_end,
        left_running=left_running,
        left_open=left_open,
    )


def play(lab: Lab, events: int, sessions: int) -> None:
    """Share `events` among `sessions` players and let them play at once; the last event comes alone."""
    shares = [(events - 1 + number) // sessions for number in range(sessions)]
    with ThreadPoolExecutor(sessions) as players:
        playing = [players.submit(Player(lab, number, share).play) for number, share in enumerate(shares)]
        for player in playing:
            player.result()
    Player(lab, sessions, 1).play()


@contextmanager
def environment(**values: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def percentiles(times_ms: list[float]) -> dict[str, float]:
    found = quantiles(times_ms, n=100)
    return {f"p{n}": found[n - 1] for n in (50, 95, 99)}


def audit_sizes(con: sqlite3.Connection) -> list[int]:
    """The bytes of what was recorded of each event, as rows: what pages and indexes add is not in it."""
    sizes: dict[int, int] = {}
    for table, event in AUDIT:
        columns = [row[1] for row in con.execute(f"PRAGMA table_info({table})")]
        octets = " + ".join(
            f"CASE typeof({name}) WHEN 'integer' THEN 1 + (abs({name}) > 127) + 2 * (abs({name}) > 32767)"
            f" + 4 * (abs({name}) > 2147483647) ELSE coalesce(length(CAST({name} AS BLOB)), 0) END"
            for name in columns
        )
        for id, size in con.execute(f"SELECT {event}, {octets} + {len(columns)} FROM {table}"):
            sizes[id] = sizes.get(id, 0) + size
    return list(sizes.values())


def running(home: str) -> int:
    """How many processes there are that were started for the stores in `home`."""
    mark, count = f"VECTR_HOOKS_HOME={home}".encode(), 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            count += mark in (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
    return count


def open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def rows(found: Soak) -> Mapping[str, str]:
    """What a person reads of it, by what it is."""
    times = {
        f"latency {name}": f"{ms:.0f} ms, bare {found.bare_ms[name]:.0f} ms, ratio {found.ratios[name]:.2f}"
        for name, ms in found.hook_ms.items()
    }
    return {
        "events, commands": f"{found.events:,} in {found.seconds:.0f} s; {found.commands:,}",
        "deliveries": f"{found.deliveries:,}",
        "judged, wrong": f"{found.judged:,}, {len(found.wrong):,}",
        "hooks that gave up": f"{len(found.given_up):,}",
        **times,
        "peak memory, median and largest": (
            f"{found.peak_kib_median / 1024:.1f} MiB, {found.peak_kib_largest / 1024:.1f} MiB"
        ),
        "largest output, largest text": f"{found.largest_output:,} bytes, {found.largest_context:,} bytes",
        "audit per event, median and p95": f"{found.audit_median:,.0f} bytes, {found.audit_p95:,.0f} bytes",
        "store per event, in all": f"{found.store_per_event:,.0f} bytes; {found.store:,} bytes",
        "log at most, at the end": f"{found.largest_log:,} bytes, {found.log_at_end:,} bytes",
        "processes, files left": f"{found.left_running}, {found.left_open}",
    }


def show(found: Soak) -> None:
    from rich.console import Console
    from rich.table import Table

    title = f"{found.sessions} sessions, {found.processes} processes at a time, seed {found.seed}"
    table = Table(title=title, title_justify="left")
    table.add_column("what")
    table.add_column("found", justify="right")
    for name, value in rows(found).items():
        table.add_row(name, value)
    console = Console(highlight=False)
    console.print(table)
    for line in found.wrong[:SHOWN]:
        console.print(line, markup=False)
    console.print(machine())


@contextmanager
def progress(total: int) -> Iterator[Callable[[int], object]]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("events", total=total)
        yield lambda count: bar.advance(task, count)


def main() -> None:
    parser = argparse.ArgumentParser(description="Play sessions side by side and judge what the hooks did.")
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--processes", type=int, default=8, help="at most so many at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print everything that was found as JSON")
    options = parser.parse_args()
    compile_hook_path()
    with tempfile.TemporaryDirectory() as folder, progress(options.events) as advance:
        place = Path(folder).resolve()
        found = soak(place, options.events, options.sessions, options.seed, options.processes, advance)
    if options.json:
        print(json.dumps({"version": 1, **asdict(found), "ratios": found.ratios, "machine": machine()}))
    else:
        show(found)
    if found.wrong:
        raise SystemExit(f"{len(found.wrong)} things are wrong")


if __name__ == "__main__":
    main()
