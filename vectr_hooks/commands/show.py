"""`vectr-hooks show`: notes whole, with their triggers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing

import click

from vectr_hooks import output
from vectr_hooks.core.describe import arrival
from vectr_hooks.core.grammar import Trigger, trigger_value
from vectr_hooks.options import json_option, note_ids, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, existing_note


@click.command("show")
@note_ids
@click.option("--body", "only_body", is_flag=True, help="Print the body alone, byte for byte.")
@project_option
@json_option
def command(ids: tuple[int, ...], only_body: bool, project: str | None, as_json: bool) -> None:
    """Show notes whole, with their triggers.

    \b
    Examples:
      vectr-hooks show 12 31
      vectr-hooks show 12 --body > note.md
    """
    show(ids=ids, only_body=only_body, project=project, as_json=as_json)


def show(*, ids: tuple[int, ...], only_body: bool, project: str | None, as_json: bool) -> None:
    with closing(open_store(open_project(project).store_path)) as con:
        notes = [existing_note(con, id) for id in ids]
    if as_json:
        output.json_result({"notes": [output.note_fields(note) for note in notes]})
    elif only_body:
        for note in notes:
            output.verbatim(note.body)
    else:
        output.result("\n\n".join(output.visible("\n".join(lines(note))) for note in notes))


def lines(note: Note) -> Iterator[str]:
    yield f"#{note.id} {note.kind}: {note.title}"
    for name, value in {
        "priority": note.priority,
        "pinned": "yes" if note.pinned else "",
        "tags": ", ".join(note.tags),
        "anchors": ", ".join(note.anchors),
        "scope": note.scope,
        "state": note.state,
        "provenance": note.provenance,
        "author": note.author,
        "session": note.session,
        "created": output.utc(note.created),
        "changed": output.utc(note.at) if note.at != note.created else "",
        "revision": str(note.revision),
        "cost": f"{note.cost} tokens",
    }.items():
        if value:
            yield f"{name}: {value}"
    yield arrival(note.trigger, note)
    if note.trigger is not None:
        yield from trigger_lines(note.trigger)
    yield ""
    yield note.body.rstrip("\n")


def trigger_lines(trigger: Trigger) -> Iterator[str]:
    """The trigger as YAML that `remember --trigger` reads; values as in JSON, which YAML contains."""
    yield "trigger:"
    yield "  clauses:"
    for clause in trigger.clauses:
        first, *others = (f"{name}: {_json(list(values))}" for name, values in clause.conditions)
        yield f"  - {first}"
        yield from (f"    {other}" for other in others)
        if clause.unless:
            yield f"    unless: {_json({name: list(values) for name, values in clause.unless})}"
    limits = {name: given for name, given in trigger_value(trigger).items() if name != "clauses"}
    yield from (f"  {name}: {_json(given)}" for name, given in limits.items())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
