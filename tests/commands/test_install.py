"""`install` and `uninstall` as somebody calls them, on real files."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vectr_hooks import caller
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
def test_case_39_install_twice_and_uninstall_leaves_settings_as_they_were(
    files: dict[str, Path], scope: str
) -> None:
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
def test_case_39_refused_settings_and_everything_else_stay_as_they_are(
    home: Path, files: dict[str, Path], scope: str, text: str
) -> None:
    write(files[scope], text)
    before = snapshot(home)
    said = run("install", "--scope", scope, status=1).stderr
    assert said.startswith(f"error: {files[scope]}: ")
    assert "\nhint: " in said
    assert snapshot(home) == before


@pytest.mark.parametrize("scope", SCOPES)
def test_case_40_beside_the_enabled_plugin_nothing_is_installed(
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


class Terminal:
    """Somebody at a terminal, who answers what they are asked."""

    def __init__(self, *answers: str) -> None:
        self.answers = "".join(f"{answer}\n" for answer in answers)

    def run(self, *words: str | Path, status: int = 0) -> Result:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(caller, "at_terminal", lambda: True)
            result = CliRunner().invoke(program, [str(word) for word in words], input=self.answers)
        assert result.exit_code == status, result.output
        return result


MEMORY = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "npx claude-mem hook"}]}]}}


def test_beside_another_memory_a_script_has_to_say_so(home: Path, files: dict[str, Path]) -> None:
    write(files["user"], MEMORY)
    before = snapshot(home)
    said = run("install", status=1).stderr
    assert said.startswith("error: another memory is at work here: claude-mem (its SessionStart hook in ")
    assert "hint: two put text into the same context: tokens are spent twice" in said
    assert "--yes" in said
    assert snapshot(home) == before
    assert "claude-mem" in run("install", "--yes").stderr
    assert files["project"].is_file()
    # What is installed already is not asked about again.
    assert "claude-mem" not in run("install").stderr


def test_beside_another_memory_somebody_at_a_terminal_is_asked(home: Path, files: dict[str, Path]) -> None:
    write(files["user"], MEMORY)
    before = snapshot(home)
    said = Terminal("n").run("install").stderr
    assert "Another memory is at work here: claude-mem" in said
    assert "Install beside it all the same? [y/N]" in said
    assert "Nothing was changed." in said
    assert snapshot(home) == before
    Terminal("y").run("install")
    assert files["project"].is_file()


def test_a_dry_run_names_another_memory_and_asks_nothing(files: dict[str, Path]) -> None:
    write(files["user"], MEMORY)
    result = run("install", "--dry-run")
    assert "claude-mem" in result.stderr
    assert "pre_compact.py" in result.stdout


def test_in_the_home_folder_it_says_that_it_holds_for_all_projects(home: Path) -> None:
    result = run("install", "--project", home)
    assert f"{home}/.claude/settings.json are your own settings for all projects" in result.stderr
    assert "started in any project with a store" in result.stdout
    assert (home / ".claude/settings.json").is_file()
    assert "all projects" not in run("install").stderr


def test_a_program_that_is_not_on_path_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "not on PATH: an agent cannot write notes" in run("install").stderr
    (tmp_path / "vectr-hooks").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "vectr-hooks").chmod(0o755)
    assert "PATH" not in run("install").stderr


def test_case_40_a_plugin_that_a_nearer_scope_switches_off_is_no_obstacle(files: dict[str, Path]) -> None:
    write(files["user"], {"enabledPlugins": {"vectr-hooks@market": True}})
    write(files["local"], {"enabledPlugins": {"vectr-hooks@market": False}})
    run("install")
    write(files["local"], {"enabledPlugins": {"vectr-hooks@market": True}})
    write(files["user"], {"enabledPlugins": {"vectr-hooks@market": False}})
    assert f"plugin is enabled in {files['local']}" in run("install", status=1).stderr


def test_uninstall_leaves_nothing_but_the_store(home: Path, project: Path, files: dict[str, Path]) -> None:
    run("init")
    text = write(files["user"], '{"model": "opus"}')
    before = snapshot(home)
    for scope in SCOPES:
        run("install", "--scope", scope)
    run("uninstall")
    assert snapshot(home) == before
    assert files["user"].read_text("utf-8") == text
    assert not (home / "vectr-hooks/backups").exists()


def test_uninstall_names_where_a_file_is_kept_that_it_had_to_edit(files: dict[str, Path]) -> None:
    run("install")
    edited = write(files["project"], json.loads(files["project"].read_text("utf-8")) | {"model": "opus"})
    kept = run("uninstall").stdout.splitlines()[0].rpartition(" ")[2]
    assert Path(kept).read_text("utf-8") == edited


def remember(text: str) -> None:
    run("remember", text, "--kind", "directive")


def test_purge_deletes_all_that_was_ever_ours(home: Path, project: Path) -> None:
    before = snapshot(home)
    run("install", "--scope", "local")
    remember("Run the tests with make.")
    run("backup")
    (store,) = (home / "vectr-hooks/workspaces").iterdir()
    (store / "errors.log").write_text("1 PreCompact: x\n", encoding="utf-8")
    run("index", "--lexical")
    index = home / "vectr-hooks/cache" / store.name
    assert index.is_dir()
    said = run("uninstall", "--purge", "--yes").stdout
    assert (
        f"Deleted 1 note and all that was kept with it: {store}, {index}, {project}/.git/vectr-hooks" in said
    )
    assert snapshot(home) == before
    assert not (home / "vectr-hooks").exists()
    assert not (project / ".claude").exists()
    assert "There are no notes here" in run("uninstall", "--purge").stdout


def test_purge_asks_and_says_how_many_notes_die(home: Path, project: Path) -> None:
    run("install")
    remember("One.")
    remember("Two.")
    before = snapshot(home)
    said = Terminal("n").run("uninstall", "--purge").stderr
    assert f"this deletes 2 notes of {project}, with all their revisions and backups, for good" in said
    assert "Nothing was changed." in said
    assert "--yes" in run("uninstall", "--purge", status=1).stderr
    assert "would delete:\n" in run("uninstall", "--purge", "--dry-run").stdout
    after = snapshot(home)
    assert {name for name in before if "-shm" not in name} <= set(after)
    Terminal("y").run("uninstall", "--purge")
    assert not (home / "vectr-hooks").exists()


def test_purge_outside_git_leaves_no_folder_and_no_file_of_somebody_else_goes(home: Path) -> None:
    folder = home / "plain"
    folder.mkdir()
    run("init", "--project", folder)
    run("uninstall", "--purge", "--yes", "--project", folder)
    assert list(folder.iterdir()) == []
    run("init", "--project", folder)
    (folder / ".vectr/notes").mkdir()
    run("uninstall", "--purge", "--yes", "--project", folder)
    assert sorted(path.name for path in (folder / ".vectr").iterdir()) == [".gitignore", "notes"]


def test_purge_says_which_worktrees_and_copies_lose_their_notes_with_it(home: Path, project: Path) -> None:
    run("init")
    remember("One.")
    tree = home / "tree"
    (project / ".git/worktrees/tree").mkdir(parents=True)
    (project / ".git/worktrees/tree/gitdir").write_text(f"{tree}/.git\n", encoding="utf-8")
    (project / ".git/worktrees/tree/commondir").write_text("../..\n", encoding="utf-8")
    (project / ".git/worktrees/tree/HEAD").write_text("ref: refs/heads/x\n", encoding="utf-8")
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {project}/.git/worktrees/tree\n", encoding="utf-8")
    copy = home / "copy"
    shutil.copytree(project, copy)
    for folder, others in ((project, [tree]), (tree, [project]), (copy, [tree, project])):
        said = run("uninstall", "--purge", "--project", folder, status=1).stderr
        assert f"of {folder}, which {', '.join(map(str, others))} use as well" in said


def test_purge_of_a_store_that_cannot_be_read_goes_on(home: Path, project: Path) -> None:
    run("init")
    (store,) = (home / "vectr-hooks/workspaces").iterdir()
    (store / "notes.db").write_bytes(b"nonsense" * 1000)
    assert "a store that cannot be read" in run("uninstall", "--purge", "--yes").stdout
    assert not store.exists()


def test_other_projects_notes_stay(home: Path, project: Path) -> None:
    other = home / "other"
    other.mkdir()
    run("init", "--project", other)
    run("init")
    run("uninstall", "--purge", "--yes")
    assert len(list((home / "vectr-hooks/workspaces").iterdir())) == 1


@pytest.mark.parametrize("id", ["link", "foreign"])
def test_purge_deletes_no_id_but_its_own(home: Path, project: Path, id: str) -> None:
    other = home / "other"
    other.mkdir()
    run("init", "--project", other)
    run("remember", "Of the other.", "--kind", "directive", "--project", other)
    run("init")
    if id == "link":
        (project / ".vectr").symlink_to(other / ".vectr")
    else:
        write(project / ".vectr/id", "work\n")
    foreign, before = (project / ".vectr/id").read_bytes(), snapshot(other)
    asked = run("uninstall", "--purge", status=1).stderr
    assert f"and the project's id: {project}/.git/vectr-hooks; nothing was changed" in asked
    run("uninstall", "--purge", "--yes")
    assert not (project / ".git/vectr-hooks").exists()
    assert (project / ".vectr/id").read_bytes() == foreign
    assert snapshot(other) == before


def test_purge_through_a_link_to_a_gitignore_leaves_it(home: Path) -> None:
    folder = home / "plain"
    folder.mkdir()
    run("init", "--project", folder)
    ignore = folder / ".vectr/.gitignore"
    ignore.rename(home / "ignore")
    ignore.symlink_to(home / "ignore")
    run("uninstall", "--purge", "--yes", "--project", folder)
    assert [path.name for path in (folder / ".vectr").iterdir()] == [".gitignore"]
    assert ignore.is_symlink()


@pytest.mark.parametrize("again", [False, True], ids=["at once", "after init"])
def test_purge_deletes_what_one_that_was_cut_off_left(home: Path, project: Path, again: bool) -> None:
    run("init")
    remember("One.")
    (store,) = (home / "vectr-hooks/workspaces").iterdir()
    left = [store.with_name(f"{store.name}.deleted"), store.with_name(f"{store.name}.deleted-01234567")]
    shutil.copytree(store, left[0])
    store.rename(left[1])
    if again:
        run("init")
    said = run("uninstall", "--purge", "--yes").stdout
    assert "Deleted 2 notes and all that was kept with them" in said
    assert all(str(folder) in said for folder in left)
    assert not (home / "vectr-hooks").exists()
    assert not (project / ".git/vectr-hooks").exists()


def test_a_purge_that_is_killed_is_finished_by_the_next(home: Path, project: Path) -> None:
    run("init")
    remember("One.")
    script = (
        "import os, shutil, signal\n"
        "shutil.rmtree = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "from vectr_hooks.cli import program\n"
        "program(['uninstall', '--purge', '--yes'])\n"
    )
    root = Path(__file__).resolve().parents[2]
    killed = subprocess.run([sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": str(root)})
    assert killed.returncode < 0
    assert (project / ".git/vectr-hooks").exists()
    assert "Deleted 1 note " in run("uninstall", "--purge", "--yes").stdout
    assert not (home / "vectr-hooks").exists()
    assert not (project / ".git/vectr-hooks").exists()


def test_purge_refuses_a_store_whose_folder_is_a_link_and_changes_nothing(home: Path) -> None:
    run("install")
    remember("One.")
    (store,) = (home / "vectr-hooks/workspaces").iterdir()
    store.rename(home / "elsewhere")
    store.symlink_to(home / "elsewhere")
    before = snapshot(home)
    assert f"{store} is a link, to {home}/elsewhere" in run("uninstall", "--purge", "--yes", status=1).stderr
    assert snapshot(home) == before
    assert store.is_symlink()


def test_purge_deletes_no_id_where_there_is_no_store(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("init")
    remember("One.")
    before = snapshot(home)
    with monkeypatch.context() as elsewhere:
        elsewhere.delenv("VECTR_HOOKS_HOME")
        said = run("uninstall", "--purge", "--yes").stdout
    assert (
        f"There is no store of {project} in {home}/.local/share/vectr-hooks, so nothing was deleted" in said
    )
    assert f"{project}/.git/vectr-hooks" in said
    assert snapshot(home) == before


def test_purge_refuses_where_the_hooks_use_another_home(
    home: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write(files["project"], '{"model":  "opus"}')
    run("install")
    remember("One.")
    before = snapshot(home)
    for name, value in (("VECTR_HOOKS_HOME", ""), ("VECTR_HOOKS_HOME", str(home / "third"))):
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv(name, value)
            refused = run("uninstall", "--purge", "--yes", status=1).stderr
        assert f"use the notes in {home}/vectr-hooks, not those in {value or home}" in refused
        assert f"run it with VECTR_HOOKS_HOME={home}/vectr-hooks" in refused
        assert snapshot(home) == before
    run("uninstall", "--purge", "--yes")
    assert files["project"].read_text("utf-8") == text
    assert not (home / "vectr-hooks").exists()


def test_uninstall_undoes_from_the_home_that_the_hooks_use(
    home: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write(files["project"], '{"model":  "opus"}')
    run("install")
    run("install", "--scope", "local")
    with monkeypatch.context() as elsewhere:
        elsewhere.delenv("VECTR_HOOKS_HOME")
        run("uninstall")
    assert files["project"].read_text("utf-8") == text
    assert not files["local"].exists()
    assert not (home / ".local").exists()
    assert not (home / "vectr-hooks/backups").exists()


def test_uninstall_makes_no_home_that_only_a_shared_file_names(home: Path, files: dict[str, Path]) -> None:
    write(files["project"], '{"model": "opus"}')
    run("install")
    named = files["project"].read_text("utf-8").replace(f"{home}/vectr-hooks", f"{home}/of-another-machine")
    write(files["project"], named)
    run("uninstall")
    assert "hooks" not in json.loads(files["project"].read_text("utf-8"))
    assert not (home / "of-another-machine").exists()
