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

An export also has what no author writes (`Kept`), and a checksum by which it is told from what was changed.
Several notes may follow each other in one text, a blank line between them, where each says with `lines` how
many its body has: so a body may hold whatever it likes, fences too, and nothing is escaped.
"""

from __future__ import annotations

import datetime
import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, NamedTuple

from vectr_hooks.core.condition_values import shown
from vectr_hooks.core.grammar import TEMPORAL, Trigger, parse_trigger, trigger_value
from vectr_hooks.core.kinds import DEFAULT_KIND, DEFAULT_PRIORITY, KINDS, PRIORITIES, default_clauses
from vectr_hooks.core.nearest import allowed_hint
from vectr_hooks.core.states import ACTIVE
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.damage import END_OF_TIME_MS
from vectr_hooks.store.notes import WatchedPath
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

#: what follows them in an export, of which no author decides, but for `id`, which stands first
KEPT_KEYS = (
    "id",
    "scope_value",
    "provenance",
    "quote",
    "state",
    "reason",
    "state_by",
    "superseded_by",
    "created",
    "changed",
    "changed_by",
    "session",
    "watched",
)
_OF_THE_FORM = ("lines", "checksum")

_LINES = re.compile(r"^lines[ \t]*:[ \t]*([0-9]{1,9})[ \t]*\r?$", re.MULTILINE)
_CHECKSUM = re.compile(r'^checksum: "([0-9a-f]{8})"\n', re.MULTILINE)
_ID = re.compile(r"^id: ([0-9]{1,16})$", re.MULTILINE)
_CREATED = re.compile(r"^created: (\S+)$", re.MULTILINE)
# So many are exact in every program that reads JSON.
_LARGEST = (1 << 53) - 1
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_FORM = "a note's file begins with front matter: a line `---`, then keys such as `kind: gotcha`, then `---`"


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What a store knows of a note beside what its author decided, as an export tells it.

    What the defaults stand for is said in `store.notes.NoteDraft`; times are milliseconds since 1970.
    """

    id: int = 0
    """0: not told."""
    scope_value: str = ""
    """Of a worktree relative to the root of the workspace, `/` between folders; '' is the root itself.

    Of a session '' is the one in `session`.
    """
    provenance: str = ""
    """'': that of whoever imports it."""
    quote: str = ""
    state: str = ACTIVE
    reason: str = ""
    state_by: str = ""
    superseded_by: int = 0
    """An id as the same export gives it."""
    created: int | None = None
    """None: it was not in a store before."""
    changed: int | None = None
    """None: when it was created."""
    changed_by: str = ""
    session: str = ""
    watched: tuple[WatchedPath, ...] = ()


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
    kept: Kept | None = None
    """None where only the author speaks."""
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
    """The one note in `text`; raises UnreadableNote, in which `source` is the name of the file."""
    first, *others = read_notes(text, source)
    if others:
        problem = Problem(others[0].lines["front"], "another note begins here", "one note is wanted")
        raise UnreadableNote(source, [problem])
    return first


def read_notes(text: str, source: str) -> list[NoteText]:
    """The notes in `text`, at least one, in their order; raises UnreadableNote with all that is wrong."""
    found, problems = [], []
    try:
        for part in _parts(_with_its_line_ends(text.removeprefix("\ufeff"))):
            try:
                found.append(_read(part))
            except UnreadableNote as error:
                problems += error.problems
    except YamlError as error:
        problems.append(Problem(error.line + 1, error.problem, _FORM))
    if problems:
        raise UnreadableNote(source, problems)
    return found


def write_note(note: NoteText, comment: str = "", counted: bool = False) -> str:
    """The text that `read_note` reads as `note`; `comment`, one line, is for who opens it.

    With `counted` it says how many lines its body has, so that others can follow it after a blank line.
    """
    lines = ["---", f"# {comment}"] if comment else ["---"]
    lines += _front_lines(note)
    if counted:
        lines.append(f"lines: {_line_count(note.body)}")
    front, rest = "\n".join(lines) + "\n", f"---\n\n{note.body}\n"
    if note.kept:
        front += f'checksum: "{_checksum(front + rest)}"\n'
    return front + rest


def exported_notes(text: str) -> list[tuple[int, int]] | None:
    """The ids and times of creation (milliseconds) of the notes in `text`, if all it holds was exported.

    None where anything in it has been changed since, or was never exported. Its line ends may be others.
    """
    plain = text.replace("\r\n", "\n") if text.startswith("---\r\n") else text
    found = []
    try:
        for part in _parts(plain):
            checksum, id, created = (form.search(part.front) for form in (_CHECKSUM, _ID, _CREATED))
            if not (checksum and id and created):
                return None
            begun = len("---\n")
            start, end = checksum.start() + begun, checksum.end() + begun
            if _checksum(part.text[:start] + part.text[end:]) != checksum[1]:
                return None
            found.append((int(id[1]), _moment("created", created[1])))
    except (YamlError, VectrHooksError):
        return None
    return found


def _with_its_line_ends(text: str) -> str:
    """`text` as it was exported, where git or an editor has changed nothing but its line ends."""
    changed = text.startswith("---\r\n") and exported_notes(text) is not None
    return text.replace("\r\n", "\n") if changed else text


class _Part(NamedTuple):
    """One note of a text, not yet read."""

    front: str
    body: str
    first: int
    """The lines that stand before its first fence."""
    body_line: int
    text: str
    """All of it, as it was written."""


def _parts(text: str) -> Iterator[_Part]:
    """The notes of `text` one by one; where one cannot end, raises YamlError with its line, from 0."""
    lines = text.split("\n")
    # The last line break ends a line and does not begin another.
    all_lines = len(lines) - (lines[-1] == "")
    last = next((n for n in range(len(lines) - 1, -1, -1) if lines[n].strip()), 0)
    at = 0
    while True:
        opening = lines[at]
        if opening.rstrip() != "---" or at + 1 == len(lines):
            raise YamlError("there is no front matter: the first line is not `---`", at)
        end = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == "---"), 0)
        if not end:
            raise YamlError("the front matter does not end: no other line is `---`", at)
        front = "".join(line + "\n" for line in lines[at + 1 : end])
        ending = "\r" if opening.endswith("\r") else ""
        begin = end + 1
        # The last of the lines is what follows the last line break: nothing, mostly.
        if begin + 1 < len(lines) and lines[begin] == ending:
            begin += 1
        counted = _LINES.search(front)
        if not counted:
            body = "\n".join(lines[begin:]).removesuffix(ending + "\n")
            # Where the text ends with the fence, it is that line which lacks a body.
            yield _Part(front, body, at, min(begin + 1, len(lines)), "\n".join(lines[at:]))
            return
        after = begin + int(counted[1])
        if after > all_lines:
            said = f"the body ends after {all_lines - begin} of the {counted[1]} lines that `lines` says"
            raise YamlError(said, all_lines)
        body = "\n".join(lines[begin:after]).removesuffix(ending)
        yield _Part(front, body, at, begin + 1, "\n".join(lines[at:after]) + "\n")
        if after > last:
            return
        if lines[after].strip() or lines[after + 1].rstrip() != "---":
            said = f"the body has {counted[1]} lines, says `lines`, and no other note begins after them"
            raise YamlError(said, after)
        at = after + 1


def _line_count(body: str) -> int:
    return body.count("\n") + 1


def _checksum(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def _read(part: _Part) -> NoteText:
    try:
        value = read_value(part.front)
        if value.plain is not None and not isinstance(value.plain, dict):
            raise YamlError(f"the front matter is {shown(value.plain)}, not keys and values", value.line)
    except YamlError as error:
        # The front matter begins on the second line.
        raise UnreadableNote("", [Problem(part.first + error.line + 1, error.problem, _FORM)]) from None
    found, problems = _fields(value.entries)
    if "lines" in found and found.pop("lines") != _line_count(part.body):
        line = value.entries["lines"][0] + 1
        problems.append(Problem(line, f"the body has {_line_count(part.body)} lines", "`lines` counts them"))
    if problems:
        ordered = sorted(problems, key=lambda problem: problem.line)
        raise UnreadableNote("", [Problem(part.first + p.line, p.message, p.hint) for p in ordered])
    kept = {name: found.pop(name) for name in KEPT_KEYS if name in found}
    lines = {name: part.first + line + 1 for name, (line, _) in value.entries.items()}
    return NoteText(
        body=part.body,
        kept=Kept(**kept) if kept else None,
        lines=lines | {"front": part.first + 1, "body": part.body_line},
        **found,
    )


def _fields(entries: Mapping[Any, tuple[int, Value]]) -> tuple[dict[str, Any], list[Problem]]:
    fields: dict[str, Any] = {}
    problems = []
    for key, (line, value) in entries.items():
        try:
            if key not in _ALL_KEYS:
                raise VectrHooksError(f"unknown key {shown(key)}", allowed_hint(str(key), _ALL_KEYS))
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


def _number(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= _LARGEST:
        raise VectrHooksError(f"`{key}` is {shown(value)}", "a whole number from 1")
    return value


def _moment(key: str, value: object) -> int:
    """Milliseconds since 1970."""
    try:
        if isinstance(value, str):
            value = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
        if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
            value = datetime.datetime(value.year, value.month, value.day)
        if isinstance(value, datetime.datetime):
            moment = value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
            milliseconds = (moment - _EPOCH) // datetime.timedelta(milliseconds=1)
            if 0 <= milliseconds < END_OF_TIME_MS:
                return milliseconds
    except (ValueError, OverflowError):
        pass
    raise VectrHooksError(f"`{key}`: {shown(value)} is no time", "for example 2026-01-31T12:00:00.000Z")


def _watched(key: str, value: object) -> tuple[WatchedPath, ...]:
    return tuple(_one_watched(key, item) for item in (value if isinstance(value, list) else [value]))


def _one_watched(key: str, value: object) -> WatchedPath:
    if isinstance(value, dict) and isinstance(value.get("path"), str):
        numbers = {name: number for name, number in value.items() if name != "path"}
        whole = all(type(number) is int and 0 <= number <= _LARGEST for number in numbers.values())
        if whole and set(numbers) in (set(), {"size", "crc"}):
            return WatchedPath(value["path"], numbers.get("size", -1), numbers.get("crc", 0))
    raise VectrHooksError(
        f"`{key}`: {shown(value)} is no file",
        "{path: src/a.py, size: 120, crc: 3054}, or its path alone",
    )


def _any(key: str, value: object) -> None:
    """A checksum is for `export`; who changes a file need not mend it."""


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
_AUTHORED = tuple(_READERS)
_BEFORE_TRIGGER = KEYS[: KEYS.index("trigger")]
_AFTER_TRIGGER = [key for key in KEYS if key in _AUTHORED and key not in _BEFORE_TRIGGER]
_READERS |= dict.fromkeys(KEPT_KEYS, _text)
_READERS |= dict.fromkeys(("id", "superseded_by", "lines"), _number)
_READERS |= dict.fromkeys(("created", "changed"), _moment)
_READERS["watched"] = _watched
_ALL_KEYS = (*KEYS, *KEPT_KEYS, *_OF_THE_FORM)


def _front_lines(note: NoteText) -> Iterator[str]:
    if note.kept and note.kept.id:
        yield f"id: {note.kept.id}"
    for key in _BEFORE_TRIGGER:
        value = getattr(note, key)
        if value != _DEFAULTS[key]:
            yield f"{key}: {_written(value)}"
    if note.trigger:
        trigger = trigger_value(note.trigger)
        yield from block("trigger", trigger["clauses"])
        for key in TEMPORAL:
            if key in trigger:
                yield f"{key}: {trigger[key]}"
    for key in _AFTER_TRIGGER:
        value = getattr(note, key)
        if value != _DEFAULTS[key]:
            yield f"{key}: {_written(value)}"
    if note.kept:
        yield from _kept_lines(note.kept)


def _kept_lines(kept: Kept) -> Iterator[str]:
    for key in KEPT_KEYS[1:]:
        value = getattr(kept, key)
        if value == _KEPT_DEFAULTS[key]:
            continue
        if key == "watched":
            yield f"{key}:"
            yield from map(_watched_line, value)
        elif key in ("created", "changed"):
            yield f"{key}: {moment_text(value)}"
        else:
            yield f"{key}: {value if isinstance(value, int) else scalar(value)}"


@lru_cache(maxsize=1024)
def moment_text(ms: int) -> str:
    """`2026-01-31T12:00:00.000Z`"""
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(ms // 1000))}.{ms % 1000:03}Z"


def _watched_line(watched: WatchedPath) -> str:
    as_it_was = f", size: {watched.size}, crc: {watched.crc}" if watched.size >= 0 else ""
    return f"  - {{path: {scalar(watched.path)}{as_it_was}}}"


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value_list(value) if isinstance(value, tuple) else scalar(str(value))


_DEFAULTS: dict[str, object] = {name: getattr(NoteText(body=""), name) for name in _AUTHORED}
_KEPT_DEFAULTS = {field.name: getattr(Kept(), field.name) for field in fields(Kept)}
