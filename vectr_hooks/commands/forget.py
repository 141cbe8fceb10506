"""`vectr-hooks forget`: delete notes for good."""

from __future__ import annotations

import os
import shlex
from contextlib import closing

import click

from vectr_hooks import caller, output
from vectr_hooks.commands.authority import refuse_above
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import NoteId, json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store import backups, upkeep
from vectr_hooks.store import notes as stored
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note
from vectr_hooks.store.team import team_files


@click.command("forget")
@click.argument("ids", metavar="[ID]...", type=NoteId(), nargs=-1)
@click.option("--all", "every", is_flag=True, help="Every note of the project.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_option
@json_option
def command(ids: tuple[int, ...], every: bool, yes: bool, project: str | None, as_json: bool) -> None:
    """Delete notes for good, with all their revisions.

    The audit keeps their numbers: that they were delivered, when, and what they cost. Their words are taken
    out of what it kept of commands and texts. What turned out to be wrong is better revoked, so that it is
    not believed again: `vectr-hooks revoke`.

    An agent cannot forget what the user recorded or said, or what the team shares.

    \b
    Examples:
      vectr-hooks forget 12 31
      vectr-hooks forget --all --yes
    """
    if bool(ids) == every:
        raise click.UsageError("Name the notes by their ids, or give --all.")
    forget(ids=ids, every=every, yes=yes, project=project, as_json=as_json)


def forget(*, ids: tuple[int, ...], every: bool, yes: bool, project: str | None, as_json: bool) -> None:
    place = open_project(project)
    store = place.store_path
    with closing(open_store(store)) as con:
        chosen = [note.id for note in stored.all_notes(con)] if every else ids
        notes = [stored.existing_note(con, id) for id in sorted(set(chosen))]
        refuse_above(notes, "forget")
        if notes and not yes and not agreed(notes):
            output.remark("nothing was deleted")
            return
        forgotten = {note.id for note in notes}
        shared = [file.path for file in team_files(con) if file.note.id in forgotten]
        with upkeep.exclusive(store) as left:
            stored.forget(con, forgotten)
            tell_files(place.root, shared)
            tell_drafts(left)
            tell_backups(backups.holding(store, [note.id for note in notes]))
    if as_json:
        output.json_result({"forgotten": [note.id for note in notes]})
        return
    for note in notes:
        output.result(f"#{note.id} {note.kind} forgotten: {note.title}")
    if not notes:
        output.remark("there is no note to forget")


def tell_drafts(files: list[str]) -> None:
    """Say that what was left of backups that were cut off, which may have held the text, is gone."""
    if files:
        what = output.counted(len(files), "file")
        folder = os.path.dirname(files[0])
        output.remark(f"removed {what} that a backup which was cut off left in {folder}")


def tell_files(root: str, shared: list[str]) -> None:
    """Say which files of the repository still say what was just deleted."""
    for path in shared:
        if os.path.lexists(os.path.join(root, path)):
            output.remark(f"{path} still says it, and so do git and who has it: `git rm {shlex.quote(path)}`")


def tell_backups(files: list[str]) -> None:
    """Say which backups still hold what was just deleted."""
    if files:
        count = output.counted(len(files), "backup still holds", "backups still hold")
        folder = os.path.dirname(files[0])
        output.remark(
            output.visible(f"{count} their text, in {folder}: delete what you no longer need of it")
        )


def agreed(notes: list[Note]) -> bool:
    if not caller.at_terminal():
        raise VectrHooksError(
            f"deleting {output.counted(len(notes), 'note')} for good takes a yes, and nobody can be asked",
            "give --yes",
        )
    for note in notes:
        output.remark(f"#{note.id} {note.kind}: {note.title}")
    return click.confirm(f"Delete {output.counted(len(notes), 'note')} for good?", err=True)
