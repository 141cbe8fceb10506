"""The outline of a file in one of the languages that a tree-sitter wheel reads."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from vectr_hooks.search.languages import (
    CLASS,
    CONTAINERS,
    DECLARATION,
    EXTENSION,
    FUNCTION,
    GRAMMARS,
    METHOD,
    TYPE,
    VALUE,
    Grammar,
)
from vectr_hooks.search.outline import Definition, Outline

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

# Of a file with more that does not parse than this share of its bytes, little that is found is right.
_MOST_WRONG = 0.25
_LONGEST_NAME = 200
# In levels of definitions: what lies deeper was made to be a burden, for each has the names of all above it.
_DEEPEST = 50
# What names an owner, and is none itself.
_JAVASCRIPT_OWNERS = re.compile(r"^(?:module\.exports|exports|this|window|globalThis)\.|\.prototype(?=\.)")
_ANGLES = re.compile(r"<[^<>]*>")
_ARGUMENTS = re.compile(r"[<\[(].*", re.DOTALL)
_NAME = re.compile(r"[~#@$\w]+(?:\.[~#@$\w]+)*|operator\b.*", re.DOTALL)


def tree_outline(language: str, text: str) -> Outline | None:
    """The outline of `text`; None where too much of it does not parse."""
    source = text.encode("utf-8", "replace")
    tree = _parser(language)(source)
    if language == "c" and tree.root_node.has_error:
        # A header of C++ is named like one of C.
        other = _parser("cpp")(source)
        if _wrong(other) < _wrong(tree):
            language, tree = "cpp", other
    if tree.root_node.has_error and _wrong(tree) > _MOST_WRONG * len(source):
        return None
    return _Reading(GRAMMARS[language]).outline(tree.root_node)


@lru_cache
def _parser(language: str) -> Callable[[bytes], Tree]:
    from tree_sitter import Language, Parser

    grammar = GRAMMARS[language]
    wheel = importlib.import_module(grammar.wheel)
    return Parser(Language(getattr(wheel, grammar.language)())).parse


def _wrong(tree: Tree) -> int:
    """How many bytes are in the outermost nodes that do not parse."""
    wrong = 0
    ahead = [tree.root_node]
    while ahead:
        node = ahead.pop()
        if node.is_error:
            wrong += node.end_byte - node.start_byte
        elif node.has_error:
            ahead.extend(node.children)
    return wrong


class _Place(NamedTuple):
    """A node, and what it is in: a node itself finds that by a walk from the root."""

    node: Node
    above: _Place | None
    is_in_block: bool
    """Whether it is not at the top level of a file, class or namespace."""

    def inner(self) -> list[_Place]:
        is_in_block = self.is_in_block
        if self.node.type in _BLOCKS:
            is_in_block = self.above is None or self.above.node.type not in ("internal_module", "module")
        return [_Place(child, self, is_in_block) for child in self.node.children]


class _Reading:
    """One walk over a tree: definitions with what is in them, and every other identifier."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._references: dict[str, set[int]] = {}
        self._names: set[int] = set()

    def outline(self, root: Node) -> Outline:
        top = Definition("", "", 1, root.end_point[0] + 1, 1)
        ahead: list[tuple[_Place, Definition, int]] = [(_Place(root, None, False), top, 0)]
        # Not by recursion: an expression may be nested deeper than the interpreter goes.
        while ahead:
            place, owner, depth = ahead.pop()
            node = place.node
            kind = self._grammar.definitions.get(node.type)
            if kind is not None and depth < _DEEPEST:
                outer, owner = owner, self._define(place, kind, owner)
                depth += owner is not outer
            if not node.child_count:
                self._refer(node)
            else:
                ahead.extend((each, owner, depth) for each in reversed(place.inner()))
        return Outline(top.inner, self._references)

    def _define(self, place: _Place, kind: str, owner: Definition) -> Definition:
        """Add what the node at `place` defines to its owner; give the owner of what is in it."""
        grammar, node = self._grammar, place.node
        if node.type in grammar.bodied and node.child_by_field_name("body") is None:
            return owner
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        is_function = value is not None and value.type in grammar.functions
        if node.type in grammar.valued and not is_function:
            return owner
        if node.type in grammar.outermost and owner.kind not in ("", *CONTAINERS) and not is_function:
            return owner
        if node.type in grammar.outermost and not is_function and place.is_in_block:
            return owner
        named = _named(node.child_by_field_name(grammar.names.get(node.type, "name")))
        if kind == DECLARATION and not _declares_function(node):
            if node.type != "declaration" or place.is_in_block:
                return owner
            kind = VALUE
        if named is None:
            return owner
        name = _clean(named)
        if not name:
            return owner
        self._names.update(leaf.id for leaf in _leaves(named))
        if is_function and value is not None:
            kind = CLASS if value.type == "class" else FUNCTION
        if kind == FUNCTION and owner.kind in (CLASS, TYPE, EXTENSION):
            kind = METHOD
        receiver = _receiver(node)
        prefix = receiver or owner.qualified
        qualified = f"{prefix}.{name}" if prefix else name
        outer = _whole(place)
        definition = Definition(
            qualified, kind, outer.start_point[0] + 1, _last_line(outer), named.start_point[0] + 1
        )
        owner.inner.append(definition)
        # What a `typedef` names beside its own name is no part of it.
        return owner if kind in (VALUE, DECLARATION) or node.type == "type_definition" else definition

    def _refer(self, node: Node) -> None:
        if node.type.endswith("identifier") and node.id not in self._names and node.text:
            name = node.text.decode("utf-8", "replace")
            if len(name) <= _LONGEST_NAME:
                self._references.setdefault(name, set()).add(node.start_point[0] + 1)


def _named(node: Node | None) -> Node | None:
    """The node of the name itself, within what C wraps around it."""
    while node is not None:
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in ("reference_declarator", "parenthesized_declarator"):
            inner = node.named_children[-1] if node.named_children else None
        if inner is None and node.type == "variable_declarator":
            inner = node.child_by_field_name("name")
        if inner is None:
            return node
        node = inner
    return None


def _clean(named: Node) -> str:
    """The name that a node spells, its parts joined by `.`; '' for what is none, such as a pattern."""
    text = (named.text or b"").decode("utf-8", "replace")
    if named.type != "operator_name" and "operator" not in text:
        # `List<Map<K, V>>::get`
        for _ in range(min(text.count("<"), _DEEPEST)):
            text = _ANGLES.sub("", text)
        text = _ARGUMENTS.sub("", text)
    if named.type == "string":
        text = text.strip("'\"`")
    text = text.replace("::", ".").strip("*&. ")
    text = _JAVASCRIPT_OWNERS.sub("", text)
    return text if len(text) <= _LONGEST_NAME and _NAME.fullmatch(text) else ""


def _receiver(node: Node) -> str:
    """The type that a method of Go belongs to."""
    receiver = node.child_by_field_name("receiver")
    for parameter in receiver.named_children if receiver is not None else ():
        of_type = parameter.child_by_field_name("type")
        if of_type is not None and of_type.text:
            return _ARGUMENTS.sub("", of_type.text.decode("utf-8", "replace")).strip("* ")
    return ""


def _declares_function(node: Node) -> bool:
    """Whether a declaration is of a function; in other languages than C they all are."""
    inner = node.child_by_field_name("declarator")
    if inner is None:
        return True
    while inner is not None:
        if inner.type == "function_declarator":
            # `int (*f)(int)` is a variable.
            declared = inner.child_by_field_name("declarator")
            return declared is not None and declared.type != "parenthesized_declarator"
        inner = inner.child_by_field_name("declarator")
    return False


_WRAPPERS = frozenset(
    {
        "export_statement",
        "lexical_declaration",
        "variable_declaration",
        "template_declaration",
        "decorated_definition",
    }
    | {
        "expression_statement",
        "const_declaration",
        "var_declaration",
        "type_declaration",
        "ambient_declaration",
    }
)


_BLOCKS = frozenset({"block", "statement_block", "compound_statement", "function_body"})


def _whole(place: _Place) -> Node:
    """The node at `place` with what belongs to it alone: `export`, `template<…>`, `const`."""
    while place.above is not None and place.above.node.type in _WRAPPERS:
        siblings = place.above.node.named_children
        if sum(child.type == place.node.type for child in siblings) != 1:
            break
        place = place.above
    return place.node


def _last_line(node: Node) -> int:
    row, column = node.end_point
    # A node that takes its line's end along ends at the start of the next.
    return max(node.start_point[0] + 1, row + 1 if column else row)


def _leaves(node: Node) -> list[Node]:
    leaves = []
    ahead = [node]
    while ahead:
        node = ahead.pop()
        if node.child_count:
            ahead.extend(node.children)
        else:
            leaves.append(node)
    return leaves
