"""A note as text, both ways: YAML front matter between two lines `---`, then the body.

    ---
    kind: gotcha
    trigger:
      - path: src/db/**
    ---

    The body, verbatim.

One line break after the second fence and one at the end of the text belong to the form and not to the body,
so that a file ends as editors want it and every body is given back exactly. Where the first fence ends in
CR LF, so do these two. What is left out of the front matter has its default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from vectr_hooks.core.condition_values import shown
from vectr_hooks.core.grammar import TEMPORAL, Trigger, parse_trigger, trigger_value
from vectr_hooks.core.kinds import DEFAULT_KIND, DEFAULT_PRIORITY, KINDS, PRIORITIES, default_clauses
from vectr_hooks.core.nearest import allowed_hint
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.yaml_text import block, scalar, value_list
from vectr_hooks.yaml_values import Value, YamlError, read_value

DEFAULT_SCOPE = "workspace"

#: in the order in which they are written
KEYS = (
    "title",
    "kind",
    "priority",
    "tags",
    "anchors",
    "trigger",
    *TEMPORAL,
    "scope",
    "author",
    "pinned",
)

# No front matter is longer; a file that is has lost its second fence.
_LONGEST = 1 << 16
_FORM = "a note's file begins with front matter: a line `---`, then keys such as `kind: gotcha`, then `---`"


@dataclass(frozen=True, kw_only=True)
class NoteText:
    """What an author writes of a note, before anything is checked but its form."""

    body: str
    title: str = ""
    """'': the first sentence of the body."""
    kind: str = DEFAULT_KIND
    priority: str = DEFAULT_PRIORITY
    tags: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    trigger: Trigger | None = None
    """None: the default of the kind."""
    scope: str = DEFAULT_SCOPE
    author: str = ""
    pinned: bool = False
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    """Where in its file each of these was read, the first line being 1."""


@dataclass(frozen=True)
class Problem:
    """Something wrong in a text, and on which line of it."""

    line: int
    message: str
    hint: str = ""


class UnreadableNote(VectrHooksError):
    """Everything that is wrong with a text that should be a note; `message` is the first of it."""

    def __init__(self, source: str, problems: list[Problem]) -> None:
        first = problems[0]
        super().__init__(f"{source}:{first.line}: {first.message}", first.hint)
        self.source = source
        self.problems = problems


def located(note: NoteText, errors: Iterable[VectrHooksError]) -> list[Problem]:
    """What is wrong with the fields of `note`, on the lines where they were read, in order."""
    problems = [Problem(note.lines.get(error.field, 1), error.message, error.hint) for error in errors]
    return sorted(problems, key=lambda problem: problem.line)


def read_note(text: str, source: str) -> NoteText:
    """The note in `text`; raises UnreadableNote, in which `source` is the name of the file."""
    try:
        front, body, body_line = _parts(text.removeprefix("\ufeff"))
        value = read_value(front)
        if value.plain is not None and not isinstance(value.plain, dict):
            raise YamlError(f"the front matter is {shown(value.plain)}, not keys and values", value.line)
    except YamlError as error:
        # The front matter begins on the second line.
        raise UnreadableNote(source, [Problem(error.line + 1, error.problem, _FORM)]) from None
    fields, problems = _fields(value.entries)
    if problems:
        raise UnreadableNote(source, sorted(problems, key=lambda problem: problem.line))
    lines = {name: line + 1 for name, (line, _) in value.entries.items()}
    return NoteText(body=body, lines=lines | {"body": body_line}, **fields)


def write_note(note: NoteText, comment: str = "") -> str:
    """The text that `read_note` reads as `note`; `comment`, one line, is for who opens it."""
    lines = ["---", f"# {comment}"] if comment else ["---"]
    return "\n".join([*lines, *_front_lines(note), "---", "", note.body]) + "\n"


def _parts(text: str) -> tuple[str, str, int]:
    """The front matter, the body, and the line on which that begins."""
    opening, end, rest = text.partition("\n")
    if opening.rstrip() != "---" or not end:
        raise YamlError("there is no front matter: the first line is not `---`")
    line_end = "\r\n" if opening.endswith("\r") else "\n"
    at = 0
    for number, line in enumerate(rest.split("\n")):
        if line.rstrip() == "---":
            body = rest[at + len(line) + 1 :]
            blank = body.startswith(line_end)
            return rest[:at], body.removeprefix(line_end).removesuffix(line_end), number + (4 if blank else 3)
        at += len(line) + 1
        if at > _LONGEST:
            break
    raise YamlError("the front matter does not end: no other line is `---`")


def _fields(entries: Mapping[Any, tuple[int, Value]]) -> tuple[dict[str, Any], list[Problem]]:
    fields: dict[str, Any] = {}
    problems = []
    for key, (line, value) in entries.items():
        try:
            if key not in KEYS:
                raise VectrHooksError(f"unknown key {shown(key)}", allowed_hint(str(key), KEYS))
            if key in _READERS:
                fields[key] = _READERS[key](key, value.plain)
        except VectrHooksError as error:
            problems.append(Problem(line + 1, error.message, error.hint))
    try:
        fields["trigger"] = _trigger(entries, fields)
    except VectrHooksError as error:
        line = _trigger_line(entries) + 1
        problems.append(Problem(line, error.message, error.hint))
    return fields, problems


def _trigger(entries: Mapping[Any, tuple[int, Value]], fields: Mapping[str, Any]) -> Trigger | None:
    limits = {name: entries[name][1].plain for name in TEMPORAL if name in entries}
    if "trigger" in entries:
        return parse_trigger({"trigger": entries["trigger"][1].plain, **limits})
    if not limits:
        return None
    kind, priority = fields.get("kind", DEFAULT_KIND), fields.get("priority", DEFAULT_PRIORITY)
    # An unknown one is refused with the rest of what the note says.
    known = kind in KINDS and priority in PRIORITIES
    clauses = default_clauses(kind, priority, fields.get("anchors", ())) if known else ()
    if known and not clauses:
        raise VectrHooksError(
            f"`{next(iter(limits))}` restricts a trigger, and this {kind} has none", "give it a `trigger`"
        )
    return parse_trigger({**trigger_value(Trigger(clauses)), **limits}) if known else None


def _trigger_line(entries: Mapping[Any, tuple[int, Value]]) -> int:
    """Where what is wrong with the trigger stands: the first clause that is wrong by itself, or its key."""
    if "trigger" not in entries:
        return min(entries[name][0] for name in TEMPORAL if name in entries)
    line, value = entries["trigger"]
    if "clauses" in value.entries:
        line, value = value.entries["clauses"]
    wrong_clauses = (item.line for item in value.items if _refused([item.plain]))
    wrong_limits = (
        entries[name][0]
        for name in TEMPORAL
        if name in entries and _refused({"event": "pre-edit", name: entries[name][1].plain})
    )
    return next(wrong_clauses, next(wrong_limits, line))


def _refused(trigger: object) -> bool:
    try:
        parse_trigger(trigger)
    except VectrHooksError:
        return True
    return False


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise VectrHooksError(f"`{key}`: {shown(value)} is not text", "write it in quotes")
    return value


def _texts(key: str, value: object) -> tuple[str, ...]:
    return tuple(_text(key, item) for item in (value if isinstance(value, list) else [value]))


def _truth(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise VectrHooksError(f"`{key}` is {shown(value)}", "true or false")
    return value


_READERS: dict[str, Callable[[str, object], object]] = {
    "title": _text,
    "kind": _text,
    "priority": _text,
    "tags": _texts,
    "anchors": _texts,
    "scope": _text,
    "author": _text,
    "pinned": _truth,
}


def _front_lines(note: NoteText) -> Iterator[str]:
    trigger = note.trigger and trigger_value(note.trigger)
    for key in KEYS:
        if key == "trigger":
            yield from block(key, trigger["clauses"]) if trigger else ()
        elif key in TEMPORAL:
            if trigger and key in trigger:
                yield f"{key}: {trigger[key]}"
        elif getattr(note, key) != _DEFAULTS[key]:
            yield f"{key}: {_written(getattr(note, key))}"


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value_list(value) if isinstance(value, tuple) else scalar(str(value))


_DEFAULTS: dict[str, object] = {name: getattr(NoteText(body=""), name) for name in _READERS}
