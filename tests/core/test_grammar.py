import datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.grammar import CONDITIONS, Trigger, parse_trigger, trigger_value
from vectr_hooks.core.model import MOMENTS
from vectr_hooks.errors import VectrHooksError


def clauses(value):
    return trigger_value(parse_trigger(value))["clauses"]


def outcome(value):
    try:
        return parse_trigger(value)
    except VectrHooksError as error:
        return error


DOCUMENT = """
trigger:
  - path: ["src/db/**", "migrations/"]
    event: [pre-edit, post-read]
  - keyword: [deploy, rollout]
    unless: {branch: "main"}
  - command: "git push"
cooldown: 10
not_before: 2026-12-01
expires: 2027-03-01
max_deliveries: 5
"""


def test_a_document_is_read_whole():
    trigger = parse_trigger(yaml.safe_load(DOCUMENT))
    assert [(c.number, c.conditions, c.unless) for c in trigger.clauses] == [
        (0, (("event", ("pre-edit", "post-read")), ("path", ("src/db/**", "migrations/"))), ()),
        (1, (("keyword", ("deploy", "rollout")),), (("branch", ("main",)),)),
        (2, (("command", ("git push",)),), ()),
    ]
    assert (trigger.cooldown, trigger.max_deliveries) == (10, 5)
    assert (trigger.not_before, trigger.expires) == ("2026-12-01", "2027-03-01")


@pytest.mark.parametrize(
    "value",
    [
        [{"keyword": "deploy"}],
        {"keyword": "deploy"},
        {"keyword": ["deploy"]},
        {"clauses": [{"keyword": "deploy"}]},
        {"clauses": {"keyword": "deploy"}},
        {"trigger": [{"keyword": "deploy"}]},
        {"trigger": {"keyword": "deploy"}},
        {"trigger": {"clauses": [{"keyword": "deploy"}]}},
        ({"keyword": ("deploy",)},),
    ],
)
def test_a_trigger_may_be_given_in_several_shapes(value):
    assert parse_trigger(value) == parse_trigger([{"keyword": "deploy"}])


@pytest.mark.parametrize(
    "value",
    [
        {"keyword": "deploy", "cooldown": 3},
        {"clauses": [{"keyword": "deploy"}], "cooldown": 3},
        {"trigger": [{"keyword": "deploy"}], "cooldown": 3},
        {"trigger": {"keyword": "deploy", "cooldown": 3}},
        {"trigger": {"clauses": [{"keyword": "deploy"}], "cooldown": 3}},
    ],
)
def test_temporal_fields_stand_beside_the_clauses_or_beside_the_conditions_of_the_only_one(value):
    assert parse_trigger(value) == Trigger(parse_trigger({"keyword": "deploy"}).clauses, cooldown=3)


def test_conditions_come_in_one_order_and_values_once():
    [clause] = clauses({"branch": "x", "tool": ["B", "A", "B"], "event": ["pre-run", "pre-edit"]})
    assert list(clause.items()) == [
        ("event", ["pre-run", "pre-edit"]),
        ("tool", ["B", "A"]),
        ("branch", ["x"]),
    ]


@pytest.mark.parametrize(
    ("name", "given", "stored"),
    [
        ("keyword", "  Deploy \n NOW ", "deploy now"),
        ("keyword", "cafe\u0301", "café"),
        ("keyword", "部署", "部署"),
        ("command", " git   push\t--force ", "git push --force"),
        ("command", "git pu*", "git pu*"),
        ("command", "sudo git -C d push", "git push"),
        ("command", "uv run pytest", "pytest"),
        ("command", "./gradlew build", "gradlew build"),
        ("command", "*", "*"),
        ("path", "./src/db.py", "src/db.py"),
        ("path", "./README.md", "/README.md"),
        ("path", "/README.md", "/README.md"),
        ("path", "/migrations/", "/migrations/"),
        ("path", "**", "**"),
        ("path", "src/[ab]*.py", "src/[ab]*.py"),
        ("path", "app/\\[id\\]/x", "app/\\[id\\]/x"),
        ("path", "...", "..."),
        ("tool", "mcp__*", "mcp__*"),
        ("branch", "release/*", "release/*"),
        ("subagent", "Explore", "Explore"),
    ],
)
def test_values_are_stored_as_they_are_compared(name, given, stored):
    assert clauses({name: given}) == [{name: [stored]}]


def test_dates_may_come_as_yaml_reads_them_and_both_may_be_the_same_day():
    day = datetime.date(2026, 12, 1)
    trigger = parse_trigger({"event": "pre-run", "not_before": day, "expires": "2026-12-01"})
    assert trigger.not_before == trigger.expires == "2026-12-01"


def edit(**more):
    return {"event": "pre-edit", **more}


REFUSED = [
    # shapes
    (None, "not None", "a clause is a mapping"),
    ("deploy", "not 'deploy'", "a clause is a mapping"),
    (True, "not True", "a clause is a mapping"),
    ([], "no clauses", "a clause is a mapping"),
    ({}, "this one has nothing", "a clause is a mapping"),
    ({"clauses": []}, "no clauses", "a clause is a mapping"),
    ({"trigger": None}, "not None", "a clause is a mapping"),
    (["deploy"], "a clause is a mapping, not 'deploy'", "path"),
    ([[{"keyword": "x"}]], "a clause is a mapping", "path"),
    ([{}], "it is empty", "conditions: event, path"),
    ({"cooldown": 3}, "a trigger needs a clause, this one has `cooldown`", "a clause is a mapping"),
    ({"trigger": [{"keyword": "x"}], "path": "y"}, "`path` cannot stand beside `trigger`", "cooldown"),
    ({"trigger": [{"keyword": "x"}], "expire": "y"}, "`expire` cannot stand", "did you mean `expires`?"),
    ({"trigger": {"keyword": "x", "cooldown": 1}, "cooldown": 1}, "`cooldown` is given twice", "once"),
    ({"trigger": {"trigger": [{"keyword": "x"}]}}, "unknown condition 'trigger'", "allowed"),
    ([{"keyword": "x", "cooldown": 1}], "`cooldown` belongs to the whole trigger", "beside the list"),
    # keys
    ({"pth": "x"}, "unknown condition 'pth'", "did you mean `path`? allowed: event, path"),
    ({"keywords": "x"}, "unknown condition 'keywords'", "did you mean `keyword`?"),
    ({True: "x"}, "unknown condition True", "allowed: event, path"),
    ({"symbol": "two words"}, "`symbol`: `two words` is not an identifier", "one name"),
    ({"symbol": "++"}, "`symbol`: `++` is not an identifier", "one name"),
    ({"output": "/(/"}, "`output`: /(/ is not a regular expression", "Python's `re`"),
    ({"output": "/a*/"}, "`output`: /a*/ is found in every text", "what must be there"),
    ({"output": "x", "event": "pre-run"}, "`output` can never hold at pre-run", "post-run"),
    ({"semantic": False}, "`semantic` is False, not a similarity", "like 0.55"),
    ({"semantic": True}, "`semantic` is True, not a similarity", "like 0.55"),
    ({"semantic": "near"}, "`semantic` is 'near', not a similarity", "like 0.55"),
    ({"semantic": 0}, "`semantic` is 0, not a similarity", "above 0"),
    ({"semantic": -0.5}, "`semantic` is -0.5, not a similarity", "above 0"),
    ({"semantic": 1.01}, "`semantic` is 1.01, not a similarity", "up to 1"),
    ({"semantic": 55}, "`semantic` is 55, not a similarity", "up to 1"),
    ({"semantic": float("nan")}, "`semantic` is nan, not a similarity", "like 0.55"),
    ({"semantic": 0.00001}, "which any prompt reaches", "like 0.55"),
    ({"semantic": None}, "`semantic` is None, not a similarity", "like 0.55"),
    ({"semantic": []}, "`semantic` takes one number, not 0", "like 0.55"),
    ({"semantic": [0.5, 0.6]}, "`semantic` takes one number, not 2", "like 0.55"),
    ({"semantic": {"least": 0.5}}, "not a similarity", "like 0.55"),
    ({"semantic": 0.5, "event": "pre-edit"}, "`semantic` can never hold at pre-edit", "prompt-submit"),
    ({"semantic": 0.5, "path": "a"}, "`path` can never hold together with `semantic`", "two clauses"),
    ({"semantic": 0.5, "tool": "a"}, "`tool` can never hold together with `semantic`", "two clauses"),
    ({"semantic": 0.5, "command": "a"}, "`command` can never hold together", "two clauses"),
    ({"semantic": 0.5, "output": "a"}, "`output` can never hold together", "two clauses"),
    ({"semantic": 0.5, "subagent": "a"}, "`subagent` can never hold together", "two clauses"),
    ([{"keyword": "x"}, {"pth": "y"}], "clause 2: unknown condition 'pth'", "did you mean `path`?"),
    # values
    ({"keyword": []}, "`keyword` is an empty list", "at least one"),
    ({"keyword": ""}, "`keyword`: an empty value", "leave the key out"),
    ({"keyword": None}, "`keyword`: an empty value", "leave the key out"),
    ({"keyword": ["x", " "]}, "`keyword`: an empty value", "leave the key out"),
    ({"keyword": {"a": 1}}, "`keyword`: {'a': 1} is not text", "a text or a list"),
    ({"keyword": [["x"]]}, "`keyword`: ['x'] is not text", "a text or a list"),
    ({"keyword": True}, "`keyword`: true is not text", "write the word in quotes"),
    ({"keyword": 1.5}, "`keyword`: 1.5 is not text", 'write it in quotes: "1.5"'),
    ({"keyword": datetime.date(2026, 1, 2)}, "2026-01-02 is not text", 'write it in quotes: "2026-01-02"'),
    ({"keyword": "a\0b"}, "control character", "plain text"),
    ({"branch": "a\ud800"}, "control character", "plain text"),
    ({"event": "pre-edti"}, "no moment is called `pre-edti`", "did you mean `pre-edit`? allowed: session"),
    ({"event": "PreToolUse"}, "no moment is called `PreToolUse`", "allowed: session-start"),
    ({"path": "!src/x"}, "starts with `!`", "`unless`"),
    ({"path": "/src/db.py"}, "is an absolute path", "relative to the workspace root"),
    ({"path": "~/src"}, "is not inside the workspace", "relative to the workspace root"),
    ({"path": "C:/src"}, "is not inside the workspace", "relative to the workspace root"),
    ({"path": "C:\\src"}, "is not inside the workspace", "relative to the workspace root"),
    ({"path": "src\\db.py"}, "holds a backslash", "write `/`"),
    ({"path": "src\\"}, "holds a backslash", "write `/`"),
    ({"path": "../x"}, "`.` or `..`", "relative to the workspace root"),
    ({"path": "src/../x"}, "`.` or `..`", "relative to the workspace root"),
    ({"path": ".."}, "`.` or `..`", "relative to the workspace root"),
    ({"path": "."}, "`.` or `..`", "relative to the workspace root"),
    ({"path": "a//b"}, "an empty", "relative to the workspace root"),
    ({"path": "/"}, "names no file", "every file is `**`"),
    ({"path": "./"}, "names no file", "every file is `**`"),
    ({"path": "src/[ab"}, "`[` without `]`", "write `\\[`"),
    ({"command": "git push && make"}, "is not one simple command", "several go into a list"),
    ({"command": "FOO=1"}, "is not one simple command", "words it starts with"),
    ({"command": "git commit -m 'a b'"}, "a quoted word", "write `*`"),
    ({"command": "grep 'a|b'"}, "a quoted word", "write `*`"),
    ({"command": "printf ''"}, "a quoted word", "write `*`"),
    ({"command": "sudo"}, "`sudo` only wraps a command", "name the command"),
    ({"command": "timeout 5"}, "`timeout 5` only wraps a command", "name the command"),
    ({"command": "uv run *"}, "`uv run *` only wraps a command", "name the command"),
    # unless
    ({"unless": {"branch": "main"}}, "it has only `unless`", "conditions: event"),
    (edit(unless={}), "`unless` holds conditions, not nothing", "{branch: main}"),
    (edit(unless=None), "`unless` holds conditions, not nothing", "{branch: main}"),
    (edit(unless="main"), "`unless` holds conditions, not 'main'", "{branch: main}"),
    (edit(unless=[{"branch": "main"}]), "`unless` holds conditions", "{branch: main}"),
    (edit(unless={"brnch": "main"}), "`unless`: unknown condition 'brnch'", "did you mean `branch`?"),
    (edit(unless={"semantic": 0.5}), "`unless`: `semantic` cannot veto", "another condition"),
    (edit(unless={"branch": []}), "`unless`: `branch` is an empty list", "at least one"),
    (edit(unless={"unless": {"branch": "x"}}), "`unless`: unknown condition 'unless'", "allowed"),
    # what can never hold
    ({"event": "prompt-submit", "command": "make"}, "`command` can never hold at prompt-submit", "pre-run"),
    ({"event": ["session-start", "post-compaction"], "path": "x"}, "`path` can never hold", "pre-edit"),
    ({"event": "subagent-start", "tool": "Bash", "subagent": "*"}, "`tool` can never hold", "pre-edit"),
    ({"event": "subagent-start"}, "for the main conversation only", 'subagent: "*"'),
    (edit(unless={"event": ["pre-edit", "pre-run"]}), "vetoes whatever", "leave out of `unless`"),
    ({"branch": "main", "unless": {"branch": "main"}}, "vetoes whatever", "leave out of `unless`"),
    # temporal fields
    (edit(cooldown=0), "`cooldown` is 0", "a whole number from 1"),
    (edit(cooldown=-1), "`cooldown` is -1", "a whole number from 1"),
    (edit(cooldown=True), "`cooldown` is True", "a whole number from 1"),
    (edit(cooldown="3"), "`cooldown` is '3'", "a whole number from 1"),
    (edit(cooldown=None), "`cooldown` is None", "a whole number from 1"),
    (edit(max_deliveries=1.0), "`max_deliveries` is 1.0", "a whole number from 1"),
    (edit(max_deliveries=10**30), "`max_deliveries` is 1000", "a whole number from 1"),
    (edit(not_before="tomorrow"), "`not_before` is 'tomorrow', not a date", "YYYY-MM-DD"),
    (edit(not_before="20261201"), "`not_before` is '20261201', not a date", "YYYY-MM-DD"),
    (edit(not_before="2026-1-2"), "not a date", "YYYY-MM-DD"),
    (edit(not_before=2026), "`not_before` is 2026, not a date", "YYYY-MM-DD"),
    (edit(not_before=None), "`not_before` is None, not a date", "YYYY-MM-DD"),
    (edit(expires="2026-02-30"), "2026-02-30 is not a day of the calendar", "YYYY-MM-DD"),
    (edit(expires=datetime.datetime(2026, 1, 2)), "not a date", "YYYY-MM-DD"),
    (edit(not_before="2027-01-02", expires="2027-01-01"), "`not_before` 2027-01-02 is after", "both days"),
]


@pytest.mark.parametrize(("value", "message", "hint"), REFUSED)
def test_what_is_malformed_is_refused_with_what_is_allowed(value, message, hint):
    with pytest.raises(VectrHooksError) as caught:
        parse_trigger(value)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert len(caught.value.message) < 200


def test_a_recursive_document_is_refused():
    with pytest.raises(VectrHooksError):
        parse_trigger(yaml.safe_load("&a {trigger: *a}"))


@pytest.mark.parametrize(
    "value",
    [
        {"event": ["prompt-submit", "pre-run"], "command": "make"},
        {"event": "subagent-start", "subagent": "*"},
        {"event": ["subagent-start", "pre-run"]},
        {"event": "post-compaction", "keyword": "deploy"},
        {"branch": ["main", "dev"], "unless": {"branch": "main"}},
        {"branch": "main", "unless": {"branch": "main", "event": "pre-run"}},
        {"path": "src/**", "unless": {"path": "src/generated/**"}},
    ],
)
def test_what_may_hold_is_accepted(value):
    assert parse_trigger(value).clauses


words = st.text(st.sampled_from("abcdeéß部*?_. "), min_size=1, max_size=8).filter(lambda text: text.strip())
values = {
    "event": st.sampled_from(MOMENTS),
    "path": st.sampled_from(["src/**", "*.py", "/README.md", "./a/b", "docs/", "a[bc]?.c"]),
    "command": st.sampled_from(["git push", "make  test", "npm run *", "X=1 ./a [b]"]),
    "symbol": st.sampled_from(["acquire_lock", "Store.open", "std::move", "größe"]),
    "output": st.sampled_from(["E0432", "no such file", r"/\berror \d+/", "/ausführen: /"]),
    **dict.fromkeys(("keyword", "tool", "subagent", "branch"), words),
}


def conditions(least):
    return st.lists(st.sampled_from(list(values)), min_size=least, max_size=4, unique=True).flatmap(
        lambda names: st.fixed_dictionaries(
            {name: values[name] | st.lists(values[name], min_size=1, max_size=3) for name in names}
        )
    )


clause = st.builds(
    lambda named, unless: named | ({"unless": unless} if unless else {}), conditions(1), conditions(0)
)
temporal = st.fixed_dictionaries(
    {},
    optional={
        "cooldown": st.integers(1, 99),
        "max_deliveries": st.integers(1, 99),
        "not_before": st.dates(max_value=datetime.date(2030, 1, 1)),
        "expires": st.dates(min_value=datetime.date(2030, 1, 1)),
    },
)


@given(st.lists(clause, min_size=1, max_size=3), temporal)
def test_what_was_read_is_given_back_and_reads_the_same(given_clauses, fields):
    trigger = outcome({"clauses": given_clauses, **fields})
    if isinstance(trigger, VectrHooksError):
        assert any(reason in trigger.message for reason in ("never hold", "vetoes", "main conversation"))
        return
    plain = trigger_value(trigger)
    assert parse_trigger(plain) == trigger
    assert parse_trigger(yaml.safe_load(yaml.safe_dump(plain, allow_unicode=True))) == trigger
    assert hash(parse_trigger(plain)) == hash(trigger)


@pytest.mark.parametrize(
    ("given", "stored"),
    [(0.55, "0.55"), ("0.55", "0.55"), ([0.55], "0.55"), (["0.550"], "0.55"), (1, "1"), (0.12345, "0.1235")],
)
def test_a_similarity_is_kept_as_one_short_text(given, stored):
    trigger = parse_trigger({"semantic": given, "keyword": "deploy"})
    assert trigger.clauses[0].conditions == (("keyword", ("deploy",)), ("semantic", (stored,)))
    assert parse_trigger(trigger_value(trigger)) == trigger


def test_triggers_that_differ_are_unequal():
    one = parse_trigger({"keyword": "a"})
    assert one != parse_trigger({"keyword": "b"})
    assert one != parse_trigger({"keyword": "a", "cooldown": 1})
    assert one != "a"


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [*CONDITIONS, "unless", "trigger", "clauses", "cooldown", "expires", "semantic", "x"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(junk)
def test_anything_is_either_read_or_refused(value):
    answer = outcome(value)
    assert answer.hint if isinstance(answer, VectrHooksError) else answer.clauses
