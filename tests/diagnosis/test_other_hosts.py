"""What doctor says of hosts other than Claude Code."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.hosts.playing import Player
from vectr_hooks.cli import program
from vectr_hooks.diagnosis import other_hosts, registrations
from vectr_hooks.registration import support


@pytest.fixture(autouse=True)
def _in_project(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", str(tmp_path))


def run(*words: str) -> str:
    result = CliRunner().invoke(program, words)
    assert result.exit_code == 0, result.output
    return result.stdout


def found(project: Path, environ: Mapping[str, str] = os.environ) -> list[str]:
    return [f"{each.level}: {each.message}" for each in other_hosts.check(str(project), environ)]


def test_where_nothing_is_registered_there_is_nothing_to_say(project: Path) -> None:
    assert found(project) == []


def test_codex_is_known_to_run_only_what_it_was_told_to_trust(project: Path, home: Path) -> None:
    run("install", "--host", "codex")
    path = project / ".codex/hooks.json"
    registered = f"ok: registered for all 6 events of Codex CLI: {path}"
    assert found(project) == [
        registered,
        "warning: Codex CLI runs no hook that it was not told to trust, and was told so of none",
    ]
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text('[hooks.state."x"]\ntrusted_hash = "y"\n', encoding="utf-8")
    assert found(project) == [registered]


def test_copilot_is_known_to_run_a_projects_hooks_only_in_a_trusted_folder(project: Path, home: Path) -> None:
    run("install", "--host", "copilot")
    assert any("was not told to trust" in message for message in found(project))
    (home / ".copilot").mkdir()
    text = json.dumps({"trustedFolders": [str(home)]})
    (home / ".copilot/config.json").write_text(text, encoding="utf-8")
    assert not any("trust" in message for message in found(project))


def test_a_registration_that_lost_events_or_files_is_mended_by_install(project: Path) -> None:
    run("install", "--host", "gemini")
    path = project / ".gemini/settings.json"
    document = json.loads(path.read_text("utf-8"))
    del document["hooks"]["AfterTool"]
    text = json.dumps(document)
    path.write_text(text, encoding="utf-8")
    assert found(project) == [f"warning: not registered for AfterTool of Gemini CLI: {path}"]
    path.write_text(text.replace("/hooks/host.py", "/gone/vectr-hooks/hooks/host.py"), encoding="utf-8")
    (error, _) = other_hosts.check(str(project), os.environ)
    assert error.level == "error"
    assert "host.py is missing" in error.message
    assert error.fix == "vectr-hooks install --host gemini --scope project"
    run("install", "--host", "gemini")
    assert [message[:2] for message in found(project)] == ["ok"]


def test_hooks_that_look_for_their_notes_elsewhere_are_found_out(project: Path) -> None:
    run("install", "--host", "gemini")
    (said,) = found(project, {**os.environ, "VECTR_HOOKS_HOME": str(project / "elsewhere")})[1:]
    assert said.startswith(f"error: {project}/.gemini/settings.json: hooks look for notes in ")
    assert found(project)[1:] == []


def test_a_host_that_was_not_run_is_named_as_one(project: Path) -> None:
    run("install", "--host", "cursor")
    assert found(project)[-1].startswith("ok: Cursor: the hooks were written by its documentation")


@pytest.mark.parametrize(
    ("version", "said"),
    [(support.SUPPORT["codex"].version, "with which the hooks were proved"), ("9.9.9", "not yet with it")],
)
def test_the_version_on_path_is_compared_with_the_one_that_was_proved(
    project: Path, home: Path, tmp_path: Path, version: str, said: str
) -> None:
    package = tmp_path / "lib/@openai/codex"
    (package / "bin").mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": "@openai/codex", "version": version}), "utf-8")
    (package / "bin/codex.js").write_text("#!/bin/sh\n", encoding="utf-8")
    (package / "bin/codex.js").chmod(0o755)
    (tmp_path / "codex").symlink_to(package / "bin/codex.js")
    run("install", "--host", "codex")
    assert found(project)[-1] == f"ok: Codex CLI {version}" + (
        f", {said}" if "with which" in said else f"; the hooks were proved with 0.171.0, {said}"
    )


def test_hooks_of_another_host_are_hooks(project: Path, home: Path) -> None:
    assert registrations.obstacle(str(project), str(project), os.environ, True)
    run("install", "--host", "codex")
    assert not registrations.obstacle(str(project), str(project), os.environ, True)
    shutil.rmtree(project / ".codex")
    assert registrations.obstacle(str(project), str(project), os.environ, True)


def test_doctor_says_it_all(project: Path) -> None:
    run("install", "--host", "codex")
    said = run("doctor")
    assert "not registered for Claude Code" in said
    assert "registered for all 6 events of Codex CLI" in said


def test_another_hosts_record_says_nothing_of_the_version_of_claude_code(
    project: Path, store_path: Path, tmp_path: Path
) -> None:
    record = tmp_path / "rollout-1.jsonl"
    record.write_text('{"version":"0.1.2"}\n', encoding="utf-8")
    Player("codex", project).play("SessionStart_startup", transcript_path=str(record))
    run("install", "--host", "codex")
    assert "Claude Code 0.1.2" not in run("doctor")
