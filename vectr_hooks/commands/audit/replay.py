"""`vectr-hooks audit replay`: decides recorded events again, as they were or otherwise."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

import click

from vectr_hooks import caller, output, transcript_trial
from vectr_hooks.authoring import render
from vectr_hooks.commands.audit.listing import whole_session
from vectr_hooks.commands.audit.replay_screen import tell_changes, tell_tally
from vectr_hooks.options import json_option, point_in_time, project_option
from vectr_hooks.progress import progress
from vectr_hooks.project import open_project
from vectr_hooks.replay import exact
from vectr_hooks.replay.exact import Tally
from vectr_hooks.replay.past import Past
from vectr_hooks.replay.proposal import Proposal
from vectr_hooks.replay.todays_notes import TodaysNotes
from vectr_hooks.store.configuration import current
from vectr_hooks.store.create import open_store
from vectr_hooks.store.journal import Choice
from vectr_hooks.transcript_trial import propose
from vectr_hooks.trial import Trial


@click.command("replay")
@click.option("--session", metavar="ID", help="Only this session of the host; its id's beginning will do.")
@click.option(
    "--since", type=point_in_time, metavar="WHEN", help="Only later events: `2h`, `3d`, `2026-01-31`."
)
@click.option("--until", type=point_in_time, metavar="WHEN", help="Only earlier events.")
@click.option("--now", is_flag=True, help="With the notes and settings of today: what would be otherwise.")
@click.option(
    "--try",
    "proposed",
    metavar="NOTE.md",
    type=click.Path(),
    help="With one note more, from a file as `import` reads it: what it would have done. Nothing is stored.",
)
@click.option(
    "--transcript",
    "transcripts",
    metavar="PATH",
    type=click.Path(),
    multiple=True,
    help="Play Claude Code's own session files (or a folder of them), with their texts, not the audit.",
)
@project_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    session: str | None,
    since: int | None,
    until: int | None,
    now: bool,
    proposed: str | None,
    transcripts: tuple[str, ...],
    project: str | None,
    as_json: bool,
) -> None:
    """Decide recorded events again, and compare with what was recorded.

    Each event is decided on the notes, the settings and the ledger as they were: every outcome and every byte
    of the output should be the same. Exits with 1 and names what is not. Where a note was forgotten since,
    the others are compared, with its recorded outcome and cost taken as given.

    --now and --try play the events with other notes, each on what the earlier ones would have left. Prompts,
    inputs and results are not kept unless `audit.texts` is on: what depends on words that nobody looked for
    then is counted as unknown.

    \b
    Examples:
      vectr-hooks audit replay
      vectr-hooks audit replay --since 7d --now
      vectr-hooks audit replay --try locking.md
      vectr-hooks audit replay --try locking.md --transcript ~/.claude/projects/-home-me-project
    """
    if now and (proposed or transcripts):
        raise click.UsageError("--now goes with neither --try nor --transcript.")
    if transcripts and (session or since or until):
        raise click.UsageError("--session, --since and --until choose from the audit, not from --transcript.")
    choice = Choice(session=session, since_ms=since, until_ms=until)
    if transcripts:
        _tell_trial(try_transcripts(transcripts, proposed, project), as_json)
    elif proposed:
        _tell_trial(try_note(proposed, choice, project), as_json)
    elif now:
        tell_changes(play_now(choice, project), as_json)
    else:
        tally = replay(choice, project)
        tell_tally(tally, as_json)
        if tally.different:
            ctx.exit(1)


def _tell_trial(trial: Trial, as_json: bool) -> None:
    from vectr_hooks.commands.audit.trial_screen import tell_trial

    tell_trial(trial, as_json)


def replay(choice: Choice, project: str | None) -> Tally:
    """Decide every chosen event again."""
    tally = Tally()
    with _past(project) as past:
        chosen = _whole(past, choice)
        with progress("replaying", past.count(chosen)) as seen:
            for replayed in exact.replay(past, chosen):
                tally.add(replayed)
                seen()
    return tally


def play_now(choice: Choice, project: str | None) -> TodaysNotes:
    with _past(project) as past:
        chosen = _whole(past, choice)
        _remark_if_switched_off(past.recorded)
        notes = TodaysNotes(past)
        _play_all(notes.play(chosen), past)
    return notes


def try_note(file: str, choice: Choice, project: str | None) -> Trial:
    """What the note in `file` would have done at the chosen events."""
    place = open_project(project)
    draft = propose(place.root, file, caller.provenance(os.environ, caller.at_terminal()))
    with _past(project) as past:
        chosen = _whole(past, choice)
        _remark_if_switched_off(past.recorded)
        proposal = Proposal(past, draft, render, time.time_ns() // 1_000_000)
        _play_all(proposal.play(chosen), past)
    return proposal.trial()


def try_transcripts(paths: tuple[str, ...], proposed: str | None, project: str | None) -> Trial:
    """What the notes of today, or only the one in the file `proposed`, would have done in those sessions."""
    place = open_project(project)
    provenance = caller.provenance(os.environ, caller.at_terminal())
    draft = propose(place.root, proposed, provenance) if proposed else None
    files = transcript_trial.transcripts(paths)
    with closing(open_store(place.store_path)) as con:
        _remark_if_switched_off(con)
    with progress("reading", transcript_trial.total_bytes(files)) as seen:
        return transcript_trial.try_transcripts(place.store_path, place.workspace, files, draft, seen)


@contextmanager
def _past(project: str | None) -> Iterator[Past]:
    with closing(open_store(open_project(project).store_path)) as con:
        past = Past(con)
    with closing(past):
        yield past


def _remark_if_switched_off(con: sqlite3.Connection) -> None:
    if not current(con)["enabled"]:
        output.remark("hooks are switched off in this project: this is what notes would do if they were on")


def _whole(past: Past, choice: Choice) -> Choice:
    if choice.session is None:
        return choice
    return replace(choice, session=whole_session(past.recorded, choice.session))


def _play_all(events: Iterable[object], past: Past) -> None:
    with progress("playing", past.count()) as seen:
        for _ in events:
            seen()
