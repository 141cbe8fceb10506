"""Takes notes from files: all that are new, or none when anything is wrong with one of them.

A file holds one note, or is one that other tools keep for an agent, of which each section becomes a note.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from vectr_hooks.acceptance import BODY_BYTES
from vectr_hooks.authoring import examined
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import NoteText, Problem, UnreadableNote, located, read_note
from vectr_hooks.rule_files import ORIGIN, is_rule_file, rule_notes
from vectr_hooks.store.likeness import as_decided, ever_tagged, ever_written
from vectr_hooks.store.notes import NoteDraft
from vectr_hooks.store.workspace import relative_path

SUFFIX = ".md"

_LARGEST_FILE = BODY_BYTES + (1 << 17)


@dataclass(frozen=True)
class Intake:
    """What files hold, by the names of the files, in their order; of several notes in one, with its lines."""

    new: dict[str, NoteDraft] = field(default_factory=dict)
    there: dict[str, str] = field(default_factory=dict)
    """Files whose note is there already, as `#12`, or in the file of this name."""
    wrong: dict[str, list[Problem]] = field(default_factory=dict)


def note_files(paths: Iterable[str]) -> list[str]:
    """The files that `paths` name: each itself, and of a folder every `*.md` and every rule file, sorted.

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
        paths = (os.path.join(place, name) for name in names)
        files += [path for path in paths if path.lower().endswith(SUFFIX) or is_rule_file(path)]
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
    written: dict[bytes | str, str] = {key: f"#{id}" for key, id in ever_written(con).items()}
    written |= {origin: f"#{id}" for origin, id in ever_tagged(con, ORIGIN).items()}
    for file in files:
        try:
            for name, note, standing, origin in _notes(file, root, provenance):
                found = examined(root, note, provenance=standing, session=session, redact=redact)
                if not isinstance(found, NoteDraft):
                    raise UnreadableNote(file, located(note, found))
                same = written.setdefault(origin or as_decided(found), name)
                if same == name:
                    intake.new[name] = found
                else:
                    intake.there[name] = same
        except UnreadableNote as error:
            intake.wrong[file] = error.problems
        seen()
    return intake


def _notes(file: str, root: str, provenance: str) -> Iterator[tuple[str, NoteText, str, str]]:
    """The notes in `file`, each with its name, who stands behind it, and where it came from or ''."""
    text = read_file(file)
    if not is_rule_file(file):
        yield file, read_note(text, file), provenance, ""
        return
    # A file of another project is known by its name alone.
    source = relative_path(root, os.path.realpath(file), root) or os.path.basename(file)
    try:
        found = rule_notes(text, source)
    except VectrHooksError as error:
        # Of which files it holds for is said in its front matter.
        raise UnreadableNote(file, [Problem(1, error.message, error.hint)]) from None
    for note in found:
        lines = f"{note.first_line}-{note.last_line}"
        yield (
            f"{file}:{lines}",
            replace(note.text, lines={"body": note.first_line}),
            note.provenance,
            note.origin,
        )


def read_file(file: str) -> str:
    """The text in `file`; whatever is wrong with the file is raised as UnreadableNote."""
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
    return text
