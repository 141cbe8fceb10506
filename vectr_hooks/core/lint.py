"""Points out what will make a note useless: one that says nothing, cannot arrive, or arrives always."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from vectr_hooks.core.compile import is_residual
from vectr_hooks.core.conditions import SEMANTIC, ten_thousandths
from vectr_hooks.core.describe import describe_clause
from vectr_hooks.core.grammar import Trigger
from vectr_hooks.core.keywords import UNSPACED_BLOCKS
from vectr_hooks.core.model import MOMENTS, Clause

POINTER, CAP, TITLE, ALWAYS, NEVER, RESIDUAL, DUPLICATE, CLOSE, WAS_REVOKED = (
    *("pointer", "over-cap", "title", "always", "never", "residual", "duplicate", "close", "revoked"),
)

# A place: an address, an issue, a path, or a file's name, perhaps with lines.
_PLACE = re.compile(
    r"(?:https?://\S+|#[0-9]+|[\w.~@+*-]*/[\w./@+*-]*|[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7})"
    r"(?::[0-9]+(?:[:-][0-9]+)?|#L[0-9]+(?:-L?[0-9]+)?)?"
)
_LINES = re.compile(r"L?[0-9]+(?:[-–]L?[0-9]+)?")
# Words that lead to a place and say nothing about it.
_LEADING = re.compile(
    "a|also|and|are|around|at|cf|check|code|consult|defined|described|details|documented|explained|file|files|from|"
    "here|in|info|information|into|is|it|its|lines?|look|more|on|or|out|please|read|refer|see|source|that|the|"
    "there|this|to",
    re.IGNORECASE,
)
_LONGEST_POINTER = 300

# Words that announce a fact and are none.
_LABEL = re.compile(
    "attention|caution|danger|fact|finding|fixme|fyi|gotcha|heads|hints?|important|info|information|memo|misc|nb|"
    "notes?|notice|observation|please|read|reference|remember|reminder|rules?|self|summary|task|the|this|tips?|to|"
    "todos?|up|updates?|various|very|warnings?"
)
_UNSPACED = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED_BLOCKS) + "]")
# `PORT=8080` and `tabs-not-spaces` are one word, and say something.
_TELLING_SIGN = re.compile(r"\w\s*[=<>:→]+\s*\S|\w-\w")
_FEWEST_UNSPACED = 4

# Of prompts about something else 3 to 10 in a thousand come as near to a note as this, and 30 to 60 as near
# as 0.2; of those about it in other words a third, and four fifths (`benchmarks/recall`).
_NEAR = "0.3"
# What says little beside a similarity.
_LITTLE = frozenset((SEMANTIC, "event", "branch"))

_ANY_PATH = frozenset(("*", "**", "**/*", "**/**", "/*", "/**"))


@dataclass(frozen=True)
class Remark:
    """Something about a note that its author should know; it may be meant all the same."""

    code: str
    text: str
    hint: str


@dataclass(frozen=True)
class Alike:
    """Another note that says much the same."""

    name: str
    """Such as `#12`."""
    in_what: str
    """`body`, `title`, or `words`: most of the telling words."""
    revoked: str = ""
    """Why it is revoked; '' where it is not."""


class Linted(Protocol):
    """What of a note is looked at."""

    @property
    def title(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def trigger(self) -> Trigger | None: ...
    @property
    def clauses(self) -> Sequence[Clause]: ...


def remarks(
    note: Linted,
    cost_tokens: int,
    settings: Mapping[str, int | bool],
    today: str,
    alike: Alike | None = None,
) -> list[Remark]:
    """Everything to point out about `note`, whose full text costs `cost_tokens`.

    `settings` are those in force, `today` is YYYY-MM-DD.
    """
    return [
        *_about_text(note),
        *_about_size(note.kind, cost_tokens, settings),
        *_about_trigger(note, today),
        *(_about_other(alike) if alike else ()),
    ]


def _about_text(note: Linted) -> Iterator[Remark]:
    if _is_pointer(note.title):
        yield Remark(
            POINTER,
            f'"{note.title}" only says where to look',
            "store what was found there: a note arrives whole, a pointer has to be followed",
        )
    # Where to look is what a reference is for, as long as its title says what is there.
    elif _is_pointer(note.body) and note.kind != "reference":
        yield Remark(POINTER, "the body only says where to look", "store what was found there")
    elif not _carries_a_fact(note.title):
        yield Remark(
            TITLE,
            f'the title "{note.title}" carries no fact',
            "an index line shows the title alone: give the fact in it, or in the first sentence",
        )


def _is_pointer(text: str) -> bool:
    """Whether `text` is nothing but places and words that lead to them."""
    if len(text) > _LONGEST_POINTER:
        return False
    words = [word.strip("`'\"()<>[],;!?").rstrip(".:") for word in text.split()]
    places = [bool(_PLACE.fullmatch(word)) for word in words]
    return any(places) and all(
        place or not word or _LEADING.fullmatch(word) or _LINES.fullmatch(word)
        for word, place in zip(words, places, strict=True)
    )


def _carries_a_fact(title: str) -> bool:
    if title.rstrip().endswith((":", "：")):
        return False
    unspaced = len(_UNSPACED.findall(title))
    if unspaced >= _FEWEST_UNSPACED or _TELLING_SIGN.search(title):
        return True
    words = re.findall(r"\w+", title.lower())
    if len(title.split()) < 2 or not words:
        return False
    return not all(map(_LABEL.fullmatch, words))


def _about_size(kind: str, cost_tokens: int, settings: Mapping[str, int | bool]) -> Iterator[Remark]:
    cap = settings[f"cap.{kind}"]
    # A cap of nothing is the policy of a kind, not the fault of a note.
    if 0 < cap < cost_tokens:
        yield Remark(
            CAP,
            f"costs {cost_tokens} tokens, more than the {cap} of a {kind}: "
            "it can only arrive as an index line, its title",
            f"split it, or raise `cap.{kind}` with `vectr-hooks config set`",
        )


def _about_trigger(note: Linted, today: str) -> Iterator[Remark]:
    if note.trigger and note.trigger.expires and note.trigger.expires < today:
        yield Remark(
            NEVER, f"it expired on {note.trigger.expires}: it can never arrive", "give a later `expires`"
        )
    for clause in note.clauses:
        conditions, unless = dict(clause.conditions), dict(clause.unless)
        if unless and all(_always(name, values, conditions) for name, values in unless.items()):
            yield Remark(
                NEVER,
                f'the clause "{describe_clause(clause)}" can never hold: its `unless` always does',
                "say in `unless` when the note is not wanted",
            )
        elif not unless and all(_is_any(name, values) for name, values in conditions.items()):
            yield Remark(
                ALWAYS,
                f'the clause "{describe_clause(clause)}" holds at every event of that sort',
                "name the place, the words or the command that make it matter; what is to be known always "
                "is a directive",
            )
        elif _is_near_to_many(conditions):
            yield Remark(
                ALWAYS,
                f'the clause "{describe_clause(clause)}" holds for many a prompt about something else',
                f"ask for {_NEAR} or more, or for a keyword as well",
            )
        elif is_residual(clause):
            yield Remark(
                RESIDUAL,
                f'no index finds the clause "{describe_clause(clause)}", '
                "so hooks look at it at every event of that sort",
                "a path, command or tool that does not start with a wildcard would be found",
            )


def _is_near_to_many(conditions: Mapping[str, Sequence[str]]) -> bool:
    """Whether a similarity is nearly all that is asked for, and not much of it."""
    return (
        SEMANTIC in conditions
        and _LITTLE.issuperset(conditions)
        and ten_thousandths(conditions[SEMANTIC][0]) < ten_thousandths(_NEAR)
    )


def _is_any(name: str, values: Sequence[str]) -> bool:
    """Whether the condition holds wherever there is something that it could be about."""
    if name == "event":
        return set(values) == set(MOMENTS)
    if name == "path":
        return not _ANY_PATH.isdisjoint(values)
    return name in ("command", "tool", "branch") and "*" in values


def _always(name: str, values: Sequence[str], conditions: Mapping[str, object]) -> bool:
    """Whether the condition holds whenever all of `conditions` do."""
    if not _is_any(name, values):
        return False
    there_is_a_tool = not conditions.keys().isdisjoint(("path", "command", "tool"))
    return name == "event" or name in conditions or (name == "tool" and there_is_a_tool)


def _about_other(alike: Alike) -> Iterator[Remark]:
    if alike.revoked:
        yield Remark(
            WAS_REVOKED,
            f'{alike.name} SAID THIS AND WAS REVOKED: "{alike.revoked}"',
            "if it holds after all, `vectr-hooks reinstate` that one instead of storing it again",
        )
    elif alike.in_what == "body":
        yield Remark(DUPLICATE, f"{alike.name} says the same", "change that one, or leave this out")
    elif alike.in_what == "title":
        yield Remark(
            DUPLICATE,
            f"{alike.name} has the same title",
            "index lines show titles alone: tell them apart, or change that one",
        )
    else:
        yield Remark(
            CLOSE,
            f"{alike.name} says much the same",
            "change that one, or give this in its place by --supersedes",
        )
