"""Editing a JSON document as text: what is not edited keeps every byte.

What is added takes on the indentation, line ends and spacing of the document. Every function takes a text
and nodes that `parse` found in that same text, and returns the new text.
"""

from __future__ import annotations

import json
import re

from vectr_hooks.registration.json_text import Child, Node, parse

DEFAULT_INDENT = "  "
_MARGIN = re.compile(r"[ \t]*")


def append(text: str, container: Node, value: object, key: str = "") -> str:
    """Add `value` as the last item of an array, or as the last member `key` of an object.

    `remove` undoes it byte for byte where the container had children. White space inside an empty container
    is replaced.
    """
    layout = _Layout(text)
    name = string(key) + layout.colon if container.kind == "object" else ""
    if not container.children:
        return _fill(text, container, name, value, layout)
    last = container.children[-1]
    before = container.children[-2].end if len(container.children) > 1 else container.start + 1
    gap = text[before : last.start]
    if "\n" in gap or "\r" in gap:
        margin = layout.margin(last.start)
        addition = f",{layout.newline}{margin}{name}{layout.spread(value, margin)}"
    else:
        addition = f"{layout.comma}{name}{layout.flat(value)}"
    return text[: last.end] + addition + text[last.end :]


def _fill(text: str, container: Node, name: str, value: object, layout: _Layout) -> str:
    opening, closing = text[container.start], text[container.end - 1]
    if layout.one_line:
        inner = f"{name}{layout.flat(value)}"
    else:
        outer = layout.margin(container.start)
        margin = outer + layout.indent
        inner = f"{layout.newline}{margin}{name}{layout.spread(value, margin)}{layout.newline}{outer}"
    return text[: container.start] + opening + inner + closing + text[container.end :]


def remove(text: str, container: Node, index: int) -> str:
    """Take out the child `index` and the comma that separated it; nothing stays between empty brackets."""
    children = container.children
    if len(children) == 1:
        start, end = container.start + 1, container.end - 1
    elif index:
        start, end = children[index - 1].end, children[index].end
    else:
        start, end = children[0].start, children[1].start
    return text[:start] + text[end:]


def replace(text: str, node: Node, raw: str) -> str:
    """Write `raw`, which is JSON, in the place of a value."""
    return text[: node.start] + raw + text[node.end :]


def string(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def new_document(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=DEFAULT_INDENT) + "\n"


class _Layout:
    """How a document is laid out, read from its first lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        root = parse(text)
        first = root.children[0] if root.children else None
        line_end = re.search(r"\r\n|\n|\r", text)
        self.newline = line_end[0] if line_end else "\n"
        #: its members follow each other on the line of its brace
        self.one_line = first is not None and not self._breaks(root.start, first.start)
        self.indent = DEFAULT_INDENT
        if first is not None and not self.one_line:
            self.indent = self.margin(first.start).removeprefix(self.margin(root.start))
        self.colon = self._colon(first)
        self.comma = self._comma(root) or ("," if self.colon.endswith(":") else ", ")

    def margin(self, offset: int) -> str:
        """The white space that the line of `offset` begins with."""
        start = max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1
        match = _MARGIN.match(self.text, start)
        return match[0] if match else ""

    def spread(self, value: object, margin: str) -> str:
        """`value` over several lines, the first of which begins after `margin`."""
        lines = json.dumps(value, ensure_ascii=False, indent=self.indent, separators=(",", self.colon))
        return lines.replace("\n", self.newline + margin)

    def flat(self, value: object) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(self.comma, self.colon))

    def _breaks(self, start: int, end: int) -> bool:
        return "\n" in self.text[start:end] or "\r" in self.text[start:end]

    def _colon(self, first: Child | None) -> str:
        if first is None or self._breaks(first.key_end, first.node.start):
            return ": "
        return self.text[first.key_end : first.node.start]

    def _comma(self, root: Node) -> str:
        if not self.one_line or len(root.children) < 2:
            return ""
        first, second = root.children[:2]
        return "" if self._breaks(first.end, second.start) else self.text[first.end : second.start]
