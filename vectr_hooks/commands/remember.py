"""`vectr-hooks remember`: store a note, and say when it will arrive and what it costs."""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing
from dataclasses import replace

import click

from vectr_hooks import authoring, caller, output
from vectr_hooks.acceptance import SCOPES
from vectr_hooks.commands.authority import refuse_below, who
from vectr_hooks.commands.remarking import remark_fields, tell_remarks
from vectr_hooks.commands.trigger_options import STDIN, decoded, read_trigger, trigger_options
from vectr_hooks.core.compile import is_residual
from vectr_hooks.core.describe import arrival, describe_clause
from vectr_hooks.core.kinds import DEFAULT_KIND, DEFAULT_PRIORITY, KINDS, PRIORITIES
from vectr_hooks.core.provenance import AGENT, AUTO, USER_STATED
from vectr_hooks.diagnosis import registrations
from vectr_hooks.front_matter import DEFAULT_SCOPE, NoteText
from vectr_hooks.options import NoteId, json_option, project_option, redact_option, strict_option
from vectr_hooks.project import open_project
from vectr_hooks.quotation import bound
from vectr_hooks.store import configuration
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, add_note, existing_note, refuse_inactive
from vectr_hooks.store.pruning import prune


@click.command("remember")
@click.argument("text", required=False, metavar="[TEXT|-]")
@click.option("--title", default="", help="What an index line shows; default: the first sentence.")
@click.option("--kind", type=click.Choice(list(KINDS)), default=DEFAULT_KIND, show_default=True)
@click.option("--priority", type=click.Choice(PRIORITIES), default=DEFAULT_PRIORITY, show_default=True)
@click.option("--tag", "tags", metavar="WORD", multiple=True, help="A word to find it by; repeatable.")
@click.option(
    "--anchor", "anchors", metavar="PATH|SYMBOL", multiple=True, help="What it is about; repeatable."
)
@trigger_options
@click.option(
    "--scope",
    default=DEFAULT_SCOPE,
    show_default=True,
    help=f"Where it holds: {', '.join(SCOPES)}; the one it is written in.",
)
@click.option("--author", default="", help="Who is to be named as its author, such as an agent's name.")
@click.option("--pin", "pinned", is_flag=True, help="Deliver it at every session start and compaction.")
@click.option(
    "--provenance",
    type=click.Choice((AGENT, AUTO)),
    help="Who is to stand behind it, if not who runs this: never more than that.",
)
@click.option("--quote", metavar="WORDS", help="What the user typed in this session that says the same.")
@click.option(
    "--supersedes",
    metavar="ID",
    type=NoteId(),
    multiple=True,
    help="A note that this one takes the place of; repeatable.",
)
@redact_option
@strict_option
@project_option
@json_option
def command(
    text: str | None,
    title: str,
    kind: str,
    priority: str,
    tags: tuple[str, ...],
    anchors: tuple[str, ...],
    unless: str | None,
    trigger: str | None,
    cooldown: int | None,
    max_deliveries: int | None,
    not_before: str | None,
    expires: str | None,
    scope: str,
    author: str,
    pinned: bool,
    provenance: str | None,
    quote: str | None,
    supersedes: tuple[int, ...],
    redact: bool,
    strict: bool,
    project: str | None,
    as_json: bool,
    **conditions: tuple[str, ...],
) -> None:
    """Store a note and say when it will arrive.

    TEXT is kept verbatim; `-`, or no TEXT and a pipe, reads it from stdin.

    --path, --event, --symbol, --output, --keyword, --command, --tool, --branch, --subagent and --semantic are
    the conditions of one clause: all of them must hold, and of one that is given repeatedly, any. --trigger
    takes several clauses. Without any the kind decides: a directive arrives at every session start and
    compaction, a gotcha where its anchors are read or edited; what has no trigger comes as a line when a
    prompt is about it, and is found by `vectr-hooks recall`.

    The user stands behind what a person at a terminal stores, an agent behind what it stores, and the note
    says so wherever it arrives. An agent that stores what the user said gives the user's own words by
    --quote: 12 to 200 characters that stand so in a prompt that was typed in this session. What stood around
    them is not looked at, so quote whole sentences. A note that takes the place of another by --supersedes
    has at least its authority; the other one no longer arrives and is kept.

    \b
    Examples:
      vectr-hooks remember "Run the tests with make test." --kind directive
      vectr-hooks remember "acquire_lock() comes first." --kind gotcha --path "src/db/**"
      vectr-hooks remember "Use tabs." --kind directive --quote "use tabs everywhere" --supersedes 12
      git log -1 | vectr-hooks remember - --keyword deploy --unless "{branch: main}"
    """
    if trigger == STDIN and text in (None, STDIN):
        raise click.UsageError("Stdin can hold the text or the trigger, not both.")
    if quote is not None and provenance:
        raise click.UsageError("--quote says who stands behind the note; leave --provenance out.")
    limits = {
        "cooldown": cooldown,
        "max_deliveries": max_deliveries,
        "not_before": not_before,
        "expires": expires,
    }
    written = NoteText(
        body=read_text(text),
        title=title,
        kind=kind,
        priority=priority,
        tags=tags,
        anchors=anchors,
        trigger=read_trigger(
            conditions, unless, trigger, limits, kind=kind, priority=priority, anchors=anchors
        ),
        scope=scope,
        author=author,
        pinned=pinned,
    )
    remember(
        written,
        provenance=provenance,
        quote=quote,
        supersedes=supersedes,
        redact=redact,
        strict=strict,
        project=project,
        as_json=as_json,
    )


def remember(
    written: NoteText,
    *,
    provenance: str | None = None,
    quote: str | None = None,
    supersedes: tuple[int, ...] = (),
    redact: bool,
    strict: bool,
    project: str | None,
    as_json: bool,
) -> None:
    place = open_project(project)
    now_ms = time.time_ns() // 1_000_000
    session = caller.session(os.environ)
    standing = USER_STATED if quote is not None else provenance or who()
    draft = replace(
        authoring.draft(place.root, written, provenance=standing, session=session, redact=redact),
        changed_by=who(),
    )
    with closing(open_store(place.store_path)) as con:
        if quote is not None:
            draft = replace(draft, quote=bound(con, session, quote))
        replaced = [existing_note(con, id) for id in dict.fromkeys(supersedes)]
        for other in replaced:
            refuse_inactive(other)
        refuse_below(draft.provenance, replaced)
        remarks = authoring.remarks(con, {"": draft}, now_ms, replaced=supersedes)
        tell_remarks(remarks, strict, as_json)
        note = add_note(con, draft, authoring.render, now_ms, supersedes)
        settings = configuration.current(con)
        # Agents run this all the time, so that the audit is kept small without anybody's doing.
        prune(con, now_ms)
    tell(note, settings[f"cap.{note.kind}"], remark_fields(remarks), as_json)
    if not as_json:
        for other in replaced:
            output.result(f"#{other.id} {other.kind} superseded: {other.title}")
    if not as_json:
        start = os.path.abspath(project or os.getcwd())
        missing = registrations.obstacle(start, place.root, os.environ, bool(settings["enabled"]))
        if missing:
            output.remark(missing)


def read_text(text: str | None) -> str:
    if text is not None and text != STDIN:
        return text
    if text is None and caller.at_terminal():
        raise click.UsageError("Give the text of the note, or `-` to read it from stdin.")
    content = sys.stdin.buffer.read() if sys.stdin is not None else b""
    return decoded(content, "the text on stdin")


def tell(note: Note, cap_tokens: int, remarks: list[dict[str, str]], as_json: bool) -> None:
    if as_json:
        output.json_result(
            {
                "note": output.note_fields(note),
                "index_only": note.cost > cap_tokens,
                "residual": [describe_clause(clause) for clause in note.clauses if is_residual(clause)],
                "remarks": remarks,
            }
        )
        return
    output.result(f"#{note.id} {note.kind} stored: {note.title}")
    output.result(arrival(note.trigger, note))
    output.result(cost_in_words(note, cap_tokens))


def cost_in_words(note: Note, cap_tokens: int) -> str:
    if cap_tokens == 0:
        return f"costs {note.cost} tokens; a {note.kind} arrives as an index line, its title only"
    only = "" if note.cost <= cap_tokens else "; arrives as an index line, its title only"
    return f"costs {note.cost} tokens{only}"
