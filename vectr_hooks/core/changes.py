"""What became of notes from one point in time to another: which came, which changed, which went."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from vectr_hooks.core.states import ACTIVE

#: what of a note its author or a command changes, in the order in which a change is told
FIELDS = (
    "title",
    "body",
    "kind",
    "priority",
    "tags",
    "anchors",
    "trigger",
    "scope",
    "scope_value",
    "provenance",
    "author",
    "state",
    "pinned",
    "quote",
    "reason",
    "superseded_by",
)


class Numbered(Protocol):
    @property
    def id(self) -> int: ...


_Note = TypeVar("_Note", bound=Numbered)


@dataclass(frozen=True)
class Seen(Generic[_Note]):
    """A note as it was at some time."""

    note: _Note
    state: str
    """The one of `core.states` that it was in then."""
    state_in_words: str = ""
    """'' for an active note."""


@dataclass(frozen=True)
class Changed(Generic[_Note]):
    """A note that is not as it was."""

    before: Seen[_Note]
    after: Seen[_Note]
    fields: tuple[str, ...]
    """Of `FIELDS` those that are others; none: only time has passed."""


@dataclass(frozen=True)
class Changes(Generic[_Note]):
    """The notes that are not as they were, each in one of the three, by id."""

    came: tuple[Seen[_Note], ...]
    """New, or told as true again; also what was given up at once."""
    changed: tuple[Changed[_Note], ...]
    went: tuple[Changed[_Note], ...]
    """Told as true before, and no longer."""


def changes(before: Iterable[Seen[_Note]], after: Iterable[Seen[_Note]]) -> Changes[_Note]:
    """Compare the notes there were `before` with those `after`, which are all that are still to be read."""
    were = {seen.note.id: seen for seen in before}
    came, changed, went = [], [], []
    for now in sorted(after, key=lambda seen: seen.note.id):
        was = were.get(now.note.id)
        if was is None or (was.state != ACTIVE and now.state == ACTIVE):
            came.append(now)
            continue
        fields = changed_fields(was.note, now.note)
        if was.state == ACTIVE and now.state != ACTIVE:
            went.append(Changed(was, now, fields))
        elif fields or was.state != now.state:
            changed.append(Changed(was, now, fields))
    return Changes(tuple(came), tuple(changed), tuple(went))


def changed_fields(before: object, after: object) -> tuple[str, ...]:
    """Those of `FIELDS` in which two revisions of a note differ."""
    return tuple(name for name in FIELDS if getattr(before, name) != getattr(after, name))
