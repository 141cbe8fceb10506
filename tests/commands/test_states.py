"""`revoke`, `reinstate`, `promote`, `remember --supersedes` and `--quote`: trust in a note, and its end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Hook, Run
from tests.commands.terminal import at_terminal
from vectr_hooks.project import Project

Stored = Callable[..., int]
BODY = "acquire_lock() must be called before touching workspace metadata."
REASON = "The watcher takes the lock itself since 2.0."
SAID = "from now on always use tabs in the makefiles, please"


def note(run: Run, id: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("show", str(id), "--json").stdout)["notes"][0]
    return found


def context(printed: str) -> str:
    return json.loads(printed)["hookSpecificOutput"]["additionalContext"] if printed else ""


def edit(hook: Hook, place: Project, call: str, session: str = "s1") -> str:
    """What the model is told before an edit of src/a.py."""
    return context(
        hook(
            "PreToolUse",
            session,
            tool_name="Edit",
            tool_input={"file_path": f"{place.root}/src/a.py", "old_string": "a", "new_string": "b"},
            tool_use_id=call,
            prompt_id="p1",
        )
    )


def typed(place: Project, hook: Hook, *prompts: str, session: str = "s1") -> None:
    """Let a session begin that a hook has seen, in which the user typed `prompts`."""
    transcript = Path(place.root) / f"{session}.jsonl"
    parent = None
    entries = []
    for n, prompt in enumerate(prompts):
        entries.append(
            {
                "type": "user", "uuid": f"u{n}", "parentUuid": parent, "sessionId": session,
                "message": {"role": "user", "content": prompt}, "promptId": f"p{n}", "cwd": place.root,
                "timestamp": "2026-01-01T00:00:00.000Z",
            }
        )  # fmt: skip
        parent = f"u{n}"
    # As the client writes it, without spaces.
    lines = (json.dumps(entry, separators=(",", ":")) for entry in entries)
    transcript.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    hook("SessionStart", session, source="startup", transcript_path=str(transcript))


@pytest.fixture
def in_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")


def test_case_30_a_revoked_note_is_delivered_as_a_warning_first_and_never_as_true(
    run: Run, stored: Stored, place: Project, hook: Hook
) -> None:
    stored(BODY, "--kind", "gotcha", "--anchor", "src/a.py", "--pin")
    assert f"not reviewed · pinned]\n{BODY}" in context(hook("SessionStart", source="startup"))
    done = run("revoke", "1", "--reason", f"  {REASON}\n")
    assert done.stdout.startswith(f"#1 gotcha revoked: {BODY[:-1]}\nrevoked: arrives as a warning before")
    # The session was told it as true, so it is told again; the pin no longer counts.
    assert edit(hook, place, "c1") == (
        "[#1 gotcha · REVOKED by an agent, do not rely on it · path src/a.py]\n"
        f"Revoked because: {REASON}\n"
        f"What was believed (recorded by an agent, not reviewed):\n{BODY}"
    )
    assert edit(hook, place, "c2") == ""
    assert context(hook("SessionStart", "s2", source="startup")) == ""
    assert f"#1 revoked gotcha: {BODY[:-1]} (agent) [revoked: {REASON}]\n" == run("recall", "lock").stdout
    assert f"WARNING: revoked: {REASON}" in run("show", "1").stdout.splitlines()[1]
    assert "revoked gotcha" in run("list").stdout
    assert (note(run, 1)["state"], note(run, 1)["reason"]) == ("revoked", REASON)


def test_a_prompt_brings_a_revoked_note_up_as_a_warning(run: Run, stored: Stored, hook: Hook) -> None:
    stored(BODY)
    run("revoke", "1", "--reason", REASON)
    told = context(hook("UserPromptSubmit", prompt="does acquire_lock matter?", prompt_id="p"))
    assert told == (f"#1 revoked finding, do not rely on it: {BODY[:-1]} (revoked because: {REASON})")


def test_a_revoked_or_superseded_task_is_no_open_one(
    run: Run, stored: Stored, place: Project, hook: Hook
) -> None:
    for text in ("Task one is half done.", "Task two waits.", "Task three is open."):
        stored(text, "--kind", "task")
    run("revoke", "1", "--reason", "Never needed.")
    stored("Task two is done but for the docs.", "--kind", "task", "--supersedes", "2")
    edit(hook, place, "c1")
    hook(
        "PostToolUse",
        tool_name="Edit",
        tool_input={"file_path": f"{place.root}/src/a.py"},
        tool_use_id="c1",
    )
    handoff = run("resume").stdout
    assert "open tasks: #4 #3" in handoff
    assert "Task one" not in handoff
    assert "Task two waits" not in handoff


def test_a_reinstated_note_is_told_as_true_again_in_the_session_that_was_warned(
    run: Run, stored: Stored, place: Project, hook: Hook
) -> None:
    stored(BODY, "--kind", "gotcha", "--anchor", "src/a.py")
    run("revoke", "1", "--reason", REASON)
    assert "REVOKED" in edit(hook, place, "c1")
    assert run("reinstate", "1").stdout.startswith(f"#1 gotcha reinstated: {BODY[:-1]}\narrives before")
    assert (
        edit(hook, place, "c2") == f"[#1 gotcha · recorded by an agent, not reviewed · path src/a.py]\n{BODY}"
    )
    assert (note(run, 1)["state"], note(run, 1)["reason"]) == ("active", "")


def test_a_superseded_note_is_neither_delivered_nor_recalled_and_kept(
    run: Run, stored: Stored, place: Project, hook: Hook
) -> None:
    stored(BODY, "--kind", "gotcha", "--anchor", "src/a.py", "--pin")
    new = "The metadata needs no lock."
    done = run("remember", new, "--kind", "gotcha", "--anchor", "src/a.py", "--supersedes", "#1")
    assert f"#1 gotcha superseded: {BODY[:-1]}\n" in done.stdout
    assert context(hook("SessionStart", source="startup")) == ""
    assert edit(hook, place, "c1").endswith(new)
    assert edit(hook, place, "c2") == ""
    assert context(hook("UserPromptSubmit", prompt="acquire_lock", prompt_id="p")) == ""
    assert run("recall", "touching").stderr == "no note was found\n"
    assert "[superseded by #2]" in run("recall", "touching", "--superseded").stdout
    assert "WARNING: superseded by #2" in run("show", "1").stdout
    assert run("list").stdout.splitlines()[-1].split()[:3] == ["1", "superseded", "gotcha"]
    assert note(run, 1)["superseded_by"] == 2
    assert "superseded" in run("audit", "why", "1", "last").stdout
    run("reinstate", "1")
    assert BODY in edit(hook, place, "c3")


@pytest.mark.parametrize(
    "command", [["revoke", "1", "--reason", "x"], ["remember", "y", "--supersedes", "1"]]
)
@pytest.mark.parametrize("state", ["revoked", "superseded"])
def test_what_is_given_up_is_not_given_up_again(
    run: Run, stored: Stored, state: str, command: list[str]
) -> None:
    stored(BODY)
    run("revoke", "1", "--reason", REASON) if state == "revoked" else stored("z", "--supersedes", "1")
    before = note(run, 1)
    done = run(*command)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"error: #1 is {state}")
    assert note(run, 1) == before


def test_an_expired_note_is_reinstated_without_its_date(run: Run, stored: Stored) -> None:
    stored(BODY, "--keyword", "deploy", "--expires", "2020-01-01")
    assert note(run, 1)["state"] == "expired"
    assert "[expired 2020-01-01]" in run("recall", "lock").stdout
    assert run("list", "--state", "active").stderr == "no note is like that\n"
    run("reinstate", "1")
    assert (note(run, 1)["state"], note(run, 1)["trigger"]) == (
        "active",
        {"clauses": [{"keyword": ["deploy"]}]},
    )
    done = run("reinstate", "1")
    assert (done.exit_code, done.stderr.splitlines()[0]) == (1, "error: #1 is active")


@pytest.mark.parametrize(
    ("reason", "message"),
    [("", "the reason is empty"), ("\u200b", "the reason is empty"), ("x" * 301, "the reason has 301"),
     ("it was ghp_Zk3vQ9xLr7TnB2mWc8YpD4sHf6JgUe1aVo5R", "the reason holds a secret")],
)  # fmt: skip
def test_a_reason_is_one_line_of_text(run: Run, stored: Stored, reason: str, message: str) -> None:
    stored(BODY)
    done = run("revoke", "1", "--reason", reason)
    assert (done.exit_code, message in done.stderr) == (1, True), done.stderr
    assert note(run, 1)["state"] == "active"


def test_an_agent_has_no_say_in_what_the_user_recorded(
    run: Run, place: Project, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert at_terminal("remember", BODY, "--pin")[0] == 0
    before = note(run, 1)
    monkeypatch.setenv("EDITOR", "false")
    for command in (
        ["revoke", "1", "--reason", REASON],
        ["edit", "1"],
        ["unpin", "1"],
        ["forget", "1", "--yes"],
        ["forget", "--all", "--yes"],
        ["remember", "Not so.", "--supersedes", "1"],
    ):
        done = run(*command)
        assert done.exit_code == 1, command
        assert done.stderr.startswith("error: #1 is the user's: "), done.stderr
        assert "\nhint: " in done.stderr
    # Nor with a person's terminal.
    assert at_terminal("revoke", "1", "--reason", REASON, CLAUDECODE="1")[0] == 1
    assert note(run, 1) == before
    # A pin takes nothing away.
    assert run("pin", "1").exit_code == 0
    # Not even the user has a note of an agent's take the place of a user's.
    assert at_terminal("remember", "Not so.", "--supersedes", "1", "--provenance", "agent")[0] == 1
    assert at_terminal("revoke", "1", "--reason", REASON)[0] == 0
    assert run("reinstate", "1").exit_code == 1
    assert at_terminal("reinstate", "1")[0] == 0


def test_an_agent_does_not_undo_what_the_user_did_to_its_note(run: Run, stored: Stored) -> None:
    stored(BODY)
    assert at_terminal("revoke", "1", "--reason", REASON)[0] == 0
    for command in (["reinstate", "1"], ["edit", "1"], ["forget", "1", "--yes"]):
        done = run(*command)
        assert done.stderr.startswith("error: #1 was revoked by the user: an agent cannot "), done.stderr
    assert note(run, 1)["state"] == "revoked"


def test_a_person_is_shown_the_note_and_asked_before_it_becomes_theirs(
    run: Run, stored: Stored, hook: Hook
) -> None:
    stored(BODY, "--kind", "directive")
    assert run("promote", "1").exit_code == 1
    code, told = at_terminal("promote", "1", answers=b"n\n")
    assert (code, BODY in told, "nothing was changed" in told) == (0, True, True)
    assert note(run, 1)["provenance"] == "agent"
    assert at_terminal("promote", "1", answers=b"y\n", CLAUDECODE="1")[0] == 1
    code, told = at_terminal("promote", "1", answers=b"y\n")
    assert (code, "its header says: the user's standing rule" in told) == (0, True)
    assert context(hook("SessionStart", source="startup")).startswith(
        "[#1 directive · the user's standing rule"
    )
    assert run("promote", "1").stderr.startswith("error: #1 is the user's already")


def test_what_was_captured_becomes_an_agents_and_only_that(run: Run, stored: Stored) -> None:
    stored(BODY, "--provenance", "auto")
    assert "its header says: recorded by an agent, not reviewed" in run("promote", "1").stdout
    assert note(run, 1)["provenance"] == "agent"


def test_nobody_claims_more_than_they_are(run: Run) -> None:
    for provenance in ("human", "user-stated", "team"):
        assert run("remember", BODY, "--provenance", provenance).exit_code == 2
    assert run("remember", BODY, "--quote", SAID, "--provenance", "auto").exit_code == 2
    assert json.loads(run("list", "--json").stdout)["notes"] == []


@pytest.mark.usefixtures("in_session")
def test_what_the_user_said_is_bound_to_the_prompt_and_named_in_the_header(
    run: Run, stored: Stored, place: Project, hook: Hook
) -> None:
    typed(place, hook, "hello", SAID)
    stored("Makefiles take tabs.", "--quote", "always  use tabs in the makefiles", "--kind", "directive")
    stored("always use tabs in the makefiles", "--quote", "always use tabs in the makefiles")
    assert (note(run, 1)["provenance"], note(run, 1)["quote"]) == (
        "user-stated",
        "always use tabs in the makefiles",
    )
    told = context(hook("SessionStart", "s2", source="startup"))
    assert told.startswith(
        '[#1 directive · the user said: "always use tabs in the makefiles" · the text recorded by an agent, '
        "not reviewed · session-start]\nMakefiles take tabs."
    )
    stored(BODY)
    done = run("promote", "3", "--quote", "always use tabs in the makefiles")
    assert 'its header says: the user said: "always use tabs' in done.stdout
    # Who binds the user's newer words may replace what stands on the older.
    assert stored("No tabs.", "--quote", "in the makefiles, please", "--supersedes", "1") == 4
    # A person takes it over; the quote stays on record.
    assert at_terminal("promote", "2", answers=b"y\n", CLAUDE_CODE_SESSION_ID="")[0] == 0
    assert (note(run, 2)["provenance"], note(run, 2)["quote"] != "") == ("human", True)


@pytest.mark.usefixtures("in_session")
@pytest.mark.parametrize(
    ("quote", "message"),
    [
        ("use tabs", "the quote has 8 characters"),
        ("x" * 201, "the quote has 201 characters"),
        ("never use tabs in the makefiles", "the user typed no such words"),
        ("ways use tabs in the makefiles", "the user typed no such words"),
        ("recorded by the client itself", "the user typed no such words"),
        ("written by a hook of the client", "the user typed no such words"),
    ],
)
def test_what_the_user_did_not_say_is_refused_without_telling_what_they_said(
    run: Run, place: Project, hook: Hook, quote: str, message: str
) -> None:
    by_client = "<system-reminder>written by a hook of the client</system-reminder>"
    typed(place, hook, f"{by_client} {SAID} {by_client}", "<system-reminder>recorded by the client itself")
    done = run("remember", BODY, "--quote", quote)
    assert (done.exit_code, message in done.stderr) == (1, True), done.stderr
    assert "please" not in done.stderr
    assert json.loads(run("list", "--json").stdout)["notes"] == []


def test_a_quote_needs_a_session_that_a_hook_has_seen_and_its_transcript(
    run: Run, place: Project, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "there is no session" in run("remember", BODY, "--quote", SAID).stderr
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    assert "no hook has seen this session" in run("remember", BODY, "--quote", SAID).stderr
    typed(place, hook, SAID)
    (Path(place.root) / "s1.jsonl").unlink()
    assert "transcript cannot be read" in run("remember", BODY, "--quote", SAID).stderr
    assert json.loads(run("list", "--json").stdout)["notes"] == []


def test_the_history_tells_what_changed_and_by_whom(run: Run, stored: Stored) -> None:
    stored(BODY)
    at_terminal("pin", "1")
    run("revoke", "1", "--reason", REASON)
    at_terminal("reinstate", "1")
    at_terminal("promote", "1", answers=b"y\n")
    lines = run("show", "1", "--history").stdout.partition("history:\n")[2].splitlines()
    assert [line.split("Z  ")[1] for line in lines] == [
        "stored by an agent",
        "pinned True by the user",
        f"state revoked: {REASON} by an agent",
        "state active by the user",
        "provenance human by the user",
    ]
    history = json.loads(run("show", "1", "--history", "--json").stdout)["notes"][0]["history"]
    assert [(one["by"], one["changed"]) for one in history] == [
        ("agent", []),
        ("human", ["pinned"]),
        ("agent", ["state", "reason"]),
        ("human", ["state", "reason"]),
        ("human", ["provenance"]),
    ]


def test_writing_what_was_revoked_is_remarked_on_and_strict_refuses_it(run: Run, stored: Stored) -> None:
    stored("acquire_lock() must be called before touching workspace metadata: the watcher races with it.")
    run("revoke", "1", "--reason", REASON)
    again = "Call acquire_lock() before you touch workspace metadata, or the watcher races."
    refused = run("remember", again, "--strict")
    assert refused.exit_code == 1
    assert f'remark: #1 SAID THIS AND WAS REVOKED: "{REASON}"' in refused.stderr
    assert json.loads(run("remember", again, "--json").stdout)["remarks"][0]["code"] == "revoked"


def test_writing_much_the_same_is_remarked_on_unless_it_takes_its_place(run: Run, stored: Stored) -> None:
    stored("Deploys go through the canary and wait ten minutes for the error budget.")
    again = "Every deploy goes through the canary and waits ten minutes for the error budget."
    remarks = json.loads(run("remember", again, "--json").stdout)["remarks"]
    assert [(one["code"], one["text"]) for one in remarks] == [("close", "#1 says much the same")]
    assert (
        json.loads(run("remember", again, "--json", "--supersedes", "1", "--supersedes", "2").stdout)[
            "remarks"
        ]
        == []
    )


def test_files_that_are_gone_or_changed_are_told_wherever_notes_are_read(
    run: Run, stored: Stored, place: Project
) -> None:
    file, other = Path(place.root) / "a.py", Path(place.root) / "b.py"
    file.write_text("one")
    other.write_text("one")
    stored(BODY, "--anchor", "a.py", "--anchor", "b.py")
    assert note(run, 1)["stale"] == []
    file.write_text("two")
    other.unlink()
    assert note(run, 1)["stale"] == ["STALE: path gone", "changed since"]
    for command in (["show", "1"], ["list"], ["recall", "lock"]):
        assert "STALE: path gone; changed since" in run(*command).stdout
