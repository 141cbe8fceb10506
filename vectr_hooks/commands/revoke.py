"""`vectr-hooks revoke`: have a note delivered as a warning, no longer as true."""

from __future__ import annotations

import time
from contextlib import closing

import click

from vectr_hooks import authoring, output
from vectr_hooks.acceptance import check_line
from vectr_hooks.commands.authority import refuse_above, who
from vectr_hooks.core.describe import arrival
from vectr_hooks.core.states import REVOKED
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import NoteId, json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import change_notes, existing_note, refuse_inactive

LONGEST_REASON = 300


@click.command("revoke")
@click.argument("id", type=NoteId())
@click.option(
    "--reason", metavar="TEXT", required=True, help="Why it does not hold: one line, of any language."
)
@project_option
@json_option
def command(id: int, reason: str, project: str | None, as_json: bool) -> None:
    """Have a note delivered as a warning.

    What turned out to be wrong is likely to be believed again. So a revoked note still arrives where it would
    have, the warning and the reason first, then what was believed; also in sessions that were told it as
    true before. A pin no longer counts. To give a note up for a better one, use `vectr-hooks remember
    --supersedes`.

    An agent cannot revoke what stands above it: what the user recorded or said, or what the team shares.

    \b
    Example:
      vectr-hooks revoke 12 --reason "The watcher takes the lock itself since 2.0."
    """
    revoke(id=id, reason=reason, project=project, as_json=as_json)


def revoke(*, id: int, reason: str, project: str | None, as_json: bool) -> None:
    line = check_line("reason", reason)
    if len(line) > LONGEST_REASON:
        raise VectrHooksError(
            f"the reason has {len(line)} characters, more than {LONGEST_REASON}", "the rest fits into a note"
        )
    with closing(open_store(open_project(project).store_path)) as con:
        note = existing_note(con, id)
        refuse_above([note], "revoke")
        refuse_inactive(note)
        change = {"state": REVOKED, "reason": line, "state_by": who()}
        now_ms = time.time_ns() // 1_000_000
        (note,) = change_notes(con, {id: change}, now_ms, authoring.render, {id: note.revision}, who())
    if as_json:
        output.json_result({"note": output.note_fields(note)})
        return
    output.result(f"#{note.id} {note.kind} revoked: {note.title}")
    output.result(arrival(note.trigger, note))
