"""Our own block in a file that an agent always loads: found by its markers, added, replaced, taken out."""

from __future__ import annotations

import re

from vectr_hooks.errors import VectrHooksError

BEGINS, ENDS = "<!-- vectr-hooks: begin -->", "<!-- vectr-hooks: end -->"

# Alone on its line: what a text says about the markers is none.
_MARKER = re.compile(rf"(?<![^\r\n\ufeff])[ \t]*({re.escape(BEGINS)}|{re.escape(ENDS)})[ \t]*(?![^\r\n])")
_LINE_END = re.compile(r"\r\n|\n|\r")


def find(text: str) -> tuple[int, int] | None:
    """Where our block stands, from its first marker's line to the end of its last's, without that line's end.

    Raises VectrHooksError where the markers are not one pair in order: nobody can say what is ours then.
    """
    markers = list(_MARKER.finditer(text))
    if not markers:
        return None
    if [marker[1] for marker in markers] != [BEGINS, ENDS]:
        lines = ", ".join(str(_line(text, marker.start(1))) for marker in markers)
        raise VectrHooksError(
            f"the markers of the vectr-hooks block are not one pair: line {lines}",
            f"leave one `{BEGINS}` and after it one `{ENDS}`, or none of them",
        )
    return markers[0].start(), markers[1].end()


def with_block(text: str, content: str) -> str:
    """`text` with `content`, whose lines end in `\\n`, as our block: in its place, or else at the end."""
    end = _own_line_end(text)
    block = end.join((BEGINS, *content.rstrip("\n").split("\n"), ENDS))
    place = find(text)
    if place:
        return text[: place[0]] + block + text[place[1] :]
    return text + separator(text) + block + end


def without_block(text: str, original: str | None = None) -> str:
    """`text` without our block, and without what `with_block` put before it.

    `original`, the text that it was once added to, tells whether that ended in a line end.
    """
    place = find(text)
    if place is None:
        return text
    before, after = text[: place[0]], text[place[1] :]
    line_end = _LINE_END.match(after)
    after = after[line_end.end() :] if line_end else after
    if after:
        return before + after
    added = separator(original) if original is not None else _own_line_end(text)
    return before.removesuffix(added)


def separator(text: str) -> str:
    """What makes a paragraph of its own of what follows `text`."""
    end = _own_line_end(text)
    if not text.removeprefix("\ufeff"):
        return ""
    return end if text.endswith(("\n", "\r")) else end * 2


def _own_line_end(text: str) -> str:
    """How the lines of `text` end, most of them."""
    ends = _LINE_END.findall(text)
    return max(("\n", "\r\n", "\r"), key=ends.count)


def _line(text: str, at: int) -> int:
    return len(_LINE_END.findall(text, 0, at)) + 1
