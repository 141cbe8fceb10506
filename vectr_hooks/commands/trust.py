"""`vectr-hooks trust`: let the notes that come with a repository be delivered."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

import click

from vectr_hooks import authoring, caller, output, team_notes
from vectr_hooks.commands.authority import who
from vectr_hooks.commands.remarking import remark_fields, tell_remarks
from vectr_hooks.core.describe import arrival
from vectr_hooks.core.kinds import DEFAULT_PRIORITY
from vectr_hooks.core.provenance import HUMAN
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import write_note
from vectr_hooks.options import json_option, project_option
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, NoteDraft
from vectr_hooks.store.revisions import cost
from vectr_hooks.team_notes import GONE, MOVED, NEW, OWN, YOURS, Change, Survey
from vectr_hooks.trusted_files import FOLDER

_HEADINGS: dict[str, Callable[[Change], str]] = {
    "new": lambda change: f"new: {change.path}",
    "changed": lambda change: f"changed: {change.path}, {_of(change)}",
    "back": lambda change: f"there again: {change.path}, {_of(change)}",
    "shared": lambda change: f"new: {change.path}, which says what {_of(change)} says: it becomes the team's",
    "own": lambda change: f"new: {change.path}, which says what {_of(change)} says: that stays the user's",
    "yours": lambda change: f"changed: {change.path}; {_of(change)}, the user's, becomes the team's",
    "moved": lambda change: f"moved: {change.before} to {change.path}, {_of(change)}",
    "gone": lambda change: f"gone: {change.path}, {_of(change)}: it no longer arrives",
}


@click.command("trust")
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--dry-run", is_flag=True, help="Show what would be trusted, and store nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_option
@json_option
def command(paths: tuple[str, ...], dry_run: bool, yes: bool, project: str | None, as_json: bool) -> None:
    """Let the notes that come with a repository be delivered.

    They are the files .vectr/notes/*.md, in the form that `vectr-hooks import` reads. Until a person has
    trusted them, and whenever a file is no longer as it was then, hooks deliver nothing of them. What would
    be trusted is shown whole: new notes, changes, and files that are gone, whose notes no longer arrive until
    the file is there again. Notes so trusted arrive as "from the repository, trusted", in every worktree
    whose file is the same.

    A file whose note is the user's own is only taken when it is named. What is wrong with a file is told,
    and the others are trusted without it.

    Only a person at a terminal can trust, also with --yes: else a text in a repository could have an agent
    let it into every session.

    \b
    Examples:
      vectr-hooks trust
      vectr-hooks trust .vectr/notes/locking.md
    """
    trust(paths=paths, dry_run=dry_run, yes=yes, project=project, as_json=as_json)


def trust(*, paths: tuple[str, ...], dry_run: bool, yes: bool, project: str | None, as_json: bool) -> None:
    place = open_project(project)
    wanted = team_notes.named(place.root, paths)
    with closing(open_store(place.store_path)) as con:
        now_ms = time.time_ns() // 1_000_000
        survey = team_notes.survey(con, place.root)
        changes = chosen(survey, wanted)
        tell_problems(survey, wanted, as_json)
        new = {change.path: change.draft for change in changes if change.what == NEW and change.draft}
        remarks = authoring.remarks(con, new, now_ms)
        ids: dict[str, int] = {}
        if changes and not dry_run:
            refuse_agent()
        if not as_json or (changes and not dry_run and not yes):
            tell(changes, survey, shown=output.remark if as_json else output.result)
            tell_remarks(remarks, False, as_json)
        if changes and not dry_run:
            if not yes and not agreed(changes):
                output.remark("nothing was trusted")
                return
            ids = team_notes.trust(con, changes, now_ms)
    if as_json:
        fields = as_fields(changes, survey, ids, dry_run)
        output.json_result(fields | {"remarks": remark_fields(remarks, "file")})
    else:
        for change in changes if ids else ():
            output.result(done(change, ids[change.path]))


def chosen(survey: Survey, wanted: set[str]) -> list[Change]:
    """The changes that are meant: of the files in `wanted`; with none, all but those of the user's notes."""
    if not wanted:
        return [change for change in survey.changes if change.what != YOURS]
    known = {*survey.settled, *survey.left, *survey.problems, *(change.path for change in survey.changes)}
    for path in sorted(wanted - known):
        raise VectrHooksError(f"there is no file {path}", f"those there are lie in {FOLDER}")
    for path in sorted(wanted & survey.left.keys()):
        raise VectrHooksError(
            f"{path} cannot be trusted: {survey.left[path]}",
            "`vectr-hooks reinstate` brings its note back first",
        )
    return [change for change in survey.changes if change.path in wanted]


def refuse_agent() -> None:
    if who() != HUMAN:
        terminal = "" if caller.at_terminal() else ", at a terminal"
        raise VectrHooksError(
            "an agent cannot trust what a repository brings: a person has to have read it",
            f"the user runs `vectr-hooks trust`{terminal}; `--dry-run` shows what it is about",
        )


def tell_problems(survey: Survey, wanted: set[str], as_json: bool) -> None:
    """Say what is wrong with files, which JSON holds itself; refuse where one of them was asked for."""
    wrong = sorted(wanted & survey.problems.keys())
    for path, problems in survey.problems.items():
        if (wanted and path not in wanted) or (as_json and not wrong):
            continue
        for problem in problems:
            place = f"{path}:{problem.line}" if problem.line else path
            output.remark(f"{place}: {problem.message}{'; ' if problem.hint else ''}{problem.hint}")
    if wrong:
        raise VectrHooksError(
            f"nothing was trusted: {wrong[0]} cannot be read as a note", "mend it, and try again"
        )


def tell(changes: Sequence[Change], survey: Survey, shown: Callable[[str], None]) -> None:
    for change in changes:
        shown("\n".join(lines(change)) + "\n")
    for path, why in survey.left.items():
        shown(f"left out: {path}: {why}")
    for path in survey.of(YOURS):
        if all(change.path != path for change in changes):
            shown(f"left out: {path} has changed, and its note is the user's; name it to see it")
    if not changes:
        there = len(survey.settled)
        already = f"{output.counted(there, 'file')} {'is' if there == 1 else 'are'} trusted already"
        shown(f"nothing new to trust: {already}" if there else "nothing to trust")


def lines(change: Change) -> Iterator[str]:
    """A change as a person is to judge it: all that the model would get of it, or what becomes of that."""
    yield _HEADINGS[change.what](change)
    draft = change.draft
    if draft is None or change.what in (OWN, MOVED):
        return
    yield f"  {draft.kind}: {draft.title}"
    yield f"  {arrival(draft.trigger, draft)}"
    yield f"  costs {tokens(change, draft)} tokens"
    for name, values in (("tags", draft.tags), ("anchors", draft.anchors)):
        if values:
            yield f"  {name}: {', '.join(values)}"
    if draft.priority != DEFAULT_PRIORITY:
        yield f"  priority: {draft.priority}"
    text = draft.body.rstrip("\n").split("\n") if change.note is None else diff(change.note, draft)
    yield from (f"  | {line}" for line in text)


def diff(note: Note, draft: NoteDraft) -> list[str]:
    """What `draft` changes in `note`, both as files; where it changes nothing, the body."""
    before, after = (write_note(team_notes.as_in_file(each)).split("\n") for each in (note, draft))
    changed = list(difflib.unified_diff(before, after, f"#{note.id}", "the file", lineterm="", n=len(after)))
    return changed or draft.body.rstrip("\n").split("\n")


def tokens(change: Change, draft: NoteDraft) -> int:
    return cost(authoring.full_text(change.note.id if change.note else 0, draft))


def agreed(changes: Sequence[Change]) -> bool:
    files = "this file" if len(changes) == 1 else f"these {len(changes)} files"
    return click.confirm(f"Trust {files}?", err=True)


def done(change: Change, id: int) -> str:
    became = {GONE: "withdrawn", MOVED: "moved", OWN: "known", NEW: "trusted"}.get(change.what, "trusted")
    return f"#{id} {became}: {change.path}"


def as_fields(
    changes: Sequence[Change], survey: Survey, ids: dict[str, int], dry_run: bool
) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "changes": [_fields(change, ids.get(change.path)) for change in changes],
        "settled": survey.settled,
        "left": [{"file": path, "why": why} for path, why in survey.left.items()],
        "errors": [
            {"file": path, "line": problem.line or None, "message": problem.message, "hint": problem.hint}
            for path, problems in survey.problems.items()
            for problem in problems
        ],
    }


def _fields(change: Change, id: int | None) -> dict[str, object]:
    draft = change.draft
    note = change.note
    said = (
        {}
        if draft is None
        else {
            "title": draft.title,
            "kind": draft.kind,
            "arrives": arrival(draft.trigger, draft),
            "cost_tokens": tokens(change, draft),
            "body": draft.body,
        }
    )
    return {
        "file": change.path,
        "change": change.what,
        "id": id or (note.id if note else None),
        "moved_from": change.before or None,
        **said,
        "diff": "\n".join(diff(note, draft)) if note and draft else "",
    }


def _of(change: Change) -> str:
    return f"#{change.note.id}" if change.note else ""
