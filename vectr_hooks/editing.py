"""Lets an author edit texts in an editor of their choice, and keeps what was written until it is stored."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from vectr_hooks.errors import VectrHooksError

_CHOOSE = "set VISUAL or EDITOR to the command of an editor that waits, such as `vim` or `code --wait`"

#: how the name begins of a folder with texts that are being edited
DESK_PREFIX = "edit-"


class Desk:
    """Files with the texts to be edited, in a folder of their own that only its owner may read."""

    def __init__(self, parent: str, texts: Mapping[str, str]) -> None:
        self._given = dict(texts)
        self.folder = Path(tempfile.mkdtemp(prefix=DESK_PREFIX, dir=parent))
        for name, text in texts.items():
            # What is left behind by an editor that was killed is as private as the store beside it.
            self.file(name).touch(0o600)
            self.file(name).write_bytes(text.encode("utf-8"))

    def file(self, name: str) -> Path:
        return self.folder / name

    def texts(self) -> dict[str, str]:
        """The texts as the author left them."""
        found = {}
        for name in self._given:
            try:
                found[name] = self.file(name).read_bytes().decode("utf-8")
            except UnicodeDecodeError as error:
                raise VectrHooksError(
                    f"{self.file(name)} is not UTF-8: byte {error.start + 1}", "save it as UTF-8"
                ) from None
            except OSError as error:
                raise VectrHooksError(
                    f"{self.file(name)} cannot be read: {error.strerror}", "save it under its own name"
                ) from None
        return found

    def changed(self) -> list[Path]:
        """The files that hold another text than they were given, as far as they can be read."""
        return [
            self.file(name)
            for name, text in self._given.items()
            if self.file(name).is_file() and self.file(name).read_bytes() != text.encode("utf-8")
        ]

    def clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def editor(environ: Mapping[str, str], terminal: bool) -> list[str]:
    """The words of the author's editor: $VISUAL, $EDITOR, or `vi` where there is a terminal for it."""
    for name in ("VISUAL", "EDITOR"):
        chosen = environ.get(name, "").strip()
        if chosen:
            try:
                return shlex.split(chosen)
            except ValueError as error:
                raise VectrHooksError(f"{name} is no command: {error}", _CHOOSE) from None
    if not terminal:
        raise VectrHooksError(
            "no editor is set, and there is no terminal for `vi`", f"{_CHOOSE}, or give --from FILE"
        )
    if not shutil.which("vi"):
        raise VectrHooksError("no editor is set, and there is no `vi`", _CHOOSE)
    return ["vi"]


def open_editor(words: Sequence[str], files: Sequence[Path]) -> None:
    """Run the editor on `files` until it is closed."""
    try:
        ended = subprocess.call([*words, *map(os.fspath, files)])
    except OSError as error:
        raise VectrHooksError(f"the editor {words[0]} cannot be run: {error.strerror}", _CHOOSE) from None
    if ended != 0:
        raise VectrHooksError(f"the editor {words[0]} ended with {ended}", "nothing was stored")
