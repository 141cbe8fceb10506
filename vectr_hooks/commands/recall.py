"""`vectr-hooks recall`: search the notes."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

import click

from vectr_hooks import output
from vectr_hooks.commands.as_it_stands import AsItStands, as_it_stands, sort, standing_fields
from vectr_hooks.commands.looking_up import keep_lookup
from vectr_hooks.core.kinds import KINDS
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import json_option, point_in_time, project_option
from vectr_hooks.project import Project, open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.files import schema_in
from vectr_hooks.store.notes import Note
from vectr_hooks.store.recall import Meaning, search
from vectr_hooks.store.schema import VERSION

if TYPE_CHECKING:
    from vectr_hooks.embedding import Embedder
    from vectr_hooks.store.vectors import Unembedded

# A store that was never searched so is embedded over several calls: some 100 notes a second.
_EMBEDDING_SECONDS = 5.0
_EMBEDDED_AT_ONCE = 16
# From here on notes in full are worth a second thought: what a whole turn may be given.
_MUCH_TOKENS = 800


@click.command("recall")
@click.argument("query", nargs=-1)
@click.option("--tag", "tags", metavar="WORD", multiple=True, help="Only notes with this tag; repeatable.")
@click.option(
    "--kind", "kinds", type=click.Choice(list(KINDS)), multiple=True, help="Only this kind; repeatable."
)
@click.option(
    "--anchor",
    "anchors",
    metavar="PATH|SYMBOL",
    multiple=True,
    help="Only notes about this file, folder or symbol; repeatable.",
)
@click.option(
    "--since", type=point_in_time, metavar="WHEN", help="Only notes changed since: `7d`, `2026-01-31`."
)
@click.option("--limit", type=click.IntRange(min=1, max=1000), default=10, show_default=True)
@click.option("--full", is_flag=True, help="Show the notes whole.")
@click.option("--superseded", is_flag=True, help="Find notes that were superseded, too.")
@click.option("--lexical", is_flag=True, help="Search by words alone.")
@click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Read the notes of another project, and write nothing there.",
)
@project_option
@json_option
def command(
    query: tuple[str, ...],
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
    anchors: tuple[str, ...],
    since: int | None,
    limit: int,
    full: bool,
    superseded: bool,
    lexical: bool,
    workspace: str | None,
    project: str | None,
    as_json: bool,
) -> None:
    """Search the notes.

    The best come first, one line each. Any word of QUERY may be missing from a note; names are found by their
    parts too. A note is also found by its meaning, through an embedding model in local files: a question in
    other words than the note's. What is near in neither is no answer. Without QUERY the notes come in order
    of precedence.

    A note that was revoked or has expired, and one whose files are gone or have changed since it was written,
    says so. Only the files that it was about then are looked at; whether it is still true they do not tell.

    \b
    Examples:
      vectr-hooks recall how do deploys work
      vectr-hooks recall acquire_lock --kind gotcha --full
      vectr-hooks recall retries --anchor src/net/ --since 30d
    """
    if workspace is not None and project is not None:
        raise click.UsageError("--workspace is another project, and --project this one: give one of them.")
    recall(
        query=" ".join(query),
        tags=tags,
        kinds=kinds,
        anchors=anchors,
        since=since or 0,
        limit=limit,
        full=full,
        superseded=superseded,
        lexical=lexical,
        workspace=workspace,
        project=project,
        as_json=as_json,
    )


def recall(
    *,
    query: str,
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
    anchors: tuple[str, ...],
    since: int,
    limit: int,
    full: bool,
    superseded: bool,
    lexical: bool,
    workspace: str | None,
    project: str | None,
    as_json: bool,
) -> None:
    place = open_project(project if workspace is None else workspace)
    with _opened(place, workspace is None) as con:
        meaning = None if lexical or not query.strip() else meaning_of(con, query, workspace is None)
        found = search(
            con,
            query,
            limit,
            tags,
            kinds,
            superseded,
            output.LeftOut(),
            anchors=anchors,
            since_ms=since,
            meaning=meaning,
        )
        notes = [note for note, _ in found]
        standings = as_it_stands(con, place.root, notes)
        if workspace is None:
            keep_lookup(con, "recall", [note.id for note in notes])
    cost = sum(note.cost for note in notes)
    if as_json:
        output.json_result(
            {
                "notes": [
                    standing_fields(note, standings[note.id]) | {"score": score} for note, score in found
                ],
                "searched_by": "words" if meaning is None else "words and meaning",
                "full_tokens": cost,
            }
        )
        return
    if not found:
        output.remark("no note was found")
    for note in notes:
        line = index_line(note, standings[note.id])
        output.result(f"{line}\n{note.body.rstrip()}\n" if full else line)
    if cost > _MUCH_TOKENS:
        told = f"these {len(notes)} notes in full are about {cost:,} tokens"
        output.remark(f"{told}: --limit, --kind, --tag and --anchor narrow it" if full else told)


def index_line(note: Note, standing: AsItStands) -> str:
    by = f", {note.author}" if note.author else ""
    warning = f" [{standing.words}]" if standing.words else ""
    return f"#{note.id} {sort(note, standing)}: {note.title} ({note.provenance}{by}){warning}"


@contextmanager
def _opened(place: Project, own: bool) -> Iterator[sqlite3.Connection]:
    """The store of this project; of another one for reading alone, as it is."""
    if own:
        with closing(open_store(place.store_path)) as con:
            yield con
        return
    from vectr_hooks.store.reading import opened

    if not os.path.isfile(place.store_path):
        raise VectrHooksError(f"there is no store at {place.store_path}", "run `vectr-hooks init` there")
    with opened(place.store_path) as con:
        if schema_in(con, place.store_path) != VERSION:
            raise VectrHooksError(
                f"{place.store_path} is of an older version", f"run `vectr-hooks status` in {place.root}"
            )
        yield con


def meaning_of(con: sqlite3.Connection, query: str, keep: bool) -> Meaning | None:
    """What the notes and `query` mean; None, and a line that says why, where there is no model to tell.

    The notes that were not embedded yet are now, as far as there is time, and that is kept where it may be.
    """
    # Costs a search by words alone a third of its time.
    from vectr_hooks import embedding
    from vectr_hooks.store import configuration, vectors

    if con.execute("SELECT 1 FROM note LIMIT 1").fetchone() is None:
        return None
    try:
        embedder = embedding.load(
            str(configuration.current(con)["semantic.model"]), threads=min(4, os.cpu_count() or 1)
        )
    except embedding.ModelUnavailable as unavailable:
        output.remark(f"searched by words alone: {unavailable.message}; {unavailable.hint}")
        return None
    there = vectors.kept(con, embedder.hash, 4 * embedder.dimensions)
    missing = vectors.missing(con, embedder.hash)
    done = 0
    for part, embedded in _embedded(embedder, missing):
        there.update((one.note, vector) for one, vector in zip(part, embedded, strict=True))
        done += len(part)
        if keep:
            # What cannot be kept now, since others write, is embedded again another time.
            with suppress(VectrHooksError):
                vectors.keep(con, embedder.hash, zip(part, embedded, strict=True))
    if done < len(missing):
        left = len(missing) - done
        output.remark(f"{left:,} notes were searched by words alone: the next calls embed them as well")
    return Meaning(embedder.embed([query])[0], there)


def _embedded(
    embedder: Embedder, missing: Sequence[Unembedded]
) -> Iterator[tuple[Sequence[Unembedded], list[bytes]]]:
    """Embed a few notes after the other, in order, until the time is up."""
    from vectr_hooks.progress import progress

    began = time.monotonic()
    with progress("embedding notes", len(missing)) as seen:
        for start in range(0, len(missing), _EMBEDDED_AT_ONCE):
            if time.monotonic() - began > _EMBEDDING_SECONDS:
                return
            part = missing[start : start + _EMBEDDED_AT_ONCE]
            yield part, embedder.embed([one.text for one in part])
            seen(len(part))
