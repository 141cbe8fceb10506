"""`vectr-hooks stats`: what the notes cost, and whether they were of use."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict

import click

from vectr_hooks import output
from vectr_hooks.options import json_option, point_in_time, project_option
from vectr_hooks.output import counted
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.statistics import NoteUse, Statistics, gather


@click.command("stats")
@click.option(
    "--since", type=point_in_time, metavar="WHEN", help="Count events since then: `7d`, `2026-01-31`."
)
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many notes."
)
@project_option
@json_option
def command(since: int | None, limit: int, project: str | None, as_json: bool) -> None:
    """Show what the notes cost, and whether they were of use.

    \b
    delivered  events at which the note reached the model: whole + as a line
    tokens     what these took, estimated
    used       deliveries after which the same session began to read, edit or run
               something the note is about (its paths, its commands, a name in
               its text), or had `show` print it; each counts once at most
    shown      how often `show` printed the note
    matched    events at which a clause of its trigger held, delivered or not

    A delivery that is not used may still have been what kept the agent from a mistake. Files read again are
    those that a session had read before a compaction and read once more after it, with the tokens of those
    results. Counted is what the audit still holds. Nothing is ever changed for you.

    \b
    Examples:
      vectr-hooks stats
      vectr-hooks stats --since 7d --json
    """
    with closing(open_store(open_project(project).store_path)) as con:
        found = gather(con, since or 0, output.LeftOut())
    if as_json:
        output.json_result(fields(found))
    else:
        show(found, limit)


def fields(found: Statistics) -> dict[str, object]:
    return {
        "events": found.events,
        "sessions": found.sessions,
        "notes": [
            asdict(use) | {"delivered": use.delivered, "suggestion": use.suggestion} for use in found.notes
        ],
        "kinds": [asdict(kind) for kind in found.kinds],
        "lookups": [asdict(lookups) for lookups in found.lookups],
        "reread_after_compaction": asdict(found.rereads),
        "notes_written_by_session": found.written,
    }


def show(found: Statistics, limit: int) -> None:
    output.result(
        f"{counted(found.events, 'event')} in {counted(found.sessions, 'session')}, "
        f"{counted(found.rereads.compactions, 'compaction')}"
    )
    delivered = sorted((use for use in found.notes if use.delivered), key=lambda use: (-use.tokens, use.note))
    if delivered:
        output.result("")
        _show_notes(delivered[:limit])
        if len(delivered) > limit:
            more = len(delivered) - limit
            were = "was" if more == 1 else "were"
            output.remark(f"{counted(more, 'more note', 'more notes')} {were} delivered: --limit shows more")
        output.result("")
        output.table(
            ("kind", "notes", "delivered", "tokens", "used"),
            [
                (kind.kind, f"{kind.notes:,}", f"{kind.delivered:,}", f"{kind.tokens:,}", f"{kind.used:,}")
                for kind in found.kinds
            ],
            numbers=("notes", "delivered", "tokens", "used"),
        )
    output.result("")
    for line in _other_lines(found):
        output.result(line)
    advised = [use for use in found.notes if use.suggestion]
    if advised:
        output.result("\nworth a look:")
    for use in advised[:limit]:
        output.result(f"  #{use.note} {use.title}: {use.suggestion}")


def _show_notes(uses: Sequence[NoteUse]) -> None:
    now_ms = time.time_ns() // 1_000_000
    output.table(
        ("id", "kind", "title", "delivered", "tokens", "used", "shown", "last"),
        [
            (
                str(use.note),
                use.kind,
                use.title,
                f"{use.full} + {use.lines}",
                f"{use.tokens:,}",
                str(use.used),
                str(use.shown),
                output.age(use.last_delivered_ms or 0, now_ms),
            )
            for use in uses
        ],
        flexible=("title",),
        numbers=("id", "delivered", "tokens", "used", "shown"),
    )
    output.result("delivered 2 + 1: twice in full, once as an index line")


def _other_lines(found: Statistics) -> list[str]:
    never = sum(not use.matched and not use.delivered for use in found.notes)
    lines = [f"never matched: {never} of {counted(len(found.notes), 'note')}"]
    lines += [
        f"{lookups.command} by {lookups.caller}: {counted(lookups.calls, 'call')}, "
        f"{lookups.empty:,} found nothing"
        for lookups in found.lookups
    ]
    if not any(lookups.command == "recall" for lookups in found.lookups):
        lines.append("recall: no calls")
    again = found.rereads
    lines.append(
        f"read again after a compaction: {counted(again.files, 'file')}, {counted(again.tokens, 'token')}"
    )
    written = sum(found.written.values())
    lines.append(
        f"stored by sessions: {counted(written, 'note')} in {counted(len(found.written), 'session')}"
    )
    return lines
