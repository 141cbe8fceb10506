"""`vectr-hooks config`: show and change a project's settings."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

import click

from vectr_hooks import output
from vectr_hooks.core.setting_values import refuse_unknown
from vectr_hooks.core.settings import DEFAULTS, DOCUMENTED
from vectr_hooks.options import hand_on, json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store import configuration
from vectr_hooks.store.create import open_store

if TYPE_CHECKING:
    from vectr_hooks.core.settings import Value


@click.group("config", invoke_without_command=True)
@project_option
@json_option
@click.pass_context
def command(ctx: click.Context, project: str | None, as_json: bool) -> None:
    """Show and change this project's settings.

    Without a subcommand all settings are listed as YAML, each with what it is for.

    \b
    Examples:
      vectr-hooks config
      vectr-hooks config set budget.turn 1200
      vectr-hooks config unset budget.turn
    """
    if ctx.invoked_subcommand is None:
        show_all(project=project, as_json=as_json)
    else:
        hand_on(ctx)


@command.command("get")
@click.argument("key")
@project_option
@json_option
def get_command(key: str, project: str | None, as_json: bool) -> None:
    """Print the value of one setting.

    \b
    Example:
      vectr-hooks config get budget.turn
    """
    refuse_unknown(key)
    tell(key, read_settings(project)[key], as_json)


@command.command("set")
@click.argument("key")
@click.argument("value")
@project_option
@json_option
def set_command(key: str, value: str, project: str | None, as_json: bool) -> None:
    """Set one setting, from the next event on.

    \b
    Example:
      vectr-hooks config set enabled off
    """
    with closing(open_store(open_project(project).store_path)) as con:
        configuration.set_value(con, key, value, time.time_ns() // 1_000_000)
        tell(key, configuration.current(con)[key], as_json, named=True)


@command.command("unset")
@click.argument("key")
@project_option
@json_option
def unset_command(key: str, project: str | None, as_json: bool) -> None:
    """Let the default of one setting hold again.

    \b
    Example:
      vectr-hooks config unset budget.turn
    """
    with closing(open_store(open_project(project).store_path)) as con:
        configuration.unset_value(con, key, time.time_ns() // 1_000_000)
        tell(key, configuration.current(con)[key], as_json, named=True)


def show_all(*, project: str | None, as_json: bool) -> None:
    settings = read_settings(project)
    if as_json:
        output.json_result(
            {
                "settings": {
                    key: {"value": value, "default": DEFAULTS[key], "about": DOCUMENTED[key]}
                    for key, value in settings.items()
                }
            }
        )
        return
    widest = max(len(f"{key}: {in_yaml(value)}") for key, value in settings.items())
    for key, value in settings.items():
        origin = "default" if value == DEFAULTS[key] else f"changed from {in_yaml(DEFAULTS[key])}"
        output.result(f"{f'{key}: {in_yaml(value)}'.ljust(widest)}  # {origin}; {DOCUMENTED[key]}")


def read_settings(project: str | None) -> Mapping[str, Value]:
    with closing(open_store(open_project(project).store_path)) as con:
        return configuration.current(con)


def tell(key: str, value: Value, as_json: bool, named: bool = False) -> None:
    if as_json:
        output.json_result({"key": key, "value": value, "default": DEFAULTS[key]})
    else:
        output.result(f"{key}: {in_yaml(value)}" if named else in_yaml(value))


def in_yaml(value: Value) -> str:
    if isinstance(value, str):
        return value or "''"
    return str(value).lower()
