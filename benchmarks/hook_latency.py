"""Measures whole hook processes, as installed, against the same interpreter doing nothing.

Every case runs once a round, in an order shuffled anew, so that whatever else the machine does falls on all
of them alike. The base is `python -I -c pass` of the same clean virtual environment. Wall time is what a user
waits; CPU time (user + system of the whole process tree) is the steadier figure on a busy machine.

    make bench ARGS=latency
    .venv/bin/python benchmarks/hook_latency.py --rounds 200 --notes 100,1000
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.processes import Ended, run  # noqa: E402
from vectr_hooks.authoring import draft, render  # noqa: E402
from vectr_hooks.core.grammar import parse_trigger  # noqa: E402
from vectr_hooks.front_matter import NoteText  # noqa: E402
from vectr_hooks.project import init_project  # noqa: E402
from vectr_hooks.registration.command_line import hook_commands, hooks_folder, interpreter  # noqa: E402
from vectr_hooks.store.create import open_store  # noqa: E402
from vectr_hooks.store.notes import add_notes  # noqa: E402

BASE = "python -I -c pass"
PAYLOADS = ROOT / "tests/payloads/claude/2.1.332"

#: per case: event of the command, and the payload of one run in a session of its own
Payload = Callable[[str, Path], dict[str, Any]]


class Case(NamedTuple):
    name: str
    event: str
    payload: Payload
    delivers: bool


def recorded(name: str) -> dict[str, Any]:
    payload: dict[str, Any] = json.loads((PAYLOADS / f"{name}.json").read_text("utf-8"))
    return payload


def tool(name: str, **tool_input: str) -> Payload:
    def payload(session: str, project: Path) -> dict[str, Any]:
        given = {key: value.replace("{project}", str(project)) for key, value in tool_input.items()}
        own = {"session_id": session, "cwd": str(project), "transcript_path": "", "tool_use_id": session}
        return {**recorded(name), **own, "tool_input": given}

    return payload


def prompt(text: str) -> Payload:
    def payload(session: str, project: Path) -> dict[str, Any]:
        own = {"session_id": session, "cwd": str(project), "transcript_path": "", "prompt_id": session}
        return {**recorded("UserPromptSubmit"), **own, "prompt": text}

    return payload


def session_start(session: str, project: Path) -> dict[str, Any]:
    own = {"session_id": session, "cwd": str(project), "transcript_path": ""}
    return {**recorded("SessionStart.startup"), **own}


LONG = "".join(f"value_{n} = compute_{n % 7}(argument_{n})\n" for n in range(1500))

CASES = [
    Case("nothing: edit", "PreToolUse", tool("PreToolUse.Edit", file_path="{project}/README.md"), False),
    Case("nothing: read", "PostToolUse", tool("PostToolUse.Read", file_path="{project}/README.md"), False),
    Case(
        "nothing: command", "PreToolUse", tool("PreToolUse.Bash", command="cd lib && ls -la | wc -l"), False
    ),
    Case(
        "nothing: 60 KB write",
        "PreToolUse",
        tool("PreToolUse.Write", file_path="{project}/x", content=LONG),
        False,
    ),
    Case("delivers: edit", "PreToolUse", tool("PreToolUse.Edit", file_path="{project}/pkg3/mod_3.py"), True),
    Case("delivers: command", "PreToolUse", tool("PreToolUse.Bash", command="tool4 --now"), True),
    Case("delivers: prompt", "UserPromptSubmit", prompt("Please look at keyword5 and fix the tests."), True),
    Case("delivers: session start", "SessionStart", session_start, True),
]


def ordinary_triggers(notes: int) -> list[Any]:
    """Of four notes three have a trigger: a path, a command or a keyword."""
    triggers: list[Callable[[int], Any]] = [
        lambda n: None,
        lambda n: [{"command": f"tool{n}"}],
        lambda n: [{"keyword": f"keyword{n}"}],
        lambda n: [{"path": f"pkg{n % 97}/mod_{n}.py"}],
    ]
    return [triggers[n % 4](n) for n in range(notes)]


#: a prompt that is compared with notes in meaning, for which the process loads an embedding model
MEANING = Case(
    "compares: prompt", "UserPromptSubmit", prompt("Which lock do I take before I write to a module?"), True
)
COMPARED = [{"semantic": 0.2}] * 10

#: stores in which one event concerns every note
CROWDS = {"directives": [{"event": "session-start"}], "`**/*` residuals": [{"path": "**/*"}]}


def build_store(project: Path, triggers: list[Any]) -> None:
    """Make the project with a note for each of `triggers` and those that the cases deliver."""
    written = [
        (f"Module {n} keeps its lock while it writes; take it before touching it.", trigger)
        for n, trigger in enumerate(triggers)
    ]
    written += [
        ("Edits of module 3 need the lock.", [{"path": "pkg3/mod_3.py"}]),
        ("Tool 4 writes to production.", [{"command": "tool4"}]),
        ("Keyword 5 is deprecated.", [{"keyword": "keyword5"}]),
        ("Run the linter before every commit.", [{"event": "session-start"}]),
    ]
    notes = [
        NoteText(body=body, trigger=parse_trigger(trigger) if trigger else None) for body, trigger in written
    ]
    new_project(project, notes)


def new_project(project: Path, notes: Sequence[NoteText]) -> Path:
    """Make a repository whose store holds `notes`, with ids from 1; give the store."""
    (project / ".git").mkdir(parents=True)
    (project / ".git/HEAD").write_text("ref: refs/heads/main\n")
    found = init_project(str(project))
    drafts = [draft(found.root, note, provenance="agent") for note in notes]
    with closing(open_store(found.store_path)) as con:
        add_notes(con, drafts, render, 0)
    return Path(found.store_path)


def measure(
    triggers: list[Any], rounds: int, seed: int, cases: Sequence[Case] = CASES
) -> dict[str, list[Ended]]:
    """Run each of `cases` and the base once a round, against a store of notes with `triggers`."""
    samples: dict[str, list[Ended]] = {BASE: [], **{case.name: [] for case in cases}}
    order = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        project, home = Path(folder) / "project", Path(folder) / "data"
        os.environ["VECTR_HOOKS_HOME"] = str(home)
        build_store(project, triggers)
        commands = hook_commands(interpreter(), hooks_folder(), str(home))
        env = {"PATH": "/usr/bin:/bin", "HOME": folder, "CLAUDE_PROJECT_DIR": str(project), "LANG": "C.UTF-8"}
        for number in range(-3, rounds):
            for case in order.sample([None, *cases], len(cases) + 1):
                if case is None:
                    found = run([interpreter(), "-I", "-c", "pass"], b"", env)
                else:
                    payload = json.dumps(case.payload(f"{case.name} {number}", project)).encode()
                    found = run(["/bin/sh", "-c", commands[case.event]], payload, env)
                    if bool(found.output) != case.delivers:
                        raise SystemExit(f"{case.name}: printed {found.output!r}, delivers: {case.delivers}")
                if number >= 0:
                    samples[case.name if case else BASE].append(found)
    return samples


def table(notes: str, samples: dict[str, list[Ended]]) -> list[list[str]]:
    base_wall = median(sample.wall_ms for sample in samples[BASE])
    base_cpu = median(sample.cpu_ms for sample in samples[BASE])
    base_p95 = quantiles([sample.wall_ms for sample in samples[BASE]], n=20)[-1]
    rows = []
    for name, found in samples.items():
        wall = median(sample.wall_ms for sample in found)
        cpu = median(sample.cpu_ms for sample in found)
        p95 = quantiles([sample.wall_ms for sample in found], n=20)[-1]
        row = [
            f"{wall:.1f}",
            f"{wall / base_wall:.2f}",
            f"{p95 / base_p95:.2f}",
            f"{cpu:.1f}",
            f"{cpu / base_cpu:.2f}",
        ]
        rows.append([notes, name, *row])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure hook processes against an empty interpreter.")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--notes", default="100,1000", help="store sizes, comma-separated")
    parser.add_argument("--crowd", type=int, default=0, help="also stores of so many notes for one event")
    parser.add_argument("--meaning", action="store_true", help="also a prompt compared with notes in meaning")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    compile_hook_path()
    rows = []
    for notes in (int(text) for text in options.notes.split(",")):
        rows += table(f"{notes:,}", measure(ordinary_triggers(notes), options.rounds, options.seed))
        print(f"measured {notes:,} notes", file=sys.stderr)
    crowded = [case for case in CASES if case.name in ("delivers: edit", "delivers: session start")]
    for name, trigger in CROWDS.items() if options.crowd else ():
        found = measure([trigger] * options.crowd, options.rounds, options.seed, crowded)
        rows += table(f"{options.crowd:,} {name}", found)
    if options.meaning:
        found = measure(COMPARED, options.rounds, options.seed, [MEANING])
        rows += table(f"{len(COMPARED)} with `semantic`", found)
    head = ["notes", "case", "p50 ms", "ratio p50", "ratio p95", "cpu ms", "ratio cpu"]
    for row in [head, ["---:", "---", *["---:"] * 5], *rows]:
        print("| " + " | ".join(row) + " |")
    print(f"\n{options.rounds} rounds; {machine()}")


def compile_hook_path() -> None:
    # As `vectr-hooks install` does: without its compiled form a hook takes twice as long.
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(ROOT / "vectr_hooks")], check=False)


def machine() -> str:
    model = (
        next(
            (
                line.split(":", 1)[1].strip()
                for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")
            ),
            platform.processor(),
        )
        if Path("/proc/cpuinfo").exists()
        else platform.processor()
    )
    return (
        f"{os.cpu_count()} cores ({model}), {platform.system()} {platform.release()},"
        f" Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    )


if __name__ == "__main__":
    main()
