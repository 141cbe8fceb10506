"""Reading JSON so strictly, and with every position, that its text can be edited in place."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NoReturn

from vectr_hooks.errors import VectrHooksError

Kind = Literal["object", "array", "string", "number", "true", "false", "null"]

BOM = "\ufeff"
# Far above what settings need, far below where recursion ends.
MAX_DEPTH = 100

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_WORD = re.compile(r"true|false|null")
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class Node:
    """A value of the document at `text[start:end]`."""

    kind: Kind
    start: int
    end: int
    #: what a string says; '' for anything else
    string: str = ""
    children: tuple[Child, ...] = ()

    def last(self, key: str) -> Node | None:
        """The member `key` of an object; of several, the one that a reader of JSON takes."""
        return next((child.node for child in reversed(self.children) if child.key == key), None)

    def last_index(self, key: str) -> int:
        return max(n for n, child in enumerate(self.children) if child.key == key)

    def count(self, key: str) -> int:
        return sum(child.key == key for child in self.children)


@dataclass(frozen=True)
class Child:
    """An item of an array (its `key` is '') or a member of an object; `start` is where its key begins."""

    start: int
    key: str
    key_end: int
    node: Node

    @property
    def end(self) -> int:
        return self.node.end


# One edit asks several times about the same text.
@functools.lru_cache(maxsize=4)
def parse(text: str) -> Node:
    """Read a whole document, which may begin with a byte order mark.

    Raises VectrHooksError with line and column for whatever the JSON standard does not allow.
    """
    scanner = _Scanner(text)
    start = scanner.skip(1 if text.startswith(BOM) else 0)
    root = scanner.value(start, 0)
    end = scanner.skip(root.end)
    if end != len(text):
        scanner.refuse(end, "something follows the end of the document")
    return root


def position(text: str, offset: int) -> str:
    """`line 3, column 7`, both counted from 1 and in characters; a byte order mark is not counted."""
    before = text[:offset].removeprefix(BOM)
    ends = list(_LINE_END.finditer(before))
    return f"line {len(ends) + 1}, column {len(before) - (ends[-1].end() if ends else 0) + 1}"


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text

    def refuse(self, at: int, what: str) -> NoReturn:
        if self.text[at : at + 2] in ("//", "/*"):
            what = "a comment, which JSON does not allow"
        elif at >= len(self.text):
            what = "the document ends too early"
        raise VectrHooksError(f"{position(self.text, at)}: {what}")

    def skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self.refuse(at, f"nested more than {MAX_DEPTH} deep")
        opening = self.text[at : at + 1]
        if opening == "{":
            return self.container("object", at, "}", lambda start: self.member(start, depth))
        if opening == "[":
            return self.container("array", at, "]", lambda start: self.item(start, depth))
        if opening == '"':
            string, end = self.string(at)
            return Node("string", at, end, string)
        if number := _NUMBER.match(self.text, at):
            return Node("number", at, number.end())
        if word := _WORD.match(self.text, at):
            kind: Kind = word[0]  # type: ignore[assignment]
            return Node(kind, at, word.end())
        self.refuse(at, "no JSON value")

    def container(self, kind: Kind, start: int, closing: str, child: Callable[[int], Child]) -> Node:
        children: list[Child] = []
        at = self.skip(start + 1)
        if self.text[at : at + 1] != closing:
            while True:
                children.append(child(at))
                at = self.skip(children[-1].end)
                if self.text[at : at + 1] != ",":
                    break
                comma, at = at, self.skip(at + 1)
                if self.text[at : at + 1] == closing:
                    self.refuse(comma, "a trailing comma, which JSON does not allow")
            if self.text[at : at + 1] != closing:
                self.refuse(at, f"a comma or {closing} is missing")
        return Node(kind, start, at + 1, children=tuple(children))

    def item(self, at: int, depth: int) -> Child:
        return Child(at, "", at, self.value(at, depth + 1))

    def member(self, at: int, depth: int) -> Child:
        if self.text[at : at + 1] != '"':
            self.refuse(at, "a key in double quotes is missing")
        key, key_end = self.string(at)
        colon = self.skip(key_end)
        if self.text[colon : colon + 1] != ":":
            self.refuse(colon, "a colon is missing")
        return Child(at, key, key_end, self.value(self.skip(colon + 1), depth + 1))

    def string(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self.text, at)
        if match is None:
            self.refuse(at, "a string that is not closed, or with a character that JSON does not allow in it")
        string: str = json.loads(match[0])
        return string, match.end()
