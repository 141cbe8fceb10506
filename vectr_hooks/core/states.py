"""The states of a note: what is still told as true, what as a warning, and what no longer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from vectr_hooks.core.ages import is_older
from vectr_hooks.core.grammar import Trigger

ACTIVE, SUPERSEDED, REVOKED = "active", "superseded", "revoked"
#: no change of a note: what a date, or the age set for its kind, makes of one that is active
EXPIRED = "expired"
STATES = (ACTIVE, SUPERSEDED, REVOKED, EXPIRED)


class GivenUp(Protocol):
    """What of a note says for what it was superseded."""

    @property
    def superseded_by(self) -> int: ...
    @property
    def reason(self) -> str: ...


class Living(GivenUp, Protocol):
    """What of a note its state depends on."""

    @property
    def kind(self) -> str: ...
    @property
    def trigger(self) -> Trigger | None: ...
    @property
    def state(self) -> str: ...
    @property
    def at(self) -> int: ...


def state(note: Living, settings: Mapping[str, int | bool], today: str) -> str:
    """The state that `note` is in on `today` (YYYY-MM-DD) under `settings`."""
    return EXPIRED if note.state == ACTIVE and _expiry(note, settings, today) else note.state


def state_in_words(note: Living, settings: Mapping[str, int | bool], today: str) -> str:
    """The state with what led to it; '' for an active note."""
    if note.state == REVOKED:
        return f"revoked: {note.reason}"
    if note.state == SUPERSEDED:
        return given_up(note)
    return _expiry(note, settings, today)


def given_up(note: GivenUp) -> str:
    """In favour of what a superseded note was given up; of a file that is gone, why."""
    return f"superseded by #{note.superseded_by}" if note.superseded_by else f"superseded: {note.reason}"


def _expiry(note: Living, settings: Mapping[str, int | bool], today: str) -> str:
    """Why `note` has expired; '' when it has not."""
    expires = note.trigger.expires if note.trigger else ""
    if expires and expires < today:
        return f"expired {expires}"
    days = settings.get(f"expire.{note.kind}", 0)
    return f"expired: older than {days} days" if days and is_older(note.at, today, days) else ""
