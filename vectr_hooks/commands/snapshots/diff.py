"""`vectr-hooks snapshots diff`: which notes came, changed and went."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import click

from vectr_hooks import output
from vectr_hooks.commands.as_it_was import snapshot_fields
from vectr_hooks.core.changes import Changed, Changes, Seen, changes
from vectr_hooks.core.describe import describe_trigger
from vectr_hooks.core.grammar import trigger_value
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store import past_notes
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note
from vectr_hooks.store.past_notes import Snapshot, named


@click.command("diff")
@click.argument("older", metavar="A")
@click.argument("newer", metavar="[B]", required=False)
@project_option
@json_option
def command(older: str, newer: str | None, project: str | None, as_json: bool) -> None:
    """Show which notes came, changed and went from the snapshot A to the snapshot B, or until now.

    A and B are names or numbers, as `snapshots` shows them. Went: what is no longer told as true, since it
    was superseded or revoked or has expired. A note that was forgotten is named by its number alone, and only
    where the audit still knows that it was there.

    \b
    Examples:
      vectr-hooks snapshots diff before-the-merge
      vectr-hooks snapshots diff 3 4 --json
    """
    found = difference(older=older, newer=newer, project=project)
    if as_json:
        output.json_result(fields(found))
    else:
        output.result("\n".join(lines(found)))


@dataclass(frozen=True)
class Difference:
    """What became of the notes between two snapshots."""

    older: Snapshot
    newer: Snapshot
    changes: Changes[Note]
    forgotten: tuple[int, ...]
    """Since the older one, as far as is known; by now they are gone from both."""


def difference(*, older: str, newer: str | None, project: str | None) -> Difference:
    with closing(open_store(open_project(project).store_path)) as con:
        first = past_notes.find(con, older)
        now_ms = time.time_ns() // 1_000_000
        second = past_notes.present(con, now_ms) if newer is None else past_notes.find(con, newer)
        if second.id and first.id > second.id:
            raise VectrHooksError(
                f"{named(first)} was taken after {named(second)}", "give the older one first"
            )
        before, after = past_notes.differing(con, first, second, output.LeftOut())
        forgotten = tuple(past_notes.forgotten_since(con, first))
    return Difference(first, second, changes(before, after), forgotten)


def lines(found: Difference) -> Iterator[str]:
    """The difference as people read it."""
    which = found.changes
    yield f"from {_when(found.older)} to {_when(found.newer)}"
    yield f"{len(which.came)} came, {len(which.changed)} changed, {len(which.went)} went"
    if which.came:
        yield "\ncame:"
        yield from (f"  {_line(seen)}" for seen in which.came)
    for title, those in (("changed", which.changed), ("went", which.went)):
        if those:
            yield f"\n{title}:"
        for changed in those:
            yield f"  {_line(changed.after)}"
            yield from (f"    {line}" for line in _field_lines(changed))
    if found.forgotten:
        yield "\nforgotten since: " + " ".join(f"#{id}" for id in found.forgotten)


def _when(snapshot: Snapshot) -> str:
    return f"{named(snapshot)}, {output.utc(snapshot.at)}," if snapshot.id else "now"


def _line(seen: Seen[Note]) -> str:
    words = f" [{seen.state_in_words}]" if seen.state_in_words else ""
    return f"#{seen.note.id} {seen.note.kind}: {seen.note.title}{words}"


def _field_lines(changed: Changed[Note]) -> Iterator[str]:
    before, after = changed.before.note, changed.after.note
    for name in changed.fields:
        if name == "body":
            yield "body:"
            yield from (f"  {line}" for line in _body_lines(before.body, after.body))
        elif name not in _IN_STATE:
            yield f"{name.replace('_', ' ')}: {_told(before, name)} -> {_told(after, name)}"
    if not changed.fields or not set(changed.fields).isdisjoint(_IN_STATE):
        was, now = (seen.state_in_words or seen.state for seen in (changed.before, changed.after))
        if was != now:
            yield f"state: {was} -> {now}"


def _body_lines(before: str, after: str) -> Iterator[str]:
    import difflib

    # Without secrets before they are compared: a part of one could not be told for what it is.
    old, new = (output.visible(body).splitlines() for body in (before, after))
    _, _, *found = difflib.unified_diff(old, new, lineterm="") if old != new else ("", "")
    yield from found or ("changed in what is not shown",)


def _told(note: Note, name: str) -> str:
    if name == "trigger":
        words = describe_trigger(note.trigger, note) or "none"
        return words if note.trigger else f"({words})"
    value = getattr(note, name)
    if isinstance(value, tuple):
        value = ", ".join(value)
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return str(value) or "none"


def fields(found: Difference) -> dict[str, object]:
    """The difference as JSON gives it."""
    which = found.changes
    return {
        "from": snapshot_fields(found.older),
        "to": snapshot_fields(found.newer),
        "came": [output.note_fields(seen.note) | {"state": seen.state} for seen in which.came],
        "changed": list(map(_changed_fields, which.changed)),
        "went": list(map(_changed_fields, which.went)),
        "forgotten": list(found.forgotten),
    }


def _changed_fields(changed: Changed[Note]) -> dict[str, object]:
    before, after = changed.before.note, changed.after.note
    return {
        "id": after.id,
        "kind": after.kind,
        "title": after.title,
        "state": changed.after.state,
        "state_before": changed.before.state,
        "reason": after.reason,
        "superseded_by": after.superseded_by or None,
        "revision": after.revision,
        "revision_before": before.revision,
        "fields": {
            name: {"before": _value(before, name), "after": _value(after, name)} for name in changed.fields
        },
    }


def _value(note: Note, name: str) -> object:
    value = getattr(note, name)
    if name == "trigger":
        return None if note.trigger is None else trigger_value(note.trigger)
    return list(value) if isinstance(value, tuple) else value


# Told together, in words.
_IN_STATE = frozenset(("state", "reason", "superseded_by"))
