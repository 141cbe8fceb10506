"""Gives notes as files that `import` reads: all in one, or one file a note.

The same notes give the same bytes, whenever and wherever: nothing here asks the clock or the machine. The
texts are put together line by line and not by a template: for thousands of notes that is many times as fast,
and a body that no template engine sees comes out exactly.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vectr_hooks.atomic_files import replacing
from vectr_hooks.core.grammar import Trigger, stored_trigger, trigger_value
from vectr_hooks.core.model import Clause
from vectr_hooks.core.sanitise import for_model
from vectr_hooks.core.secret_forms import may_hold_secret
from vectr_hooks.core.secrets import find_folded_secret, find_secret, redact
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import Kept, NoteText, exported_notes, write_note
from vectr_hooks.rule_files import is_rule_file
from vectr_hooks.store.notes import Note, WatchedPath

SUFFIX = ".md"

_SLUG_LENGTH = 50
# So that a folder with up to 9999 notes lists them in their order.
_ID_DIGITS = 4
_NO_WORD = re.compile(r"[^a-z0-9]+")
_SHORTEST_TOKEN = 16
# What a person does not see may stand inside a secret: a superset of what `sanitise` leaves out or escapes.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
# So many notes are looked through together: most hold nothing like a secret.
_TOGETHER = 100
_FILE_NAME = re.compile(r"[0-9]{4,16}(?:-[a-z0-9-]+)?\.md")
# Of files that stand in the way, a person reads the first.
_MOST_NAMED = 3


@dataclass(frozen=True)
class Outcome:
    """What an export did, with the names of files."""

    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    """Of an earlier export, whose notes are no longer in it."""
    left: list[str] = field(default_factory=list)
    """What is none of it and was there before."""


#: whether this store can do without a note in an earlier export, by its id and its creation (ms): it has the
#: note and can read it, or was told to forget it
Spared = Callable[[int, int], bool]


def shared_note_file(note: Note) -> str:
    """What the author of `note` decided, for others: without its id, history, session and who stands behind.

    `front_matter.read_note` reads it; secrets are left out.
    """
    return write_note(without_secrets(_authored(note)))


def note_files(notes: Sequence[Note], root: str, counted: bool = False) -> list[str]:
    """The whole of each of `notes` as a file that `import` reads back exactly, without secrets.

    `root` is that of the workspace. With `counted` other notes may follow in the same file. What is shared
    with others is rather `shared_note_file`; both are named by `file_name`.
    """
    found = []
    for at in range(0, len(notes), _TOGETHER):
        whole = [_whole(note, root) for note in notes[at : at + _TOGETHER]]
        safe = whole if not _may_hold_secret(whole) else map(without_secrets, whole)
        found += [write_note(note, counted=counted) for note in safe]
    return found


def notes_file(notes: Sequence[Note], root: str) -> str:
    """All of `notes` as one file that `import` reads."""
    return "\n".join(note_files(notes, root, counted=True))


def file_name(note: Note) -> str:
    """The name of the file of `note`: its id, and what ASCII letters and digits its title has."""
    plain = unicodedata.normalize("NFKD", note.title).encode("ascii", "ignore").decode().lower()
    slug = _NO_WORD.sub("-", plain)[:_SLUG_LENGTH].strip("-")
    return f"{note.id:0{_ID_DIGITS}}{'-' if slug else ''}{slug}{SUFFIX}"


def write_file(path: str, text: str, spared: Spared, overwrite: bool) -> Outcome:
    """Let the file at `path` hold `text`, atomically, a link staying one.

    What is there already is refused unless it is an earlier export that nobody has changed, or `overwrite`.
    """
    if is_rule_file(path):
        raise VectrHooksError(
            f"{os.path.basename(path)} is read by other tools, and would be imported as theirs",
            "choose another name",
        )
    target, content = os.path.realpath(path), _encoded(text)
    with _named(path):
        before = _read(target)
        if before == content:
            return Outcome(unchanged=[path])
        if before is not None and not overwrite and not _is_earlier(before, spared):
            raise _in_the_way([path])
        _replace(target, content, before is not None)
    return Outcome(written=[path])


def write_folder(folder: str, texts: Mapping[str, str], spared: Spared, overwrite: bool) -> Outcome:
    """Let `folder` hold `texts` by file name, each file written atomically, and no other note of an export.

    A folder that holds anything else is refused unless `overwrite`; even then that stays, but for a file that
    has the name of one of `texts`. Files whose names begin with a dot are nobody's.
    """
    if is_rule_file(os.path.join(folder, "0001.md")):
        raise VectrHooksError(f"{folder} is for the rules of other tools", "choose another folder")
    outcome = Outcome()
    with _named(folder):
        os.makedirs(folder, exist_ok=True)
        before = {}
        for name in sorted(name for name in os.listdir(folder) if not name.startswith(".")):
            path = os.path.join(folder, name)
            content = _read(path) if _FILE_NAME.fullmatch(name) and os.path.isfile(path) else None
            if content is not None and name in texts and _encoded(texts[name]) == content:
                outcome.unchanged.append(name)
            elif content is not None and _is_earlier(content, spared):
                before[name] = content
            else:
                outcome.left.append(name)
        if outcome.left and not overwrite:
            raise _in_the_way([os.path.join(folder, name) for name in outcome.left])
        for name in sorted(texts.keys() - {*outcome.unchanged}):
            path = os.path.join(folder, name)
            _replace(path, _encoded(texts[name]), os.path.lexists(path))
            outcome.written.append(name)
        for name in sorted(before.keys() - texts.keys()):
            os.remove(os.path.join(folder, name))
            outcome.removed.append(name)
    return replace(outcome, left=[name for name in outcome.left if name not in texts])


def _encoded(text: str) -> bytes:
    # What is no text comes out so that `import` can say so.
    return text.encode("utf-8", "surrogatepass")


def _is_earlier(content: bytes, spared: Spared) -> bool:
    """Whether all of `content` was exported, has not been changed since, and can be spared."""
    try:
        notes = exported_notes(content.decode("utf-8"))
    except UnicodeDecodeError:
        return False
    return notes is not None and all(spared(id, created) for id, created in notes)


def _in_the_way(paths: Sequence[str]) -> VectrHooksError:
    named = ", ".join(paths[:_MOST_NAMED])
    more = f" and {len(paths) - _MOST_NAMED:,} more" if len(paths) > _MOST_NAMED else ""
    what = "is no unchanged export" if len(paths) == 1 else "are no unchanged exports"
    return VectrHooksError(
        f"{named}{more} {what} of this project's notes; nothing was written",
        "choose another path; `vectr-hooks import` takes what was changed; --overwrite gives it up",
    )


def _read(path: str) -> bytes | None:
    """The bytes of the file at `path`; None where there is none."""
    try:
        # Asked before it is opened: a FIFO would wait for a writer.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise VectrHooksError(f"{path} is not a regular file", "choose another path")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _replace(path: str, content: bytes, there: bool) -> None:
    with replacing(path) as draft:
        with open(draft, "xb") as file:
            file.write(content)
        if there:
            os.chmod(draft, stat.S_IMODE(os.stat(path).st_mode))


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise VectrHooksError(
            f"{path}: {error.strerror}",
            "check who may write there, and the room on the disk",
        ) from None


def kept(note: Note, root: str) -> Kept:
    """What the store knows of `note` beside what its author decided."""
    value = note.scope_value
    if note.scope == "worktree":
        value = os.path.relpath(value, root).replace(os.sep, "/") if value else ""
    return Kept(
        id=note.id,
        scope_value="" if value == {"worktree": ".", "session": note.session}.get(note.scope, "") else value,
        provenance=note.provenance,
        quote=note.quote,
        state=note.state,
        reason=note.reason,
        state_by=note.state_by,
        superseded_by=note.superseded_by,
        created=note.created,
        changed=None if note.at == note.created else note.at,
        changed_by=note.changed_by,
        session=note.session,
        watched=tuple(sorted(note.watched, key=lambda watched: watched.path)),
    )


def without_secrets(note: NoteText) -> NoteText:
    """`note` with `[redacted: kind]` in place of every secret; as it is where it holds none."""
    if not _may_hold_secret([note]):
        return note
    kept = note.kept and replace(
        note.kept,
        quote=_redacted(note.kept.quote),
        reason=_redacted(note.kept.reason),
        scope_value=_redacted(note.kept.scope_value),
        session=_redacted(note.kept.session),
        watched=tuple(
            WatchedPath(_redacted(watched.path), watched.size, watched.crc) for watched in note.kept.watched
        ),
    )
    return replace(
        note,
        title=_redacted(note.title),
        body=_redacted(note.body),
        # A tag is one word.
        tags=tuple("-".join(_redacted(tag).split()) if redact(tag) != tag else tag for tag in note.tags),
        anchors=tuple(map(_redacted, note.anchors)),
        author=_redacted(note.author),
        trigger=note.trigger and _trigger_without_secrets(note.trigger),
        kept=kept,
    )


def _authored(note: Note, kept: Kept | None = None) -> NoteText:
    # The title always: which one a body would give by itself may change with the version.
    return NoteText(
        body=note.body,
        title=note.title,
        kind=note.kind,
        priority=note.priority,
        tags=note.tags,
        anchors=note.anchors,
        trigger=note.trigger,
        scope=note.scope,
        author=note.author,
        pinned=note.pinned,
        kept=kept,
    )


def _whole(note: Note, root: str) -> NoteText:
    return _authored(note, kept(note, root))


def _may_hold_secret(notes: Iterable[NoteText]) -> bool:
    texts: list[str] = []
    values: list[str] = []
    for note in notes:
        texts += (note.title, note.body, note.author, *note.tags, *note.anchors)
        if note.trigger:
            values += [value for clause in note.trigger.clauses for value in _values(clause)]
        if note.kept:
            texts += (note.kept.quote, note.kept.reason, note.kept.scope_value, note.kept.session)
            texts += [watched.path for watched in note.kept.watched]
    whole = "\n".join(texts + values)
    folded = "\n".join(value for value in values if len(value) >= _SHORTEST_TOKEN)
    return bool(may_hold_secret(whole) or _holds_unseen(whole) or find_folded_secret(folded))


def _holds_unseen(text: str) -> bool:
    # Most texts are plain, which is told much sooner.
    plain = text.isascii() and text.replace("\n", " ").replace("\r", " ").replace("\t", " ").isprintable()
    return not plain and bool(_UNSEEN.search(text))


def _redacted(text: str) -> str:
    plain = redact(text)
    # What is invisible in a text may have stood inside a secret.
    if _holds_unseen(plain) and find_secret(for_model(plain)):
        return redact(for_model(plain))
    return plain


def _trigger_without_secrets(trigger: Trigger) -> Trigger:
    if not any(_redacted_value(value) != value for clause in trigger.clauses for value in _values(clause)):
        return trigger

    def named(conditions: dict[str, Sequence[str]]) -> dict[str, list[str]]:
        return {name: list(map(_redacted_value, values)) for name, values in conditions.items()}

    clauses = []
    for clause in trigger.clauses:
        value: dict[str, object] = {**named(dict(clause.conditions))}
        if clause.unless:
            value["unless"] = named(dict(clause.unless))
        clauses.append(value)
    return stored_trigger({**trigger_value(trigger), "clauses": clauses})


def _redacted_value(value: str) -> str:
    """Keywords are folded, and so is a secret in one."""
    plain = _redacted(value)
    kind = find_folded_secret(plain) if plain == value else ""
    return f"[redacted: {kind}]" if kind else plain


def _values(clause: Clause) -> list[str]:
    return [value for _, values in (*clause.conditions, *clause.unless) for value in values]
