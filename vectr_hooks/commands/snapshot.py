"""`vectr-hooks snapshot`: name the present, so that the notes can be read as they are now."""

from __future__ import annotations

import os
import time
from contextlib import closing

import click

from vectr_hooks import output
from vectr_hooks.caller import session
from vectr_hooks.commands.as_it_was import snapshot_fields
from vectr_hooks.core.snapshot_names import read_name
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store import past_notes
from vectr_hooks.store.create import open_store
from vectr_hooks.store.past_notes import Snapshot


@click.command("snapshot")
@click.argument("name")
@project_option
@json_option
def command(name: str, project: str | None, as_json: bool) -> None:
    """Give the notes as they are now a name, to read them so later.

    Every change of a note is kept, so a snapshot takes no room. At every compaction one is taken by itself,
    unless no note has changed since the session's last. What is forgotten is gone from all of them.

    \b
    Examples:
      vectr-hooks snapshot before-the-merge
      vectr-hooks snapshots diff before-the-merge
      vectr-hooks list --at before-the-merge
    """
    taken, notes = snapshot(name=name, project=project)
    if as_json:
        output.json_result({"snapshot": {**snapshot_fields(taken), "notes": notes}})
    else:
        held = output.counted(notes, "note")
        output.result(f"snapshot {taken.id} `{taken.name}` taken: it holds {held}")


def snapshot(*, name: str, project: str | None) -> tuple[Snapshot, int]:
    """Take a snapshot called `name`; it, and how many notes it holds."""
    name = read_name(name)
    with closing(open_store(open_project(project).store_path)) as con:
        return past_notes.take(con, time.time_ns() // 1_000_000, name, session(os.environ))
