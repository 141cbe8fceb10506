"""`list`, `show` and `recall`: reading notes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.commands.conftest import Hook, Run
from vectr_hooks.project import Project

ROOT = Path(__file__).resolve().parents[2]
Stored = Callable[..., int]


def notes(run: Run, *arguments: str) -> list[dict[str, Any]]:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["version"] == 1
    found: list[dict[str, Any]] = answer["notes"]
    return found


def test_an_empty_list_is_a_remark_and_no_error(run: Run) -> None:
    done = run("list")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "no notes yet" in done.stderr
    assert notes(run, "list") == []


def test_the_list_is_in_order_of_precedence(run: Run, stored: Stored) -> None:
    stored("finding")
    stored("rule", "--kind", "directive")
    stored("pinned", "--pin")
    assert [note["title"] for note in notes(run, "list")] == ["pinned", "rule", "finding"]


def test_the_list_says_when_each_note_arrives_and_what_it_costs(run: Run, stored: Stored) -> None:
    stored("Rule.", "--kind", "directive")
    stored("Thing.")
    head, rule, thing = run("list").stdout.splitlines()
    assert head.split() == ["id", "kind", "priority", "title", "arrives", "delivered", "cost"]
    assert "at session start and after every compaction" in rule
    assert "when a prompt is about it" in thing
    assert re.search(r"never +\d+ *$", rule)


def test_the_list_says_when_each_note_was_last_delivered(run: Run, stored: Stored, hook: Hook) -> None:
    stored("Rule.", "--kind", "directive")
    assert notes(run, "list")[0]["last_delivered_ms"] is None
    assert "Rule." in hook("SessionStart", source="startup")
    assert notes(run, "list")[0]["last_delivered_ms"] > 1_700_000_000_000
    assert "just now" in run("list").stdout


def listed_on_screen(columns: int, *arguments: str) -> str:
    controller, terminal = pty.openpty()
    variables = {"PYTHONPATH": str(ROOT), "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": str(columns)}
    process = subprocess.Popen(
        [sys.executable, "-m", "vectr_hooks", "list", *arguments],
        stdin=terminal,
        stdout=terminal,
        env=os.environ | variables,
    )
    assert process.wait() == 0
    text = os.read(controller, 100_000).decode()
    os.close(terminal)
    os.close(controller)
    return text


def test_a_narrow_screen_gets_two_lines_a_note_and_no_column(place: Project, stored: Stored) -> None:
    stored("Take the lock before the metadata.", "--kind", "gotcha", "--path", "src/db/**")
    stored("Rule.", "--kind", "directive", "--pin", "--priority", "high")
    lines = listed_on_screen(80).splitlines()
    assert [re.sub(r"\d+ tokens$", "N tokens", line) for line in lines] == [
        "#2 directive (high, pinned)  Rule",
        "    arrives at session start and after every compaction (pinned) | delivered: never | N tokens",
        "#1 gotcha  Take the lock before the metadata",
        "    arrives before or after a read or an edit of src/db/** | delivered: never | N tokens",
    ]
    assert "    trigger (at session start" in listed_on_screen(99, "--triggers")
    assert "    arrives" not in listed_on_screen(100)


def test_the_list_leaves_out_what_nearly_all_notes_have(run: Run, stored: Stored) -> None:
    stored("one", "--path", "src/")
    assert "medium" not in run("list").stdout
    assert "epoch" not in run("list").stdout
    stored("two", "--priority", "low")
    assert " low " in run("list").stdout


def test_what_is_no_id_is_told_where_ids_are(run: Run) -> None:
    done = run("show", "abc")
    assert done.exit_code == 2
    assert "as `vectr-hooks list` shows it" in done.stderr


def test_the_list_can_be_narrowed(run: Run, stored: Stored) -> None:
    stored("one", "--kind", "directive", "--tag", "a")
    stored("two", "--tag", "a", "--tag", "b")
    stored("three", "--pin")

    def titles(*options: str) -> set[str]:
        return {note["title"] for note in notes(run, "list", *options)}

    assert titles("--kind", "directive") == {"one"}
    assert titles("--kind", "directive", "--kind", "finding") == {"one", "two", "three"}
    assert titles("--tag", "a") == {"one", "two"}
    assert titles("--tag", "a", "--tag", "b") == {"two"}
    assert titles("--pinned") == {"three"}
    assert titles("--tag", "nothing") == set()


def test_the_list_shows_triggers_in_words_and_those_of_a_kind_in_parentheses(
    run: Run, stored: Stored
) -> None:
    stored("one", "--path", "src/", "--unless", "{branch: main}", "--cooldown", "3", "--pin")
    stored("two", "--kind", "directive")
    stored("three")
    head, *rows = run("list", "--triggers").stdout.splitlines()
    assert head.split()[4] == "trigger"
    words = "before or after a read or an edit of src/, unless on branch main; at most every 3 turns"
    assert f"  {words}  " in rows[0]
    assert "(at session start and after every compaction)" in rows[1]
    assert " none " in rows[2]


def test_a_pipe_cuts_nothing_whatever_its_width(run: Run, stored: Stored, monkeypatch: Any) -> None:
    title = "long " * 23
    patterns = [f"folder{n}/" for n in range(30)]
    stored("x", "--title", title, *(word for pattern in patterns for word in ("--path", pattern)))
    monkeypatch.setenv("COLUMNS", "20")
    _, row = run("list").stdout.splitlines()
    assert title.strip() in row
    assert all(pattern in row for pattern in patterns)
    assert "\x1b" not in row


def test_a_terminal_gets_no_colour_when_it_asks_for_none_and_loses_no_text(
    place: Project, stored: Stored
) -> None:
    stored("The lock must be taken before the metadata is touched, whoever touches it.")
    text = listed_on_screen(100)
    assert not re.search(r"\x1b\[[0-9;]*(3[0-7]|4[0-7]|9[0-7])m", text)
    assert "metadata" in text
    assert "whoever" in text


def test_control_characters_of_a_note_do_not_reach_the_terminal(run: Run, stored: Stored) -> None:
    id = stored("Clear\x1b[2J the screen.", "--title", "red \x1b[31m title")
    for command in (("list",), ("show", str(id)), ("recall", "clear"), ("recall", "clear", "--full")):
        assert "\x1b" not in run(*command).stdout


def test_show_tells_everything(run: Run, stored: Stored) -> None:
    options = "--kind gotcha --priority high --tag db --anchor src/db/ --path src/db/** --author bob --pin"
    stored("Take the lock.\n\n  It races.", *options.split(), "--unless", "{branch: main}", "--cooldown", "4")
    text = run("show", "1").stdout
    head, _, body = text.partition("\n\n")
    lines = head.splitlines()
    assert lines[0] == "#1 gotcha: Take the lock"
    for line in ("priority: high", "pinned: yes", "tags: db", "anchors: src/db/", "author: bob"):
        assert line in lines
    assert lines[lines.index("trigger:") :] == [
        "trigger:",
        "  clauses:",
        '  - path: ["src/db/**"]',
        '    unless: {"branch": ["main"]}',
        "  cooldown: 4",
    ]
    assert body == "Take the lock.\n\n  It races.\n"


def test_a_trigger_as_shown_is_one_that_remember_reads(run: Run, stored: Stored) -> None:
    stored(
        "x",
        "--keyword",
        "yes",
        "--keyword",
        "1.0",
        "--branch",
        "a: \"b\\c' #d 日本",
        "--expires",
        "2031-01-01",
    )
    shown = run("show", "1").stdout.partition("trigger:\n")[2].partition("\n\n")[0]
    run("remember", "y", "--trigger", "-", input=f"trigger:\n{shown}\n")
    first, second = notes(run, "show", "1", "2")
    assert first["trigger"] == second["trigger"]


def test_a_body_is_shown_byte_for_byte(run: Run) -> None:
    body = "\r\n a\tb \u202e日本 \x1b[31m\n\n".encode()
    run("remember", "-", input=body)
    assert run("show", "1", "--body").stdout_bytes == body
    assert notes(run, "show", "1")[0]["body"].encode() == body


def test_several_notes_are_shown_in_the_order_asked_for_or_none(run: Run, stored: Stored) -> None:
    stored("one")
    stored("two")
    assert [note["id"] for note in notes(run, "show", "#2", "1")] == [2, 1]
    done = run("show", "1", "7")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("error: there is no note #7\nhint: ")
    assert run("show", "99999999999999999999").exit_code == 2


def test_recall_gives_index_lines_with_who_stands_behind_them(run: Run, stored: Stored) -> None:
    stored("Deploys go through the canary.", "--kind", "operational", "--author", "bob")
    stored("Unrelated.")
    assert run("recall", "deploys").stdout == "#1 operational: Deploys go through the canary (agent, bob)\n"
    assert "Deploys go through the canary." in run("recall", "canary", "--full").stdout


def test_recall_takes_several_words_and_narrows(run: Run, stored: Stored) -> None:
    stored("the lock", "--tag", "db")
    stored("the lock", "--kind", "gotcha")
    stored("the lock")
    assert len(notes(run, "recall", "the", "lock")) == 3
    assert [note["id"] for note in notes(run, "recall", "lock", "--tag", "db")] == [1]
    assert [note["id"] for note in notes(run, "recall", "lock", "--kind", "gotcha", "--lexical")] == [2]
    assert len(notes(run, "recall", "lock", "--limit", "1")) == 1


def test_nothing_recalled_is_a_remark_and_an_empty_list(run: Run, stored: Stored) -> None:
    stored("x")
    done = run("recall", "zebra")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "no note was found\n")
    assert notes(run, "recall", "zebra") == []


def test_a_question_is_never_a_query_language(run: Run, stored: Stored) -> None:
    stored("lock")
    for question in ('"', "a AND", "title:lock", "*", "NEAR(", "lock) OR (", "-lock", "'; DROP TABLE note"):
        assert run("recall", "--", question).exit_code == 0


def test_showing_a_note_loads_only_what_reads_it(place: Project, stored: Stored) -> None:
    stored("x", "--path", "src/")
    heavy = ("pathlib", "shutil", "filelock", "vectr_hooks.store.backups", "vectr_hooks.store.revisions")
    script = (
        "import sys; from vectr_hooks.cli import program; program(['show', '1'], standalone_mode=False);"
        f"print(sorted(set(sys.modules) & set({heavy})))"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=place.root,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert done.stdout.splitlines()[-1] == "[]"
