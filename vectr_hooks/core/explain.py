"""Says of each condition of a clause what it asks for, what the event had of it, and whether it holds.

`core/pipeline.py` is the judge; this shows what it saw, and agrees with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from vectr_hooks.core.conditions import (
    EVENT,
    SCALE,
    SEMANTIC,
    SUBAGENT,
    check_of,
    implied_moments,
    near_enough,
    not_compared,
    seen_by,
)
from vectr_hooks.core.keys import JOINED
from vectr_hooks.core.model import Clause, Facts
from vectr_hooks.core.needles import FILE_SYMBOL, KEYWORD, OUTPUT, SYMBOL

Moments = tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """One condition, read against the facts of an event."""

    condition: str
    expected: tuple[str, ...]
    """Any of these; none for an implied condition: any moment, or the main conversation."""
    seen: tuple[str, ...]
    """What the event had to compare with."""
    holds: bool | None
    """None: what is known of the event does not say."""
    matched: str = ""
    """The one of `expected` that holds."""
    implied: bool = False
    """The clause does not say it; leaving the condition out means it."""


@dataclass(frozen=True)
class ClauseReading:
    """A clause, read condition by condition."""

    number: int
    conditions: tuple[Reading, ...]
    unless: tuple[Reading, ...]
    recorded: bool | None = None
    """Whether it held when a hook judged it, where that was recorded: this decides."""

    @property
    def vetoed(self) -> bool | None:
        return _all(reading.holds for reading in self.unless) if self.unless else False

    @property
    def holds(self) -> bool | None:
        if self.recorded is not None:
            return self.recorded
        vetoed = self.vetoed
        return _all([*(reading.holds for reading in self.conditions), None if vetoed is None else not vetoed])


def read_clause(clause: Clause, facts: Facts, partial: Collection[str] = ()) -> ClauseReading:
    """Read `clause` against `facts`, of which the conditions named in `partial` could see more at the time.

    Where no moment is one the clause allows, its other conditions are read at those that the event is: of a
    right file at a wrong moment both are said.
    """
    named = dict(clause.conditions)
    seen_facts = seen_by(clause, facts)
    allowed = named.get(EVENT) or implied_moments(named)
    moments = facts.moments if allowed is None else tuple(m for m in facts.moments if m in allowed)
    implied = []
    if EVENT not in named:
        implied.append(Reading(EVENT, allowed or (), facts.moments, bool(moments), implied=True))
    if SUBAGENT not in named:
        seen = _seen(SUBAGENT, facts, ())
        implied.append(Reading(SUBAGENT, (), seen, not facts.subagent, implied=True))
    return ClauseReading(
        clause.number,
        (
            *implied,
            *(
                _read(*one, named, seen_facts, moments or facts.moments, partial)
                if one[0] != SEMANTIC
                else _read_similarity(one[1], facts, clause.note)
                for one in clause.conditions
            ),
        ),
        tuple(_read(*one, {}, facts, facts.moments, partial) for one in clause.unless),
    )


def as_recorded(reading: ClauseReading, held: bool) -> ClauseReading:
    """Correct `reading` by what a hook that saw the whole event recorded of the clause.

    A clause that held had every condition, also one that what is kept no longer shows.
    """
    if not held:
        return replace(reading, recorded=False)
    conditions = tuple(replace(condition, holds=True) for condition in reading.conditions)
    unless = reading.unless
    if reading.vetoed is not False:
        unless = tuple(replace(condition, holds=None) for condition in unless)
    return replace(reading, conditions=conditions, unless=unless, recorded=True)


def _read(
    name: str,
    values: tuple[str, ...],
    beside: Mapping[str, tuple[str, ...]],
    facts: Facts,
    moments: Moments,
    partial: Collection[str],
) -> Reading:
    """Read one condition; `beside` are the conditions of its clause, itself among them."""
    if name == EVENT:
        found = next((value for value in values if value in moments), None)
        return Reading(name, values, facts.moments, found is not None, found or "")
    found = check_of(name, beside)(values, facts, moments)
    holds = None if found is None and name in partial else found is not None
    return Reading(name, values, _seen(name, facts, moments), holds, found or "")


def _read_similarity(values: tuple[str, ...], facts: Facts, note: int) -> Reading:
    found = near_enough(values, facts, note)
    # Why it is not known stands in brackets where it follows the condition's name.
    near = f"{facts.similar[note] / SCALE:.4f}" if note in facts.similar else not_compared(facts, note)[2:-1]
    return Reading(SEMANTIC, values, (near,), found is not None, found or "")


def _all(answers: Iterable[bool | None]) -> bool | None:
    """Whether all are true: not when one is false, unknown when one of the others is."""
    known = list(answers)
    if False in known:
        return False
    return None if None in known else True


def _needles(facts: Facts, *sorts: str) -> tuple[str, ...]:
    return tuple(sorted({needle[1:] for needle in facts.needles if needle[0] in sorts}))


def _seen(name: str, facts: Facts, moments: Moments) -> tuple[str, ...]:
    return _SEEN[name](facts, moments) if name in _SEEN else ()


#: per condition, what of the facts at some moments it compares with
_SEEN: dict[str, Callable[[Facts, Moments], tuple[str, ...]]] = {
    "path": lambda facts, moments: tuple(
        dict.fromkeys(path for moment, path in facts.targets if moment in moments)
    ),
    "keyword": lambda facts, moments: _needles(facts, KEYWORD),
    "symbol": lambda facts, moments: _needles(facts, SYMBOL, FILE_SYMBOL),
    "output": lambda facts, moments: _needles(facts, OUTPUT),
    "command": lambda facts, moments: tuple(" ".join(words) for words in facts.commands),
    "tool": lambda facts, moments: (facts.tool,) if facts.tool else (),
    SUBAGENT: lambda facts, moments: (facts.subagent,) if facts.subagent else (),
    "branch": lambda facts, moments: (facts.branch,) if facts.branch else (),
}


#: which rule an outcome is of, by its status and the start of its reason; the first that fits
_RULES = (
    ("out of scope", "not before", "dates"),
    ("out of scope", "", "scope"),
    ("expired", "", "dates"),
    ("unmatched", "", "unmatched"),
    ("suppressed", "turn:", "turn"),
    ("suppressed", "ledger: max_deliveries", "max_deliveries"),
    ("suppressed", "ledger: already delivered in this epoch (cooldown", "cooldown"),
    ("suppressed", "", "ledger"),
    ("held back", "recall:", "recall"),
    ("held back", "withheld:", "withheld"),
    ("held back", "", "budget"),
)


def rule(status: str, reason: str) -> str:
    """Name the rule behind an outcome that is not `delivered`; where none is known, its status."""
    return next(
        (name for state, start, name in _RULES if state == status and reason.startswith(start)), status
    )


_KEYS_IN_WORDS = {
    "*": "any event",
    "p*": "any file",
    "$*": "any command",
    "t*": "any tool",
    "a*": "any subagent",
}
_KEY_FORMS = {
    "=": "the path {}",
    "/": "the name {}",
    ".": "files ending in .{}",
    "$": "the command {}",
    "w": "the keyword {}",
    "s": "the symbol {}",
    "o": "the output {}",
    "&w": "the keyword {} in the turn's prompt",
    "&s": "the symbol {}, there or in the turn's prompt",
    "&o": "the output {}",
    "t": "the tool {}",
    "a": "the subagent {}",
    "@": "the moment {}",
}


def key_in_words(key: str) -> str:
    """What an event must have to hit the index key `key`; the key itself for a form not known here."""
    if key in _KEYS_IN_WORDS:
        return _KEYS_IN_WORDS[key]
    length = 2 if key.startswith(JOINED) else 1
    return _KEY_FORMS[key[:length]].format(key[length:]) if key[:length] in _KEY_FORMS else key


def can_nearly_hold(clause: Clause) -> bool:
    """Whether something is left of the clause when one of its conditions fails."""
    return len(clause.conditions) > 1 or bool(clause.unless)


def near_miss(reading: ClauseReading) -> Reading | None:
    """The one condition for which a clause did not hold; None where there is no such, or it is not known.

    Of an `unless`, whose conditions veto together, the first stands for all.
    """
    if any(one.holds is None for one in (*reading.conditions, *reading.unless)):
        return None
    failed = [one for one in reading.conditions if not one.holds]
    if not failed:
        return reading.unless[0] if reading.vetoed else None
    if len(failed) > 1 or reading.vetoed:
        return None
    says = [one for one in reading.conditions if not one.implied and one.holds]
    # A moment, a tool or a branch and a failure are in common with a large part of all events.
    return failed[0] if any(one.condition not in IN_COMMON for one in says) else None


IN_COMMON = (EVENT, "tool", SUBAGENT, "branch")
