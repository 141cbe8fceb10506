"""Printing: results to stdout as text, tables or JSON, remarks to stderr.

Whatever is printed goes through here, and so comes without secrets, and without what a terminal would obey or
not show: a store, a repository and a host's payload hold what others wrote.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from vectr_hooks.core.sanitise import spelled_out
from vectr_hooks.core.secret_forms import may_hold_secret
from vectr_hooks.core.secrets import redact

if TYPE_CHECKING:
    from json import JSONEncoder

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


def verbatim(text: str, redacted: bool = False) -> None:
    """Write exactly the bytes of `text` but for secrets, whatever the locale and the platform's line ends.

    A terminal is shown it like any other text. With `redacted` it holds no secret any longer.
    """
    if sys.stdout.isatty():
        text = visible(text)
    elif not redacted:
        text = redact(text)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))


def json_result(fields: Mapping[str, object]) -> None:
    click.echo(_in_json(_indented(_document(fields), "", _encoder().encode)))


def json_line(fields: Mapping[str, object]) -> None:
    click.echo(_in_json(_encoder().encode(_document(fields))))


def _document(fields: Mapping[str, object]) -> object:
    document = {"version": JSON_VERSION, **fields}
    texts: set[str] = set()
    _collect(document, texts)
    # Most hold nothing like a secret, which is told at once.
    return _redacted(document) if may_hold_secret("\n".join(texts)) else document


def _collect(value: object, texts: set[str]) -> None:
    """Add every text in `value` that is no key."""
    if isinstance(value, str):
        texts.add(value)
    elif isinstance(value, (dict, list, tuple, Mapping)):
        for each in value if isinstance(value, (list, tuple)) else value.values():
            _collect(each, texts)


def _encoder() -> JSONEncoder:
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False, default=dict)


def _indented(value: object, margin: str, encode: Callable[[object], str]) -> str:
    """`value` as the library writes it with an indent of two, which takes it several times as long."""
    # Most values are one of these two.
    if type(value) is str:
        return encode(value)
    if type(value) is int:
        return str(value)
    inner = margin + "  "
    if isinstance(value, (dict, Mapping)) and value:
        parts = [f"{encode(str(name))}: {_indented(each, inner, encode)}" for name, each in value.items()]
        first, last = "{}"
    elif isinstance(value, (list, tuple)) and value:
        parts = [_indented(each, inner, encode) for each in value]
        first, last = "[]"
    else:
        return encode(value)
    return f"{first}\n{inner}" + f",\n{inner}".join(parts) + f"\n{margin}{last}"


def _redacted(value: object) -> object:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {name: _redacted(each) for name, each in value.items()}
    return [_redacted(each) for each in value] if isinstance(value, (list, tuple)) else value


def _in_json(text: str) -> str:
    """The same JSON, in characters that a terminal shows."""
    hidden = {
        character
        for character in set(text)
        if character != "\n" and unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs")
    }
    return text.translate({ord(character): _escape(character) for character in hidden}) if hidden else text


def _escape(character: str) -> str:
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
    shown = _shown(list(map(tuple, rows)))
    console = _console()
    if not console.is_terminal or len(shown) > MOST_LAID_OUT:
        click.echo("\n".join(_plain_lines([tuple(columns), *shown], [name in numbers for name in columns])))
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


def screen_columns() -> int:
    """How wide the terminal is that stdout goes to; 0 where it is none."""
    console = _console()
    return console.width if console.is_terminal else 0


def _shown(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The cells of `rows` without secrets and what a screen does not show, as `visible` has each of them."""
    # Most tables hold nothing like a secret, which is told at once; and many cells are the same.
    if may_hold_secret("\n".join({cell for row in rows for cell in row})):
        return [tuple(map(visible, row)) for row in rows]
    return [row if "".join(row).isprintable() else tuple(map(spelled_out, row)) for row in rows]


def _plain_lines(rows: Sequence[tuple[str, ...]], right: Sequence[bool]) -> Iterator[str]:
    """The cells of `rows` in columns; those that are numbers end where the others of theirs do."""
    # Nearly all: of them each character takes a column.
    ascii = ["".join(row).isascii() for row in rows]
    lengths = [
        tuple(map(len, row)) if plain else _widths(row) for row, plain in zip(rows, ascii, strict=True)
    ]
    widest = [max(column) for column in zip(*lengths, strict=True)]
    line = "  ".join(
        f"%{most}s" if ends_there else f"%-{most}s" for most, ends_there in zip(widest, right, strict=True)
    )
    for row, own, plain in zip(rows, lengths, ascii, strict=True):
        if plain:
            yield (line % row).rstrip()
            continue
        spaces = [" " * (most - width) for most, width in zip(widest, own, strict=True)]
        cells = zip(row, spaces, right, strict=True)
        yield "  ".join(
            space + cell if ends_there else cell + space for cell, space, ends_there in cells
        ).rstrip()


def _widths(row: Sequence[str]) -> tuple[int, ...]:
    """How many columns of a screen each cell takes."""
    from rich.cells import cell_len

    return tuple(len(cell) if max(cell, default="") < FIRST_WIDE else cell_len(cell) for cell in row)


def counted(number: int, what: str, several: str = "") -> str:
    """`1 note`, `1,200 notes`; `several` where that is not `what` with an s."""
    return f"{number:,} {what if number == 1 else several or what + 's'}"


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
