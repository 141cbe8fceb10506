"""Where a workspace's code index lies, for its owner alone, and who is at work on it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.workspace import beginning, home_folder

# Names the workspace of an index, so that one which is gone can be told.
_ROOT_FILE = "root"

_LOCK = "index.lock"
_HOLDER = "index.holder"
_LONGEST_PATH = 1 << 16


def cache_home(environ: Mapping[str, str]) -> str:
    """Name the folder of what can be made anew: in `$VECTR_HOOKS_HOME`, else the platform's cache folder."""
    own = environ.get("VECTR_HOOKS_HOME")
    if own:
        return os.path.join(os.path.abspath(own), "cache")
    home = home_folder(environ)
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches", "vectr-hooks")
    if sys.platform == "win32":
        base = environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(base, "vectr-hooks", "Cache")
    base = environ.get("XDG_CACHE_HOME", "")
    # The XDG specification: a relative path is to be ignored.
    if not base.startswith("/"):
        base = os.path.join(home, ".cache")
    return os.path.join(base, "vectr-hooks")


def index_folder(cache: str, workspace_id: str, root: str) -> str:
    """Name the folder of the index of the files below `root`.

    Linked worktrees have one id, and each its own files.
    """
    return os.path.join(cache, workspace_id, "code-" + blake2b(os.fsencode(root), digest_size=6).hexdigest())


def make_folder(folder: str, root: str) -> None:
    """Make the index's folder for its owner alone; remove those of worktrees that are no more."""
    workspace = os.path.dirname(folder)
    try:
        os.makedirs(os.path.dirname(workspace), 0o700, exist_ok=True)
        for each in (workspace, folder):
            os.makedirs(each, 0o700, exist_ok=True)
            if os.name == "posix":
                os.chmod(each, 0o700)
        with open(os.path.join(folder, _ROOT_FILE), "wb", opener=for_the_owner) as file:
            file.write(os.fsencode(root))
        _remove_orphans(workspace)
    except OSError as error:
        raise VectrHooksError(
            f"{folder} cannot be made: {error.strerror}", "check who may write there"
        ) from error


def for_the_owner(path: str, flags: int) -> int:
    """An opener of files that nobody else may read."""
    return os.open(path, flags, 0o600)


@contextmanager
def at_work(folder: str) -> Iterator[None]:
    """Let nobody else write the index meanwhile; refuse, saying who does, where another process is at it."""
    from filelock import FileLock, Timeout

    lock = FileLock(os.path.join(folder, _LOCK), timeout=0, mode=0o600)
    holder = os.path.join(folder, _HOLDER)
    try:
        lock.acquire()
    except Timeout:
        text = (beginning(holder, 100) or b"").decode("ascii", "replace").strip()
        who = f" ({text})" if text else ""
        raise VectrHooksError(
            f"another `vectr-hooks index` is at work here{who}",
            "what it has done so far can be searched; let it finish, or end it and run this again",
        ) from None
    except OSError as error:
        raise VectrHooksError(
            f"{folder} cannot be written: {error.strerror or error}", "check who may write there"
        ) from error
    try:
        with open(holder, "w", encoding="ascii", opener=for_the_owner) as file:
            file.write(f"process {os.getpid()}, since {time.strftime('%Y-%m-%d %H:%M:%SZ', time.gmtime())}\n")
        yield
    finally:
        with suppress(OSError):
            os.unlink(holder)
        lock.release()


def _remove_orphans(workspace: str) -> None:
    for name in sorted(os.listdir(workspace)):
        other = os.path.join(workspace, name)
        root = beginning(os.path.join(other, _ROOT_FILE), _LONGEST_PATH)
        if root and not os.path.isdir(os.fsdecode(root)):
            shutil.rmtree(other, ignore_errors=True)
