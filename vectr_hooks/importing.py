"""Takes notes from files: all that are new, or none when anything is wrong with one of them.

A file holds one note, or several of an export, or is one that other tools keep for an agent, of which each
section becomes a note.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from vectr_hooks.authoring import examined
from vectr_hooks.core.provenance import IN_WORDS, at_most
from vectr_hooks.core.secrets import redact as redacted
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import Kept, NoteText, Problem, UnreadableNote, located, read_notes
from vectr_hooks.rule_files import ORIGIN, is_rule_file, rule_notes
from vectr_hooks.store.additions import Addition, Reference
from vectr_hooks.store.likeness import as_decided, ever_tagged, ever_written
from vectr_hooks.store.notes import NoteDraft, states
from vectr_hooks.store.workspace import relative_path

SUFFIX = ".md"

_LARGEST_FILE = 1 << 28


@dataclass(frozen=True)
class Intake:
    """What files hold, by the names of the files, in their order; of several notes in one, with its lines."""

    new: dict[str, Addition] = field(default_factory=dict)
    there: dict[str, str] = field(default_factory=dict)
    """Files whose note is there already, as `#12`, or in the file of this name."""
    stored: dict[Reference, int] = field(default_factory=dict)
    """The ids of those that are in the store, by what an export calls them."""
    again: dict[Reference, Reference] = field(default_factory=dict)
    """What an export calls those that an earlier file holds, and what that calls them."""
    otherwise: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Of those in `there` the files whose note is in another state here: this, and the file's."""
    lowered: list[str] = field(default_factory=list)
    """Files whose note has less authority than the file says, since an agent imports it."""
    wrong: dict[str, list[Problem]] = field(default_factory=dict)

    @property
    def drafts(self) -> dict[str, NoteDraft]:
        return {name: addition.draft for name, addition in self.new.items()}


@dataclass(frozen=True)
class _Found:
    """A note in a file."""

    name: str
    text: NoteText
    provenance: str
    """Who stands behind it, if that is not told in its front matter."""
    origin: str = ""
    """Where another tool kept it, and the text: the same again is the same note."""
    export: str = ""
    """What tells the export it is of from others: the file of several notes, or the folder of the file."""


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
    or had before it was changed: the store's newer one is what its author wants. Of an export, notes that say
    the same are as many as they were.

    `provenance` is that of who imports: nobody gives a note more authority than their own.
    """
    intake = Intake()
    same = _Same(con)
    for file in files:
        try:
            problems: list[Problem] = []
            for found in _notes(file, root, provenance):
                draft = _draft(root, found, provenance, session, redact)
                if isinstance(draft, NoteDraft):
                    _take(intake, same, found, draft)
                else:
                    problems += draft
            if problems:
                raise UnreadableNote(file, problems)
        except UnreadableNote as error:
            intake.wrong[file] = error.problems
        seen()
    for name, addition in intake.new.items():
        if addition.superseded_by in intake.again:
            other = intake.again[addition.superseded_by]
            intake.new[name] = replace(addition, superseded_by=other)
    return intake


def _take(intake: Intake, same: _Same, found: _Found, draft: NoteDraft) -> None:
    kept = found.text.kept or Kept()
    called = (found.export, kept.id) if kept.id else None
    there = same.as_there(found, draft)
    if there:
        intake.there[found.name] = there
        if called and there in intake.new:
            intake.again[called] = intake.new[there].called or called
        elif called and there.startswith("#"):
            intake.stored[called] = int(there[1:])
        state = same.state(there)
        if kept.created is not None and state not in ("", kept.state):
            intake.otherwise[found.name] = (state, kept.state)
        return
    intake.new[found.name] = Addition(
        draft=draft,
        called=called,
        superseded_by=(found.export, kept.superseded_by) if kept.superseded_by else None,
        created=kept.created,
        changed=kept.created if kept.changed is None else kept.changed,
    )
    if kept.provenance not in ("", draft.provenance):
        intake.lowered.append(found.name)


class _Same:
    """Knows which notes are there already, in the store or in the files read so far."""

    def __init__(self, con: sqlite3.Connection) -> None:
        self._stored = ever_written(con)
        self._origins = {origin: f"#{id}" for origin, id in ever_tagged(con, ORIGIN).items()}
        self._read: dict[object, str] = {}
        self._claimed: set[int] = set()
        self._states = states(con)

    def state(self, there: str) -> str:
        """The state of the note of the store `there`, as `#12`; '' for what is none."""
        return self._states.get(int(there[1:]), "") if there.startswith("#") else ""

    def as_there(self, found: _Found, draft: NoteDraft) -> str:
        """The note of the store, as `#12`, or the file that `draft`, as `found`, is the same as; else ''."""
        decided = as_decided(draft)
        if found.origin:
            there = self._origins.get(found.origin) or self._read.get(found.origin)
        elif found.text.kept and found.text.kept.created is not None:
            there = self._kept(found, found.text.kept, decided)
        else:
            there = next((f"#{id}" for id in self._stored.get(decided, ())), self._read.get(decided))
        # What a file holds is the same as the first that does.
        for key in (found.origin or decided, _identity(found.text.kept, decided)):
            self._read.setdefault(key, there or found.name)
        return there or ""

    def _kept(self, found: _Found, kept: Kept, decided: bytes) -> str | None:
        """The same for a note of an export: of several alike in the store each is the same as one of them."""
        if _identity(kept, decided) in self._read:
            return self._read[_identity(kept, decided)]
        alike = {id: at for id, at in self._stored.get(decided, {}).items() if id not in self._claimed}
        exact = [id for id, at in alike.items() if at == kept.created]
        for id in (kept.id if kept.id in exact else 0, *exact, *alike):
            if id:
                self._claimed.add(id)
                return f"#{id}"
        return None


def _identity(kept: Kept | None, decided: bytes) -> object:
    return (kept.id, kept.created, decided) if kept else decided


def _draft(
    root: str, found: _Found, provenance: str, session: str, redact: bool
) -> NoteDraft | list[Problem]:
    """What is stored of a note, or everything that is wrong with it."""
    text, kept = found.text, found.text.kept
    if kept is None:
        draft = examined(root, text, provenance=found.provenance, session=session, redact=redact)
        return draft if isinstance(draft, NoteDraft) else located(text, draft)
    if redact:
        kept = replace(kept, quote=redacted(kept.quote), reason=redacted(kept.reason))
        text = replace(text, kept=kept)
    # What is no provenance at all is refused with the rest of what the note says.
    standing = at_most(kept.provenance, provenance) if kept.provenance in IN_WORDS else kept.provenance
    was_stored = kept.created is not None
    own_session = kept.session if was_stored else kept.session or session
    draft = examined(root, text, provenance=standing or provenance, session=own_session, redact=redact)
    if not isinstance(draft, NoteDraft):
        return located(text, draft)
    return replace(
        draft,
        scope_value=_scope_value(root, text.scope, kept) or draft.scope_value,
        watched=kept.watched if was_stored else draft.watched,
        quote=kept.quote,
        state=kept.state,
        reason=kept.reason,
        state_by=kept.state_by and at_most(kept.state_by, provenance),
        changed_by=kept.changed_by and at_most(kept.changed_by, provenance),
        superseded_by=kept.superseded_by,
    )


def _scope_value(root: str, scope: str, kept: Kept) -> str:
    if scope == "worktree" and kept.scope_value:
        return os.path.normpath(os.path.join(root, kept.scope_value))
    return kept.scope_value


def _notes(file: str, root: str, provenance: str) -> Iterator[_Found]:
    """The notes in `file`; raises UnreadableNote where there is none, or one cannot be read."""
    text = read_file(file)
    if not is_rule_file(file):
        notes = read_notes(text, file)
        export = os.path.abspath(file) if len(notes) > 1 else os.path.dirname(os.path.abspath(file))
        for note in notes:
            name = f"{file}:{note.lines['front']}" if len(notes) > 1 else file
            yield _Found(name, note, provenance, export=export)
        return
    # A file of another project is known by its name alone.
    source = relative_path(root, os.path.realpath(file), root) or os.path.basename(file)
    try:
        found = rule_notes(text, source)
    except VectrHooksError as error:
        # Of which files it holds for is said in its front matter.
        raise UnreadableNote(file, [Problem(1, error.message, error.hint)]) from None
    for rule in found:
        yield _Found(
            f"{file}:{rule.first_line}-{rule.last_line}",
            replace(rule.text, lines={"body": rule.first_line}),
            rule.provenance,
            rule.origin,
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
