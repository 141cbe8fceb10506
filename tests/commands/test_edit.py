"""`edit`: what an editor leaves is stored, refused or kept, and never lost."""

from __future__ import annotations

import json
import os
import re
import shlex
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Run
from tests.commands.terminal import at_terminal
from vectr_hooks.project import Project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import existing_note

ROOT = Path(__file__).resolve().parents[2]
BODY = "The lock is not reentrant."
Stored = Callable[..., int]
Edits = Callable[..., None]


@pytest.fixture
def edits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Edits:
    """Make `code` the editor: Python that has the files in `files` and replaces in one with `sub`."""

    def chosen(code: str) -> None:
        script = tmp_path / "editor of the test.py"
        script.write_text(
            "import pathlib, re, sys\n"
            "files = [pathlib.Path(name) for name in sys.argv[1:]]\n"
            "def sub(old, new, file=files[0]):\n"
            "    text = file.read_bytes().decode()\n"
            "    assert re.search(old, text), text\n"
            "    file.write_bytes(re.sub(old, new, text, count=1).encode())\n" + code,
            encoding="utf-8",
        )
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}")

    return chosen


def note(run: Run, id: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("show", str(id), "--json").stdout)["notes"][0]
    return found


def revisions(place: Project) -> int:
    con = sqlite3.connect(place.store_path)
    (count,) = con.execute("SELECT count(*) FROM revision").fetchone()
    con.close()
    return int(count)


def desks(place: Project) -> list[Path]:
    return list(Path(place.store_path).parent.glob("edit-*"))


def test_a_change_is_stored_as_a_revision(run: Run, place: Project, stored: Stored, edits: Edits) -> None:
    stored(BODY, "--tag", "db")
    edits(
        "sub('tags: db', 'kind: gotcha\\ntags: [db, lock]\\ntrigger: {path: src/}')\n"
        "sub('is not', 'is never')"
    )
    done = run("edit", "1")
    assert done.exit_code == 0, done.stderr
    title, when, cost = done.stdout.splitlines()
    assert title == "#1 gotcha changed: The lock is never reentrant"
    assert when.startswith("arrives before or after a read or an edit of src/")
    assert cost.startswith("costs ")
    after = note(run, 1)
    assert (after["kind"], after["tags"], after["body"]) == (
        "gotcha",
        ["db", "lock"],
        "The lock is never reentrant.",
    )
    assert after["provenance"] == "agent"
    assert revisions(place) == 2
    assert desks(place) == []


def test_everything_else_stays(run: Run, stored: Stored, edits: Edits) -> None:
    options = ["--title", "Locks", "--path", "src/", "--cooldown", "3", "--author", "bob", "--pin"]
    stored(BODY, *options, "--anchor", "src/x.py", "--priority", "high")
    before = note(run, 1)
    edits("sub('is not', 'is never')")
    assert run("edit", "1").exit_code == 0
    after = note(run, 1)
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= {"body", "revision", "changed_ms", "cost_tokens"}


@pytest.mark.parametrize(
    "code", ["", "sub('---\\n\\n', '---\\n')", "sub('---\\n', '---\\n# a comment\\n')", "sub('(?s).*', '')"]
)
def test_a_text_that_says_the_same_is_no_revision(
    run: Run, place: Project, stored: Stored, edits: Edits, code: str
) -> None:
    stored("Body: with\r\n\r\n---\nodd lines.\n\n")
    edits(code)
    done = run("edit", "1")
    assert done.stdout == "#1 finding unchanged: Body: with\n"
    assert revisions(place) == 1
    assert desks(place) == []


def test_an_export_of_the_note_that_nobody_changed_is_no_revision(
    run: Run, place: Project, stored: Stored
) -> None:
    stored(BODY)
    run("export", "--path", "out.md")
    assert "unchanged" in run("edit", "1", "--from", "out.md").stdout
    assert revisions(place) == 1
    # A title of its own, all the same, is one.
    given = Path("out.md").read_text("utf-8").replace("title: ", "title: Now ", 1)
    Path("out.md").write_text(given, encoding="utf-8")
    assert "changed: Now " in run("edit", "1", "--from", "out.md").stdout


def test_the_default_title_follows_the_body_and_a_given_one_does_not(
    run: Run, stored: Stored, edits: Edits
) -> None:
    stored(BODY)
    stored(BODY, "--title", "About the lock")
    edits("sub('is not', 'is never'); sub('is not', 'is never', files[1])")
    assert run("edit", "1", "2").exit_code == 0
    assert note(run, 1)["title"] == "The lock is never reentrant"
    assert note(run, 2)["title"] == "About the lock"


def test_files_that_a_note_is_about_are_looked_at_again(
    run: Run, place: Project, stored: Stored, edits: Edits
) -> None:
    Path(place.root, "new.py").write_text("x", encoding="utf-8")
    stored(BODY)
    edits("sub('reentrant', 'reentrant, see new.py')")
    run("edit", "1")
    con = sqlite3.connect(place.store_path)
    assert con.execute("SELECT note, path FROM watched_path").fetchall() == [(1, "new.py")]
    con.close()


BAD = {
    "an unknown key": ("sub('---', '---\\ncolour: red')", "1.md:2: unknown key 'colour'"),
    "a bad trigger": ("sub('---', '---\\ntrigger: {pth: a}')", "1.md:2: unknown condition 'pth'"),
    "an unknown kind": ("sub('---', '---\\nkind: rumour')", "1.md:2: unknown kind `rumour`"),
    "a secret": ("sub('is not', 'AKIAQ3EXAMPLEKEY7Z2B')", "the body holds a secret"),
    "no front matter": ("files[0].write_text('Text')", "1.md:1: there is no front matter"),
    "not UTF-8": ("files[0].write_bytes(b'---\\n---\\ncaf\\xe9')", "not UTF-8"),
    "an empty body": ("sub('(?s)---\\n\\n.*', '---\\n')", "the note is empty"),
}


@pytest.mark.parametrize("given", BAD.values(), ids=BAD.keys())
def test_what_is_refused_is_kept_in_a_file_that_is_named(
    run: Run, place: Project, stored: Stored, edits: Edits, given: tuple[str, str]
) -> None:
    code, message = given
    stored(BODY)
    edits(code)
    done = run("edit", "1")
    assert done.exit_code == 1
    assert message in done.stderr
    (kept,) = re.findall(r"your text is kept: (\S+);", done.stderr)
    assert Path(kept).is_file()
    assert revisions(place) == 1
    assert "AKIA" not in done.output


def test_a_text_that_was_kept_can_be_mended_and_taken(run: Run, stored: Stored, edits: Edits) -> None:
    stored(BODY)
    edits("sub('---', '---\\ncolour: red'); sub('is not', 'is never')")
    kept = Path(re.findall(r"kept: (\S+);", run("edit", "1").stderr)[0])
    kept.write_text(kept.read_text(encoding="utf-8").replace("colour: red\n", ""), encoding="utf-8")
    done = run("edit", "1", "--from", str(kept))
    assert done.exit_code == 0, done.stderr
    assert note(run, 1)["body"] == "The lock is never reentrant."


def test_several_notes_are_changed_together_or_not_at_all(
    run: Run, place: Project, stored: Stored, edits: Edits
) -> None:
    stored(BODY)
    stored("Deploys go through the canary.")
    edits(
        "sub('is not', 'is never'); sub('---', '---\\nkind: rumour', files[1]); files[0].with_suffix('.old')"
    )
    assert run("edit", "1", "2").exit_code == 1
    assert revisions(place) == 2
    edits("sub('is not', 'is never')")
    assert run("edit", "1", "2").stdout.splitlines()[-1].startswith("#2 finding unchanged")
    assert revisions(place) == 3


def test_a_note_that_another_changed_meanwhile_is_not_overwritten(
    run: Run, place: Project, stored: Stored, edits: Edits
) -> None:
    stored(BODY)
    pin = [sys.executable, "-m", "vectr_hooks", "pin", "1", "--project", place.root]
    edits(
        "import os, subprocess; sub('is not', 'is never')\n"
        f"subprocess.run({pin!r}, env=os.environ | {{'PYTHONPATH': {str(ROOT)!r}}}, check=True)"
    )
    done = run("edit", "1")
    assert done.exit_code == 1
    assert "#1 has been changed meanwhile" in done.stderr
    assert "kept: " in done.stderr
    assert (note(run, 1)["body"], note(run, 1)["pinned"]) == (BODY, True)


def test_an_editor_that_fails_changes_nothing(run: Run, place: Project, stored: Stored, edits: Edits) -> None:
    stored(BODY)
    edits("sys.exit(3)")
    done = run("edit", "1")
    assert (done.exit_code, "ended with 3" in done.stderr) == (1, True)
    assert desks(place) == []
    edits("sub('is not', 'is never'); sys.exit(3)")
    assert "your text is kept" in run("edit", "1").stderr
    assert revisions(place) == 1


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, "no editor is set"),
        ({"EDITOR": "  "}, "no editor is set"),
        ({"VISUAL": "no-such-editor -w"}, "no-such-editor cannot be run"),
        ({"EDITOR": "vi 'x"}, "EDITOR is no command"),
    ],
)
def test_without_an_editor_it_is_said_what_to_set(
    run: Run,
    place: Project,
    stored: Stored,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    message: str,
) -> None:
    stored(BODY)
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    done = run("edit", "1")
    assert done.exit_code == 1
    assert message in done.stderr
    assert "set VISUAL or EDITOR" in done.stderr
    assert desks(place) == []


def test_visual_comes_before_editor(
    run: Run, stored: Stored, edits: Edits, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(BODY)
    edits("sub('is not', 'is never')")
    monkeypatch.setenv("VISUAL", os.environ["EDITOR"])
    monkeypatch.setenv("EDITOR", "false")
    assert run("edit", "1").exit_code == 0


def test_an_agent_cannot_change_what_a_person_recorded(run: Run, place: Project, edits: Edits) -> None:
    assert at_terminal("remember", BODY)[0] == 0
    edits("sub('is not', 'is never')")
    done = run("edit", "1")
    assert done.exit_code == 1
    assert done.stderr.startswith("error: #1 is the user's: an agent cannot edit it\nhint: the user can")
    assert at_terminal("edit", "1", CLAUDECODE="1")[0] == 1
    assert revisions(place) == 1
    assert at_terminal("edit", "1")[0] == 0
    assert (note(run, 1)["body"], note(run, 1)["provenance"]) == ("The lock is never reentrant.", "human")


def test_a_person_does_not_vouch_for_an_agents_note_by_editing_it(
    run: Run, stored: Stored, edits: Edits
) -> None:
    stored(BODY)
    edits("sub('is not', 'is never')")
    assert at_terminal("edit", "1")[0] == 0
    assert note(run, 1)["provenance"] == "agent"


def test_a_note_is_limited_to_the_branch_where_it_got_that_scope(
    run: Run, stored: Stored, place: Project, tmp_path: Path
) -> None:
    def edit(body: str) -> str:
        file = tmp_path / "note.md"
        file.write_text(f"---\nscope: branch\n---\n\n{body}\n", encoding="utf-8")
        assert run("edit", "1", "--from", str(file)).exit_code == 0
        with closing(open_store(place.store_path)) as con:
            return existing_note(con, 1).scope_value

    stored(BODY)
    assert edit("The lock is reentrant here.") == "main"
    Path(place.root, ".git/HEAD").write_text("ref: refs/heads/other\n", encoding="utf-8")
    assert edit("The lock is reentrant on main.") == "main"


def test_a_terminal_gets_the_newest_note_and_others_must_name_one(
    run: Run, stored: Stored, edits: Edits
) -> None:
    edits("sub('canary', 'canaries')")
    assert "there are no notes yet" in at_terminal("edit")[1]
    stored(BODY)
    stored("Deploys go through the canary.")
    assert run("edit").exit_code == 2
    code, said = at_terminal("edit")
    assert (code, said.splitlines()[0]) == (0, "#2 finding changed: Deploys go through the canaries")


def test_a_terminal_is_asked_to_edit_again(run: Run, place: Project, stored: Stored, edits: Edits) -> None:
    stored(BODY)
    edits(
        "if 'colour' in files[0].read_text(): sub('colour: red\\n', '')\n"
        "else: sub('---', '---\\ncolour: red'); sub('is not', 'is never')"
    )
    code, said = at_terminal("edit", "1", answers=b"y\n")
    assert code == 0, said
    assert "1.md:2: unknown key 'colour'" in said
    assert "Edit again?" in said
    assert note(run, 1)["body"] == "The lock is never reentrant."
    assert desks(place) == []


def test_who_gives_up_at_a_terminal_keeps_the_text(run: Run, stored: Stored, edits: Edits) -> None:
    stored(BODY)
    edits("sub('---', '---\\ncolour: red')")
    code, said = at_terminal("edit", "1", answers=b"n\n")
    assert code == 1
    assert Path(re.findall(r"kept: (\S+);", said)[0]).is_file()


def test_the_files_are_for_their_owner_alone(run: Run, place: Project, stored: Stored, edits: Edits) -> None:
    stored(BODY)
    edits("sub('is not', 'is never'); sys.exit(files[0].parent.stat().st_mode & 0o077)")
    assert run("edit", "1").exit_code == 0


def test_remarks_are_made_and_strict_refuses(run: Run, place: Project, stored: Stored, edits: Edits) -> None:
    stored(BODY)
    stored("Deploys go through the canary.")
    edits("sub('---\\n', '---\\ntitle: Note\\n')")
    strict = run("edit", "1", "--strict")
    assert (strict.exit_code, revisions(place)) == (1, 2)
    assert 'the title "Note" carries no fact' in strict.stderr
    done = run("edit", "1")
    assert done.exit_code == 0
    assert done.stderr.startswith('remark: #1: the title "Note" carries no fact; ')
    edits("sub('Deploys.*', 'The lock is not reentrant.')")
    assert "remark: #2: #1 says the same" in run("edit", "2").stderr


def test_a_note_is_not_like_itself(run: Run, stored: Stored, edits: Edits) -> None:
    stored(BODY)
    edits("sub('---\\n', '---\\nkind: gotcha\\n')")
    assert run("edit", "1").stderr == ""


def test_json_says_what_was_changed(run: Run, stored: Stored, edits: Edits) -> None:
    stored(BODY)
    stored("Deploys go through the canary.")
    edits("sub('is not', 'is never')")
    answer = json.loads(run("edit", "1", "2", "--json").stdout)
    assert answer["version"] == 1
    assert [(entry["id"], entry["changed"]) for entry in answer["notes"]] == [(1, True), (2, False)]
    assert answer["remarks"] == []


@pytest.mark.parametrize("arguments", [["x"], ["0"], ["--from", "a.md"], ["1", "2", "--from", "a.md"]])
def test_wrong_usage_exits_2(run: Run, arguments: list[str]) -> None:
    assert run("edit", *arguments).exit_code == 2


def test_a_note_that_is_not_there_is_an_error(run: Run) -> None:
    done = run("edit", "7")
    assert (done.exit_code, "no note #7" in done.stderr) == (1, True)
