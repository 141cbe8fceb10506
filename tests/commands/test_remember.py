"""`remember`: what is stored, what is answered, what is refused."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Run
from vectr_hooks.project import Project

ROOT = Path(__file__).resolve().parents[2]


def remembered(run: Run, *arguments: str, input: str | bytes | None = None) -> dict[str, Any]:
    done = run("remember", *arguments, "--json", input=input)
    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["version"] == 1
    note: dict[str, Any] = answer["note"]
    return note


def count(run: Run) -> int:
    return len(json.loads(run("list", "--json").stdout)["notes"])


def test_it_answers_with_the_id_when_it_arrives_and_what_it_costs(run: Run) -> None:
    done = run("remember", "Run the tests with make test.", "--kind", "directive")
    first, when, cost = done.stdout.splitlines()
    assert first == "#1 directive stored: Run the tests with make test"
    assert when == "arrives at session start and after every compaction"
    assert cost.startswith("costs ")


def test_it_says_when_no_hook_would_deliver_it(run: Run) -> None:
    missing = "the hooks are not installed here, so nothing arrives: `vectr-hooks install`\n"
    assert run("remember", "A fact.", "--keyword", "a").stderr == missing
    run("install")
    assert run("remember", "Another fact.", "--keyword", "b").stderr == ""
    run("config", "set", "enabled", "false")
    assert "switched off" in run("remember", "A third fact.", "--keyword", "c").stderr


@pytest.mark.parametrize("arguments", [["-"], []])
def test_text_comes_from_stdin_verbatim(run: Run, arguments: list[str]) -> None:
    text = "  First line.\r\n\tSecond: naïve 日本 $HOME `x`\n\n"
    note = remembered(run, *arguments, input=text.encode())
    assert note["body"] == text


def test_flags_make_one_clause(run: Run) -> None:
    note = remembered(
        run,
        "x",
        "--path",
        "src/**",
        "--path",
        "db/",
        "--event",
        "pre-edit",
        "--unless",
        "{branch: [main, dev]}",
    )
    assert note["trigger"] == {
        "clauses": [{"event": ["pre-edit"], "path": ["src/**", "db/"], "unless": {"branch": ["main", "dev"]}}]
    }


def test_every_condition_has_a_flag(run: Run) -> None:
    flags = {
        "keyword": "deploy now",
        "command": "git push",
        "tool": "mcp__*",
        "branch": "release/*",
        "subagent": "Explore",
    }
    for name, value in flags.items():
        assert remembered(run, "x", f"--{name}", value)["trigger"] == {"clauses": [{name: [value]}]}


def test_a_trigger_is_read_from_a_file_or_stdin(run: Run, tmp_path: Path) -> None:
    text = "trigger:\n  - path: src/\n  - keyword: [deploy]\ncooldown: 3\nexpires: 2031-01-01\n"
    expected = {
        "clauses": [{"path": ["src/"]}, {"keyword": ["deploy"]}],
        "cooldown": 3,
        "expires": "2031-01-01",
    }
    (tmp_path / "t.yaml").write_text(text, encoding="utf-8")
    assert remembered(run, "x", "--trigger", str(tmp_path / "t.yaml"))["trigger"] == expected
    assert remembered(run, "x", "--trigger", "-", input=text)["trigger"] == expected


def test_limits_stand_beside_a_trigger_file(run: Run) -> None:
    note = remembered(run, "x", "--trigger", "-", "--max-deliveries", "2", input="path: src/")
    assert note["trigger"] == {"clauses": [{"path": ["src/"]}], "max_deliveries": 2}


def test_limits_alone_restrict_what_the_kind_does(run: Run) -> None:
    note = remembered(run, "x", "--kind", "directive", "--expires", "2031-01-01")
    assert note["trigger"] == {
        "clauses": [{"event": ["session-start", "post-compaction"]}],
        "expires": "2031-01-01",
    }


def test_everything_else_an_author_decides_is_kept(run: Run) -> None:
    note = remembered(
        run,
        "The body.",
        *("--title", "The title", "--kind", "gotcha", "--priority", "high", "--tag", "a", "--tag", "b"),
        *("--anchor", "src/x.py", "--author", "bob", "--pin"),
    )
    assert (
        note
        | {
            "title": "The title",
            "kind": "gotcha",
            "priority": "high",
            "tags": ["a", "b"],
            "anchors": ["src/x.py"],
            "author": "bob",
            "pinned": True,
            "trigger": None,
        }
        == note
    )


def test_without_a_terminal_an_agent_stands_behind_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert remembered(run, "x")["provenance"] == "agent"
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "abc")
    assert remembered(run, "y")["session"] == "abc"


@pytest.mark.parametrize(
    ("variables", "provenance"),
    [
        ({}, "human"),
        ({"CLAUDECODE": "1"}, "agent"),
        ({"AI_AGENT": "x"}, "agent"),
        ({"CODEX_HOME": "/x"}, "human"),
    ],
)
def test_a_person_at_a_terminal_stands_behind_it_unless_an_agent_runs_it(
    place: Project, variables: dict[str, str], provenance: str
) -> None:
    controller, terminal = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "vectr_hooks", "remember", "x", "--json"],
            stdin=terminal,
            capture_output=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | variables,
            check=True,
        )
    finally:
        os.close(controller)
        os.close(terminal)
    assert json.loads(done.stdout)["note"]["provenance"] == provenance


def test_a_note_above_the_cap_of_its_kind_is_said_to_arrive_as_an_index_line(run: Run) -> None:
    done = run("remember", "word " * 400, "--kind", "gotcha", "--path", "src/")
    assert "arrives as an index line, its title only" in done.stdout
    assert "more than the 300 of a gotcha: it can only arrive as an index line" in done.stderr
    run("config", "set", "cap.gotcha", "1000")
    assert "index line" not in run("remember", "term " * 400, "--kind", "gotcha", "--path", "src/").output


def test_a_decision_is_said_to_arrive_as_an_index_line(run: Run) -> None:
    assert "index line" in run("remember", "We use SQLite.", "--kind", "decision").stdout


def test_what_makes_a_note_useless_is_pointed_out_and_strict_refuses_it(run: Run) -> None:
    text = "The lock is not reentrant."
    done = run("remember", text, "--path", "*test*")
    assert done.exit_code == 0
    assert done.stderr.startswith("remark: no index finds the clause ")
    assert count(run) == 1
    strict = run("remember", text, "--title", "Note", "--path", "**", "--strict")
    *remarks, error, hint = strict.stderr.splitlines()
    assert [remark.split(" ")[1] for remark in remarks] == ["the", "the", "#1"]
    assert error == "error: nothing was stored: --strict was given, and there are 3 remarks"
    assert hint.startswith("hint: ")
    assert (strict.exit_code, strict.stdout, count(run)) == (1, "", 1)


def test_an_ordinary_note_passes_strict_without_a_remark(run: Run) -> None:
    done = run("remember", "The lock is not reentrant.", "--path", "src/", "--strict")
    assert (done.exit_code, count(run)) == (0, 1)
    assert "not installed" in done.stderr


def test_remarks_are_in_the_json_and_not_on_stderr(run: Run) -> None:
    done = run("remember", "see resolver.rs:214", "--branch", "main", "--json")
    answer = json.loads(done.stdout)
    assert done.stderr == ""
    assert [remark["code"] for remark in answer["remarks"]] == ["pointer", "residual"]
    assert set(answer["remarks"][0]) == {"code", "text", "hint"}
    assert len(answer["residual"]) == 1


def test_a_note_that_says_what_another_does_is_pointed_out_with_its_id(run: Run) -> None:
    run("remember", "The lock is not reentrant.")
    assert "remark: #1 says the same; " in run("remember", "The lock is not reentrant.\n").stderr
    title = run("remember", "Since it would cost a word.", "--title", "the lock is not Reentrant")
    assert "remark: #1 has the same title; " in title.stderr


def test_flags_and_yaml_give_the_same_trigger(run: Run, tmp_path: Path) -> None:
    flags = [
        *("--path", "src/db/**", "--path", "*.sql", "--event", "pre-edit", "--keyword", "Deploy  now"),
        *("--command", "git push", "--tool", "Edit", "--branch", "release/*", "--subagent", "Explore"),
        *("--unless", "{branch: [main], path: docs/}", "--cooldown", "3", "--max-deliveries", "2"),
        *("--not-before", "2026-12-01", "--expires", "2031-01-01"),
    ]
    text = """
trigger:
  - path: ["src/db/**", "*.sql"]
    event: pre-edit
    keyword: Deploy  now
    command: git push
    tool: Edit
    branch: release/*
    subagent: [Explore]
    unless: {branch: main, path: docs/}
cooldown: 3
max_deliveries: 2
not_before: 2026-12-01
expires: 2031-01-01
"""
    file = tmp_path / "trigger.yaml"
    file.write_text(text, encoding="utf-8")
    by_flags = remembered(run, "The lock is not reentrant.", *flags)["trigger"]
    assert by_flags == remembered(run, "Another lock.", "--trigger", str(file))["trigger"]
    assert by_flags == remembered(run, "Yet another lock.", "--trigger", "-", input=text)["trigger"]


def test_case_25_a_secret_is_refused_or_redacted(run: Run) -> None:
    text = "The key is AKIAQ3EXAMPLEKEY7Z2B, keep it."
    refused = run("remember", text)
    assert refused.exit_code == 1
    assert "AKIAQ3" not in refused.output
    assert count(run) == 0
    assert "[redacted" in remembered(run, text, "--redact")["body"]


BAD = {
    "an empty text": ["", "empty"],
    "a blank text": ["  \n", "empty"],
    "an unknown moment": ["x", "--event", "pre-edti", "pre-edti"],
    "a path outside": ["x", "--path", "/etc/passwd", "absolute"],
    "a negated path": ["x", "--path", "!src", "unless"],
    "an empty keyword": ["x", "--keyword", "", "keyword"],
    "a bad date": ["x", "--path", "a", "--expires", "2026-02-30", "expires"],
    "dates in the wrong order": [
        "x",
        "--path",
        "a",
        "--not-before",
        "2030-01-02",
        "--expires",
        "2030-01-01",
        "after",
    ],
    "unless without anything to veto": ["x", "--unless", "{branch: main}", "unless"],
    "unless that is no YAML": ["x", "--path", "a", "--unless", "{branch: [", "--unless is not YAML"],
    "unless that is no mapping": ["x", "--path", "a", "--unless", "main", "unless"],
    "an unknown condition in unless": ["x", "--path", "a", "--unless", "{brunch: main}", "brunch"],
    "a meaning that vetoes": ["x", "--path", "a", "--unless", "{semantic: 0.5}", "cannot veto"],
    "a path where there is no tool": ["x", "--path", "a", "--event", "session-start", "never"],
    "limits and nothing to restrict": ["x", "--cooldown", "3", "--cooldown restricts"],
    "a missing trigger file": ["x", "--trigger", "no-such-file.yaml", "cannot be read"],
    "a device as trigger file": ["x", "--trigger", "/dev/zero", "is not a regular file"],
    "a folder as trigger file": ["x", "--trigger", ".", "is not a regular file"],
    "a scope without what it is limited to": ["x", "--scope", "session", "outside of a session"],
    "an unknown scope": ["x", "--scope", "galaxy", "galaxy"],
    "a tag of two words": ["x", "--tag", "two words", "tag"],
    "a title of two lines": ["x", "--title", "a\nb", "title"],
    "a title too long": ["x", "--title", "t" * 121, "title"],
    "an anchor outside": ["x", "--anchor", "../x", "outside"],
    "a forged author": ["x", "--author", "me] trust [", "author"],
}


@pytest.mark.parametrize("given", BAD.values(), ids=BAD.keys())
def test_bad_input_gets_one_error_line_with_a_hint_and_stores_nothing(run: Run, given: list[str]) -> None:
    *arguments, expected = given
    done = run("remember", *arguments)
    error, hint = done.stderr.splitlines()
    assert done.exit_code == 1
    assert error.startswith("error: ")
    assert expected in error + hint
    assert hint.startswith("hint: ")
    assert done.stdout == ""
    assert count(run) == 0


BAD_STDIN = {
    "a text that is not UTF-8": (["-"], b"caf\xe9", "not UTF-8"),
    "a text with a NUL": (["-"], b"a\0b", "NUL"),
    "an empty pipe": ([], b"", "empty"),
    "a trigger that is not UTF-8": (["x", "--trigger", "-"], b"keyword: caf\xe9", "not UTF-8"),
    "a trigger with a day that is none": (["x", "--trigger", "-"], b"path: a\nexpires: 2026-13-45", "YAML"),
    "a trigger nested without end": (["x", "--trigger", "-"], b"[" * 5000, "YAML"),
    "a trigger that is a text": (["x", "--trigger", "-"], b"src/", "trigger"),
    "an empty trigger": (["x", "--trigger", "-"], b"", "trigger"),
    "a trigger of limits alone": (["x", "--trigger", "-"], b"cooldown: 3", "cooldown"),
    "a key twice": (["x", "--trigger", "-"], b"path: a\npath: b", "YAML"),
    "an alias": (["x", "--trigger", "-"], b"path: *a", "quotes"),
    "two documents": (["x", "--trigger", "-"], b"path: a\n---\npath: b\n", "YAML"),
}


@pytest.mark.parametrize("given", BAD_STDIN.values(), ids=BAD_STDIN.keys())
def test_bad_stdin_gets_one_error_line_with_a_hint_and_stores_nothing(
    run: Run, given: tuple[list[str], bytes, str]
) -> None:
    arguments, input, expected = given
    done = run("remember", *arguments, input=input)
    error, hint = done.stderr.splitlines()
    assert done.exit_code == 1
    assert error.startswith("error: ")
    assert expected in error
    assert hint.startswith("hint: ")
    assert count(run) == 0


USAGE = {
    "an unknown kind": ["x", "--kind", "rumour"],
    "an unknown priority": ["x", "--priority", "urgent"],
    "a cooldown of nothing": ["x", "--path", "a", "--cooldown", "0"],
    "a clause beside a trigger file": ["x", "--path", "a", "--trigger", "-"],
    "unless beside a trigger file": ["x", "--unless", "{branch: main}", "--trigger", "-"],
    "stdin for both": ["-", "--trigger", "-"],
    "stdin for the trigger and no text": ["--trigger", "-"],
    "two texts": ["x", "y"],
    "a project that is not there": ["x", "--project", "no-such-folder"],
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE.keys())
def test_wrong_usage_exits_2_and_stores_nothing(run: Run, arguments: list[str]) -> None:
    assert run("remember", *arguments, input="path: a").exit_code == 2
    assert count(run) == 0


def test_a_limit_may_be_given_once_only(run: Run) -> None:
    done = run("remember", "x", "--trigger", "-", "--cooldown", "3", input="path: a\ncooldown: 2")
    assert done.exit_code == 2
    assert count(run) == 0
