"""Printing: results to stdout as text, tables or JSON, remarks to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from vectr_hooks.store.notes import Note

JSON_VERSION = 1


def result(text: str) -> None:
    click.echo(text)


def remark(text: str) -> None:
    click.echo(text, err=True)


def verbatim(text: str) -> None:
    """Write exactly the bytes of `text`, whatever the locale and the platform's line ends."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))


def json_result(fields: Mapping[str, object]) -> None:
    click.echo(_json(fields, indent=2))


def json_line(fields: Mapping[str, object]) -> None:
    click.echo(_json(fields, indent=None))


def _json(fields: Mapping[str, object], indent: int | None) -> str:
    import json

    return json.dumps({"version": JSON_VERSION, **fields}, ensure_ascii=False, indent=indent)


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
        "state": note.state,
        "pinned": note.pinned,
        "created_ms": note.created,
        "changed_ms": note.at,
        "session": note.session,
        "cost_tokens": note.cost,
    }


def visible(text: str) -> str:
    """`text` with control characters other than tab and newline spelled out: a terminal would obey them."""
    if text.isprintable():
        return text
    return "".join(
        c if c in "\t\n" or (c >= " " and not "\x7f" <= c <= "\x9f") else f"\\x{ord(c):02x}" for c in text
    )


def drawn(*parts: RenderableType) -> None:
    """Print what `rich` draws; on a terminal it wraps, elsewhere nothing is cut or wrapped."""
    console = _console()
    with console.capture() as captured:
        for part in parts:
            console.print(part)
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


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], flexible: Sequence[str] = ()) -> None:
    """Print a table; on a terminal the columns named `flexible` wrap, elsewhere nothing is cut or wrapped."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = _console()
    drawn = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, header_style="bold")
    for name in columns:
        right = name in ("id", "cost")
        drawn.add_column(name, justify="right" if right else "left", no_wrap=name not in flexible)
    for row in rows:
        drawn.add_row(*(Text(visible(cell), overflow="fold") for cell in row))
    console.print(drawn)


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
