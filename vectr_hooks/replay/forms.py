"""Tells an event whose record is not of the form in which hooks write it."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping

from vectr_hooks.store.damage import is_number, is_text
from vectr_hooks.store.journal import Event, is_sound


def is_damaged(event: Event) -> bool:
    """Whether a fact of `event` or a part of its outcomes is not what it can be."""
    facts = event.facts
    return (
        not is_sound(event)
        or any(name in facts and not is_so(facts[name]) for name, is_so in _FACTS.items())
        # Whatever has a moment has a day.
        or (bool(facts.get("moments")) and "today" not in facts)
    )


def _is_day(value: object) -> bool:
    try:
        datetime.date.fromisoformat(str(value))
    except ValueError:
        return False
    return True


def _list_of(is_so: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(map(is_so, value))


_texts = _list_of(is_text)
_numbers = _list_of(is_number)


def _are_pairs(value: object) -> bool:
    return isinstance(value, list) and _texts(value) and not len(value) % 2


def _are_marks(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_numbers, value.values()))


def _is_work(value: object) -> bool:
    sorts = {"edited": _texts, "failed": is_text, "passed": is_text, "tasks": _numbers}
    return isinstance(value, Mapping) and all(
        name in sorts and sorts[name](told) for name, told in value.items()
    )


#: per fact that is replayed, what its value can be
_FACTS: Mapping[str, Callable[[object], bool]] = {
    **dict.fromkeys(
        (
            "what",
            "source",
            "command",
            "tool",
            "subagent",
            "branch",
            "prompt_id",
            "worktree",
            "parent",
            "not_compared",
        ),
        is_text,
    ),
    **dict.fromkeys(("moments", "needles", "fresh", "slow", "held", "programs"), _texts),
    **dict.fromkeys(("recalled", "announced", "similar"), _numbers),
    "targets": _are_pairs,
    "today": _is_day,
    "marks": _are_marks,
    "withheld": _are_marks,
    "work": _is_work,
    "nudge": is_number,
}
