"""`install --guidance`: nothing goes into a file that is always loaded before it was shown and agreed to."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.commands.terminal import at_terminal
from vectr_hooks.cli import program
from vectr_hooks.core.guidance_block import BEGINS

RULES = "# Project\n\nRun make.\n"


@pytest.fixture
def file(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(project)
    found = project / "CLAUDE.md"
    found.write_text(RULES, encoding="utf-8")
    return found


def run(*words: str, status: int = 0) -> Result:
    result = CliRunner().invoke(program, words)
    assert result.exit_code == status, result.output
    return result


def test_install_writes_no_guidance_unless_it_is_asked_to(file: Path) -> None:
    run("install", "--yes")
    assert file.read_text("utf-8") == RULES


def test_a_script_has_to_agree_and_sees_the_change(file: Path, project: Path) -> None:
    refused = run("install", "--guidance", status=1)
    assert f"+{BEGINS}" in refused.stderr.splitlines()
    assert "`--yes`" in refused.stderr
    assert file.read_text("utf-8") == RULES
    assert not (project / ".claude").exists()


def test_a_dry_run_shows_both_changes_and_makes_none(file: Path, project: Path) -> None:
    shown = run("install", "--guidance", "--dry-run").stdout
    assert str(file) in shown
    assert "settings.json" in shown
    assert f"+{BEGINS}" in shown.splitlines()
    assert file.read_text("utf-8") == RULES
    assert not (project / ".claude").exists()


def test_it_is_written_once_and_taken_out_again(file: Path) -> None:
    written = run("install", "--guidance", "--yes")
    assert f"+{BEGINS}" in written.stderr.splitlines()
    assert str(file) in written.stdout
    added = file.read_text("utf-8")
    assert added.startswith(RULES)
    assert "is current" in run("install", "--guidance").stdout
    assert "nothing would change" in run("install", "--guidance", "--dry-run").stdout
    assert file.read_text("utf-8") == added
    assert f"-{BEGINS}" in run("uninstall", "--dry-run").stdout.splitlines()
    run("uninstall", "--scope", "user")
    assert file.read_text("utf-8") == added
    assert f"Put {file} back as it was" in run("uninstall").stdout
    assert file.read_text("utf-8") == RULES


@pytest.mark.parametrize(("answer", "writes"), [(b"y\n", True), (b"n\n", False), (b"\n", False)])
def test_a_person_is_asked_and_the_hooks_are_installed_all_the_same(
    file: Path, project: Path, answer: bytes, writes: bool
) -> None:
    code, told = at_terminal("install", "--guidance", answers=answer)
    assert code == 0
    assert "always load?" in told
    assert (BEGINS in file.read_text("utf-8")) is writes
    assert (project / ".claude/settings.json").exists()


def test_beside_the_plugin_it_is_all_that_is_written(file: Path, project: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"enabledPlugins": {"vectr-hooks@market": true}}', "utf-8")
    assert f"+{BEGINS}" in run("install", "--guidance", "--dry-run").stdout.splitlines()
    assert "`--yes` writes the guidance" in run("install", "--guidance", status=1).stderr
    assert file.read_text("utf-8") == RULES
    done = run("install", "--guidance", "--yes")
    assert "nothing but the guidance is installed" in done.stderr
    assert file.read_text("utf-8").startswith(f"{RULES}\n{BEGINS}\n")
    assert not (project / ".claude").exists()
    run("uninstall")
    assert file.read_text("utf-8") == RULES


def test_a_file_that_is_read_only_is_refused_before_anything_is_installed(
    file: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Who runs the tests may be allowed everything.
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != file)
    said = run("install", "--guidance", "--yes", status=1).stderr
    assert said.endswith(
        f"error: {file} is read-only\nhint: make it writable; without --guidance it is left as it is\n"
    )
    assert not (project / ".claude").exists()
