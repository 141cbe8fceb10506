"""`vectr-hooks fetch`: lines of a file of the project, as they are."""

from __future__ import annotations

import os

import click

from vectr_hooks import output
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.search.excerpt import Excerpt, excerpt
from vectr_hooks.search.location import cache_home, index_folder


@click.command("fetch")
@click.argument("place", metavar="PATH[:FROM-TO]")
@project_option
@json_option
def command(place: str, project: str | None, as_json: bool) -> None:
    """Print lines of a file of the project, as they are now.

    PATH is relative to the project, or to the current folder; files outside of the project are refused, also
    through a link. Without lines the whole file is printed. Where the file has changed since it was indexed,
    lines that a search named may have moved, and a remark says so.

    \b
    Examples:
      vectr-hooks fetch src/store.py:10-40
      vectr-hooks fetch README.md
    """
    where = open_project(project)
    folder = index_folder(cache_home(dict(os.environ)), where.workspace.id, where.root)
    found = excerpt(where.root, place, os.path.realpath(os.getcwd()), folder)
    if as_json:
        output.json_result(fields(found))
    else:
        output.verbatim(found.text)
    if not found.is_utf8:
        output.remark(f"{found.path} is not UTF-8: printed as if it were Latin-1")
    if found.changed:
        output.remark(
            f"{found.path} has changed since it was indexed: `vectr-hooks index` brings the index up to date"
        )


def fields(found: Excerpt) -> dict[str, object]:
    return {
        "path": found.path,
        "from": found.first,
        "to": found.last,
        "lines": found.lines,
        "utf8": found.is_utf8,
        "changed": found.changed,
        "text": found.text,
    }
