"""`vectr-hooks recall`: search the notes."""

from __future__ import annotations

from contextlib import closing

import click

from vectr_hooks import output
from vectr_hooks.commands.as_it_stands import AsItStands, as_it_stands, sort, standing_fields
from vectr_hooks.commands.looking_up import keep_lookup
from vectr_hooks.core.kinds import KINDS
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note
from vectr_hooks.store.recall import search


@click.command("recall")
@click.argument("query", nargs=-1)
@click.option("--tag", "tags", metavar="WORD", multiple=True, help="Only notes with this tag; repeatable.")
@click.option(
    "--kind", "kinds", type=click.Choice(list(KINDS)), multiple=True, help="Only this kind; repeatable."
)
@click.option("--limit", type=click.IntRange(min=1, max=1000), default=10, show_default=True)
@click.option("--full", is_flag=True, help="Show the notes whole.")
@click.option("--superseded", is_flag=True, help="Find notes that were superseded, too.")
@click.option("--lexical", is_flag=True, help="Search by words alone, as it always does now.")
@project_option
@json_option
def command(
    query: tuple[str, ...],
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
    limit: int,
    full: bool,
    superseded: bool,
    lexical: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """Search the notes.

    The best come first, one line each. Any word of QUERY may be missing from a note; names are found by their
    parts too. Without QUERY the notes come in order of precedence.

    A note that was revoked or has expired, and one whose files are gone or have changed since it was written,
    says so. Only the files that it was about then are looked at; whether it is still true they do not tell.

    \b
    Examples:
      vectr-hooks recall how do deploys work
      vectr-hooks recall acquire_lock --kind gotcha --full
    """
    recall(
        query=" ".join(query),
        tags=tags,
        kinds=kinds,
        limit=limit,
        full=full,
        superseded=superseded,
        project=project,
        as_json=as_json,
    )


def recall(
    *,
    query: str,
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
    limit: int,
    full: bool,
    superseded: bool,
    project: str | None,
    as_json: bool,
) -> None:
    place = open_project(project)
    with closing(open_store(place.store_path)) as con:
        found = search(con, query, limit, tags, kinds, superseded, output.LeftOut())
        standings = as_it_stands(con, place.root, [note for note, _ in found])
        keep_lookup(con, "recall", [note.id for note, _ in found])
    if as_json:
        output.json_result(
            {"notes": [standing_fields(note, standings[note.id]) | {"score": score} for note, score in found]}
        )
        return
    if not found:
        output.remark("no note was found")
    for note, _ in found:
        line = index_line(note, standings[note.id])
        output.result(f"{line}\n{note.body.rstrip()}\n" if full else line)


def index_line(note: Note, standing: AsItStands) -> str:
    by = f", {note.author}" if note.author else ""
    warning = f" [{standing.words}]" if standing.words else ""
    return f"#{note.id} {sort(note, standing)}: {note.title} ({note.provenance}{by}){warning}"
