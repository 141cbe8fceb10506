"""What an agent may not do to a note: its words would count for more than it has a say in."""

from __future__ import annotations

import os
from collections.abc import Iterable

from vectr_hooks import caller
from vectr_hooks.core.provenance import AGENT, HUMAN, outranks
from vectr_hooks.core.states import ACTIVE
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.notes import Note

_WHOSE = {
    "human": "the user's",
    "user-stated": "what the user said",
    "team": "the team's",
    "agent": "an agent's",
}
_WHO_MAY = "the user can, at a terminal; what you know better is a note of your own: `vectr-hooks remember`"


def who() -> str:
    """Who runs the command: `human` or `agent`."""
    return caller.provenance(os.environ, caller.at_terminal())


def refuse_above(notes: Iterable[Note], what: str) -> None:
    """Refuse an agent to do `what`, such as `edit`, to notes that it has no say in."""
    if who() == HUMAN:
        return
    for note in notes:
        if outranks(note.provenance, AGENT):
            raise VectrHooksError(
                f"#{note.id} is {_WHOSE[note.provenance]}: an agent cannot {what} it", _WHO_MAY
            )
        if note.state != ACTIVE and note.state_by == HUMAN:
            raise VectrHooksError(
                f"#{note.id} was {note.state} by the user: an agent cannot {what} it", _WHO_MAY
            )


def refuse_below(provenance: str, notes: Iterable[Note]) -> None:
    """Refuse that a note of `provenance` takes the place of one of `notes` that stands above it."""
    for note in notes:
        if outranks(note.provenance, provenance):
            raise VectrHooksError(
                f"#{note.id} is {_WHOSE[note.provenance]}: "
                f"a note of provenance {provenance} cannot take its place",
                "store it without --supersedes, or have the user do it at a terminal",
            )
