"""What counts as retrieving, and after how much of it a model is told that findings can be stored."""

from __future__ import annotations

import pytest

from vectr_hooks.core.budget import tokens
from vectr_hooks.core.conversation import Conversation, advance
from vectr_hooks.core.nudge import TEXT, count, is_due, is_retrieval
from vectr_hooks.core.occurrence import SESSION_BEGINS, TOOL_AFTER, Occurrence
from vectr_hooks.core.settings import DEFAULTS
from vectr_hooks.core.shell import simple_commands

MOST_TOKENS = 60

LINES = {
    "cat src/a.py": True,
    "head -40 src/a.py && tail -n +80 src/a.py": True,
    "cd src && grep -rn acquire_lock . | head -20": True,
    "rg -n 'lock' -g '*.py' 2>/dev/null": True,
    "rg lock 2>&1 | sort | uniq -c": True,
    "find . -name '*.py' | xargs grep -l lock": True,
    "sed -n '10,40p' src/a.py": True,
    "git log --oneline -5 && git show HEAD": True,
    "git -C sub diff": True,
    "sudo cat /etc/hosts": True,
    "echo one; cat a": True,
    # They bring little, or nothing that was looked for.
    "ls -la": False,
    "pwd && wc -l src/a.py": False,
    "git status": False,
    "make check": False,
    "": False,
    # They do something else as well.
    "cat a && make": False,
    "grep -q lock a || git commit -m x": False,
    "cat a > b": False,
    "cat a >> $OUT": False,
    "cat a | tee b": False,
    "sed -i s/a/b/ src/a.py": False,
    "sort -o a a; cat a": False,
    "find . -name '*.pyc' -delete": False,
    "find . -name '*.py' -exec rm {} +": False,
    "fd -e pyc -x rm": False,
    "git add a; cat a": False,
    "cat $(make path)": False,
    "vectr-hooks remember 'found' && cat a": False,
}


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_retrieves_when_it_reads_and_does_nothing_else(line: str) -> None:
    event = Occurrence(TOOL_AFTER, "PostToolUse", mode="run", tool="Bash", command=line)
    assert is_retrieval(event, simple_commands(line)) is LINES[line]


@pytest.mark.parametrize(
    ("tool", "mode", "retrieves"),
    [
        ("Read", "read", True),
        ("Grep", "read", True),
        ("WebFetch", "run", True),
        ("WebSearch", "run", True),
        ("google_web_search", "run", True),
        ("Edit", "edit", False),
        ("Task", "run", False),
        ("mcp__tracker__search", "run", False),
    ],
)
def test_of_other_tools_only_those_that_surely_retrieve_count(tool: str, mode: str, retrieves: bool) -> None:
    assert is_retrieval(Occurrence(TOOL_AFTER, "PostToolUse", mode=mode, tool=tool), ()) is retrieves


def counted(*results: int, conversation: Conversation | None = None) -> Conversation:
    conversation = conversation or Conversation("s", "")
    for number in results:
        count(conversation, number, 7, stored=False)
    return conversation


def test_it_is_due_after_more_calls_than_are_set_or_as_many_tokens() -> None:
    assert not is_due(counted(*[100] * 20), DEFAULTS)
    assert is_due(counted(*[100] * 21), DEFAULTS)
    assert not is_due(counted(20_000, 19_999), DEFAULTS)
    assert is_due(counted(20_000, 20_000), DEFAULTS)
    assert is_due(counted(1), {"nudge.calls": 0, "nudge.tokens": 10})


def test_it_counts_from_the_start_when_a_note_was_stored() -> None:
    conversation = counted(*[100] * 20)
    count(conversation, 50, 9, stored=True)
    assert (conversation.retrievals, conversation.retrieved, conversation.retrieved_since) == (1, 50, 9)


def test_it_counts_from_the_start_in_each_epoch_and_is_due_again() -> None:
    conversation = counted(*[100] * 21)
    conversation.nudged = 1
    assert not is_due(conversation, DEFAULTS)
    advance(conversation, Occurrence(SESSION_BEGINS, "SessionStart", "compact"), -1, lambda: True)
    assert (conversation.retrievals, conversation.retrieved, conversation.nudged) == (0, 0, 0)
    assert is_due(counted(*[100] * 21, conversation=conversation), DEFAULTS)


def test_the_text_is_short_and_names_a_whole_command() -> None:
    assert tokens(TEXT + "\n") <= MOST_TOKENS
    assert "vectr-hooks remember" in TEXT
    assert "\n" not in TEXT


@pytest.mark.parametrize(("path", "tokens"), [("a.py", 250), ("shot.PNG", 0), ("paper.pdf", 0), ("", 250)])
def test_what_a_result_cost_is_only_known_of_texts(path: str, tokens: int) -> None:
    event = Occurrence(TOOL_AFTER, "PostToolUse", path=path, input_text="x" * 20)
    event.size = 1020
    assert event.result_tokens == tokens
