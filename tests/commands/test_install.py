"""`install` and `uninstall` as somebody calls them, on real files."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vectr_hooks.cli import program
from vectr_hooks.commands import install as install_command
from vectr_hooks.registration.command_line import ENTRY_FILES

SCOPES = ("project", "local", "user")


@pytest.fixture
def files(project: Path, home: Path) -> dict[str, Path]:
    """The settings file of each scope."""
    return {
        "project": project / ".claude/settings.json",
        "local": project / ".claude/settings.local.json",
        "user": home / ".claude/settings.json",
    }


@pytest.fixture(autouse=True)
def _in_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)


def run(*words: str | Path, status: int = 0) -> Result:
    result = CliRunner().invoke(program, [str(word) for word in words])
    assert result.exit_code == status, result.output
    return result


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write(path: Path, content: object) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return text


@pytest.mark.parametrize("scope", SCOPES)
def test_install_registers_one_command_for_each_event(files: dict[str, Path], scope: str, home: Path) -> None:
    run("install", "--scope", scope)
    hooks = json.loads(files[scope].read_text("utf-8"))["hooks"]
    assert list(hooks) == list(ENTRY_FILES)
    for event, (group,) in hooks.items():
        (hook,) = group["hooks"]
        assert set(group) == {"hooks"}
        assert hook == {"type": "command", "command": hook["command"], "timeout": 10}
        words = shlex.split(hook["command"].partition(" || ")[0])
        assert words[:4] == [f"VECTR_HOOKS_HOME={home}/vectr-hooks", sys.executable, "-I", "-S"]
        assert words[4].endswith(f"/hooks/{ENTRY_FILES[event]}")
        assert hook["command"].endswith("exit 0")
    assert not [path for other, path in files.items() if other != scope and path.exists()]


def test_the_data_home_is_not_written_where_it_was_not_set(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VECTR_HOOKS_HOME")
    run("install")
    assert "VECTR_HOOKS_HOME" not in files["project"].read_text("utf-8")


def test_install_makes_the_store_that_remember_needs(project: Path) -> None:
    said = run("install").stdout
    assert (project / ".git/vectr-hooks").is_file()
    assert said.splitlines()[-1].strip() == install_command.first_note(None)


def test_for_all_projects_no_store_is_made_unless_one_is_named(project: Path) -> None:
    run("install", "--scope", "user")
    assert not (project / ".git/vectr-hooks").exists()
    said = run("install", "--scope", "user", "--project", project).stdout
    assert (project / ".git/vectr-hooks").is_file()
    assert f"--kind directive --project {project}" in said


@pytest.mark.parametrize("scope", SCOPES)
def test_install_twice_and_uninstall_leaves_settings_as_they_were(files: dict[str, Path], scope: str) -> None:
    text = write(files[scope], '{\r\n\t"model": "opus", "hooks": null\r\n}')
    assert "Registered the hooks in" in run("install", "--scope", scope).stdout
    installed = files[scope].read_bytes()
    assert "Already installed" in run("install", "--scope", scope).stdout
    assert files[scope].read_bytes() == installed
    assert "byte for byte" in run("uninstall").stdout
    assert files[scope].read_bytes() == text.encode()


def test_uninstall_takes_away_the_file_and_folder_that_install_made_and_keeps_the_store(
    project: Path,
) -> None:
    run("init")
    before = snapshot(project)
    run("install")
    assert "Deleted" in run("uninstall").stdout
    assert snapshot(project) == before
    assert not (project / ".claude").exists()


def test_uninstall_removes_every_scope_or_the_one_that_is_named(files: dict[str, Path]) -> None:
    for scope in SCOPES:
        run("install", "--scope", scope)
    run("uninstall", "--scope", "local")
    assert [scope for scope in SCOPES if files[scope].exists()] == ["project", "user"]
    run("uninstall")
    assert not [scope for scope in SCOPES if files[scope].exists()]
    assert "nothing to remove" in run("uninstall").stdout


@pytest.mark.parametrize("scope", SCOPES)
def test_dry_runs_show_the_change_and_make_none(home: Path, files: dict[str, Path], scope: str) -> None:
    write(files[scope], {"model": "opus"})
    before = snapshot(home)
    diff = run("install", "--scope", scope, "--dry-run").stdout
    assert f"--- {files[scope]}\n+++ {files[scope]}\n" in diff
    assert "pre_compact.py" in diff
    assert snapshot(home) == before
    run("install", "--scope", scope)
    before = snapshot(home)
    assert "nothing would change" in run("install", "--scope", scope, "--dry-run").stdout
    assert '+{"model": "opus"}' in run("uninstall", "--dry-run").stdout
    assert snapshot(home) == before


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("text", ['{"a": 1,}', '{\n  // note\n  "a": 1}', '{"hooks": []}'])
def test_refused_settings_and_everything_else_stay_as_they_are(
    home: Path, files: dict[str, Path], scope: str, text: str
) -> None:
    write(files[scope], text)
    before = snapshot(home)
    said = run("install", "--scope", scope, status=1).stderr
    assert said.startswith(f"error: {files[scope]}: ")
    assert "\nhint: " in said
    assert snapshot(home) == before


@pytest.mark.parametrize("scope", SCOPES)
def test_beside_the_enabled_plugin_nothing_is_installed(
    home: Path, files: dict[str, Path], scope: str
) -> None:
    write(files[scope], {"enabledPlugins": {"vectr-hooks@market": True}})
    before = snapshot(home)
    for other in SCOPES:
        said = run("install", "--scope", other, status=1).stderr
        assert f"plugin is enabled in {files[scope]}" in said
    assert snapshot(home) == before


def test_a_plugin_that_is_switched_off_is_no_obstacle(files: dict[str, Path]) -> None:
    write(files["user"], {"enabledPlugins": {"vectr-hooks@market": False}})
    run("install")


def test_hooks_of_another_scope_are_named_and_not_doubled_in_this_one(files: dict[str, Path]) -> None:
    run("install", "--scope", "user")
    result = run("install")
    assert f"{files['user']} registers the hooks as well" in result.stderr
    assert "registers the hooks as well" not in result.stdout


def test_settings_that_switch_all_hooks_off_are_named(files: dict[str, Path]) -> None:
    write(files["local"], {"disableAllHooks": True})
    assert f"{files['local']} sets disableAllHooks" in run("install").stderr


def tracked(project: Path, *paths: Path) -> None:
    for words in (["init", "--quiet"], ["add", "--force", *map(str, paths)]):
        subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)


def test_a_tracked_settings_file_gets_a_remark_that_names_the_other_scope(
    project: Path, files: dict[str, Path]
) -> None:
    for scope in ("project", "local"):
        write(files[scope], "{}")
    assert "git" not in run("install", "--dry-run").stderr
    tracked(project, files["project"], files["local"])
    assert "--scope local" in run("install", "--dry-run").stderr
    assert "git" not in run("install", "--scope", "local").stderr
    assert "absolute paths" in run("install").stderr
    assert "git" not in run("install").stderr


def test_without_git_nothing_is_said_about_it(
    project: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(files["project"], "{}")
    tracked(project, files["project"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git" not in run("install").stderr


def test_from_a_folder_of_the_repository_its_root_is_installed_into(
    project: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project / "src/deep"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert f"started in {project}," in run("install").stdout
    assert files["project"].is_file()
    run("uninstall")
    assert not files["project"].exists()


def test_a_folder_with_settings_of_its_own_is_installed_into(project: Path, files: dict[str, Path]) -> None:
    (project / "app/.claude").mkdir(parents=True)
    run("install", "--project", "app")
    assert (project / "app/.claude/settings.json").is_file()
    assert not files["project"].exists()
    run("uninstall", "--project", "app")
    assert list((project / "app/.claude").iterdir()) == []


def test_a_folder_without_git_is_installed_into(tmp_path: Path) -> None:
    folder = tmp_path / "plain folder"
    folder.mkdir()
    run("install", "--project", folder)
    assert (folder / ".claude/settings.json").is_file()
    assert (folder / ".vectr/id").is_file()


def test_uninstall_leaves_other_scopes_that_cannot_be_read_and_says_so(files: dict[str, Path]) -> None:
    run("install")
    write(files["user"], "{,}")
    result = run("uninstall")
    assert f"{files['user']}: line 1, column 2" in result.stderr
    assert not files["project"].exists()
    assert files["user"].read_text("utf-8") == "{,}"
    run("uninstall", "--scope", "user", status=1)


def test_settings_that_were_changed_lose_only_our_entries(files: dict[str, Path]) -> None:
    run("install")
    write(files["project"], json.loads(files["project"].read_text("utf-8")) | {"model": "opus"})
    assert "everything else in it stays" in run("uninstall").stdout
    assert files["project"].read_text("utf-8") == '{"model": "opus"}'


def test_the_hook_path_is_compiled(tmp_path: Path) -> None:
    package = tmp_path / "vectr_hooks"
    (package / "core").mkdir(parents=True)
    for file in ("__init__.py", "core/model.py"):
        (package / file).touch()
    install_command.compile_hook_path(str(package))
    assert {path.parent.parent for path in package.rglob("*.pyc")} == {package, package / "core"}


def test_a_scope_that_does_not_exist_is_a_usage_error() -> None:
    assert "'project', 'local', 'user'" in run("install", "--scope", "global", status=2).stderr
    assert os.listdir(".") == [".git"]
