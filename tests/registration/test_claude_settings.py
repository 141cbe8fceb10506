"""Our entries come into a settings file and leave it, and nothing else in it moves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration.claude_settings import enabled_plugins, is_plugin, plugin_choices
from vectr_hooks.registration.command_line import ENTRY_FILES, hook_commands
from vectr_hooks.registration.hook_entries import entries, plan, remove

COMMANDS = hook_commands("/v/bin/python", "/opt/a b'c/vectr-hooks/hooks")
MOVED = hook_commands("/elsewhere/python3.13", "/usr/ä/vectr_hooks/hooks", "/home/x/notes")
THEIR_HOOK = {"type": "command", "command": "echo theirs"}


def read(text: str) -> Any:
    return json.loads(text.removeprefix("\ufeff"))


def group(command: str) -> dict[str, object]:
    return {"hooks": [{"type": "command", "command": command, "timeout": 10}]}


def expected(document: dict[str, Any], commands: dict[str, str]) -> dict[str, Any]:
    """`document` with our groups behind the others."""
    hooks = dict(document.get("hooks") or {})
    for event, command in commands.items():
        hooks[event] = [*(hooks.get(event) or []), group(command)]
    return {**document, "hooks": hooks}


# Settings, their formatting and what an exact removal without the original cannot tell: empty containers.

SPACE = st.text(alphabet=" \t\n\r", max_size=3)
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
KEYS = st.text(max_size=5).filter(lambda key: key not in ("hooks", "enabledPlugins"))
ANY = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(st.just(THEIR_HOOK) | st.dictionaries(KEYS, SCALARS, max_size=1), max_size=2)},
    optional={"matcher": st.text(max_size=4)},
)
EVENTS = st.sampled_from([*ENTRY_FILES, "Stop", "PostToolBatch"])


def documents(full: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Settings documents; `full` ones have no empty or null container where our entries go."""
    least = 1 if full else 0
    groups: st.SearchStrategy[Any] = st.lists(GROUP, min_size=least, max_size=2)
    hooks: st.SearchStrategy[Any] = st.dictionaries(
        EVENTS, groups if full else groups | st.none(), min_size=least, max_size=3
    )
    others = st.dictionaries(KEYS, ANY, min_size=least, max_size=2)
    return st.builds(
        lambda before, hooks, after: {**before, **({} if hooks == "absent" else {"hooks": hooks}), **after},
        others,
        st.just("absent") | (hooks if full else hooks | st.none()),
        st.dictionaries(KEYS, ANY, max_size=2),
    )


@st.composite
def layouts(draw: st.DrawFn, full: bool, spaced: bool) -> tuple[Any, str]:
    """A document and a text of it: as `json` writes it, or with random white space around every token."""
    document = draw(documents(full))
    indent = draw(st.sampled_from([None, 0, 2, 4, "\t", "random"]))
    if indent == "random":
        text = written(draw, document, spaced)
    else:
        separators = draw(st.sampled_from([(",", ":"), (",", ": "), (", ", ": "), (" , ", " : ")]))
        text = json.dumps(document, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    bom, end = draw(st.sampled_from(["", "\ufeff"])), draw(st.sampled_from(["", "\n", "\n\n"]))
    return document, bom + (text + end).replace("\n", newline)


ANY_LAYOUT = layouts(full=False, spaced=True)
FULL_LAYOUT = layouts(full=True, spaced=False)
thorough = settings(deadline=None, max_examples=50)


def written(draw: st.DrawFn, value: Any, spaced: bool) -> str:
    """`value` as JSON with white space anywhere, inside empty brackets only if `spaced`."""
    around = draw(SPACE), draw(SPACE)
    if isinstance(value, (dict, list)) and value:
        pairs = value.items() if isinstance(value, dict) else [(None, item) for item in value]
        parts = [
            ("" if key is None else draw(SPACE) + json.dumps(key) + draw(SPACE) + ":")
            + written(draw, item, spaced)
            for key, item in pairs
        ]
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        return around[0] + opening + ",".join(parts) + closing + around[1]
    text = json.dumps(value)
    if spaced and text in ("{}", "[]"):
        text = text[0] + draw(SPACE) + text[1]
    return around[0] + text + around[1]


@thorough
@given(ANY_LAYOUT)
def test_installing_adds_our_groups_and_changes_no_value(case: tuple[Any, str]) -> None:
    document, text = case
    assert read(plan(text, COMMANDS)) == expected(document, COMMANDS)


@thorough
@given(ANY_LAYOUT)
def test_installing_again_changes_nothing(case: tuple[Any, str]) -> None:
    once = plan(case[1], COMMANDS)
    assert plan(once, COMMANDS) == once


@thorough
@given(ANY_LAYOUT)
def test_with_the_original_uninstalling_gives_every_document_back_byte_for_byte(
    case: tuple[Any, str],
) -> None:
    _, text = case
    assert remove(plan(text, COMMANDS), text) == text
    assert remove(plan(plan(text, COMMANDS), MOVED), text) == text


@thorough
@given(FULL_LAYOUT)
def test_without_the_original_uninstalling_gives_a_document_back_byte_for_byte(case: tuple[Any, str]) -> None:
    _, text = case
    assert remove(plan(text, COMMANDS)) == text


@thorough
@given(ANY_LAYOUT)
def test_without_the_original_uninstalling_loses_only_what_was_empty(case: tuple[Any, str]) -> None:
    document, text = case
    hooks = document.pop("hooks", None) or {}
    kept = {event: groups for event, groups in hooks.items() if groups or event not in COMMANDS}
    assert read(remove(plan(text, COMMANDS))) == {**document, **({"hooks": kept} if kept else {})}


@thorough
@given(ANY_LAYOUT)
def test_an_insertion_keeps_every_other_byte_in_order(case: tuple[Any, str]) -> None:
    """Only white space between empty brackets, and a null in the place of a container, may go."""
    _, text = case
    after = iter(plan(text, COMMANDS))
    assert all(c in after for c in text if c not in " \t\r\nnul")


@thorough
@given(ANY_LAYOUT)
def test_an_older_installation_is_replaced_in_its_place(case: tuple[Any, str]) -> None:
    document, text = case
    moved = plan(plan(text, COMMANDS), MOVED)
    assert read(moved) == expected(document, MOVED)
    assert plan(moved, COMMANDS) == plan(text, COMMANDS)


@pytest.mark.parametrize("text", [None, "", "\ufeff", " \r\n"])
def test_a_missing_or_empty_file_becomes_a_document(text: str | None) -> None:
    installed = plan(text, COMMANDS)
    assert read(installed) == expected({}, COMMANDS)
    assert installed.startswith("\ufeff") == bool(text and text.startswith("\ufeff"))
    assert read(remove(installed)) == {}
    assert remove(installed, text) == (remove(installed) if text is None else text)


def test_what_somebody_wrote_into_our_entry_stays_when_it_is_replaced() -> None:
    text = plan("{}", COMMANDS).replace('"timeout": 10', '"timeout": 20, "statusMessage": "notes"')
    assert plan(text, MOVED) == plan("{}", MOVED).replace(
        '"timeout": 10', '"timeout": 20, "statusMessage": "notes"'
    )


def test_a_second_entry_and_one_of_an_event_no_longer_used_are_removed() -> None:
    theirs = {"hooks": {"Stop": [{"hooks": [THEIR_HOOK]}]}}
    text = plan(json.dumps(theirs, indent=2), COMMANDS)
    document = read(text)
    document["hooks"]["PreToolUse"] *= 2
    document["hooks"]["PostToolBatch"] = [group(COMMANDS["PostToolUse"])]
    document["hooks"]["Stop"][0]["hooks"].append(group(COMMANDS["PreCompact"])["hooks"][0])  # type: ignore[index]
    assert plan(json.dumps(document, indent=2), COMMANDS) == text


def test_entries_that_share_a_group_with_ours_stay() -> None:
    document = expected({}, COMMANDS)
    for groups in document["hooks"].values():
        groups[0]["hooks"].insert(0, THEIR_HOOK)
    rest = {"hooks": {event: [{"hooks": [THEIR_HOOK]}] for event in COMMANDS}}
    assert remove(json.dumps(document, indent=1)) == json.dumps(rest, indent=1)


def test_what_others_added_after_ours_stays() -> None:
    document = read(plan('{"a": 1}', COMMANDS))
    document["hooks"]["PreCompact"].append({"hooks": [THEIR_HOOK]})
    document["hooks"]["Stop"] = [{"hooks": [THEIR_HOOK]}]
    document["b"] = 2
    rest = {"a": 1, "hooks": {name: [{"hooks": [THEIR_HOOK]}] for name in ("PreCompact", "Stop")}, "b": 2}
    assert remove(json.dumps(document), '{"a": 1}') == json.dumps(rest)


def test_an_entry_of_others_that_is_gone_does_not_come_back_with_the_original() -> None:
    original = json.dumps({"hooks": {"PreCompact": [{"hooks": [THEIR_HOOK]}]}})
    document = read(plan(original, COMMANDS))
    del document["hooks"]["PreCompact"][0]
    assert remove(json.dumps(document), original) == '{"hooks": {"PreCompact": []}}'


def test_of_duplicate_keys_the_one_that_counts_is_edited() -> None:
    text = '{"hooks": {"Stop": []}, "hooks": {"PreCompact": [1], "PreCompact": []}}'
    installed = plan(text, COMMANDS)
    assert read(installed) == expected({"hooks": {}}, COMMANDS)
    assert remove(installed) == text


REFUSED = {
    '{"hooks": [],}': ("line 1, column 13: a trailing comma", "Claude Code itself ignores such a file"),
    '{\n  "hooks": {} // ours\n}': ("line 2, column 15: a comment", "Claude Code itself ignores such a file"),
    "[]": ("the document is a list, not an object", "EVENT"),
    '"x"': ("the document is a string, not an object", "EVENT"),
    '{"hooks": []}': ("hooks is a list, not an object", "EVENT"),
    '{"hooks": true}': ("hooks is true, not an object", "EVENT"),
    '{"hooks": {"PreToolUse": "x"}}': ("hooks.PreToolUse is a string, not a list", "EVENT"),
    '{"hooks": {"PreToolUse": {}}}': ("hooks.PreToolUse is an object, not a list", "EVENT"),
    '{"hooks": {"PreToolUse": [1]}}': ("hooks.PreToolUse[0] is a number, not an object", "EVENT"),
    '{"hooks": {"PreToolUse": [{}]}}': ("hooks.PreToolUse[0].hooks is null, not a list", "EVENT"),
    '{"hooks": {"PreCompact": [{"hooks": [null]}]}}': ("hooks.PreCompact[0].hooks[0] is null", "EVENT"),
}


@pytest.mark.parametrize(("text", "why"), REFUSED.items())
def test_what_the_client_would_not_read_is_refused_with_its_place(text: str, why: tuple[str, str]) -> None:
    with pytest.raises(VectrHooksError) as refusal:
        plan(text, COMMANDS)
    assert refusal.value.message.startswith(why[0])
    assert why[1] in refusal.value.hint


def test_events_that_we_do_not_register_may_have_any_shape() -> None:
    document = {"hooks": {"Stop": "x", "Other": [1, {"hooks": 2}]}}
    assert read(plan(json.dumps(document), COMMANDS)) == expected(document, COMMANDS)


@pytest.mark.parametrize("hooks", ['"x"', "[1]", '{"PreToolUse": [1, {"hooks": [2, {"command": 3}]}]}'])
def test_odd_shapes_hold_no_entry_of_ours(hooks: str) -> None:
    assert list(entries(f'{{"hooks": {hooks}}}')) == []


@pytest.mark.parametrize(
    ("plugins", "enabled"),
    [
        ('{"vectr-hooks@market": true}', True),
        ('{"vectr-hooks@market": false}', False),
        ('{"vectr-hooks-other@market": true, "x": true}', False),
        ('{"vectr-hooks@a": true, "vectr-hooks@a": false}', False),
        ("null", False),
    ],
)
def test_the_plugin_counts_when_it_is_switched_on(plugins: str, enabled: bool) -> None:
    choices = plugin_choices(f'{{"enabledPlugins": {plugins}}}')
    assert any(map(is_plugin, enabled_plugins([("here", choices)]))) is enabled


@pytest.mark.parametrize(
    ("choices", "decided"),
    [
        ([], {}),
        ([{}, {"x@m": True}], {"x@m": "1"}),
        ([{"x@m": False}, {"x@m": True}], {}),
        ([{"x@m": True}, {"x@m": False}], {"x@m": "0"}),
        ([{"y@m": True}, {"x@m": True, "y@m": False}], {"y@m": "0", "x@m": "1"}),
    ],
)
def test_of_several_scopes_the_nearest_that_names_a_plugin_decides(
    choices: list[dict[str, bool]], decided: dict[str, str]
) -> None:
    assert enabled_plugins((str(n), chosen) for n, chosen in enumerate(choices)) == decided
