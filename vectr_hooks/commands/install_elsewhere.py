"""Registering the hooks with a host other than Claude Code."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping

import vectr_hooks
from vectr_hooks import output
from vectr_hooks.commands import guiding
from vectr_hooks.commands.install import agreed, compile_hook_path, costs, first_note
from vectr_hooks.diagnosis import program
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.project import init_project
from vectr_hooks.registration import change, command_line, hosts, scopes, support
from vectr_hooks.registration.undo import UndoFolder
from vectr_hooks.store.workspace import data_home, home_folder, locate


def install(
    host: hosts.Host, *, scope: str, dry_run: bool, yes: bool, guidance: bool, project: str | None
) -> None:
    environ = dict(os.environ)
    start = os.path.realpath(project or ".")
    workspace = locate(start, home_folder(environ))
    folder = workspace.root if workspace else start
    path = host.path(scope, folder, environ)
    undo = UndoFolder(data_home(environ))
    plugin = host.plugin(environ)
    if plugin and guidance:
        guiding.write_alone(folder, undo, host.name, yes, dry_run)
        return
    if plugin:
        raise VectrHooksError(
            f"the vectr-hooks plugin of {host.title} ({plugin}) registers the hooks; nothing was changed",
            "keep it, and run `vectr-hooks init` in each project to use it in; or remove it first",
        )
    commands = command_line.commands_for(
        host.name,
        host.events,
        command_line.interpreter(),
        command_line.hooks_folder(),
        command_line.set_home(environ),
    )
    preview = change.install(path, commands, undo, dry_run=True, form=host.form)
    shared = scope == "project" and preview.is_needed and scopes.is_tracked(path)
    for remark in [*host_remarks(host, path, environ), *costs(path, shared, (), "user" if host.user else "")]:
        output.remark(remark)
    if dry_run:
        output.result(output.visible(preview.diff()) or f"Already installed in {path}: nothing would change.")
    elif not (yes or agreed(shared, ())):
        output.remark("Nothing was changed.")
        return
    guided = guidance and guiding.is_agreed(folder, undo, host.name, yes, dry_run)
    if dry_run:
        return
    if scope != "user" or project is not None:
        init_project(project)
    compile_hook_path(os.path.dirname(os.path.abspath(vectr_hooks.__file__)))
    done = change.install(path, commands, undo, form=host.form)
    where = "any project with a store (`vectr-hooks init` makes one)" if scope == "user" else folder
    output.result(what_happens_now(host, done, where, project))
    if guided:
        output.result("\n" + guiding.written(folder, undo, host.name))


def host_remarks(host: hosts.Host, path: str, environ: Mapping[str, str]) -> Iterator[str]:
    """What somebody who installs for `host` into `path` should know."""
    if host.obstacle:
        yield f"{host.obstacle}."
    if host.overridden_by:
        nearer = os.path.join(os.path.dirname(path), host.overridden_by)
        if os.path.exists(nearer):
            yield f"{host.title} takes hooks from {nearer} and then none from {path}."
    if not shutil.which(program.NAME, path=environ.get("PATH", "")):
        yield f"{program.not_on_path()}. To mend it: {program.path_fix()}"


def what_happens_now(host: hosts.Host, done: change.Change, where: str, project: str | None) -> str:
    """What somebody reads after installing for `host`, whose sessions may be started in `where`."""
    what = "Registered the hooks in" if done.is_needed else "Already installed; nothing was changed in"
    moments = [moment for moment in support.MOMENTS if support.of(host.name, moment) != support.NO]
    return "\n".join(
        [
            f"{what} {done.path}",
            "",
            f"A session of {host.title}, started in {where}, gets the notes that apply",
            f"at these moments: {', '.join(moments)}.",
            "Where no note applies, nothing is added.",
            "",
            "Store a note:",
            f"  {first_note(project)}",
        ]
    )
