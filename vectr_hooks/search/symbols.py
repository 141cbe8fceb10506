"""Where a name is defined and where it is used: exactly, or not at all."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vectr_hooks.search import index_file
from vectr_hooks.search.languages import DECLARATION, VALUE
from vectr_hooks.search.walk import stamp

# How well a symbol answers, best first.
EXACT, SUFFIX, MEMBER, UNCERTAIN = "exact", "suffix", "member", "uncertain"
_ORDER = (EXACT, SUFFIX, MEMBER, UNCERTAIN)

_SEPARATOR = re.compile(r"::|->|[.#/:]")
_MOST_UNCERTAIN = 10
_CLOSE = 0.8
# A name that many share says nothing of which is meant.
_MOST_NAMED = 8
_SHORTEST_NAME = 3


@dataclass(frozen=True)
class Symbol:
    """A definition."""

    path: str
    first: int
    last: int
    line: int
    qualified: str
    kind: str
    match: str
    file: int
    """Its id in the index."""
    stamp: str
    changed: bool = False
    """Whether its file has changed since it was indexed."""


@dataclass(frozen=True)
class Use:
    """A line that refers to a name."""

    path: str
    line: int
    text: str
    changed: bool


def locate(con: sqlite3.Connection, root: str, query: str) -> list[Symbol]:
    """The definitions that `query` names, the best first; those that only resemble it are `UNCERTAIN`.

    `query` is a name, or its last parts: `save`, `Model.save`, `base.Model.save`, `a::b`. A name alone also
    finds members of that name, where nothing else has it.
    """
    parts = _parts(query)
    if not parts:
        return []
    named = [_matched(symbol, parts) for symbol in _named(con, [parts[-1]])]
    found = [symbol for symbol in named if symbol.match != UNCERTAIN]
    if not found:
        found = _reexported(con, parts, named) or _resembling(con, parts, named)
    return [
        replace(symbol, changed=stamp(f"{root}/{symbol.path}") != symbol.stamp)
        for symbol in sorted(found, key=_order)
    ]


def references(con: sqlite3.Connection, root: str, query: str) -> list[Use]:
    """Every line of code that refers to the last part of `query`, in order.

    By name alone: which of several definitions of one name is meant is not told.
    """
    parts = _parts(query)
    rows = con.execute(
        "SELECT file.path, file.id, file.stamp, reference.lines"
        " FROM reference JOIN file ON file.id = reference.file"
        " WHERE reference.name = ? ORDER BY file.path",
        parts[-1:] or [""],
    ).fetchall()
    defined = {(symbol.file, symbol.line) for symbol in _named(con, parts[-1:])}
    return [
        Use(path, line, _line(con, file, line), changed)
        for path, file, known, lines in rows
        for changed in [stamp(f"{root}/{path}") != known]
        for line in map(int, lines.split())
        if (file, line) not in defined
    ]


def exactly_named(con: sqlite3.Connection, query: str) -> list[Symbol]:
    """The definitions that words of a question name, but for names that many share."""
    found: list[Symbol] = []
    words = query.split()
    for word in words:
        parts = _parts(word.strip("`'\"()?,;"))
        # A plain word in a sentence is rarely meant as a name.
        spelled = len(words) == 1 or len(parts) > 1 or "_" in word or word[1:] != word[1:].lower()
        if not parts or len(parts[-1]) < _SHORTEST_NAME or not spelled:
            continue
        named = [_matched(symbol, parts) for symbol in _named(con, [parts[-1]])]
        named = [symbol for symbol in named if symbol.match != UNCERTAIN and symbol.kind != VALUE]
        if len(named) <= _MOST_NAMED:
            found += sorted(named, key=_order)
    return found


def _parts(query: str) -> list[str]:
    cleaned = query.strip().removesuffix("()")
    # A file's ending is no part of a name.
    cleaned = re.sub(r"\.(?:py|js|ts|tsx|go|rs|java|c|h|cpp)(?=[:#])", "", cleaned)
    return [part for part in _SEPARATOR.split(cleaned) if part]


def _named(con: sqlite3.Connection, names: Sequence[str]) -> list[Symbol]:
    rows = con.execute(
        "SELECT file.path, symbol.first, symbol.last, symbol.line, symbol.qualified, symbol.kind,"
        f" '{UNCERTAIN}', file.id, file.stamp"
        " FROM symbol JOIN file ON file.id = symbol.file"
        f" WHERE symbol.name IN ({index_file.marks(names)})",
        list(names),
    )
    return [Symbol(*row) for row in rows]


def _matched(symbol: Symbol, parts: Sequence[str]) -> Symbol:
    own = symbol.qualified.split(".")
    module = symbol.path.rpartition(".")[0].split("/")
    if module[-1] in ("__init__", "index", "mod", "lib"):
        module = module[:-1]
    if own == list(parts) or [*module, *own] == list(parts):
        match = EXACT
    elif len(parts) > 1 and [*module, *own][-len(parts) :] == list(parts):
        match = SUFFIX
    elif len(parts) == 1:
        match = MEMBER
    else:
        match = UNCERTAIN
    return replace(symbol, match=match)


def _reexported(con: sqlite3.Connection, parts: Sequence[str], named: Sequence[Symbol]) -> list[Symbol]:
    """The definition below a package of Python that its `__init__` brings up: `django.db.models.Model`."""
    likely = []
    for symbol in named:
        own = symbol.qualified.split(".")
        package = "/".join(parts[: -len(own)]) + "/"
        at = f"/{symbol.path}".find(f"/{package}")
        if len(parts) > len(own) and list(parts[-len(own) :]) == own and at >= 0:
            likely.append((symbol, f"{symbol.path[:at]}{package}__init__.py", own[0]))
    if len(likely) != 1:
        return []
    symbol, init, name = likely[0]
    brought = con.execute(
        "SELECT 1 FROM reference JOIN file ON file.id = reference.file WHERE file.path = ? AND name = ?",
        (init, name),
    ).fetchone()
    return [replace(symbol, match=SUFFIX)] if brought else []


def _resembling(con: sqlite3.Connection, parts: Sequence[str], named: Sequence[Symbol]) -> list[Symbol]:
    """What may have been meant: the same name elsewhere, the same letters, or nearly."""
    if named:
        return sorted(named, key=_order)[:_MOST_UNCERTAIN]
    import difflib

    wanted = _folded(parts[-1])
    names = [name for (name,) in con.execute("SELECT DISTINCT name FROM symbol ORDER BY name")]
    same = [name for name in names if _folded(name) == wanted]
    if not same:
        likely = [
            name for name in names if abs(len(name) - len(wanted)) <= 3 and name[:1].lower() == wanted[:1]
        ]
        same = difflib.get_close_matches(parts[-1], likely, n=3, cutoff=_CLOSE)
    return sorted(_named(con, same), key=_order)[:_MOST_UNCERTAIN]


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _order(symbol: Symbol) -> tuple[int, bool, bool, str, int]:
    # Definitions come before what only announces them.
    return (
        _ORDER.index(symbol.match),
        symbol.kind == DECLARATION,
        symbol.kind == VALUE,
        symbol.path,
        symbol.line,
    )


def _line(con: sqlite3.Connection, file: int, line: int) -> str:
    row = con.execute(
        "SELECT first, text FROM chunk WHERE file = ? AND first <= ? AND last >= ?", (file, line, line)
    ).fetchone()
    return str(row[1].split("\n")[line - row[0]]) if row else ""
