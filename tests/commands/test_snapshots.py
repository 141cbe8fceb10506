"""`snapshot`, `snapshots`, `snapshots diff`, and notes read as they were."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from tests.commands.conftest import Hook, Run
from tests.secret_samples import TOKENS
from vectr_hooks.authoring import render
from vectr_hooks.store.notes import change_note

Stored = Callable[..., int]

SECRET = next(secret for what, secret, _ in TOKENS if what == "GitHub personal")


def answer(run: Run, *arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["version"] == 1
    return found


@pytest.fixture
def changed(run: Run, stored: Stored, store: sqlite3.Connection) -> None:
    """Notes of each sort between the snapshot `before` and now."""
    for title in ("stays", "changes", "superseded", "revoked", "forgotten"):
        stored(f"{title}\nsecond line\n", "--title", title, "--kind", "directive")
    assert run("snapshot", "before").exit_code == 0
    change_note(store, 2, 0, render, title="changed", body="changes\nanother line\n")
    assert run("pin", "2").exit_code == 0
    assert run("remember", "The newer one.", "--supersedes", "3").exit_code == 0
    assert run("revoke", "4", "--reason", "it is wrong").exit_code == 0
    assert run("forget", "5", "--yes").exit_code == 0


def test_a_snapshot_says_what_it_holds(run: Run, stored: Stored) -> None:
    assert run("snapshot", "nothing").stdout == "snapshot 1 `nothing` taken: it holds 0 notes\n"
    stored("one")
    assert run("snapshot", " one ").stdout == "snapshot 2 `one` taken: it holds 1 note\n"
    snapshot = answer(run, "snapshot", "three")["snapshot"]
    assert snapshot.pop("at_ms") > 1_700_000_000_000
    assert snapshot == {
        "id": 3, "name": "three", "note_revision": 1, "session": "", "event": None, "notes": 1,
    }  # fmt: skip


def test_a_name_that_is_taken_or_is_none_is_refused(run: Run) -> None:
    assert run("snapshot", "x").exit_code == 0
    for name, why in {
        "x": "there is a snapshot `x` already",
        "": "no name",
        "12": "`12` could be taken",
    }.items():
        done = run("snapshot", name)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.startswith("error: ")
        assert why in done.stderr
        assert "\nhint: " in done.stderr
    assert len(answer(run, "snapshots")["snapshots"]) == 1


def test_the_list_shows_named_ones_and_compactions(
    run: Run, stored: Stored, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run("snapshots")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "no snapshot yet" in done.stderr
    stored("one")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "me")
    run("snapshot", "mine")
    stored("two")
    hook("PreCompact", session="0123456789abcdef", trigger="auto")
    head, mine, compaction = run("snapshots").stdout.splitlines()
    assert head.split() == ["id", "name", "when", "notes", "changes"]
    when = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"
    assert re.fullmatch(rf" 1  mine +{when}      1        1", mine)
    assert re.fullmatch(rf" 2  compaction of session 01234567  {when}      2        1", compaction)
    found = answer(run, "snapshots")
    assert found["older"] == 0
    assert [(one["name"], one["session"], one["event"]) for one in found["snapshots"]] == [
        ("mine", "me", None),
        (None, "0123456789abcdef", 1),
    ]


def test_the_list_is_of_the_newest_and_says_how_many_there_are_beyond(run: Run) -> None:
    for n in range(3):
        run("snapshot", f"s{n}")
    done = run("snapshots", "--limit", "2")
    assert [line.split()[1] for line in done.stdout.splitlines()[1:]] == ["s1", "s2"]
    assert done.stderr == "1 older: --limit 3 shows all\n"
    assert answer(run, "snapshots", "--limit", "2")["older"] == 1
    assert run("snapshots", "--limit", "2", "diff", "1").exit_code == 2


@pytest.mark.usefixtures("changed")
def test_the_difference_names_what_came_changed_and_went(run: Run) -> None:
    text = run("snapshots", "diff", "before").stdout
    assert re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", "WHEN", text) == (
        "from snapshot 1 (before), WHEN, to now\n"
        "1 came, 1 changed, 2 went\n"
        "\n"
        "came:\n"
        "  #6 finding: The newer one\n"
        "\n"
        "changed:\n"
        "  #2 directive: changed\n"
        "    title: changes -> changed\n"
        "    body:\n"
        "      @@ -1,2 +1,2 @@\n"
        "       changes\n"
        "      -second line\n"
        "      +another line\n"
        "    pinned: no -> yes\n"
        "\n"
        "went:\n"
        "  #3 directive: superseded [superseded by #6]\n"
        "    state: active -> superseded by #6\n"
        "  #4 directive: revoked [revoked: it is wrong]\n"
        "    state: active -> revoked: it is wrong\n"
    )


@pytest.mark.usefixtures("changed")
def test_the_difference_as_json_holds_both_values_of_every_field(run: Run) -> None:
    found = answer(run, "snapshots", "diff", "1")
    assert (found["from"]["name"], found["to"]["id"]) == ("before", None)
    assert [(note["id"], note["state"]) for note in found["came"]] == [(6, "active")]
    (one,) = found["changed"]
    assert one["fields"] == {
        "title": {"before": "changes", "after": "changed"},
        "body": {"before": "changes\nsecond line\n", "after": "changes\nanother line\n"},
        "pinned": {"before": False, "after": True},
    }
    assert [(note["id"], note["state"], note["superseded_by"]) for note in found["went"]] == [
        (3, "superseded", 6),
        (4, "revoked", None),
    ]
    assert found["forgotten"] == []


def test_nothing_changed_is_said(run: Run, stored: Stored) -> None:
    stored("one")
    run("snapshot", "a")
    run("snapshot", "b")
    assert "0 came, 0 changed, 0 went" in run("snapshots", "diff", "a", "b").stdout
    found = answer(run, "snapshots", "diff", "a", "b")
    assert (found["came"], found["changed"], found["went"]) == ([], [], [])


def test_a_forgotten_note_is_known_by_its_number_alone(run: Run, stored: Stored, hook: Hook) -> None:
    stored("The unspeakable rule.", "--kind", "directive")
    run("snapshot", "before")
    assert "unspeakable" in hook("SessionStart", source="startup")
    assert run("forget", "1", "--yes").exit_code == 0
    text = run("snapshots", "diff", "before").stdout
    assert text.endswith("\n\nforgotten since: #1\n")
    assert answer(run, "snapshots", "diff", "before")["forgotten"] == [1]
    for arguments in (("list",), ("show", "1"), ("list", "--json"), ("show", "1", "--json")):
        done = run(*arguments, "--at", "before")
        assert "unspeakable" not in done.stdout + done.stderr
    assert run("show", "1", "--at", "before").stderr.startswith(
        "error: no note #1 is kept of snapshot 1 (before)"
    )


def test_the_older_snapshot_comes_first(run: Run) -> None:
    for name in ("a", "b"):
        run("snapshot", name)
    done = run("snapshots", "diff", "b", "a")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "snapshot 2 (b) was taken after snapshot 1 (a)" in done.stderr


@pytest.mark.parametrize("arguments", [("list", "--at"), ("show", "1", "--at"), ("snapshots", "diff")])
def test_a_snapshot_that_is_none_is_refused(run: Run, stored: Stored, arguments: tuple[str, ...]) -> None:
    stored("one")
    for given in ("nothing", "7", ""):
        done = run(*arguments, given)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.startswith("error: there is no snapshot ")
        assert "hint: `vectr-hooks snapshots` shows those there are" in done.stderr


@pytest.mark.usefixtures("changed")
def test_notes_are_listed_as_they_were_and_it_is_said(run: Run) -> None:
    heading, head, *rows = run("list", "--at", "before").stdout.splitlines()
    assert heading.startswith("AS IT WAS at snapshot 1 (before), ")
    assert head.split() == ["id", "kind", "priority", "title", "arrives", "cost"]
    assert [row.split()[:3] for row in rows] == [
        ["4", "directive", "revoked"],
        ["3", "directive", "superseded"],
        ["2", "directive", "changes"],
        ["1", "directive", "stays"],
    ]
    found = answer(run, "list", "--at", "1")
    assert found["at"]["name"] == "before"
    assert {note["state"] for note in found["notes"]} == {"active"}
    assert all("last_delivered_ms" not in note for note in found["notes"])


@pytest.mark.usefixtures("changed")
def test_what_was_there_can_be_narrowed(run: Run) -> None:
    assert answer(run, "list", "--at", "before", "--pinned")["notes"] == []
    assert answer(run, "list", "--at", "before", "--state", "revoked")["notes"] == []
    assert len(answer(run, "list", "--at", "before", "--kind", "directive")["notes"]) == 4
    done = run("list", "--at", "before", "--kind", "task")
    assert (done.stdout.count("\n"), done.stderr) == (1, "no note was like that\n")
    run("snapshot", "after")
    assert len(answer(run, "list", "--at", "after", "--state", "revoked")["notes"]) == 1


def test_before_the_first_note_there_were_none(run: Run, stored: Stored) -> None:
    run("snapshot", "empty")
    stored("one")
    assert run("list", "--at", "empty").stderr == "there were no notes\n"


@pytest.mark.usefixtures("changed")
def test_a_note_is_shown_as_it_was_and_it_is_said(run: Run) -> None:
    heading, first, *rest = run("show", "2", "--at", "before").stdout.splitlines()
    assert heading.startswith("AS IT WAS at snapshot 1 (before), ")
    assert first == "#2 directive: changes"
    assert rest[-2:] == ["changes", "second line"]
    assert "pinned: yes" not in rest
    assert run("show", "1", "4", "--at", "before").stdout.count("AS IT WAS") == 2
    body = run("show", "2", "--at", "before", "--body")
    assert body.stdout == "changes\nsecond line\n"
    assert body.stderr.startswith("AS IT WAS")
    found = answer(run, "show", "2", "--at", "1", "--history")
    assert found["at"]["id"] == 1
    assert [one["title"] for one in found["notes"][0]["history"]] == ["changes"]
    assert run("show", "6", "--at", "before").exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [("snapshots",), ("snapshots", "diff", "1"), ("list", "--at", "1"), ("show", "1", "--at", "1")],
)
def test_nothing_of_a_snapshot_is_printed_with_a_secret_or_what_a_terminal_obeys(
    run: Run, stored: Stored, store: sqlite3.Connection, arguments: tuple[str, ...]
) -> None:
    stored("one\ntwo\n")
    run("snapshot", "a")
    run("pin", "1")
    hostile = f"\x1b[2J {SECRET} \u202e"
    store.execute("UPDATE snapshot SET name = ? || id", (hostile,))
    store.execute("UPDATE revision SET title = ? || id, body = ? || id || x'0a'", (hostile, hostile))
    for line in (arguments, (*arguments, "--json")):
        done = run(*line)
        assert done.exit_code == 0
        assert "[redacted: GitHub token]" in done.stdout
        assert not {SECRET, "\x1b", "\u202e"} & {
            part for part in (SECRET, "\x1b", "\u202e") if part in done.stdout
        }


def test_a_body_that_differs_only_in_a_secret_is_said_to(
    run: Run, stored: Stored, store: sqlite3.Connection
) -> None:
    stored("one")
    run("snapshot", "a")
    run("pin", "1")
    other = SECRET[:-1] + ("a" if SECRET[-1] != "a" else "b")
    for id, secret in ((1, SECRET), (2, other)):
        store.execute("UPDATE revision SET body = ? WHERE id = ?", (secret, id))
    text = run("snapshots", "diff", "a").stdout
    assert "body:\n      changed in what is not shown\n" in text


def test_options_may_stand_before_the_subcommand(run: Run, stored: Stored) -> None:
    stored("one")
    run("snapshot", "a")
    assert json.loads(run("snapshots", "--json", "diff", "a").stdout)["from"]["name"] == "a"
