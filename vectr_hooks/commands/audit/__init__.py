"""`vectr-hooks audit`: what became of every note at every event, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from vectr_hooks.commands.audit.listing import audit, event_fields
from vectr_hooks.core.model import MOMENTS
from vectr_hooks.options import LazyGroup, NoteId, hand_on, json_option, point_in_time, project_option
from vectr_hooks.store.journal import Choice

STATUSES = ("delivered", "suppressed", "held back", "unmatched", "out of scope", "expired")

__all__ = ["command", "event_fields"]


class Audit(LazyGroup):
    """A group that lists by default."""

    modules: ClassVar[Mapping[str, str]] = {
        "why": "vectr_hooks.commands.audit.why",
        "replay": "vectr_hooks.commands.audit.replay",
        "delivered": "vectr_hooks.commands.audit.delivered",
        "report": "vectr_hooks.commands.audit.report",
    }


@click.group("audit", cls=Audit, invoke_without_command=True)
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many events."
)
@click.option("--session", metavar="ID", help="Only this session of the host; its id's beginning will do.")
@click.option("--note", type=NoteId(), metavar="ID", help="Only events at which this note was a candidate.")
@click.option("--moment", type=click.Choice(MOMENTS), metavar="MOMENT", help="Only this moment.")
@click.option(
    "--outcome",
    type=click.Choice(STATUSES),
    metavar="STATUS",
    help="Only events at which a candidate (with --note: that one) was " + ", ".join(STATUSES) + ".",
)
@click.option(
    "--since", type=point_in_time, metavar="WHEN", help="Only later events: `2h`, `3d`, `2026-01-31`."
)
@click.option("--until", type=point_in_time, metavar="WHEN", help="Only earlier events.")
@click.option("--all", "every_candidate", is_flag=True, help="Show the candidates that did not match, too.")
@click.option("--follow", is_flag=True, help="Go on with new events as they come, until Ctrl-C.")
@project_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    limit: int,
    session: str | None,
    note: int | None,
    moment: str | None,
    outcome: str | None,
    since: int | None,
    until: int | None,
    every_candidate: bool,
    follow: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """Show the newest events, and what became of every candidate.

    Oldest first, by conversation, with the turns and compactions between them; times are UTC. The second
    number of a line is the event's, for `audit why`; the third is what it delivered, in tokens. --json prints
    one object a line, with every candidate. Prompts, files and outputs are not in the audit: only what of
    them the triggers look for.

    \b
    Examples:
      vectr-hooks audit --limit 5
      vectr-hooks audit --note 12 --outcome delivered --since 2d
      vectr-hooks audit --follow
      vectr-hooks audit why 12 last
    """
    if ctx.invoked_subcommand is None:
        audit(
            limit=limit,
            choice=Choice(session, note, moment, outcome, since, until),
            every_candidate=every_candidate,
            follow=follow,
            project=project,
            as_json=as_json,
        )
    else:
        hand_on(ctx)
