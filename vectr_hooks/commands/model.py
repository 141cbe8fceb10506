"""`vectr-hooks model`: the embedding model, and fetching another."""

from __future__ import annotations

import os
from contextlib import closing

import click

from vectr_hooks import embedding, output
from vectr_hooks.core.nearest import allowed_hint
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import hand_on, json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store import configuration
from vectr_hooks.store.create import open_store

_SHIPPED = "all-MiniLM-L6-v2, which comes with the package"
_ON = ("1", "TRUE", "YES", "ON")


@click.group("model", invoke_without_command=True)
@project_option
@json_option
@click.pass_context
def command(ctx: click.Context, project: str | None, as_json: bool) -> None:
    """Show the embedding model, or fetch another.

    It tells `recall` and triggers with `semantic` how near two texts are in meaning. One comes with the
    package, and runs here. The setting `semantic.model` names another; nothing but `model pull` fetches one.

    \b
    Examples:
      vectr-hooks model
      vectr-hooks model pull BAAI/bge-small-en-v1.5
    """
    if ctx.invoked_subcommand is None:
        show(project=project, as_json=as_json)
    else:
        hand_on(ctx)


@command.command("pull")
@click.argument("name")
@json_option
def pull_command(name: str, as_json: bool) -> None:
    """Fetch an embedding model from the network, by fastembed's name for it.

    It goes into the folder `models` beside the stores, and is used where `semantic.model` names it.

    \b
    Example:
      vectr-hooks model pull BAAI/bge-small-en-v1.5
    """
    pull(name=name, as_json=as_json)


def show(*, project: str | None, as_json: bool) -> None:
    with closing(open_store(open_project(project).store_path)) as con:
        name = str(configuration.current(con)["semantic.model"])
    loaded = embedding.load(name)
    if as_json:
        output.json_result({"model": name, "hash": loaded.hash, "dimensions": loaded.dimensions})
        return
    output.result(f"{name or _SHIPPED}: {loaded.dimensions} dimensions, {loaded.hash[:16]}")


def pull(*, name: str, as_json: bool) -> None:
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in _ON:
        raise VectrHooksError("HF_HUB_OFFLINE is set, so nothing is fetched", "unset it, and try again")
    sizes = embedding.known_models()
    if name not in sizes:
        raise VectrHooksError(f"fastembed knows no model {name!r}", allowed_hint(name, sorted(sizes)))
    output.remark(
        f"fetching {name}, {sizes[name] * 1000:,.0f} MB, into {embedding.models_folder(os.environ)}"
    )
    embedding.fetch(name)
    loaded = embedding.load(name)
    if as_json:
        output.json_result({"model": name, "hash": loaded.hash, "dimensions": loaded.dimensions})
        return
    output.result(f"{name}: {loaded.dimensions} dimensions, {loaded.hash[:16]}")
    output.remark(f"next: `vectr-hooks config set semantic.model {name}`")
