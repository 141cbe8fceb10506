"""A file cut into what is searched and shown: definitions, sections, and what stands between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vectr_hooks.search.languages import CONTAINERS, SECTION, SPLITTING
from vectr_hooks.search.outline import Definition, Outline

# In lines. A longer class is cut at its methods, a longer function at those within it or into windows.
LONG_CLASS = 40
LONG_FUNCTION = 150
WINDOW = 50
# Neighbours this short share a chunk, up to the second length.
TINY = 4
MERGED = 20
# In characters, for texts with long lines.
WINDOW_CHARACTERS = 4000
# A window rather ends at a blank line, when there is one in its last part.
_LOOK_BACK = 15

# What a chunk is, in the order in which vectors are made.
DEFINES, EXPLAINS, SURROUNDS = range(3)
#: added for those of tests
AFTER_OTHERS = 3

_WORD = re.compile(r"\w")
_COMMENT = re.compile(
    r"\s*(?:#(?!\s*(?:include|define|if|ifdef|ifndef|endif|else|elif|undef|pragma)\b)|//|/?\*|\*/|--|@|\[\[|#\[)"
)


@dataclass
class Chunk:
    """Some lines of a file, from 1, both ends included. Those of a file cover it, each line once."""

    first: int
    last: int
    shown_first: int
    shown_last: int
    """What is shown for it: the whole of a definition that takes several chunks, no blank lines around."""
    name: str
    """The qualified name of what it defines or is a part of; several, joined by `, `; '' for none."""
    kind: str
    rank: int
    owner: str = ""
    """The name of what its definition is part of."""


def chunks(lines: Sequence[str], outline: Outline | None) -> list[Chunk]:
    """Cut a file; without an outline into windows."""
    if not lines:
        return []
    pieces = list(_Cutter(lines).pieces(1, len(lines), outline.definitions if outline else [], None))
    return _merged(_attached(pieces, lines))


class _Cutter:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def pieces(
        self, first: int, last: int, inner: Sequence[Definition], owner: Definition | None
    ) -> Iterator[Chunk]:
        """Cut the lines at the definitions among them that split."""
        at = first
        for definition in sorted(_split(inner), key=lambda each: (each.first, -each.last)):
            end = min(definition.last, last)
            if end < at:
                # It begins and ends on a line that another has.
                continue
            start = self._with_comments(max(definition.first, at), at)
            yield from self._windows(at, start - 1, owner, whole=False)
            yield from self._definition(start, end, definition, owner)
            at = end + 1
        yield from self._windows(at, last, owner, whole=False)

    def _definition(
        self, first: int, last: int, definition: Definition, owner: Definition | None
    ) -> Iterator[Chunk]:
        size = last - first + 1
        longest = LONG_CLASS if definition.kind in CONTAINERS else LONG_FUNCTION
        if size > longest and _split(definition.inner):
            yield from self.pieces(first, last, definition.inner, definition)
        elif size > LONG_FUNCTION:
            yield from self._windows(first, last, definition, whole=definition.kind != SECTION)
        else:
            rank = EXPLAINS if definition.kind == SECTION else DEFINES
            part_of = owner.qualified if owner else ""
            yield self._chunk(first, last, definition.qualified, definition.kind, rank, part_of)

    def _windows(self, first: int, last: int, owner: Definition | None, *, whole: bool) -> Iterator[Chunk]:
        """Cut lines without definitions; with `whole` each window stands for all of its owner."""
        name, kind = (owner.qualified, owner.kind) if owner else ("", "")
        at = first
        while at <= last:
            end = self._window_end(at, last)
            # The head of a class says what it is, and is not what its methods leave over at its end.
            is_head = owner is not None and (whole or at == first)
            rank = (EXPLAINS if kind == SECTION else DEFINES) if is_head else SURROUNDS
            chunk = self._chunk(at, end, name, kind, rank, name)
            if whole:
                chunk.shown_first, chunk.shown_last = self._without_blanks(first, last)
            yield chunk
            at = end + 1

    def _window_end(self, first: int, last: int) -> int:
        end, size = first, len(self._lines[first - 1])
        while end < last and end - first + 1 < WINDOW and size + len(self._lines[end]) <= WINDOW_CHARACTERS:
            size += len(self._lines[end])
            end += 1
        if end < last:
            for at in range(end, max(first, end - _LOOK_BACK), -1):
                if not self._lines[at - 1].strip():
                    return at
        return end

    def _chunk(self, first: int, last: int, name: str, kind: str, rank: int, owner: str) -> Chunk:
        return Chunk(first, last, *self._without_blanks(first, last), name, kind, rank, owner)

    def _without_blanks(self, first: int, last: int) -> tuple[int, int]:
        full = [at for at in range(first, last + 1) if self._lines[at - 1].strip()]
        return (full[0], full[-1]) if full else (first, last)

    def _with_comments(self, first: int, lowest: int) -> int:
        """Where the comments begin that stand right above line `first`, not before `lowest`."""
        while first > lowest and _COMMENT.match(self._lines[first - 2]):
            first -= 1
        return first


def _split(definitions: Sequence[Definition]) -> list[Definition]:
    return [definition for definition in definitions if definition.kind in SPLITTING]


def _attached(pieces: Sequence[Chunk], lines: Sequence[str]) -> list[Chunk]:
    """Give blank lines and closing brackets to what stands before them, or else after them."""
    found: list[Chunk] = []
    lead = 0
    for piece in pieces:
        if any(_WORD.search(line) for line in lines[piece.first - 1 : piece.last]):
            piece.first = lead or piece.first
            lead = 0
            found.append(piece)
        elif found:
            found[-1].last = piece.last
        else:
            lead = lead or piece.first
    return found or list(pieces[:1] and [_joined(pieces)])


def _joined(pieces: Sequence[Chunk]) -> Chunk:
    whole = pieces[0]
    whole.last = whole.shown_last = pieces[-1].last
    return whole


def _merged(pieces: Sequence[Chunk]) -> list[Chunk]:
    found: list[Chunk] = []
    for piece in pieces:
        before = found[-1] if found else None
        if before and _may_share(before, piece):
            before.last = piece.last
            before.shown_last = piece.shown_last
            before.name = f"{before.name}, {piece.name}"
        else:
            found.append(piece)
    return found


def _may_share(before: Chunk, after: Chunk) -> bool:
    return (
        before.rank == after.rank != SURROUNDS
        and before.kind == after.kind
        and before.owner == after.owner
        and before.owner != before.name
        and after.owner != after.name
        and after.shown_last - after.shown_first < TINY
        and (before.shown_last - before.shown_first < TINY or ", " in before.name)
        and after.shown_last - before.shown_first < MERGED
    )
