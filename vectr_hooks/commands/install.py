"""`vectr-hooks install`: register the hooks with Claude Code."""

from __future__ import annotations

import compileall
import os
import shlex

import click

import vectr_hooks
from vectr_hooks import caller, output
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import project_option
from vectr_hooks.project import init_project
from vectr_hooks.registration import change, claude_settings, command_line, scopes
from vectr_hooks.registration.undo import UndoFolder
from vectr_hooks.store.workspace import data_home, home_folder, locate

FIRST_NOTE = 'remember "Run the tests with make test." --kind directive'


@click.command(
    epilog='Example: vectr-hooks install --scope local && vectr-hooks remember "..." --kind directive'
)
@click.option(
    "--scope",
    type=click.Choice(scopes.SCOPES),
    default="project",
    show_default=True,
    help="Whose settings: .claude/settings.json, .claude/settings.local.json, or your own for all projects.",
)
@click.option("--dry-run", is_flag=True, help="Show the change and make none.")
@click.option("--yes", is_flag=True, help="Do not ask before paths of this machine go into a file of git's.")
@project_option
def command(scope: str, dry_run: bool, yes: bool, project: str | None) -> None:
    """Register the hooks in the settings of Claude Code.

    Everything else in the file stays as it is, to the byte; `vectr-hooks uninstall` gives it back as it was.
    The project's store is created where it is missing.
    """
    install(scope=scope, dry_run=dry_run, yes=yes or not caller.at_terminal(), project=project)


def install(*, scope: str, dry_run: bool, yes: bool, project: str | None) -> None:
    environ = dict(os.environ)
    start = os.path.realpath(project or ".")
    folder = project_folder(start, environ)
    paths = scopes.settings_paths(folder, environ)
    path = paths[scope]
    refuse_beside_plugin(paths)
    commands = command_line.hook_commands(
        command_line.interpreter(), command_line.hooks_folder(), command_line.set_home(environ)
    )
    undo = UndoFolder(data_home(environ))
    preview = change.install(path, commands, undo, dry_run=True)
    shared = scope == "project" and preview.is_needed and scopes.is_tracked(path)
    for remark in remarks(paths, scope, shared):
        output.remark(remark)
    if dry_run:
        output.result(output.visible(preview.diff()) or f"Already installed in {path}: nothing would change.")
        return
    if shared and not yes and not click.confirm("Write them there all the same?", err=True):
        output.remark("Nothing was changed.")
        return
    # Among all projects there is none to set up, unless one is named.
    if scope != "user" or project is not None:
        init_project(project)
    compile_hook_path(os.path.dirname(os.path.abspath(vectr_hooks.__file__)))
    done = change.install(path, commands, undo)
    output.result(what_happens_now(done, "" if scope == "user" else folder, project))


def project_folder(start: str, environ: dict[str, str]) -> str:
    """The folder whose settings `start` means."""
    workspace = locate(start, home_folder(environ))
    return scopes.settings_folder(start, workspace.root if workspace else start)


def refuse_beside_plugin(paths: dict[str, str]) -> None:
    for path in paths.values():
        text = change.readable_text(path)
        if text and claude_settings.enables_plugin(text):
            raise VectrHooksError(
                f"the vectr-hooks plugin is enabled in {path} and registers the hooks; nothing was changed",
                hint="keep it, and run `vectr-hooks init` in each project to use it in; or disable it first",
            )


def remarks(paths: dict[str, str], scope: str, shared: bool) -> list[str]:
    """What somebody who installs into `scope` should know about the other settings files."""
    found = []
    if shared:
        found.append(
            f"{paths[scope]} is tracked by git: the hooks' commands name absolute paths of this machine. "
            "`--scope local` keeps them out of it."
        )
    for other, path in paths.items():
        text = change.readable_text(path)
        if text and other != scope and path != paths[scope] and any(claude_settings.entries(text)):
            found.append(
                f"{path} registers the hooks as well. Claude Code runs equal commands once; "
                f"`vectr-hooks uninstall --scope {other}` removes those."
            )
        if text and claude_settings.disables_hooks(text):
            found.append(f"{path} sets disableAllHooks: Claude Code runs no hook at all.")
    return found


def compile_hook_path(package: str) -> None:
    """Compile what a hook imports: else every hook of a read-only installation compiles it anew."""
    for folder in ("", "core", "store", "hosts"):
        compileall.compile_dir(os.path.join(package, folder), maxlevels=0, quiet=2)


def what_happens_now(done: change.Change, folder: str, project: str | None) -> str:
    """What somebody reads after installing into the settings of `folder`, or of all projects if it is ''."""
    what = "Registered the hooks in" if done.is_needed else "Already installed; nothing was changed in"
    where = folder or "any project with a store (`vectr-hooks init` makes one)"
    return "\n".join(
        [
            f"{what} {done.path}",
            "",
            f"Claude Code, started in {where}, now gets the notes that apply:",
            "at the start of a session, at a prompt, around a tool use, and again after every compaction.",
            "A running session does from its next event on. Where no note applies, nothing is added.",
            "",
            "Store a note:",
            f"  {first_note(project)}",
        ]
    )


def first_note(project: str | None) -> str:
    """A command to paste, for the project of the working folder or for another one."""
    where = f" --project {shlex.quote(project)}" if project else ""
    return f"{caller.program_name()} {FIRST_NOTE}{where}"
