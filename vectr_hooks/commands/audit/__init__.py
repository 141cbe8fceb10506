"""`vectr-hooks audit`: what became of every note at every event, and why."""

from __future__ import annotations

import importlib

import click
from click.core import ParameterSource

from vectr_hooks.commands.audit.listing import audit, event_fields
from vectr_hooks.options import NoteId, json_option, project_option

__all__ = ["command", "event_fields"]

#: each the name of a module here, which calls its click command `command`
SUBCOMMANDS = ("why",)


class Audit(click.Group):
    """A group that lists by default and imports a subcommand's module when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS:
            return None
        module = importlib.import_module(f"vectr_hooks.commands.audit.{cmd_name}")
        command: click.Command = module.command
        return command


@click.group("audit", cls=Audit, invoke_without_command=True)
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many events."
)
@click.option("--session", metavar="ID", help="Only events of this session of the host.")
@click.option("--note", type=NoteId(), metavar="ID", help="Only events at which this note was a candidate.")
@project_option
@json_option
@click.pass_context
def command(
    ctx: click.Context, limit: int, session: str | None, note: int | None, project: str | None, as_json: bool
) -> None:
    """List the newest events, and what became of every candidate.

    Newest first, each outcome with its reason. --json prints one object a line. Prompts, files and outputs
    are not in the audit: only what of them the triggers look for.

    \b
    Examples:
      vectr-hooks audit --limit 5
      vectr-hooks audit --note 12
      vectr-hooks audit why 12 last
    """
    if ctx.invoked_subcommand is None:
        audit(limit=limit, session=session, note=note, project=project, as_json=as_json)
        return
    for name in ("limit", "session", "note"):
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise click.UsageError(f"--{name} is for the list, not for `audit {ctx.invoked_subcommand}`.")
    # These two may stand before the subcommand as well as after it.
    ctx.default_map = {name: {"project": project, "as_json": as_json} for name in SUBCOMMANDS}
