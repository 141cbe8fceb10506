"""`vectr-hooks audit`: what became of every note at every event, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click
from click.core import ParameterSource

from vectr_hooks.commands.audit.listing import audit, event_fields
from vectr_hooks.options import LazyGroup, NoteId, json_option, project_option

__all__ = ["command", "event_fields"]


class Audit(LazyGroup):
    """A group that lists by default."""

    modules: ClassVar[Mapping[str, str]] = {"why": "vectr_hooks.commands.audit.why"}


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
    ctx.default_map = {name: {"project": project, "as_json": as_json} for name in Audit.modules}
