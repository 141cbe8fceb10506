"""What the model of a real client gets to read, from its first request to those after compactions."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .client import Client
from .lab import PACKAGE_ROOT, Lab
from .messages_api import CONTEXT_SIZE, Reply, Request, occurrences, says, together, uses

pytestmark = pytest.mark.e2e

COMPACTIONS = 20
# In tokens: the smallest window that the client accepts, and what makes it compact before its next request.
AUTOMATIC = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}
NEARLY_FULL = 95_000
EPOCHS_IN_FULL = 3

RULES = (
    "Never push to main.\nA release is cut from a tag, and only after `make check` is green.",
    "Every change of the schema is a numbered migration.",
    "Letters to customers are written in British English.",
)
DEPLOYS = "The canary takes an hour,\nand nothing else is deployed meanwhile."
DEPLOYS_TITLE = "A deploy goes to the canary first"
LOCKS = "acquire_lock() comes before any write to the metadata:\nthe watcher races with it."
MIGRATIONS = "A migration that has been released is never edited."

MUST_SURVIVE = (*RULES, DEPLOYS)
EVERYTHING = (*MUST_SURVIVE, LOCKS, MIGRATIONS)
ONCE_EACH = [1, 1, 1, 1]

# As any user may have one: it makes the client refuse to compact.
HOOK_THAT_FORBIDS = {"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
FORBIDDEN = ("--settings", json.dumps(HOOK_THAT_FORBIDS))


@pytest.fixture(scope="module")
def lab(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The project with its notes, in which every test is a session of its own."""
    with Lab(client, tmp_path_factory.mktemp("lab")) as prepared:
        prepared.vectr_hooks("install")
        for rule in RULES:
            prepared.remember(rule, "--kind", "directive")
        prepared.remember(DEPLOYS, "--title", DEPLOYS_TITLE, "--keyword", "deploy")
        prepared.remember(LOCKS, "--kind", "gotcha", "--path", "src/db/**")
        prepared.remember(MIGRATIONS, "--kind", "gotcha", "--path", "migrations/**", "--event", "pre-edit")
        prepared.write("src/db/lock.py", "timeout = 1\n")
        prepared.write("README", "Nothing is noted about this file.\n")
        yield prepared


def copies(request: Request, texts: tuple[str, ...] = MUST_SURVIVE) -> list[int]:
    return [occurrences(request, text) for text in texts]


def reads(lab: Lab, path: str, input_tokens: int = CONTEXT_SIZE) -> Reply:
    return uses("Read", input_tokens, file_path=str(lab.project / path))


def edits(lab: Lab, path: str, old: str, new: str) -> Reply:
    return uses("Edit", file_path=str(lab.project / path), old_string=old, new_string=new)


# Models differ in where the client puts what hooks say: in messages of the system's, or in reminders.
@pytest.mark.parametrize("model", ["claude-opus-4-8", "claude-sonnet-4-5"])
def test_each_note_arrives_whole_and_once_at_its_moment(lab: Lab, model: str) -> None:
    lab.write("migrations/0001.sql", "CREATE TABLE a (b);\n")
    turn = lab.ask(
        "How do we deploy this?",
        reads(lab, "src/db/lock.py"),
        reads(lab, "migrations/0001.sql"),
        edits(lab, "migrations/0001.sql", "(b)", "(c)"),
        says("Like this."),
        options=("--model", model),
    )
    at_prompt, after_read, after_other_read, after_edit = (copies(each, EVERYTHING) for each in turn.requests)
    assert at_prompt == [1, 1, 1, 1, 0, 0]
    assert after_read == [1, 1, 1, 1, 1, 0]
    assert after_other_read == [1, 1, 1, 1, 1, 0]
    assert after_edit == [1, 1, 1, 1, 1, 1]


def test_a_prompt_without_the_word_does_not_bring_its_note(lab: Lab) -> None:
    [request] = lab.ask("How do we test this?").requests
    assert copies(request, EVERYTHING) == [1, 1, 1, 0, 0, 0]


def test_tools_used_side_by_side_bring_their_note_once(lab: Lab) -> None:
    reading = reads(lab, "src/db/lock.py")
    turn = lab.ask("Look at the lock", together(reading, reading, reading))
    assert occurrences(turn.requests[-1], LOCKS) == 1


def test_every_note_follows_each_of_20_manual_compactions_once(lab: Lab) -> None:
    with lab.stream() as stream:
        stream.ask("How do we deploy this?")
        stream.ask("And then?")
        for number in range(COMPACTIONS):
            assert stream.compact().compactions == 1
            [request] = stream.ask("Go on").requests
            assert copies(request) == ONCE_EACH, f"after compaction {number}"
            # Still spoken of: what is not becomes an index line after some epochs.
            stream.ask(f"Is deploy number {number} done?")
    assert lab.deliveries(stream.session) == one_at_each_boundary(COMPACTIONS)


def test_every_note_follows_each_of_20_automatic_compactions(lab: Lab) -> None:
    with lab.stream(**AUTOMATIC) as stream:
        stream.ask("How do we deploy this?")
        for number in range(COMPACTIONS // 2):
            stream.ask(f"Is deploy number {number} done?", says("Yes.", NEARLY_FULL))
            between_turns = stream.ask("Go on")
            in_mid_turn = stream.ask(f"Has deploy {number} been checked?", reads(lab, "README", NEARLY_FULL))
            for turn in (between_turns, in_mid_turn):
                assert turn.compactions == 1
                # The client may keep what a mid-turn compaction found in the last tool's result.
                assert min(copies(turn.requests[-1])) >= 1
    assert lab.deliveries(stream.session) == one_at_each_boundary(COMPACTIONS)


def one_at_each_boundary(compactions: int) -> dict[str, list[tuple[int, str]]]:
    """`Lab.deliveries` when each note came at its moment, then after each compaction, and at nothing else."""
    after_each = [(epoch, "SessionStart") for epoch in range(1, compactions + 1)]
    return {
        **{rule: [(0, "SessionStart"), *after_each] for rule in RULES},
        DEPLOYS: [(0, "UserPromptSubmit"), *after_each],
    }


def test_an_automatic_compaction_does_not_repeat_the_note_that_the_prompt_has_just_brought(lab: Lab) -> None:
    with lab.stream(**AUTOMATIC) as stream:
        stream.ask("Where are we?")
        stream.ask("Go on", says("There.", NEARLY_FULL))
        turn = stream.ask("How do we deploy this?")
        assert turn.compactions == 1
        assert copies(turn.requests[-1]) == ONCE_EACH


def test_a_note_of_which_nobody_speaks_any_more_becomes_an_index_line(lab: Lab) -> None:
    seen = []
    with lab.stream() as stream:
        stream.ask("How do we deploy this?")
        stream.ask("And then?")
        for _ in range(EPOCHS_IN_FULL + 2):
            stream.compact()
            [request] = stream.ask("Go on").requests
            assert copies(request, RULES) == [1, 1, 1]
            seen.append((occurrences(request, DEPLOYS), occurrences(request, DEPLOYS_TITLE)))
    assert seen == [(1, 0)] * EPOCHS_IN_FULL + [(0, 1)] * 2


def test_two_compactions_in_a_row_bring_every_note_once(lab: Lab) -> None:
    with lab.stream() as stream:
        stream.ask("How do we deploy this?")
        stream.ask("And then?")
        stream.compact()
        stream.compact()  # which some versions refuse
        [request] = stream.ask("Go on").requests
        assert copies(request) == ONCE_EACH


def test_a_compaction_in_a_process_of_its_own_is_followed_by_every_note_once(lab: Lab) -> None:
    session = lab.ask("How do we deploy this?").session
    lab.resume(session, "And then?")
    assert lab.resume(session, "/compact").compactions == 1
    [request] = lab.resume(session, "Go on").requests
    assert copies(request) == ONCE_EACH


def test_a_compaction_that_a_hook_of_the_users_forbids_repeats_nothing(lab: Lab) -> None:
    with lab.stream(*FORBIDDEN) as stream:
        stream.ask("How do we deploy this?")
        stream.ask("And then?")
        assert "blocked" in stream.compact().result
        [request] = stream.ask("Is the deploy done?").requests
        assert copies(request) == ONCE_EACH


def test_a_compaction_that_fails_repeats_nothing_and_the_next_one_brings_every_note_once(lab: Lab) -> None:
    with lab.stream() as stream:
        stream.ask("How do we deploy this?")
        stream.ask("And then?")
        with lab.api.without_summaries():
            assert "empty response" in stream.compact().result
        [request] = stream.ask("Is the deploy done?").requests
        assert copies(request) == ONCE_EACH
        assert stream.compact().compactions == 1
        [request] = stream.ask("Go on").requests
        assert copies(request) == ONCE_EACH


def test_a_failed_compaction_and_one_right_after_it_bring_every_note_once(lab: Lab) -> None:
    with lab.stream() as stream:
        stream.ask("How do we deploy this?")
        stream.ask("And then?")
        with lab.api.without_summaries():
            assert stream.compact().compactions == 0
        assert stream.compact().compactions == 1
        [request] = stream.ask("Go on").requests
        assert copies(request) == ONCE_EACH


def test_an_automatic_compaction_that_fails_repeats_nothing(lab: Lab) -> None:
    with lab.stream(**AUTOMATIC) as stream, lab.api.without_summaries():
        stream.ask("How do we deploy this?")
        stream.ask("And then?", says("Then it is done.", NEARLY_FULL))
        # It is tried at the start of the turn, and again before the request that carries the file.
        turn = stream.ask("Is the deploy done?", reads(lab, "README", NEARLY_FULL), says("It is."))
        assert turn.compactions == 0
        assert [copies(request) for request in turn.requests] == [ONCE_EACH, ONCE_EACH]


def test_a_conversation_too_short_to_compact_gets_nothing_twice(lab: Lab) -> None:
    with lab.stream() as stream:
        assert "Not enough messages" in stream.compact().result
        [request] = stream.ask("How do we deploy this?").requests
        assert copies(request) == ONCE_EACH


def test_one_exchange_is_too_short_to_compact_for_an_older_client_and_nothing_is_repeated(lab: Lab) -> None:
    if lab.client.version != "2.1.197":
        pytest.skip(f"{lab.client.version} compacts a single exchange")
    with lab.stream() as stream:
        stream.ask("How do we deploy this?")
        assert "Not enough messages" in stream.compact().result
        [request] = stream.ask("Is the deploy done?").requests
        assert copies(request) == ONCE_EACH


def test_registered_twice_the_hooks_bring_every_note_once(lab: Lab) -> None:
    plugin = ("--plugin-dir", str(PACKAGE_ROOT))
    with lab.stream(*plugin) as stream:
        turn = stream.ask("How do we deploy this?", reads(lab, "src/db/lock.py"))
        assert copies(turn.requests[-1], (*MUST_SURVIVE, LOCKS)) == [1, 1, 1, 1, 1]
        stream.ask("And then?")
        stream.compact()
        [request] = stream.ask("Is the deploy done?").requests
        assert copies(request, (*MUST_SURVIVE, LOCKS)) == [1, 1, 1, 1, 1]


def test_what_the_agent_notes_in_a_session_returns_after_the_compaction(lab: Lab) -> None:
    noted = "Retries stop after five attempts."
    lab.write("noted.txt", noted)
    program = shlex.join(["env", f"PYTHONPATH={PACKAGE_ROOT}", sys.executable, "-m", "vectr_hooks"])
    with lab.stream("--allowedTools", "Bash") as stream:
        stream.ask("Note what you learned", uses("Bash", command=f"{program} remember - < noted.txt"))
        stream.ask("And then?")
        stream.compact()
        [request] = stream.ask("Go on").requests
        assert occurrences(request, noted) == 1


def test_resuming_repeats_nothing(lab: Lab) -> None:
    session = lab.ask("How do we deploy this?", reads(lab, "src/db/lock.py")).session
    [request] = lab.resume(session, "Is the deploy done?").requests
    assert copies(request) == ONCE_EACH
    # An older client itself loses what was said before a tool ran.
    assert occurrences(request, LOCKS) <= 1


def test_resuming_after_a_compaction_repeats_nothing(lab: Lab) -> None:
    with lab.stream() as stream:
        stream.ask("How do we deploy this?")
        stream.ask("And then?")
        session = stream.compact().session
    [request] = lab.resume(session, "Is the deploy done?").requests
    assert copies(request) == ONCE_EACH


def test_a_cleared_conversation_gets_every_note_anew(lab: Lab) -> None:
    with lab.stream() as stream:
        stream.ask("How do we deploy this?")
        stream.ask("/clear")
        [request] = stream.ask("How do we deploy that?").requests
        assert copies(request) == ONCE_EACH


def test_forking_repeats_nothing(lab: Lab) -> None:
    if lab.client.version == "2.1.197":
        pytest.skip("2.1.197 does not tell its hooks of a fork, nor which session the new one continues")
    session = lab.ask("How do we deploy this?", reads(lab, "src/db/lock.py")).session
    forked = lab.resume(session, "Is the deploy done?", reads(lab, "src/db/lock.py"), fork=True)
    assert forked.session != session
    for request in forked.requests:
        assert copies(request, (*MUST_SURVIVE, LOCKS)) == [1, 1, 1, 1, 1]


def test_after_uninstall_nothing_of_ours_is_in_a_request_and_the_settings_are_as_they_were(
    client: Client, tmp_path: Path
) -> None:
    with Lab(client, tmp_path / "lab") as lab:
        before = lab.settings.read_bytes()
        lab.vectr_hooks("install")
        lab.remember(RULES[0], "--kind", "directive")
        lab.remember(LOCKS, "--path", "src/db/**")
        lab.write("src/db/lock.py", "timeout = 1\n")
        lab.vectr_hooks("uninstall")
        assert lab.settings.read_bytes() == before
        turn = lab.ask("How do we deploy this?", reads(lab, "src/db/lock.py"))
        ours = (RULES[0], LOCKS, "hook additional context")
        assert [copies(request, ours) for request in turn.requests] == [[0, 0, 0]] * 2
        assert lab.deliveries(turn.session) == {}
