import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.globs import match_path
from vectr_hooks.core.kinds import KINDS, PRIORITIES, anchor_pattern, default_clauses, is_path, precedence
from vectr_hooks.core.settings import DEFAULTS

placements = st.tuples(
    st.booleans(), st.sampled_from(list(KINDS)), st.sampled_from(PRIORITIES), st.integers(1, 2**40)
)


def conditions(kind, priority="medium", anchors=()):
    return [clause.conditions for clause in default_clauses(kind, priority, anchors)]


def test_kinds_are_ranked_and_capped():
    assert list(KINDS) == ["directive", "task", "gotcha", "operational", "finding", "decision", "reference"]
    assert [policy.rank for policy in KINDS.values()] == list(range(7))
    assert KINDS["directive"].cap_tokens == 400
    assert KINDS["decision"].cap_tokens is None
    assert {f"cap.{kind}" for kind in KINDS} == {key for key in DEFAULTS if key.startswith("cap.")}


@given(placements, placements)
def test_precedence_is_the_lexicographic_order_of_pinned_kind_priority_and_newest_revision(one, other):
    def rank(placement):
        pinned, kind, priority, revision = placement
        return (not pinned, KINDS[kind].rank, PRIORITIES.index(priority), -revision)

    assert (precedence(*one) < precedence(*other)) == (rank(one) < rank(other))
    assert 0 <= precedence(*one) < 2**63


def test_a_directive_arrives_at_boundaries():
    assert conditions("directive") == [(("event", ("session-start", "post-compaction")),)]


@pytest.mark.parametrize(("priority", "arrives"), [("high", True), ("medium", False), ("low", False)])
def test_a_task_arrives_at_boundaries_only_with_high_priority(priority, arrives):
    assert conditions("task", priority) == (conditions("directive") if arrives else [])


@pytest.mark.parametrize("kind", ["operational", "finding", "decision", "reference"])
def test_the_other_kinds_wait_to_be_recalled(kind):
    assert conditions(kind, "high", ["src/db.py"]) == []


@pytest.mark.parametrize(
    ("anchors", "patterns"),
    [
        (["src/db.py"], ("src/db.py",)),
        (["src/db/"], ("src/db/",)),
        (["README.md"], ("/README.md",)),
        (["migrations/"], ("/migrations/",)),
        (["./Makefile.am", "./src/db.py"], ("/Makefile.am", "src/db.py")),
        (["app/[id]/page.tsx"], ("app/\\[id\\]/page.tsx",)),
        (["src/*.py"], ("src/*.py",)),
        (["!odd.txt", "#a/b.c"], ("/!odd.txt", "/#a/b.c")),
        (["a/b.py", "acquire_lock", "a/b.py"], ("a/b.py",)),
    ],
)
def test_a_gotcha_arrives_before_an_edit_or_after_a_read_of_its_anchor_paths(anchors, patterns):
    assert conditions("gotcha", anchors=anchors) == [
        (("event", ("pre-edit", "post-read")), ("path", patterns))
    ]


@pytest.mark.parametrize("anchors", [[], ["acquire_lock"], ["connect(db.path)"], ["see src/db.py for it"]])
def test_a_gotcha_without_an_anchor_path_waits_to_be_recalled(anchors):
    assert conditions("gotcha", anchors=anchors) == []


@pytest.mark.parametrize(
    ("anchor", "path"),
    [
        ("src/db", True),
        ("db.py", True),
        ("Store.open", True),
        ("Makefile", False),
        ("open()", False),
        ("f(a.b)", False),
        ("a b.py", False),
    ],
)
def test_an_anchor_is_a_path_when_it_looks_like_one(anchor, path):
    assert is_path(anchor) is path


@pytest.mark.parametrize(
    "path", ["src/db.py", "README.md", "db/", "app/[id]/page.tsx", "[id].tsx", "!a.b", "#a/b", "a/b\\c.d"]
)
def test_the_pattern_of_an_anchor_covers_it_and_no_namesake_elsewhere(path):
    pattern = anchor_pattern(path)
    assert match_path(pattern, path)
    assert not match_path(pattern, "elsewhere/" + path)
    assert not match_path(pattern, path.replace("[id]", "i") if "[id]" in path else "x" + path)
