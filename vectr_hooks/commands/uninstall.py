"""`vectr-hooks uninstall`: take the hooks out of Claude Code's settings again."""

from __future__ import annotations

import os

import click

from vectr_hooks import output
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import project_option
from vectr_hooks.registration import change, scopes
from vectr_hooks.registration.undo import UndoFolder
from vectr_hooks.store.workspace import data_home, home_folder, locate


@click.command(epilog="Example: vectr-hooks uninstall --dry-run")
@click.option(
    "--scope", type=click.Choice(scopes.SCOPES), help="Only these settings; default: all that hold our hooks."
)
@click.option("--dry-run", is_flag=True, help="Show the change and make none.")
@project_option
def command(scope: str | None, dry_run: bool, project: str | None) -> None:
    """Take the hooks out of the settings of Claude Code.

    A file that has not changed since `install` is again what it was before, to the byte; from another only
    our entries are removed. The notes stay.
    """
    uninstall(scope=scope, dry_run=dry_run, project=project)


def uninstall(*, scope: str | None, dry_run: bool, project: str | None) -> None:
    environ = dict(os.environ)
    start = os.path.realpath(project or ".")
    undo = UndoFolder(data_home(environ))
    found = installed_paths(start, scope, environ)
    for path in found:
        done = change.uninstall(path, undo, dry_run)
        output.result(output.visible(done.diff()) if dry_run else what_was_done(done))
    if not found:
        output.result("The hooks are not installed here: nothing to remove.")
    elif not dry_run:
        output.result("The notes stay in their store; `vectr-hooks install` delivers them again.")


def installed_paths(start: str, scope: str | None, environ: dict[str, str]) -> list[str]:
    """The settings files with our entries, each once, that a client in `start` or its workspace may read."""
    workspace = locate(start, home_folder(environ))
    found: dict[str, str] = {}
    for folder in (start, workspace.root if workspace else start):
        for name, path in scopes.settings_paths(folder, environ).items():
            if scope in (None, name) and os.path.realpath(path) not in found and holds_hooks(path, scope):
                found[os.path.realpath(path)] = path
    return list(found.values())


def holds_hooks(path: str, scope: str | None) -> bool:
    try:
        return change.has_entries(path)
    except VectrHooksError as error:
        # Only who asked for this file has to put it right first.
        if scope is not None:
            raise
        output.remark(f"{error.message}. It was left alone.")
        return False


def what_was_done(done: change.Change) -> str:
    if done.after is None:
        return f"Deleted {done.path}, which held nothing but the hooks."
    if done.exact:
        return f"Put {done.path} back as it was, byte for byte."
    return f"Removed the hooks from {done.path}; everything else in it stays."
