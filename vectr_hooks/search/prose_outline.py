"""The outline of a text: its sections, by their headings."""

from __future__ import annotations

import re

from vectr_hooks.core.sections import sections
from vectr_hooks.search.languages import SECTION
from vectr_hooks.search.outline import Definition, Outline

# In characters of a heading: a text may have one long paragraph that is underlined.
_LONGEST = 200
_ADORNMENT = re.compile(r"([=\-~^\"'#*+:.`_<>])\1{2,}\s*")


def markdown_outline(text: str) -> Outline:
    """The sections of a Markdown text that say something beyond their heading."""
    return Outline(
        [
            Definition(
                _path([*section.above, section.heading]),
                SECTION,
                section.first_line,
                section.last_line,
                section.first_line,
            )
            for section in sections(text)
            if section.heading
        ]
    )


def underlined_outline(text: str) -> Outline:
    """The sections of a text whose headings are underlined, as in reStructuredText."""
    lines = text.split("\n")
    levels: list[tuple[str, bool]] = []
    above: list[str] = []
    found: list[Definition] = []
    for at in range(len(lines) - 1):
        title = lines[at].strip()
        if not _is_heading(lines, at):
            continue
        over = (
            at > 0
            and _ADORNMENT.fullmatch(lines[at - 1]) is not None
            and lines[at - 1][0] == lines[at + 1][0]
        )
        style = (lines[at + 1][0], over)
        if style not in levels:
            levels.append(style)
        level = levels.index(style)
        above = [*above[:level], title]
        first = at if over else at + 1
        if found:
            found[-1].last = first - 1
        found.append(Definition(_path(above[1:] or above), SECTION, first, len(lines), at + 1))
    return Outline(found)


def _is_heading(lines: list[str], at: int) -> bool:
    title, under = lines[at].rstrip(), lines[at + 1].rstrip()
    if not title.strip() or not _ADORNMENT.fullmatch(under) or len(under) < len(title):
        return False
    return _ADORNMENT.fullmatch(title) is None and (
        at == 0 or not lines[at - 1].strip() or _overlined(lines, at)
    )


def _overlined(lines: list[str], at: int) -> bool:
    return lines[at - 1].rstrip() == lines[at + 1].rstrip()


def _path(headings: list[str]) -> str:
    # Each section has those of all above it.
    return " > ".join(heading[:_LONGEST] for heading in headings)
