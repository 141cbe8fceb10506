"""What `audit delivered` says of deliveries, against the requests; a note that a rewind took comes again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vectr_hooks.hosts.claude_transcript import Account, recorded_events

from .client import Client
from .lab import Lab, Turn
from .messages_api import Request, occurrences, says, uses

pytestmark = pytest.mark.e2e

RULE = "Never push to main."
DEPLOYS = "The canary takes an hour,\nand nothing else is deployed meanwhile."
LOCKS = "acquire_lock() comes before any write to the metadata."
CARE = "A helper reports what it did not do."


@pytest.fixture(scope="module")
def lab(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(client, tmp_path_factory.mktemp("lab")) as prepared:
        prepared.vectr_hooks("install")
        prepared.remember(RULE, "--kind", "directive")
        prepared.remember(DEPLOYS, "--keyword", "deploy")
        prepared.remember(LOCKS, "--kind", "gotcha", "--path", "src/db/**")
        prepared.remember(CARE, "--event", "subagent-start", "--subagent", "*")
        prepared.write("src/db/lock.py", "timeout = 1\n")
        yield prepared


def delivered(lab: Lab, session: str) -> list[dict[str, Any]]:
    found = json.loads(lab.vectr_hooks("audit", "delivered", "--session", session, "--json"))
    events: list[dict[str, Any]] = found["events"]
    return events


def statuses(lab: Lab, session: str) -> list[tuple[str, str]]:
    return [(one["name"], one["status"]) for one in delivered(lab, session)]


def transcript(lab: Lab, session: str) -> Path:
    [file] = (lab.home / ".claude/projects").glob(f"*/{session}.jsonl")
    return file


def rewound(lab: Lab) -> str:
    """A session whose prompt with a note was rewound, and which has gone on without it."""
    first = lab.ask("Where are we?")
    lab.resume(first.session, "How do we deploy this?")
    entries = [json.loads(line) for line in transcript(lab, first.session).read_bytes().splitlines()]
    reply = next(entry["uuid"] for entry in entries if entry.get("type") == "assistant")
    options = ("--resume", first.session, "--resume-session-at", reply)
    [request] = lab.ask("And then?", options=options).requests
    assert occurrences(request, DEPLOYS) == 0
    return first.session


def test_what_is_said_to_have_arrived_is_in_a_request(lab: Lab) -> None:
    requests: list[Request] = []
    with lab.stream("--allowedTools", "Agent") as stream:
        read = uses("Read", file_path=str(lab.project / "src/db/lock.py"))
        helper = uses(
            "Agent", description="d", prompt="Look", subagent_type="general-purpose", run_in_background=False
        )
        turns: list[Turn] = [
            stream.ask("How do we deploy this?", read, says("So.")),
            stream.compact(),
            stream.ask("Let a helper look", helper, says("Nothing."), says("Done.")),
        ]
        session = stream.session
    for turn in turns:
        requests += turn.requests
    events = delivered(lab, session)
    assert {event["status"] for event in events} == {"arrived"}
    assert {event["name"] for event in events} >= {"SessionStart", "UserPromptSubmit", "SubagentStart"}
    bodies = {1: RULE, 2: DEPLOYS, 3: LOCKS, 4: CARE}
    for event in events:
        for note in event["notes"]:
            assert any(occurrences(request, bodies[note["note"]]) for request in requests), note
    # The reader finds the same events in the record as the hooks were called at.
    file = str(transcript(lab, session))
    recorded = [one.payload["hook_event_name"] for one in recorded_events(file, Account())]
    lines = lab.vectr_hooks("audit", "--json", "--limit", "1000", "--session", session).splitlines()
    called = [json.loads(line) for line in lines]
    typed = [one["name"] for one in called if one["name"] != "UserPromptSubmit" or one["facts"]["moments"]]
    assert sorted(recorded) == sorted(typed)


def test_what_was_rewound_is_said_to_be_and_comes_again_once_after_a_resume(lab: Lab) -> None:
    session = rewound(lab)
    assert statuses(lab, session) == [
        ("SessionStart", "arrived"),
        ("UserPromptSubmit", "on a rewound branch"),
    ]
    [again] = lab.resume(session, "Is the deploy done?").requests
    assert [occurrences(again, text) for text in (RULE, DEPLOYS)] == [1, 1]
    [later] = lab.resume(session, "Is the deploy done now?").requests
    assert [occurrences(later, text) for text in (RULE, DEPLOYS)] == [1, 1]
    assert statuses(lab, session)[-1] == ("UserPromptSubmit", "arrived")


def test_a_fork_of_a_rewound_session_gets_what_that_one_lost(lab: Lab) -> None:
    if lab.client.version == "2.1.197":
        pytest.skip("2.1.197 does not tell its hooks of a fork")
    forked = lab.resume(rewound(lab), "Is the deploy done?", fork=True)
    [request] = forked.requests
    assert [occurrences(request, text) for text in (RULE, DEPLOYS)] == [1, 1]


def test_without_the_clients_record_nothing_is_said_to_have_arrived_or_been_lost(lab: Lab) -> None:
    session = lab.ask("How do we deploy this?").session
    assert {status for _, status in statuses(lab, session)} == {"arrived"}
    transcript(lab, session).unlink()
    assert {status for _, status in statuses(lab, session)} == {"cannot be said"}
