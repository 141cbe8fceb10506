"""`vectr-hooks list`: the notes, and when each was last delivered."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing

import click

from vectr_hooks import output
from vectr_hooks.commands.as_it_stands import AsItStands, as_it_stands, sort, standing_fields
from vectr_hooks.commands.as_it_was import as_it_was, at_option, heading, snapshot_fields
from vectr_hooks.core.describe import NO_TRIGGER, RECALLED, arrival, describe_trigger
from vectr_hooks.core.kinds import DEFAULT_PRIORITY, KINDS
from vectr_hooks.core.states import EXPIRED, STATES, SUPERSEDED
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.journal import last_delivered
from vectr_hooks.store.notes import Note, all_notes, uncollected
from vectr_hooks.store.past_notes import Snapshot, find, notes_at

# On a narrower screen the table has no room for a title and for when it arrives.
LEAST_COLUMNS = 100

NO_NOTES = {"is": "no notes yet: `vectr-hooks remember` stores one", "was": "there were no notes"}


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
@at_option
@project_option
@json_option
def command(
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    states: tuple[str, ...],
    pinned: bool,
    triggers: bool,
    at: str | None,
    project: str | None,
    as_json: bool,
) -> None:
    """List the notes, and when each was last delivered.

    They come in order of precedence: what stands higher is delivered first when room is short. The cost is in
    tokens. What was superseded comes last.

    A note that was revoked or superseded or has expired, and one whose files are gone or have changed since
    it was written, says so. Only the files that it was about then are looked at; whether it is still true
    they do not tell.

    With --at the notes are listed as they were, by the settings and on the day of then. How their files were
    is not kept, nor is what was forgotten since.

    \b
    Examples:
      vectr-hooks list
      vectr-hooks list --kind directive --triggers
      vectr-hooks list --at before-the-merge
    """
    list_notes(
        kinds=kinds,
        tags=tags,
        states=states,
        pinned=pinned,
        triggers=triggers,
        at=at,
        project=project,
        as_json=as_json,
    )


# As a decorator it ends when what was listed is gone.
@uncollected()
def list_notes(
    *,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    states: tuple[str, ...],
    pinned: bool,
    triggers: bool,
    at: str | None,
    project: str | None,
    as_json: bool,
) -> None:
    def is_chosen(note: Note) -> bool:
        return (
            (not kinds or note.kind in kinds) and set(tags) <= set(note.tags) and (note.pinned or not pinned)
        )

    found = _found(project, at, is_chosen)
    if states:
        found.notes = [note for note in found.notes if found.standings[note.id].state in states]
    if as_json:
        output.json_result(_fields(found))
    else:
        _print(found, triggers)


class _Found:
    """The notes to be listed, in their order, and what is said of each."""

    def __init__(self, there: Sequence[Note], chosen: Callable[[Note], bool]) -> None:
        self.are_there_any = bool(there)
        self.notes = [note for note in there if chosen(note)]
        self.standings: Mapping[int, AsItStands] = {}
        #: as of when; None: now
        self.snapshot: Snapshot | None = None
        #: when each was last delivered, in milliseconds; of the past it is not told
        self.delivered: Mapping[int, int] = {}


def _found(project: str | None, at: str | None, chosen: Callable[[Note], bool]) -> _Found:
    place = open_project(project)
    with closing(open_store(place.store_path)) as con:
        if at is None:
            found = _Found(all_notes(con, output.LeftOut()), chosen)
            found.standings = as_it_stands(con, place.root, found.notes)
            found.delivered = last_delivered(con)
            return found
        snapshot = find(con, at)
        seen = notes_at(con, snapshot, output.LeftOut())
        found = _Found([each.note for each in seen], chosen)
        found.standings = {each.note.id: as_it_was(each) for each in seen}
        found.snapshot = snapshot
        return found


def _fields(found: _Found) -> dict[str, object]:
    notes = [standing_fields(note, found.standings[note.id]) for note in found.notes]
    if found.snapshot:
        return {"at": snapshot_fields(found.snapshot), "notes": notes}
    for note, fields in zip(found.notes, notes, strict=True):
        fields["last_delivered_ms"] = found.delivered.get(note.id)
    return {"notes": notes}


def _print(found: _Found, triggers: bool) -> None:
    if found.snapshot:
        output.result(heading(found.snapshot))
    if not found.notes:
        was = "was" if found.snapshot else "is"
        output.remark(f"no note {was} like that" if found.are_there_any else NO_NOTES[was])
        return
    when = "trigger" if triggers else "arrives"
    if 0 < output.screen_columns() < LEAST_COLUMNS:
        output.result("\n".join(_lines(found, triggers, when)))
        return
    delivered = () if found.snapshot else ("delivered",)
    output.table(
        ("id", "kind", "priority", "title", when, *delivered, "cost"),
        list(_rows(found, triggers)),
        flexible=("title", when),
    )


def _rows(found: _Found, triggers: bool) -> Iterator[tuple[str, ...]]:
    now_ms = time.time_ns() // 1_000_000
    for note in found.notes:
        standing = found.standings[note.id]
        yield (
            str(note.id),
            sort(note, standing),
            _rank(note),
            _marked(note, standing),
            in_words(note) if triggers else in_short(note, standing),
            *(() if found.snapshot else (_delivered(found, note, now_ms),)),
            str(note.cost),
        )


def _lines(found: _Found, triggers: bool, when: str) -> Iterator[str]:
    """Two lines for each note, and more where a screen has to wrap them."""
    now_ms = time.time_ns() // 1_000_000
    for note in found.notes:
        standing = found.standings[note.id]
        rank = f" ({_rank(note)})" if _rank(note) else ""
        yield f"#{note.id} {sort(note, standing)}{rank}  {_marked(note, standing)}"
        words = in_words(note) if triggers else in_short(note, standing)
        delivered = "" if found.snapshot else f" | delivered: {_delivered(found, note, now_ms)}"
        yield f"    {when} {words}{delivered} | {output.counted(note.cost, 'token')}"


def _rank(note: Note) -> str:
    """What sets a note apart from most; ''."""
    priority = "" if note.priority == DEFAULT_PRIORITY else note.priority
    return ", ".join(filter(None, (priority, "pinned" if note.pinned else "")))


def _marked(note: Note, standing: AsItStands) -> str:
    return f"{note.title} [{standing.words}]" if standing.words else note.title


def _delivered(found: _Found, note: Note, now_ms: int) -> str:
    last = found.delivered.get(note.id)
    return "never" if last is None else output.age(last, now_ms)


def in_short(note: Note, standing: AsItStands) -> str:
    if standing.state in (EXPIRED, SUPERSEDED):
        return "no longer"
    words = arrival(note.trigger, note)
    shorter = {NO_TRIGGER: "when recalled", RECALLED: "as a line, when a prompt is about it"}
    # Once per epoch is what all but rules arrive: it says nothing about one of them.
    return shorter.get(words, words.removeprefix("arrives ").removesuffix("; once per epoch"))


def in_words(note: Note) -> str:
    """The trigger clause by clause; that of the kind in parentheses."""
    words = describe_trigger(note.trigger, note)
    if not words:
        return "none"
    return words if note.trigger else f"({words})"
