"""Which notes that come with the repository are not delivered, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vectr_hooks import team_notes
from vectr_hooks.diagnosis.finding import Finding, ok, warning
from vectr_hooks.store import inspection
from vectr_hooks.team_notes import BACK, CHANGED, GONE, MOVED, NEW, OWN, SHARED, YOURS, Survey

SUBJECT = "team notes"
MOST_NAMED = 8
# Of a folder with thousands of broken files, what a person would still read.
MOST_PROBLEMS = 20

_SHOWS = "vectr-hooks trust"


def check(root: str, path: str) -> Iterator[Finding]:
    """How the files in the worktree at `root` stand to the store at `path`, or '' for none."""
    if not path:
        yield from _found(team_notes.survey(None, root))
        return
    with inspection.opened(path) as con:
        yield from _found(team_notes.survey(con, root))


def named(paths: Sequence[str]) -> str:
    """`a.md, b.md and 3 others`."""
    shown = ", ".join(paths[:MOST_NAMED])
    more = len(paths) - MOST_NAMED
    return f"{shown} and {more} other{'s' if more > 1 else ''}" if more > 0 else shown


def _found(survey: Survey) -> Iterator[Finding]:
    if survey.settled:
        count = len(survey.settled)
        yield ok(SUBJECT, f"{count} {'file is' if count == 1 else 'files are'} as trusted")
    for paths, how in (
        (survey.of(NEW, SHARED, OWN), "not trusted, so nothing of them is delivered"),
        (survey.of(CHANGED), "changed since they were trusted: their notes are withheld"),
        (survey.of(MOVED), "moved since they were trusted: their notes are withheld"),
        (survey.of(GONE), "gone since they were trusted: their notes are withheld"),
        (survey.of(BACK), "there again, after their notes were withdrawn"),
    ):
        if paths:
            yield warning(SUBJECT, f"{named(paths)}: {how}", _SHOWS)
    for path in survey.of(YOURS):
        message = f"{path} has changed; its note is the user's own, and stays as it is"
        yield ok(SUBJECT, message, f"{_SHOWS} {path}")
    for path, why in survey.left.items():
        yield ok(SUBJECT, f"{path}: {why}")
    wrong = [(path, problem) for path, problems in survey.problems.items() for problem in problems]
    for path, problem in wrong[:MOST_PROBLEMS]:
        place = f"{path}:{problem.line}" if problem.line else path
        yield warning(SUBJECT, f"{place}: {problem.message}", problem.hint)
    if len(wrong) > MOST_PROBLEMS:
        yield warning(SUBJECT, f"{len(wrong) - MOST_PROBLEMS} more like these", f"{_SHOWS} --dry-run")
