from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.core.builders import clause, facts
from vectr_hooks.core.explain import can_nearly_hold, near_miss, read_clause
from vectr_hooks.core.model import Clause, Facts
from vectr_hooks.core.nearness import Nearness

VALUES = {
    "event": ["pre-edit", "post-read", "prompt-submit"],
    "path": ["src/**", "*.py", "a.py"],
    "command": ["git push", "make"],
    "keyword": ["x", "y"],
    "symbol": ["x", "y"],
    "output": ["x", "y"],
    "tool": ["Bash", "E*"],
    "subagent": ["Explore"],
    "branch": ["main", "dev"],
}
conditions = st.fixed_dictionaries(
    {}, optional={name: st.lists(st.sampled_from(of), min_size=1, max_size=2) for name, of in VALUES.items()}
)
clauses = st.builds(
    lambda holds, vetoes: clause(unless=vetoes, **holds),
    conditions.filter(bool),
    st.just({}) | conditions,
).filter(can_nearly_hold)
paths = st.sampled_from(["", "src/a.py", "a.py", "docs/b.md"])
events = st.builds(
    lambda moments, path, needles, **more: facts(*moments, path=path, needles=needles, fresh=needles, **more),
    st.lists(st.sampled_from(VALUES["event"]), unique=True, max_size=2),
    paths,
    st.frozensets(st.sampled_from(["wx", "sx", "fx", "oy", "wz"])),
    commands=st.sampled_from([(), (("git", "push"),), (("ls",),)]),
    tool=st.sampled_from(["", "Bash", "Edit"]),
    subagent=st.sampled_from(["", "Explore", "other"]),
    branch=st.sampled_from(["", "main"]),
)


def missed(clauses: list[Clause], event: Facts) -> list[int]:
    return [n for n, clause in enumerate(clauses) if near_miss(read_clause(clause, event)) is not None]


@given(st.lists(clauses, max_size=6), events)
def test_no_clause_that_an_event_comes_near_to_is_left_out(clauses: list[Clause], event: Facts) -> None:
    near = list(Nearness(clauses).at(event))
    assert near == sorted(set(near))
    assert set(missed(clauses, event)) <= set(near)
    assert set(near) <= set(range(len(clauses)))


def test_a_clause_is_passed_over_when_two_conditions_fail_or_nothing_telling_is_left() -> None:
    several = [
        clause(path="src/**", keyword="x"),
        clause(path="*.md", event="post-read"),
        clause(path="*.md", keyword="x", event="pre-edit"),
        clause(path="src/**", event="pre-edit"),
        clause(path="docs/**", tool="Edit"),
        clause(output="x", tool="Edit"),
    ]
    event = facts("pre-edit", path="src/a.py", tool="Edit")
    assert list(Nearness(several).at(event)) == [0, 3]
    assert missed(several, event) == [0]
