"""`vectr-hooks show`: notes whole, with their triggers."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import click

from vectr_hooks import output
from vectr_hooks.commands.as_it_stands import as_it_stands, standing_fields
from vectr_hooks.commands.as_it_was import as_it_was, at_option, heading, snapshot_fields
from vectr_hooks.commands.looking_up import keep_lookup
from vectr_hooks.core.describe import arrival
from vectr_hooks.core.grammar import Trigger, trigger_value
from vectr_hooks.options import json_option, note_ids, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, existing_note, history

if TYPE_CHECKING:
    from vectr_hooks.store.past_notes import Snapshot


@click.command("show")
@note_ids
@click.option("--body", "only_body", is_flag=True, help="Print the body alone, byte for byte.")
@click.option("--history", "with_history", is_flag=True, help="Show what changed in each, when, and by whom.")
@at_option
@project_option
@json_option
def command(
    ids: tuple[int, ...],
    only_body: bool,
    with_history: bool,
    at: str | None,
    project: str | None,
    as_json: bool,
) -> None:
    """Show notes whole, with their triggers.

    A note that was revoked or superseded or has expired, and one whose files are gone or have changed since
    it was written, says so. Only the files that it was about then are looked at, its anchors and those that
    its body named: whether what it says is still true they do not tell.

    With --at the notes are shown as they were, by the settings and on the day of then. How their files were
    is not kept.

    \b
    Examples:
      vectr-hooks show 12 31
      vectr-hooks show 12 --at before-the-merge
      vectr-hooks show 12 --body > note.md
    """
    show(ids=ids, only_body=only_body, with_history=with_history, at=at, project=project, as_json=as_json)


def show(
    *,
    ids: tuple[int, ...],
    only_body: bool,
    with_history: bool,
    at: str | None,
    project: str | None,
    as_json: bool,
) -> None:
    place = open_project(project)
    with closing(open_store(place.store_path)) as con:
        snapshot = None
        if at is None:
            notes = [existing_note(con, id) for id in ids]
            standings = as_it_stands(con, place.root, notes)
        else:
            # Imported here, as is what compares revisions: most often a note is shown as it is.
            from vectr_hooks.store import past_notes

            snapshot = past_notes.find(con, at)
            seen = [past_notes.existing_note_at(con, id, snapshot) for id in ids]
            notes = [each.note for each in seen]
            standings = {each.note.id: as_it_was(each) for each in seen}
        revisions = {note.id: _history(con, note.id, snapshot) for note in notes} if with_history else {}
        keep_lookup(con, "show", ids)
    if as_json:
        output.json_result(
            ({"at": snapshot_fields(snapshot)} if snapshot else {})
            | {
                "notes": [
                    standing_fields(note, standings[note.id])
                    | ({"history": list(history_fields(revisions[note.id]))} if with_history else {})
                    for note in notes
                ]
            }
        )
    elif only_body:
        if snapshot:
            output.remark(heading(snapshot))
        for note in notes:
            output.verbatim(note.body)
    else:
        texts = []
        for note in notes:
            shown = [heading(snapshot)] if snapshot else []
            shown += lines(note, standings[note.id].words)
            if with_history:
                shown += ["", "history:", *history_lines(revisions[note.id])]
            texts.append("\n".join(shown))
        output.result("\n\n".join(texts))


def _history(con: sqlite3.Connection, id: int, snapshot: Snapshot | None) -> list[Note]:
    revisions = history(con, id)
    return [note for note in revisions if note.revision <= snapshot.note_revision] if snapshot else revisions


def lines(note: Note, warning: str = "") -> Iterator[str]:
    """The note as people read it, after what they have to know before believing it."""
    yield f"#{note.id} {note.kind}: {note.title}"
    if warning:
        yield f"WARNING: {warning}"
    for name, value in {
        "priority": note.priority,
        "pinned": "yes" if note.pinned else "",
        "tags": ", ".join(note.tags),
        "anchors": ", ".join(note.anchors),
        "scope": note.scope,
        "state": note.state,
        "provenance": note.provenance,
        "quote": note.quote,
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


def changes(revisions: Sequence[Note]) -> Iterator[tuple[Note, list[str]]]:
    """Each revision with the fields that it changed; the first with none."""
    from vectr_hooks.core.changes import changed_fields

    before = revisions[0]
    for note in revisions:
        yield note, list(changed_fields(before, note))
        before = note


def history_lines(revisions: Sequence[Note]) -> Iterator[str]:
    for note, changed in changes(revisions):
        by = f" by {_BY[note.changed_by]}" if note.changed_by in _BY else ""
        reason = f": {note.reason}" if note.reason and "state" in changed else ""
        to = [
            f"{name} {getattr(note, name)}{reason if name == 'state' else ''}"
            for name in _TOLD
            if name in changed
        ]
        others = [
            name.replace("_", " ") for name in changed if name not in (*_TOLD, "reason", "superseded_by")
        ]
        what = ", ".join([*others, *to]) or ("stored" if note is revisions[0] else "nothing")
        yield f"  {note.revision}  {output.utc(note.at)}  {what}{by}"


def history_fields(revisions: Sequence[Note]) -> Iterator[dict[str, object]]:
    for note, changed in changes(revisions):
        yield {
            "revision": note.revision,
            "at_ms": note.at,
            "by": note.changed_by,
            "changed": changed,
            "state": note.state,
            "reason": note.reason,
            "superseded_by": note.superseded_by or None,
            "provenance": note.provenance,
            "title": note.title,
            "body": note.body,
        }


# Of these the new value is told.
_TOLD = ("provenance", "pinned", "state")
_BY = {"human": "the user", "agent": "an agent"}
