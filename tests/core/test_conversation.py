from __future__ import annotations

import pytest

from vectr_hooks.core.conversation import Conversation, advance, remember_event, repeats
from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED, PROMPT, SESSION_BEGINS, TOOL_AFTER, Occurrence


def start(source: str = "startup", prompt_id: str = "") -> Occurrence:
    return Occurrence(SESSION_BEGINS, "SessionStart", source, prompt_id=prompt_id)


def prompt(prompt_id: str = "", text: str | None = "hello") -> Occurrence:
    return Occurrence(PROMPT, "UserPromptSubmit", prompt=text, prompt_id=prompt_id)


def announce(source: str = "manual", prompt_id: str = "") -> Occurrence:
    return Occurrence(COMPACTION_ANNOUNCED, "PreCompact", source, prompt_id=prompt_id)


def edited(prompt_id: str = "", agent: str = "") -> Occurrence:
    return Occurrence(TOOL_AFTER, "PostToolUse", mode="edit", prompt_id=prompt_id, agent=agent)


class Course:
    """A conversation that events are played to."""

    def __init__(self, compacted: bool = True) -> None:
        self.conversation = Conversation("s", "")
        self.compacted = compacted
        self.events = 0

    def play(self, *events: Occurrence) -> tuple[str, ...]:
        moments: tuple[str, ...] = ()
        for event in events:
            self.events += 1
            moments = advance(self.conversation, event, 100, lambda: self.compacted)
            remember_event(self.conversation, event, self.events, 0)
        return moments


def test_a_session_is_started_once() -> None:
    course = Course()
    assert course.play(start()) == ("session-start",)
    assert course.play(prompt("p1")) == ("prompt-submit",)


def test_a_session_first_seen_at_a_prompt_is_started_there() -> None:
    course = Course()
    assert course.play(edited("p1")) == ("post-edit",)
    assert course.play(prompt("p2")) == ("session-start", "prompt-submit")
    assert course.play(prompt("p3")) == ("prompt-submit",)


def test_what_the_client_submits_itself_is_no_moment_and_pays_no_compaction() -> None:
    course = Course()
    course.play(start(), prompt("p1"), announce())
    assert course.play(prompt("p2", text=None)) == ()
    assert course.play(prompt("p3")) == ("post-compaction", "prompt-submit")


def test_a_compaction_opens_an_epoch_also_when_it_was_not_announced() -> None:
    course = Course()
    course.play(start(), prompt("p1"))
    assert course.play(start("compact", "p1")) == ("post-compaction",)
    assert course.conversation.epoch == 1


def test_an_announced_compaction_that_never_reports_is_paid_at_the_next_event_once() -> None:
    course = Course()
    course.play(start(), prompt("p1"), announce())
    assert course.play(edited("p1")) == ("post-compaction", "post-edit")
    assert course.play(edited("p1")) == ("post-edit",)
    assert course.conversation.epoch == 1


def test_a_refused_compaction_changes_nothing() -> None:
    course = Course(compacted=False)
    course.play(start(), prompt("p1"), announce())
    assert course.play(prompt("p2")) == ("prompt-submit",)
    assert course.conversation.epoch == 0
    assert not course.conversation.armed


def test_a_compaction_is_not_armed_before_the_first_prompt_of_an_epoch() -> None:
    course = Course()
    course.play(start(), prompt("p1"), announce(), start("compact"), announce())
    assert not course.conversation.armed


def test_a_compaction_at_the_start_of_a_turn_keeps_its_prompt() -> None:
    course = Course()
    course.play(start(), prompt("p1"), announce("auto", "p1"))
    assert course.conversation.kept_event == 2


@pytest.mark.parametrize("before", [[announce("manual", "p1")], [edited("p1"), announce("auto", "p1")]])
def test_any_other_compaction_keeps_nothing(before: list[Occurrence]) -> None:
    course = Course()
    course.play(start(), prompt("p1"), *before)
    assert course.conversation.kept_event == 0


@pytest.mark.parametrize(
    ("events", "turns"),
    [
        pytest.param([prompt("p1"), prompt("p2")], 2, id="by the host's prompt id"),
        pytest.param([prompt("p1"), edited("p1"), prompt("p1")], 1, id="a prompt typed while a tool runs"),
        pytest.param([prompt(), edited(), prompt()], 2, id="counted where there is no id"),
        pytest.param([prompt("p1"), prompt("p2", text=None)], 1, id="only typed prompts count"),
    ],
)
def test_turns_are_counted(events: list[Occurrence], turns: int) -> None:
    course = Course()
    course.play(start(), *events)
    assert course.conversation.turn_number == turns


def test_a_new_turn_has_its_budget_whole() -> None:
    course = Course()
    course.play(start(), prompt("p1"))
    course.conversation.turn_spent = 700
    course.play(edited("p1"))
    assert course.conversation.turn_spent == 700
    course.play(prompt("p2"))
    assert course.conversation.turn_spent == 0


def test_a_session_that_resumes_is_still_in_the_turn_it_was_left_in() -> None:
    course = Course()
    course.play(start(), prompt("p1"))
    course.conversation.turn_spent = 700
    course.play(start("resume"), edited("p1"))
    assert course.conversation.turn_spent == 700


def test_a_new_epoch_has_its_budget_whole_in_the_same_turn() -> None:
    course = Course()
    course.play(start(), prompt("p1"))
    course.conversation.turn_spent = course.conversation.epoch_spent = 700
    course.play(start("compact", "p1"))
    assert (course.conversation.turn_spent, course.conversation.epoch_spent) == (0, 0)


@pytest.mark.parametrize(
    ("before", "event", "expected"),
    [
        ([], start(), False),
        ([start()], start(), True),
        ([start(), prompt("p1"), start("compact", "p2")], start("compact", "p2"), True),
        ([start(), prompt("p1"), start("compact", "p2")], start("compact"), True),
        ([start(), prompt("p1"), start("compact", "p2")], start("compact", "p3"), False),
        (
            [start(), prompt("p1"), start("compact", "p2"), announce("manual", "p3")],
            start("compact", "p3"),
            False,
        ),
        ([start("resume")], start("resume"), False),
        ([start(), prompt("p1"), announce("auto", "p1")], announce("auto", "p1"), True),
        ([start(), prompt("p1"), announce("auto", "p1"), edited("p1")], announce("auto", "p1"), False),
    ],
)
def test_a_boundary_reported_twice_in_a_row_is_one(
    before: list[Occurrence], event: Occurrence, expected: bool
) -> None:
    course = Course()
    course.play(*before)
    assert repeats(course.conversation, event) is expected
