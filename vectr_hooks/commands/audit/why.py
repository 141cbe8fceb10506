"""`vectr-hooks audit why`: one note at one event, condition by condition."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Mapping
from contextlib import closing

import click

from vectr_hooks import output
from vectr_hooks.commands.audit.why_fields import explanation_fields
from vectr_hooks.commands.try_ import HOST, SESSION, event_payload
from vectr_hooks.core.nearest import allowed_hint
from vectr_hooks.core.occurrence import COMPACT
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.hosts.claude import EVENTS
from vectr_hooks.options import NoteId, json_option, project_option
from vectr_hooks.project import Project, open_project
from vectr_hooks.response import Response
from vectr_hooks.store.create import open_store
from vectr_hooks.store.explanation import Explanation, explain_note
from vectr_hooks.store.journal import Event, read_event, recent_events, recorded_facts

LAST = "last"
_LONGEST_ID = 18
_SHAPE = "a payload is one JSON object, as the host writes it to a hook's standard input"


@click.command("why")
@click.argument("note", type=NoteId())
@click.argument("event")
@project_option
@json_option
def command(note: int, event: str, project: str | None, as_json: bool) -> None:
    """Explain what became of one note at one event.

    EVENT is the number of a recorded event, as `vectr-hooks audit` lists them, or `last` for the newest; the
    note is then shown as it was at that event. Or it is a file that holds a payload as the host sends it, `-`
    for standard input: it is played, as by `vectr-hooks try`, in a session that has just started, and nothing
    is recorded.

    \b
    Examples:
      vectr-hooks audit why 12 last
      vectr-hooks audit why 12 3107 --json
      vectr-hooks audit why 12 payload.json
    """
    explanation = why(note=note, event=event, project=project)
    if as_json:
        output.json_result(explanation_fields(explanation))
    else:
        from vectr_hooks.commands.audit.why_screen import parts

        output.drawn(*parts(explanation))


def why(*, note: int, event: str, project: str | None) -> Explanation:
    place = open_project(project)
    with closing(open_store(place.store_path)) as con:
        if event == LAST or (event.isascii() and event.isdigit()):
            return explain_note(con, note, _recorded(con, event))
        newest = max((found.id for found in recent_events(con, 1)), default=0)
    return _played(place, note, _payload(event), newest)


def _recorded(con: sqlite3.Connection, event: str) -> Event:
    newest = next(iter(recent_events(con, 1)), None)
    if newest is None:
        raise VectrHooksError(
            "no event was recorded yet",
            "`vectr-hooks doctor` says whether the hooks run; a payload file can be given instead",
        )
    found = newest if event == LAST else None
    if found is None and len(event) <= _LONGEST_ID:
        found = read_event(con, int(event))
    if found is None:
        raise VectrHooksError(
            f"there is no event {event}", f"`vectr-hooks audit` lists them, the newest is {newest.id}"
        )
    return found


def _payload(name: str) -> dict[str, object]:
    """The payload in the file `name`, as a hook would read it."""
    from vectr_hooks.payload import fields
    from vectr_hooks.store.connection import open_scratch

    text = _text(name)
    where = "standard input" if name == "-" else name
    try:
        value = json.loads(text)
        if not isinstance(value, dict):
            raise VectrHooksError(f"{where} holds no JSON object", _SHAPE)
        with closing(open_scratch()) as scratch:
            top, _ = fields(scratch, text)
    except (ValueError, RecursionError, sqlite3.Error) as error:
        raise VectrHooksError(f"{where} is not JSON: {error}", _SHAPE) from error
    event = top.get("hook_event_name")
    if event not in EVENTS:
        said = "names no event" if event is None else f"is of the event {event}, which no hook answers"
        raise VectrHooksError(
            f"{where} {said}", allowed_hint(str(event), EVENTS, "`hook_event_name` is one of")
        )
    # The rest as it is: a tool's result is looked through too.
    return {**value, **{key: text for key, text in top.items() if text is not None}}


def _text(name: str) -> str:
    try:
        if name == "-":
            raw = sys.stdin.buffer.read()
        else:
            with open(name, "rb") as file:
                raw = file.read()
    except FileNotFoundError as error:
        raise VectrHooksError(
            f"there is no event or file {name}",
            "an event is a number that `vectr-hooks audit` lists, `last`, a payload file, or `-`",
        ) from error
    except OSError as error:
        raise VectrHooksError(f"{name} cannot be read: {error.strerror}", "name a payload file") from error
    return raw.decode("utf-8", "replace").lstrip("\ufeff").strip()


def _played(place: Project, note: int, payload: Mapping[str, object], newest: int) -> Explanation:
    """Explain `note` at an event played to the store, of which `newest` is the newest event recorded."""
    from vectr_hooks.hook import rehearse

    found: list[Explanation] = []

    def look(con: sqlite3.Connection, response: Response) -> None:
        con.row_factory = sqlite3.Row
        event = next(iter(recent_events(con, 1)), None)
        if event is None or event.id <= newest:
            return
        # The record keeps less of a long command line than the payload holds.
        facts = recorded_facts(event, response.sight.commands)
        found.append(explain_note(con, note, event, facts, played_from=newest + 1))

    session = [json.dumps(event) for event in _session(payload, place.root)]
    rehearse(place.store_path, HOST, session, look)
    if not found:
        raise VectrHooksError(
            "the event would not be answered",
            "hooks answer where `vectr-hooks config get enabled` is true and the store can be written",
        )
    return found[0]


def _session(payload: Mapping[str, object], root: str) -> list[dict[str, object]]:
    """The session in which `payload` is played: one that has just started in the project at `root`."""
    folder = payload.get("cwd")
    inside = isinstance(folder, str) and os.path.isdir(folder) and _is_within(folder, root)
    own = {
        "session_id": SESSION,
        "transcript_path": "",
        "cwd": folder if inside else root,
        "prompt_id": payload.get("prompt_id") or SESSION,
    }
    begins = payload["hook_event_name"] == "SessionStart" and payload.get("source") != COMPACT
    return [*([] if begins else [event_payload("start", "", root)]), {**payload, **own}]


def _is_within(folder: str, root: str) -> bool:
    real = os.path.realpath(folder)
    return real == root or real.startswith(os.path.join(root, ""))
