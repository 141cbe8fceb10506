"""`audit why`: one note at one event, played by real hook processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pytest

from tests.commands.conftest import Run
from tests.hook.session import Session
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.project import Project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import change_note

Stored = Callable[..., int]
Why = Callable[..., dict[str, Any]]

PATH = ("--path", "src/", "--event", "pre-edit")
# 260 tokens or so: three of them do not fit a turn's 800.
LONG = "The rule about this place. " + "x" * 1000


@pytest.fixture
def session(place: Project) -> Session:
    return Session(Path(place.root))


@pytest.fixture
def why(run: Run) -> Why:
    """Explain a note at an event, as JSON; checks that the text for people comes too."""

    def call(note: int, event: str | int = "last", **given: Any) -> dict[str, Any]:
        done = run("audit", "why", str(note), str(event), "--json", **given)
        assert (done.exit_code, done.stderr) == (0, "")
        found: dict[str, Any] = json.loads(done.stdout)
        assert found["version"] == 1
        found["text"] = run("audit", "why", str(note), str(event), **given).stdout
        assert found["text"].startswith(f"#{note} ")
        return found

    return call


def decided(found: dict[str, Any]) -> tuple[str, str]:
    outcome = found["outcome"]
    return found["decided"]["rule"], outcome["status"] if outcome else found["decided"]["reason"]


def conditions(found: dict[str, Any], clause: int = 0) -> dict[str, tuple[list[str], Any]]:
    """Of each condition that the clause names, what the event had and whether it holds."""
    readings = found["clauses"][clause]["conditions"]
    return {one["condition"]: (one["seen"], one["holds"]) for one in readings if not one["implied"]}


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_delivery_is_explained_condition_by_condition(
    stored: Stored, session: Session, why: Why, place: Project
) -> None:
    stored("The rule.", *PATH, "--path", "docs/", "--unless", "{branch: release/*}")
    session.start()
    session.before_edit("src/a.py")
    found = why(1)
    assert decided(found) == ("delivered", "delivered")
    assert found["candidate"] is True
    assert (found["outcome"]["form"], found["outcome"]["cost_tokens"] > 0) == ("full", True)
    assert conditions(found) == {"event": (["pre-edit"], True), "path": (["src/a.py"], True)}
    clause = found["clauses"][0]
    assert (clause["clause"], clause["holds"], clause["vetoed"]) == (0, True, False)
    (unless,) = clause["unless"]
    assert (unless["condition"], unless["expected"], unless["seen"]) == ("branch", ["release/*"], ["main"])
    assert found["event"]["event"] == 2
    assert found["event"]["recorded"] is True
    text = flat(found["text"])
    assert "delivered in full" in text
    assert "clause 1 of 1 holds" in text
    assert "yes path src/ (or docs/) src/a.py" in text
    assert "no unless branch release/* main" in text


def test_of_an_unmatched_note_every_condition_that_fails_is_shown(
    stored: Stored, session: Session, why: Why
) -> None:
    stored("The rule.", "--path", "src/", "--keyword", "deploy", "--event", "post-read")
    session.start()
    session.prompt("roll out")
    session.before_edit("src/a.py")
    found = why(1)
    assert decided(found) == ("unmatched", "unmatched")
    assert conditions(found) == {
        "event": (["pre-edit"], False),
        "path": (["src/a.py"], True),
        "keyword": ([], False),
    }
    assert "the prompt is not stored; it held no keyword of any note" in flat(found["text"])
    assert "clause 1 of 1 does not hold" in found["text"]


def test_of_a_prompt_the_keywords_are_named_that_it_held(stored: Stored, session: Session, why: Why) -> None:
    stored("The rule.", "--keyword", "deploy", "--branch", "dev")
    session.start()
    session.prompt("please deploy the secret project")
    found = why(1)
    assert conditions(found) == {"keyword": (["deploy"], True), "branch": (["main"], False)}
    assert "not stored; it held these keywords: deploy" in flat(found["text"])
    assert "secret" not in found["text"]


def test_a_veto_is_named(stored: Stored, session: Session, why: Why) -> None:
    stored("The rule.", *PATH, "--unless", "{branch: main}")
    session.start()
    session.before_edit("src/a.py")
    found = why(1)
    assert (decided(found)[0], found["outcome"]["reason"]) == ("unmatched", "unless")
    clause = found["clauses"][0]
    assert (clause["holds"], clause["vetoed"]) == (False, True)
    assert "is vetoed by its `unless`" in found["text"]


def test_within_a_turn_the_event_that_delivered_is_named(stored: Stored, session: Session, why: Why) -> None:
    stored("The rule.", *PATH)
    session.start()
    session.prompt("x")
    session.before_edit("src/a.py")
    session.before_edit("src/b.py")
    found = why(1)
    assert decided(found) == ("turn", "suppressed")
    (earlier,) = found["decided"]["earlier"]
    assert (earlier["event"], earlier["epoch"], earlier["turn"]) == (3, 0, "prompt-1")
    assert "Event 3 (PreToolUse) delivered it in full, in epoch 0, turn prompt-1." in found["text"]


def test_the_ledger_names_the_delivery_of_this_epoch_alone(
    stored: Stored, session: Session, why: Why
) -> None:
    stored("The rule.", *PATH)
    session.start()
    session.prompt("x")
    session.before_edit("src/a.py")
    session.announce_compaction()
    session.compacted()
    session.prompt("y")
    session.before_edit("src/a.py")
    found = why(1)
    assert decided(found) == ("ledger", "suppressed")
    (earlier,) = found["decided"]["earlier"]
    assert (earlier["name"], earlier["epoch"], earlier["turns_before"]) == ("SessionStart", 1, 1)


def test_a_cooldown_says_how_many_turns_have_gone(stored: Stored, session: Session, why: Why) -> None:
    stored("The rule.", *PATH, "--cooldown", "3")
    session.start()
    session.prompt("x")
    session.before_edit("src/a.py")
    session.prompt("y")
    session.prompt("z")
    session.before_edit("src/a.py")
    found = why(1)
    assert decided(found) == ("cooldown", "suppressed")
    assert found["decided"]["limits"]["cooldown"] == 3
    assert found["decided"]["earlier"][0]["turns_before"] == 2
    assert "2 turns before" in found["text"]
    assert "may deliver again after 3 turns" in found["text"]
    session.prompt("now")
    session.before_edit("src/a.py")
    assert decided(why(1)) == ("delivered", "delivered")


def test_the_most_deliveries_of_a_session_are_counted_over_its_epochs(
    stored: Stored, session: Session, why: Why
) -> None:
    stored("The rule.", *PATH, "--max-deliveries", "1")
    session.start()
    session.prompt("x")
    session.before_edit("src/a.py")
    session.announce_compaction()
    session.compacted()
    session.prompt("y")
    session.before_edit("src/a.py")
    found = why(1)
    assert decided(found) == ("max_deliveries", "suppressed")
    assert [(one["event"], one["epoch"]) for one in found["decided"]["earlier"]] == [(3, 0)]


def test_dates_decide_before_the_clauses(stored: Stored, session: Session, why: Why) -> None:
    stored("Later.", *PATH, "--not-before", "2999-01-01")
    stored("Past.", *PATH, "--expires", "2000-01-01")
    session.start()
    session.before_edit("src/a.py")
    later, past = why(1), why(2)
    assert decided(later) == ("dates", "out of scope")
    assert decided(past) == ("dates", "expired")
    assert later["clauses"][0]["holds"] is True
    assert later["decided"]["limits"]["not_before"] == "2999-01-01"
    assert "The event's day, in UTC, was 2" in later["text"]


def test_above_the_cap_of_its_kind_a_note_is_a_line(stored: Stored, session: Session, why: Why) -> None:
    stored("x" * 2000, "--title", "Long", *PATH)
    stored("Chosen.", *PATH, "--kind", "decision")
    session.start()
    session.before_edit("src/a.py")
    long, chosen = why(1), why(2)
    assert decided(long) == decided(chosen) == ("cap", "delivered")
    assert long["decided"]["limits"]["cap_tokens"] == 300
    assert "cap.finding is 300" in long["text"]
    assert "cap.decision is 0" in chosen["text"]


def test_a_second_clause_of_a_note_given_in_full_brings_a_line(
    stored: Stored, session: Session, why: Why, run: Run
) -> None:
    trigger = "[{path: src/, event: pre-edit}, {keyword: deploy}]"
    assert run("remember", "The rule.", "--trigger", "-", input=trigger).exit_code == 0
    session.start()
    session.prompt("x")
    session.before_edit("src/a.py")
    session.prompt("deploy")
    found = why(1)
    assert (found["decided"]["rule"], found["outcome"]["form"]) == ("ledger", "index")
    assert [clause["holds"] for clause in found["clauses"]] == [False, True]
    assert found["decided"]["earlier"][0]["form"] == "full"
    assert "under another clause" in found["text"]


def test_the_budget_says_what_was_left_and_what_the_note_takes(
    stored: Stored, session: Session, why: Why, run: Run
) -> None:
    for number in (1, 2, 3):
        stored(LONG, "--title", f"Rule {number}", *PATH)
    stored("Short.", *PATH, "--priority", "low")
    session.start()
    session.prompt("x")
    session.before_edit("src/a.py")
    # The newest come first.
    found = why(1)
    assert (found["decided"]["rule"], found["outcome"]["form"]) == ("budget", "index:budget")
    budget = found["decided"]["budget"]
    assert (budget["scope"], budget["limit"], budget["spent"]) == ("turn", 800, 0)
    assert budget["ahead"] + budget["left"] == 800
    assert budget["needed"] > budget["left"]
    assert budget["stopped_by"] is None
    assert f"In full it takes {budget['needed']} tokens" in found["text"]
    short = why(4)
    assert (short["decided"]["rule"], short["decided"]["budget"]["stopped_by"]) == ("budget", 1)
    assert "#1, which outranks it, did not fit in full" in short["text"]


def test_what_a_note_takes_in_full_is_what_it_costs(stored: Stored, session: Session, why: Why) -> None:
    for number in (1, 2, 3, 4):
        stored(LONG, "--title", f"Rule {number}", *PATH)
    session.start()
    session.before_edit("src/a.py")
    assert why(1)["decided"]["budget"]["needed"] == why(4)["outcome"]["cost_tokens"]
    assert why(1)["decided"]["budget"]["needed_as_line"] == why(1)["outcome"]["cost_tokens"]


def test_held_back_is_the_budget_too(stored: Stored, session: Session, why: Why, run: Run) -> None:
    run("config", "set", "budget.turn", "5")
    stored("The first rule of this place.", "--title", "A", *PATH)
    stored("The second rule of this place.", "--title", "B", *PATH)
    session.start()
    session.prompt("x")
    session.before_edit("src/a.py")
    run("config", "unset", "budget.turn")
    found = why(1)
    assert decided(found) == ("budget", "held back")
    assert found["decided"]["budget"]["limit"] == 5
    assert "held back (budget)" in found["text"]
    assert "of 5 (budget.turn)" in found["text"]


def test_what_a_boundary_brings_has_its_reason(stored: Stored, session: Session, why: Why) -> None:
    stored("The rule.", "--pin", "--path", "src/")
    session.start()
    found = why(1)
    assert decided(found) == ("delivered", "delivered")
    assert found["outcome"]["origin"] == "pinned"
    assert found["clauses"][0]["holds"] is False
    assert "A boundary brought it: pinned." in found["text"]


def test_what_was_used_long_ago_comes_back_as_a_line(stored: Stored, session: Session, why: Why) -> None:
    stored("The rule.", *PATH)
    session.start()
    session.prompt("x")
    session.before_edit("src/a.py")
    for _ in range(4):
        session.announce_compaction()
        session.compacted()
        session.prompt("x")
    found = why(1, 14)
    assert (found["event"]["name"], found["decided"]["rule"]) == ("SessionStart", "older working set")
    assert "used in an epoch long past" in found["text"]
    assert "A boundary brought it: used earlier in this session." in found["text"]


def test_a_note_that_nothing_finds_is_no_candidate_and_its_keys_are_shown(
    stored: Stored, session: Session, why: Why
) -> None:
    stored("The rule.", "--path", "src/db/*.py", "--event", "pre-edit")
    stored("Waits.")
    session.start()
    session.before_edit("docs/a.md")
    found = why(1)
    assert decided(found) == ("not a candidate", "no key hit")
    assert found["candidate"] is False
    assert found["keys"]["note"] == ["=src/db"]
    assert "=docs" in found["keys"]["event"]
    assert conditions(found) == {"event": (["pre-edit"], True), "path": (["docs/a.md"], False)}
    assert "It is found by the path src/db." in found["text"]
    waits = why(2)
    assert decided(waits) == ("not a candidate", "no trigger")
    assert waits["clauses"] == []


def test_a_note_that_a_prompt_brought_up_is_said_to_come_as_a_line(
    stored: Stored, session: Session, why: Why, run: Run
) -> None:
    stored("acquire_lock() is not reentrant.")
    stored("acquire_lock() needs the index.")
    run("config", "set", "recall.notes", "1")
    session.start()
    session.prompt("Why does acquire_lock hang?")
    first, second = why(2), why(1)
    assert decided(first) == ("recall", "delivered")
    assert ": it has much in common with the prompt" in flat(first["text"])
    assert "boundary" not in first["text"]
    assert decided(second) == ("recall", "held back")
    assert second["decided"]["budget"] is None
    assert "held back (recall): enough others had more in common" in flat(second["text"])


def test_a_note_beyond_the_candidates_of_an_event_is_said_to_be(
    stored: Stored, session: Session, why: Why, run: Run
) -> None:
    run("config", "set", "candidates.max", "1")
    stored("First.", *PATH)
    stored("Second.", *PATH)
    session.start()
    session.before_edit("src/a.py")
    found = why(1)
    assert decided(found) == ("not a candidate", "beyond the cap")
    assert found["clauses"][0]["holds"] is True
    assert "Notes that were not looked at: 1 (candidates.max)" in found["text"]


def test_a_note_written_later_was_no_candidate(stored: Stored, session: Session, why: Why) -> None:
    session.start()
    session.before_edit("src/a.py")
    stored("The rule.", *PATH)
    found = why(1)
    assert decided(found) == ("not a candidate", "written later")
    assert "The rule (written later)" in found["text"]


def test_a_slash_command_and_a_repeated_report_are_no_moment(
    stored: Stored, session: Session, why: Why
) -> None:
    stored("The rule.", *PATH)
    session.start()
    session.prompt("/model opus")
    assert decided(why(1)) == ("not a candidate", "no moment")
    payload = session.payload("PreToolUse.Edit", tool_use_id="call-1")
    session.send(payload)
    session.send(payload)
    assert decided(why(1)) == ("not a candidate", "duplicate")


def test_a_note_is_shown_as_it_was_at_the_event(
    stored: Stored, session: Session, why: Why, run: Run, place: Project
) -> None:
    stored("The rule.", *PATH)
    session.start()
    session.before_edit("src/a.py")
    session.prompt("x")
    retrigger(place, 1, {"keyword": "deploy"})
    session.prompt("deploy")
    before, unrelated, after = why(1, 2), why(1, 3), why(1, 4)
    assert list(conditions(before)) == ["event", "path"]
    assert (before["note"]["revision"], before["note"]["newest_revision"]) == (1, 2)
    assert "changed since" in before["text"]
    assert decided(before) == ("delivered", "delivered")
    assert list(conditions(unrelated)) == ["event", "path"]
    assert decided(unrelated) == ("not a candidate", "no key hit")
    assert list(conditions(after)) == ["keyword"]
    assert "changed since" not in after["text"]


def test_a_forgotten_note_keeps_its_outcome_alone(
    stored: Stored, session: Session, why: Why, run: Run
) -> None:
    stored("The secret rule.", *PATH)
    stored("Another.", *PATH)
    session.start()
    session.before_edit("src/a.py")
    session.prompt("x")
    run("forget", "1", "--yes")
    found = why(1, 2)
    assert decided(found) == ("delivered", "delivered")
    assert (found["note"]["forgotten"], found["note"]["title"], found["clauses"]) == (True, None, [])
    assert "secret" not in found["text"]
    assert "forgotten since" in found["text"]
    assert decided(why(1, 3)) == ("not a candidate", "forgotten")


def test_what_an_older_record_no_longer_shows_is_not_denied(
    stored: Stored, session: Session, why: Why, place: Project
) -> None:
    """Older versions did not record which commands a long line ran."""
    stored("The rule.", "--command", "git push")
    session.start()
    session.before_run("true; " * 60 + "git push")
    with closing(open_store(place.store_path)) as con:
        con.execute("UPDATE event SET facts = json_remove(facts, '$.held', '$.programs')")
    found = why(1)
    assert decided(found) == ("delivered", "delivered")
    assert "holds, as the hook recorded; what is kept no longer shows it" in found["text"]


def test_a_keyword_that_a_note_once_had_stays_in_the_record(
    stored: Stored, session: Session, why: Why, run: Run, place: Project
) -> None:
    """A keyword leaves the record when the last note that has it, or ever had, is forgotten."""
    stored("The rule.", "--keyword", "deploy")
    session.start()
    session.prompt("deploy")
    stored("Another.", "--keyword", "deploy")
    retrigger(place, 1, {"keyword": "rollout"})
    run("forget", "2", "--yes")
    found = why(1)
    assert decided(found) == ("delivered", "delivered")
    assert conditions(found) == {"keyword": (["deploy"], True)}


def test_of_a_line_that_is_not_kept_whole_it_is_known_what_it_ran(
    stored: Stored, session: Session, why: Why
) -> None:
    stored("The rule.", "--command", "git push")
    stored("Other.", "--command", "git pull")
    session.start()
    session.before_run("true " + "x" * 300 + " && git push")
    pushed, pulled = why(1), why(2)
    assert decided(pushed) == ("delivered", "delivered")
    assert conditions(pushed)["command"][1] is True
    assert decided(pulled) == ("unmatched", "unmatched")
    assert conditions(pulled)["command"][1] is False
    assert "up to 200 characters" in pulled["text"]


def test_a_subagent_is_named_as_what_keeps_a_note_away(stored: Stored, session: Session, why: Why) -> None:
    stored("The rule.", *PATH)
    session.start()
    session.subagent("a1", "Explore").before_edit("src/a.py")
    found = why(1)
    assert decided(found) == ("unmatched", "unmatched")
    assert "no subagent the main conversation (implied) Explore" in flat(found["text"])


def edit_payload(place: Project, path: str) -> str:
    return json.dumps(
        {
            "hook_event_name": "PreToolUse",
            "cwd": place.root,
            "session_id": "elsewhere",
            "tool_name": "Edit",
            "tool_input": {"file_path": f"{place.root}/{path}"},
            "tool_use_id": "call-1",
        }
    )


def test_a_payload_file_is_played_and_nothing_is_recorded(
    stored: Stored, session: Session, why: Why, run: Run, place: Project, tmp_path: Path
) -> None:
    stored("The rule.", *PATH)
    stored("Always.", "--kind", "directive")
    session.start()
    session.before_edit("src/a.py")
    file = tmp_path / "payload.json"
    file.write_text(edit_payload(place, "src/b.py"), encoding="utf-8")
    before = run("audit", "--json").stdout
    found = why(1, str(file))
    assert decided(found) == ("delivered", "delivered")
    assert conditions(found)["path"] == (["src/b.py"], True)
    assert (found["event"]["event"], found["event"]["recorded"]) == (None, False)
    assert "played in a session that has just started; nothing is recorded" in found["text"]
    assert decided(why(1, "-", input=edit_payload(place, "docs/b.py"))) == ("not a candidate", "no key hit")
    assert decided(why(1, "-", input=edit_payload(place, "src/b.py"))) == ("delivered", "delivered")
    assert run("audit", "--json").stdout == before


def test_a_payload_follows_a_session_start_that_is_played_too(stored: Stored, why: Why) -> None:
    stored("Always.", "--event", "session-start", "--event", "prompt-submit")
    prompt = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "x"})
    found = why(1, "-", input=prompt)
    assert decided(found) == ("ledger", "suppressed")
    assert found["decided"]["earlier"][0]["event"] is None
    assert "The SessionStart that is played before it delivered it in full" in found["text"]
    start = json.dumps({"hook_event_name": "SessionStart", "source": "startup"})
    assert decided(why(1, "-", input=start)) == ("delivered", "delivered")


def test_of_a_payload_the_whole_command_line_is_seen(stored: Stored, why: Why) -> None:
    stored("The rule.", "--command", "git pull")
    line = "true " + "x" * 300 + " && git push"
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": line}}
    found = why(1, "-", input=json.dumps(payload))
    assert conditions(found)["command"][1] is False
    assert conditions(found)["command"][0][-1] == "git push"


@pytest.mark.parametrize(
    ("arguments", "input", "message", "hint"),
    [
        (["9", "last"], None, "there is no note #9", "vectr-hooks list"),
        (["1", "99"], None, "there is no event 99", "the newest is 1"),
        (["1", "9" * 5000], None, "there is no event 999", "the newest is 1"),
        (["1", "gone.json"], None, "there is no event or file gone.json", "`last`"),
        (["1", "."], None, ". cannot be read", "payload file"),
        (["1", "-"], "{", "standard input is not JSON", "one JSON object"),
        (["1", "-"], "", "standard input is not JSON", "one JSON object"),
        (["1", "-"], "[" * 100_000, "standard input is not JSON", "one JSON object"),
        (["1", "-"], "[1]", "standard input holds no JSON object", "one JSON object"),
        (["1", "-"], "{}", "standard input names no event", "PreToolUse"),
        (["1", "-"], '{"hook_event_name": "PreTool"}', "PreTool, which no hook answers", "PreToolUse"),
        (["9", "-"], '{"hook_event_name": "UserPromptSubmit"}', "there is no note #9", "vectr-hooks list"),
    ],
)
def test_what_cannot_be_explained_is_refused_with_a_hint(
    run: Run,
    stored: Stored,
    session: Session,
    arguments: list[str],
    input: str | None,
    message: str,
    hint: str,
) -> None:
    stored("The rule.", *PATH)
    session.start()
    done = run("audit", "why", *arguments, input=input)
    assert (done.exit_code, done.stdout) == (1, "")
    assert message in done.stderr
    assert hint in done.stderr.partition("hint: ")[2]


def test_without_an_event_there_is_no_last(run: Run, stored: Stored) -> None:
    stored("The rule.")
    done = run("audit", "why", "1", "last")
    assert done.exit_code == 1
    assert "no event was recorded yet" in done.stderr


def test_where_the_hooks_are_switched_off_no_payload_is_answered(run: Run, stored: Stored) -> None:
    stored("The rule.")
    run("config", "set", "enabled", "false")
    done = run("audit", "why", "1", "-", input='{"hook_event_name": "SessionStart", "source": "startup"}')
    assert done.exit_code == 1
    assert "would not be answered" in done.stderr


def test_the_list_keeps_its_options_to_itself(run: Run, stored: Stored, session: Session) -> None:
    stored("The rule.", *PATH)
    session.start()
    assert run("audit", "--limit", "5").exit_code == 0
    assert run("audit", "--limit", "5", "why", "1", "last").exit_code == 2
    assert json.loads(run("audit", "--json", "why", "1", "last").stdout)["note"]["id"] == 1


def test_nothing_is_wider_than_a_terminal(
    run: Run, stored: Stored, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    patterns = [word for number in range(12) for word in ("--path", f"src/a/rather/long/folder/{number}/**")]
    stored("The rule. " + "And so on. " * 20, *patterns, "--keyword", "deploy", "--unless", "{branch: x}")
    session.start()
    session.prompt("x")
    session.before_edit("src/a/rather/long/folder/11/" + "deep/" * 20 + "x.py")
    for name, value in {"FORCE_COLOR": "1", "COLUMNS": "80", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    text = click.unstyle(run("audit", "why", "1", "last").stdout)
    assert max(map(len, text.splitlines())) <= 80
    assert "src/a/rather/long/folder/7" in text


def retrigger(place: Project, note: int, trigger: dict[str, str]) -> None:
    """Give a note another trigger, as an edit does."""
    with closing(open_store(place.store_path)) as con:
        change_note(
            con, note, 1_700_000_000_000, lambda id, draft: ("text", "line"), trigger=parse_trigger(trigger)
        )
