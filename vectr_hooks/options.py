"""What several commands share of click: options, and groups of commands."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, ClassVar

import click
from click.core import ParameterSource

_AGO = re.compile(r"([0-9]{1,6}) ?(min|h|d|w)")
_MILLISECONDS = {"min": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}
# What may stand before a subcommand as well as after it.
_HANDED_ON = ("project", "as_json")


class LazyGroup(click.Group):
    """A group that imports a command's module, which calls its click command `command`, when it is called."""

    #: by the command's name
    modules: ClassVar[Mapping[str, str]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.modules:
            return None
        command: click.Command = importlib.import_module(self.modules[cmd_name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            # Costs a command a tenth of its time, for a message that is rarely needed.
            import difflib

            close = difflib.get_close_matches(args[0].lower(), self.modules, n=1)
            meant = f" Did you mean `{ctx.command_path} {close[0]}`?" if close else ""
            raise click.UsageError(f"There is no command `{args[0]}`.{meant}", ctx)
        return super().resolve_command(ctx, args)


def hand_on(ctx: click.Context) -> None:
    """Give a subcommand what stood before it: `--project` and `--json`; what is for the list is refused."""
    for option in ctx.command.params:
        name = str(option.name)
        if name not in _HANDED_ON and ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            here = f"{ctx.command.name} {ctx.invoked_subcommand}"
            raise click.UsageError(f"{option.opts[0]} is for the list, not for `{here}`.")
    ctx.default_map = {str(ctx.invoked_subcommand): {name: ctx.params[name] for name in _HANDED_ON}}


class NoteId(click.IntRange):
    """A note's id, also as it is written elsewhere: `#12`."""

    name = "id"

    def __init__(self) -> None:
        super().__init__(min=1, max=(1 << 63) - 1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text: Any = value.removeprefix("#") if isinstance(value, str) else value
        try:
            number: int = super().convert(text, param, ctx)
        except click.BadParameter as error:
            hint = "Give the number of a note, as `vectr-hooks list` shows it."
            raise click.BadParameter(f"{error.message} {hint}", ctx, param) from None
        return number

    def _describe_range(self) -> str:
        # That ids are positive needs no saying in the help.
        return ""


def point_in_time(text: str) -> int:
    """A type of option: milliseconds since 1970, from how long ago (`30min`, `2h`, `3d`, `1w`) or a date."""
    given = text.strip().removesuffix("Z").replace("T", " ")
    ago = _AGO.fullmatch(given)
    if ago:
        return time.time_ns() // 1_000_000 - int(ago[1]) * _MILLISECONDS[ago[2]]
    for shape in ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"):
        try:
            return int(datetime.strptime(given, shape).replace(tzinfo=timezone.utc).timestamp()) * 1000
        except ValueError:
            continue
    raise click.BadParameter(
        f"{text!r} is no time: `30min`, `2h`, `3d`, `1w`, `2026-01-31` or `2026-01-31 14:00` (UTC)"
    )


project_option = click.option(
    "--project",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="The project that is meant, or a folder in it; default: the current folder.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
strict_option = click.option("--strict", is_flag=True, help="Refuse what there is a remark about.")
redact_option = click.option("--redact", is_flag=True, help="Store it without the secrets it holds.")
note_ids = click.argument("ids", metavar="ID...", type=NoteId(), nargs=-1, required=True)
