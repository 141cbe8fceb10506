"""`vectr-hooks import`: store the notes in files, all or none."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import click

from vectr_hooks import authoring, caller, output
from vectr_hooks.commands.remarking import refuse_wrong, remark_fields, tell_remarks
from vectr_hooks.core.describe import arrival
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.importing import Intake, note_files, take_in
from vectr_hooks.options import json_option, project_option, redact_option, strict_option
from vectr_hooks.progress import progress
from vectr_hooks.project import Project, open_project
from vectr_hooks.store.additions import add_all, ids_of
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import NoteDraft

_LOCK_WAIT_SECONDS = 10
# Of an import of thousands, a person reads the summary.
_MOST_LISTED = 20


@click.command("import")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Show what would be stored, and store nothing.")
@redact_option
@strict_option
@project_option
@json_option
def command(
    paths: tuple[str, ...], dry_run: bool, redact: bool, strict: bool, project: str | None, as_json: bool
) -> None:
    """Store the notes in files, all or none.

    PATH is a file, or a folder whose *.md files are taken at any depth. Each holds one note: YAML between two
    lines `---` (title, kind, priority, tags, anchors, trigger, cooldown, not_before, expires, max_deliveries,
    scope, author, pinned; what is left out has its default), then the body. When anything is wrong with a
    file, every error is listed and nothing is stored.

    What `vectr-hooks export` wrote, in one file or in a folder, comes back as it was: into an empty store
    with its ids, times, states and who stands behind each note. An id that a note has had here is not given
    again; the new one is told, and notes that refer to it follow. Nothing that is stored is overwritten. When
    an agent imports, nothing is the user's or the team's: at most an agent's.

    Of what other tools keep (CLAUDE.md, AGENTS.md, GEMINI.md, MEMORY.md, .cursorrules,
    copilot-instructions.md) each section becomes a note, tagged with its file and lines: one that commands
    (MUST, NEVER, ALWAYS ...) a directive that says an agent recorded it, any other an operational note that
    says it was captured automatically. Rules for certain files (.claude/rules/*.md, *.mdc,
    *.instructions.md) arrive at those files.

    A note that a file holds exactly as the store has it, or had it before it was changed, is left as it is:
    importing the same files again stores nothing.

    \b
    Examples:
      vectr-hooks import notes/
      vectr-hooks import CLAUDE.md .cursor/rules --dry-run
    """
    import_notes(paths=paths, dry_run=dry_run, redact=redact, strict=strict, project=project, as_json=as_json)


def import_notes(
    *, paths: tuple[str, ...], dry_run: bool, redact: bool, strict: bool, project: str | None, as_json: bool
) -> None:
    place = open_project(project)
    files = note_files(paths)
    now_ms = time.time_ns() // 1_000_000
    with locked(place), closing(open_store(place.store_path)) as con:
        with progress("checking", len(files)) as seen:
            intake = take_in(
                con,
                place.root,
                files,
                provenance=caller.provenance(os.environ, caller.at_terminal()),
                session=caller.session(os.environ),
                redact=redact,
                seen=seen,
            )
        refuse_wrong(intake.wrong, as_json)
        drafts = intake.drafts
        remarks = authoring.remarks(con, drafts, now_ms)
        tell_remarks(remarks, strict, as_json)
        new = list(intake.new.values())
        if dry_run or not new:
            ids = ids_of(con, new, intake.stored).added
        else:
            with progress("storing", len(new)) as seen:

                def render(id: int, draft: NoteDraft) -> tuple[str, str]:
                    seen()
                    return authoring.render(id, draft)

                ids = add_all(con, new, intake.stored, render, now_ms)
    others = other_ids(intake, ids)
    if as_json:
        output.json_result(
            {
                "dry_run": dry_run,
                "imported": [
                    {"file": file, "title": draft.title, "kind": draft.kind}
                    | ({} if dry_run else {"id": id})
                    | ({"was": others[file]} if file in others else {})
                    | ({"lowered": True} if file in intake.lowered else {})
                    for id, (file, draft) in zip(ids, drafts.items(), strict=True)
                ],
                "already_there": [_there_fields(intake, file) for file in intake.there],
                "errors": [],
                "remarks": remark_fields(remarks, "file"),
            }
        )
    else:
        tell(intake, ids, others, dry_run)


def _there_fields(intake: Intake, file: str) -> dict[str, str]:
    fields = {"file": file, "same_as": intake.there[file]}
    if file in intake.otherwise:
        state, in_file = intake.otherwise[file]
        fields |= {"state": state, "state_in_file": in_file}
    return fields


def other_ids(intake: Intake, ids: list[int]) -> dict[str, int]:
    """The notes that get another id than they had in their export, with that one."""
    return {
        name: addition.called[1]
        for id, (name, addition) in zip(ids, intake.new.items(), strict=True)
        if addition.called and addition.called[1] != id
    }


def tell(intake: Intake, ids: list[int], others: dict[str, int], dry_run: bool) -> None:
    for n, (id, (file, draft)) in enumerate(zip(ids, intake.drafts.items(), strict=True)):
        if dry_run:
            output.result(f"{file}: {draft.kind}: {draft.title}")
            output.result(f"  {arrival(draft.trigger, draft)}")
        elif len(ids) <= _MOST_LISTED:
            output.result(f"#{id} {draft.kind} stored: {draft.title} ({file})")
        if file in others and (dry_run or n < _MOST_LISTED):
            output.result(f"  #{others[file]} in the file: {'would be' if dry_run else 'it is'} #{id} here")
    count = output.counted(len(ids), "note")
    there = f", {len(intake.there):,} there already" if intake.there else ""
    renamed = f", {len(others):,} under another id" if others else ""
    output.result(f"{count} {'would be imported' if dry_run else 'imported'}{there}{renamed}")
    tell_states(intake)
    if intake.lowered:
        what = output.counted(len(intake.lowered), "note has", "notes have")
        output.remark(
            f"{what} less authority than in the file, since no person at a terminal imports: "
            "`vectr-hooks promote ID` is for them"
        )


def tell_states(intake: Intake) -> None:
    """Say which notes are in another state than in the file: an import changes none that is there."""
    for file, (state, in_file) in list(intake.otherwise.items())[:_MOST_LISTED]:
        output.remark(f"{intake.there[file]} is {state} here and stays so; in {file} it is {in_file}")
    more = len(intake.otherwise) - _MOST_LISTED
    if more > 0:
        output.remark(f"and {more:,} more are in another state than in their file; --json names all")


@contextmanager
def locked(place: Project) -> Iterator[None]:
    """One import at a time: two of the same files would each find the notes of the other not yet there."""
    from filelock import FileLock, Timeout

    try:
        lock = os.path.join(os.path.dirname(place.store_path), "import.lock")
        with FileLock(lock, timeout=_LOCK_WAIT_SECONDS, mode=0o600):
            yield
    except Timeout:
        raise VectrHooksError(
            "another import into this project is running", "try again when it is done"
        ) from None
