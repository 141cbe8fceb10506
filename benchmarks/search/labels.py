"""The questions asked of Django's source, and where in it their answers stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Span:
    """The lines of a definition, from its first decorator to its end."""

    path: str
    first: int
    last: int


@dataclass(frozen=True)
class Question:
    text: str
    answers: tuple[Span, ...]

    def is_answered_by(self, path: str, first: int, last: int) -> bool:
        """Whether these lines hold where an answer begins, so that whoever reads them sees it."""
        return any(span.path == path and first <= span.first <= last for span in self.answers)


def questions(root: Path) -> list[Question]:
    """Read the questions, and where their answers stand in the source at `root`; KeyError if one is gone."""
    file = Path(__file__).with_name("questions.yaml")
    found: dict[str, dict[str, Span]] = {}
    asked = []
    for entry in yaml.safe_load(file.read_text(encoding="utf-8")):
        spans = []
        for answer in entry["answers"]:
            path, name = answer.split(":")
            if path not in found:
                tree = ast.parse((root / path).read_text(encoding="utf-8"))
                found[path] = dict(_definitions(tree, path))
            spans.append(found[path][name])
        asked.append(Question(entry["ask"], tuple(spans)))
    return asked


def _definitions(node: ast.AST, path: str, within: str = "") -> Iterator[tuple[str, Span]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield within + child.name, Span(path, first, child.end_lineno or child.lineno)
            yield from _definitions(child, path, f"{within}{child.name}.")
        else:
            yield from _definitions(child, path, within)
