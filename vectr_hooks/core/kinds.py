"""The kinds of notes: their order, how much of one arrives, and when it arrives without a trigger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vectr_hooks.core import states
from vectr_hooks.core.model import BOUNDARIES, KIND_SHIFT, REVISION_BITS, SUPERSEDED, UNPINNED, Clause
from vectr_hooks.core.settings import DEFAULTS

PRIORITIES = ("high", "medium", "low")
DEFAULT_KIND = "finding"
DEFAULT_PRIORITY = "medium"

_LAST_REVISION = (1 << REVISION_BITS) - 1

_Default = Callable[[str, Sequence[str]], tuple[Clause, ...]]


@dataclass(frozen=True)
class Policy:
    """How a kind is treated: `rank` orders kinds, smallest first."""

    rank: int
    cap_tokens: int | None
    """Up to which cost a note arrives in full unless configured otherwise; None: as an index line only."""
    default: _Default
    """The clauses of a note without a trigger, from its priority and its anchors."""


def _never(priority: str, anchors: Sequence[str]) -> tuple[Clause, ...]:
    return ()


def _at_boundaries(priority: str, anchors: Sequence[str]) -> tuple[Clause, ...]:
    return (Clause(0, (("event", BOUNDARIES),)),)


def _at_boundaries_if_high(priority: str, anchors: Sequence[str]) -> tuple[Clause, ...]:
    return _at_boundaries(priority, anchors) if priority == "high" else ()


def _at_anchors(priority: str, anchors: Sequence[str]) -> tuple[Clause, ...]:
    patterns = tuple(dict.fromkeys(anchor_pattern(anchor) for anchor in anchors if is_path(anchor)))
    if not patterns:
        return ()
    return (Clause(0, (("event", ("pre-edit", "post-read")), ("path", patterns))),)


def _policies(*kinds: tuple[str, _Default]) -> dict[str, Policy]:
    return {
        kind: Policy(rank, DEFAULTS[f"cap.{kind}"] or None, default)
        for rank, (kind, default) in enumerate(kinds)
    }


#: in order of precedence
KINDS = _policies(
    ("directive", _at_boundaries),
    ("task", _at_boundaries_if_high),
    ("gotcha", _at_anchors),
    ("operational", _never),
    ("finding", _never),
    ("decision", _never),
    ("reference", _never),
)


#: kinds of which a prompt may bring up a note that has no trigger
RECALLED_KINDS = ("gotcha", "operational", "finding", "decision", "reference")


def default_clauses(kind: str, priority: str, anchors: Sequence[str]) -> tuple[Clause, ...]:
    """The clauses that hold for a note without a trigger of its own; none: it waits to be recalled."""
    return KINDS[kind].default(priority, anchors)


def precedence(pinned: bool, kind: str, priority: str, revision: int, state: str = states.ACTIVE) -> int:
    """The total order as one number, smallest first: pinned, kind, priority, newest revision.

    A revoked note is a caveat, whatever it was: it stands among the gotchas, and a pin does not lift it. What
    was superseded comes last. Notes that tie (a revision belongs to one note, so none do in a store) go by
    id.
    """
    order = 0 if pinned and state == states.ACTIVE else UNPINNED
    order |= SUPERSEDED if state == states.SUPERSEDED else 0
    order |= KINDS["gotcha" if state == states.REVOKED else kind].rank << KIND_SHIFT
    order |= PRIORITIES.index(priority) << REVISION_BITS
    return order | max(_LAST_REVISION - revision, 0)


def is_path(anchor: str) -> bool:
    """Whether an anchor names a file or folder; else it names a symbol."""
    return ("/" in anchor or "." in anchor) and not any(c.isspace() or c == "(" for c in anchor)


def anchor_pattern(path: str) -> str:
    """The path pattern that matches just this file, or this folder and all below it.

    `*` and `?` keep their meaning, since who writes them means a pattern; brackets occur in real names
    (`app/[id]/page.tsx`) and are taken literally.
    """
    path = path.removeprefix("./")
    escaped = path.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    # Without an inner slash a pattern matches at any depth; a leading `!` or `#` is not part of a name.
    anchored = "/" in escaped.rstrip("/") and not escaped.startswith(("!", "#"))
    return escaped if anchored else "/" + escaped
