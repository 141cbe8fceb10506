"""`vectr-hooks snapshots`: the snapshots there are, and what became of the notes between two of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import ClassVar

import click

from vectr_hooks import output
from vectr_hooks.commands.as_it_was import snapshot_fields
from vectr_hooks.options import LazyGroup, hand_on, json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store import past_notes
from vectr_hooks.store.create import open_store
from vectr_hooks.store.past_notes import Listed, at_compaction


class Snapshots(LazyGroup):
    """A group that lists by default."""

    modules: ClassVar[Mapping[str, str]] = {"diff": "vectr_hooks.commands.snapshots.diff"}


@click.group("snapshots", cls=Snapshots, invoke_without_command=True)
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many, the newest."
)
@project_option
@json_option
@click.pass_context
def command(ctx: click.Context, limit: int, project: str | None, as_json: bool) -> None:
    """List the snapshots, oldest first.

    The changes of a snapshot are those since the one before it. Those of notes that were forgotten are not
    counted, nor are these notes: of them nothing is kept.

    \b
    Examples:
      vectr-hooks snapshots
      vectr-hooks snapshots diff before-the-merge
      vectr-hooks snapshots diff 3 4
    """
    if ctx.invoked_subcommand is None:
        snapshots(limit=limit, project=project, as_json=as_json)
    else:
        hand_on(ctx)


def snapshots(*, limit: int, project: str | None, as_json: bool) -> None:
    with closing(open_store(open_project(project).store_path)) as con:
        found = past_notes.listed(con, limit, output.LeftOut())
        older = max(0, past_notes.count(con) - limit)
    if as_json:
        output.json_result({"snapshots": list(map(_fields, found)), "older": older})
        return
    if found:
        output.table(
            ("id", "name", "when", "notes", "changes"),
            [_row(each) for each in found],
            flexible=("name",),
            numbers=("id", "notes", "changes"),
        )
    if older:
        output.remark(f"{older} older: --limit {older + limit} shows all")
    elif not found:
        output.remark("no snapshot yet: `vectr-hooks snapshot NAME` takes one, and so does every compaction")


def _row(each: Listed) -> tuple[str, ...]:
    snapshot = each.snapshot
    name = snapshot.name or at_compaction(snapshot)
    return (str(snapshot.id), name, output.utc(snapshot.at), str(each.notes), str(each.changes))


def _fields(each: Listed) -> dict[str, object]:
    return {**snapshot_fields(each.snapshot), "notes": each.notes, "changes": each.changes}
