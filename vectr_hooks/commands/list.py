"""`vectr-hooks list`: the notes, and when each was last delivered."""

from __future__ import annotations

import time
from contextlib import closing

import click

from vectr_hooks import output
from vectr_hooks.core.describe import NO_TRIGGER, RECALLED, arrival, describe_trigger
from vectr_hooks.core.kinds import KINDS
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.journal import last_delivered
from vectr_hooks.store.notes import Note, all_notes


@click.command("list")
@click.option(
    "--kind", "kinds", type=click.Choice(list(KINDS)), multiple=True, help="Only this kind; repeatable."
)
@click.option("--tag", "tags", metavar="WORD", multiple=True, help="Only notes with this tag; repeatable.")
@click.option("--pinned", is_flag=True, help="Only pinned notes.")
@click.option(
    "--triggers",
    is_flag=True,
    help="Show the trigger of each note alone, in words; that of its kind in parentheses.",
)
@project_option
@json_option
def command(
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    pinned: bool,
    triggers: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """List the notes, and when each was last delivered.

    They come in order of precedence: what stands higher is delivered first when room is short. The cost is in
    tokens.

    \b
    Examples:
      vectr-hooks list
      vectr-hooks list --kind directive --triggers
    """
    list_notes(kinds=kinds, tags=tags, pinned=pinned, triggers=triggers, project=project, as_json=as_json)


def list_notes(
    *,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    pinned: bool,
    triggers: bool,
    project: str | None,
    as_json: bool,
) -> None:
    with closing(open_store(open_project(project).store_path)) as con:
        there = all_notes(con)
        delivered = last_delivered(con)
    notes = [
        note
        for note in there
        if (not kinds or note.kind in kinds) and set(tags) <= set(note.tags) and (note.pinned or not pinned)
    ]
    if as_json:
        output.json_result(
            {
                "notes": [
                    output.note_fields(note) | {"last_delivered_ms": delivered.get(note.id)} for note in notes
                ]
            }
        )
    elif notes:
        when = "trigger" if triggers else "arrives"
        output.table(
            ("id", "kind", "priority", "title", when, "delivered", "cost"),
            [_row(note, delivered.get(note.id), triggers) for note in notes],
            flexible=("title", when),
        )
    else:
        output.remark("no note is like that" if there else "no notes yet: `vectr-hooks remember` stores one")


def _row(note: Note, delivered_ms: int | None, triggers: bool) -> tuple[str, ...]:
    age = "never" if delivered_ms is None else output.age(delivered_ms, time.time_ns() // 1_000_000)
    priority = f"{note.priority}, pinned" if note.pinned else note.priority
    when = in_words(note) if triggers else in_short(note)
    return (str(note.id), note.kind, priority, note.title, when, age, str(note.cost))


def in_short(note: Note) -> str:
    words = arrival(note.trigger, note)
    shorter = {NO_TRIGGER: "when recalled", RECALLED: "as a line, when a prompt is about it"}
    return shorter.get(words, words.removeprefix("arrives "))


def in_words(note: Note) -> str:
    """The trigger clause by clause; that of the kind in parentheses."""
    words = describe_trigger(note.trigger, note)
    if not words:
        return "none"
    return words if note.trigger else f"({words})"
