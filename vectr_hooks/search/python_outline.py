"""The outline of a Python file, by the standard library's own parser."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable

from vectr_hooks.search.languages import CLASS, FUNCTION, METHOD, VALUE
from vectr_hooks.search.outline import Definition, Outline

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def python_outline(text: str) -> Outline | None:
    """The outline of `text`; None where it is not Python of this interpreter's version or older."""
    if "\r" in text:
        # The parser ends a line there, and nobody else does.
        return None
    try:
        with warnings.catch_warnings():
            # About escapes in the user's strings.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        found = Outline([])
        _define(tree.body, "", "", found.definitions)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    _refer(tree, found.references)
    return found


def _define(statements: Iterable[ast.AST], prefix: str, inside: str, into: list[Definition]) -> None:
    """Collect what `statements` define `inside` of a class or function, or of '', the module."""
    for node in statements:
        if isinstance(node, ast.ClassDef):
            _add(node, prefix, CLASS, into)
        elif isinstance(node, _Function):
            _add(node, prefix, METHOD if inside == CLASS else FUNCTION, into)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            if inside in ("", CLASS):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                into.extend(
                    Definition(
                        prefix + name.id, VALUE, node.lineno, node.end_lineno or node.lineno, name.lineno
                    )
                    for target in targets
                    for name in (target.elts if isinstance(target, ast.Tuple) else [target])
                    if isinstance(name, ast.Name)
                )
        else:
            for block in _BLOCKS:
                _define(getattr(node, block, None) or (), prefix, inside, into)


def _add(
    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
    prefix: str,
    kind: str,
    into: list[Definition],
) -> None:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    definition = Definition(prefix + node.name, kind, first, node.end_lineno or node.lineno, node.lineno)
    into.append(definition)
    inside = CLASS if kind == CLASS else FUNCTION
    _define(node.body, definition.qualified + ".", inside, definition.inner)


def _refer(tree: ast.AST, into: dict[str, set[int]]) -> None:
    ahead = [tree]
    while ahead:
        node = ahead.pop()
        # `ast.walk` takes twice as long.
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                ahead += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                ahead.append(value)
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                into.setdefault(node.id, set()).add(node.lineno)
        elif isinstance(node, ast.Attribute):
            # The name is the last thing of an expression that may take several lines.
            into.setdefault(node.attr, set()).add(node.end_lineno or node.lineno)
        elif isinstance(node, ast.alias):
            for name in node.name.split("."):
                into.setdefault(name, set()).add(node.lineno)
    into.pop("*", None)
