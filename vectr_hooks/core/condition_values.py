"""Reads the values of one condition, refusing what could not hold or was meant otherwise."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from vectr_hooks.core.conditions import SEMANTIC
from vectr_hooks.core.keywords import compose, fold, keyword_token
from vectr_hooks.core.model import MOMENTS
from vectr_hooks.core.nearest import allowed_hint
from vectr_hooks.core.needles import is_pattern
from vectr_hooks.core.patterns import check_pattern
from vectr_hooks.core.shell import simple_commands
from vectr_hooks.errors import VectrHooksError

#: what may follow a backslash in a path pattern
_ESCAPABLE = "*?[]\\!# "
_SIMILARITY = "a number above 0 and up to 1 that the similarity of prompt and note must reach, like 0.55"
_ROOT_HINT = "paths are relative to the workspace root, like `src/db/**`"


def read_values(name: str, value: object) -> tuple[str, ...]:
    """The values of condition `name` from a text or a list of texts, without repetition, in their order."""
    items = list(value) if isinstance(value, (list, tuple)) else [value]
    if name == SEMANTIC:
        return (_similarity(items),)
    if not items:
        raise VectrHooksError(f"`{name}` is an empty list", "give at least one value or leave the key out")
    read = _READERS[name]
    try:
        return tuple(dict.fromkeys(read(_text(item)) for item in items))
    except VectrHooksError as error:
        raise VectrHooksError(f"`{name}`: {error.message}", error.hint) from None


def _similarity(items: list[object]) -> str:
    """How near the prompt must be, as it is stored: `0.55`."""
    if len(items) != 1:
        raise VectrHooksError(f"`{SEMANTIC}` takes one number, not {len(items)}", _SIMILARITY)
    (item,) = items
    number: object = item
    if isinstance(item, str):
        try:
            number = float(item)
        except ValueError:
            number = None
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number <= 1:
        raise VectrHooksError(f"`{SEMANTIC}` is {shown(item)}, not a similarity", _SIMILARITY)
    text = f"{number:.4f}".rstrip("0").rstrip(".")
    if text == "0":
        raise VectrHooksError(f"`{SEMANTIC}` is {shown(item)}, which any prompt reaches", _SIMILARITY)
    return text


def shown(value: object) -> str:
    """A value as an error message shows it: short, whatever it is."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _text(item: object) -> str:
    if isinstance(item, bool):
        raise VectrHooksError(
            f"{str(item).lower()} is not text", "YAML reads yes, no, on and off so: write the word in quotes"
        )
    if isinstance(item, (int, float, datetime.date)):
        raise VectrHooksError(f"{item} is not text", f'write it in quotes: "{item}"')
    if item is not None and not isinstance(item, str):
        raise VectrHooksError(f"{shown(item)} is not text", "a value is a text or a list of texts")
    text = (item or "").strip()
    if not text:
        raise VectrHooksError("an empty value", "give a text or leave the key out")
    if any((c < " " and not c.isspace()) or c == "\x7f" or "\ud800" <= c <= "\udfff" for c in text):
        raise VectrHooksError(f"{shown(text)} holds a control character", "give plain text")
    return text


def _event(text: str) -> str:
    if text not in MOMENTS:
        raise VectrHooksError(f"no moment is called `{text}`", allowed_hint(text, MOMENTS))
    return text


def _path(text: str) -> str:
    if text.startswith("!"):
        raise VectrHooksError(f"`{text}` starts with `!`", "put the path under `unless` instead")
    if text.startswith("~/") or (text[:1].isalpha() and text[1:3] in (":/", ":\\")):
        raise VectrHooksError(f"`{text}` is not inside the workspace", _ROOT_HINT)
    if any(c == "\\" and text[n + 1 : n + 2] not in tuple(_ESCAPABLE) for n, c in _unescaped(text)):
        raise VectrHooksError(f"`{text}` holds a backslash", "write `/` between folders")
    text = _anchored(text)
    body = text.removeprefix("/").removesuffix("/")
    if not body:
        raise VectrHooksError(f"`{text}` names no file", "every file is `**`")
    if text.startswith("/") and "/" in body:
        raise VectrHooksError(f"`{text}` is an absolute path", _ROOT_HINT)
    if not {"", ".", ".."}.isdisjoint(body.split("/")):
        raise VectrHooksError(f"`{text}` has an empty, `.` or `..` part", _ROOT_HINT)
    if any(c == "[" and text.find("]", n + 2) < 0 for n, c in _unescaped(text)):
        raise VectrHooksError(f"`{text}` has a `[` without `]`", "write `\\[` for the character itself")
    return text


def _unescaped(text: str) -> list[tuple[int, str]]:
    """Positions and characters that no backslash precedes."""
    found, n = [], 0
    while n < len(text):
        found.append((n, text[n]))
        n += 2 if text[n] == "\\" else 1
    return found


def _anchored(text: str) -> str:
    """`./name` is the one at the root, which a pattern writes as `/name`."""
    if not text.startswith("./"):
        return text
    rest = text[2:]
    return rest if "/" in rest.rstrip("/") else "/" + rest


def _command(text: str) -> str:
    """The words of a command as those of a Bash line are compared: without wrappers and global options."""
    commands = simple_commands(text)
    if len(commands) != 1:
        raise VectrHooksError(
            f"`{text}` is not one simple command", "give the words it starts with; several go into a list"
        )
    joined = " ".join(commands[0])
    # It is stored joined, and read from that again.
    if simple_commands(joined) != commands:
        raise VectrHooksError(f"`{text}` has a quoted word that needs its quotes", "write `*` for that word")
    program = commands[0][0]
    any_wrapped = not program.strip("*?") and not text.startswith(program)
    if any_wrapped or simple_commands(joined + " x x")[0][0] == "x":
        raise VectrHooksError(
            f"`{text}` only wraps a command, and wrappers are looked through", "name the command that it runs"
        )
    return joined


def _glob(text: str) -> str:
    return text


def _symbol(text: str) -> str:
    if any(c.isspace() for c in text) or not keyword_token(text):
        raise VectrHooksError(
            f"`{text}` is not an identifier", "give one name, like `acquire_lock` or `Store.open`"
        )
    return compose(text)


def _output(text: str) -> str:
    if is_pattern(text):
        check_pattern(text[1:-1])
        return text
    return compose(text)


_READERS: dict[str, Callable[[str], str]] = {
    "event": _event,
    "path": _path,
    "command": _command,
    "keyword": fold,
    "symbol": _symbol,
    "output": _output,
    "tool": _glob,
    "subagent": _glob,
    "branch": _glob,
}
