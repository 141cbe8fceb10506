"""States, ages and provenance: the pure parts of a note's life."""

from __future__ import annotations

import datetime
from collections import namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.builders import candidate, clause, facts, ledger
from vectr_hooks.core import pipeline
from vectr_hooks.core.ages import DAY_MS, is_older
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.core.kinds import KINDS, precedence
from vectr_hooks.core.model import UNPINNED
from vectr_hooks.core.provenance import IN_WORDS, at_most, outranks
from vectr_hooks.core.quotes import collapsed, is_in
from vectr_hooks.core.settings import DEFAULTS
from vectr_hooks.core.states import state, state_in_words

Living = namedtuple(
    "Living",
    "kind trigger state reason superseded_by at",
    defaults=("finding", None, "active", "", 0, 0),
)
TODAY = "2026-06-15"
UNTIL_MAY = parse_trigger({"keyword": "deploy", "expires": "2026-05-31"})


@given(st.dates(datetime.date(1970, 1, 1), datetime.date(2400, 12, 31)), st.integers(0, 5000))
def test_an_age_is_counted_in_days_of_the_calendar(today: datetime.date, age: int) -> None:
    written = (today - datetime.date(1970, 1, 1)).days - age
    at_ms = written * DAY_MS + 86_399_999
    assert is_older(at_ms, today.isoformat(), age - 1)
    assert not is_older(at_ms, today.isoformat(), age)


@pytest.mark.parametrize(
    ("note", "name", "words"),
    [
        (Living(), "active", ""),
        (Living(trigger=UNTIL_MAY), "expired", "expired 2026-05-31"),
        (Living(state="revoked", reason="It is not so."), "revoked", "revoked: It is not so."),
        (Living(state="superseded", superseded_by=7), "superseded", "superseded by #7"),
        # What was revoked is not made harmless by its date.
        (Living(trigger=UNTIL_MAY, state="revoked", reason="No."), "revoked", "revoked: No."),
    ],
)
def test_a_state_is_said_with_what_led_to_it(note: Living, name: str, words: str) -> None:
    assert (state(note, DEFAULTS, TODAY), state_in_words(note, DEFAULTS, TODAY)) == (name, words)


def test_nothing_expires_by_its_age_unless_it_is_configured_and_a_directive_never() -> None:
    settings = {**DEFAULTS, **{f"expire.{kind}": 30 for kind in KINDS if kind != "directive"}}
    for kind in KINDS:
        old = Living(kind=kind)
        assert state(old, DEFAULTS, TODAY) == "active"
        assert state(old, settings, TODAY) == ("active" if kind == "directive" else "expired")
    assert "expire.directive" not in DEFAULTS
    assert state_in_words(Living(), settings, TODAY) == "expired: older than 30 days"


@pytest.mark.parametrize(("age", "status"), [(30, "matched"), (31, "expired")])
def test_a_candidate_expires_by_the_age_of_its_revision(age: int, status: str) -> None:
    today = (datetime.date(2026, 6, 15) - datetime.date(1970, 1, 1)).days
    one = candidate(1, clause(event=["pre-edit"]), kind="finding", at=(today - age) * DAY_MS)
    settings = {**DEFAULTS, "expire.finding": 30}
    (decision,) = pipeline.decide([one], facts("pre-edit"), ledger(), settings)
    assert decision.status == status
    if status == "expired":
        assert decision.reason == "older than 30 days"


def test_authority_is_a_total_order() -> None:
    order = ["human", "user-stated", "team", "agent", "auto"]
    assert list(IN_WORDS) == order
    for n, one in enumerate(order):
        for m, other in enumerate(order):
            assert outranks(one, other) == (n < m)
            assert at_most(one, other) == order[max(n, m)]


@given(st.sampled_from(list(KINDS)), st.sampled_from(["high", "medium", "low"]), st.integers(1, 1000))
def test_what_is_superseded_comes_last_and_what_is_revoked_is_never_pinned(
    kind: str, priority: str, revision: int
) -> None:
    superseded = precedence(True, kind, priority, revision, "superseded")
    assert superseded > precedence(False, "reference", "low", 1)
    assert precedence(True, kind, priority, revision, "revoked") >= UNPINNED
    assert precedence(True, kind, priority, revision) < UNPINNED


@pytest.mark.parametrize(
    ("quote", "prompt", "found"),
    [
        ("always use tabs", "Please always use tabs.", True),
        ("always use tabs", "Please  always\n use\ttabs.", True),
        ("always use tabs", "Always use tabs.", False),
        ("safe to deploy", "it is unsafe to deploy", False),
        ("safe to deploy", "it is safe to deployment", False),
        ("safe to deploy", "unsafe to deploy, later safe to deploy", True),
        ("caf\u00e9 rules", "the cafe\u0301 rules", True),
        ("空闲五分钟后断开", "数据库连接在空闲五分钟后断开。", True),
    ],
)
def test_a_quote_is_in_a_prompt_letter_for_letter(quote: str, prompt: str, found: bool) -> None:
    assert is_in(collapsed(quote), collapsed(prompt)) == found
