"""Which client runs the hooks, told by what it leaves, without running it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vectr_hooks.diagnosis.client import PROVED, check, version_in, version_on_path


@pytest.mark.parametrize(
    ("version", "level", "part"),
    [
        (PROVED[0], "ok", "were proved"),
        (PROVED[-1], "ok", "were proved"),
        ("2.1.99", "warning", "older"),
        ("2.1.1000", "ok", "not yet"),
        ("3.0.0", "ok", "not yet"),
    ],
)
def test_a_version_is_told_with_whether_it_was_proved(
    tmp_path: Path, version: str, level: str, part: str
) -> None:
    (found,) = check(transcript(tmp_path, version), {})
    assert (found.level, found.subject) == (level, "client")
    assert f"Claude Code {version}" in found.message
    assert part in found.message


def test_nothing_is_said_of_a_client_that_left_no_trace(tmp_path: Path) -> None:
    assert list(check("", {"PATH": str(tmp_path)})) == []
    assert list(check(str(tmp_path / "gone.jsonl"), {})) == []


def test_the_newest_entry_of_a_transcript_counts_also_of_a_long_one(tmp_path: Path) -> None:
    path = Path(transcript(tmp_path, "2.0.1"))
    text = json.dumps({"type": "user", "message": {"content": "x" * 300_000}}) + "\n"
    path.write_text(path.read_text("utf-8") + text + json.dumps({"version": "2.1.5"}), encoding="utf-8")
    assert version_in(str(path)) == "2.1.5"


def test_a_native_installation_is_named_by_the_file_that_the_link_leads_to(tmp_path: Path) -> None:
    place = tmp_path / "share/claude/versions/2.1.332"
    place.parent.mkdir(parents=True)
    program(place)
    link = tmp_path / "bin/claude"
    link.parent.mkdir()
    link.symlink_to(place)
    assert version_on_path({"PATH": str(link.parent)}) == "2.1.332"


@pytest.mark.parametrize(
    ("package", "version"),
    [
        ({"name": "@anthropic-ai/claude-code", "version": "2.1.197"}, "2.1.197"),
        ({"name": "another", "version": "2.1.197"}, ""),
        ([], ""),
    ],
)
def test_an_installation_by_npm_is_named_by_its_package(
    tmp_path: Path, package: object, version: str
) -> None:
    place = tmp_path / "lib/node_modules/@anthropic-ai/claude-code"
    (place / "bin").mkdir(parents=True)
    (place / "package.json").write_text(json.dumps(package), encoding="utf-8")
    program(place / "bin/claude")
    assert version_on_path({"PATH": str(place / "bin")}) == version


def transcript(folder: Path, version: str) -> str:
    path = folder / "session.jsonl"
    path.write_text(json.dumps({"type": "user", "version": version}) + "\n", encoding="utf-8")
    return str(path)


def program(path: Path) -> None:
    path.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    path.chmod(0o755)
