"""`vectr-hooks install`: register the hooks with Claude Code, or with another host."""

from __future__ import annotations

import compileall
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence

import click

import vectr_hooks
from vectr_hooks import caller, output, rule_files
from vectr_hooks.commands import guiding
from vectr_hooks.diagnosis import layers, program, registrations
from vectr_hooks.diagnosis.layers import Layer
from vectr_hooks.diagnosis.registrations import Settings
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import project_option
from vectr_hooks.project import init_project
from vectr_hooks.registration import change, command_line, hosts, scopes
from vectr_hooks.registration.undo import UndoFolder
from vectr_hooks.store.workspace import data_home, home_folder, locate

FIRST_NOTE = 'remember "Run the tests with make test." --kind directive'


@click.command(
    epilog="Example: vectr-hooks install --scope local; or: vectr-hooks install --host codex --scope user"
)
@click.option(
    "--host",
    type=click.Choice(list(hosts.HOSTS)),
    default="claude",
    show_default=True,
    help="The program whose sessions are to get the notes.",
)
@click.option(
    "--scope",
    type=click.Choice(scopes.SCOPES),
    default="project",
    show_default=True,
    help="Whose settings: the project's, .claude/settings.local.json, or your own for all projects.",
)
@click.option("--dry-run", is_flag=True, help="Show the change and make none.")
@click.option(
    "--yes", is_flag=True, help="Do not ask; install beside another memory, or into a file of git's."
)
@guiding.option
@project_option
def command(host: str, scope: str, dry_run: bool, yes: bool, guidance: bool, project: str | None) -> None:
    """Register the hooks with Claude Code, or with another host.

    Everything else in its settings stays as it is to the byte, and `vectr-hooks uninstall` gives them back as
    they were. The project's store is created where it is missing.

    It asks before paths of this machine go into a file that git tracks, and before it installs beside another
    program that puts memories into the context; beside one, a script has to say --yes.
    """
    if host == hosts.CLAUDE_CODE.name:
        install(scope=scope, dry_run=dry_run, yes=yes, guidance=guidance, project=project)
        return
    from vectr_hooks.commands import install_elsewhere

    install_elsewhere.install(
        hosts.HOSTS[host], scope=scope, dry_run=dry_run, yes=yes, guidance=guidance, project=project
    )


def install(*, scope: str, dry_run: bool, yes: bool, project: str | None, guidance: bool = False) -> None:
    environ = dict(os.environ)
    start = os.path.realpath(project or ".")
    folder = project_folder(start, environ)
    files = registrations.read(folder, environ)
    undo = UndoFolder(data_home(environ))
    if guidance and any(file.plugin for file in files):
        guiding.write_alone(folder, undo, hosts.CLAUDE_CODE.name, yes, dry_run)
        return
    refuse_beside_plugin(files)
    paths = scopes.settings_paths(folder, environ)
    path = paths[scope]
    commands = command_line.hook_commands(
        command_line.interpreter(), command_line.hooks_folder(), command_line.set_home(environ)
    )
    preview = change.install(path, commands, undo, dry_run=True)
    shared = scope == "project" and preview.is_needed and scopes.is_tracked(path)
    beside = layers.layers(files, folder, environ) if preview.is_needed else []
    if beside and not (yes or dry_run or caller.at_terminal()):
        raise VectrHooksError(
            f"{layers.at_work(beside)}; nothing was changed",
            f"{layers.COST}; keep one, or install beside it: `--yes`",
        )
    for remark in [*remarks(files, path, scope, folder, environ), *costs(path, shared, beside)]:
        output.remark(remark)
    if dry_run:
        output.result(output.visible(preview.diff()) or f"Already installed in {path}: nothing would change.")
    elif not (yes or agreed(shared, beside)):
        output.remark("Nothing was changed.")
        return
    guided = guidance and guiding.is_agreed(folder, undo, hosts.CLAUDE_CODE.name, yes, dry_run)
    if dry_run:
        return
    # Among all projects there is none to set up, unless one is named.
    if scope != "user" or project is not None:
        init_project(project)
    compile_hook_path(os.path.dirname(os.path.abspath(vectr_hooks.__file__)))
    done = change.install(path, commands, undo)
    output.result(what_happens_now(done, "" if path == paths["user"] else folder, project))
    if guided:
        output.result("\n" + guiding.written(folder, undo, hosts.CLAUDE_CODE.name))
    for line in rule_files.to_import(folder) if path != paths["user"] else ():
        output.remark(line)


def project_folder(start: str, environ: dict[str, str]) -> str:
    """The folder whose settings `start` means."""
    workspace = locate(start, home_folder(environ))
    return scopes.settings_folder(start, workspace.root if workspace else start)


def refuse_beside_plugin(files: Sequence[Settings]) -> None:
    for file in files:
        if file.plugin:
            raise VectrHooksError(
                f"the vectr-hooks plugin is enabled in {file.path} and registers the hooks; "
                "nothing was changed",
                hint="keep it, and run `vectr-hooks init` in each project to use it in; or disable it first",
            )


def remarks(
    files: Sequence[Settings], path: str, scope: str, folder: str, environ: Mapping[str, str]
) -> Iterator[str]:
    """What somebody who installs into `path` should know of what is there."""
    if scope == "project" and folder == home_folder(environ):
        yield (
            f"This is your home folder, so {path} are your own settings for all projects. Notes that are "
            "written here stay here; each project has its own, once `vectr-hooks init` has run there."
        )
    for file in files:
        if file.entries and file.scope != scope and file.path != path:
            yield (
                f"{file.path} registers the hooks as well. Claude Code runs equal commands once; "
                f"`vectr-hooks uninstall --scope {file.scope}` removes those."
            )
        if file.disables_hooks:
            yield f"{file.path} sets disableAllHooks: Claude Code runs no hook at all."
        if file.managed_only:
            yield f"{file.path} sets allowManagedHooksOnly: Claude Code runs the administrator's hooks alone."
    if not shutil.which(program.NAME, path=environ.get("PATH", "")):
        yield f"{program.not_on_path()}. To mend it: {program.path_fix()}"


def costs(path: str, shared: bool, beside: Sequence[Layer], elsewhere: str = "local") -> Iterator[str]:
    """What it costs to go on: it is asked about. `elsewhere`: a scope that git does not see, or ''."""
    if shared:
        instead = f" `--scope {elsewhere}` keeps them out of it." if elsewhere else ""
        yield (f"{path} is tracked by git: the hooks' commands name absolute paths of this machine.{instead}")
    if beside:
        yield f"{_begun(layers.at_work(beside))}. {_begun(layers.COST)}."


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def agreed(shared: bool, beside: Sequence[Layer]) -> bool:
    """Whether the user wants it all the same, where somebody can be asked."""
    if not caller.at_terminal():
        return True
    questions = {"Write them there all the same?": shared, "Install beside it all the same?": bool(beside)}
    return all(click.confirm(question, err=True) for question, asked in questions.items() if asked)


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
            "at the start of a session, at a prompt, around a tool use,",
            "and again after every compaction.",
            "A running session does from its next event on.",
            "Where no note applies, nothing is added.",
            "",
            "Store a note:",
            f"  {first_note(project)}",
        ]
    )


def first_note(project: str | None) -> str:
    """A command to paste, for the project of the working folder or for another one."""
    where = f" --project {shlex.quote(project)}" if project else ""
    return f"{caller.program_name()} {FIRST_NOTE}{where}"
