"""`vectr-hooks doctor`: why notes do not arrive, and what to do about it."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import click

from vectr_hooks import output
from vectr_hooks.diagnosis import activity, installed, registrations, runtime, store, trials, workspaces
from vectr_hooks.diagnosis.finding import Finding, error, ok, warning
from vectr_hooks.options import json_option, project_option
from vectr_hooks.registration import scopes
from vectr_hooks.store import inspection
from vectr_hooks.store.workspace import Workspace, data_home, home_folder, locate, store_path


@click.command("doctor")
@project_option
@json_option
@click.pass_context
def command(ctx: click.Context, project: str | None, as_json: bool) -> None:
    """Find out why notes do not arrive.

    It looks at the store, at the settings of Claude Code, and at what the hooks have recorded, and runs the
    installed commands at an event that records nothing. It changes nothing. With an error it exits with 1.

    \b
    Example:
      vectr-hooks doctor --project ~/src/shop
    """
    if not doctor(project=project, as_json=as_json):
        ctx.exit(1)


def doctor(*, project: str | None, as_json: bool) -> bool:
    """Print what is found; whether no error is among it."""
    start = os.path.realpath(project or os.getcwd())
    found = diagnose(start, dict(os.environ))
    errors, warnings = (sum(each.level == level for each in found) for level in ("error", "warning"))
    if as_json:
        fields = {"project": start, "errors": errors, "warnings": warnings}
        output.json_result(fields | {"findings": [asdict(each) for each in found]})
    else:
        for line in lines(found):
            output.result(output.visible(line))
        output.result(f"\nerrors: {errors}, warnings: {warnings}")
    return not errors


def diagnose(start: str, environ: Mapping[str, str]) -> list[Finding]:
    """Everything that is found out about the project of the folder `start`."""
    now_ms = time.time_ns() // 1_000_000
    workspace = locate(start, home_folder(environ))
    root = workspace.root if workspace else start
    path = store_path(data_home(environ), workspace.id) if workspace and workspace.id else ""
    found = [*look_for_store(root, path)]
    usable = not any(each.level == "error" for each in found)
    if usable and workspace:
        found += look_at_store(workspace, path, environ, now_ms)
    elif path:
        found += activity.check_errors(activity.errors_beside(path), now_ms)
    found += look_at_hooks(scopes.settings_folder(start, root), root, path if usable else "", environ)
    if environ.get("VECTR_HOOKS") == "off":
        found.append(warning("hooks", "VECTR_HOOKS=off is set here: hooks do nothing", "unset VECTR_HOOKS"))
    found += workspaces.check_orphans(data_home(environ), workspace.id if workspace else "")
    return found


def look_for_store(root: str, path: str) -> Iterator[Finding]:
    if not path or not os.path.lexists(path):
        message = f"{root} has no store of notes, so hooks do nothing here"
        yield error("store", message, f"vectr-hooks init --project {shlex.quote(root)}")
    else:
        yield ok("project", root)
        yield from store.check_opening(path)


def look_at_store(
    workspace: Workspace, path: str, environ: Mapping[str, str], now_ms: int
) -> Iterator[Finding]:
    with inspection.opened(path) as con:
        sound = [*store.check_soundness(con, path)]
        yield from sound
        if any(each.level == "error" for each in sound):
            return
        errors = activity.recorded_errors(con) + activity.errors_beside(path)
        yield from activity.check_errors(errors, now_ms)
        yield from activity.check_load(con)
        yield from activity.check_notes(con)
    yield from workspaces.check_copy(workspace, path, environ)


def look_at_hooks(folder: str, root: str, path: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    """The hooks of a client that is started in `folder`; `path` is the store they may use, or ''."""
    files, unreadable = registrations.read(folder, environ)
    yield from unreadable
    yield from registrations.check(files, folder, root, environ)
    commands = installed.installed_commands(files)
    yield from installed.check(commands, environ)
    yield from trials.check(trials.trials(commands, environ))
    if not path:
        yield from runtime.check(runtime.runtimes(commands, folder, "", environ))
        return
    # Held open, so that the rehearsal's end does not write the log back.
    with inspection.opened(path):
        yield from runtime.check(runtime.runtimes(commands, folder, path, environ))


def lines(found: Sequence[Finding]) -> Iterator[str]:
    widest = max(len(each.subject) for each in found)
    for each in found:
        yield f"{each.level:7}  {each.subject:{widest}}  {each.message}"
        if each.fix:
            yield f"{'':7}  {'':{widest}}    fix: {each.fix}"
