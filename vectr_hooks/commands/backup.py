"""`vectr-hooks backup`: keep a copy of the project's store."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import asdict

import click

from vectr_hooks import output
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store import backups, upkeep
from vectr_hooks.store.backups import Backup
from vectr_hooks.store.create import open_store
from vectr_hooks.store.schema import VERSION


@click.command("backup")
@click.argument("file", metavar="[FILE]", required=False, type=click.Path())
@click.option("--list", "as_list", is_flag=True, help="List the backups beside the store instead.")
@project_option
@json_option
def command(file: str | None, as_list: bool, project: str | None, as_json: bool) -> None:
    """Copy the project's store to a file, and check the copy.

    Without FILE the copy lies in the folder `backups` beside the store. It is one moment's, also while hooks
    write. Nothing is overwritten, and no backup is ever deleted but by you: delete its file. A backup holds
    every note as it was, also one that is forgotten later.

    \b
    Examples:
      vectr-hooks backup
      vectr-hooks backup ~/notes.db
      vectr-hooks backup --list
    """
    if as_list:
        if file is not None:
            raise click.UsageError("--list takes no FILE.")
        list_backups(project=project, as_json=as_json)
    else:
        backup(file=file, project=project, as_json=as_json)


def backup(*, file: str | None, project: str | None, as_json: bool) -> None:
    store = open_project(project).store_path
    with closing(open_store(store)) as con, upkeep.exclusive(store):
        path = os.path.abspath(file) if file is not None else backups.new_path(store, VERSION)
        made = backups.save(con, path)
    if as_json:
        output.json_result(asdict(made))
        return
    output.result(f"{made.path} ({made.size_bytes:,} bytes, {output.counted(made.notes or 0, 'note')})")
    output.remark("kept until you delete the file; `vectr-hooks restore FILE` brings it back")


def list_backups(*, project: str | None, as_json: bool) -> None:
    store = open_project(project).store_path
    found = backups.beside(store)
    if as_json:
        output.json_result({"folder": backups.folder_of(store), "backups": [asdict(each) for each in found]})
        return
    if not found:
        output.remark("there is no backup yet; `vectr-hooks backup` makes one")
        return
    output.table(("made", "schema", "notes", "bytes", "file"), map(cells, found), flexible=("file",))
    output.remark("`vectr-hooks restore FILE` brings one back; what you no longer need, delete")


def cells(backup: Backup) -> tuple[str, ...]:
    schema = "not a store" if backup.schema is None else str(backup.schema)
    notes = "" if backup.notes is None else str(backup.notes)
    return output.utc(backup.made_ms), schema, notes, f"{backup.size_bytes:,}", backup.path
