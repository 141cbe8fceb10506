"""What `install` found in each settings file, kept so that `uninstall` can put it back byte for byte."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass

from filelock import FileLock, Timeout

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration.settings_file import read, write_private

LOCK_SECONDS = 10


@dataclass(frozen=True)
class Undo:
    """The file without our entries (`None`: no file) and the digest of what `install` made of it."""

    original: bytes | None
    installed: str
    created_folders: int
    """How many folders, from the file's own upwards, were made for it."""

    @property
    def text(self) -> str | None:
        """`original` as text; it is UTF-8, as `install` found it."""
        return None if self.original is None else self.original.decode()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _digest_or_none(content: bytes | None) -> str | None:
    return None if content is None else digest(content)


class UndoFolder:
    """The folder `backups` of the data home: for each settings file what it was, and what it was last.

    Nothing is kept beside the settings file, and only its owner can read what is kept: settings hold keys.
    """

    def __init__(self, data_home: str) -> None:
        self.folder = os.path.join(data_home, "backups")

    @contextlib.contextmanager
    def locked(self, path: str) -> Iterator[None]:
        """Keep other runs of this program away from the file while it is read, edited and written."""
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            os.chmod(self.folder, 0o700)
            lock = FileLock(self._place(path, "lock"), timeout=LOCK_SECONDS, mode=0o600)
            lock.acquire()
        except Timeout:
            raise VectrHooksError(f"another vectr-hooks is working on {path}", hint="try again") from None
        except OSError as error:
            raise VectrHooksError(
                f"{self.folder}: {error.strerror or error}",
                hint="VECTR_HOOKS_HOME names another place for it",
            ) from None
        try:
            yield
        finally:
            lock.release()

    def load(self, path: str) -> Undo | None:
        """What is recorded for the file; None also when it does not fit together any more."""
        content = read(self._place(path, "json"))
        if content is None:
            return None
        try:
            record = json.loads(content)
            undo = Undo(
                None if record["original"] is None else read(self._place(path, "original")),
                str(record["installed"]),
                int(record["created_folder"]),
            )
            intact = record["original"] == _digest_or_none(undo.original)
        except (ValueError, KeyError, TypeError):
            return None
        return undo if intact else None

    def save(self, path: str, undo: Undo) -> None:
        if undo.original is not None:
            write_private(self._place(path, "original"), undo.original)
        record = {
            "path": os.path.realpath(path),
            "original": _digest_or_none(undo.original),
            "installed": undo.installed,
            "created_folder": undo.created_folders,
        }
        write_private(self._place(path, "json"), json.dumps(record, indent=2).encode())

    def made_for_neighbours(self, path: str) -> int:
        """How many folders were made for another file beside this one."""
        folder = os.path.dirname(os.path.realpath(path))
        found = [0]
        for name in sorted(os.listdir(self.folder)) if os.path.isdir(self.folder) else ():
            if name.endswith(".json"):
                with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                    with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                        record = json.load(file)
                    if os.path.dirname(record["path"]) == folder:
                        found.append(int(record["created_folder"]))
        return max(found)

    def back_up(self, path: str, content: bytes | None) -> None:
        """Keep what the file holds before it is changed, whoever wrote that."""
        if content is not None:
            write_private(self._place(path, "previous"), content)

    def previous(self, path: str) -> str:
        """Where what the file held before its last change is kept."""
        return self._place(path, "previous")

    def forget(self, path: str, and_previous: bool) -> None:
        """Drop what `uninstall` needed; `and_previous` also what the file held before it."""
        for suffix in ("json", "original", *(["previous"] if and_previous else [])):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._place(path, suffix))

    def tidy_up(self) -> None:
        """Remove the folder, and the data home, where nothing is in them but locks that nobody holds."""
        names = os.listdir(self.folder) if os.path.isdir(self.folder) else []
        if any(not name.endswith(".lock") for name in names):
            return
        for name in names:
            path = os.path.join(self.folder, name)
            try:
                # Whoever holds it is at work in here.
                with FileLock(path, timeout=0, mode=0o600):
                    os.unlink(path)
            except (Timeout, OSError):
                return
        for folder in (self.folder, os.path.dirname(self.folder)):
            with contextlib.suppress(OSError):
                os.rmdir(folder)

    def _place(self, path: str, suffix: str) -> str:
        name = digest(os.fsencode(os.path.realpath(path)))[:16]
        return os.path.join(self.folder, f"{name}.{suffix}")
