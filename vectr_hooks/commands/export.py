"""`vectr-hooks export`: write the notes as files that `import` reads."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing

import click

from vectr_hooks import output
from vectr_hooks.core.kinds import KINDS
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.exporting import (
    SUFFIX,
    Outcome,
    Spared,
    file_name,
    note_files,
    notes_file,
    write_file,
    write_folder,
)
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, all_notes, is_forgotten


@click.command("export")
@click.option(
    "--path",
    metavar="FILE.md|DIR",
    type=click.Path(),
    default="-",
    help="One file with all notes, or a folder with one file a note; default: print them.",
)
@click.option(
    "--kind", "kinds", type=click.Choice(list(KINDS)), multiple=True, help="Only this kind; repeatable."
)
@click.option("--tag", "tags", metavar="WORD", multiple=True, help="Only notes with this tag; repeatable.")
@click.option(
    "--overwrite",
    is_flag=True,
    help="Replace a file that is no unchanged export, or write into a folder that holds other files.",
)
@project_option
@json_option
def command(
    path: str,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    overwrite: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """Write the notes as files that `import` reads back.

    They are Markdown: of each note YAML between two lines `---` with all that is known of it, then its body
    as it is. `vectr-hooks import` gives back exactly what was exported. The same notes give the same bytes at
    any time and on any machine, and a note that changes changes its own lines only, so that the files can be
    kept in git.

    An earlier export is replaced, and of a folder the files whose notes are no longer exported are removed.
    What is something else, was changed since, or is the only copy of a note is refused. Secrets are not
    written.

    \b
    Examples:
      vectr-hooks export --path notes.md
      vectr-hooks export --path docs/notes --kind decision --kind reference
      vectr-hooks export | less
    """
    if not path:
        raise click.UsageError("--path is empty.")
    if as_json and path == "-":
        raise click.UsageError("--json needs --path: the notes are what is printed.")
    export(path=path, kinds=kinds, tags=tags, overwrite=overwrite, project=project, as_json=as_json)


def export(
    *,
    path: str,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    overwrite: bool,
    project: str | None,
    as_json: bool,
) -> None:
    place = open_project(project)
    with closing(open_store(place.store_path)) as con:
        there = all_notes(con, output.LeftOut())
        spared = sparable(con, there)
        chosen = [note for note in there if (not kinds or note.kind in kinds) and set(tags) <= set(note.tags)]
        notes = sorted(chosen, key=lambda note: note.id)
        if not notes:
            raise VectrHooksError(
                "no note is like that" if there else "there are no notes yet",
                "`vectr-hooks list` shows those there are",
            )
        if path == "-":
            for n, text in enumerate(note_files(notes, place.root, counted=True)):
                output.verbatim(("\n" if n else "") + text, redacted=True)
            return
        if path.lower().endswith(SUFFIX) and not os.path.isdir(path):
            outcome = write_file(path, notes_file(notes, place.root), spared, overwrite)
        else:
            texts = dict(zip(map(file_name, notes), note_files(notes, place.root), strict=True))
            outcome = write_folder(path, texts, spared, overwrite)
    tell(path, notes, outcome, as_json)


def sparable(con: sqlite3.Connection, notes: Sequence[Note]) -> Spared:
    created = {note.id: note.created for note in notes}

    def spared(id: int, created_ms: int) -> bool:
        # One that is damaged in the store may be whole in the export.
        return created[id] == created_ms if id in created else is_forgotten(con, id)

    return spared


def tell(path: str, notes: Sequence[Note], outcome: Outcome, as_json: bool) -> None:
    if as_json:
        output.json_result(
            {
                "path": path,
                "notes": [note.id for note in notes],
                "written": outcome.written,
                "unchanged": outcome.unchanged,
                "removed": outcome.removed,
                "left": outcome.left,
            }
        )
        return
    count = output.counted(len(notes), "note")
    removed = f", {output.counted(len(outcome.removed), 'file')} removed" if outcome.removed else ""
    already = "" if outcome.written or removed else "; nothing had changed"
    output.result(f"{count} exported to {path}{removed}{already}")
    if outcome.left:
        output.remark(f"left as they were: {', '.join(outcome.left)}")
