"""What is pointed out about a note, and that ordinary notes are left in peace."""

from __future__ import annotations

from typing import Any

import pytest

from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.core.lint import Alike, Remark, remarks
from vectr_hooks.core.model import MOMENTS
from vectr_hooks.core.settings import DEFAULTS
from vectr_hooks.core.title import default_title
from vectr_hooks.store.notes import NoteDraft


def note(body: str, trigger: object = None, **fields: Any) -> NoteDraft:
    given = {"title": default_title(body), "kind": "finding", "priority": "medium", "provenance": "agent"}
    return NoteDraft(body=body, trigger=parse_trigger(trigger) if trigger else None, **given | fields)


def looked_at(
    draft: NoteDraft, cost: int = 10, today: str = "2026-06-01", alike: Alike | None = None
) -> list[Remark]:
    return remarks(draft, cost, DEFAULTS, today, alike)


def codes(draft: NoteDraft, **given: Any) -> list[str]:
    return [remark.code for remark in looked_at(draft, **given)]


GOOD: list[NoteDraft] = [
    note("Run the tests with make test.", kind="directive"),
    note("acquire_lock() comes before any write to workspace metadata: the watcher races with it."),
    note("Deploys go through the canary first.", {"keyword": ["deploy", "rollout"]}),
    note("Pushes to main need a ticket in the message.", {"command": "git push"}),
    note("Use tabs."),
    note("No ORM."),
    note("PORT=8080"),
    note("python>=3.10"),
    note("Use Node.js 20."),
    note("TODO: remove the shim when 3.9 is gone.", kind="task", priority="high"),
    note("Note: acquire_lock() first."),
    note("Important: never edit generated files."),
    note("The lock is defined in src/db/pool.py and taken by the watcher."),
    note("See docs/ops.md for how deploys are rolled back."),
    note("resolver.rs:214 swallows the error of the second lookup."),
    note("src/db/pool.py is generated: edit pool.tmpl."),
    note("docs/ops.md", kind="reference", title="How deploys are rolled back"),
    note("https://example.org/runbook", kind="reference", title="Runbook for production incidents"),
    note("See src/gen/.", kind="reference", title="Where the generated code lies"),
    note("We chose SQLite over LMDB.\n\nIt is everywhere.", kind="decision"),
    note("Steps to release:\n\n1. tag\n2. push", title="A release is a tag and a push"),
    note("pytest -n auto"),
    note("make test\n"),
    note("测试前先启动数据库。"),
    note("デプロイはカナリアから。"),
    note("배포는 카나리아부터 시작한다."),
    note("Сначала возьмите блокировку."),
    note("Read config.yaml first: it names the shards."),
    note("CI/CD runs on two cores."),
    note("#12 was wrong: the lock is not reentrant."),
    note("Fixed in 3.11."),
    note("Migrations are never edited.", {"path": ["migrations/", "*.sql"], "event": "pre-edit"}),
    note("Every edit is formatted on save.", {"path": "**", "event": "pre-edit"}),
    note("Python files are formatted by ruff.", {"path": "**/*.py"}),
    note("Main is protected.", {"command": "git push", "branch": "main"}),
    note("Subagents must not commit.", {"subagent": "*", "event": "subagent-start"}),
    note("Subagents must not commit.", {"subagent": "*", "command": "git commit"}),
    note("Asking costs a ticket.", {"tool": "mcp__tracker__*", "event": "pre-run"}),
    note("Say it at both.", {"event": ["session-start", "post-compaction"]}),
    note("Not on main.", {"path": "src/", "unless": {"branch": "main"}}),
    note("Only by hand.", {"path": "src/", "unless": {"tool": "Bash"}}),
    note("On a branch only.", {"path": "src/", "branch": "*"}),
    note("Until the move.", {"path": "src/", "expires": "2026-06-01"}),
    note("After the move.", {"path": "src/", "not_before": "2027-06-01"}),
    note("The caps of a kind are its policy. " * 40, kind="decision"),
]


@pytest.mark.parametrize("draft", GOOD, ids=lambda draft: draft.title[:40])
def test_an_ordinary_note_gets_no_remark(draft: NoteDraft) -> None:
    assert looked_at(draft) == []


POINTERS = [
    "see resolver.rs:214",
    "See src/db/pool.py.",
    "resolver.rs",
    "`resolver.rs:214-220`",
    "Look at src/db/pool.py lines 20-40",
    "check src/db/ and src/store/",
    "It is in docs/ops.md#L12-L20",
    "https://example.org/x",
    "Details in https://example.org/x.",
    "see #12",
    "Refer to [docs/ops.md]",
]


@pytest.mark.parametrize("body", POINTERS)
def test_a_bare_pointer_is_pointed_out_once(body: str) -> None:
    (remark,) = looked_at(note(body))
    assert remark.code == "pointer"
    assert remark.hint


def test_a_pointer_is_found_in_the_title_or_the_body_alone() -> None:
    assert codes(note("The lock is not reentrant.", title="see pool.py:12")) == ["pointer"]
    assert codes(note("see pool.py:12", title="The lock is not reentrant")) == ["pointer"]
    assert codes(note("see pool.py:12", kind="reference")) == ["pointer"]


LABELS = "x|Note|TODO|Important!|Important note|Note to self|deploy|acquire_lock()|WARNING:"
LABELS += "|Deploy steps:|要点：|日本|...|⚠️|Read this|!!"


@pytest.mark.parametrize("title", LABELS.split("|"))
def test_a_title_without_a_fact_is_pointed_out(title: str) -> None:
    (remark,) = looked_at(note("The lock is not reentrant.", title=title))
    assert remark.code == "title"
    assert title in remark.text


def test_a_body_that_begins_with_a_label_alone_gives_such_a_title() -> None:
    assert codes(note("Important:\n\n- one\n- two")) == ["title"]


def test_a_body_above_the_cap_of_its_kind_is_pointed_out() -> None:
    (remark,) = looked_at(note("The lock is not reentrant."), cost=301)
    assert remark.code == "over-cap"
    assert "costs 301 tokens, more than the 300 of a finding" in remark.text
    assert looked_at(note("The lock is not reentrant."), cost=300) == []
    assert looked_at(note("The lock is not reentrant.", kind="decision"), cost=301) == []


ALWAYS = [
    {"path": "**"},
    {"path": "*"},
    {"path": ["src/", "**/*"]},
    {"event": list(MOMENTS)},
    {"branch": "*"},
    {"tool": "*"},
    {"command": "*"},
    {"tool": "*", "path": "**", "branch": "*"},
]


@pytest.mark.parametrize("trigger", ALWAYS, ids=str)
def test_a_clause_that_always_holds_is_pointed_out_and_nothing_else_of_it(trigger: object) -> None:
    (remark,) = looked_at(note("The lock is not reentrant.", trigger))
    assert remark.code == "always"


NEVER = [
    {"path": "src/", "unless": {"path": "**"}},
    {"path": "src/", "unless": {"tool": "*"}},
    {"command": "git push", "unless": {"command": "*"}},
    {"keyword": "deploy", "unless": {"event": list(MOMENTS)}},
    {"path": "src/", "branch": "main", "unless": {"branch": "*", "tool": "*"}},
]


@pytest.mark.parametrize("trigger", NEVER, ids=str)
def test_a_clause_whose_unless_always_holds_is_pointed_out(trigger: object) -> None:
    (remark,) = looked_at(note("The lock is not reentrant.", trigger))
    assert remark.code == "never"


@pytest.mark.parametrize(
    "trigger",
    [
        {"keyword": "deploy", "unless": {"tool": "*"}},
        {"path": "src/", "unless": {"branch": "*"}},
        {"keyword": "deploy", "unless": {"path": "**"}},
        {"path": "src/", "unless": {"tool": "*", "branch": "main"}},
    ],
    ids=str,
)
def test_an_unless_that_may_not_hold_is_not_pointed_out(trigger: object) -> None:
    assert looked_at(note("The lock is not reentrant.", trigger)) == []


def test_a_note_that_has_expired_is_pointed_out() -> None:
    draft = note("The lock is not reentrant.", {"path": "src/", "expires": "2026-05-31"})
    assert codes(draft) == ["never"]
    assert codes(draft, today="2026-05-31") == []


@pytest.mark.parametrize(
    "trigger",
    [{"branch": "main"}, {"path": "*test*"}, {"tool": "mcp__*"}, {"path": "**", "branch": "main"}],
    ids=str,
)
def test_a_clause_that_no_index_finds_is_pointed_out(trigger: object) -> None:
    (remark,) = looked_at(note("The lock is not reentrant.", trigger))
    assert remark.code == "residual"


def test_each_clause_is_looked_at() -> None:
    draft = note("The lock is not reentrant.", [{"path": "src/"}, {"path": "**"}, {"branch": "main"}])
    assert codes(draft) == ["always", "residual"]


def test_a_note_that_says_the_same_as_another_is_pointed_out_with_its_name() -> None:
    draft = note("The lock is not reentrant.")
    (body,) = looked_at(draft, alike=Alike("#31", "body"))
    (title,) = looked_at(draft, alike=Alike("#12", "title"))
    (close,) = looked_at(draft, alike=Alike("#7", "words"))
    assert [remark.code for remark in (body, title, close)] == ["duplicate", "duplicate", "close"]
    assert body.text == "#31 says the same"
    assert title.text == "#12 has the same title"
    assert close.text == "#7 says much the same"


@pytest.mark.parametrize("in_what", ["body", "title", "words"])
def test_a_note_that_says_what_was_revoked_is_told_why(in_what: str) -> None:
    (remark,) = looked_at(note("The lock is not reentrant."), alike=Alike("#12", in_what, "it is since 2.0"))
    assert remark.code == "revoked"
    assert remark.text == '#12 SAID THIS AND WAS REVOKED: "it is since 2.0"'


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ({"semantic": 0.2}, ["always"]),
        ({"semantic": 0.2, "branch": "main"}, ["always"]),
        ({"semantic": 0.2, "keyword": "deploy"}, []),
        ({"semantic": 0.3}, []),
    ],
)
def test_a_similarity_that_many_prompts_reach_is_pointed_out(clause: object, expected: list[str]) -> None:
    assert codes(note("Deploys go through the canary first.", clause)) == expected
