"""`vectr-hooks reinstate`: let a note count as true again."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace

import click

from vectr_hooks import authoring, output
from vectr_hooks.commands.authority import refuse_above, who
from vectr_hooks.core.describe import arrival
from vectr_hooks.core.states import ACTIVE, state
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import NoteId, json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store import configuration
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import change_notes, existing_note


@click.command("reinstate")
@click.argument("id", type=NoteId())
@project_option
@json_option
def command(id: int, project: str | None, as_json: bool) -> None:
    """Let a note count as true again.

    It was revoked or superseded, or has expired. A date at which it expired is taken out of its trigger; the
    age at which its kind expires (`expire.finding` and so on) is counted from now. `vectr-hooks show ID
    --history` tells what it was before.

    An agent cannot reinstate what the user revoked.

    \b
    Example:
      vectr-hooks reinstate 12
    """
    reinstate(id=id, project=project, as_json=as_json)


def reinstate(*, id: int, project: str | None, as_json: bool) -> None:
    now_ms = time.time_ns() // 1_000_000
    today = time.strftime("%Y-%m-%d", time.gmtime(now_ms / 1000))
    with closing(open_store(open_project(project).store_path)) as con:
        note = existing_note(con, id)
        settings = configuration.current(con)
        if state(note, settings, today) == ACTIVE:
            raise VectrHooksError(f"#{id} is active", f"`vectr-hooks show {id}` shows it")
        refuse_above([note], "reinstate")
        change: dict[str, object] = {"state": ACTIVE, "reason": "", "superseded_by": 0, "state_by": who()}
        if note.trigger and note.trigger.expires and note.trigger.expires < today:
            change["trigger"] = replace(note.trigger, expires="")
        (note,) = change_notes(con, {id: change}, now_ms, authoring.render, {id: note.revision}, who())
    if as_json:
        output.json_result({"note": output.note_fields(note)})
        return
    output.result(f"#{note.id} {note.kind} reinstated: {note.title}")
    output.result(arrival(note.trigger, note))
