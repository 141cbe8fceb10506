"""`import`: all the notes in files, or none."""

from __future__ import annotations

import json
import os
import pty
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Hook, Run
from tests.commands.terminal import at_terminal
from vectr_hooks.project import Project

ROOT = Path(__file__).resolve().parents[2]
Files = Callable[..., None]


@pytest.fixture
def files(place: Project) -> Files:
    """Write files into the project's folder."""

    def write(**texts: str | bytes) -> None:
        for name, text in texts.items():
            path = Path(place.root, name.replace("__", "/") + ".md")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))

    return write


def note(body: str, *front: str) -> str:
    return "\n".join(["---", *front, "---", "", body, ""])


LOCK = note("The lock is not reentrant.", "kind: gotcha", "trigger: {path: src/}", "cooldown: 3")
DEPLOY = note("Deploys go through the canary.")


def answered(run: Run, *arguments: str) -> dict[str, Any]:
    done = run("import", *arguments, "--json")
    assert done.exit_code == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["version"] == 1
    return answer


def stored(run: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("list", "--json").stdout)["notes"]
    return sorted(found, key=lambda note: int(note["id"]))


def test_a_file_is_stored_as_it_says(run: Run, files: Files) -> None:
    files(lock=LOCK)
    done = run("import", "lock.md")
    assert done.stdout == "#1 gotcha stored: The lock is not reentrant (lock.md)\n1 note imported\n"
    assert done.stderr == ""
    (found,) = stored(run)
    assert found["body"] == "The lock is not reentrant."
    assert found["trigger"] == {"clauses": [{"path": ["src/"]}], "cooldown": 3}
    assert found["provenance"] == "agent"


def test_what_is_imported_is_delivered_and_recalled(run: Run, files: Files, hook: Hook) -> None:
    files(lock=note("The lock is not reentrant.", "kind: directive"))
    run("import", "lock.md")
    assert "The lock is not reentrant." in hook("SessionStart", source="startup")
    assert "reentrant" in run("recall", "lock").stdout


def test_folders_are_taken_at_any_depth_and_sorted(run: Run, files: Files) -> None:
    bodies = {name: note(f"Fact number {n}.") for n, name in enumerate(["n__b", "n__a__z", "n__a__b__c"])}
    files(**bodies, **{"n__.hidden__x": "no note", "n__.git__y": "no note"})
    Path("n/readme.txt").write_text("no note", encoding="utf-8")
    os.mkfifo("n/pipe.txt")
    answer = answered(run, "n")
    assert [entry["file"] for entry in answer["imported"]] == ["n/a/b/c.md", "n/a/z.md", "n/b.md"]
    assert [entry["id"] for entry in answer["imported"]] == [1, 2, 3]


def test_a_file_that_is_named_twice_is_one(run: Run, files: Files) -> None:
    files(n__lock=LOCK)
    assert len(answered(run, "n", "n/lock.md", "./n/../n/lock.md")["imported"]) == 1


def test_importing_again_stores_nothing(run: Run, files: Files) -> None:
    files(n__lock=LOCK, n__deploy=DEPLOY)
    run("import", "n")
    done = run("import", "n")
    assert done.stdout == "0 notes imported, 2 there already\n"
    assert answered(run, "n")["already_there"] == [
        {"file": "n/deploy.md", "same_as": "#1"},
        {"file": "n/lock.md", "same_as": "#2"},
    ]
    assert len(stored(run)) == 2


def test_two_files_that_hold_the_same_are_one_note(run: Run, files: Files) -> None:
    files(n__a=LOCK, n__b=LOCK)
    answer = answered(run, "n")
    assert len(answer["imported"]) == 1
    assert answer["already_there"] == [{"file": "n/b.md", "same_as": "n/a.md"}]


def test_a_note_that_was_changed_since_is_not_brought_back(run: Run, files: Files) -> None:
    files(n__lock=LOCK)
    run("import", "n")
    run("pin", "1")
    assert "1 there already" in run("import", "n").stdout


def test_a_note_that_was_forgotten_is_imported_anew(run: Run, files: Files) -> None:
    files(n__lock=LOCK)
    run("import", "n")
    run("forget", "1", "--yes")
    assert [entry["id"] for entry in answered(run, "n")["imported"]] == [2]


def test_a_file_that_says_something_else_is_another_note_and_is_pointed_out(run: Run, files: Files) -> None:
    files(n__lock=LOCK)
    run("import", "n")
    files(n__lock=LOCK.replace("gotcha", "directive"))
    done = run("import", "n")
    assert "1 note imported" in done.stdout
    assert "remark: n/lock.md: #1 says the same" in done.stderr


def test_a_note_that_was_remembered_is_there_already(run: Run, files: Files) -> None:
    run("remember", "Deploys go through the canary.")
    files(deploy=DEPLOY)
    assert "1 there already" in run("import", "deploy.md").stdout


WRONG = {
    "n__a": note("Text of a fact.", "kind: rumour", "priority: urgent", "scope: galaxy"),
    "n__b": note("Text of a fact.", "colour: red", "trigger:", "  - path: a", "  - pth: b"),
    "n__c": "no front matter",
    "n__d": b"---\n---\n\ncaf\xe9",
    "n__e": note("The key is AKIAQ3EXAMPLEKEY7Z2B, keep it.", "title: Keys"),
    "n__f": note("", "tags: two words", "anchors: [../x, ok]"),
    "n__good": LOCK,
}
EXPECTED = [
    ("n/a.md", 2, "unknown kind `rumour`"),
    ("n/a.md", 3, "unknown priority `urgent`"),
    ("n/a.md", 4, "unknown scope `galaxy`"),
    ("n/b.md", 2, "unknown key 'colour'"),
    ("n/b.md", 5, "clause 2: unknown condition 'pth'"),
    ("n/c.md", 1, "there is no front matter"),
    ("n/d.md", 4, "the file is not UTF-8"),
    ("n/e.md", 5, "the body holds a secret"),
    ("n/f.md", 2, "'two words' is no tag"),
    ("n/f.md", 3, "the anchor ../x lies outside the workspace"),
    ("n/f.md", 6, "the note is empty"),
]


def test_every_error_is_listed_by_file_and_line_and_nothing_is_stored(run: Run, files: Files) -> None:
    files(**WRONG)
    done = run("import", "n")
    *lines, error, hint = done.stderr.splitlines()
    assert done.exit_code == 1
    for line, (file, number, message) in zip(lines, EXPECTED, strict=True):
        assert line.startswith(f"{file}:{number}: {message}"), line
    assert error == "error: nothing was stored: 11 errors in 6 files"
    assert hint.startswith("hint: ")
    assert "AKIA" not in done.output
    assert stored(run) == []


def test_the_errors_are_in_the_json_too(run: Run, files: Files) -> None:
    files(**WRONG)
    done = run("import", "n", "--json")
    assert done.exit_code == 1
    errors = json.loads(done.stdout)["errors"]
    assert [(error["file"], error["line"]) for error in errors] == [entry[:2] for entry in EXPECTED]


def test_secrets_can_be_redacted(run: Run, files: Files) -> None:
    files(e=WRONG["n__e"])
    assert run("import", "e.md", "--redact").exit_code == 0
    assert "[redacted" in stored(run)[0]["body"]


@pytest.mark.parametrize(
    ("path", "message"),
    [("missing.md", "does not exist"), ("empty", "holds no file"), ("pipe.md", "not a regular file")],
)
def test_a_path_without_a_note_is_refused(run: Run, files: Files, path: str, message: str) -> None:
    files(lock=LOCK)
    os.mkdir("empty")
    os.mkfifo("pipe.md")
    done = run("import", "lock.md", path)
    assert (done.exit_code, message in done.stderr) == (1, True)
    assert stored(run) == []


def test_a_dry_run_shows_what_would_be_stored_and_stores_nothing(run: Run, files: Files) -> None:
    files(n__lock=LOCK, n__deploy=DEPLOY)
    done = run("import", "n", "--dry-run")
    assert done.stdout.splitlines()[2:] == [
        "n/lock.md: gotcha: The lock is not reentrant",
        "  arrives before or after a read or an edit of src/; at most every 3 turns",
        "2 notes would be imported",
    ]
    assert stored(run) == []
    assert answered(run, "n", "--dry-run")["dry_run"] is True
    assert stored(run) == []


def test_remarks_name_their_files_and_strict_refuses(run: Run, files: Files) -> None:
    files(n__a=note("see resolver.rs:214"), n__b=LOCK, n__c=LOCK.replace("cooldown: 3", "cooldown: 4"))
    strict = run("import", "n", "--strict")
    assert strict.exit_code == 1
    assert "error: nothing was stored: --strict was given, and there are 2 remarks" in strict.stderr
    assert stored(run) == []
    done = run("import", "n")
    first, second = done.stderr.splitlines()
    assert first.startswith('remark: n/a.md: "see resolver.rs:214" only says where to look; ')
    assert second.startswith("remark: n/c.md: n/b.md says the same; ")
    assert [remark["code"] for remark in answered(run, "n", "--dry-run")["remarks"]] == []


def test_of_many_remarks_only_some_are_printed_and_all_are_in_the_json(run: Run, files: Files) -> None:
    files(**{f"n__{n:02}": note(f"see resolver.rs:{n}") for n in range(30)})
    assert len(answered(run, "n", "--dry-run")["remarks"]) == 30
    lines = run("import", "n").stderr.splitlines()
    assert (len(lines), lines[-1]) == (21, "remark: 10 more like these; --json gives all")


def test_imports_at_once_store_each_note_once(run: Run, place: Project, files: Files) -> None:
    files(**{f"n__{n:02}": note(f"Fact number {n}.") for n in range(20)})
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "vectr_hooks", "import", "n"],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    assert [process.communicate() and process.returncode for process in running] == [0, 0, 0]
    assert len(stored(run)) == 20


def test_a_terminal_sees_how_far_it_is(place: Project, files: Files) -> None:
    files(**{f"n__{n:03}": note(f"Fact number {n}.") for n in range(200)})
    # As if each part took a while: what is done at once has no bar.
    program = "from vectr_hooks import cli, progress; progress.LATE_SECONDS = 0; cli.main()"
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program, "import", "n"],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm"},
    )
    os.close(terminal)
    said = b""
    try:
        while part := os.read(controller, 65536):
            said += part
    except OSError:
        pass
    out, _ = process.communicate()
    os.close(controller)
    assert b"200 notes imported" in out
    assert b"checking" in said
    assert b"storing" in said


def test_a_note_as_edit_shows_it_is_the_same_when_it_is_imported(
    run: Run, place: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--kind", "task", "--title", "Yes: no", "--path", "**/*.py", "--unless", "{branch: 'on'}"]
    run("remember", "Odd\r\n\n---\nbody\n\n", *options, "--tag", "1.5", "--expires", "2031-01-01", "--pin")
    monkeypatch.setenv("EDITOR", f"cp -t {place.root}")
    assert "unchanged" in run("edit", "1").stdout
    assert "1 there already" in run("import", "1.md").stdout


@pytest.mark.slow
def test_thousands_of_notes_take_a_few_milliseconds_each(run: Run, files: Files) -> None:
    import time

    chance = random.Random(1)
    words = [f"word{n}" for n in range(500)]
    files(
        **{
            f"n__{n:04}": note(
                f"Module {n} takes its lock first. {' '.join(chance.choices(words, k=60))}",
                f"trigger: {{path: src/mod_{n}/, keyword: term{n}}}",
            )
            for n in range(2000)
        }
    )
    began = time.process_time()
    assert "2,000 notes imported" in run("import", "n").stdout
    # 20,000 in a minute are 3 ms each.
    assert time.process_time() - began < 2000 * 0.003


MEMORY = "# Shop\n\nWe sell shoes.\n\n## Rules\n\n- Never push to main.\n"


def test_a_memory_file_gives_a_note_for_each_section_and_gives_it_once(run: Run, files: Files) -> None:
    files(CLAUDE=MEMORY)
    dry = run("import", "CLAUDE.md", "--dry-run")
    assert dry.stdout.splitlines()[::2] == [
        "CLAUDE.md:1-3: operational: Shop: We sell shoes",
        "CLAUDE.md:5-7: directive: Rules: Never push to main",
        "2 notes would be imported",
    ]
    assert stored(run) == []
    assert len(answered(run, "CLAUDE.md")["imported"]) == 2
    shoes, push = stored(run)
    assert (shoes["provenance"], push["provenance"]) == ("auto", "agent")
    assert push["body"] == "## Rules\n\n- Never push to main."
    assert [tag.split("#")[0] for tag in push["tags"]] == ["from:CLAUDE.md", "lines:5-7"]
    # The same text elsewhere in the file, or a note that was changed since, is the same note.
    files(CLAUDE="A new first line.\n\n" + MEMORY)
    run("pin", "1")
    again = answered(run, "CLAUDE.md")
    assert [entry["title"] for entry in again["imported"]] == ["A new first line"]
    assert {entry["same_as"] for entry in again["already_there"]} == {"#1", "#2"}


def test_a_rule_for_certain_files_arrives_at_them(run: Run, place: Project, hook: Hook) -> None:
    folder = Path(place.root, ".cursor/rules")
    folder.mkdir(parents=True)
    folder.joinpath("api.mdc").write_text("---\nglobs: src/**/*.ts\n---\nValidate input.\n", encoding="utf-8")
    assert run("import", ".cursor/rules").exit_code == 0
    (rule,) = stored(run)
    assert (rule["kind"], rule["provenance"]) == ("gotcha", "auto")
    path = os.path.join(place.root, "src/api/a.ts")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": path}, "prompt_id": "p1", "tool_use_id": "t1"}
    assert "Validate input." in hook("PreToolUse", **edit)


def test_a_secret_in_one_section_refuses_the_file_with_its_line(run: Run, files: Files) -> None:
    files(AGENTS=MEMORY + "\n## Key\n\nghp_" + "16C7e42F292c6912E7710c838347Ae178B4a\n")
    done = run("import", "AGENTS.md")
    assert done.exit_code == 1
    assert "AGENTS.md:9: " in done.stderr
    assert stored(run) == []
    assert len(answered(run, "AGENTS.md", "--redact")["imported"]) == 3


def test_what_people_wrote_into_memory_files_never_reads_as_the_users_rule(
    run: Run, files: Files, hook: Hook
) -> None:
    files(CLAUDE=MEMORY)
    run("import", "CLAUDE.md")
    start = hook("SessionStart", source="startup")
    assert "Never push to main." in start
    assert "recorded by an agent, not reviewed" in start
    assert "standing rule" not in start


@pytest.mark.parametrize("globs", ["!src/**", "../x", "a//../b"])
def test_a_rule_for_files_that_cannot_be_is_refused_with_its_file(
    run: Run, place: Project, globs: str
) -> None:
    Path(place.root, "api.mdc").write_text(f"---\nglobs: {globs}\n---\nx\n", encoding="utf-8")
    Path(place.root, "bad.md").write_text("no front matter", encoding="utf-8")
    done = run("import", "api.mdc", "bad.md")
    assert done.exit_code == 1
    assert "api.mdc:1: " in done.stderr
    assert "bad.md:1: " in done.stderr


def exported(*fields: str, body: str = "The canary goes first.", lines: int = 0) -> str:
    """A note as an export has it."""
    counted = (f"lines: {lines}",) if lines else ()
    return note(body, "created: 2026-01-31T12:00:00.000Z", *fields, *counted)


def test_an_export_keeps_its_ids_where_they_are_free(run: Run, files: Files) -> None:
    run("remember", "Another note.")
    files(all=exported("id: 7", lines=1) + "\n" + exported("id: 1", body="Run make lint.", lines=1))
    done = run("import", "all.md")
    assert done.stdout.splitlines() == [
        "#7 finding stored: The canary goes first (all.md:1)",
        "#8 finding stored: Run make lint (all.md:9)",
        "  #1 in the file: it is #8 here",
        "2 notes imported, 1 under another id",
    ]
    assert {note["id"]: note["body"] for note in stored(run)} == {
        1: "Another note.",
        7: "The canary goes first.",
        8: "Run make lint.",
    }
    assert run("import", "all.md").stdout == "0 notes imported, 2 there already\n"


def test_an_id_that_was_a_forgotten_notes_is_not_given_again(run: Run, files: Files) -> None:
    run("remember", "Another note.")
    run("forget", "1", "--yes")
    files(a=exported("id: 1"))
    assert answered(run, "a.md", "--dry-run")["imported"][0]["was"] == 1
    assert [(entry["id"], entry["was"]) for entry in answered(run, "a.md")["imported"]] == [(2, 1)]


def test_an_id_beyond_all_that_a_store_reaches_is_not_kept(run: Run, files: Files) -> None:
    largest = (1 << 53) - 1
    given_up = ("state: superseded", f"superseded_by: {largest - 1}")
    files(a=exported(f"id: {largest}", *given_up))
    assert [(entry["id"], entry["was"]) for entry in answered(run, "a.md")["imported"]] == [(1, largest)]
    run("remember", "Run make lint.")
    run("export", "--path", "out.md")
    assert answered(run, "out.md")["imported"] == []


def test_a_note_that_is_in_another_state_here_is_told_and_stays(run: Run, files: Files) -> None:
    files(a=exported("id: 1"))
    run("import", "a.md")
    assert answered(run, "a.md")["already_there"] == [{"file": "a.md", "same_as": "#1"}]
    run("revoke", "1", "--reason", "It goes last.")
    there = {"file": "a.md", "same_as": "#1", "state": "revoked", "state_in_file": "active"}
    assert answered(run, "a.md")["already_there"] == [there]
    assert run("import", "a.md").stderr == "#1 is revoked here and stays so; in a.md it is active\n"
    assert stored(run)[0]["state"] == "revoked"
    # An author's file says nothing of states.
    files(b=note("The canary goes first."))
    assert answered(run, "b.md")["already_there"] == [{"file": "b.md", "same_as": "#1"}]


def test_what_refers_to_a_note_follows_it(run: Run, files: Files) -> None:
    run("remember", "Another note.")
    run("remember", "Run make lint.")
    given_up = ("state: superseded", "superseded_by: 1")
    files(
        # Of one folder, and so of one export.
        n__a=exported("id: 1", body="New."),
        n__b=exported("id: 2", *given_up, body="Old."),
        # Of another: there it is a note that is here already, or one that is nowhere.
        m__a=exported("id: 1", body="Run make lint."),
        m__b=exported("id: 2", *given_up, body="Older."),
        k__b=exported("id: 2", *given_up, body="Oldest."),
    )
    answer = answered(run, "n", "m", "k")
    ids = {entry["file"]: entry["id"] for entry in answer["imported"]}
    assert answer["already_there"] == [{"file": "m/a.md", "same_as": "#2"}]
    found = {note["id"]: note["superseded_by"] for note in stored(run)}
    assert found[ids["n/b.md"]] == ids["n/a.md"]
    assert found[ids["m/b.md"]] == 2
    nowhere = found[ids["k/b.md"]]
    assert nowhere not in found
    # And never will be a note's.
    assert nowhere < int(json.loads(run("remember", "A third.", "--json").stdout)["note"]["id"])


def test_a_different_note_of_the_same_id_is_another_note(run: Run, files: Files) -> None:
    files(a=exported("id: 1"))
    run("import", "a.md")
    files(a=exported("id: 1", "tags: changed"))
    assert [(entry["id"], entry["was"]) for entry in answered(run, "a.md")["imported"]] == [(2, 1)]
    assert stored(run)[0]["tags"] == []


def test_notes_that_say_the_same_are_as_many_as_they_were(run: Run, files: Files) -> None:
    files(n__a=exported("id: 3"), n__b=exported("id: 4"), m__a=exported("id: 3"))
    answer = answered(run, "n", "m")
    assert [entry["id"] for entry in answer["imported"]] == [3, 4]
    assert answer["already_there"] == [{"file": "m/a.md", "same_as": "n/a.md"}]
    assert answered(run, "n", "m")["imported"] == []


def test_a_note_that_was_remembered_here_too_is_there_already(run: Run, files: Files) -> None:
    run("remember", "The canary goes first.")
    files(a=exported("id: 5"))
    assert run("import", "a.md").stdout == "0 notes imported, 1 there already\n"


def test_what_an_agent_imports_has_at_most_its_own_authority(run: Run, files: Files) -> None:
    files(
        n__a=exported("id: 1", "kind: directive", "provenance: human", "changed_by: human"),
        n__b=exported("id: 2", "provenance: user-stated", "quote: the canary first", body="Canary."),
        n__c=exported("id: 3", "provenance: auto", body="Seen."),
        n__d=exported("state: revoked", "reason: It is gone.", "state_by: human", body="Gone."),
    )
    done = run("import", "n")
    assert "2 notes have less authority than in the file" in done.stderr
    found = {note["body"]: note for note in stored(run)}
    assert {body.split()[0]: note["provenance"] for body, note in found.items()} == {
        "The": "agent",
        "Canary.": "agent",
        "Seen.": "auto",
        "Gone.": "agent",
    }
    assert found["Canary."]["quote"] == "the canary first"
    assert "not reviewed" in run("try", "--start").stdout
    assert "the user" not in run("try", "--start").stdout
    shown = run("show", str(found["Gone."]["id"]), "--history").stdout
    assert "revoked: It is gone. by" not in shown
    assert "by the user" not in shown


def test_a_person_at_a_terminal_keeps_who_stands_behind_a_note(run: Run, files: Files) -> None:
    files(a=exported("kind: directive", "provenance: human"))
    code, said = at_terminal("import", "a.md")
    assert (code, "less authority" in said) == (0, False)
    assert stored(run)[0]["provenance"] == "human"
    # Else its header would quote nothing.
    files(a=exported("provenance: user-stated", body="x"))
    code, said = at_terminal("import", "a.md")
    assert (code, "a note of provenance user-stated has no `quote`" in said) == (1, True)


REFUSED = {
    "provenance: auto": "what was captured automatically cannot be a directive",
    "provenance: god": "unknown provenance `god`",
    "state: expired": "unknown state `expired`",
    "state: revoked": "a revoked note has no `reason`",
    "state_by: me": "unknown state_by `me`",
    f"quote: {'a' * 201}": "the quote has 201 characters",
    'reason: "a\\0b"': "the reason holds a NUL character",
    "quote: the key is AKIAQ3EXAMPLEKEY7Z2B": "the quote holds a secret",
    "watched: {path: ../a.py}": "the watched path '../a.py' is no file of the workspace",
    "watched: {path: /etc/passwd}": "the watched path '/etc/passwd' is no file",
    f"watched: [{', '.join(f'{{path: a{n}}}' for n in range(17))}]": "17 files are watched",
    "watched: [{path: a}, {path: a}]": "a file is watched twice",
}


@pytest.mark.parametrize("field", REFUSED)
def test_what_an_export_cannot_say_is_refused_with_its_line(run: Run, files: Files, field: str) -> None:
    first = exported("id: 1", lines=1)
    files(a=first + "\n" + exported("id: 2", "kind: directive", field, body="x", lines=1))
    done = run("import", "a.md")
    assert (done.exit_code, stored(run)) == (1, [])
    # Behind the fence, `created`, `id` and `kind`, or `kind` itself.
    line = first.count("\n") + 1 + (4 if field == "provenance: auto" else 5)
    assert done.stderr.startswith(f"a.md:{line}: {REFUSED[field]}")


def test_secrets_of_an_export_can_be_redacted(run: Run, files: Files) -> None:
    secret = "AKIAQ3EXAMPLEKEY7Z2B"
    files(a=exported("state: revoked", f"reason: The key {secret} is gone.", f"quote: use {secret} for it"))
    assert run("import", "a.md", "--redact").exit_code == 0
    assert "AKIA" not in json.dumps(stored(run))


def test_every_error_of_a_file_of_many_notes_is_listed(run: Run, files: Files) -> None:
    files(
        a="\n".join(
            [
                exported("kind: rumour", lines=1),
                exported("colour: red", lines=1),
                exported("title: Fine", lines=1),
                exported("tags: two words", lines=2),
            ]
        )
    )
    done = run("import", "a.md")
    assert [line.split("; ")[0] for line in done.stderr.splitlines()[:-2]] == [
        "a.md:11: unknown key 'colour'",
        "a.md:32: the body ends after 1 of the 2 lines that `lines` says",
    ]
    assert "2 errors in 1 file" in done.stderr


def test_an_export_that_is_edited_changes_only_what_an_author_decides(run: Run, place: Project) -> None:
    run("remember", "The canary goes first.")
    run("export", "--path", "a.md")
    text = Path("a.md").read_text(encoding="utf-8")
    Path("a.md").write_text(text.replace("canary goes", "canary always goes"), encoding="utf-8")
    assert "#1 finding changed" in run("edit", "1", "--from", "a.md").stdout
    Path("a.md").write_text(text.replace("provenance: agent", "provenance: human"), encoding="utf-8")
    done = run("edit", "1", "--from", "a.md")
    assert done.exit_code == 1
    assert "`provenance` is not changed by editing" in done.stderr
    assert stored(run)[0]["provenance"] == "agent"


def test_an_installation_says_what_could_be_imported(run: Run, files: Files) -> None:
    files(AGENTS=MEMORY)
    done = run("install", "--scope", "local", "--yes")
    assert done.exit_code == 0
    assert "Found AGENTS.md: `vectr-hooks import --dry-run AGENTS.md` shows what would become notes." in (
        done.stderr.splitlines()
    )
