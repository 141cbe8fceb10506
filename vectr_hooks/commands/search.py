"""`vectr-hooks search`: find code by words and by meaning."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from vectr_hooks import output
from vectr_hooks.embedding import Embedder, ModelUnavailable, load
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.search.index_file import read_index
from vectr_hooks.search.languages import LANGUAGES
from vectr_hooks.search.location import cache_home, index_folder
from vectr_hooks.search.query import Hit, Index

_LONGEST_LINE = 160


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--lang",
    "languages",
    type=click.Choice(LANGUAGES),
    metavar="LANGUAGE",
    multiple=True,
    help="Only files in this language; repeatable.",
)
@click.option("--path", "globs", metavar="GLOB", multiple=True, help="Only files that match; repeatable.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@click.option("--full", is_flag=True, help="Print the code, not only where it is.")
@click.option("--lexical", is_flag=True, help="By words alone, without the model: quicker.")
@project_option
@json_option
def command(
    query: tuple[str, ...],
    languages: tuple[str, ...],
    globs: tuple[str, ...],
    limit: int,
    full: bool,
    lexical: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """Find code by words and by meaning.

    Whole functions, classes and sections, the best first: where each is, its name and its first line. Words
    are found in the parts of identifiers, too. `vectr-hooks fetch` prints what is at such a place.

    What is found is what was indexed: a file that has changed since says so. GLOB is a pattern as in
    `.gitignore`.

    \b
    Examples:
      vectr-hooks search where are retries counted
      vectr-hooks search acquire_lock --lang python --path 'src/**' --full
    """
    place = open_project(project)
    folder = index_folder(cache_home(dict(os.environ)), place.workspace.id, place.root)
    with read_index(folder) as con:
        index = Index(folder, place.root, con)
        embedder = None if lexical else _model(index)
        hits = index.search(" ".join(query), limit, embedder, languages, globs)
    if as_json:
        output.json_result({"hits": [fields(hit) for hit in hits], "by_meaning": embedder is not None})
    else:
        for hit in hits:
            line = index_line(hit)
            output.result(f"{line}\n{hit.text}\n" if full else line)
    _remark(index, hits)


def fields(hit: Hit) -> dict[str, object]:
    return {
        "id": hit.id,
        "path": hit.path,
        "from": hit.first,
        "to": hit.last,
        "name": hit.name,
        "kind": hit.kind,
        "language": hit.language,
        "score": hit.score,
        "changed": hit.changed,
        "text": hit.text,
    }


def index_line(hit: Hit) -> str:
    name = f" {hit.name}" if hit.name else ""
    warning = " [changed since it was indexed]" if hit.changed else ""
    return f"{hit.path}:{hit.first}-{hit.last}{name}: {first_line(hit)}{warning}"


def first_line(hit: Hit) -> str:
    """The line that begins the definition, after what stands above it; else the first that is not blank."""
    lines = [line.strip() for line in hit.text.split("\n") if line.strip()]
    named = hit.name.partition(", ")[0].rpartition(".")[2]
    line = next((line for line in lines if named and named in line), lines[0] if lines else "")
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"


def _model(index: Index) -> Embedder | None:
    """The model by which the index was made; None, with a remark, where meanings cannot be compared."""
    if not index.counts["embedded"]:
        output.remark("by words alone: the index has no vectors (`vectr-hooks index` makes them)")
        return None
    try:
        model = load()
    except ModelUnavailable as error:
        output.remark(f"by words alone: {error.message}")
        return None
    if model.hash != index.model:
        output.remark("by words alone: the vectors are another model's (`vectr-hooks index` makes them anew)")
        return None
    return model


def _remark(index: Index, hits: Sequence[Hit]) -> None:
    if not hits:
        output.remark("nothing was found")
    if any(hit.changed for hit in hits):
        output.remark(
            "some files have changed since they were indexed: `vectr-hooks index` brings it up to date"
        )
    elif not index.finished:
        output.remark("the index is not finished: `vectr-hooks index` goes on")
