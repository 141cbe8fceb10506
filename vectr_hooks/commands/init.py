"""`vectr-hooks init`: create the store of a project's notes."""

from __future__ import annotations

import os

import click

from vectr_hooks import output
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import init_project, open_project


@click.command("init")
@project_option
@json_option
def command(project: str | None, as_json: bool) -> None:
    """Create the store of this project's notes.

    The project is the git repository around the folder, else the folder itself. Where there is a store
    already, nothing changes.

    \b
    Example:
      vectr-hooks init && vectr-hooks install
    """
    init(project=project, as_json=as_json)


def init(*, project: str | None, as_json: bool) -> None:
    before = has_store(project)
    place = init_project(project)
    if as_json:
        output.json_result(
            {
                "root": place.root,
                "workspace": place.workspace.id,
                "store": place.store_path,
                "created": not before,
            }
        )
        return
    output.result(f"{place.root} {'already has' if before else 'now has'} a store: {place.store_path}")
    if not before:
        output.remark("next: `vectr-hooks install` registers the hooks that deliver its notes")


def has_store(project: str | None) -> bool:
    try:
        return os.path.exists(open_project(project).store_path)
    except VectrHooksError:
        return False
