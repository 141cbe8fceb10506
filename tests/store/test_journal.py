import pytest

from vectr_hooks.core.conversation import Conversation
from vectr_hooks.core.model import Facts
from vectr_hooks.core.occurrence import TOOL_BEFORE, Occurrence
from vectr_hooks.store import audit
from vectr_hooks.store.activity import DAY_MS
from vectr_hooks.store.journal import (
    Choice,
    counts,
    last_delivered,
    partly_recorded,
    read_event,
    recent_errors,
    recent_events,
    recorded_facts,
)
from vectr_hooks.store.notes import NoteDraft, add_note, forget

NOW = 20_000 * DAY_MS + 5_000


def record_event(con, *outcomes, at=NOW, session="s", name="PostToolUse"):
    """Record an event with `outcomes` of (note, status) and give its id."""
    columns = {
        "at": at, "host": "claude", "session": session, "agent": "", "epoch": 1, "turn": "t", "name": name,
        "note_revision": 1, "setting_revision": 0, "facts": '{"tool": "Read"}', "remark": "",
        "printed_checksum": 7, "printed_bytes": 80, "cost": 20, "more": 0, "took_us": 900,
        "turn_number": 1, "turn_spent": 0, "boundary_spent": 0, "epoch_spent": 0, "told_held_back": 0,
    }  # fmt: skip
    event = con.execute(
        f"INSERT INTO event({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
        [*columns.values()],
    ).lastrowid
    con.executemany(
        "INSERT INTO outcome VALUES (?, ?, ?, 1, ?, 'why', 'full', '0,2', 'trigger', 9)",
        [(event, position, note, status) for position, (note, status) in enumerate(outcomes)],
    )
    return event


@pytest.fixture
def notes(con):
    """Two findings and a gotcha."""
    drafts = [("finding", "one"), ("finding", "two"), ("gotcha", "three")]
    return [
        add_note(
            con,
            NoteDraft(
                title=title, body="b", kind=kind, priority="medium", provenance="human", anchors=("src/*",)
            ),
            lambda id, draft: ("text", "line"),
            1,
        ).id
        for kind, title in drafts
    ]


def test_events_come_newest_first_with_their_outcomes_in_order(con, notes):
    first = record_event(con, (notes[1], "delivered"), (notes[0], "suppressed"))
    second = record_event(con, name="PreToolUse")
    events = recent_events(con, 10)
    assert [event.id for event in events] == [second, first]
    assert events[1].facts == {"tool": "Read"}
    assert [(outcome.title, outcome.status, outcome.clauses) for outcome in events[1].outcomes] == [
        ("two", "delivered", (0, 2)),
        ("one", "suppressed", (0, 2)),
    ]


def test_events_can_be_narrowed_to_a_session_a_note_and_a_number(con, notes):
    a = record_event(con, (notes[0], "delivered"), session="a")
    b = record_event(con, (notes[1], "delivered"), session="b")
    c = record_event(con, (notes[0], "unmatched"), session="b")
    assert [event.id for event in recent_events(con, 10, Choice(session="b"))] == [c, b]
    assert [event.id for event in recent_events(con, 10, Choice(note=notes[0]))] == [c, a]
    assert [event.id for event in recent_events(con, 10, Choice(session="b", note=notes[0]))] == [c]
    assert [event.id for event in recent_events(con, 1)] == [c]


def test_an_outcome_of_a_forgotten_note_keeps_its_numbers_and_has_no_title(con, notes):
    record_event(con, (notes[0], "delivered"))
    forget(con, [notes[0]])
    outcome = recent_events(con, 1)[0].outcomes[0]
    assert (outcome.note, outcome.title, outcome.cost) == (notes[0], None, 9)


def test_a_note_was_last_delivered_at_its_newest_delivery(con, notes):
    record_event(con, (notes[0], "delivered"), at=10)
    record_event(con, (notes[0], "delivered"), (notes[1], "held back"), at=20)
    record_event(con, (notes[0], "suppressed"), at=30)
    assert last_delivered(con) == {notes[0]: 20}


def test_errors_come_newest_first(con):
    con.executemany(
        "INSERT INTO error(at, event, message) VALUES (?, 'Stop', ?)", [(1, "a"), (2, "b"), (3, "c")]
    )
    assert [(error.at, error.message) for error in recent_errors(con, 2)] == [(3, "c"), (2, "b")]


def test_counts_say_how_much_there_is(con, notes):
    con.execute("INSERT INTO error(at, event, message) VALUES (1, 'Stop', 'm')")
    found = counts(con)
    assert dict(found.notes) == {"gotcha": 1, "finding": 2}
    assert found.errors == 1
    assert found.bytes > 4096


def test_counts_of_an_empty_store_are_nought(con):
    found = counts(con)
    assert (dict(found.notes), found.errors) == ({}, 0)


def recorded(con, facts, command=""):
    """An event with `facts`, recorded as a hook does."""
    event = Occurrence(TOOL_BEFORE, "PreToolUse", command=command)
    conversation = Conversation("s", "")
    audit.record_event(con, 1, event, conversation, facts, audit.Spent(conversation), audit.Printed())
    return read_event(con, 1)


def test_the_facts_of_an_event_are_read_back(con):
    facts = Facts(
        moments=("pre-run", "pre-read"),
        targets=(("pre-run", "a b/"), ("pre-read", "\u00e9.py")),
        commands=(("cd", "x"), ("git", "push")),
        tool="Bash",
        needles=frozenset(["wdeploy", "w\u65e5\u672c", "sx"]),
        subagent="Explore",
        branch="main",
        today="2026-06-15",
        session="s",
        worktree="/project",
        fresh=frozenset(["sx"]),
        slow=frozenset(["o/x+/"]),
        recalled=(3, 1),
    )
    event = recorded(con, facts, "cd x && sudo git push")
    read = recorded_facts(event)
    assert all(getattr(read, name) == getattr(facts, name) for name in Facts.__slots__)
    assert partly_recorded(event) == frozenset()


def test_of_a_command_line_that_was_cut_only_whole_words_are_read_back(con):
    event = recorded(con, Facts(), "git push " + "x" * 300)
    assert recorded_facts(event).commands == (("git", "push"),)
    assert recorded_facts(event, (("all",),)).commands == (("all",),)
    assert partly_recorded(event) == {"command"}


def test_a_command_line_without_its_secret_is_known_in_part(con):
    event = recorded(con, Facts(), "deploy AKIA" + "QWERTYUIOPASDFGH")
    assert "redacted" in event.facts["command"]
    assert partly_recorded(event) == {"command"}
