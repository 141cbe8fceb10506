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
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import NoteDraft, add_notes

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
        remarks = authoring.remarks(con, intake.new, now_ms)
        tell_remarks(remarks, strict, as_json)
        ids: list[int] = []
        if intake.new and not dry_run:
            with progress("storing", len(intake.new)) as seen:

                def render(id: int, draft: NoteDraft) -> tuple[str, str]:
                    seen()
                    return authoring.render(id, draft)

                ids = add_notes(con, intake.new.values(), render, now_ms)
    if as_json:
        listed: list[dict[str, object]] = [
            {"file": file, "title": draft.title, "kind": draft.kind} for file, draft in intake.new.items()
        ]
        for entry, id in zip(listed, ids, strict=False):
            entry["id"] = id
        output.json_result(
            {
                "dry_run": dry_run,
                "imported": listed,
                "already_there": [{"file": file, "same_as": same} for file, same in intake.there.items()],
                "errors": [],
                "remarks": remark_fields(remarks, "file"),
            }
        )
    else:
        tell(intake, ids, dry_run)


def tell(intake: Intake, ids: list[int], dry_run: bool) -> None:
    if dry_run:
        for file, draft in intake.new.items():
            output.result(f"{file}: {draft.kind}: {draft.title}")
            output.result(f"  {arrival(draft.trigger, draft)}")
    elif len(ids) <= _MOST_LISTED:
        for id, (file, draft) in zip(ids, intake.new.items(), strict=True):
            output.result(f"#{id} {draft.kind} stored: {draft.title} ({file})")
    count = "1 note" if len(intake.new) == 1 else f"{len(intake.new):,} notes"
    there = f", {len(intake.there):,} there already" if intake.there else ""
    output.result(f"{count} {'would be imported' if dry_run else 'imported'}{there}")


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
