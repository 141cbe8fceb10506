"""Plays recorded events with the notes and the settings of today, and compares with what was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from vectr_hooks.replay.otherwise import Otherwise, Played, form_of, place_of
from vectr_hooks.replay.past import Past
from vectr_hooks.store import replays
from vectr_hooks.store.journal import ALL, Choice, Outcome, is_among
from vectr_hooks.store.ledger import read_configuration
from vectr_hooks.trial import Place


@dataclass(frozen=True)
class Changed:
    """A note that would have been delivered otherwise than it was."""

    place: Place
    note: int
    title: str | None
    """None: it was forgotten."""
    before: str
    """`full`, `index`, or '' where it was not delivered."""
    after: str
    reason: str
    """Why it would not be delivered, where there is a reason to give."""
    cost_before: int
    """Tokens, as is the next."""
    cost_after: int


class TodaysNotes:
    """The notes and the settings of today, played to every recorded event."""

    def __init__(self, past: Past) -> None:
        self._past = past
        past.advance(past.newest_revision)
        settings, _ = read_configuration(past.recorded)
        self._course = Otherwise(past, settings, replays.needles(past.store))
        self.events = 0
        self.changes: list[Changed] = []
        #: by reason: at how many events not all is known
        self.unknown: Counter[str] = Counter()
        #: tokens of all notes whose delivery is known either way
        self.cost_before = self.cost_after = 0

    def play(self, choice: Choice = ALL) -> Iterator[Played]:
        """Play every event, and compare what becomes of those of `choice`."""
        for played in self._course.play():
            if is_among(played.event, choice):
                self._look(played)
            yield played

    def _look(self, played: Played) -> None:
        self.events += 1
        self.unknown.update(played.unknown.keys())
        if not played.known.is_known:
            return
        before = {outcome.note: outcome for outcome in played.event.outcomes}
        after = {outcome.note: outcome for outcome in played.outcomes}
        unknown = {note for notes in played.unknown.values() for note in notes}
        for note in sorted((before.keys() | after.keys()) - unknown):
            self._compare(played, note, before.get(note), after.get(note))

    def _compare(self, played: Played, note: int, was: Outcome | None, would: Outcome | None) -> None:
        before, after = (form_of(one) if one and one.status == "delivered" else "" for one in (was, would))
        cost_before, cost_after = (one.cost if one else 0 for one in (was, would))
        self.cost_before += cost_before
        self.cost_after += cost_after
        if before != after:
            title = self._past.title(note)
            reason = "" if after else _why_not(would, title)
            self.changes.append(
                Changed(place_of(played), note, title, before, after, reason, cost_before, cost_after)
            )


def _why_not(outcome: Outcome | None, title: str | None) -> str:
    if outcome is None:
        return "forgotten since" if title is None else "no candidate"
    return f"{outcome.status}: {outcome.reason}" if outcome.reason else outcome.status
