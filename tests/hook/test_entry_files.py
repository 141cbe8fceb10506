"""The programs that a host starts: each finds its package and says which event it stands for."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vectr_hooks.registration.command_line import ENTRY_FILES, HOST_FILE

HOOKS = Path(__file__).resolve().parents[2] / "hooks"
STUB = """
import sys

def main(host, event):
    print(host, event, sys.path[-1])
"""


def lay_out(root: Path, hooks: Path) -> None:
    """Put the entry files into `hooks`, and into `root` a package whose hook prints what it gets."""
    (root / "vectr_hooks").mkdir(parents=True, exist_ok=True)
    (root / "vectr_hooks/__init__.py").touch()
    (root / "vectr_hooks/hook.py").write_text(STUB, encoding="utf-8")
    shutil.copytree(HOOKS, hooks, ignore=shutil.ignore_patterns("__pycache__"))


def run(file: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-I", "-S", file, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        cwd="/",
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.rstrip("\n")


def test_there_is_one_entry_file_for_each_event_and_one_for_other_hosts() -> None:
    assert {path.name for path in HOOKS.glob("*.py")} == {*ENTRY_FILES.values(), HOST_FILE}


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [(["codex", "SessionStart"], "codex SessionStart"), (["codex", "x", "y"], "codex x"), ([], " ")],
)
def test_the_entry_file_of_other_hosts_calls_the_hook_with_its_arguments(
    tmp_path: Path, arguments: list[str], passed: str
) -> None:
    lay_out(tmp_path, tmp_path / "hooks")
    assert run(tmp_path / "hooks" / HOST_FILE, *arguments) == f"{passed} {tmp_path}"


@pytest.mark.parametrize(("event", "file"), ENTRY_FILES.items())
def test_an_entry_file_calls_the_hook_with_its_event(tmp_path: Path, event: str, file: str) -> None:
    lay_out(tmp_path, tmp_path / "hooks")
    assert run(tmp_path / "hooks" / file) == f"claude {event} {tmp_path}"


@pytest.mark.parametrize(
    ("root", "hooks"),
    [
        ("checkout", "checkout/hooks"),
        ("vectr_hooks", "vectr_hooks/hooks"),
        ("site-packages", "site-packages/vectr_hooks/hooks"),
        ("vectr_hooks/vectr_hooks", "vectr_hooks/vectr_hooks/hooks"),
        ("a b'c", "a b'c/hooks"),
    ],
)
def test_the_package_is_found_in_a_checkout_of_any_name_and_in_a_wheel(
    tmp_path: Path, root: str, hooks: str
) -> None:
    lay_out(tmp_path / root, tmp_path / hooks)
    assert run(tmp_path / hooks / "pre_compact.py") == f"claude PreCompact {tmp_path / root}"


@pytest.mark.parametrize("file", [*ENTRY_FILES.values(), HOST_FILE])
def test_an_entry_file_imports_only_os_and_sys_besides_the_hook(file: str) -> None:
    tree = ast.parse((HOOKS / file).read_bytes(), feature_version=(3, 9))
    imported = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [ast.unparse(node) for node in imported] == [
        "import os",
        "import sys",
        "from vectr_hooks.hook import main",
    ]


def test_what_lies_beside_the_package_does_not_shadow_the_standard_library(tmp_path: Path) -> None:
    lay_out(tmp_path, tmp_path / "hooks")
    for folder in (tmp_path, tmp_path / "hooks"):
        (folder / "json.py").write_text("raise SystemExit('shadowed')", encoding="utf-8")
    (tmp_path / "vectr_hooks/hook.py").write_text("import json\n" + STUB, encoding="utf-8")
    assert run(tmp_path / "hooks/session_start.py").startswith("claude SessionStart")
