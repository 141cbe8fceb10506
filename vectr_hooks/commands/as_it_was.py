"""What commands share that read notes as they were: how a snapshot is named, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vectr_hooks import output
from vectr_hooks.commands.as_it_stands import AsItStands

if TYPE_CHECKING:
    from vectr_hooks.core.changes import Seen
    from vectr_hooks.store.notes import Note
    from vectr_hooks.store.past_notes import Snapshot

at_option = click.option(
    "--at", metavar="SNAPSHOT", help="As it was at this snapshot: the name or the number of one."
)


def heading(snapshot: Snapshot) -> str:
    """What has to be said before notes are shown that are no longer so."""
    from vectr_hooks.store.past_notes import named

    return f"AS IT WAS at {named(snapshot)}, {output.utc(snapshot.at)}"


def as_it_was(seen: Seen[Note]) -> AsItStands:
    """How a note stood. How its files were then is not known."""
    return AsItStands(seen.state, seen.state_in_words, ())


def snapshot_fields(snapshot: Snapshot) -> dict[str, object]:
    """A snapshot as JSON gives it; its id is null where it is the present."""
    return {
        "id": snapshot.id or None,
        "name": snapshot.name or None,
        "at_ms": snapshot.at,
        "note_revision": snapshot.note_revision,
        "session": snapshot.session,
        "event": snapshot.event or None,
    }
