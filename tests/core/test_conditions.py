from __future__ import annotations

import pytest

from tests.core.builders import clause, facts
from vectr_hooks.core.conditions import judge
from vectr_hooks.core.model import Clause, Facts

EDIT = facts("pre-edit", path="src/db/pool.py", tool="Edit", branch="main")
SAID = frozenset(["wdeploy"])
PROMPT = facts("prompt-submit", needles=SAID, fresh=SAID, branch="main")
PUSH = facts("pre-run", commands=(("git", "push", "origin"),), tool="Bash", branch="feature/x")
START = facts("session-start")
SUB = facts("post-read", path="src/db/pool.py", tool="Read", subagent="Explore")
LATER = facts("post-read", path="src/db/pool.py", tool="Read", needles=frozenset(["wdeploy"]))

FOUND = facts("pre-edit", path="src/a.py", needles=frozenset(["slock"]), fresh=frozenset(["slock"]))
TOLD = facts("pre-edit", path="src/a.py", tool="Edit", needles=frozenset(["slock"]))
IN_FILE = facts("pre-edit", path="src/a.py", tool="Edit", needles=frozenset(["flock"]))
FAILED = facts(
    "post-failure", needles=frozenset(["oE2"]), fresh=frozenset(["oE2"]), slow=frozenset(["o/x+/"])
)


@pytest.mark.parametrize(
    ("condition", "event", "failed"),
    [
        pytest.param(clause(path="src/db/**"), EDIT, "", id="a path holds at any moment that has one"),
        pytest.param(clause(path=["docs/", "src/db/**"]), EDIT, "", id="a list is any of it"),
        pytest.param(clause(path="src/*.py"), EDIT, "path", id="a path that does not match"),
        pytest.param(clause(path="src/db/**"), PROMPT, "path", id="a prompt targets no path"),
        pytest.param(
            clause(event="post-read", path="src/db/**"), EDIT, "event", id="an event restricts a path"
        ),
        pytest.param(clause(event="session-start"), START, "", id="an event alone"),
        pytest.param(clause(event=["session-start"]), EDIT, "event", id="another event"),
        pytest.param(clause(keyword="deploy"), PROMPT, "", id="a keyword in the prompt"),
        pytest.param(clause(keyword="deploy"), LATER, "event", id="a keyword alone holds at the prompt only"),
        pytest.param(clause(keyword="deploy", branch="main"), PROMPT, "", id="a keyword on a branch"),
        pytest.param(
            clause(path="src/**", keyword="deploy"), LATER, "", id="the turn's prompt at a later tool"
        ),
        pytest.param(clause(path="src/**", keyword="deploy"), EDIT, "keyword", id="no such word in the turn"),
        pytest.param(clause(path="src/**", keyword="deploy"), PROMPT, "path", id="and no path at the prompt"),
        pytest.param(clause(event="post-read", keyword="deploy"), LATER, "", id="a keyword with its event"),
        pytest.param(clause(symbol="lock"), FOUND, "", id="a symbol in the event's own text"),
        pytest.param(
            clause(symbol="lock"), TOLD, "symbol", id="a symbol of the prompt is none at a later tool"
        ),
        pytest.param(clause(symbol="lock", tool="Edit"), TOLD, "", id="unless it is joined with something"),
        pytest.param(
            clause(symbol="lock", path="src/**"), IN_FILE, "", id="a symbol in the file of the path"
        ),
        pytest.param(clause(symbol="lock", tool="Edit"), IN_FILE, "symbol", id="in the file, but of no path"),
        pytest.param(clause(output=["E1", "E2"]), FAILED, "", id="an output"),
        pytest.param(
            clause(output="/x+/"), FAILED, "output (too slow)", id="an output there was no time for"
        ),
        pytest.param(clause(command="git push"), PUSH, "", id="a command"),
        pytest.param(clause(command="git pull"), PUSH, "command", id="another command"),
        pytest.param(clause(command="git push"), EDIT, "command", id="no command at all"),
        pytest.param(clause(tool="Ed*"), EDIT, "", id="a tool by glob"),
        pytest.param(clause(tool="mcp__*"), EDIT, "tool", id="another tool"),
        pytest.param(clause(branch="feature/*"), PUSH, "", id="a branch alone"),
        pytest.param(clause(branch="release/*"), PUSH, "branch", id="another branch"),
        pytest.param(clause(branch="*"), START, "branch", id="no branch is checked out"),
        pytest.param(clause(path="src/db/**"), SUB, "subagent", id="a subagent is not the main conversation"),
        pytest.param(clause(path="src/db/**", subagent="Ex*"), SUB, "", id="unless the clause says so"),
        pytest.param(clause(path="src/db/**", subagent="*"), EDIT, "subagent", id="and then only there"),
        pytest.param(clause(path="src/**", unless={"branch": ["main"]}), EDIT, "unless", id="a veto"),
        pytest.param(
            clause(path="src/**", unless={"branch": ["dev"]}), EDIT, "", id="a veto that does not hold"
        ),
        pytest.param(
            clause(path="src/**", unless={"branch": ["main"], "tool": ["Write"]}), EDIT, "", id="half a veto"
        ),
        pytest.param(
            clause(path="src/**", unless={"keyword": ["deploy"]}),
            LATER,
            "unless",
            id="a veto by the turn's prompt",
        ),
        pytest.param(
            clause(path="src/**", unless={"event": ["pre-edit"]}), EDIT, "unless", id="a veto by event"
        ),
    ],
)
def test_a_clause_holds_when_all_its_conditions_do(condition: Clause, event: Facts, failed: str) -> None:
    assert judge(condition, event).failed == failed


@pytest.mark.parametrize(
    ("condition", "event", "why"),
    [
        (clause(event="pre-edit", path=["docs/", "src/db/**"]), EDIT, "path src/db/**"),
        (clause(keyword=["rollout", "deploy"]), PROMPT, "keyword deploy"),
        (clause(path="src/**", keyword="deploy"), LATER, "path src/**"),
        (clause(event=["post-compaction", "session-start"]), START, "session-start"),
        (clause(command="git p*", branch="feature/*"), PUSH, "command git p*"),
        (clause(branch="feature/*"), PUSH, "branch feature/*"),
    ],
)
def test_the_most_telling_condition_says_why(condition: Clause, event: Facts, why: str) -> None:
    assert judge(condition, event).why == why


def test_a_path_counts_only_at_the_moments_the_clause_names() -> None:
    """`cp a b` reads a and edits b: an edit of `a` is not what happens."""
    event = Facts(("pre-read", "pre-edit"), (("pre-read", "a"), ("pre-edit", "b")))
    assert judge(clause(event="pre-edit", path="a"), event).failed == "path"
    assert judge(clause(event="pre-edit", path="b"), event)
    assert judge(clause(path="a"), event)
