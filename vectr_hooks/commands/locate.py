"""`vectr-hooks locate`: where a name is defined, or used."""

from __future__ import annotations

import os

import click

from vectr_hooks import output
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.search.index_file import read_index
from vectr_hooks.search.location import cache_home, index_folder
from vectr_hooks.search.symbols import UNCERTAIN, Symbol, Use, locate, references

_UPDATE = "some files have changed since they were indexed: `vectr-hooks index` brings it up to date"


@click.command("locate")
@click.argument("symbol")
@click.option("--references", "with_uses", is_flag=True, help="List the lines that use the name, too.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Of each list.")
@project_option
@json_option
@click.pass_context
def command(
    ctx: click.Context, symbol: str, with_uses: bool, limit: int, project: str | None, as_json: bool
) -> None:
    """Say where a name is defined, or used.

    SYMBOL is a name or its last parts: `save`, `Model.save`, `base.Model.save`, `net::Server::run`. It has to
    fit exactly. Where nothing does, names that only resemble it are listed as uncertain, and the exit status
    is 1. Uses are told by the name alone: several definitions of one name share them.

    \b
    Examples:
      vectr-hooks locate Store.open
      vectr-hooks locate acquire_lock --references
    """
    place = open_project(project)
    folder = index_folder(cache_home(dict(os.environ)), place.workspace.id, place.root)
    with read_index(folder) as con:
        found = locate(con, place.root, symbol)
        uses = references(con, place.root, symbol) if with_uses else []
    certain = [each for each in found if each.match != UNCERTAIN]
    uncertain = [each for each in found if each.match == UNCERTAIN]
    if as_json:
        document: dict[str, object] = {
            "definitions": [fields(each) for each in certain[:limit]],
            "uncertain": [fields(each) for each in uncertain[:limit]],
        }
        if with_uses:
            document["references"] = [use_fields(use) for use in uses[:limit]]
        output.json_result(document)
    else:
        _show(certain, uncertain, uses, limit)
    if not certain:
        known = "; the names listed only resemble it" if uncertain else ""
        output.remark(f"nothing is defined as {symbol}{known}")
    for what, number in (("definitions", len(certain)), ("uses", len(uses))):
        if number > limit:
            output.remark(f"{what} left out: {number - limit:,} (--limit shows more)")
    if any(one.changed for one in found[:limit]) or any(use.changed for use in uses[:limit]):
        output.remark(_UPDATE)
    if not certain and not uses:
        ctx.exit(1)


def _show(certain: list[Symbol], uncertain: list[Symbol], uses: list[Use], limit: int) -> None:
    for each in certain[:limit]:
        output.result(line(each))
    for each in uncertain[:limit]:
        output.result(f"uncertain: {line(each)}")
    for use in uses[:limit]:
        output.result(f"{use.path}:{use.line}: {use.text.strip()[:160]}")


def line(symbol: Symbol) -> str:
    warning = " [changed since it was indexed]" if symbol.changed else ""
    return f"{symbol.path}:{symbol.first}-{symbol.last} {symbol.kind} {symbol.qualified}{warning}"


def fields(symbol: Symbol) -> dict[str, object]:
    return {
        "path": symbol.path,
        "from": symbol.first,
        "to": symbol.last,
        "line": symbol.line,
        "name": symbol.qualified,
        "kind": symbol.kind,
        "match": symbol.match,
        "changed": symbol.changed,
    }


def use_fields(use: Use) -> dict[str, object]:
    return {"path": use.path, "line": use.line, "text": use.text, "changed": use.changed}
