from __future__ import annotations

import os
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.project import init_project, open_project
from vectr_hooks.store.create import open_store

OLD_ID = "0123456789abcdef" * 2


def test_a_repository_has_its_id_in_the_git_folder(project: Path, home: Path):
    made = init_project(str(project))
    assert (project / ".git/vectr-hooks").read_text() == made.workspace.id + "\n"
    assert made.root == str(project.resolve())
    assert made.store_path == str(home / "vectr-hooks/workspaces" / made.workspace.id / "notes.db")
    assert not (project / ".vectr").exists()
    with closing(open_store(made.store_path)) as con:
        assert con.execute("SELECT id, root FROM workspace").fetchone()["root"] == made.root


def test_another_folder_has_its_id_in_itself_and_does_not_share_it(tmp_path: Path):
    made = init_project(str(tmp_path))
    assert (tmp_path / ".vectr/id").read_text() == made.workspace.id + "\n"
    assert (tmp_path / ".vectr/.gitignore").read_text() == "/id\n"


def test_init_again_changes_nothing(project: Path):
    first = init_project(str(project))
    again = init_project(str(project))
    assert again.workspace.id == first.workspace.id
    assert sorted(os.listdir(project / ".git")) == ["HEAD", "objects", "refs", "vectr-hooks"]


def test_a_subfolder_belongs_to_its_project(tmp_path: Path, project: Path):
    for root in (project, tmp_path / "plain"):
        (root / "a/b").mkdir(parents=True)
        made = init_project(str(root))
        assert open_project(str(root / "a/b")).workspace.id == made.workspace.id
        assert init_project(str(root / "a/b")).store_path == made.store_path


def test_case_17_two_folders_have_two_stores(tmp_path: Path):
    for name in ("a/web", "b/web"):
        (tmp_path / name).mkdir(parents=True)
    assert (
        init_project(str(tmp_path / "a/web")).store_path != init_project(str(tmp_path / "b/web")).store_path
    )


def test_the_default_is_the_current_folder(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(project)
    assert init_project().root == open_project().root == str(project.resolve())


def test_a_folder_that_became_a_repository_keeps_its_store(tmp_path: Path):
    before = init_project(str(tmp_path))
    (tmp_path / ".git").mkdir()
    assert open_project(str(tmp_path)).store_path == before.store_path
    after = init_project(str(tmp_path))
    assert after.store_path == before.store_path
    assert (tmp_path / ".git/vectr-hooks").read_text() == before.workspace.id + "\n"
    (tmp_path / ".vectr/id").unlink()
    assert open_project(str(tmp_path)).store_path == before.store_path


def test_the_id_of_the_git_folder_wins(project: Path):
    made = init_project(str(project))
    (project / ".vectr").mkdir()
    (project / ".vectr/id").write_text(OLD_ID)
    assert init_project(str(project)).workspace.id == made.workspace.id


def test_a_linked_worktree_shares_the_store(tmp_path: Path):
    def git(*arguments: str) -> None:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        identity = ("-c", "user.name=n", "-c", "user.email=e@example.org")
        subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, env=environment)

    main, linked = str(tmp_path / "main"), str(tmp_path / "linked")
    git("init", main)
    git("-C", main, "commit", "--allow-empty", "-m", "x")
    git("-C", main, "worktree", "add", linked)
    made = init_project(linked)
    assert open_project(main).store_path == made.store_path
    assert open_project(linked).root == os.path.realpath(linked)
    assert os.path.isfile(os.path.join(main, ".git", "vectr-hooks"))


def test_many_processes_that_set_up_at_once_agree(project: Path, tmp_path: Path):
    script = (
        "import sys; from vectr_hooks.project import init_project\n"
        "print(init_project(sys.argv[1]).workspace.id)"
    )
    for root in (project, tmp_path):
        command = [sys.executable, "-c", script, str(root)]
        running = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(5)
        ]
        answers = [process.communicate() for process in running]
        assert [errors for _, errors in answers] == [""] * 5
        assert {id for id, _ in answers} == {open_project(str(root)).workspace.id + "\n"}


@pytest.mark.parametrize("git", [True, False])
def test_a_project_that_was_not_set_up_is_refused(project: Path, tmp_path: Path, git: bool):
    with pytest.raises(VectrHooksError, match="no notes yet") as refused:
        open_project(str(project if git else tmp_path))
    assert "vectr-hooks init" in refused.value.hint


def test_a_missing_folder_is_refused(tmp_path: Path):
    for command in (open_project, init_project):
        with pytest.raises(VectrHooksError, match="not a folder"):
            command(str(tmp_path / "missing"))


def test_a_git_file_that_names_no_repository_is_refused(tmp_path: Path):
    (tmp_path / ".git").write_text("nonsense")
    with pytest.raises(VectrHooksError, match="no repository"):
        init_project(str(tmp_path))
    assert os.listdir(tmp_path / "home") == []
    assert not (tmp_path / ".vectr").exists()


def test_a_file_in_the_place_of_the_id_is_not_written_over(project: Path):
    (project / ".git/vectr-hooks").write_text("someone else's")
    with pytest.raises(VectrHooksError, match="does not hold a project's id") as refused:
        init_project(str(project))
    assert "remove the file" in refused.value.hint
    assert (project / ".git/vectr-hooks").read_text() == "someone else's"


def test_a_gitignore_of_the_users_own_is_left_alone(tmp_path: Path):
    (tmp_path / ".vectr").mkdir()
    (tmp_path / ".vectr/.gitignore").write_text("mine\n")
    init_project(str(tmp_path))
    assert (tmp_path / ".vectr/.gitignore").read_text() == "mine\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with pytest.raises(VectrHooksError, match="cannot be written"):
        init_project(str(folder))


def test_a_link_in_place_of_our_folder_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    project = tmp_path / "plain"
    project.mkdir()
    (project / ".vectr").symlink_to(elsewhere)
    with pytest.raises(VectrHooksError, match="is a link"):
        init_project(str(project))
    assert list(elsewhere.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize(
    ("umask", "file", "folder"), [(0, 0o644, 0o755), (0o022, 0o644, 0o755), (0o077, 0o600, 0o700)]
)
def test_nobody_else_may_write_an_id(
    tmp_path: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    umask: int,
    file: int,
    folder: int,
    links: bool,
):
    if not links:
        # Not every file system has hard links.
        monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError("no links")))
    plain = tmp_path / "plain"
    plain.mkdir()
    before = os.umask(umask)
    try:
        for start in (plain, project):
            init_project(str(start))
    finally:
        os.umask(before)
    for path in (plain / ".vectr/id", plain / ".vectr/.gitignore", project / ".git/vectr-hooks"):
        assert stat.S_IMODE(path.stat().st_mode) == file
    assert stat.S_IMODE((plain / ".vectr").stat().st_mode) == folder
