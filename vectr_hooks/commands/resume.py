"""`vectr-hooks resume`: where the last session left off."""

from __future__ import annotations

import time
from contextlib import closing
from sqlite3 import Connection

import click

from vectr_hooks import output
from vectr_hooks.core.handoff import Work, compose
from vectr_hooks.core.secrets import redact
from vectr_hooks.hosts import claude
from vectr_hooks.hosts.claude_transcript import last_request
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store import configuration
from vectr_hooks.store.create import open_store
from vectr_hooks.store.ledger import read_conversation
from vectr_hooks.store.notes import get_note
from vectr_hooks.store.work import last_session, read_work

# Leaves most of a handoff to what was done.
REQUEST_LENGTH = 600


@click.command("resume")
@project_option
@json_option
def command(project: str | None, as_json: bool) -> None:
    """Show where the last session of this worktree left off.

    That is the last request, what was edited, the last failing and passing commands, and the open tasks.

    \b
    Example:
      vectr-hooks resume
    """
    resume(project=project, as_json=as_json)


def resume(*, project: str | None, as_json: bool) -> None:
    place = open_project(project)
    with closing(open_store(place.store_path)) as con:
        session = last_session(con, place.root, "", time.time_ns() // 1_000_000)
        work = read_work(con, session) if session else Work()
        text = compose(work, configuration.current(con)["budget.handoff"], last_words(con, session))
        tasks = [note for note in (get_note(con, id) for id in work.tasks) if note]
    if as_json:
        output.json_result({"session": session, "handoff": text, "tasks": [note.id for note in tasks]})
    elif not text:
        output.remark("no session of the last 24 hours left anything to tell")
    else:
        output.result(text)
        for note in tasks:
            output.result(f"#{note.id} task: {note.title}")


def last_words(con: Connection, session: str) -> str:
    """The session's last request in the user's words, without secrets; '' where the host kept none."""
    conversation = read_conversation(con, session, "") if session else None
    if conversation is None or conversation.host != claude.NAME:
        return ""
    request = redact(" ".join(last_request(conversation.transcript).split()))
    return request if len(request) <= REQUEST_LENGTH else request[:REQUEST_LENGTH] + "…"
