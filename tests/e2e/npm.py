"""Programs from npm: each put into a cache folder once, and used from there."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

INSTALL_SECONDS = 240


class ProgramUnavailable(Exception):
    """Why a program is not on this machine."""


def cache_folder() -> Path:
    chosen = os.environ.get("VECTR_HOOKS_E2E_CACHE")
    if chosen:
        return Path(chosen)
    user_cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(user_cache) / "vectr-hooks-e2e"


def installed(package: str, version: str, name: str) -> Path:
    """The folder `name` in which this version of `package` is installed, which the first call downloads."""
    folder = cache_folder() / name
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{folder}.lock", timeout=INSTALL_SECONDS):
            if not (folder / "node_modules" / package).exists():
                install(package, version, folder)
    except Timeout:
        raise ProgramUnavailable(f"another process has been installing into {folder} for too long") from None
    except OSError as error:
        raise ProgramUnavailable(f"cannot install into {folder}: {error}") from None
    return folder


def install(package: str, version: str, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise ProgramUnavailable(f"npm, which installs {package}, is not on PATH")
    # Beside its place and then renamed: an interrupted download never looks like a program.
    fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f"{folder.name}-"))
    try:
        command = [npm, "install", "--prefix", str(fresh), "--no-audit", "--no-fund", f"{package}@{version}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
        if done.returncode:
            raise ProgramUnavailable(f"npm failed: {done.stderr.strip()[-500:]}")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    except subprocess.TimeoutExpired:
        raise ProgramUnavailable(f"npm did not finish in {INSTALL_SECONDS} s") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
