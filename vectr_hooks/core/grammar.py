"""Reads a trigger from plain values, as YAML and JSON give them, and gives it back."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vectr_hooks.core.condition_values import read_values, shown
from vectr_hooks.core.conditions import SEMANTIC
from vectr_hooks.core.model import BOUNDARIES, PROMPT_SUBMIT, SUBAGENT_START, Clause
from vectr_hooks.core.nearest import allowed_hint
from vectr_hooks.errors import VectrHooksError

#: in the order in which a clause holds them
CONDITIONS = (
    *("event", "path", "symbol", "output", "command", "keyword", "tool", "subagent", "branch"),
    SEMANTIC,
)
TEMPORAL = ("cooldown", "not_before", "expires", "max_deliveries")

# At these moments no tool is used, so there is no file, command line or tool name.
_WITHOUT_TOOL = frozenset((*BOUNDARIES, PROMPT_SUBMIT, SUBAGENT_START))
_OF_A_TOOL = ("path", "command", "tool")
# What no prompt has that a person submits.
_NOT_OF_A_PROMPT = (*_OF_A_TOOL, "output", "subagent")
_WITH_RESULT = frozenset(("post-read", "post-edit", "post-run", "post-failure"))
_LARGEST_COUNT = 1_000_000_000
_DATE = "YYYY-MM-DD, in UTC"
_SHAPE = 'a clause is a mapping such as {path: "src/db/**", event: pre-edit}'


@dataclass(frozen=True, eq=False)
class Trigger:
    """When a note is delivered: at any of its clauses, as far as the temporal fields let it."""

    clauses: tuple[Clause, ...]
    cooldown: int | None = None
    not_before: str = ""
    expires: str = ""
    max_deliveries: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trigger) and trigger_value(self) == trigger_value(other)

    def __hash__(self) -> int:
        return hash(tuple((clause.conditions, clause.unless) for clause in self.clauses))


def parse_trigger(value: object) -> Trigger:
    """Read a trigger or refuse it, naming what is wrong and what is allowed.

    It may be given as a list of clauses; as one clause, with the temporal fields beside its conditions; as
    `{clauses: …}` with the temporal fields beside; or as a document `{trigger: …}` with the temporal fields
    beside and any of the former under the key. Inside a list a clause has no temporal fields: they belong to
    the trigger.
    """
    clauses, temporal = _unfold(value, ("trigger", "clauses"))
    if not clauses:
        raise VectrHooksError("the trigger has no clauses", _SHAPE)
    trigger = Trigger(
        clauses=tuple(_clause(n, clause, len(clauses)) for n, clause in enumerate(clauses)),
        cooldown=_count(temporal, "cooldown"),
        not_before=_date(temporal, "not_before"),
        expires=_date(temporal, "expires"),
        max_deliveries=_count(temporal, "max_deliveries"),
    )
    if trigger.expires and trigger.not_before > trigger.expires:
        raise VectrHooksError(
            f"`not_before` {trigger.not_before} is after `expires` {trigger.expires}",
            "both days are included: `not_before` is the earlier one",
        )
    return trigger


def trigger_value(trigger: Trigger) -> dict[str, object]:
    """The one plain form of a trigger: `clauses`, with values in lists, and the temporal fields it has."""
    value: dict[str, object] = {"clauses": [_clause_value(clause) for clause in trigger.clauses]}
    temporal = {name: getattr(trigger, name) for name in TEMPORAL}
    return value | {name: given for name, given in temporal.items() if given}


def stored_trigger(value: Mapping[str, Any], note: int = 0) -> Trigger:
    """The trigger of `note` of which `value` is the plain form; it was read, and refused if wrong, before."""
    clauses = tuple(
        Clause(
            number,
            # From lists, not one by one: a listing reads the triggers of all notes.
            tuple([(name, tuple(values)) for name, values in clause.items() if name != "unless"]),
            tuple([(name, tuple(values)) for name, values in clause.get("unless", {}).items()]),
            note,
        )
        for number, clause in enumerate(value["clauses"])
    )
    return Trigger(clauses, **{name: value[name] for name in TEMPORAL if name in value})


def _clause_value(clause: Clause) -> dict[str, object]:
    value: dict[str, object] = {name: list(values) for name, values in clause.conditions}
    if clause.unless:
        value["unless"] = {name: list(values) for name, values in clause.unless}
    return value


def _unfold(value: object, wrappers: tuple[str, ...]) -> tuple[list[object], dict[str, object]]:
    """Take `value` apart into clauses, not yet read, and temporal fields."""
    if isinstance(value, (list, tuple)):
        return list(value), {}
    if not isinstance(value, Mapping):
        raise VectrHooksError(f"a trigger is a clause or a list of clauses, not {shown(value)}", _SHAPE)
    temporal = {name: value[name] for name in TEMPORAL if name in value}
    rest = {name: given for name, given in value.items() if name not in temporal}
    if not rest:
        named = ", ".join(f"`{name}`" for name in temporal) or "nothing"
        raise VectrHooksError(f"a trigger needs a clause, this one has {named}", _SHAPE)
    wrapper = next((name for name in wrappers if name in rest), None)
    if wrapper is None:
        return [rest], temporal
    for name in rest:
        if name != wrapper:
            raise VectrHooksError(
                f"`{name}` cannot stand beside `{wrapper}`",
                allowed_hint(str(name), TEMPORAL, "allowed there"),
            )
    clauses, inner = _unfold(rest[wrapper], wrappers[wrappers.index(wrapper) + 1 :])
    for name in inner:
        if name in temporal:
            raise VectrHooksError(f"`{name}` is given twice", f"give it once, beside `{wrapper}`")
    return clauses, temporal | inner


def _clause(number: int, value: object, of: int) -> Clause:
    where = f"clause {number + 1}: " if of > 1 else ""
    try:
        if not isinstance(value, Mapping):
            raise VectrHooksError(f"a clause is a mapping, not {shown(value)}", _SHAPE)
        conditions = _conditions(
            {name: given for name, given in value.items() if name != "unless"}, ("unless",)
        )
        unless = _unless(value["unless"]) if "unless" in value else ()
        if not conditions:
            raise VectrHooksError(
                "it has only `unless`" if unless else "it is empty", f"conditions: {', '.join(CONDITIONS)}"
            )
        _refuse_impossible(dict(conditions), dict(unless))
    except VectrHooksError as error:
        raise VectrHooksError(where + error.message, error.hint) from None
    return Clause(number, conditions, unless)


def _unless(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping) or not value:
        given = shown(value) if value else "nothing"
        raise VectrHooksError(f"`unless` holds conditions, not {given}", "for example {branch: main}")
    if SEMANTIC in value:
        raise VectrHooksError(
            f"`unless`: `{SEMANTIC}` cannot veto", "say with another condition what the note is not for"
        )
    try:
        return _conditions(value, ())
    except VectrHooksError as error:
        raise VectrHooksError(f"`unless`: {error.message}", error.hint) from None


def _conditions(
    given: Mapping[object, object], others: tuple[str, ...]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    for name in given:
        if name in TEMPORAL:
            raise VectrHooksError(
                f"`{name}` belongs to the whole trigger", "put it beside the list of clauses"
            )
        if name not in CONDITIONS:
            raise VectrHooksError(
                f"unknown condition {shown(name)}", allowed_hint(str(name), CONDITIONS + others)
            )
    return tuple((name, read_values(name, given[name])) for name in CONDITIONS if name in given)


def _refuse_impossible(named: dict[str, tuple[str, ...]], unless: dict[str, tuple[str, ...]]) -> None:
    """Refuse a clause that can never hold, where that is certain."""
    events = set(named.get("event", ()))
    for name in _OF_A_TOOL:
        if events and name in named and events <= _WITHOUT_TOOL:
            raise VectrHooksError(
                f"`{name}` can never hold at {' or '.join(named['event'])}",
                "it needs a moment of a tool, like pre-edit, post-read or pre-run; or leave out `event`",
            )
    if events and "output" in named and events.isdisjoint(_WITH_RESULT):
        raise VectrHooksError(
            f"`output` can never hold at {' or '.join(named['event'])}",
            f"a tool has a result at {', '.join(sorted(_WITH_RESULT))}; or leave out `event`",
        )
    if SEMANTIC in named:
        if events and PROMPT_SUBMIT not in events:
            raise VectrHooksError(
                f"`{SEMANTIC}` can never hold at {' or '.join(named['event'])}",
                f"a prompt is compared, at {PROMPT_SUBMIT}; or leave out `event`",
            )
        for name in _NOT_OF_A_PROMPT:
            if name in named:
                raise VectrHooksError(
                    f"`{name}` can never hold together with `{SEMANTIC}`",
                    "a prompt is compared, and it has none of that: make them two clauses",
                )
    if events == {SUBAGENT_START} and "subagent" not in named:
        raise VectrHooksError(
            "without `subagent` a note is for the main conversation only",
            f'at {SUBAGENT_START} say for which, for example subagent: "*"',
        )
    if unless and all(set(named.get(name, [""])) <= set(values) for name, values in unless.items()):
        raise VectrHooksError(
            "`unless` vetoes whatever the clause allows", "leave out of `unless` what the clause asks for"
        )


def _count(temporal: Mapping[str, object], name: str) -> int | None:
    if name not in temporal:
        return None
    value = temporal[name]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= _LARGEST_COUNT:
        raise VectrHooksError(f"`{name}` is {shown(value)}", "a whole number from 1")
    return value


def _date(temporal: Mapping[str, object], name: str) -> str:
    if name not in temporal:
        return ""
    value = temporal[name]
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    parts = value.split("-") if isinstance(value, str) and value.isascii() else []
    if [len(part) for part in parts] != [4, 2, 2] or not all(part.isdigit() for part in parts):
        raise VectrHooksError(f"`{name}` is {shown(value)}, not a date", _DATE)
    try:
        return datetime.date(*map(int, parts)).isoformat()
    except ValueError:
        raise VectrHooksError(f"`{name}` {value} is not a day of the calendar", _DATE) from None
