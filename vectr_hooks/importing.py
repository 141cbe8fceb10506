"""Takes notes from files: all that are new, or none when anything is wrong with one of them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from vectr_hooks.acceptance import BODY_BYTES
from vectr_hooks.authoring import examined
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import NoteText, Problem, UnreadableNote, located, read_note
from vectr_hooks.store.likeness import as_decided, ever_written
from vectr_hooks.store.notes import NoteDraft

SUFFIX = ".md"

_LARGEST_FILE = BODY_BYTES + (1 << 17)


@dataclass(frozen=True)
class Intake:
    """What files hold, by the names of the files, in their order."""

    new: dict[str, NoteDraft] = field(default_factory=dict)
    there: dict[str, str] = field(default_factory=dict)
    """Files whose note is there already, as `#12`, or in the file of this name."""
    wrong: dict[str, list[Problem]] = field(default_factory=dict)


def note_files(paths: Iterable[str]) -> list[str]:
    """The files that `paths` name: each itself, and of a folder every `*.md` at any depth, sorted.

    Folders whose names begin with a dot are left out, unless they are named.
    """
    found: dict[str, str] = {}
    for path in paths:
        for file in _in_folder(path) if os.path.isdir(path) else [path]:
            found.setdefault(os.path.abspath(file), file)
    return list(found.values())


def _in_folder(folder: str) -> Iterator[str]:
    files = []
    for place, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [os.path.join(place, name) for name in names if name.lower().endswith(SUFFIX)]
    if not files:
        raise VectrHooksError(
            f"{folder} holds no file *{SUFFIX}", "name the files, or the folder they lie in"
        )
    yield from sorted(files, key=lambda file: file.split(os.sep))


def _refuse_folder(error: OSError) -> None:
    raise VectrHooksError(f"{error.filename} cannot be read: {error.strerror}", "check who may read it")


def take_in(
    con: sqlite3.Connection,
    root: str,
    files: Sequence[str],
    *,
    provenance: str,
    session: str = "",
    redact: bool = False,
    seen: Callable[[], object] = lambda: None,
) -> Intake:
    """Read `files` and say of each what it is; nothing is stored. `seen` is called after each.

    A note is there already when everything that an author decides about it is what a note of the store has,
    or had before it was changed: the store's newer one is what its author wants.
    """
    intake = Intake()
    written = {key: f"#{id}" for key, id in ever_written(con).items()}
    for file in files:
        try:
            note = read_file(file)
            found = examined(root, note, provenance=provenance, session=session, redact=redact)
            if not isinstance(found, NoteDraft):
                raise UnreadableNote(file, located(note, found))
        except UnreadableNote as error:
            intake.wrong[file] = error.problems
        else:
            same = written.setdefault(as_decided(found), file)
            if same == file:
                intake.new[file] = found
            else:
                intake.there[file] = same
        seen()
    return intake


def read_file(file: str) -> NoteText:
    """The note in `file`; whatever is wrong with the file is raised as UnreadableNote."""
    try:
        # What is no regular file could be waited for without end.
        if not os.path.isfile(file):
            wrong = "is not a regular file" if os.path.exists(file) else "does not exist"
            raise UnreadableNote(file, [Problem(1, f"the file {wrong}", "name a file or a folder")])
        if os.path.getsize(file) > _LARGEST_FILE:
            raise UnreadableNote(file, [Problem(1, f"the file has more than {_LARGEST_FILE:,} bytes")])
        with open(file, "rb") as opened:
            content = opened.read()
    except OSError as error:
        problem = Problem(1, f"the file cannot be read: {error.strerror}", "check who may read it")
        raise UnreadableNote(file, [problem]) from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableNote(file, [Problem(line, "the file is not UTF-8", "convert it to UTF-8")]) from None
    return read_note(text, file)
