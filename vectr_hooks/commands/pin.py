"""`vectr-hooks pin`: deliver notes at every boundary."""

from __future__ import annotations

import time
from contextlib import closing

import click

from vectr_hooks import authoring, output
from vectr_hooks.commands.authority import refuse_above, who
from vectr_hooks.core.describe import arrival
from vectr_hooks.options import json_option, note_ids, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, change_note, existing_note


@click.command("pin")
@note_ids
@project_option
@json_option
def command(ids: tuple[int, ...], project: str | None, as_json: bool) -> None:
    """Deliver notes at every session start and compaction.

    A pinned note also goes before every other one when room is short. Anybody may pin a note; what the user
    recorded or said, or the team shares, only a person at a terminal unpins.

    \b
    Example:
      vectr-hooks pin 12
    """
    tell(set_pinned(ids=ids, pinned=True, project=project), as_json)


def set_pinned(*, ids: tuple[int, ...], pinned: bool, project: str | None) -> list[Note]:
    """Pin or unpin all of `ids`, or none when one of them is no note."""
    with closing(open_store(open_project(project).store_path)) as con:
        notes = [existing_note(con, id) for id in dict.fromkeys(ids)]
        if not pinned:
            refuse_above(notes, "unpin")
        now_ms = time.time_ns() // 1_000_000
        return [
            # What is so already needs no new revision.
            note
            if note.pinned == pinned
            else change_note(con, note.id, now_ms, authoring.render, who(), pinned=pinned)
            for note in notes
        ]


def tell(notes: list[Note], as_json: bool) -> None:
    if as_json:
        output.json_result({"notes": [output.note_fields(note) for note in notes]})
        return
    for note in notes:
        word = "pinned" if note.pinned else "not pinned"
        output.result(f"#{note.id} {note.kind} {word}: {note.title}")
        output.result(arrival(note.trigger, note))
