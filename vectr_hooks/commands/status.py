"""`vectr-hooks status`: what is set up here and whether it works."""

from __future__ import annotations

import os

import click

from vectr_hooks import output
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import json_option, project_option


@click.command("status")
@click.option("--line", "as_line", is_flag=True, help="One short line, for the client's status line.")
@click.option("--color", is_flag=True, help="Colour that line.")
@project_option
@json_option
def command(as_line: bool, color: bool, project: str | None, as_json: bool) -> None:
    """Say what is set up here and whether it works.

    With --line it says in at most 60 characters how many notes there are and what this session was given. It
    then takes the folder and the session from the JSON that Claude Code gives a status line on standard
    input, prints nothing where there is no store, and always succeeds.

    \b
    Examples:
      vectr-hooks status
      vectr-hooks status --line
    """
    if as_line:
        if as_json:
            raise VectrHooksError("--line is for people, --json for programs", "give one of them")
        status_line(project=project, color=color)
    else:
        status(project=project, as_json=as_json)


def status(*, project: str | None, as_json: bool) -> None:
    from dataclasses import asdict

    from vectr_hooks.commands import status_report

    found = status_report.gather(os.path.realpath(project or os.getcwd()))
    if as_json:
        output.json_result(asdict(found))
    else:
        for line in status_report.lines(found):
            output.result(line)


def status_line(*, project: str | None, color: bool) -> None:
    # Asked for every few seconds, so nothing that the whole report needs is loaded.
    from vectr_hooks.commands.status_line import line

    text = line(project, os.environ)
    if text:
        click.echo(click.style(text, fg="cyan") if color else text, color=color)
