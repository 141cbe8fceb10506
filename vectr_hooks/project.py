"""The project a command works on: found from a folder, or set up there."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.create import create_store
from vectr_hooks.store.workspace import Workspace, data_home, home_folder, locate, store_path

# How long another process may take between creating the id's file and having written it.
_WAIT_SECONDS = 1.0


@dataclass(frozen=True)
class Project:
    """A workspace with an id, and where its store is, or would be."""

    root: str
    """Absolute, symbolic links resolved."""
    workspace: Workspace
    data_home: str
    store_path: str


def open_project(start: str | None = None) -> Project:
    """Find the project that `start` (default: the current folder) lies in; refuse where there is none."""
    folder = _folder(start)
    workspace = _locate(folder)
    if workspace is None or not workspace.id:
        place = workspace.root if workspace else folder
        raise VectrHooksError(f"{place} has no notes yet", "run `vectr-hooks init` there")
    return _project(workspace)


def init_project(start: str | None = None) -> Project:
    """Give the project at `start` an id and a store; leave what it has of them as it is.

    A repository's id lies in its common git folder, so that linked worktrees share it and clones do not;
    elsewhere it lies in `.vectr/id` of `start` itself. Any number of processes may do this at once.
    """
    folder = _folder(start)
    workspace = _locate(folder)
    if workspace is None:
        if os.path.lexists(os.path.join(folder, ".git")):
            raise VectrHooksError(f"{folder} has a `.git` that is no repository", "repair or remove it")
        workspace = Workspace(folder, "", os.path.join(folder, ".vectr", "id"))
        _make_own_folder(os.path.dirname(workspace.id_file))
    # The older id of a folder that has become a repository since is the one that its store is under.
    _write_id(workspace.id_file, workspace.id or os.urandom(16).hex())
    project = _project(_identified(folder, workspace))
    create_store(project.store_path, project.workspace.id, project.root, time.time_ns() // 1_000_000)
    return project


def _folder(start: str | None) -> str:
    folder = os.path.realpath(start if start is not None else os.getcwd())
    if not os.path.isdir(folder):
        raise VectrHooksError(f"{folder} is not a folder", "name the project's folder")
    try:
        folder.encode()
    except UnicodeEncodeError:
        raise VectrHooksError(
            f"the folder's path is not UTF-8: {folder!a}", "rename what of it is not"
        ) from None
    return folder


def _locate(folder: str) -> Workspace | None:
    return locate(folder, home_folder(dict(os.environ)))


def _project(workspace: Workspace) -> Project:
    home = data_home(dict(os.environ))
    return Project(workspace.root, workspace, home, store_path(home, workspace.id))


def _identified(folder: str, before: Workspace) -> Workspace:
    """The workspace as hooks will find it, once its id's file is written, by this process or another."""
    give_up = time.monotonic() + _WAIT_SECONDS
    while True:
        workspace = _locate(folder)
        if workspace is not None and workspace.id and workspace.id_file == before.id_file:
            return workspace
        if time.monotonic() > give_up:
            raise VectrHooksError(
                f"{before.id_file} does not hold a project's id",
                "remove the file and run `vectr-hooks init` again",
            )
        time.sleep(0.01)


def _make_own_folder(folder: str) -> None:
    """Make `.vectr`. Should the folder become a repository, its clones are to have ids of their own."""
    if os.path.islink(folder):
        raise VectrHooksError(f"{folder} is a link, and leads who knows where", "remove it, then try again")
    try:
        os.makedirs(folder, 0o755, exist_ok=True)
        _write_new(os.path.join(folder, ".gitignore"), "/id\n")
    except FileExistsError:
        pass
    except OSError as error:
        raise _unwritable(folder, error) from error


def _write_id(path: str, id: str) -> None:
    """Write `id` to `path` unless the file is there; nobody ever sees a part of it."""
    if os.path.exists(path):
        return
    draft = f"{path}.{os.urandom(8).hex()}"
    try:
        _write_new(draft, id + "\n")
        try:
            os.link(draft, path)
        finally:
            os.remove(draft)
    except FileExistsError:
        return
    except OSError:
        _write_id_in_place(path, id)


def _write_id_in_place(path: str, id: str) -> None:
    """The same where the file system has no hard links: whoever reads may have to wait for the content."""
    try:
        _write_new(path, id + "\n")
    except FileExistsError:
        return
    except OSError as error:
        raise _unwritable(path, error) from error


def _write_new(path: str, text: str) -> None:
    """Write a new file that nobody but its owner may ever write, whatever the umask: it tells whose notes."""
    with open(path, "x", encoding="ascii", newline="\n", opener=_for_the_owner) as file:
        file.write(text)


def _for_the_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o644)


def _unwritable(path: str, error: OSError) -> VectrHooksError:
    return VectrHooksError(f"{path} cannot be written: {error.strerror}", "check who may write there")
