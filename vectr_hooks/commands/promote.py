"""`vectr-hooks promote`: let somebody with more authority stand behind a note."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing

import click

from vectr_hooks import authoring, caller, output
from vectr_hooks.commands.authority import who
from vectr_hooks.commands.show import lines
from vectr_hooks.core.provenance import AGENT, AUTO, HUMAN, USER_STATED
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import NoteId, json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.quotation import bound
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, change_notes, existing_note, refuse_inactive


@click.command("promote")
@click.argument("id", type=NoteId())
@click.option("--quote", metavar="WORDS", help="What the user typed in this session that says the same.")
@project_option
@json_option
def command(id: int, quote: str | None, project: str | None, as_json: bool) -> None:
    """Raise who stands behind a note, one step.

    What was captured automatically becomes an agent's, by whoever looked at it. An agent's note becomes what
    the user said by --quote, as in `vectr-hooks remember`. And a person at a terminal, who is shown the note
    and asked, takes any of an agent's, the user's or the team's words over as their own: nothing else makes a
    note the user's.

    \b
    Examples:
      vectr-hooks promote 12
      vectr-hooks promote 12 --quote "always run the linter before a commit"
    """
    promote(id=id, quote=quote, project=project, as_json=as_json)


def promote(*, id: int, quote: str | None, project: str | None, as_json: bool) -> None:
    with closing(open_store(open_project(project).store_path)) as con:
        note = existing_note(con, id)
        refuse_inactive(note)
        change = raised(con, note, quote)
        if change["provenance"] == HUMAN and not agreed(note):
            output.remark("nothing was changed")
            return
        now_ms = time.time_ns() // 1_000_000
        (note,) = change_notes(con, {id: change}, now_ms, authoring.render, {id: note.revision}, who())
    if as_json:
        output.json_result({"note": output.note_fields(note)})
        return
    output.result(f"#{note.id} {note.kind} promoted: {note.title}")
    output.result(f"its header says: {authoring.provenance_in_words(note)}")


def raised(con: sqlite3.Connection, note: Note, quote: str | None) -> dict[str, str]:
    """What the next step changes in `note`; refused where there is none, or nobody who may take it."""
    if note.provenance == HUMAN:
        raise VectrHooksError(f"#{note.id} is the user's already", "nothing stands above that")
    if quote is not None and note.provenance != AGENT:
        raise VectrHooksError(
            f"--quote is for an agent's note, and #{note.id} is of provenance {note.provenance}",
            f"`vectr-hooks promote {note.id}` is the next step",
        )
    if note.provenance == AUTO:
        return {"provenance": AGENT}
    if quote is not None:
        words = bound(con, caller.session(os.environ), quote)
        return {"provenance": USER_STATED, "quote": words}
    if who() != HUMAN:
        hint = "--quote binds an agent's note to what the user typed; " if note.provenance == AGENT else ""
        raise VectrHooksError(
            f"only a person at a terminal makes #{note.id} the user's",
            f"{hint}the user runs `vectr-hooks promote {note.id}`",
        )
    return {"provenance": HUMAN}


def agreed(note: Note) -> bool:
    output.remark("\n".join(lines(note)))
    return click.confirm("Record this as yours?", err=True)
