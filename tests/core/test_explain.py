from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.builders import candidate, clause, facts, ledger
from vectr_hooks.core.compile import RESIDUAL, clause_keys
from vectr_hooks.core.conditions import CHECKS, judge
from vectr_hooks.core.explain import (
    Reading,
    as_recorded,
    can_nearly_hold,
    key_in_words,
    near_miss,
    read_clause,
    rule,
)
from vectr_hooks.core.ledger import Delivery
from vectr_hooks.core.model import FULL, INDEX, INDEX_BY_BUDGET, Clause, Facts
from vectr_hooks.core.pipeline import decide
from vectr_hooks.core.settings import DEFAULTS

PUSH = facts(
    "pre-run",
    commands=(("cd", "x"), ("git", "push")),
    tool="Bash",
    branch="main",
    needles=frozenset(["wb", "wa", "sa"]),
    fresh=frozenset(["wb", "wa", "sa"]),
)
EDIT = Facts(
    ("pre-read", "pre-edit"), (("pre-read", "a.py"), ("pre-edit", "b.py")), tool="Bash", branch="main"
)


def read(condition: str, values: str | list[str], event: Facts) -> Reading:
    found = read_clause(clause(**{condition: values}), event).conditions
    return next(reading for reading in found if reading.condition == condition)


@pytest.mark.parametrize(
    ("condition", "values", "event", "seen", "holds"),
    [
        ("event", ["pre-run", "post-run"], PUSH, ("pre-run",), True),
        ("event", "post-run", PUSH, ("pre-run",), False),
        ("path", "*.py", EDIT, ("a.py", "b.py"), True),
        ("path", "*.c", EDIT, ("a.py", "b.py"), False),
        ("path", "*.py", PUSH, (), False),
        ("keyword", "a", PUSH, ("a", "b"), True),
        ("keyword", "c", PUSH, ("a", "b"), False),
        ("symbol", "a", PUSH, ("a",), True),
        ("output", "a", PUSH, (), False),
        ("command", "git push", PUSH, ("cd x", "git push"), True),
        ("command", "git pull", PUSH, ("cd x", "git push"), False),
        ("tool", "B*", PUSH, ("Bash",), True),
        ("branch", "dev", PUSH, ("main",), False),
        ("subagent", "Explore", facts("pre-read", subagent="Explore"), ("Explore",), True),
        ("subagent", "Explore", PUSH, (), False),
    ],
)
def test_a_condition_is_shown_with_what_the_event_had(
    condition: str, values: str | list[str], event: Facts, seen: tuple[str, ...], holds: bool
) -> None:
    reading = read(condition, values, event)
    assert (reading.seen, reading.holds) == (seen, holds)
    assert reading.expected == ((values,) if isinstance(values, str) else tuple(values))


def test_the_value_that_holds_is_named() -> None:
    assert read("path", ["docs/", "b.*", "a.*"], EDIT).matched == "b.*"
    assert read("path", ["docs/"], EDIT).matched == ""


def test_only_files_at_the_moments_a_clause_names_count() -> None:
    _, event, path = read_clause(clause(event="pre-edit", path="a.py"), EDIT).conditions
    assert (event.holds, path.seen, path.holds) == (True, ("b.py",), False)


def test_of_a_right_file_at_a_wrong_moment_both_are_said() -> None:
    reading = read_clause(clause(event="post-read", path="a.py"), EDIT)
    assert [condition.holds for condition in reading.conditions] == [True, False, True]
    assert reading.holds is False


def test_what_a_clause_means_without_saying_it_is_shown_as_implied() -> None:
    event, subagent, keyword = read_clause(
        clause(keyword="a"),
        facts("pre-run", subagent="Plan", needles=frozenset(["wa"]), fresh=frozenset(["wa"])),
    ).conditions
    assert (event.implied, event.expected, event.holds) == (True, ("prompt-submit",), False)
    assert (subagent.implied, subagent.expected, subagent.seen, subagent.holds) == (
        True,
        (),
        ("Plan",),
        False,
    )
    assert (keyword.implied, keyword.holds) == (False, True)


@pytest.mark.parametrize(
    ("unless", "vetoed"),
    [
        ({}, False),
        ({"branch": ["main"]}, True),
        ({"branch": ["main"], "tool": ["Edit"]}, False),
        ({"event": ["pre-run"], "tool": ["Bash"]}, True),
    ],
)
def test_unless_vetoes_when_all_of_it_holds(unless: dict[str, list[str]], vetoed: bool) -> None:
    reading = read_clause(clause(command="git push", unless=unless), PUSH)
    assert (reading.vetoed, reading.holds) == (vetoed, not vetoed)
    assert [one.condition for one in reading.unless] == list(unless)


def test_a_condition_that_could_see_more_than_is_known_is_unknown_unless_it_holds() -> None:
    pull = read_clause(clause(command="git pull"), PUSH, ["command"])
    assert (pull.conditions[-1].holds, pull.holds) == (None, None)
    assert read_clause(clause(command="git push"), PUSH, ["command"]).holds is True
    assert read_clause(clause(command="git pull", branch="dev"), PUSH, ["command"]).holds is False
    vetoed = read_clause(clause(branch="main", unless={"command": ["git pull"]}), PUSH, ["command"])
    assert (vetoed.vetoed, vetoed.holds) == (None, None)


def test_what_a_hook_recorded_of_a_clause_decides() -> None:
    unknown = read_clause(clause(command="git pull"), PUSH, ["command"])
    held = as_recorded(unknown, True)
    assert (held.holds, held.conditions[-1].holds, held.conditions[-1].matched) == (True, True, "")
    failed = as_recorded(unknown, False)
    assert (failed.holds, failed.conditions[-1].holds) == (False, None)


names = st.sampled_from(["pre-edit", "post-read", "prompt-submit", "pre-run", "session-start"])
paths = st.sampled_from(["src/a.py", "src/db/b.py", "docs/", "README"])
words = st.sampled_from(["deploy", "rollout"])
commands = st.sampled_from([("git", "push"), ("git", "push", "-f"), ("make",)])
VALUES = {
    "event": names,
    "path": st.sampled_from(["src/**", "*.py", "/docs/", "README"]),
    "command": st.sampled_from(["git push", "git p*", "make test", "make"]),
    "keyword": words,
    "symbol": words,
    "output": words,
    "tool": st.sampled_from(["Edit", "Ba*"]),
    "subagent": st.sampled_from(["*", "Plan"]),
    "branch": st.sampled_from(["main", "feature/*"]),
}
conditions = st.fixed_dictionaries(
    {}, optional={name: st.lists(some, min_size=1, max_size=2, unique=True) for name, some in VALUES.items()}
)
clauses = st.builds(lambda asked, unless: clause(unless=unless, **asked), conditions.filter(bool), conditions)
needles = st.frozensets(st.builds(str.__add__, st.sampled_from("wso"), words))
events = st.builds(
    lambda *given, fresh: Facts(*given, fresh=fresh & given[4]),
    st.lists(names, max_size=3, unique=True).map(tuple),
    st.lists(st.tuples(names, paths), max_size=3).map(tuple),
    st.lists(commands, max_size=2).map(tuple),
    st.sampled_from(["", "Edit", "Bash"]),
    needles,
    st.sampled_from(["", "", "Plan"]),
    st.sampled_from(["", "main", "feature/x"]),
    st.just("2026-06-15"),
    fresh=needles,
)
deliveries = st.lists(
    st.builds(
        Delivery,
        st.integers(-1, 1),
        st.sampled_from([FULL, INDEX, INDEX_BY_BUDGET]),
        st.sampled_from(["t0", "t1"]),
        st.integers(0, 1),
    ),
    max_size=3,
)


@given(clauses, events, deliveries)
def test_a_clause_is_shown_to_hold_exactly_when_the_pipeline_lets_it(
    asked: Clause, event: Facts, past: list[Delivery]
) -> None:
    reading = read_clause(asked, event)
    (decision,) = decide([candidate(1, asked)], event, ledger(*((1, one) for one in past)), DEFAULTS)
    shown = all(condition.holds for condition in reading.conditions) and not reading.vetoed
    assert shown == (decision.status in ("matched", "suppressed"))
    assert reading.holds is shown
    if not shown and decision.reason != "unless":
        assert decision.reason in [one.condition for one in reading.conditions if not one.holds]


@given(clauses, events, st.lists(commands, min_size=1, max_size=2))
def test_with_a_part_of_the_command_line_nothing_is_claimed_that_the_whole_refutes(
    asked: Clause, event: Facts, more: list[tuple[str, ...]]
) -> None:
    shown = read_clause(asked, event, ["command"]).holds
    event.commands += tuple(more)
    assert shown in (None, bool(judge(asked, event)))


@pytest.mark.parametrize("condition", CHECKS)
def test_every_condition_shows_what_it_compares_with(condition: str) -> None:
    needles = frozenset(["wa", "sa", "oa"])
    everything = facts(
        "pre-edit",
        path="a",
        commands=(("a",),),
        tool="a",
        needles=needles,
        fresh=needles,
        subagent="a",
        branch="a",
    )
    assert read(condition, "a", everything).seen == ("a",)


@pytest.mark.parametrize(
    ("status", "reason", "name"),
    [
        ("unmatched", "event, path", "unmatched"),
        ("out of scope", "not before 2030-01-01", "dates"),
        ("out of scope", "branch", "scope"),
        ("expired", "expired 2020-01-01", "dates"),
        ("held back", "budget", "budget"),
        ("held back", "recall: enough others had more in common", "recall"),
        ("suppressed", "turn: already delivered in this turn", "turn"),
        ("suppressed", "ledger: already delivered in this epoch", "ledger"),
        ("suppressed", "ledger: already delivered in this epoch (cooldown 3)", "cooldown"),
        ("suppressed", "ledger: max_deliveries 1 reached", "max_deliveries"),
        ("suppressed", "ledger: index line already in this epoch", "ledger"),
        ("off", "", "off"),
    ],
)
def test_the_rule_behind_an_outcome(status: str, reason: str, name: str) -> None:
    assert rule(status, reason) == name


@given(clauses)
def test_every_key_has_words(asked: Clause) -> None:
    for key in clause_keys(asked):
        assert key_in_words(key) != key
        assert (key in RESIDUAL) == key_in_words(key).startswith("any ")


@pytest.mark.parametrize(
    ("asked", "missed"),
    [
        pytest.param(clause(path="*.py", tool="Edit"), "tool", id="one of two"),
        pytest.param(clause(path="*.c", tool="Edit"), None, id="two of two"),
        pytest.param(clause(path="*.py", tool="Bash"), None, id="none: it holds"),
        pytest.param(clause(path="*.py", event="pre-run"), "event", id="the moment"),
        pytest.param(clause(keyword="deploy", event="pre-edit"), None, id="all but a word at a moment"),
        pytest.param(clause(path="*.py", unless={"tool": ["Bash"]}), "tool", id="a veto"),
        pytest.param(clause(path="*.c", unless={"tool": ["Bash"]}), None, id="a veto beside a failure"),
    ],
)
def test_a_near_miss_is_the_one_condition_that_was_wanting(asked: Clause, missed: str | None) -> None:
    reading = near_miss(read_clause(asked, EDIT))
    assert (reading and reading.condition) == missed
    assert can_nearly_hold(asked)


def test_what_is_not_known_is_no_near_miss() -> None:
    asked = clause(path="*.py", command="git pull")
    assert near_miss(read_clause(asked, EDIT, ["command"])) is None
    assert not can_nearly_hold(clause(path="*.py"))
