"""The outline of a file in one of the languages that a tree-sitter wheel reads."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

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


class _Reading:
    """One walk over a tree: definitions with what is in them, and every other identifier."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._references: dict[str, set[int]] = {}
        self._names: set[int] = set()

    def outline(self, root: Node) -> Outline:
        top = Definition("", "", 1, root.end_point[0] + 1, 1)
        ahead: list[tuple[Node, Definition]] = [(root, top)]
        # Not by recursion: an expression may be nested deeper than the interpreter goes.
        while ahead:
            node, owner = ahead.pop()
            kind = self._grammar.definitions.get(node.type)
            if kind is not None:
                owner = self._define(node, kind, owner)
            if not node.child_count:
                self._refer(node)
            else:
                ahead.extend((child, owner) for child in reversed(node.children))
        return Outline(top.inner, self._references)

    def _define(self, node: Node, kind: str, owner: Definition) -> Definition:
        """Add what `node` defines to its owner; give the owner of what is in it."""
        grammar = self._grammar
        if node.type in grammar.bodied and node.child_by_field_name("body") is None:
            return owner
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        is_function = value is not None and value.type in grammar.functions
        if node.type in grammar.valued and not is_function:
            return owner
        if node.type in grammar.outermost and owner.kind not in ("", *CONTAINERS) and not is_function:
            return owner
        if node.type in grammar.outermost and not is_function and _is_nested(node):
            return owner
        named = _named(node.child_by_field_name(grammar.names.get(node.type, "name")))
        if kind == DECLARATION and not _declares_function(node):
            if node.type != "declaration" or _is_nested(node):
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
        outer = _whole(node)
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
        for _ in range(text.count("<")):
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


def _whole(node: Node) -> Node:
    """`node` with what belongs to it alone: `export`, `template<…>`, `const`."""
    while node.parent is not None and node.parent.type in _WRAPPERS:
        parent = node.parent
        if sum(child.type == node.type for child in parent.named_children) != 1:
            break
        node = parent
    return node


def _is_nested(node: Node) -> bool:
    """Whether a variable lies in a block: not at the top level of a file, class or namespace."""
    parent = node.parent
    while parent is not None:
        if parent.type in ("block", "statement_block", "compound_statement", "function_body"):
            holder = parent.parent
            return holder is None or holder.type not in ("internal_module", "module")
        parent = parent.parent
    return False


def _last_line(node: Node) -> int:
    row, column = node.end_point
    # A node that takes its line's end along ends at the start of the next.
    return max(node.start_point[0] + 1, row + 1 if column else row)


def _leaves(node: Node) -> list[Node]:
    return [node] if not node.child_count else [leaf for child in node.children for leaf in _leaves(child)]
