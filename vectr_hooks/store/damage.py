"""Rows that do not hold what we write: found as they are read, and named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

from vectr_hooks.errors import VectrHooksError

Check = Callable[[Any], bool]
Told = Callable[[VectrHooksError], None]
_Row = TypeVar("_Row")
_Record = TypeVar("_Record")

#: milliseconds; the end of the last year that a date can be of
END_OF_TIME_MS = 253_402_300_800_000
#: what reading raises where a value is not of its form
NOT_OF_ITS_FORM = (ValueError, TypeError, KeyError, AttributeError, RecursionError)

_BACKUP_HELPS = "`vectr-hooks backup --list` shows the backups, `vectr-hooks restore FILE` brings one back"
_IN_WORDS = {"at": "time"}


def damaged(row: str, field: str) -> VectrHooksError:
    """The refusal of `row` (`#2`, `event 7`) for what it has in `field`."""
    words = _IN_WORDS.get(field, field.replace("_", " "))
    verb = "are" if words.endswith("s") else "is"
    return VectrHooksError(f"{row} cannot be read: its {words} {verb} damaged", _BACKUP_HELPS)


def refuse(error: VectrHooksError) -> None:
    """What is done about a damaged row where all of them are needed."""
    raise error


def readable(rows: Iterable[_Row], read: Callable[[_Row], _Record], told: Told) -> Iterator[_Record]:
    """What `read` makes of `rows`; `told` is called with the refusal of each that is damaged."""
    for row in rows:
        try:
            record = read(row)
        except VectrHooksError as error:
            told(error)
        else:
            yield record


def is_number(value: object) -> bool:
    return type(value) is int


def is_text(value: object) -> bool:
    return type(value) is str


def is_time(value: object) -> bool:
    """Whether it is a number of milliseconds since 1970 that a date can be made of."""
    return type(value) is int and 0 <= value < END_OF_TIME_MS


class Checks:
    """What the fields of a record have to hold that is read from a row."""

    def __init__(self, types: Mapping[str, type], own: Mapping[str, Check]) -> None:
        self._types = types
        self._own = tuple(own.items())
        self._forms = tuple(types.values())
        self._values: Callable[[object], tuple[object, ...]] = attrgetter(*types)

    def wrong(self, record: object) -> str:
        """The name of the first field that holds something else; '' for none."""
        # All at once: there are many records, and nearly all are sound.
        forms = tuple(map(type, self._values(record)))
        if forms != self._forms:
            fields = zip(self._types, forms, self._forms, strict=True)
            return next(name for name, form, wanted in fields if form is not wanted)
        for name, check in self._own:
            if not check(getattr(record, name)):
                return name
        return ""


def checks(record: type[Any], **own: Check) -> Checks:
    """Check each field of the dataclass `record` that is a number or a text for being one, and `own`."""
    by_type = {"int": int, "str": str}
    plain = {field.name: by_type[str(field.type)] for field in fields(record) if field.type in by_type}
    return Checks(plain, own)


def sound(record: _Record, row: str, checks: Checks) -> _Record:
    """`record`, or the refusal of `row`, from which it was read."""
    wrong = checks.wrong(record)
    if wrong:
        raise damaged(row, wrong)
    return record


def read_value(row: str, field: str, read: Callable[[], _Record]) -> _Record:
    """What `read` makes of the value of `row` in `field`."""
    try:
        return read()
    except NOT_OF_ITS_FORM as error:
        raise damaged(row, field) from error


def facts(row: str, text: str) -> Mapping[str, object]:
    """The object that an event was recorded with."""
    found = read_value(row, "facts", lambda: json.loads(text))
    if not isinstance(found, dict):
        raise damaged(row, "facts")
    return found
