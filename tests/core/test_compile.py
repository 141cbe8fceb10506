import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.compile import SORTS, clause_keys, clause_needles, is_residual
from vectr_hooks.core.conditions import judge, seen_by
from vectr_hooks.core.globs import match_glob, match_path
from vectr_hooks.core.keys import event_keys
from vectr_hooks.core.keywords import keyword_token
from vectr_hooks.core.model import MOMENTS, Clause, Facts


def clause(unless=(), **conditions):
    return Clause(0, tuple(conditions.items()), tuple(dict(unless).items()))


@pytest.mark.parametrize(
    ("conditions", "keys"),
    [
        ({"path": ("src/db/**", "*.py")}, ("=src/db", ".py")),
        ({"path": ("a/b.py", "a/b.py")}, ("=a/b.py",)),
        ({"command": ("git push", "git pull", "make")}, ("$git", "$make")),
        ({"command": ("*", "make")}, ("$*", "$make")),
        ({"command": ("./bin\\*",)}, ("$*",)),
        ({"keyword": ("ship it", "deploy")}, ("wship it", "wdeploy")),
        ({"symbol": ("acquire_lock",)}, ("sacquire_lock",)),
        ({"symbol": ("acquire_lock",), "path": ("src/**",)}, ("=src",)),
        ({"output": ("E0432", r"/\bE\d+\b/")}, ("oE0432", r"o/\bE\d+\b/")),
        ({"tool": ("Bash", "Read")}, ("tBash", "tRead")),
        ({"tool": ("mcp__*",)}, ("t*",)),
        ({"subagent": ("Explore",)}, ("aExplore",)),
        ({"subagent": ("*",)}, ("a*",)),
        ({"event": ("pre-edit", "post-read")}, ("@pre-edit", "@post-read")),
        ({"branch": ("main",)}, ("*",)),
        # the most telling one
        ({"event": ("pre-edit",), "path": ("src/db/**",), "keyword": ("deploy",)}, ("=src/db",)),
        ({"keyword": ("deploy",), "event": ("pre-edit",)}, ("&wdeploy",)),
        ({"keyword": ("deploy",), "branch": ("main",)}, ("wdeploy",)),
        ({"command": ("make",), "keyword": ("deploy",), "tool": ("Bash",)}, ("$make",)),
        ({"keyword": ("deploy",), "tool": ("Bash",)}, ("&wdeploy",)),
        ({"event": ("pre-run",), "tool": ("Bash",), "subagent": ("Plan",)}, ("tBash",)),
        ({"event": ("pre-run",), "subagent": ("Plan",)}, ("aPlan",)),
        ({"event": ("pre-run",), "branch": ("main",)}, ("@pre-run",)),
        # a residual one only where there is no other
        ({"path": ("**",), "keyword": ("deploy",)}, ("&wdeploy",)),
        ({"path": ("src/db/**", "**"), "tool": ("Edit",)}, ("tEdit",)),
        ({"event": ("pre-run",), "tool": ("mcp__*",)}, ("@pre-run",)),
        ({"path": ("**",), "tool": ("mcp__*",)}, ("p*",)),
        # the symbol may stand in the file alone, which the event's keys do not tell
        ({"path": ("**",), "symbol": ("acquire_lock",)}, ("p*",)),
        ({"path": ("**",), "symbol": ("acquire_lock",), "tool": ("Edit",)}, ("tEdit",)),
        ({"tool": ("mcp__*",), "branch": ("main",)}, ("t*",)),
    ],
)
def test_a_clause_is_filed_under_its_most_telling_condition(conditions, keys):
    assert clause_keys(clause(**conditions)) == keys
    unindexed = r"o/\bE\d+\b/"
    assert is_residual(clause(**conditions)) == any(
        key in ("p*", "$*", "t*", "a*", "*", unindexed) for key in keys
    )


def test_a_prompt_is_searched_for_the_keywords_of_conditions_and_of_unless():
    needles = clause_needles(
        clause(path=("src/db/**",), keyword=("ship it", "deploy"), unless={"keyword": ("deploy", "draft")})
    )
    assert needles == tuple(
        ("w" + keyword_token(word), "w" + word) for word in ("ship it", "deploy", "draft")
    )
    assert clause_needles(clause(event=("pre-run",), unless={"branch": ("main",)})) == ()


def test_an_event_lists_each_of_its_keys_once_and_always_the_same_way():
    facts = Facts(
        moments=("pre-run", "pre-edit"),
        targets=(("pre-edit", "src/a.py"), ("pre-edit", "src/b.py")),
        commands=(("sed", "-i"), ("sed",), ()),
        tool="Bash",
        needles=frozenset(("wb", "sa", "oa")),
        fresh=frozenset(("sa", "oa")),
        subagent="Plan",
    )
    keys = event_keys(facts)
    assert len(keys) == len(set(keys))
    assert [key for key in keys if key[0] not in "=/.p"] == [
        "*", "@pre-run", "@pre-edit", "$sed", "$*", "oa", "sa", "&oa", "&sa", "&wb", "tBash", "t*", "aPlan",
        "a*",
    ]  # fmt: skip
    assert {"=src/a.py", "/src", ".py", "p*"} <= set(keys)


def test_an_event_without_tool_has_the_keys_of_its_moment_only():
    assert event_keys(Facts(moments=("session-start",))) == ["*", "@session-start"]


PATHS = ["src/a.py", "src/db/m.sql", "README.md", "docs/", "src/db/x/y.test.py", "a"]
PATTERNS = [
    "src/**",
    "*.py",
    "/README.md",
    "docs/",
    "**",
    "db",
    "s*/d?/**",
    "**/x/*",
    "src/[ad]*",
    "*.test.py",
]
COMMANDS = ["git push", "make", "git -x", "*", "g* push"]
NAMES = ["Bash", "mcp__a", "mcp__b", "main", "x/y"]
GLOBS = ["Bash", "mcp__*", "*", "ma?n", "[mx]*", "B\\ash"]
KEYWORDS = ["deploy", "ship it", "部署"]

some_needles = st.frozensets(st.builds(str.__add__, st.sampled_from("wsfo"), st.sampled_from(KEYWORDS)))
facts = st.builds(
    lambda needles, fresh, **others: Facts(needles=needles | fresh, fresh=fresh, **others),
    moments=st.lists(st.sampled_from(MOMENTS), min_size=1, max_size=2, unique=True).map(tuple),
    targets=st.lists(st.tuples(st.sampled_from(MOMENTS), st.sampled_from(PATHS)), max_size=2).map(tuple),
    commands=st.lists(st.sampled_from(["git push x", "make", "ls"]).map(lambda c: tuple(c.split()))).map(
        tuple
    ),
    tool=st.sampled_from(["", *NAMES]),
    needles=some_needles,
    fresh=some_needles,
    subagent=st.sampled_from(["", *NAMES]),
    branch=st.sampled_from(["", *NAMES]),
)


def some(pool):
    return st.lists(st.sampled_from(pool), min_size=1, max_size=3, unique=True).map(tuple)


clauses = (
    st.fixed_dictionaries(
        {},
        optional={
            "event": some(MOMENTS),
            "path": some(PATTERNS),
            "command": some(COMMANDS),
            "keyword": some(KEYWORDS),
            "symbol": some(KEYWORDS),
            "output": some([*KEYWORDS, "/depl.y/"]),
            "tool": some(GLOBS),
            "subagent": some(GLOBS),
            "branch": some(GLOBS),
        },
    )
    .filter(bool)
    .map(lambda conditions: clause(**conditions))
)


def holds(name, value, facts):
    """One value of one condition, as loosely as the grammar allows."""
    if name == "event":
        return value in facts.moments
    if name == "path":
        return any(match_path(value, path) for _, path in facts.targets)
    if name == "command":
        words = value.split()
        return any(
            len(given) >= len(words) and all(map(match_glob, words, given)) for given in facts.commands
        )
    if name in SORTS:
        return SORTS[name] + value in facts.needles
    given = getattr(facts, name)
    return given != "" and match_glob(value, given)


@given(clauses, facts)
def test_a_clause_that_holds_is_found_by_a_key_of_the_event(clause, facts):
    seen = seen_by(clause, facts)
    if all(any(holds(name, value, seen) for value in values) for name, values in clause.conditions):
        assert set(clause_keys(clause)) & set(event_keys(facts))


@given(clauses, facts)
def test_whatever_the_judge_finds_to_hold_is_a_candidate(clause, facts):
    if judge(clause, facts):
        assert set(clause_keys(clause)) & set(event_keys(facts))


@given(clauses, facts)
def test_each_condition_alone_is_found_too(clause, facts):
    for condition in clause.conditions:
        alone = Clause(0, (condition,))
        if any(holds(condition[0], value, seen_by(alone, facts)) for value in condition[1]):
            assert set(clause_keys(alone)) & set(event_keys(facts))
