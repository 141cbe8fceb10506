"""`vectr-hooks restore`: put a backup in the place of the project's store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict

import click

from vectr_hooks import caller, output
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store import restoring
from vectr_hooks.store.restoring import Contents, NoteChange, Plan

# Of a change of thousands, a person reads the counts.
_MOST_SHOWN = 20


@click.command("restore")
@click.argument("file", metavar="FILE", type=click.Path())
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_option
@json_option
def command(file: str, dry_run: bool, yes: bool, project: str | None, as_json: bool) -> None:
    """Put a backup in the place of the project's store.

    Shows which notes would come back, be gone or be as they were, and asks. The present store is backed up
    first. A backup of an older version is brought to this one; the file itself is only read.

    Hooks may run meanwhile: each finds the old store or the new. What was recorded since the backup goes with
    the old store, so a session that is under way may be given a note again. Ids that were given since are not
    reused.

    \b
    Examples:
      vectr-hooks backup --list
      vectr-hooks restore ~/notes.db
    """
    restore(file=file, dry_run=dry_run, yes=yes, project=project, as_json=as_json)


def restore(*, file: str, dry_run: bool, yes: bool, project: str | None, as_json: bool) -> None:
    place = open_project(project)
    kept = ""
    with restoring.prepared(os.path.abspath(file), place.store_path, place.workspace.id) as ready:
        plan = ready.plan
        if not as_json:
            for line in lines(plan):
                (output.result if dry_run else output.remark)(output.visible(line))
        if not dry_run:
            if not yes and not agreed(plan):
                output.remark("nothing was changed")
                return
            kept = restoring.replace(ready, place.store_path)
    if as_json:
        output.json_result({"restored": not dry_run, "backup": kept or None, **asdict(plan)})
    elif kept:
        output.result(f"restored {plan.file}; as it was, the store is kept at {kept}")


def agreed(plan: Plan) -> bool:
    if not caller.at_terminal():
        raise VectrHooksError(
            "replacing the project's store takes a yes, and nobody can be asked",
            "give --yes; --dry-run shows what would change",
        )
    whose = f", which is of another project ({plan.root})," if plan.foreign else ""
    return click.confirm(f"Replace this project's notes by those of {plan.file}{whose}?", err=True)


def lines(plan: Plan) -> Iterator[str]:
    yield f"there: {in_words(plan.there)}; schema {plan.schema}"
    yield f"here: {in_words(plan.here) if plan.here else 'the store cannot be read'}"
    if plan.foreign:
        yield f"{plan.file} is of another project: {plan.root}"
    for change in plan.changes[:_MOST_SHOWN]:
        yield change_in_words(change)
    if len(plan.changes) > _MOST_SHOWN:
        yield f"{len(plan.changes) - _MOST_SHOWN:,} more notes would change; --json names all"
    if plan.here and not plan.changes:
        yield "the notes are the same"


def in_words(contents: Contents) -> str:
    newest = "" if contents.newest_ms is None else f", the newest of {output.utc(contents.newest_ms)}"
    return f"{output.counted(contents.notes, 'note')}{newest}; {output.counted(contents.events, 'event')}"


def change_in_words(change: NoteChange) -> str:
    what = {"back": "would come back", "gone": "would be gone", "changed": "would be as it was"}[
        change.change
    ]
    forgotten = ", although forgotten" if change.forgotten else ""
    return f"#{change.id} {change.kind} {what}{forgotten}: {change.title}"
