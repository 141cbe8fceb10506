"""Measures whole commands on a store of many notes: the processor time that a person or an agent waits for.

Every command runs once a round, beside the same interpreter doing nothing, in an order shuffled anew. The
best round of each counts: whatever else the machine does only ever adds. The limits are in seconds of a
machine on which the empty interpreter takes about 20 ms; the ratio holds on any.

    make bench ARGS="commands --notes 20000"
    .venv/bin/python benchmarks/commands.py --notes 2000 --rounds 5 --json
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.hook_latency import compile_hook_path, machine, new_project, ordinary_triggers  # noqa: E402
from benchmarks.processes import run  # noqa: E402
from vectr_hooks.authoring import render  # noqa: E402
from vectr_hooks.core.grammar import parse_trigger  # noqa: E402
from vectr_hooks.front_matter import NoteText  # noqa: E402
from vectr_hooks.store.create import open_store  # noqa: E402
from vectr_hooks.store.notes import change_notes  # noqa: E402
from vectr_hooks.store.past_notes import take  # noqa: E402

NOTHING = "python -I -c pass"
#: of so many notes one changes after the snapshot that the commands read
CHANGED = 50
#: of so many notes one is about a file
ANCHORED = 10


class Case(NamedTuple):
    """One command line, and how long it may take with 20,000 notes."""

    arguments: Sequence[str]
    limit_s: float
    """Seconds of processor time."""


#: a command has its row here; `{round}` is another number each time
CASES = (
    Case(("list",), 1.5),
    Case(("list", "--at", "before"), 1.5),
    Case(("list", "--json"), 4.0),
    Case(("show", "5"), 0.15),
    Case(("show", "5", "--at", "before"), 0.25),
    Case(("recall", "--lexical", "lock", "module", "77"), 1.5),
    Case(("snapshot", "taken {round}"), 1.5),
    Case(("snapshots",), 1.5),
    Case(("snapshots", "diff", "before"), 1.5),
    Case(("export",), 1.5),
    Case(("export", "--path", "notes-{round}.md"), 1.5),
)


def name(case: Case) -> str:
    return " ".join(case.arguments)


def build_store(project: Path, notes: int) -> None:
    """Make the project: ordinary notes, a snapshot `before`, and changes since."""
    triggers = ordinary_triggers(notes)
    texts = [
        NoteText(
            title=f"Module {n} keeps its lock while it writes",
            body=f"Module {n} keeps its lock while it writes; take it before touching it.\n" * (1 + n % 4),
            kind="gotcha" if n % ANCHORED == 0 else "finding",
            anchors=(f"pkg{n % 97}/mod_{n}.py",) if n % ANCHORED == 0 else (),
            trigger=parse_trigger(triggers[n]) if triggers[n] else None,
        )
        for n in range(notes)
    ]
    store = new_project(project, texts)
    with closing(open_store(str(store))) as con:
        take(con, 1, "before", "")
        changed = {
            id: {"body": f"Module {id} has no lock any longer."} for id in range(1, notes + 1, CHANGED)
        }
        change_notes(con, changed, 2, render)


def measure(cases: Sequence[Case], notes: int, rounds: int, seed: int) -> dict[str, float]:
    """The processor time of each case and of `NOTHING`, in seconds: that of its best round."""
    order = random.Random(seed)
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        home = str(Path(folder) / "data")
        os.environ["VECTR_HOOKS_HOME"] = home
        build_store(project, notes)
        env = {
            "PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT),
            "VECTR_HOOKS_HOME": home,
        }  # fmt: skip
        lines: dict[str, tuple[str, ...]] = {NOTHING: ("-I", "-c", "pass")}
        lines |= {name(case): ("-m", "vectr_hooks", *case.arguments) for case in cases}
        # The first round only fills the caches.
        for number in range(-1, rounds):
            for each in order.sample(list(lines), len(lines)):
                words = [word.format(round=number) for word in lines[each]]
                took_s = run([sys.executable, *words], b"", env, cwd=str(project)).cpu_ms / 1000
                if number >= 0:
                    best[each] = min(best.get(each, took_s), took_s)
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure commands on a store of many notes.")
    parser.add_argument("--notes", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    compile_hook_path()
    best = measure(CASES, options.notes, options.rounds, options.seed)
    nothing_s = best.pop(NOTHING)
    rows = [
        {
            "command": name(case),
            "cpu_s": round(best[name(case)], 3),
            "ratio": round(best[name(case)] / nothing_s, 1),
            "limit_s": case.limit_s,
        }
        for case in CASES
    ]
    over = [name(case) for case in CASES if best[name(case)] > case.limit_s]
    if options.json:
        print(json.dumps({"notes": options.notes, "nothing_s": nothing_s, "commands": rows, "over": over}))
        return int(bool(over))
    print("| command | cpu s | ratio | limit s |")
    print("| --- | ---: | ---: | ---: |")
    print(f"| {NOTHING} | {nothing_s:.3f} | 1.0 | |")
    for row in rows:
        print("| " + " | ".join(map(str, row.values())) + " |")
    print(f"\n{options.notes:,} notes, best of {options.rounds} rounds; {machine()}")
    for command in over:
        print(f"over its limit: {command}", file=sys.stderr)
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
