"""What a hook process may import, read from the sources; `make lint` checks the layers themselves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ENTRIES = sorted((ROOT / "hooks").glob("*.py"))


def imports(tree: ast.AST) -> Iterator[str]:
    """The names of what `tree` imports, also inside functions; a name out of a module as `module.name`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def source(module: str) -> Path | None:
    """The file of one of our modules; None for anything else."""
    place = ROOT / module.replace(".", "/")
    return next((path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file()), None)


def reached() -> dict[str, Path]:
    """Our modules that the entry files can import, through however many others."""
    found: dict[str, Path] = {}
    ahead = [name for path in ENTRIES for name in imports(ast.parse(path.read_bytes()))]
    while ahead:
        name = ahead.pop()
        path = source(name) if name.startswith("vectr_hooks") else None
        if path and name not in found:
            found[name] = path
            ahead += [name.rpartition(".")[0], *imports(ast.parse(path.read_bytes()))]
    return found


HOOK_PATH = reached()
FILES = [*ENTRIES, *HOOK_PATH.values()]


def test_the_entry_files_reach_the_hook_program() -> None:
    assert {"vectr_hooks.hook", "vectr_hooks.hosts.claude", "vectr_hooks.core.pipeline"} <= set(HOOK_PATH)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_hook_path_file_is_python_3_9(path: Path) -> None:
    tree = ast.parse(path.read_bytes(), feature_version=(3, 9))
    assert "__future__" not in set(imports(tree))
    for node in ast.walk(tree):
        annotations = (getattr(node, name, None) for name in ("annotation", "returns"))
        for annotation in filter(None, annotations):
            unions = [part for part in ast.walk(annotation) if isinstance(part, ast.BinOp)]
            assert not unions, f"line {annotation.lineno}: quote it, 3.9 cannot evaluate `|` between types"


def test_the_configuration_names_the_hook_path() -> None:
    """Else ruff holds a module that a hook imports to the newer Python of the rest."""
    tomllib = pytest.importorskip("tomllib", reason="reads pyproject.toml, which takes Python 3.11")
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    named = {file for pattern in tool["ruff"]["per-file-target-version"] for file in braces(pattern)}
    assert named - {"hooks/*.py"} == {path.relative_to(ROOT).as_posix() for path in HOOK_PATH.values()}


def braces(pattern: str) -> list[str]:
    """`a/{b,c}.py` as `a/b.py` and `a/c.py`."""
    match = re.fullmatch(r"(.*)\{(.*)\}(.*)", pattern)
    return [match[1] + part + match[3] for part in match[2].split(",")] if match else [pattern]
