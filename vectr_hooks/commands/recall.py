"""`vectr-hooks recall`: search the notes."""

from __future__ import annotations

from contextlib import closing

import click

from vectr_hooks import output
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
@click.option("--lexical", is_flag=True, help="Search by words alone, as it always does now.")
@project_option
@json_option
def command(
    query: tuple[str, ...],
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
    limit: int,
    full: bool,
    lexical: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """Search the notes.

    The best come first, one line each. Any word of QUERY may be missing from a note; names are found by their
    parts too. Without QUERY the notes come in order of precedence.

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
    project: str | None,
    as_json: bool,
) -> None:
    with closing(open_store(open_project(project).store_path)) as con:
        found = search(con, query, limit, tags, kinds)
    if as_json:
        output.json_result({"notes": [output.note_fields(note) | {"score": score} for note, score in found]})
        return
    if not found:
        output.remark("no note was found")
    for note, _ in found:
        output.result(output.visible(with_body(note) if full else index_line(note)))


def index_line(note: Note) -> str:
    by = f", {note.author}" if note.author else ""
    return f"#{note.id} {note.kind}: {note.title} ({note.provenance}{by})"


def with_body(note: Note) -> str:
    return f"{index_line(note)}\n{note.body.rstrip()}\n"
