"""`vectr-hooks list`: the notes, and when each was last delivered."""

from __future__ import annotations

import time
from contextlib import closing

import click

from vectr_hooks import output
from vectr_hooks.commands.as_it_stands import AsItStands, as_it_stands, sort, standing_fields
from vectr_hooks.core.describe import NO_TRIGGER, RECALLED, arrival, describe_trigger
from vectr_hooks.core.kinds import KINDS
from vectr_hooks.core.states import EXPIRED, STATES, SUPERSEDED
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
@click.option(
    "--state", "states", type=click.Choice(STATES), multiple=True, help="Only in this state; repeatable."
)
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
    states: tuple[str, ...],
    pinned: bool,
    triggers: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """List the notes, and when each was last delivered.

    They come in order of precedence: what stands higher is delivered first when room is short. The cost is in
    tokens. What was superseded comes last.

    A note that was revoked or superseded or has expired, and one whose files are gone or have changed since
    it was written, says so. Only the files that it was about then are looked at; whether it is still true
    they do not tell.

    \b
    Examples:
      vectr-hooks list
      vectr-hooks list --kind directive --triggers
    """
    list_notes(
        kinds=kinds,
        tags=tags,
        states=states,
        pinned=pinned,
        triggers=triggers,
        project=project,
        as_json=as_json,
    )


def list_notes(
    *,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    states: tuple[str, ...],
    pinned: bool,
    triggers: bool,
    project: str | None,
    as_json: bool,
) -> None:
    place = open_project(project)
    with closing(open_store(place.store_path)) as con:
        there = all_notes(con, output.LeftOut())
        delivered = last_delivered(con)
        notes = [
            note
            for note in there
            if (not kinds or note.kind in kinds)
            and set(tags) <= set(note.tags)
            and (note.pinned or not pinned)
        ]
        standings = as_it_stands(con, place.root, notes)
    if states:
        notes = [note for note in notes if standings[note.id].state in states]
    if as_json:
        output.json_result(
            {
                "notes": [
                    standing_fields(note, standings[note.id]) | {"last_delivered_ms": delivered.get(note.id)}
                    for note in notes
                ]
            }
        )
    elif notes:
        when = "trigger" if triggers else "arrives"
        output.table(
            ("id", "kind", "priority", "title", when, "delivered", "cost"),
            [_row(note, standings[note.id], delivered.get(note.id), triggers) for note in notes],
            flexible=("title", when),
        )
    else:
        output.remark("no note is like that" if there else "no notes yet: `vectr-hooks remember` stores one")


def _row(note: Note, standing: AsItStands, delivered_ms: int | None, triggers: bool) -> tuple[str, ...]:
    age = "never" if delivered_ms is None else output.age(delivered_ms, time.time_ns() // 1_000_000)
    priority = f"{note.priority}, pinned" if note.pinned else note.priority
    when = in_words(note) if triggers else in_short(note, standing)
    title = f"{note.title} [{standing.words}]" if standing.words else note.title
    return (str(note.id), sort(note, standing), priority, title, when, age, str(note.cost))


def in_short(note: Note, standing: AsItStands) -> str:
    if standing.state in (EXPIRED, SUPERSEDED):
        return "no longer"
    words = arrival(note.trigger, note)
    shorter = {NO_TRIGGER: "when recalled", RECALLED: "as a line, when a prompt is about it"}
    return shorter.get(words, words.removeprefix("arrives "))


def in_words(note: Note) -> str:
    """The trigger clause by clause; that of the kind in parentheses."""
    words = describe_trigger(note.trigger, note)
    if not words:
        return "none"
    return words if note.trigger else f"({words})"
