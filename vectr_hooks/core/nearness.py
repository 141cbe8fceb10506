"""Which of many clauses an event comes near to: all their conditions but one may hold at it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from vectr_hooks.core.conditions import EVENT, SUBAGENT
from vectr_hooks.core.explain import IN_COMMON
from vectr_hooks.core.globs import match_glob, match_path
from vectr_hooks.core.model import Clause, Facts
from vectr_hooks.core.needles import FILE_SYMBOL, KEYWORD, OUTPUT, SYMBOL

# Sessions come back to the same files.
KNOWN_TEXTS = 20_000


class Nearness:
    """A number of clauses, each a bit of a number: what fails of all of them is told by a few operations."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._all = (1 << len(clauses)) - 1
        #: per condition: the clauses that have it, those about nothing else, how to tell where it may hold
        self._conditions: list[tuple[int, int, Callable[[Facts], int]]] = []
        for name, told in _HOLDING.items():
            values = [
                (1 << place, dict(clause.conditions)[name])
                for place, clause in enumerate(clauses)
                if any(name == other for other, _ in clause.conditions)
            ]
            if values:
                alone = _union(bit for bit, _ in values if _is_alone(name, clauses[bit.bit_length() - 1]))
                self._conditions.append((_union(bit for bit, _ in values), alone, told(values)))

    def at(self, facts: Facts) -> Iterator[int]:
        """Give the places of the clauses that the event may be near to: too many, never too few."""
        failed_once = failed_twice = nothing_left = 0
        for asked, alone, holding in self._conditions:
            failed = asked & ~holding(facts)
            failed_twice |= failed_once & failed
            failed_once |= failed
            nothing_left |= alone & failed
        near = self._all & ~(failed_twice | nothing_left)
        while near:
            lowest = near & -near
            yield lowest.bit_length() - 1
            near ^= lowest


_Values = Sequence[tuple[int, tuple[str, ...]]]


def _is_alone(name: str, clause: Clause) -> bool:
    """Whether nothing that tells one event from another is left of `clause` when this condition fails."""
    return all(other == name or other in IN_COMMON for other, _ in clause.conditions)


def _union(bits: Iterable[int]) -> int:
    union = 0
    for bit in bits:
        union |= bit
    return union


def _by_value(values: _Values, *sorts: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for bit, wanted in values:
        for key in (sort + value for value in wanted for sort in sorts):
            found[key] = found.get(key, 0) | bit
    return found


def _moments(values: _Values) -> Callable[[Facts], int]:
    by_moment = _by_value(values, "")
    return lambda facts: _union([by_moment.get(moment, 0) for moment in facts.moments])


def _needles(*sorts: str) -> Callable[[_Values], Callable[[Facts], int]]:
    def told(values: _Values) -> Callable[[Facts], int]:
        by_needle = _by_value(values, *sorts)
        return lambda facts: _union([by_needle.get(needle, 0) for needle in facts.needles])

    return told


def _matching(
    match: Callable[[str, str], bool], texts: Callable[[Facts], Iterable[str]]
) -> Callable[[_Values], Callable[[Facts], int]]:
    def told(values: _Values) -> Callable[[Facts], int]:
        @lru_cache(maxsize=KNOWN_TEXTS)
        def of_text(text: str) -> int:
            return _union(bit for bit, globs in values if any(match(glob, text) for glob in globs))

        return lambda facts: _union(map(of_text, texts(facts)))

    return told


def _where(is_there: Callable[[Facts], object]) -> Callable[[_Values], Callable[[Facts], int]]:
    def told(values: _Values) -> Callable[[Facts], int]:
        every = _union(bit for bit, _ in values)
        return lambda facts: every if is_there(facts) else 0

    return told


#: per condition, how to tell from its values in a number of clauses in which of them it may hold
_HOLDING: dict[str, Callable[[_Values], Callable[[Facts], int]]] = {
    EVENT: _moments,
    "path": _matching(match_path, lambda facts: [path for _, path in facts.targets]),
    "command": _where(lambda facts: facts.commands),
    "keyword": _needles(KEYWORD),
    "symbol": _needles(SYMBOL, FILE_SYMBOL),
    "output": _needles(OUTPUT),
    "tool": _matching(match_glob, lambda facts: (facts.tool,) if facts.tool else ()),
    SUBAGENT: _where(lambda facts: facts.subagent),
}
