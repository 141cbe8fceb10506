"""A recorded event as an occasion to decide again."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from vectr_hooks.core.conversation import Conversation
from vectr_hooks.core.handoff import Work
from vectr_hooks.core.model import Candidate, Facts
from vectr_hooks.core.occurrence import Occurrence
from vectr_hooks.delivery import Occasion
from vectr_hooks.store.journal import Event, recorded_marks, recorded_reasons


class PastOccasion(Occasion):
    """A recorded event: what the store does not hold is taken from its record."""

    def __init__(self, store: sqlite3.Connection, event: Event, settings: Mapping[str, int | bool]) -> None:
        super().__init__(store, event.id, occurrence(event), conversation(event), settings)
        self.recorded = event

    def look_into_files(self, facts: Facts, found: Sequence[Candidate]) -> Facts:
        # What the files had is among the facts.
        return facts

    def marks(self, notes: Sequence[int]) -> dict[int, tuple[str, ...]]:
        return {note: recorded_marks(self.recorded, note) for note in notes}

    def withheld(self, notes: Sequence[int]) -> dict[int, str]:
        return recorded_reasons(self.recorded, notes)

    def work(self, facts: Facts) -> Work | None:
        told = self.recorded.facts.get("work")
        return Work(**told) if isinstance(told, dict) else None

    def is_nudge_due(self, facts: Facts) -> bool:
        return bool(self.recorded.facts.get("nudge"))


def occurrence(event: Event) -> Occurrence:
    """What the host told, as far as it was recorded."""
    facts = {name: value for name, value in event.facts.items() if isinstance(value, str)}
    return Occurrence(
        facts.get("what", ""),
        event.name,
        source=facts.get("source", ""),
        session=event.session,
        prompt_id=facts.get("prompt_id", ""),
        agent=event.agent,
        subagent=facts.get("subagent", ""),
        tool=facts.get("tool", ""),
        command=facts.get("command", ""),
    )


def conversation(event: Event) -> Conversation:
    """Where the event found its conversation."""
    found = Conversation(event.session, event.agent, event.host)
    found.epoch = event.epoch
    found.turn = event.turn
    found.turn_number = event.turn_number
    found.turn_spent = event.turn_spent
    found.boundary_spent = event.boundary_spent
    found.epoch_spent = event.epoch_spent
    found.told_held_back = event.told_held_back
    return found
