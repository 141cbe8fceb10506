from collections import namedtuple

import pytest

from vectr_hooks.core.describe import NO_TRIGGER, RECALLED, arrival, describe_clause
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.core.model import MOMENTS

Note = namedtuple(
    "Note",
    "kind priority anchors pinned state superseded_by",
    defaults=("finding", "medium", (), False, "active", 0),
)

CLAUSES = [
    (
        {
            "path": ["src/db/**", "migrations/"],
            "event": ["pre-edit", "post-read"],
            "keyword": ["deploy", "rollout"],
            "unless": {"branch": "main"},
        },
        "before an edit or after a read of src/db/** or migrations/, when the prompt says deploy or rollout, "
        "unless on branch main",
    ),
    ({"event": ["session-start", "post-compaction"]}, "at session start and after every compaction"),
    ({"event": ["session-start", "prompt-submit"]}, "at session start or at a prompt"),
    ({"event": "pre-commit"}, "before a commit"),
    ({"path": "*.py"}, "before or after a read or an edit of *.py"),
    ({"path": "*.py", "event": ["pre-edit", "pre-run"]}, "before an edit or before a command, for *.py"),
    ({"path": "*.sql", "tool": "Write"}, "before or after a read or an edit of *.sql, with the tool Write"),
    ({"keyword": "ship it"}, 'when the prompt says "ship it"'),
    ({"keyword": ["a", "b", "c"], "branch": "x/*"}, "when the prompt says a, b or c, on branch x/*"),
    ({"keyword": "a", "event": "prompt-submit"}, "at a prompt, when the prompt says a"),
    ({"command": "git push"}, 'before or after a command that starts with "git push"'),
    ({"command": ["make", "tox"], "event": "pre-run"}, "before a command that starts with make or tox"),
    ({"command": "make", "event": "post-failure"}, "after a failure, with the command make"),
    ({"tool": "mcp__db__*"}, "before or after a use of the tool mcp__db__*"),
    ({"event": "subagent-start", "subagent": "Explore"}, "at the start of a subagent of type Explore"),
    ({"subagent": ["Explore", "Plan"]}, "at any event, in a subagent of type Explore or Plan"),
    ({"branch": "release/*"}, "at any event, on branch release/*"),
    (
        {"path": "src/**", "unless": {"event": "post-edit", "path": "src/gen/**", "keyword": "hotfix"}},
        "before or after a read or an edit of src/**, unless after an edit and for src/gen/** and the prompt "
        "says hotfix",
    ),
]


@pytest.mark.parametrize(("clause", "words"), CLAUSES)
def test_a_clause_reads_as_a_phrase(clause, words):
    assert describe_clause(parse_trigger(clause).clauses[0]) == words


@pytest.mark.parametrize("moment", MOMENTS)
def test_every_moment_has_words(moment):
    assert describe_clause(parse_trigger({"event": moment, "subagent": "*"}).clauses[0])


ARRIVALS = [
    ({"keyword": "deploy"}, "arrives when the prompt says deploy; once per epoch"),
    ({"keyword": "deploy", "cooldown": 10}, "arrives when the prompt says deploy; at most every 10 turns"),
    ({"keyword": "deploy", "cooldown": 1}, "arrives when the prompt says deploy; at most every turn"),
    (
        {"keyword": "x", "not_before": "2026-12-01", "expires": "2027-03-01", "max_deliveries": 5},
        "arrives when the prompt says x; once per epoch, from 2026-12-01 to 2027-03-01, "
        "at most 5 times a session",
    ),
    (
        {"event": "session-start", "not_before": "2026-12-01", "max_deliveries": 1},
        "arrives at session start; from 2026-12-01, at most once a session",
    ),
    ({"event": "session-start", "expires": "2026-12-01"}, "arrives at session start; until 2026-12-01"),
    (
        [{"command": "make"}, {"event": "session-start"}],
        "arrives before or after a command that starts with make; or at session start; once per epoch",
    ),
]


@pytest.mark.parametrize(("trigger", "words"), ARRIVALS)
def test_a_trigger_says_when_and_how_often(trigger, words):
    assert arrival(parse_trigger(trigger), Note()) == words


BY_DEFAULT = [
    (Note(), RECALLED),
    (Note("directive"), "arrives at session start and after every compaction"),
    (Note("task", "high"), "arrives at session start and after every compaction"),
    (Note("task"), NO_TRIGGER),
    (Note("gotcha", anchors=("open",)), RECALLED),
    (
        Note("gotcha", anchors=("open", "src/db.py")),
        "arrives before an edit or after a read of src/db.py; once per epoch",
    ),
    (Note(pinned=True), "arrives at session start and after every compaction (pinned)"),
    (Note("directive", pinned=True), "arrives at session start and after every compaction (pinned)"),
    (
        Note("gotcha", anchors=("src/db.py",), pinned=True),
        "arrives at session start and after every compaction (pinned); or before an edit or after a read of "
        "src/db.py; once per epoch",
    ),
]


@pytest.mark.parametrize(("note", "words"), BY_DEFAULT)
def test_a_note_without_a_trigger_says_what_its_kind_does(note, words):
    assert arrival(None, note) == words


def test_a_note_that_never_comes_by_itself_says_how_to_change_that():
    assert NO_TRIGGER == (
        "no trigger: found by `vectr-hooks recall`; arrives by itself only after a compaction of the session "
        "that wrote it. Give --path, --keyword, --command or --event to have it delivered"
    )
