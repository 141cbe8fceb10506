"""Writes plain values as YAML that people like to read, the same at every time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

_WIDTH = 100

# A text that YAML reads as itself without quotes, also inside [ ] and { }: no number, no date, no sign that
# means something to YAML.
_PLAIN = re.compile(r"[^\W\d][\w./*+@()\-]*(?: [\w./*+@()\-]+)*|/[\w./*+@()\-]*")
# What needs no escape in double quotes.
_AS_IT_IS = re.compile(r"[ !#-\[\]-~]*")
_OTHERWISE_READ = frozenset(("false", "n", "no", "null", "off", "on", "true", "y", "yes"))
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


# Most texts of many notes are the same few.
@lru_cache(maxsize=1024)
def scalar(text: str) -> str:
    """`text` as YAML reads it back: as it is where that is possible, else in double quotes."""
    if _PLAIN.fullmatch(text) and text.isprintable() and text.lower() not in _OTHERWISE_READ:
        return text
    return f'"{text if _AS_IT_IS.fullmatch(text) else "".join(map(_escaped, text))}"'


def value_list(values: Sequence[str]) -> str:
    """One value by itself, several in brackets."""
    return scalar(values[0]) if len(values) == 1 else f"[{', '.join(map(scalar, values))}]"


def block(key: str, clauses: Any) -> Iterator[str]:
    """The lines of `key` with a list of mappings, whose values are lists of texts or mappings of them."""
    yield f"{key}:"
    for clause in clauses:
        mark = "- "
        for name, values in clause.items():
            yield from _indented(mark, name, values)
            mark = "  "


def _indented(mark: str, name: str, values: Any) -> Iterator[str]:
    if isinstance(values, Mapping):
        inner = ", ".join(f"{key}: {value_list(items)}" for key, items in values.items())
        yield f"  {mark}{name}: {{{inner}}}"
        return
    line = f"  {mark}{name}: {value_list(values)}"
    if len(line) <= _WIDTH:
        yield line
        return
    yield f"  {mark}{name}:"
    yield from (f"      - {scalar(value)}" for value in values)


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
