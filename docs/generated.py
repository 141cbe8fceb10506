"""The parts of the documentation that are written from the program itself; `make docs` puts them in place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from textwrap import dedent
from typing import Any

import click
import yaml

from vectr_hooks import cli
from vectr_hooks.core import settings
from vectr_hooks.core.grammar import CONDITIONS
from vectr_hooks.options import LazyGroup
from vectr_hooks.store import schema

ROOT = Path(__file__).resolve().parents[1]
PAIRS_A_CONDITION = 10
# A cell of a table must not be wider than a screen.
CELL_CHARACTERS = 90


def trigger_cases(condition: str) -> str:
    """A table of triggers of `condition`: an event at which each fires, and one at which it nearly does."""
    rows = ["| trigger | fires | does not |", "|---|---|---|"]
    for trigger, fires, not_ in _opposites(condition):
        rows.append(f"| {_code(_flow(trigger))} | {_case(fires)} | {_case(not_)} |")
    return "\n".join(rows)


def conditions() -> tuple[str, ...]:
    return tuple(CONDITIONS)


def setting_table() -> str:
    rows = ["| setting | default | what it is |", "|---|---|---|"]
    for key, value in settings.DEFAULTS.items():
        default = str(value).lower() if isinstance(value, bool | str) else f"{value:,}"
        rows.append(f"| `{key}` | {default or '(none)'} | {_cell(settings.DOCUMENTED[key])} |")
    return "\n".join(rows)


def command_reference() -> str:
    """Every command's own help, by section."""
    parts = []
    for section, commands in cli.SECTIONS.items():
        parts.append(f"## {section}")
        for name, (module, _) in commands.items():
            command = import_module(f"vectr_hooks.commands.{module}").command
            parts += _help_of(command, f"vectr-hooks {name}")
    return "\n\n".join(parts)


def store_schema() -> str:
    return f"Version {schema.VERSION}.\n\n```sql\n{schema.TABLES.strip()}\n```"


def _help_of(command: click.Command, name: str) -> Iterator[str]:
    """What `--help` says, but for its layout, which is click's and changes between its releases."""
    arguments = [_usage(each) for each in command.params if isinstance(each, click.Argument)]
    if isinstance(command, click.Group):
        arguments.append("[COMMAND]")
    yield f"### `{' '.join([name, *arguments])}`"
    yield _without_marks(cleandoc(command.help or ""))
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    rows = [f"| {_code(_spelled(option))} | {_cell(_meaning(option))} |" for option in options]
    yield "\n".join(["| option | |", "|---|---|", *rows])
    if isinstance(command, LazyGroup):
        context = click.Context(command, info_name=name)
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from _help_of(found, f"{name} {child}")


def _usage(argument: click.Argument) -> str:
    name = argument.metavar or (argument.name or "").upper()
    if argument.metavar:
        return name
    name += "..." if argument.nargs == -1 else ""
    return name if argument.required else f"[{name}]"


def _without_marks(text: str) -> str:
    """The help's text as Markdown: what click is to leave as it stands is a block of code."""
    parts = []
    for part in text.split("\n\n"):
        kept = part.lstrip("\b\n")
        if kept != part:
            first, _, rest = kept.partition("\n")
            lead, block = (first, rest) if first.endswith(":") else ("", kept)
            kept = f"{lead}\n\n```\n{dedent(block)}\n```".strip()
        parts.append(kept)
    return "\n\n".join(parts)


def _spelled(option: click.Option) -> str:
    value = option.metavar or (
        "|".join(map(str, option.type.choices)) if isinstance(option.type, click.Choice) else ""
    )
    if not value and not option.is_flag:
        value = "N" if isinstance(option.type, click.IntRange | type(click.INT)) else "TEXT"
    return " ".join([", ".join([*option.opts, *option.secondary_opts]), value]).strip()


def _meaning(option: click.Option) -> str:
    default = option.default if option.show_default and isinstance(option.default, str | int) else None
    return (option.help or "") + (f" Default: `{default}`." if default is not None else "")


def _opposites(condition: str) -> list[tuple[Any, dict[str, Any], dict[str, Any]]]:
    """Triggers about `condition` of which the test table has an event that fires and one that does not."""
    by_trigger: dict[str, list[dict[str, Any]]] = {}
    for pair in yaml.safe_load((ROOT / "tests/cases/precision.yaml").read_text(encoding="utf-8")):
        if isinstance(pair["trigger"], dict) and _is_about(condition, pair["trigger"]):
            by_trigger.setdefault(json.dumps(pair["trigger"]), []).append(pair)
    found = []
    for trigger, pairs in by_trigger.items():
        fires = next((pair for pair in pairs if pair["fires"]), None)
        not_ = next((pair for pair in pairs if not pair["fires"]), None)
        if fires and not_:
            found.append((json.loads(trigger), fires, not_))
    # What it does alone first.
    return sorted(found, key=lambda each: len(each[0]))[:PAIRS_A_CONDITION]


def _is_about(condition: str, trigger: dict[str, Any]) -> bool:
    others = set(trigger) - {condition}
    return condition in trigger and (not others or condition in ("symbol", "branch", "subagent", "unless"))


def _case(pair: dict[str, Any]) -> str:
    return f"{_cell(pair['says'])}: {_cell(', '.join(_happening(pair)))}"


def _happening(pair: dict[str, Any]) -> Iterator[str]:
    for what, value in pair["event"].items():
        shown = value if isinstance(value, str) else _flow(value)
        yield f"{what} {_code(shown)}"
    for path, held in (pair.get("files") or {}).items() if isinstance(pair.get("files"), dict) else ():
        yield f"{_code(path)} holding {_code(held)}"
    for key, words in (("turn", "after the prompt"), ("branch", "on"), ("in_subagent", "in a subagent")):
        if key in pair:
            yield f"{words} {_code(pair[key]) if pair[key] else 'no branch'}"


def _flow(value: object) -> str:
    text: str = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, width=10_000, sort_keys=False
    )
    return text.strip().removesuffix("\n...")


def _code(text: str) -> str:
    text = " ".join(str(text).split())
    if len(text) > CELL_CHARACTERS:
        text = text[: CELL_CHARACTERS - 1] + "…"
    fence = "`" * (1 + _longest_run(text))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text.replace('|', chr(92) + '|')}{pad}{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _runs(text)), default=0)


def _runs(text: str) -> Iterable[str]:
    return "".join(character if character == "`" else " " for character in text).split()


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|") if "`" not in text else " ".join(text.split())
