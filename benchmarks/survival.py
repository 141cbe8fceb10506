"""What is left of a conversation's notes after its compactions, and what delivering them costs.

Plays sessions to a store through the hooks' own code: prompts, reads and edits that bring up notes, then a
compaction, over and over. After each one every note that the conversation had been given is looked for, word
for word. The same sessions are priced for two other ways of giving a model its notes: all of them whole at
every boundary, as a file that is always loaded does, and all of them as index lines.

A session works in so many areas, each with a note: few as people do, or more than there is room for.

    .venv/bin/python benchmarks/survival.py --compactions 1000 --notes 200
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.playback import Playback  # noqa: E402
from vectr_hooks.authoring import remember  # noqa: E402
from vectr_hooks.core.budget import tokens  # noqa: E402
from vectr_hooks.core.grammar import parse_trigger  # noqa: E402
from vectr_hooks.project import Project, init_project  # noqa: E402
from vectr_hooks.store.create import open_store  # noqa: E402

COMPACTIONS_A_SESSION = 5
TURNS_AN_EPOCH = 6
EVENTS_A_TURN = 6
DIRECTIVES = 5
KINDS: tuple[Callable[[int], tuple[str, dict[str, str] | None]], ...] = (
    lambda n: ("gotcha", {"path": f"src/m{n}/**"}),
    lambda n: ("operational", {"path": f"src/m{n}/**"}),
    lambda n: ("finding", {"keyword": f"topic{n}"}),
)
COLUMNS = (
    "compactions",
    "notes owed",
    "word for word",
    "as a line",
    "held back",
    "altered",
    "missing",
    "given twice",
    "bytes p50",
    "bytes most",
    "tokens a session p50",
    "all notes whole",
    "all as lines",
)
WHOLE = re.compile(r"^\[#(\d+) ", re.MULTILINE)
LINE = re.compile(r"^#(\d+) ", re.MULTILINE)
HELD_BACK = re.compile(r"^(\d+) more held back", re.MULTILINE)


@dataclass
class Tally:
    """What was seen over all sessions; sizes in bytes, costs in tokens."""

    compactions: int = 0
    owed: int = 0
    intact: int = 0
    as_lines: int = 0
    held_back: int = 0
    """Told of by number only."""
    missing: int = 0
    altered: int = 0
    repeated: int = 0
    largest: int = 0
    boundary_bytes: list[int] = field(default_factory=list)
    spent: list[int] = field(default_factory=list)
    """By session."""


def store_notes(project: Project, count: int, chance: random.Random) -> dict[int, str]:
    """Store notes with one exact fact each, most of them tied to a file or a word; their bodies by id."""
    bodies = {}
    with closing(open_store(project.store_path)) as con:
        for number in range(count):
            fact = f"limit_{number} is {chance.randrange(10**6)} and not {chance.randrange(10**6)}"
            more = " ".join(f"word{chance.randrange(400)}" for _ in range(chance.choice((8, 20, 45))))
            body = f"In area {number}, {fact}: {more}"
            kind, clause = KINDS[number % 3](number)
            if number < DIRECTIVES:
                kind, clause = "directive", None
            trigger = parse_trigger([clause]) if clause else None
            stored = remember(
                con, project.root, body, kind=kind, trigger=trigger, provenance="human", now_ms=number
            )
            bodies[stored.id] = body
    return bodies


class Session:
    """One conversation, and what its model has before it."""

    def __init__(
        self, playback: Playback, bodies: dict[int, str], areas: int, chance: random.Random, tally: Tally
    ) -> None:
        self.playback = playback
        self.bodies = bodies
        self.chance = chance
        self.tally = tally
        self.whole: Counter[int] = Counter()
        self.spent = 0
        self.areas = chance.sample(range(len(bodies)), areas)

    def take(self, output: str) -> None:
        self.whole.update(int(note) for note in WHOLE.findall(output))
        self.tally.largest = max(self.tally.largest, len(output.encode()))
        self.spent += tokens(output) if output else 0

    def play(self) -> None:
        self.take(self.playback.start())
        for _ in range(COMPACTIONS_A_SESSION):
            for _ in range(TURNS_AN_EPOCH):
                self.turn()
            self.compact()
        self.tally.spent.append(self.spent)

    def turn(self) -> None:
        self.take(self.playback.prompt(f"look at topic{self.chance.choice(self.areas)} please"))
        for _ in range(EVENTS_A_TURN):
            act = self.chance.choice((self.playback.edit, self.playback.read))
            self.take(act(f"src/m{self.chance.choice(self.areas)}/a.py"))

    def compact(self) -> None:
        """Have the client compact, and look for every note that the conversation had in full."""
        owed = set(self.whole)
        self.tally.repeated += sum(times - 1 for times in self.whole.values())
        self.whole.clear()
        output = self.playback.compact(self.chance.choice(("manual", "auto")))
        self.take(output)
        self.tally.compactions += 1
        self.tally.boundary_bytes.append(len(output.encode()))
        lines = {int(note) for note in LINE.findall(output)}
        told = sum(int(count) for count in HELD_BACK.findall(output))
        for note in owed:
            self.tally.owed += 1
            if note in self.whole:
                kept = self.bodies[note] in output
                self.tally.intact += kept
                self.tally.altered += not kept
            elif note in lines:
                self.tally.as_lines += 1
            elif told:
                told -= 1
                self.tally.held_back += 1
            else:
                self.tally.missing += 1


def middle(values: list[int]) -> int:
    return sorted(values)[len(values) // 2]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--compactions", type=int, default=1000)
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| areas a session | " + " | ".join(COLUMNS) + " |")
    print("| ---: " * (1 + len(COLUMNS)) + "|")
    status = 0
    for areas in sorted({min(areas, options.notes) for areas in (10, 40, options.notes)}):
        tally, priced = played(options.compactions, options.notes, areas, options.seed)
        print(
            f"| {areas} | " + " | ".join(f"{value:,}" for value in (*figures(tally), *priced)) + " |",
            flush=True,
        )
        status |= bool(tally.missing or tally.altered or tally.repeated)
    return status


def played(compactions: int, notes: int, areas: int, seed: int) -> tuple[Tally, tuple[int, int]]:
    """Play the sessions; what was seen, and the tokens a session by the two other ways."""
    chance, tally = random.Random(seed), Tally()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VECTR_HOOKS_HOME"] = f"{folder}/data"
        root = Path(folder).resolve() / "project"
        root.mkdir()
        project = init_project(str(root))
        bodies = store_notes(project, notes, chance)
        for number in range(-(-compactions // COMPACTIONS_A_SESSION)):
            playback = Playback(root, Path(project.store_path), f"session-{number}")
            Session(playback, bodies, areas, chance, tally).play()
            playback.connection.close()
        with closing(open_store(project.store_path)) as con:
            rows = con.execute("SELECT text, line FROM revision").fetchall()
    boundaries = COMPACTIONS_A_SESSION + 1
    whole, lines = (boundaries * sum(tokens(row[column]) for row in rows) for column in (0, 1))
    return tally, (whole, lines)


def figures(tally: Tally) -> tuple[int, ...]:
    return (
        tally.compactions,
        tally.owed,
        tally.intact,
        tally.as_lines,
        tally.held_back,
        tally.altered,
        tally.missing,
        tally.repeated,
        middle(tally.boundary_bytes),
        tally.largest,
        middle(tally.spent),
    )


if __name__ == "__main__":
    sys.exit(main())
