"""Draws the demo's compaction as a picture of a terminal: what the README shows.

.venv/bin/python docs/picture.py docs/compaction.svg
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from vectr_hooks.commands.demo import prepared, scratch_folder
from vectr_hooks.commands.demo_playback import Played, play
from vectr_hooks.commands.demo_screen import Screen

COLUMNS = 100
FONT_FACE = re.compile(r"@font-face \{.*?\}\n*", re.DOTALL)
STEPS_BEFORE = 1


def main(target: str) -> None:
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, highlight=False, markup=False
    )
    screen = Screen(console)
    with scratch_folder(keep=False) as folder:
        for step in around_a_compaction(list(play(prepared(folder)))):
            screen.step(step)
    picture = console.export_svg(title="vectr-hooks demo", theme=MONOKAI)
    # It must not fetch a font from the network to be looked at.
    Path(target).write_text(FONT_FACE.sub("", picture), encoding="utf-8")


def around_a_compaction(played: list[Played]) -> list[Played]:
    """The first compaction, and what led to it."""
    at = next(number for number, step in enumerate(played) if step.survival)
    return played[max(0, at - STEPS_BEFORE) : at + 1]


if __name__ == "__main__":
    main(sys.argv[1])
