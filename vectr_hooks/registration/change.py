"""Installing into one settings file and uninstalling from it, under its lock, with a way back."""

from __future__ import annotations

import contextlib
import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import hook_entries, settings_file
from vectr_hooks.registration.hook_entries import CLAUDE, Form
from vectr_hooks.registration.json_text import BOM, parse
from vectr_hooks.registration.undo import Undo, UndoFolder, digest


@dataclass(frozen=True)
class Change:
    """What a settings file held and what it holds now, or would; None stands for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    #: `after` is what the file was before our entries came into it, byte for byte
    exact: bool = False
    #: where `before` is kept, once it was changed
    kept: str = ""

    @property
    def is_needed(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """A unified diff, without the marks of line ends."""
        old, new = (self._lines(content) for content in (self.before, self.after))
        was, is_now = ("/dev/null" if content is None else self.path for content in (self.before, self.after))
        return "\n".join(difflib.unified_diff(old, new, was, is_now, lineterm=""))

    def _lines(self, content: bytes | None) -> list[str]:
        text = settings_file.decode(content or b"", self.path).removeprefix(BOM)
        lines = text.replace("\r\n", "\n").split("\n")
        return lines[:-1] if lines[-1] == "" else [*lines[:-1], f"{lines[-1]}  (no line end)"]


def install(
    path: str, commands: Mapping[str, str], undo: UndoFolder, dry_run: bool = False, form: Form = CLAUDE
) -> Change:
    """Register `commands` in the settings file at `path`. Installing the same again changes nothing."""
    with contextlib.nullcontext() if dry_run else undo.locked(path):
        before = settings_file.read(path)
        text = None if before is None else settings_file.decode(before, path)
        with settings_file.in_file(path):
            after = hook_entries.plan(text, commands, form).encode()
        change = Change(path, before, after)
        if change.is_needed and not dry_run:
            undo.back_up(path, before)
            undo.save(path, _undo_for(path, before, text, after, undo, form))
            _make_folder(path)
            settings_file.replace(path, before, after)
    return change


def uninstall(path: str, undo: UndoFolder, dry_run: bool = False, form: Form = CLAUDE) -> Change:
    """Take our entries out of the settings file at `path`.

    If nothing else has changed since `install`, the file is again byte for byte what it was, or gone.
    """
    with contextlib.nullcontext() if dry_run else undo.locked(path):
        before = settings_file.read(path)
        record = undo.load(path)
        change = _without_entries(path, before, record, form)
        if dry_run:
            return change
        if change.is_needed:
            undo.back_up(path, before)
            settings_file.replace(path, before, change.after)
            if record and change.after is None:
                _remove_folders(path, record.created_folders)
        undo.forget(path, and_previous=change.exact)
    return change if change.exact else replace(change, kept=undo.previous(path))


def has_entries(path: str, form: Form = CLAUDE) -> bool:
    """Whether our entries are in the settings file at `path`; it raises what `read` and `entries` raise."""
    content = settings_file.read(path)
    if content is None:
        return False
    text = settings_file.decode(content, path)
    with settings_file.in_file(path):
        return not hook_entries.is_blank(text) and any(hook_entries.entries(text, form))


def mentions(path: str, word: str) -> bool:
    """Whether `word` is anywhere in the file at `path`, which may be in no form that is read."""
    try:
        return word.encode() in (settings_file.read(path) or b"")
    except VectrHooksError:
        return False


def readable_text(path: str) -> str:
    """The settings at `path`; '' where there are none, or none that a client would read."""
    try:
        text = settings_file.decode(settings_file.read(path) or b"", path)
        parse(text)
    except VectrHooksError:
        return ""
    return text


def _undo_for(
    path: str, before: bytes | None, text: str | None, after: bytes, undo: UndoFolder, form: Form
) -> Undo:
    known = undo.load(path)
    if known and before is not None and digest(before) == known.installed:
        return Undo(known.original, digest(after), known.created_folders)
    if text is not None and not hook_entries.is_blank(text):
        before = hook_entries.remove(text, known.text if known else None, form).encode()
    return Undo(before, digest(after), _missing_folders(path) or undo.made_for_neighbours(path))


def _missing_folders(path: str) -> int:
    """How many folders have to be made for a file at `path`."""
    missing = 0
    while (path := os.path.dirname(path)) and not os.path.isdir(path):
        missing += 1
    return missing


def _remove_folders(path: str, made: int) -> None:
    # Not ours to remove once they hold something else.
    with contextlib.suppress(OSError):
        for _ in range(made):
            path = os.path.dirname(path)
            os.rmdir(path)


def _without_entries(path: str, before: bytes | None, record: Undo | None, form: Form) -> Change:
    if before is None:
        return Change(path, None, None)
    if record and digest(before) == record.installed:
        return Change(path, before, record.original, exact=True)
    text = settings_file.decode(before, path)
    if hook_entries.is_blank(text):
        return Change(path, before, before)
    with settings_file.in_file(path):
        rest = hook_entries.remove(text, record.text if record else None, form)
        if record and record.original is None and rest != text and hook_entries.is_empty(rest, form):
            return Change(path, before, None, exact=True)
    return Change(path, before, rest.encode())


def _make_folder(path: str) -> None:
    # Through a link, the folder is somebody else's, who may not want it made.
    if not os.path.islink(path):
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        except OSError as error:
            raise VectrHooksError(f"{os.path.dirname(path)}: {error.strerror or error}") from None
