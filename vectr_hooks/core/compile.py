"""Turns a clause into what an index can answer: the keys under which an event finds it.

A clause is filed under the alternatives of one of its conditions, since all of them must hold: the one that
the fewest events can hit. `core/keys.py` gives the keys of an event.
"""

from __future__ import annotations

from collections.abc import Callable

from vectr_hooks.core.conditions import is_about_one_thing
from vectr_hooks.core.globs import split_glob, split_pattern
from vectr_hooks.core.keys import ANY_PATH, JOINED, extension
from vectr_hooks.core.keywords import keyword_token
from vectr_hooks.core.model import PROMPT_SUBMIT, Clause
from vectr_hooks.core.needles import KEYWORD, MEANING, OUTPUT, SYMBOL, is_pattern
from vectr_hooks.core.patterns import literal_word

#: the conditions that look for needles, each with the sort of its own
SORTS = {"keyword": KEYWORD, "symbol": SYMBOL, "output": OUTPUT}
#: keys that say only that there is a path, a command, a tool, a subagent, an event
RESIDUAL = frozenset((ANY_PATH, "$*", "t*", "a*", "*"))


def clause_keys(clause: Clause) -> tuple[str, ...]:
    """The keys of the most telling condition; with a residual one only if no condition is without."""
    named = dict(clause.conditions)
    alone = is_about_one_thing(named)
    if "path" in named:
        # Beside a path the symbol may stand in the file, which is looked into only for what was found.
        named.pop("symbol", None)
    answers = [
        tuple(
            dict.fromkeys(
                ("" if alone or name not in SORTS else JOINED) + key(value) for value in named[name]
            )
        )
        for name, key in _TELLING
        if name in named
    ]
    return next((keys for keys in answers if RESIDUAL.isdisjoint(keys)), answers[0] if answers else ("*",))


def clause_needles(clause: Clause) -> tuple[tuple[str, str], ...]:
    """(token, needle) of everything that texts must be searched for, also what stands under `unless`.

    One is for being compared with prompts at all.
    """
    found = [
        (SORTS[name] + index_token(name, value), SORTS[name] + value)
        for name, values in (*clause.conditions, *clause.unless)
        if name in SORTS
        for value in values
    ]
    if any(name == "semantic" for name, _ in clause.conditions):
        found.append((MEANING, MEANING))
    return tuple(dict.fromkeys(found))


def index_token(name: str, value: str) -> str:
    """The token that any text with `value` holds; '' where there is none, so that every text is searched."""
    if name == "output" and is_pattern(value):
        return literal_word(value[1:-1])
    return keyword_token(value)


def is_residual(clause: Clause) -> bool:
    """Whether every event of some broad sort has to look at the clause."""
    unindexed = {needle for token, needle in clause_needles(clause) if token in SORTS.values()}
    keys = {key.removeprefix(JOINED) for key in clause_keys(clause)}
    return not (RESIDUAL | unindexed).isdisjoint(keys)


def pattern_key(pattern: str) -> str:
    """Name the one key under which a path pattern is indexed, the most selective it allows.

    In order: the literal path or its leading folders (`=src/db`), the last literal component (`/name`),
    an extension (`.py`), and the key of every path. One leading folder says less than a later literal.
    """
    segments, _ = split_pattern(pattern)
    literals = [_literal(segment) for segment in segments]
    leading = []
    for literal in literals:
        if literal is None:
            break
        leading.append(literal)
    named = [literal for literal in literals if literal is not None]
    if len(leading) > 1 or (leading and len(named) == 1):
        return "=" + "/".join(leading)
    if named:
        return "/" + named[-1]
    for segment in reversed(segments):
        ending = extension(_literal_tail(segment))
        if ending:
            return ending
    return ANY_PATH


def _literal(segment: str) -> "str | None":
    """Return the one name that a segment fits, without its escapes; None if it fits several."""
    chunks = split_glob(segment)
    if chunks is None or len(chunks) > 1:
        return None
    return chunks[0] if isinstance(chunks[0], str) else None


def _literal_tail(segment: str) -> str:
    """Return the plain text in which every name that the segment fits ends."""
    chunks = split_glob(segment)
    tail = ""
    for item in reversed(chunks[-1] if chunks else ""):
        if not isinstance(item, str):
            break
        tail = item + tail
    return tail


def _command_key(command: str) -> str:
    return _named("$", command.split(" ", 1)[0])


def _named(prefix: str, name: str) -> str:
    """The key of a literal name; of a glob, the residual key."""
    return prefix + ("*" if any(c in name for c in "*?[\\") else name)


# `event` stands behind conditions that name something, and before one that is only a glob: see `clause_keys`.
_TELLING: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("path", pattern_key),
    ("command", _command_key),
    ("keyword", (KEYWORD + "{}").format),
    ("symbol", (SYMBOL + "{}").format),
    ("output", (OUTPUT + "{}").format),
    ("semantic", lambda _: "@" + PROMPT_SUBMIT),
    ("tool", lambda tool: _named("t", tool)),
    ("subagent", lambda subagent: _named("a", subagent)),
    ("event", "@{}".format),
)
