"""What stands in an interpreter's place is named, with what it costs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from vectr_hooks.diagnosis.finding import Finding
from vectr_hooks.diagnosis.installed import PLUGIN, Installed
from vectr_hooks.diagnosis.interpreters import check, kind


def found(path: str, place: str = "/settings.json", root: str = "") -> list[Finding]:
    commands = [
        Installed(event, "x", place, "user", path, "/opt/hooks/x.py", plugin_root=root)
        for event in ("PreCompact", "SessionStart")
    ]
    return list(check(commands, os.environ))


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/home/a/.pyenv/shims/python3", "a shim of pyenv"),
        ("/opt/pyenv/shims/python3", "a shim of pyenv"),
        ("/home/a/.asdf/shims/python3", "a shim of asdf"),
        ("/home/a/.local/share/mise/shims/python3", "a shim of mise"),
        ("/home/a/shims/python3", "a version manager's shim"),
        (r"C:\Users\a\AppData\Local\Microsoft\WindowsApps\python.exe", "the stub of the Windows store"),
        ("/usr/local/bin/python3", "a script"),
    ],
)
def test_it_is_named_by_where_it_lies(path: str, what: str) -> None:
    assert kind(path) == what


def test_a_shim_is_measured_against_the_interpreter_that_it_finds(tmp_path: Path) -> None:
    shim = script(tmp_path / ".pyenv/shims/python3", f'exec "{sys.executable}" "$@"')
    (remark,) = found(shim)
    assert (remark.level, remark.fix) == ("warning", "vectr-hooks install --scope user")
    assert f"{shim} is a shim of pyenv" in remark.message
    assert f"times as slowly as with {sys.executable}" in remark.message


def test_one_that_finds_nothing_is_named_all_the_same(tmp_path: Path) -> None:
    (remark,) = found(script(tmp_path / "shims/python3", "exit 1"))
    assert "every hook starts more slowly" in remark.message


def test_for_the_plugin_the_remedy_is_the_path(tmp_path: Path) -> None:
    (remark,) = found(script(tmp_path / "shims/python3", "exit 1"), PLUGIN, "/plugin")
    assert "first on PATH" in remark.fix


def test_an_interpreter_itself_and_one_that_is_gone_are_no_shims() -> None:
    assert found(sys.executable) == found("/nowhere/shims/python3") == []


def script(path: Path, line: str) -> str:
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)
