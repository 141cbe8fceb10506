"""`vectr-hooks unpin`: deliver notes by their triggers alone again."""

from __future__ import annotations

import click

from vectr_hooks.commands.pin import set_pinned, tell
from vectr_hooks.options import json_option, note_ids, project_option


@click.command("unpin")
@note_ids
@project_option
@json_option
def command(ids: tuple[int, ...], project: str | None, as_json: bool) -> None:
    """Deliver notes by their triggers alone again.

    \b
    Example:
      vectr-hooks unpin 12
    """
    tell(set_pinned(ids=ids, pinned=False, project=project), as_json)
