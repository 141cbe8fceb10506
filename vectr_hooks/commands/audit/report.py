"""`vectr-hooks audit report`: the audit as one page."""

from __future__ import annotations

import os
from contextlib import closing

import click

from vectr_hooks import output
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.reporting import report
from vectr_hooks.store.create import open_store
from vectr_hooks.templating import template


@click.command("report")
@click.option(
    "--html",
    "path",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    required=True,
    help="Where to write the page; `-` for standard output.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE where there is one.")
@project_option
@json_option
def command(path: str, overwrite: bool, project: str | None, as_json: bool) -> None:
    """Write the audit as one HTML page.

    It needs no network and no other file, and holds what the audit holds: titles of notes, paths, numbers; no
    prompt and no output. With JavaScript its tables can be searched and sorted; without it everything can be
    read.

    \b
    Example:
      vectr-hooks audit report --html audit.html
    """
    place = open_project(project)
    with closing(open_store(place.store_path)) as con:
        found = report(con, place.root, output.LeftOut())
    page = template("report/report.html.j2").render(
        report=found, shown=output.visible, counted=output.counted
    )
    if path == "-":
        output.verbatim(page)
        return
    try:
        with open(path, "w" if overwrite else "x", encoding="utf-8", newline="\n") as file:
            file.write(page)
    except FileExistsError as error:
        raise VectrHooksError(
            f"{path} is there already", "name another file, or give --overwrite to replace it"
        ) from error
    except OSError as error:
        raise VectrHooksError(
            f"{path} cannot be written: {error.strerror}", "name a file in a folder that is there"
        ) from error
    size = os.path.getsize(path)
    if as_json:
        output.json_result({"path": os.path.abspath(path), "bytes": size, "events": found.statistics.events})
    else:
        output.result(f"{path}: {output.counted(found.statistics.events, 'event')}, {size:,} bytes")
