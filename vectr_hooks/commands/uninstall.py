"""`vectr-hooks uninstall`: take the hooks out of the settings of hosts, and delete the notes if asked."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping

import click

from vectr_hooks import caller, output
from vectr_hooks.commands import guiding
from vectr_hooks.commands.purge import Purge, purge_of
from vectr_hooks.diagnosis import registrations
from vectr_hooks.diagnosis.installed import installed_commands
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import project_option
from vectr_hooks.registration import change, hosts, scopes
from vectr_hooks.registration.command_line import HOST_FILE
from vectr_hooks.registration.hook_entries import CLAUDE, Form
from vectr_hooks.registration.undo import UndoFolder
from vectr_hooks.store.workspace import data_home, home_folder, locate


@click.command(epilog="Example: vectr-hooks uninstall --dry-run")
@click.option(
    "--host", type=click.Choice(list(hosts.HOSTS)), help="Only this program's settings; default: all."
)
@click.option(
    "--scope", type=click.Choice(scopes.SCOPES), help="Only these settings; default: all that hold our hooks."
)
@click.option(
    "--purge", is_flag=True, help="Delete this project's notes as well, with their backups, for good."
)
@click.option("--dry-run", is_flag=True, help="Show the change and make none.")
@click.option("--yes", is_flag=True, help="Do not ask before notes are deleted.")
@project_option
def command(
    host: str | None, scope: str | None, purge: bool, dry_run: bool, yes: bool, project: str | None
) -> None:
    """Take the hooks out of the settings of every host.

    A file that has not changed since `install` is again what it was before, to the byte; from another only
    our entries are removed. The notes stay, and nothing else of ours does; --purge deletes them too, after
    asking.
    """
    uninstall(host=host, scope=scope, purge=purge, dry_run=dry_run, yes=yes, project=project)


def uninstall(
    *, host: str | None, scope: str | None, purge: bool, dry_run: bool, yes: bool, project: str | None
) -> None:
    environ = dict(os.environ)
    start = os.path.realpath(project or ".")
    forms = installed_paths(start, host, scope, environ)
    found = homes_by_path(forms, environ)
    if purge:
        refuse_another_home(found, environ)
    purged = purge_of(start, environ) if purge else None
    if purged and purged.folders and not (dry_run or agreed(purged, yes)):
        output.remark("Nothing was changed.")
        return
    for path, home in found.items():
        done = change.uninstall(path, UndoFolder(home), dry_run, forms[path])
        output.result(output.visible(done.diff()) if dry_run else what_was_done(done))
    if not found:
        output.result("The hooks are not installed here: nothing to remove.")
    if host in (None, hosts.CLAUDE_CODE.name) and scope in (None, "project"):
        guiding.remove(start, environ, dry_run)
    for home in () if dry_run else {*found.values(), data_home(environ)}:
        UndoFolder(home).tidy_up()
    if purge:
        output.result(delete(purged, dry_run))
    elif found and not dry_run:
        output.result("The notes stay in their store; `vectr-hooks install` delivers them again.")


def agreed(purged: Purge, yes: bool) -> bool:
    """Whether the notes are to die; refuses where nobody can be asked."""
    if yes:
        return True
    if not caller.at_terminal():
        raise VectrHooksError(
            f"{purged.warning()}; nothing was changed", "`--yes` deletes them without asking"
        )
    output.remark(f"{purged.warning()}.")
    return click.confirm("Delete them?", err=True)


def delete(purged: Purge | None, dry_run: bool) -> str:
    if purged is None:
        return "There are no notes here: nothing to delete."
    if not purged.folders:
        return (
            f"There is no store of {purged.root} in {purged.home}, so nothing was deleted and its id stays"
            f" ({', '.join(purged.id_files)}). VECTR_HOOKS_HOME names another place, if the notes are there."
        )
    if dry_run:
        return "\n".join(["would delete:", *(f"  {path}" for path in purged.paths)])
    purged.perform()
    with_them = "it" if purged.notes == 1 else "them"
    return f"Deleted {purged.told} and all that was kept with {with_them}: {', '.join(purged.paths)}"


def installed_paths(
    start: str, host: str | None, scope: str | None, environ: dict[str, str]
) -> dict[str, Form]:
    """The settings files with our entries, each once, that a host in `start` or its workspace may read."""
    workspace = locate(start, home_folder(environ))
    found: dict[str, tuple[str, Form]] = {}
    places = [
        (name, path, each.form)
        for each in hosts.HOSTS.values()
        if host in (None, each.name)
        for folder in (start, workspace.root if workspace else start)
        for name, path in each.paths(folder, environ).items()
    ]
    for name, path, form in places:
        place = os.path.realpath(path)
        if scope in (None, name) and place not in found and holds_hooks(path, form, scope):
            found[place] = (path, form)
    return dict(found.values())


def homes_by_path(paths: Mapping[str, Form], environ: Mapping[str, str]) -> dict[str, str]:
    """The folder of all stores that the hooks of each settings file use, if it is there; else this program's.

    What `install` kept of the file is there as well.
    """
    default = data_home({name: value for name, value in environ.items() if name != "VECTR_HOOKS_HOME"})
    found = {}
    for path, form in paths.items():
        commands = installed_commands([registrations.read_file("", path, form)], environ)
        named = next((command.home or default for command in commands if command.entry_file), "")
        found[path] = named if os.path.isdir(named) else data_home(environ)
    return found


def refuse_another_home(found: Mapping[str, str], environ: Mapping[str, str]) -> None:
    """Refuse to delete notes here where the hooks have theirs elsewhere."""
    here = data_home(environ)
    for path, home in found.items():
        if os.path.realpath(home) != os.path.realpath(here):
            raise VectrHooksError(
                f"the hooks in {path} use the notes in {home}, not those in {here}; nothing was changed",
                f"run it with VECTR_HOOKS_HOME={shlex.quote(home)}",
            )


def holds_hooks(path: str, form: Form, scope: str | None) -> bool:
    try:
        return change.has_entries(path, form)
    except VectrHooksError as error:
        # Only who asked for this file has to put it right first.
        if scope is not None:
            raise
        # Other hosts have settings with comments, in most of which nothing of ours ever was.
        if form is CLAUDE or change.mentions(path, HOST_FILE):
            output.remark(f"{error.message}. It was left alone.")
        return False


def what_was_done(done: change.Change) -> str:
    if done.after is None:
        return f"Deleted {done.path}, which held nothing but the hooks."
    if done.exact:
        return f"Put {done.path} back as it was, byte for byte."
    return (
        f"Removed the hooks from {done.path}; everything else in it stays. "
        f"As it was with them, it is kept at {done.kept}"
    )
