"""Printing: results to stdout as text, tables or JSON, remarks to stderr.

Whatever is printed goes through here, and so comes without secrets, and without what a terminal would obey or
not show: a store, a repository and a host's payload hold what others wrote.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from vectr_hooks.core.sanitise import spelled_out
from vectr_hooks.core.secret_forms import may_hold_secret
from vectr_hooks.core.secrets import redact

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from vectr_hooks.errors import VectrHooksError
    from vectr_hooks.store.notes import Note

JSON_VERSION = 1
# Of a longer table no row is wrapped.
MOST_LAID_OUT = 500
# From here on, nearly, characters may take two columns.
FIRST_WIDE = "\u2e80"


def result(text: str) -> None:
    click.echo(visible(text))


def remark(text: str) -> None:
    click.echo(visible(text), err=True)


class LeftOut:
    """Says of each row that a listing has to leave out, since it is damaged, that it does: once."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def __call__(self, error: VectrHooksError) -> None:
        if error.message in self._told:
            return
        remark(f"left out: {error.message}")
        if not self._told:
            remark(f"hint: {error.hint}")
        self._told.add(error.message)


def verbatim(text: str) -> None:
    """Write exactly the bytes of `text` but for secrets, whatever the locale and the platform's line ends.

    A terminal is shown it like any other text.
    """
    text = visible(text) if sys.stdout.isatty() else redact(text)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))


def json_result(fields: Mapping[str, object]) -> None:
    click.echo(_json(fields, indent=2))


def json_line(fields: Mapping[str, object]) -> None:
    click.echo(_json(fields, indent=None))


def _json(fields: Mapping[str, object], indent: int | None) -> str:
    import json

    document = _redacted({"version": JSON_VERSION, **fields})
    text = json.dumps(document, ensure_ascii=False, indent=indent)
    # The same values, in characters that a terminal shows.
    return text if text.isprintable() else "".join(map(_in_json, text))


def _redacted(value: object) -> object:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {name: _redacted(each) for name, each in value.items()}
    return [_redacted(each) for each in value] if isinstance(value, (list, tuple)) else value


def _in_json(character: str) -> str:
    if character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp", "Cs"):
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def note_fields(note: Note) -> dict[str, object]:
    """A note as every command's JSON gives it."""
    from vectr_hooks.core.describe import arrival
    from vectr_hooks.core.grammar import trigger_value

    return {
        "id": note.id,
        "revision": note.revision,
        "title": note.title,
        "body": note.body,
        "kind": note.kind,
        "priority": note.priority,
        "tags": list(note.tags),
        "anchors": list(note.anchors),
        "trigger": None if note.trigger is None else trigger_value(note.trigger),
        "arrives": arrival(note.trigger, note),
        "scope": note.scope,
        "provenance": note.provenance,
        "author": note.author,
        "quote": note.quote,
        "state": note.state,
        "reason": note.reason,
        "superseded_by": note.superseded_by or None,
        "pinned": note.pinned,
        "created_ms": note.created,
        "changed_ms": note.at,
        "session": note.session,
        "cost_tokens": note.cost,
    }


def visible(text: str) -> str:
    """`text` without secrets, and with what a terminal would obey or not show spelled out.

    What is printed by this module is; it is for texts that are drawn before.
    """
    return spelled_out(redact(text))


def drawn(*parts: RenderableType, soft_wrap: bool = False) -> None:
    """Print what `rich` draws; on a terminal it wraps, elsewhere nothing is cut or wrapped.

    With `soft_wrap` a line that is too long is left to the terminal.
    """
    console = _console()
    with console.capture() as captured:
        for part in parts:
            console.print(part, soft_wrap=soft_wrap)
    # Cells are padded to their column's width.
    lines = [line.rstrip() for line in captured.get().splitlines()]
    click.echo("\n".join(lines), color=console.is_terminal or None)


def _console() -> Console:
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        # A pipe has no width: a table takes what it needs, and this is more.
        console.width = 1_000_000
    return console


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    flexible: Sequence[str] = (),
    numbers: Sequence[str] = ("id", "cost"),
) -> None:
    """Print a table; on a terminal the columns named `flexible` wrap, elsewhere nothing is cut or wrapped.

    A table too long for a screen is not wrapped there either: laying it out would take its time.
    """
    given = list(rows)
    # Most tables hold nothing like a secret, which is told at once.
    show = visible if may_hold_secret("\n".join(cell for row in given for cell in row)) else spelled_out
    shown = [[show(cell) for cell in row] for row in given]
    console = _console()
    if not console.is_terminal or len(shown) > MOST_LAID_OUT:
        click.echo("\n".join(_plain_lines([columns, *shown], [name in numbers for name in columns])))
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in columns:
        drawn.add_column(
            name,
            justify="right" if name in numbers else "left",
            no_wrap=name not in flexible,
            overflow="fold" if name in flexible else "ellipsis",
        )
    for row in shown:
        drawn.add_row(*(Text(cell, overflow="fold") for cell in row))
    console.print(drawn)


def _plain_lines(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> Iterator[str]:
    """The cells of `rows` in columns; those that are numbers end where the others of theirs do."""
    from rich.cells import cell_len

    widths = [
        [len(cell) if max(cell, default="") < FIRST_WIDE else cell_len(cell) for cell in row] for row in rows
    ]
    widest = [max(column) for column in zip(*widths, strict=True)]
    for row, own in zip(rows, widths, strict=True):
        spaces = [" " * (most - width) for most, width in zip(widest, own, strict=True)]
        cells = zip(row, spaces, right, strict=True)
        yield "  ".join(
            space + cell if ends_there else cell + space for cell, space, ends_there in cells
        ).rstrip()


def age(ms: int, now_ms: int) -> str:
    """How long ago, for people: `5 min ago`."""
    seconds = max(0, now_ms - ms) // 1000
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return "just now"


def utc(ms: int) -> str:
    """`2026-01-31 12:00:00Z`: a moment for people, the same on every machine."""
    import time

    return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(ms / 1000))
