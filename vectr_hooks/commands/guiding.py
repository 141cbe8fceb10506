"""The guidance that `install` puts into a project's file for agents: shown, agreed to, written."""

from __future__ import annotations

from collections.abc import Mapping

import click

from vectr_hooks import caller, output
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import guidance
from vectr_hooks.registration.change import Change
from vectr_hooks.registration.undo import UndoFolder
from vectr_hooks.store.workspace import data_home, home_folder, locate

option = click.option(
    "--guidance",
    is_flag=True,
    help="Also tell agents in CLAUDE.md, AGENTS.md or the like how to write notes; shows it and asks.",
)


def is_agreed(folder: str, undo: UndoFolder, host: str, yes: bool, dry_run: bool) -> bool:
    """Show what would change in the project's file; whether it is to. Refuses where nobody can be asked."""
    change = guidance.install(folder, undo, host, dry_run=True)
    if dry_run:
        output.result(change.diff() or f"The guidance in {change.path} is current: nothing would change.")
        return False
    if not change.is_needed:
        return True
    output.remark(change.diff())
    if yes:
        return True
    if not caller.at_terminal():
        raise VectrHooksError(
            f"{change.path} would be changed as shown; nothing was changed", "`--yes` writes the guidance"
        )
    return click.confirm("Write this guidance, which agents then always load?", err=True)


def written(folder: str, undo: UndoFolder, host: str) -> str:
    """Write the guidance; what was done."""
    done = guidance.install(folder, undo, host)
    if not done.is_needed:
        return f"The guidance in {done.path} is current; nothing was changed in it."
    return f"Wrote the guidance for agents into {done.path}; `vectr-hooks uninstall` takes it out again."


def write_alone(folder: str, undo: UndoFolder, host: str, yes: bool, dry_run: bool) -> None:
    """Write the guidance where a plugin registers the hooks, which has no other way to it."""
    output.remark("The vectr-hooks plugin registers the hooks: nothing but the guidance is installed.")
    if is_agreed(folder, undo, host, yes, dry_run):
        output.result(written(folder, undo, host))


def remove(start: str, environ: Mapping[str, str], dry_run: bool) -> None:
    """Take the guidance out of the files of the folder `start` and of the workspace that it is in."""
    undo = UndoFolder(data_home(environ))
    workspace = locate(start, home_folder(environ))
    for folder in dict.fromkeys((start, workspace.root if workspace else start)):
        for done in guidance.uninstall(folder, undo, dry_run, output.remark):
            output.result(done.diff() if dry_run else _removed(done))


def _removed(done: Change) -> str:
    if done.after is None:
        return f"Deleted {done.path}, which held nothing but the guidance."
    if done.exact:
        return f"Put {done.path} back as it was, byte for byte."
    return (
        f"Removed the guidance from {done.path}; everything else in it stays. "
        f"As it was with it, it is kept at {done.kept}"
    )
