"""Guidance for an agent in the file of a project that it always loads, put there when a person asks for it.

Nothing else writes such a file.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace

from vectr_hooks.core import guidance_block
from vectr_hooks.core.settings import DEFAULTS
from vectr_hooks.core.title import TITLE_LENGTH
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import settings_file
from vectr_hooks.registration.change import Change
from vectr_hooks.registration.undo import Undo, UndoFolder, digest
from vectr_hooks.templating import template

CLAUDE = "claude"
OTHERS = ("AGENTS.md",)
#: by host, what it always loads: the first that is there is written to; the first is made where none is
FILES = {CLAUDE: ("CLAUDE.md", "AGENTS.md"), "gemini": ("GEMINI.md",), "qwen": ("QWEN.md",)}


def render() -> str:
    """The guidance, in Markdown."""
    return template("CLAUDE.md.template").render(
        title_length=TITLE_LENGTH, whole_tokens=DEFAULTS["cap.finding"]
    )


def install(folder: str, undo: UndoFolder, host: str = CLAUDE, dry_run: bool = False) -> Change:
    """Put the guidance into what `host` loads of the project in `folder`; what is there is made current."""
    path = _place([os.path.join(folder, name) for name in FILES.get(host, OTHERS)])
    with contextlib.nullcontext() if dry_run else undo.locked(path):
        before = settings_file.read(path)
        text = _text(before, path)
        with settings_file.in_file(path):
            after = guidance_block.with_block(text, render()).encode()
        change = Change(path, before, after)
        if change.is_needed and before is not None and not os.access(path, os.W_OK):
            raise VectrHooksError(
                f"{path} is read-only", "make it writable; without --guidance it is left as it is"
            )
        if change.is_needed and not dry_run:
            undo.back_up(path, before)
            undo.save(path, _undo_for(path, before, after, undo.load(path)))
            settings_file.replace(path, before, after)
    return change


def uninstall(folder: str, undo: UndoFolder, dry_run: bool, tell: Callable[[str], None]) -> Iterator[Change]:
    """Take the guidance out of the files of the project in `folder`, wherever it is; yield what changed.

    A file that has not changed since is again byte for byte what it was, or gone. One whose markers are
    broken is left alone, which `tell` says.
    """
    names = dict.fromkeys(name for group in (*FILES.values(), OTHERS) for name in group)
    # Of two that are links to one file the first counts.
    paths = {os.path.realpath(path): path for path in [os.path.join(folder, name) for name in names][::-1]}
    for path in reversed(paths.values()):
        try:
            change = _uninstall(path, undo, dry_run)
        except VectrHooksError as error:
            tell(f"{error.message}. It was left alone.")
            continue
        if change.is_needed:
            yield change


def _uninstall(path: str, undo: UndoFolder, dry_run: bool) -> Change:
    if guidance_block.BEGINS not in _readable_text(path):
        if not dry_run:
            # Somebody took it out already.
            undo.forget(path, and_previous=True)
        return Change(path, None, None)
    with contextlib.nullcontext() if dry_run else undo.locked(path):
        before = settings_file.read(path)
        record = undo.load(path)
        change = _without_block(path, before, record)
        if change.is_needed and not dry_run:
            undo.back_up(path, before)
            settings_file.replace(path, before, change.after)
            undo.forget(path, and_previous=change.exact)
    return change if change.exact else replace(change, kept=undo.previous(path))


def _without_block(path: str, before: bytes | None, record: Undo | None) -> Change:
    if before is not None and record and digest(before) == record.installed:
        return Change(path, before, record.original, exact=True)
    text = _text(before, path)
    with settings_file.in_file(path):
        rest = guidance_block.without_block(text, record.text if record else None)
    if rest == text:
        return Change(path, before, before)
    if record and record.original is None and not rest.strip("\ufeff \t\r\n"):
        return Change(path, before, None, exact=True)
    return Change(path, before, rest.encode())


def _undo_for(path: str, before: bytes | None, after: bytes, known: Undo | None) -> Undo:
    """What `uninstall` is to bring back: the file without the block that it may have already."""
    original = None if before is None else _without_block(path, before, known).after
    return Undo(original, digest(after), created_folders=0)


def _place(paths: list[str]) -> str:
    """The file that has the guidance; else the one that is to have it."""
    with_block = [path for path in paths if guidance_block.BEGINS in _readable_text(path)]
    there = [path for path in paths if os.path.exists(path)]
    return (with_block or there or paths)[0]


def _readable_text(path: str) -> str:
    return (settings_file.read(path) or b"").decode("utf-8", "replace")


def _text(content: bytes | None, path: str) -> str:
    text = settings_file.decode(content or b"", path)
    if "\0" in text:
        raise VectrHooksError(f"{path} is not UTF-8: it holds NUL bytes", hint="save the file as UTF-8")
    return text
