"""Payloads as no host should write them: recorded ones, changed in what they hold and in their bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

RECORDED = Path(__file__).parents[1] / "payloads"
#: where the recorded payloads say that their project is
RECORDED_PROJECT = "/home/dev/proj"

PAYLOADS: dict[str, dict[str, Any]] = {
    str(file.relative_to(RECORDED)): json.loads(file.read_text("utf-8"))
    for file in sorted(RECORDED.rglob("*.json"))
}


Place = tuple[str | int, ...]


class Raw(str):
    """A piece of JSON, or of what is meant to look like it, that is written as it stands."""


class Pairs(list[tuple[str, Any]]):
    """An object that may have a key twice. A key that is `Raw` is written as it stands."""


def write(value: object) -> str:
    """Write `value` as JSON, but for what is deliberately none in it."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, dict):
        value = Pairs(value.items())
    if isinstance(value, Pairs):
        return "{" + ", ".join(f"{write(key)}: {write(item)}" for key, item in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(write, value)) + "]"
    return json.dumps(value)


def escaped(text: str) -> Raw:
    """`text` as a JSON string of escapes alone."""
    return Raw('"' + "".join(f"\\u{ord(char):04x}" for char in text) + '"')


def repeated(*pieces: str) -> Callable[[int], str]:
    """Writes `pieces` again and again, to about so many characters."""
    piece = "".join(pieces)
    return lambda size: piece * (size // len(piece) + 1)


def nested(opening: str, closing: str) -> Callable[[int], str]:
    """Writes `opening` and `closing` around each other, as often as takes about so many characters."""

    def write(size: int) -> str:
        depth = size // (len(opening) + len(closing)) + 1
        return opening * depth + closing * depth

    return write


_every_character = [chr(number) for number in range(0x21, 0x110000) if not 0xD800 <= number < 0xE000]

#: texts of any size that cost most where something is read more than once; `size` in characters, roughly
BOMBS: dict[str, Callable[[int], str]] = {
    "letters": repeated("a"),
    "words": repeated("alpha "),
    "different words": lambda size: " ".join(f"w{number}" for number in range(size // 6 + 1)),
    "different names": lambda size: " ".join(f"a_{number}.py" for number in range(size // 9 + 1)),
    "ideographs": lambda size: "".join(chr(0x4E00 + number * 7 % 20_000) for number in range(size)),
    "emoji": repeated("👩‍👩‍👧‍👦"),
    "marks of one class": repeated("\u0301"),
    "marks out of order": repeated("\u0315\u0300"),
    "a letter and marks out of order": repeated("e", "\u0315\u0300" * 5_000),
    "vowel signs of two marks each": repeated("\u0f73"),
    "Hangul jamo": repeated("\u1112\u1161\u11ab"),
    "every character": lambda size: "".join(
        _every_character[at % len(_every_character)] for at in range(size)
    ),
    "one line": repeated("x=1;"),
    "newlines": repeated("\n"),
    "blanks": repeated(" "),
    "folders": repeated("a/"),
    "one folder up": repeated("../"),
    "slashes": repeated("/"),
    "a glob": repeated("**/"),
    "stars": repeated("*"),
    "brackets": repeated("["),
    "almost a match": lambda size: "a" * size + "b",
    "semicolons": repeated(";"),
    "commands": repeated("true;"),
    "pipes": repeated("cat f|"),
    "single quotes": repeated("'"),
    "double quotes": repeated('"'),
    "backslashes": repeated("\\"),
    "backquotes": repeated("`"),
    "escaped backquotes": repeated("`\\`"),
    "dollars": repeated("$"),
    "open substitutions": repeated("$("),
    "substitutions": nested("$(", ")"),
    "quoted substitutions": nested('"$(', ')"'),
    "process substitutions": repeated("<(a) "),
    "subshells": nested("(", ")"),
    "arithmetic": repeated("(("),
    "open braces": repeated("${"),
    "arrays": repeated("a=("),
    "assignments": repeated("a=1 "),
    "wrappers": repeated("sudo "),
    "wrappers with a folder": repeated("env -C a "),
    "changes of folder": repeated("cd a;"),
    "changes of folder and files": repeated("cd a;cat b;"),
    "subshells that change folder": repeated("(cd a;"),
    "heredocs": repeated("<<A "),
    "heredocs, each on a line": repeated("<<A\n"),
    "redirections": repeated(">f "),
    "shells": repeated("bash -c "),
    "shells in shells": repeated("bash -c 'bash -c \"", "a;" * 100, "\"';"),
    "options": repeated("-a "),
    "tildes": repeated("~"),
    "comments": repeated(" #"),
    "commits": repeated("git commit;"),
    "user names in addresses": repeated("a://b:c"),
    "headers of keys": repeated("-----BEGIN "),
    "tokens": repeated("ghp_"),
    "web tokens": repeated("eyJ."),
    "errors": repeated("error E0432: "),
    "query syntax": repeated('") OR NEAR(a b, 1) AND title : ^"x"* NOT '),
    "statements": repeated("'; DROP TABLE note; --"),
    "ANSI escapes": repeated("\x1b[31m\x1b]0;x\x07"),
    "bidi": repeated("\u202e\u2066\u200f"),
    "zero width": repeated("\u200b\ufeff"),
    "a reminder": repeated("</system-reminder>\n[#1 directive]"),
}

# What is not JSON for the standard library, or a text for UTF-8.
PIECES: dict[str, Raw] = {
    "lone high surrogate": Raw('"a \\ud83d b"'),
    "lone low surrogate": Raw('"\\udc00"'),
    "surrogates the wrong way round": Raw('"\\udc00\\ud83d"'),
    "NUL escaped": Raw('"deploy\\u0000 after"'),
    "NUL escaped behind a backslash": Raw('"\\\\u0000"'),
    "NUL": Raw('"a\0b"'),
    "escape cut": Raw('"\\u00"'),
    "NaN": Raw("NaN"),
    "Infinity": Raw("-Infinity"),
    "huge integer": Raw("9" * 400),
    "largest integer": Raw("9223372036854775807"),
    "beyond the largest integer": Raw("9223372036854775808"),
    "huge float": Raw("1e400"),
    "tiny float": Raw("-1e-400"),
    "negative zero": Raw("-0.0"),
    "hexadecimal": Raw("0x10"),
    "line feed inside": Raw('"a\nb"'),
    "nothing": Raw(""),
}

WRONG_TYPES: list[Any] = [
    None, True, False, 0, -1, 7, 1 << 70, 1.5, -2.5e300, "", " ", "text", [], {}, [None], [[]], ["text", 1],
    {"a": 1}, {"": ""}, {"a": {"b": [{"c": None}]}}, [{"type": "text", "text": "deploy"}],
]  # fmt: skip

DEPTHS = (100, 999, 1_001, 3_000)
for depth in DEPTHS:
    PIECES[f"{depth} lists in each other"] = Raw("[" * depth + "]" * depth)
    PIECES[f"{depth} objects in each other"] = Raw('{"a":' * depth + "1" + "}" * depth)

# Keys and values that lead somewhere, so that a foreign payload gets beyond the name of its event.
KNOWN: dict[str, list[Any]] = {
    "hook_event_name": [
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact",
        "SubagentStart",
    ],
    "source": ["startup", "resume", "clear", "compact", "fork"],
    "trigger": ["auto", "manual"],
    "tool_name": [
        "Read", "Grep", "Glob", "Edit", "Write", "MultiEdit", "NotebookEdit", "Bash", "mcp__db__query",
        "Task",
    ],
    "tool_input": [
        {"file_path": "src/db/a.py", "old_string": "acquire_lock", "new_string": "x"},
        {"file_path": "/home/dev/proj/src/db/", "content": "acquire_lock()"},
        {"notebook_path": "a.ipynb"},
        {"path": "src", "pattern": "acquire_lock"},
        {"command": "cd src && FOO=1 sudo git -C db push > db/log; cat db/a.py | tee b", "file_path": "c"},
        {"command": "git commit -m 'deploy' && make deploy"},
        {"command": "sed -i s/a/b/ src/db/*.py; bash -c 'git push origin \"$(cat src/x)\"'"},
    ],
    "tool_response": [
        "error E0432: unresolved import\nconnection refused at 10.0.0.1:5432",
        {"stdout": "connection   refused", "stderr": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"},
        [{"type": "text", "text": "E0432"}, {"type": "image", "source": {}}],
    ],
    "error": ["Exit code 3\nerror E0432", "connection refused"],
    "prompt": [
        "please deploy acquire_lock with the canary", "请部署服务", "今日のapiについて", "/compact",
        "<system-reminder>x", "Pourquoi l'éte\u0301 ?", "ทดสอบระบบ", "DEPLOY\u00a0now",
        "why does src/db/a.py fail",
    ],
    "session_id": ["session-1", "session-2", ""],
    "prompt_id": ["prompt-1", "prompt-2", ""],
    "agent_id": ["agent-1", ""],
    "agent_type": ["Explore", "reviewer"],
    "tool_use_id": ["call-1", "call-2"],
    "cwd": ["/home/dev/proj", "/home/dev/proj/src", "/", "/nowhere", "src", "."],
    "transcript_path": ["/home/dev/proj/transcript.jsonl", "/dev/zero", "/home/dev/proj", "a\nb"],
}  # fmt: skip

#: where a hook looks
LOOKED_AT: list[Place] = [
    ("prompt",), ("error",), ("cwd",), ("tool_name",), ("session_id",), ("agent_id",), ("tool_response",),
    ("tool_input", "command"), ("tool_input", "file_path"), ("tool_input", "path"), ("tool_input", "pattern"),
]  # fmt: skip

BEFORE = (
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b" \t\r\n" * 500,
    b"\x00",
    b"x",
    b"// c\n",
    b"\xef\xbb\xbf\xef\xbb\xbf",
)
AFTER = (b" \t\r\n" * 500, b"\x00", b"}", b"{}", b"\n{}", b",", b"\x00{", b"\xff", b"\x1a")
INVALID = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\x80", b"\x80", b"\x00", b"\\")


def places(value: object, here: Place = ()) -> list[Place]:
    """Every place in a payload that holds a value, as the keys and indexes that lead to it."""
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items += value.items()
    elif isinstance(value, list):
        items += enumerate(value)
    return [place for key, item in items for place in [(*here, key), *places(item, (*here, key))]]


_pieces = list(PIECES.values())
_PLACES = {name: places(payload) for name, payload in PAYLOADS.items()}

# Small numbers are cheap to draw and to shrink: a whole choice is one of them.
_small = st.integers(0, (1 << 30) - 1)
_kinds = st.sampled_from(
    ["known"] * 8 + ["bomb"] * 4 + ["type"] * 3 + ["delete", "twice", "escape", "piece", "piece"]
)
_bytes_kinds = st.sampled_from(["none"] * 40 + ["cut", "flip", "invalid", "before", "after", "two"])
# Mostly events that a hook answers.
_names = st.sampled_from(
    sorted(PAYLOADS)
    + 4
    * sorted(name for name in PAYLOADS if PAYLOADS[name].get("hook_event_name") in KNOWN["hook_event_name"])
)
_counts = st.sampled_from([0, 1, 1, 2, 2, 3, 5])
_sizes = st.sampled_from([10, 10, 100, 100, 100, 1_000, 1_000, 5_000])


def _pick(number: int, values: Any) -> Any:
    return values[number % len(values)]


def bombs(sizes: st.SearchStrategy[int]) -> st.SearchStrategy[str]:
    """Hostile texts of about one of `sizes` characters."""
    return st.builds(lambda name, size: BOMBS[name](size)[: 2 * size], st.sampled_from(sorted(BOMBS)), sizes)


@st.composite
def payloads(draw: st.DrawFn) -> bytes:
    """Bytes that begin as a recorded payload of some host, with up to five things wrong in what it holds and
    up to one in its bytes.
    """
    name = draw(_names)
    payload: Any = json.loads(json.dumps(PAYLOADS[name]))
    for _ in range(draw(_counts)):
        payload = _changed(draw, payload, _pick(draw(_small), _PLACES[name]))
    return _spoilt(draw, write(payload).encode("utf-8", "surrogatepass"))


def _changed(draw: st.DrawFn, payload: Any, place: Place) -> Any:
    kind = draw(_kinds)
    number = draw(_small)
    if kind == "known":
        key = _pick(number, sorted(KNOWN))
        return _with(payload, (key,), _pick(number // 64, KNOWN[key]))
    if kind == "bomb":
        value: Any = draw(bombs(_sizes))
        # The other half wherever the payload has something.
        if number % 2:
            place = _pick(number, LOOKED_AT)
        return _with(payload, place, value)
    if kind == "type":
        return _with(payload, place, _pick(number, WRONG_TYPES))
    if kind == "piece":
        return _with(payload, place, _pick(number, _pieces))
    return _at(payload, place, lambda holder, key: _rewritten(holder, key, kind, number))


def _with(payload: Any, place: Place, value: Any) -> Any:
    """`payload` with `value` at `place`, which may not be there yet."""

    def put(holder: Any, key: str | int) -> Any:
        if isinstance(holder, dict):
            return {**holder, key: value}
        if isinstance(holder, Pairs):
            return Pairs([*holder, (str(key), value)])
        if isinstance(holder, list) and isinstance(key, int) and key < len(holder):
            return [*holder[:key], value, *holder[key + 1 :]]
        return {key: value}

    return _at(payload, place, put)


def _at(holder: Any, place: Place, change: Callable[[Any, str | int], Any]) -> Any:
    key, *rest = place
    if not rest:
        return change(holder, key)
    if isinstance(holder, dict):
        return {**holder, key: _at(holder.get(str(key)), tuple(rest), change)}
    if isinstance(holder, Pairs):
        return Pairs(
            [(name, _at(item, tuple(rest), change) if name == key else item) for name, item in holder]
        )
    if isinstance(holder, list) and isinstance(key, int) and key < len(holder):
        return [*holder[:key], _at(holder[key], tuple(rest), change), *holder[key + 1 :]]
    return holder if holder is not None else {key: {}}


def _rewritten(holder: Any, key: str | int, kind: str, number: int) -> Any:
    if isinstance(holder, list) and not isinstance(holder, Pairs):
        return holder[:-1] if kind == "delete" else holder + holder
    pairs = list(holder if isinstance(holder, Pairs) else holder.items() if isinstance(holder, dict) else ())
    if kind == "delete":
        return Pairs([pair for pair in pairs if pair[0] != key])
    if kind == "twice":
        again = _pick(number, [*WRONG_TYPES, *(value for name, value in pairs if name == key)])
        return Pairs([*pairs, (str(key), again)] if number % 2 else [(str(key), again), *pairs])
    return Pairs([(escaped(name) if name == key else name, value) for name, value in pairs])


def _spoilt(draw: st.DrawFn, raw: bytes) -> bytes:
    kind = draw(_bytes_kinds)
    if kind == "none":
        return raw
    number = draw(_small)
    at = number % (len(raw) + 1)
    if kind == "cut":
        return raw[:at]
    if kind == "flip":
        return raw[:at] + bytes([number // 7 % 256]) + raw[at + 1 :]
    if kind == "invalid":
        return raw[:at] + _pick(number // 3, INVALID) + raw[at:]
    if kind == "before":
        return bytes(_pick(number, BEFORE)) + raw
    if kind == "after":
        return raw + bytes(_pick(number, AFTER))
    return raw + raw


def relocated(raw: bytes, project: str) -> bytes:
    """`raw` with the recorded project's folder replaced by `project`."""
    return raw.replace(RECORDED_PROJECT.encode(), project.encode())
