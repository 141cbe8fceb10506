"""Splits a Markdown text at its headings, outside of fenced code and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t](.*))?")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_NO_PARAGRAPH = re.compile(r"[ \t]*([-*+>#|]|[0-9]{1,9}[.)]|(?: {4}|\t)).*")


@dataclass(frozen=True)
class Section:
    """A heading with what stands under it, up to the next heading of any level."""

    heading: str
    """Without its marks; '' for what stands before the first."""
    above: tuple[str, ...]
    """The headings it stands under, the highest first, without that of the whole text."""
    text: str
    """Verbatim, the heading included, without blank lines around it."""
    content: str
    """The same without the heading."""
    first_line: int
    """Where `text` begins, the first line being 1."""
    last_line: int


def sections(text: str) -> list[Section]:
    """The sections of `text` that say something beyond their heading, in order."""
    lines = text.split("\n")
    found = []
    starts = list(_headings(lines))
    bounds = [(0, 0, 0, ""), *starts]
    above: list[tuple[int, str]] = []
    for (start, own, level, heading), end in zip(
        bounds, [bound[0] for bound in bounds[1:]] + [len(lines)], strict=True
    ):
        above = [(other, name) for other, name in above if other < level]
        content = "\n".join(lines[start + own : end]).strip("\n\r ")
        if content:
            whole = [line.rstrip("\r") for line in lines[start:end]]
            blank = next(n for n, line in enumerate(whole) if line.strip())
            last = max(n for n, line in enumerate(whole) if line.strip())
            found.append(
                Section(
                    heading,
                    tuple(name for other, name in above if other > 1),
                    "\n".join(lines[start + blank : start + last + 1]).rstrip("\r"),
                    content,
                    start + blank + 1,
                    start + last + 1,
                )
            )
        above.append((level, heading))
    return found


def _headings(lines: list[str]) -> Iterator[tuple[int, int, int, str]]:
    """Each heading's line, from 0, how many lines it takes, its level and its text."""
    fence = ""
    in_comment = False
    before = ""
    for at, given in enumerate(lines):
        line = given.rstrip("\r")
        paragraph, before = before, ""
        if in_comment:
            in_comment = "-->" not in line
            continue
        opened = _FENCE.fullmatch(line)
        if fence:
            if opened and opened[1].startswith(fence) and not opened[2].strip():
                fence = ""
            continue
        if opened and not (opened[1][0] == "`" and "`" in opened[2]):
            fence = opened[1]
            continue
        if "<!--" in line and "-->" not in line.partition("<!--")[2]:
            in_comment = True
            continue
        heading = _HEADING.fullmatch(line)
        underline = _UNDERLINE.fullmatch(line)
        if heading:
            yield at, 1, len(heading[1]), _without_closing(heading[2] or "")
        elif underline and paragraph:
            yield at - 1, 2, 1 if underline[1][0] == "=" else 2, paragraph.strip()
        elif line.strip() and not _NO_PARAGRAPH.fullmatch(line):
            before = line


def _without_closing(heading: str) -> str:
    """`Build` for `Build ##`, but `C#` for `C#`."""
    heading = heading.strip()
    opened = heading.rstrip("#")
    return opened.rstrip() if not opened or opened[-1] in " \t" else heading
