"""Notes as text: read, written, and the same after both."""

from __future__ import annotations

import contextlib
import datetime
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.grammar import Trigger, parse_trigger
from vectr_hooks.core.kinds import KINDS, PRIORITIES
from vectr_hooks.core.model import MOMENTS
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import (
    Kept,
    NoteText,
    UnreadableNote,
    exported_notes,
    read_note,
    read_notes,
    write_note,
)
from vectr_hooks.store.notes import WatchedPath

FULL = """---
title: "acquire_lock() comes first: the watcher races"
kind: gotcha
priority: high
tags: [db, locks]
anchors: src/db/pool.py
trigger:
  - event: [pre-edit, post-read]
    path: ["src/db/**", migrations/]
    unless: {branch: main}
  - keyword: [deploy, roll out]
cooldown: 10
not_before: 2026-12-01
expires: 2027-03-01
max_deliveries: 5
author: reviewer
pinned: true
---

Take the lock.
"""


def text(*front: str, body: str = "Body.") -> str:
    return "\n".join(["---", *front, "---", "", body, ""])


def test_everything_an_author_decides_is_read() -> None:
    assert read_note(FULL, "x.md") == NoteText(
        title="acquire_lock() comes first: the watcher races",
        kind="gotcha",
        priority="high",
        tags=("db", "locks"),
        anchors=("src/db/pool.py",),
        trigger=parse_trigger(
            {
                "clauses": [
                    {
                        "event": ["pre-edit", "post-read"],
                        "path": ["src/db/**", "migrations/"],
                        "unless": {"branch": "main"},
                    },
                    {"keyword": ["deploy", "roll out"]},
                ],
                "cooldown": 10,
                "not_before": "2026-12-01",
                "expires": "2027-03-01",
                "max_deliveries": 5,
            }
        ),
        author="reviewer",
        pinned=True,
        body="Take the lock.",
    )


def test_a_note_is_written_as_people_would_and_defaults_are_left_out() -> None:
    assert write_note(read_note(FULL, "x.md")) == FULL.replace('["src/db/**", ', "[src/db/**, ")
    assert write_note(NoteText(body="Body.")) == "---\n---\n\nBody.\n"


def test_a_comment_for_who_opens_it_is_not_part_of_the_note() -> None:
    note = NoteText(body="Body.", kind="task")
    written = write_note(note, "note 12: all of it")
    assert written == "---\n# note 12: all of it\nkind: task\n---\n\nBody.\n"
    assert read_note(written, "x") == note


def test_a_long_list_of_patterns_gets_a_line_for_each() -> None:
    patterns = [f"packages/number{n}/**" for n in range(9)]
    note = NoteText(body="x", trigger=parse_trigger({"path": patterns, "event": "pre-edit"}))
    written = write_note(note)
    assert "  - event: pre-edit\n    path:\n      - packages/number0/**\n" in written
    assert read_note(written, "x") == note


def test_the_same_note_is_written_the_same() -> None:
    assert write_note(read_note(FULL, "x")) == write_note(read_note(write_note(read_note(FULL, "x")), "x"))


BODIES = [
    "",
    "\n",
    "\n\n",
    "no final newline",
    "final newline\n",
    "two\n\n",
    "\n\nleading blank lines",
    "---\nkind: x\n---\nfences",
    "---",
    "---\n",
    "\n---\n",
    "a\r\nb\r\n",
    "\r\nx",
    "x\r",
    "\r",
    "\ufeffx",
    "a\x0cb\x1c\u2028c",
]


@pytest.mark.parametrize("body", BODIES)
def test_a_body_is_given_back_exactly(body: str) -> None:
    assert read_note(write_note(NoteText(body=body)), "x").body == body
    assert read_note(write_note(NoteText(body=body, kind="task", title="a")), "x").body == body


@pytest.mark.parametrize(
    ("written", "body"),
    [
        ("---\n---\nBody\n", "Body"),
        ("---\n---\nBody", "Body"),
        ("---\n---", ""),
        ("---\n---\n", ""),
        ("---\n---\n\nBody\n\n", "Body\n"),
        ("\ufeff---\n---\n\nBody\n", "Body"),
        ("--- \n---\t\n\nBody\n", "Body"),
        ("---\r\nkind: task\r\n---\r\n\r\nOne\r\nTwo\r\n", "One\r\nTwo"),
    ],
)
def test_what_people_and_editors_write_is_read(written: str, body: str) -> None:
    assert read_note(written, "x").body == body


def test_limits_alone_restrict_what_the_kind_does() -> None:
    note = read_note(text("kind: directive", "expires: 2031-01-01"), "x")
    assert note.trigger == parse_trigger(
        {"event": ["session-start", "post-compaction"], "expires": "2031-01-01"}
    )


# What is wrong, on which line, and what the message says.
BAD: dict[str, tuple[str, int, str]] = {
    "an empty file": ("", 1, "no front matter"),
    "plain Markdown": ("# Title\n\nText\n", 1, "no front matter"),
    "a fence that is not closed": ("---\nkind: task\n\nText\n", 1, "does not end"),
    "an unknown key": (text("kind: task", "colour: red"), 3, "unknown key 'colour'"),
    "a key of a revision": (text("text: x"), 2, "unknown key 'text'"),
    "an id that is none": (text("id: 0"), 2, "`id` is 0"),
    "an id that no program can read": (text("superseded_by: 9007199254740992"), 2, "`superseded_by` is"),
    "a time that is none": (text("created: soon"), 2, "'soon' is no time"),
    "a time before all times": (text("changed: 1969-12-31"), 2, "is no time"),
    "a watched file that is none": (text("watched: [{path: a, size: 1}]"), 2, "is no file"),
    "fewer lines than it says": (text("kind: task", "lines: 3"), 7, "ends after 1 of the 3 lines"),
    "more lines than it says": (text("lines: 1", body="a\nb"), 6, "no other note begins after them"),
    "lines that are counted in another way": (text('"lines": 2'), 2, "the body has 1 lines"),
    "a key twice": (text("kind: task", "title: a", "kind: gotcha"), 4, "`kind` stands here twice"),
    "a key of a clause twice": (
        text("trigger:", "  - path: a", "    path: b"),
        4,
        "`path` stands here twice",
    ),
    "no keys": (text("- kind", "- task"), 2, "not keys and values"),
    "no YAML": (text("kind: task", "tags: [a"), 4, "expected"),
    "a tab": (text("kind:\ttask", "\ttags: a"), 3, "t"),
    "a control character": (text("kind: task", "title: a\x1bb"), 3, "character"),
    "an alias": (text("tags: &a [x]", "anchors: *a"), 2, "aliases"),
    "a pattern that reads as an alias": (text("trigger:", "  - path: **/*.py"), 3, "needs quotes"),
    "a tag of YAML": (text("title: !!python/name:os.system"), 2, "tag"),
    "another tag of YAML": (text("title: !!binary aGFsbG8="), 2, "tag"),
    "a tagged mapping": (text("trigger: !x {path: a}"), 2, "tag"),
    "a title that is a number": (text("kind: task", "title: 404"), 3, "404 is not text"),
    "a title that is nothing": (text("title:"), 2, "None is not text"),
    "a tag that is a truth value": (text("tags: [a, on]"), 2, "True is not text"),
    "a pin that is a text": (text("pinned: 'yes'"), 2, "'yes'"),
    "an unknown condition": (text("trigger:", "  - path: a", "  - pth: b"), 4, "unknown condition"),
    "an unknown moment": (
        text("trigger:", "  clauses:", "    - path: a", "    - event: x"),
        5,
        "no moment",
    ),
    "an empty trigger": (text("kind: task", "trigger: []"), 3, "no clauses"),
    "a trigger of nothing": (text("kind: task", "trigger:"), 3, "None"),
    "a bad limit": (text("trigger: {path: a}", "cooldown: 0"), 3, "cooldown"),
    "a day that is none": (text("trigger: {path: a}", "expires: 2026-02-30"), 3, "day"),
    "a limit and nothing to restrict": (text("kind: finding", "cooldown: 3"), 3, "`cooldown` restricts"),
    "two documents": (text("kind: task", "...", "kind: gotcha"), 4, "document"),
    "a key that is a list": (text("? [a]", ": b"), 2, "a key is one word"),
    "lists without end": (text("tags: " + "[" * 5000), 2, "nest"),
    "mappings without end": (text("tags: " + "{a: " * 5000), 2, "nest"),
    "a front matter without end": ("---\n" + "kind: task\n" * 100_000, 1, "does not end"),
}


@pytest.mark.parametrize("given", BAD.values(), ids=BAD.keys())
def test_what_is_wrong_is_refused_with_its_line_and_a_hint(given: tuple[str, int, str]) -> None:
    written, line, message = given
    with pytest.raises(UnreadableNote) as refused:
        read_note(written, "notes/a.md")
    (problem,) = refused.value.problems
    assert (problem.line, message in problem.message) == (line, True), problem
    assert refused.value.message == f"notes/a.md:{line}: {problem.message}"
    assert problem.hint


def test_an_unknown_key_is_answered_with_the_allowed_ones() -> None:
    with pytest.raises(VectrHooksError) as refused:
        read_note(text("anchor: src/"), "x")
    assert "did you mean `anchors`?" in refused.value.hint
    assert "title, kind, priority, tags, anchors, trigger, cooldown" in refused.value.hint


def test_everything_that_is_wrong_is_told_in_the_order_of_its_lines() -> None:
    with pytest.raises(UnreadableNote) as refused:
        read_note(text("trigger: {path: a, cooldown: -1}", "colour: red", "title: 1", "kind: gotcha"), "x")
    assert [problem.line for problem in refused.value.problems] == [2, 3, 4]


def test_an_expansion_bomb_is_refused_at_once() -> None:
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 30)]
    with pytest.raises(UnreadableNote, match="aliases"):
        read_note(text("l0: &l0 [x]", *levels), "x")


def test_a_note_knows_its_lines() -> None:
    note = read_note(FULL, "x")
    assert {name: note.lines[name] for name in ("title", "tags", "trigger", "body")} == {
        "title": 2,
        "tags": 5,
        "trigger": 7,
        "body": 20,
    }
    assert read_note("---\n---\nBody", "x").lines["body"] == 3
    assert read_note("---\n---\n\nBody", "x").lines["body"] == 4


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
# What YAML would read as something else, or stumble over.
AWKWARD = (
    "yes null 1 1.5 0x1f 1e3 .inf 2026-01-01 -~a a:~b a~#b #a *a &a !a | > ' \" \\ {a} [a] a,b a: %a @a `a`"
)
AWKWARD += " --- = << ? : - a\u2028b \x85 \ufeff \x7f \ufffe 😀 \U000e0001"
awkward = st.sampled_from([*(word.replace("~", " ") for word in AWKWARD.split(" ")), "", "~", "a\nb"])
values = texts | awkward


@st.composite
def triggers(draw: st.DrawFn) -> Trigger:
    condition = {
        "event": st.sampled_from(MOMENTS[3:11]),
        "path": values,
        "keyword": values,
        "tool": values,
        "branch": values,
        "subagent": values,
        "command": values,
    }
    filled = {
        name: st.lists(value.filter(partial(_accepted, name)), min_size=1, max_size=3)
        for name, value in condition.items()
    }
    clauses = []
    for _ in range(draw(st.integers(1, 3))):
        named: dict[str, Any] = {}
        for name in draw(st.sets(st.sampled_from(sorted(filled)), min_size=1, max_size=3)):
            named[name] = draw(filled[name])
        if draw(st.booleans()):
            named["unless"] = {"branch": draw(filled["branch"]), "tool": ["never"]}
        clauses.append(named)
    limits = {
        "cooldown": draw(st.none() | st.integers(1, 99)),
        "max_deliveries": draw(st.none() | st.integers(1, 99)),
        "expires": draw(st.none() | st.dates(datetime.date(1000, 1, 1))),
    }
    return parse_trigger(
        {"clauses": clauses, **{name: value for name, value in limits.items() if value is not None}}
    )


def _accepted(name: str, text: str) -> bool:
    try:
        parse_trigger({name: text})
    except VectrHooksError:
        return False
    return True


notes = st.builds(
    NoteText,
    body=st.text() | st.sampled_from(BODIES),
    title=values,
    kind=st.sampled_from(sorted(KINDS)),
    priority=st.sampled_from(PRIORITIES),
    tags=st.lists(values, max_size=3).map(tuple),
    anchors=st.lists(values, max_size=3).map(tuple),
    trigger=st.none() | triggers(),
    scope=values,
    author=values,
    pinned=st.booleans(),
)


@given(notes)
def test_every_note_is_read_back_as_it_was_written(note: NoteText) -> None:
    assert read_note(write_note(note), "x") == note


@given(st.text(alphabet="-\n\r\t :[]{}&*!|>'\"%@`ab#?,0", max_size=80))
def test_any_text_is_read_or_refused(given: str) -> None:
    for written in (given, f"---\n{given}\n---\nBody"):
        with contextlib.suppress(UnreadableNote):
            assert isinstance(read_note(written, "x"), NoteText)


bodies = st.text() | st.sampled_from(BODIES) | st.sampled_from(["---\nlines: 1\n---\n\nx\n", "a\n\n---\nb"])


@given(st.lists(bodies, min_size=1, max_size=4), st.booleans())
def test_notes_that_follow_each_other_are_read_back_whatever_they_hold(bodies: list[str], bom: bool) -> None:
    given = [
        NoteText(body=body, kind="task", kept=Kept(id=n + 1, created=n)) for n, body in enumerate(bodies)
    ]
    text = "\n".join(write_note(note, counted=True) for note in given)
    found = read_notes(("\ufeff" if bom else "") + text, "x")
    assert found == given
    # Each knows where it stands.
    assert [text.split("\n")[note.lines["front"]] for note in found] == [
        f"id: {n + 1}" for n in range(len(found))
    ]
    assert exported_notes(text) == [(n + 1, n) for n in range(len(found))]


def test_an_export_of_which_only_the_line_ends_were_changed_is_the_same() -> None:
    note = NoteText(body="One.\n\ntwo\n", kept=Kept(id=3, created=5))
    text = "\n".join([write_note(note, counted=True)] * 2)
    converted = text.replace("\n", "\r\n")
    assert read_notes(converted, "x") == [note, note]
    assert exported_notes(converted) == [(3, 5), (3, 5)]
    # More was changed: every line is as it stands.
    assert read_notes(converted.replace("two", "2"), "x")[0].body == "One.\r\n\r\n2\r\n"
    # The line ends of the body are its own.
    own = replace(note, body="One.\r\ntwo\r\n")
    assert read_notes(write_note(own), "x") == [own]
    assert exported_notes(write_note(own)) == [(3, 5)]


def test_one_note_is_wanted_where_several_are() -> None:
    text = "\n".join([write_note(NoteText(body="x"), counted=True)] * 2)
    with pytest.raises(UnreadableNote, match="f:7: another note begins here"):
        read_note(text, "f")


@given(st.data())
def test_an_export_with_any_change_is_not_taken_for_one(data: st.DataObject) -> None:
    text = write_note(NoteText(body="One.\ntwo", title="A b", kept=Kept(id=3, created=5)), counted=True)
    at = data.draw(st.integers(0, len(text) - 1))
    put = data.draw(st.sampled_from(["", "x", "0", "\n", "\r\n", " "]))
    changed = text[:at] + put + text[at + 1 :]
    assert exported_notes(text) == [(3, 5)]
    # What may have become of line ends on the way is no change.
    same = (text, text.removesuffix("\n"))
    assert changed.replace("\r\n", "\n") in same or exported_notes(changed) is None


kept_notes = st.builds(
    Kept,
    id=st.integers(0, (1 << 53) - 1),
    scope_value=values,
    provenance=values,
    quote=values,
    state=values,
    reason=values,
    state_by=values,
    superseded_by=st.integers(0, (1 << 53) - 1),
    created=st.none() | st.integers(0, 253_402_300_799_999),
    changed=st.none() | st.integers(0, 253_402_300_799_999),
    changed_by=values,
    session=values,
    watched=st.lists(
        st.builds(WatchedPath, path=values, size=st.integers(0, 1 << 50), crc=st.integers(0, 1 << 32))
        | st.builds(WatchedPath, path=values, size=st.just(-1), crc=st.just(0)),
        max_size=3,
    ).map(tuple),
)


@given(kept_notes)
def test_what_a_store_knows_of_a_note_is_read_back(kept: Kept) -> None:
    note = NoteText(body="x", kept=kept)
    assert read_note(write_note(note), "x") == replace(note, kept=None if kept == Kept() else kept)


@pytest.mark.parametrize(
    "written",
    ["2026-01-31T12:00:00.000Z", "2026-01-31T13:00:00+01:00", "'2026-01-31 12:00:00'", "2026-01-31 12:00:00"],
)
def test_a_time_is_in_utc_unless_it_says_more(written: str) -> None:
    kept = read_note(text(f"created: {written}"), "x").kept
    assert kept == Kept(created=1_769_860_800_000)
