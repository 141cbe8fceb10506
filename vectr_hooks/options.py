"""What several commands share of click: options, and a group that imports its commands late."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, ClassVar

import click


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


class NoteId(click.IntRange):
    """A note's id, also as it is written elsewhere: `#12`."""

    name = "id"

    def __init__(self) -> None:
        super().__init__(min=1, max=(1 << 63) - 1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text: Any = value.removeprefix("#") if isinstance(value, str) else value
        number: int = super().convert(text, param, ctx)
        return number


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
