"""The notes that lie in a repository as files: how each stands to what a person trusted, and trusting it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from vectr_hooks.authoring import as_written, examined, render
from vectr_hooks.core.keywords import fold
from vectr_hooks.core.provenance import HUMAN, TEAM, outranks
from vectr_hooks.core.states import ACTIVE, SUPERSEDED
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import KEPT_KEYS, NoteText, Problem, UnreadableNote, located, read_note
from vectr_hooks.store import team
from vectr_hooks.store.likeness import as_decided
from vectr_hooks.store.notes import Note, NoteDraft, add_notes, change_notes
from vectr_hooks.store.team import TeamFile
from vectr_hooks.trusted_files import FOLDER, UnfitFile, content, fingerprint, folder

SUFFIX = ".md"
# A second's reading.
MOST_FILES = 1_000

What = Literal["new", "changed", "back", "shared", "own", "yours", "moved", "gone"]
NEW: What = "new"
CHANGED: What = "changed"
#: its note was withdrawn when it was gone
BACK: What = "back"
#: it says what a note here says that nobody reviewed
SHARED: What = "shared"
#: it says what a note of the user's says
OWN: What = "own"
#: it has changed, and its note is the user's
YOURS: What = "yours"
MOVED: What = "moved"
GONE: What = "gone"

#: what of a note its file decides; whether it is pinned is up to who reads it
_OF_FILE = (
    *("title", "body", "kind", "priority", "tags", "anchors", "trigger", "scope", "scope_value"),
    *("author", "watched"),
)
_OWN_SAY = "leave it out: a person who trusts the file stands behind it, and no more"
#: what a file could claim and has no say in, and what to do about it
_CLAIMS = {
    **dict.fromkeys(KEPT_KEYS, _OWN_SAY),
    "pinned": "leave it out; who wants it at every session start runs `vectr-hooks pin`",
    "scope": "leave it out; a `branch` condition in its trigger limits it to branches",
}
_BEGINS, _MIDDLE, _ENDS = "<<<<<<<", "=======", ">>>>>>>"


@dataclass(frozen=True)
class Change:
    """A file that is other than what is trusted, and the note that it is of."""

    what: What
    path: str
    """Relative to the root of the worktree."""
    note: Note | None = None
    """As it is stored; None: the file is new."""
    draft: NoteDraft | None = None
    """What the file says; None: it is gone."""
    size: int = 0
    """Bytes."""
    crc: int = 0
    before: str = ""
    """The path that it was moved from."""


@dataclass
class Survey:
    """How the files of a worktree stand."""

    changes: list[Change] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    """The files that are as they were trusted."""
    left: dict[str, str] = field(default_factory=dict)
    """The files whose note was given up here, and what became of that."""
    problems: dict[str, list[Problem]] = field(default_factory=dict)
    """By file or folder, what is wrong; line 0 is the file itself."""

    def of(self, *what: What) -> list[str]:
        """The files that are one of `what`."""
        return [change.path for change in self.changes if change.what in what]


@dataclass(frozen=True)
class _Read:
    """A file as it was read, and what it says, where that was to be looked at."""

    path: str
    size: int
    crc: int
    text: NoteText
    draft: NoteDraft


def survey(con: sqlite3.Connection | None, root: str) -> Survey:
    """Compare the files in the worktree at `root` with what the store holds of them; None: there is none."""
    found = Survey()
    files, is_whole = _contents(root, found.problems)
    kept = {file.path: file for file in team.team_files(con)} if con else {}
    read: list[_Read] = []
    titles: dict[str, str] = {}
    for path, raw in files.items():
        file = kept.get(path)
        if file and _is_settled(file, raw):
            found.settled.append(path)
            titles[fold(file.note.title)] = path
        else:
            read += _read(root, path, raw, found.problems)
    # A file that is known already has its title before a new one of the same.
    for one in sorted(read, key=lambda one: (one.path not in kept, one.path)):
        other = titles.setdefault(fold(one.draft.title), one.path)
        if other != one.path:
            line = one.text.lines.get("title", one.text.lines["body"])
            hint = "an index line shows nothing else: give each its own"
            found.problems[one.path] = [Problem(line, f"its title is that of {other} as well", hint)]
            read.remove(one)
    lost = {path: file for path, file in kept.items() if is_whole and not _is_there(root, path)}
    for one in read:
        if one.path in kept:
            _compare(found, one, kept[one.path])
    found.changes += _unknown(con, [one for one in read if one.path not in kept], kept, lost)
    for path, file in lost.items():
        if file.note.state == ACTIVE and file.note.provenance == TEAM:
            found.changes.append(Change(GONE, path, file.note))
    found.changes.sort(key=lambda change: change.path)
    return found


def acceptable(root: str, written: NoteText) -> NoteDraft | list[Problem]:
    """What is stored of a file that says `written`, or everything that is wrong with it."""
    claimed = [
        Problem(written.lines.get(name, 1), f"`{name}` is not a file's to say", hint)
        for name, hint in _CLAIMS.items()
        if name in written.lines
    ]
    if claimed:
        return claimed
    found = examined(root, written, provenance=TEAM)
    if isinstance(found, NoteDraft):
        return replace(found, changed_by=HUMAN)
    return [
        replace(problem, hint="take it out of the file") if "--redact" in problem.hint else problem
        for problem in located(written, found)
    ]


def trust(con: sqlite3.Connection, changes: Sequence[Change], now_ms: int) -> dict[str, int]:
    """Store what a person has agreed to; the notes by file.

    The new notes are stored all or none, and so are the changes of others.
    """
    new = [(change, change.draft) for change in changes if change.what == NEW and change.draft]
    ids: list[int] = []
    if new:

        def keep_new(ids: Sequence[int]) -> None:
            for id, (change, _) in zip(ids, new, strict=True):
                team.keep_file(con, change.path, change.size, change.crc, id)

        ids = add_notes(con, [draft for _, draft in new], render, now_ms, then=keep_new)
    known = [(change, change.note) for change in changes if change.note]

    def keep() -> None:
        for change, note in known:
            if change.what != GONE:
                team.keep_file(con, change.path, change.size, change.crc, note.id)

    revised = {note.id: changed for change, note in known if (changed := _revised(change))}
    seen = {note.id: note.revision for _, note in known}
    if known:
        change_notes(con, revised, now_ms, render, seen, HUMAN, keep)
    return {change.path: id for (change, _), id in zip(new, ids, strict=True)} | {
        change.path: note.id for change, note in known
    }


def as_in_file(note: NoteDraft) -> NoteText:
    """What a file says of `note`: neither whose it was nor what is up to who reads it."""
    return replace(as_written(note), author="", pinned=False)


def _revised(change: Change) -> dict[str, object]:
    """What trusting `change` makes of its note; nothing where the note stays as it is."""
    if change.what == GONE:
        reason = f"its file {change.path} is gone"
        return {"state": SUPERSEDED, "superseded_by": 0, "reason": reason, "state_by": HUMAN}
    if change.what in (OWN, MOVED) or change.draft is None:
        return {}
    said = {name: getattr(change.draft, name) for name in _OF_FILE}
    whose = {"provenance": TEAM, "quote": ""}
    return said | whose | {"state": ACTIVE, "superseded_by": 0, "reason": "", "state_by": HUMAN}


def _compare(found: Survey, one: _Read, file: TeamFile) -> None:
    """Enter a file that is not as it was when its note was stored, or whose note is not active."""
    note = file.note
    is_same = (one.size, one.crc) == (file.size, file.crc)
    if note.state == SUPERSEDED and not note.superseded_by:
        found.changes.append(_found(BACK, one, note))
    elif note.state != ACTIVE:
        found.left[one.path] = f"#{note.id} is {note.state} here"
    elif is_same:
        found.changes.append(_found(SHARED, one, note))
    else:
        found.changes.append(_found(YOURS if outranks(note.provenance, TEAM) else CHANGED, one, note))


def _is_settled(file: TeamFile, raw: bytes) -> bool:
    """Whether a file is as it was when its note was stored, and the note is no less than the team's."""
    is_trusted = file.note.state == ACTIVE and not outranks(TEAM, file.note.provenance)
    return is_trusted and fingerprint(raw) == (file.size, file.crc)


def _unknown(
    con: sqlite3.Connection | None,
    read: Sequence[_Read],
    kept: Mapping[str, TeamFile],
    lost: dict[str, TeamFile],
) -> Iterator[Change]:
    """The files that no note is of yet; takes those that were moved out of `lost`."""
    moved = {_said(file.note): path for path, file in lost.items() if file.note.state == ACTIVE}
    taken = {file.note.id for file in kept.values()}
    alike: dict[bytes, Note] = {}
    if con and read:
        for note in team.titled(con, (one.draft.title for one in read)):
            if note.id not in taken:
                alike.setdefault(_said(note), note)
    for one in read:
        said = _said(one.draft)
        before = moved.pop(said, "")
        if before:
            yield replace(_found(MOVED, one, lost.pop(before).note), before=before)
        elif said in alike:
            note = alike.pop(said)
            yield _found(OWN if outranks(note.provenance, TEAM) else SHARED, one, note)
        else:
            yield _found(NEW, one, None)


def _said(note: NoteDraft) -> bytes:
    return as_decided(replace(note, author="", pinned=False))


def _found(what: What, one: _Read, note: Note | None) -> Change:
    return Change(what, one.path, note, one.draft, one.size, one.crc)


def _contents(root: str, problems: dict[str, list[Problem]]) -> tuple[dict[str, bytes], bool]:
    """The files that can be read, by path in order, and whether the folder could be listed to its end."""
    try:
        with os.scandir(folder(root)) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if entry.name.endswith(SUFFIX) and not entry.name.startswith(".")
            )
    except FileNotFoundError:
        return {}, True
    except (UnfitFile, OSError) as error:
        problems[FOLDER] = [Problem(0, _told(error), "put a folder with the files themselves there")]
        return {}, False
    if len(names) > MOST_FILES:
        message = f"it holds {len(names):,} notes: those after {names[MOST_FILES - 1]} are not looked at"
        problems[FOLDER] = [Problem(0, message, f"keep no more than {MOST_FILES:,}")]
    found = {}
    for name in names[:MOST_FILES]:
        path = f"{FOLDER}/{name}"
        if not name.isprintable():
            # Nor must it pose as another line of what is shown.
            shown = path.encode("unicode_escape").decode()
            problems[shown] = [Problem(0, "its name cannot be shown as it is", "rename it")]
            continue
        try:
            found[path] = content(root, path)
        except (UnfitFile, OSError) as error:
            problems[path] = [Problem(0, _told(error), "a note is a regular file of a few lines")]
    return found, True


def _told(error: UnfitFile | OSError) -> str:
    if isinstance(error, UnfitFile):
        return str(error)
    return f"it cannot be read: {error.strerror}"


def _read(root: str, path: str, raw: bytes, problems: dict[str, list[Problem]]) -> Iterator[_Read]:
    try:
        text = read_note(_text(raw, path), path)
    except UnreadableNote as error:
        problems[path] = error.problems
        return
    draft = acceptable(root, text)
    if isinstance(draft, NoteDraft):
        yield _Read(path, *fingerprint(raw), text, draft)
    else:
        problems[path] = draft


def _text(raw: bytes, path: str) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UnreadableNote(path, [Problem(line, "it is not UTF-8", "convert it to UTF-8")]) from None
    line = _conflict(text)
    if line:
        problem = Problem(line, "a merge has left both sides of a conflict in it", "resolve the conflict")
        raise UnreadableNote(path, [problem])
    return text


def _conflict(text: str) -> int:
    """The line on which a conflict that a merge has left begins; 0 for none."""
    wanted = iter((_BEGINS, _MIDDLE, _ENDS))
    marker, begins = next(wanted), 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.rstrip().split(" ", 1)[0] == marker:
            begins = begins or number
            marker = next(wanted, "")
            if not marker:
                return begins
    return 0


def _is_there(root: str, path: str) -> bool:
    return os.path.lexists(os.path.join(root, path))


def named(root: str, paths: Iterable[str]) -> set[str]:
    """`paths`, of files that may be gone, relative to `root`; refuses what does not lie in the folder."""
    found = set()
    for path in paths:
        place = os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(path))), os.path.basename(path))
        relative = os.path.relpath(place, root).replace(os.sep, "/")
        if os.path.dirname(relative) != FOLDER:
            raise VectrHooksError(
                f"{path} is none of the notes of the repository", f"they are the files {FOLDER}/*{SUFFIX}"
            )
        found.add(relative)
    return found
