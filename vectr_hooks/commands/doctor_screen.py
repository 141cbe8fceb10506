"""What `doctor` found, for people: a line for each thing, in sections, with what to do about it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from vectr_hooks import output
from vectr_hooks.diagnosis.finding import Finding
from vectr_hooks.store.workspace import home_folder

#: each section's heading, and the subjects of its findings
SECTIONS = {
    "program": ("program", "python", "client"),
    "project": ("project", "projects"),
    "store": ("store", "speed", "errors"),
    "hooks": ("hooks", "settings", "rehearsal", "memory"),
    "notes": ("notes", "team notes"),
}
STYLES = {"ok": ("green", "dim"), "warning": ("bold yellow", ""), "error": ("bold red", "")}
WORST_FIRST = ("error", "warning", "ok")

# "  warning  ": the level's column.
INDENT = "  "
LEVEL_WIDTH = 7
MARGIN = " " * (len(INDENT) + LEVEL_WIDTH + 2)
WIDEST = 100
# A command is one line, so that it can be pasted.
_CODE = re.compile(r"`[^`]+`")
# Stands for a blank where a line must not be broken.
_TIE = "\x00"
_COMMAND = re.compile(r"(vectr-hooks|chmod|export|unset) (?!.*[;:] )")


def draw(found: Sequence[Finding], done: Sequence[str], failed: Sequence[str]) -> None:
    # What is too long for a line is the terminal's to break, so that it can be copied whole.
    output.drawn(*lines(found, done, failed, width()), soft_wrap=True)


def width() -> int:
    """How wide a line may be: a terminal's width, and elsewhere as wide as it is."""
    return min(shutil.get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else sys.maxsize


def lines(found: Sequence[Finding], done: Sequence[str], failed: Sequence[str], width: int) -> Iterator[Text]:
    if done or failed:
        yield _text("fixed", "bold")
        for message in done:
            yield from _line("done", ("green", ""), message, width)
        for message in failed:
            yield from _line("failed", STYLES["error"], message, width)
        yield Text()
    for section, subjects in SECTIONS.items():
        here = [each for each in found if each.subject in subjects]
        if here:
            yield _text(section, "bold")
            for each in sorted(here, key=lambda each: WORST_FIRST.index(each.level)):
                yield from _finding(each, width)
            yield Text()
    yield _summary(found)


def _finding(found: Finding, width: int) -> Iterator[Text]:
    yield from _line(found.level, STYLES[found.level], found.message, width)
    if not found.fix:
        return
    word, style = ("hint", "dim") if found.level == "ok" else ("fix", "cyan")
    remedy = f"{word}: {found.fix}"
    indent = " " * (len(word) + 2)
    for text in [remedy] if _COMMAND.match(found.fix) else _wrapped(remedy, width - len(MARGIN), indent):
        yield _text(MARGIN + text, style)


def _line(word: str, styles: tuple[str, str], message: str, width: int) -> Iterator[Text]:
    for number, text in enumerate(_wrapped(_shortened(message), width - len(MARGIN))):
        margin = MARGIN if number else f"{INDENT}{word:{LEVEL_WIDTH}}  "
        line = _text(margin + text, styles[1])
        line.stylize(styles[0], 0, len(MARGIN) if not number else 0)
        yield line


def _shortened(message: str) -> str:
    """`message` with paths in the user's home folder as people write them."""
    home = home_folder(os.environ)
    return re.sub(rf"(?<![^\s(`]){re.escape(home)}(?=/)", "~", message) if home != os.sep else message


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of whole words; what is longer than a line, such as a path, or quoted as code is left whole."""
    if width < 1 or len(text) <= width:
        return [text]
    tied = _CODE.sub(lambda code: code[0].replace(" ", _TIE), text)
    wrapped = textwrap.wrap(
        tied, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(_TIE, " ") for line in wrapped]


def _summary(found: Sequence[Finding]) -> Text:
    counts = [sum(each.level == level for each in found) for level in ("error", "warning")]
    told = f"errors: {counts[0]}, warnings: {counts[1]}"
    fixable = sum(each.repair is not None for each in found)
    if fixable:
        told += f"; `vectr-hooks doctor --fix` puts {fixable} thing{'s' if fixable > 1 else ''} right"
    return _text(told, "bold red" if counts[0] else "bold yellow" if counts[1] else "bold green")


def _text(text: str, style: str) -> Text:
    return Text(output.visible(text), style)
