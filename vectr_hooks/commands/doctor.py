"""`vectr-hooks doctor`: why notes do not arrive, and what to do about it."""

from __future__ import annotations

import os
import shlex
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import click

from vectr_hooks import output
from vectr_hooks.commands.doctor_screen import SECTIONS, draw
from vectr_hooks.diagnosis import (
    activity,
    allowed,
    client,
    file_systems,
    installed,
    interpreters,
    layers,
    notes,
    other_hosts,
    program,
    registrations,
    repairs,
    runtime,
    store,
    team,
    trials,
    workspaces,
)
from vectr_hooks.diagnosis.finding import Finding, error, ok, warning
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import json_option, project_option
from vectr_hooks.registration import scopes
from vectr_hooks.store import backups, inspection
from vectr_hooks.store.workspace import Workspace, data_home, home_folder, locate, store_path


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Put right what is safe to; say what was done.")
@project_option
@json_option
@click.pass_context
def command(ctx: click.Context, fix: bool, project: str | None, as_json: bool) -> None:
    """Find out why notes do not arrive.

    It looks at the store, at the settings of Claude Code, and at what the hooks have recorded, and runs the
    installed commands at an event that records nothing. Of commands it runs only what `install` wrote, and
    nothing that lies in the project. It changes nothing, and exits with 1 when there is an error.

    With --fix it first puts right what is ours and safe: who may read the store, a write-ahead log that was
    left, our commands where the files they start are gone, errors kept beside the store, what is derived from
    the notes. It touches nothing else, and asks nothing.

    \b
    Examples:
      vectr-hooks doctor --project ~/src/shop
      vectr-hooks doctor --fix
    """
    if not doctor(fix=fix, project=project, as_json=as_json):
        ctx.exit(1)


def doctor(*, fix: bool, project: str | None, as_json: bool) -> bool:
    """Print what is found, after putting it right where `fix` says so; whether no error is left."""
    start = os.path.realpath(project or os.getcwd())
    environ = dict(os.environ)
    found = diagnose(start, environ)
    done, failed = repairs.perform(found) if fix else ([], [])
    if done:
        found = diagnose(start, environ)
    errors, warnings = (sum(each.level == level for each in found) for level in ("error", "warning"))
    if as_json:
        fields = {
            "project": start,
            "errors": errors,
            "warnings": warnings,
            "fixed": done,
            "not_fixed": failed,
        }
        output.json_result(fields | {"findings": [as_fields(each) for each in found]})
    else:
        draw(found, done, failed)
    return not errors


def as_fields(found: Finding) -> dict[str, object]:
    return {
        "level": found.level,
        "section": next(name for name, subjects in SECTIONS.items() if found.subject in subjects),
        "subject": found.subject,
        "message": found.message,
        "fix": found.fix,
        "fixable": found.repair is not None,
    }


def diagnose(start: str, environ: Mapping[str, str]) -> list[Finding]:
    """Everything that is found out about the project of the folder `start`."""
    now_ms = time.time_ns() // 1_000_000
    home = data_home(environ)
    workspace = locate(start, home_folder(environ))
    root = workspace.root if workspace else start
    path = store_path(home, workspace.id) if workspace and workspace.id else ""
    found = list(guarded("program", "the program", path, program.check, environ))
    found += guarded("store", "the store", path, look_for_store, root, path, environ)
    usable = not any(each.level == "error" for each in found)
    if usable and workspace:
        found += guarded("store", "the store", path, look_at_store, workspace, path, environ, now_ms)
    elif path:
        found += guarded("errors", "the errors of hooks", path, check_errors_beside, path, now_ms)
    sound_path = path if usable else ""
    found += guarded("team notes", "the notes in the repository", path, team.check, root, sound_path)
    found += guarded("client", "Claude Code's version", path, look_at_client, sound_path, environ)
    found += guarded("hooks", "the hooks", "", look_at_hooks, start, root, sound_path, environ)
    found += guarded("hooks", "other hosts", "", other_hosts.check, root, environ)
    if environ.get("VECTR_HOOKS") == "off":
        found.append(warning("hooks", "VECTR_HOOKS=off is set here: hooks do nothing", "unset VECTR_HOOKS"))
    own_id = workspace.id if workspace else ""
    found += guarded("projects", "other projects", "", workspaces.check_orphans, home, own_id)
    return found


def guarded(
    subject: str, what: str, path: str, check: Callable[..., Iterable[Finding]], *arguments: object
) -> Iterator[Finding]:
    """What `check` finds; where it fails, an error that says so in place of what it would have found.

    `path` is the store that `what` is read from, in which a value may be damaged, or ''.
    """
    try:
        yield from check(*arguments)
    except VectrHooksError as problem:
        remedy = problem.hint or (backups.command_to_restore(path) if path else "")
        yield error(subject, f"{what} cannot be looked at: {problem.message}", remedy)
    # Whatever it was, the other checks may tell why.
    except Exception as problem:
        told = f"{what} cannot be looked at: {type(problem).__name__}: {problem}"
        yield error(subject, told, backups.command_to_restore(path) if path else "")


def look_for_store(root: str, path: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    if not path or not os.path.lexists(path):
        message = f"{root} has no store of notes, so hooks do nothing here"
        yield error("store", message, f"vectr-hooks init --project {shlex.quote(root)}")
        return
    home = " (your home folder, and none of the projects in it)" if root == home_folder(environ) else ""
    yield ok("project", f"{root}{home}")
    yield from store.check_privacy(path, data_home(environ))
    yield from store.check_left_over(path)
    yield from store.check_place(path, file_systems.mounts())
    yield from store.check_opening(path)


def look_at_store(
    workspace: Workspace, path: str, environ: Mapping[str, str], now_ms: int
) -> Iterator[Finding]:
    with inspection.opened(path) as con:
        sound = [*store.check_soundness(con, path)]
        yield from sound
        if any(each.level == "error" for each in sound):
            return
        yield from guarded("errors", "the errors of hooks", path, check_errors, con, path, now_ms)
        yield from guarded("errors", "errors.log", path, activity.check_leftover, path)
        yield from guarded("speed", "the events", path, activity.check_load, con)
        yield from guarded("notes", "the notes", path, notes.check, con, workspace, now_ms)
    yield from guarded("projects", "the workspace", path, workspaces.check_copy, workspace, path, environ)


def check_errors(con: sqlite3.Connection, path: str, now_ms: int) -> Iterator[Finding]:
    errors = activity.recorded_errors(con) + activity.errors_beside(path)
    yield from activity.check_errors(errors, now_ms)


def check_errors_beside(path: str, now_ms: int) -> Iterator[Finding]:
    yield from activity.check_errors(activity.errors_beside(path), now_ms)


def look_at_client(path: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    """The client that used the store at `path` last, or '' for the one on PATH."""
    transcript = ""
    if path:
        with inspection.opened(path) as con:
            transcript = inspection.newest_transcript(con)
    yield from client.check(transcript, environ)


def look_at_hooks(start: str, root: str, path: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    """The hooks of a client that is started in `start`; `path` is the store they may use, or ''."""
    folder = scopes.settings_folder(start, root)
    files = registrations.read(folder, environ)
    yield from guarded("hooks", "what is registered", "", registrations.check, files, folder, root, environ)
    commands = installed.installed_commands(files, environ)
    yield from guarded("hooks", "the installed commands", "", installed.check, commands, environ)
    fit = allowed.sort(commands, (start, root), environ)
    yield from allowed.check(fit.refused)
    yield from guarded("python", "the interpreters", "", interpreters.check, fit.run, environ)
    yield from guarded("hooks", "how commands run", "", try_out, fit, environ)
    yield from guarded("memory", "other memories", "", layers.check, files, folder, environ)
    yield from guarded("rehearsal", "a session start", path, rehearse, fit.run, folder, path, environ)


def try_out(fit: allowed.Sorted, environ: Mapping[str, str]) -> Iterator[Finding]:
    yield from trials.check(trials.trials([*fit.run, *fit.broken], environ), environ)


def rehearse(
    commands: Sequence[installed.Installed], folder: str, path: str, environ: Mapping[str, str]
) -> Iterator[Finding]:
    if not path:
        yield from runtime.check(runtime.runtimes(commands, folder, "", environ))
        return
    # Held open, so that the rehearsal's end does not write the log back.
    with inspection.opened(path):
        yield from runtime.check(runtime.runtimes(commands, folder, path, environ))
