"""Measures hooks under load: sixteen processes at a time on one store, and the log after thousands of calls.

The base is as many bare interpreters at a time. Every hook must answer, record its event, and report no lock.

    .venv/bin/python benchmarks/hook_load.py --processes 16 --calls 200
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.hook_latency import CASES, build_store, compile_hook_path, machine, ordinary_triggers
from benchmarks.processes import run
from vectr_hooks.registration.command_line import hook_commands, hooks_folder, interpreter

CASE = next(case for case in CASES if case.name == "delivers: edit")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure hooks under load against bare interpreters.")
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument(
        "--single-calls", type=int, default=3000, help="calls one after the other, for the log"
    )
    options = parser.parse_args()
    compile_hook_path()
    with tempfile.TemporaryDirectory() as folder:
        project, home = Path(folder) / "project", Path(folder) / "data"
        os.environ["VECTR_HOOKS_HOME"] = str(home)
        build_store(project, ordinary_triggers(options.notes))
        (store,) = home.rglob("notes.db")
        command = hook_commands(interpreter(), hooks_folder(), str(home))[CASE.event]
        env = {"PATH": "/usr/bin:/bin", "HOME": folder, "CLAUDE_PROJECT_DIR": str(project), "LANG": "C.UTF-8"}

        def hook(session: str) -> float:
            payload = json.dumps(CASE.payload(session, project)).encode()
            return run(["/bin/sh", "-c", command], payload, env).wall_ms

        def bare(_: str) -> float:
            return run([interpreter(), "-I", "-c", "pass"], b"", env).wall_ms

        print("| what | p50 ms | p99 ms | p99 against bare |\n| --- | ---: | ---: | ---: |")
        base = at_once(bare, options.processes, options.calls)
        loaded = at_once(hook, options.processes, options.calls)
        for name, times in (("bare interpreters", base), ("hooks", loaded)):
            print(f"| {name} | {median(times):.0f} | {p99(times):.0f} | {p99(times) / p99(base):.2f} |")
        expected = options.processes * options.calls
        print(f"\n{count(store, 'event')} of {expected} events recorded, {count(store, 'error')} errors")
        for number in range(options.single_calls):
            hook(f"single {number}")
        log = Path(f"{store}-wal")
        size = log.stat().st_size if log.exists() else 0
        print(f"write-ahead log after {options.single_calls} calls one after the other: {size:,} bytes")
        lost = expected + options.single_calls - count(store, "event")
    print(f"{options.processes} processes at a time, {options.calls} calls each; {machine()}")
    if lost:
        raise SystemExit(f"{lost} events were lost")


def at_once(call: Callable[[str], float], processes: int, calls: int) -> list[float]:
    """Run `call` with a session of its own each time, in as many threads at once; give the times."""
    times: list[float] = []

    def work(process: int) -> None:
        times.extend(call(f"process {process} call {number}") for number in range(calls))

    threads = [threading.Thread(target=work, args=(process,)) for process in range(processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


def p99(times: list[float]) -> float:
    return quantiles(times, n=100)[-1]


def count(store: Path, table: str) -> int:
    # Left open, it would keep the hooks from writing the log back.
    with closing(sqlite3.connect(store)) as con:
        found: int = con.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return found


if __name__ == "__main__":
    main()
