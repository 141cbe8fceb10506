"""What a file defines and what it refers to, whatever it is written in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from vectr_hooks.search.languages import GRAMMARS, MARKDOWN, PYTHON, RESTRUCTURED_TEXT, TEXT


@dataclass
class Definition:
    """A definition and those within it. Lines count from 1."""

    qualified: str
    """The name after those of what it is defined in: `Class.method`, whatever the language joins them by."""
    kind: str
    first: int
    last: int
    line: int
    """Where the name stands."""
    inner: list[Definition] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.qualified.rpartition(".")[2]


@dataclass
class Outline:
    """The outermost definitions of a file in order, and the lines where it refers to each name."""

    definitions: list[Definition]
    references: dict[str, set[int]] = field(default_factory=dict)


def outline(language: str, text: str) -> Outline | None:
    """Find the definitions in `text`; None where it does not parse, or its language is not known."""
    if language == PYTHON:
        from vectr_hooks.search.python_outline import python_outline

        return python_outline(text)
    if language in GRAMMARS:
        from vectr_hooks.search.tree_outline import tree_outline

        return tree_outline(language, text)
    if language in (MARKDOWN, RESTRUCTURED_TEXT, TEXT):
        from vectr_hooks.search.prose_outline import markdown_outline, underlined_outline

        return markdown_outline(text) if language == MARKDOWN else underlined_outline(text)
    return None


def all_of(definitions: Iterable[Definition]) -> Iterator[Definition]:
    """Every definition with those within it, in order."""
    ahead = list(definitions)[::-1]
    while ahead:
        definition = ahead.pop()
        yield definition
        ahead.extend(reversed(definition.inner))
