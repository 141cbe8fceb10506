from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from vectr_hooks.store.workspace import branch, data_home, home_folder, locate, relative_path, store_path

ID = "0123456789abcdef" * 2
OTHER = "fedcba9876543210" * 2


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def found_id(start: Path, home: Path) -> str:
    place = locate(str(start), str(home))
    return place.id if place else "none"


@pytest.fixture
def repository(home: Path) -> Path:
    folder = home / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    (folder / ".git/vectr-hooks").write_text(ID + "\n")
    return folder


def test_a_subfolder_belongs_to_its_repository(repository: Path, home: Path) -> None:
    (repository / "a/b").mkdir(parents=True)
    place = locate(str(repository / "a/b"), str(home))
    assert place
    assert (place.id, place.root) == (ID, os.path.realpath(repository))


def test_case_16_linked_worktrees_share_the_store(repository: Path, home: Path) -> None:
    git(repository, "worktree", "add", "-q", str(home / "linked"), "-b", "side")
    place = locate(str(home / "linked"), str(home))
    assert place
    assert (place.id, place.root) == (ID, os.path.realpath(home / "linked"))
    assert branch(place) == "side"


def test_case_16_a_submodule_has_its_own_store(repository: Path, home: Path) -> None:
    library = home / "library"
    library.mkdir()
    git(library, "init", "-q")
    git(library, "commit", "-q", "--allow-empty", "-m", "first")
    git(repository, "submodule", "add", "-q", str(library), "sub")
    assert found_id(repository / "sub", home) == ""
    (repository / ".git/modules/sub/vectr-hooks").write_text(OTHER)
    assert found_id(repository / "sub", home) == OTHER
    assert found_id(repository, home) == ID


def test_a_clone_does_not_share_the_store(repository: Path, home: Path) -> None:
    git(home, "clone", "-q", str(repository), "clone")
    assert found_id(home / "clone", home) == ""


def test_moving_the_folder_keeps_the_store(repository: Path, home: Path) -> None:
    repository.rename(home / "moved")
    assert found_id(home / "moved", home) == ID


def test_folders_without_git_have_stores_of_their_own(home: Path) -> None:
    for parent, id in (("a", ID), ("b", OTHER)):
        folder = home / parent / "web/.vectr"
        folder.mkdir(parents=True)
        (folder / "id").write_text(id)
    assert found_id(home / "a/web", home) == ID
    assert found_id(home / "b/web", home) == OTHER
    assert found_id(home / "b", home) == "none"


def test_the_id_in_git_wins_over_an_older_one(repository: Path, home: Path) -> None:
    (repository / ".vectr").mkdir()
    (repository / ".vectr/id").write_text(OTHER)
    assert found_id(repository, home) == ID
    (repository / ".git/vectr-hooks").unlink()
    assert found_id(repository, home) == OTHER


def test_the_search_stops_at_the_first_repository(repository: Path, home: Path) -> None:
    inner = repository / "vendored"
    inner.mkdir()
    git(inner, "init", "-q")
    assert found_id(inner, home) == ""


def test_the_home_folder_is_a_workspace_only_when_started_there(home: Path) -> None:
    (home / ".vectr").mkdir()
    (home / ".vectr/id").write_text(ID)
    (home / "project").mkdir()
    assert found_id(home, home) == ID
    assert found_id(home / "project", home) == "none"


@pytest.mark.parametrize(
    "text", ["", "short", "../../../../etc/passwd", ID + "0", ID.upper(), "0" * 31 + "/"]
)
def test_an_id_of_another_form_is_none(repository: Path, home: Path, text: str) -> None:
    (repository / ".git/vectr-hooks").write_text(text)
    assert found_id(repository, home) == ""


def test_a_pipe_in_place_of_the_id_does_not_hang(repository: Path, home: Path) -> None:
    (repository / ".git/vectr-hooks").unlink()
    os.mkfifo(repository / ".git/vectr-hooks")
    assert found_id(repository, home) == ""


def test_a_link_to_the_project_leads_to_its_store(repository: Path, home: Path) -> None:
    (home / "link").symlink_to(repository)
    assert found_id(home / "link", home) == ID


def test_a_detached_head_is_no_branch(repository: Path, home: Path) -> None:
    place = locate(str(repository), str(home))
    assert place
    assert branch(place) == "main"
    git(repository, "checkout", "-q", "--detach")
    assert branch(place) == ""


@pytest.mark.parametrize(
    ("path", "folder", "relative"),
    [
        ("{root}/src/a.py", "/", "src/a.py"),
        ("src/a.py", "{root}", "src/a.py"),
        ("a.py", "{root}/src", "src/a.py"),
        ("../b.py", "{root}/src", "b.py"),
        ("{root}/src/../c.py", "/", "c.py"),
        ("/etc/passwd", "{root}", ""),
        ("../outside.py", "{root}", ""),
        ("{root}-other/a.py", "/", ""),
        ("{root}/cafe\u0301.py", "/", "café.py"),
        ("{link}/src/a.py", "/", "src/a.py"),
        ("{root}", "/", ""),
    ],
)
def test_paths_are_relative_to_the_root(home: Path, path: str, folder: str, relative: str) -> None:
    root = Path(os.path.realpath(home)) / "root"
    root.mkdir()
    (home / "link").symlink_to(root)
    names = {"root": str(root), "link": str(home / "link")}
    assert relative_path(str(root), path.format(**names), folder.format(**names)) == relative


def test_a_link_inside_the_workspace_keeps_its_own_name(home: Path) -> None:
    root = Path(os.path.realpath(home)) / "root"
    (root / "real").mkdir(parents=True)
    (root / "alias").symlink_to(root / "real")
    assert relative_path(str(root), f"{root}/alias/a.py", "/") == "alias/a.py"


@pytest.mark.skipif(os.name != "posix", reason="names POSIX places")
@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"VECTR_HOOKS_HOME": "/data", "HOME": "/h"}, "/data"),
        ({"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/x/vectr-hooks"),
        ({"XDG_DATA_HOME": "relative", "HOME": "/h"}, "/h/.local/share/vectr-hooks"),
        ({"HOME": "/h"}, "/h/.local/share/vectr-hooks"),
    ],
)
def test_stores_lie_in_the_users_data_folder(
    environ: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    assert data_home(environ) == expected
    assert store_path(expected, ID) == f"{expected}/workspaces/{ID}/notes.db"


def test_without_a_home_the_account_database_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("USERPROFILE", raising=False)
    assert os.path.isabs(home_folder({}))
