"""`vectr-hooks index`: make the index of the project's code, or bring it up to date."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from vectr_hooks import output
from vectr_hooks.embedding import Embedder, ModelUnavailable, load
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.search.build import Summary, Told, build
from vectr_hooks.search.location import cache_home, index_folder

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@click.command("index")
@click.option("--force", is_flag=True, help="Make it anew, whatever there is.")
@click.option("--lexical", is_flag=True, help="Do without the model: code is then found by its words alone.")
@project_option
@json_option
def command(force: bool, lexical: bool, project: str | None, as_json: bool) -> None:
    """Make the index of the project's code, or bring it up to date.

    Only files that have changed are read again. It may be ended at any moment, and goes on from there when it
    is called again: the words of all files come first and can be searched at once, the vectors after them.

    Left out is what `.gitignore`, `.git/info/exclude` or `.vectrignore` (of the same form) name, and what is
    binary, empty, generated, minified (a line of more than 5,000 characters, or 250 on the average), larger
    than 1 MiB, or, where it is data or of no known language, than 100 KiB; also lock files, translations,
    files made to hold credentials, links, and folders that are repositories of their own. A line such as
    `!*.lock` in `.vectrignore` takes in what is left out by its name.

    The index lies in the cache folder and can be deleted at any time.

    \b
    Examples:
      vectr-hooks index
      vectr-hooks index --lexical --json
    """
    began = time.monotonic()
    place = open_project(project)
    folder = index_folder(cache_home(dict(os.environ)), place.workspace.id, place.root)
    without = "--lexical" if lexical else ""

    def model() -> Embedder | None:
        nonlocal without
        try:
            return load()
        except ModelUnavailable as error:
            without = error.message
            return None

    with _drawn() as told:
        summary = build(folder, place.root, None if lexical else model, told, force=force)
    if without and summary.counts["embedded"] < summary.counts["to_embed"]:
        output.remark(f"no vectors were made ({without}): code is found by its words alone")
    for path in summary.unreadable:
        output.remark(f"cannot be read: {path}")
    if as_json:
        output.json_result(
            fields(summary) | {"folder": folder, "seconds": round(time.monotonic() - began, 3)}
        )
    else:
        output.result(described(summary))


def fields(summary: Summary) -> dict[str, object]:
    return {
        "added": summary.added,
        "changed": summary.changed,
        "removed": summary.removed,
        "unchanged": summary.unchanged,
        "new_vectors": summary.new_vectors,
        **summary.counts,
        "left_out": summary.left_out,
    }


def described(summary: Summary) -> str:
    counts = summary.counts
    moved = [
        f"{number:,} {word}"
        for number, word in (
            (summary.added, "added"),
            (summary.changed, "changed"),
            (summary.removed, "removed"),
        )
        if number
    ]
    lines = [
        f"{counts['files']:,} files ({', '.join(moved) or 'none changed'}):"
        f" {counts['symbols']:,} symbols, {counts['chunks']:,} chunks,"
        f" {counts['embedded']:,} of {counts['to_embed']:,} vectors"
    ]
    if summary.left_out:
        left = ", ".join(f"{number:,} {why}" for why, number in summary.left_out.items())
        lines.append(f"left out: {left}")
    return "\n".join(lines)


@contextmanager
def _drawn() -> Iterator[Told]:
    """Draw on stderr, where that is a terminal, how far it has come, how fast, and how long it will take."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _moving(bar)


def _moving(bar: Progress) -> Told:
    tasks: dict[str, TaskID] = {}

    def told(what: str, done: int, total: int) -> None:
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total, completed=done, rate="")
        task = next(each for each in bar.tasks if each.id == tasks[what])
        bar.update(task.id, completed=done, total=total, rate=f"{task.speed:,.0f}/s" if task.speed else "")

    return told
