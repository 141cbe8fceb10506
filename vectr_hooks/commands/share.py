"""`vectr-hooks share`: write a note as a file of the repository, for the team."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

import click

from vectr_hooks import output, team_notes
from vectr_hooks.atomic_files import replacing
from vectr_hooks.commands.authority import refuse_above
from vectr_hooks.core.keywords import fold
from vectr_hooks.core.provenance import AUTO
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.exporting import file_name, shared_note_file
from vectr_hooks.front_matter import DEFAULT_SCOPE
from vectr_hooks.options import NoteId, json_option, project_option
from vectr_hooks.project import Project, open_project
from vectr_hooks.store import team
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, NoteDraft, existing_note, refuse_inactive
from vectr_hooks.store.team import TeamFile
from vectr_hooks.store.transaction import writing
from vectr_hooks.store.workspace import home_folder
from vectr_hooks.trusted_files import FOLDER, LARGEST, UnfitFile, content, fingerprint, folder


@click.command("share")
@click.argument("id", type=NoteId())
@click.option("--name", metavar="FILE.md", help="How the file is called; default: by the note's title.")
@click.option("--dry-run", is_flag=True, help="Print the file, and write nothing.")
@project_option
@json_option
def command(id: int, name: str | None, dry_run: bool, project: str | None, as_json: bool) -> None:
    """Write a note as a file of the repository, for the team.

    The file comes into .vectr/notes/ and says what the author of the note decided, and nothing of whose it
    was: no author, session or pin. Commit it; others have the note delivered once they have run
    `vectr-hooks trust`. The note stays here as it is, and the file is known as its: it does not arrive twice.
    When its text has changed, share it again.

    A note that holds a secret or names a folder of this machine is refused, and one that holds for a branch,
    a session or a worktree only, or was captured automatically. A file that says something else is not
    overwritten. An agent cannot share what the user recorded or said.

    \b
    Examples:
      vectr-hooks share 12
      vectr-hooks share 12 --name locking.md
    """
    share(id=id, name=name, dry_run=dry_run, project=project, as_json=as_json)


def share(*, id: int, name: str | None, dry_run: bool, project: str | None, as_json: bool) -> None:
    place = open_project(project)
    with closing(open_store(place.store_path)) as con:
        note = existing_note(con, id)
        files = team.team_files(con)
        text = shared(place, note)
        path = path_of(note, files)
        if name is not None:
            path = named(place.root, checked(name), note, files)
        refuse_taken(note, path, files)
        before = replaceable(place.root, path, note, files, text)
        if not dry_run:
            if text != before:
                write(place.root, path, text)
            with writing(con):
                team.keep_file(con, path, *fingerprint(text), note.id)
    tell(note, path, text, text != before, dry_run, as_json)


def shared(place: Project, note: Note) -> bytes:
    """The file of `note`; refuses what others are not to have, or could not trust."""
    refuse_above([note], "share")
    refuse_inactive(note)
    if note.provenance == AUTO:
        raise VectrHooksError(
            f"#{note.id} was captured automatically, and nobody has looked at it",
            f"`vectr-hooks promote {note.id}` first",
        )
    if note.scope != DEFAULT_SCOPE:
        raise VectrHooksError(
            f"#{note.id} holds for one {note.scope} only, which others do not have",
            f"`vectr-hooks edit {note.id}` can take out its scope",
        )
    edit = f"`vectr-hooks edit {note.id}` takes it out"
    written = team_notes.as_in_file(note)
    accepted = team_notes.acceptable(place.root, written)
    if not isinstance(accepted, NoteDraft):
        raise VectrHooksError(f"#{note.id} cannot be shared: {accepted[0].message}", edit)
    text = shared_note_file(replace(note, author="", pinned=False))
    for named in (place.root, place.data_home, home_folder(os.environ)):
        if len(named) > 1 and named in text:
            raise VectrHooksError(f"#{note.id} names {named}, a folder of this machine", edit)
    raw = text.encode()
    if len(raw) > LARGEST:
        raise VectrHooksError(
            f"#{note.id} has more than {LARGEST:,} bytes",
            "a team reviews what was found, not where it was found",
        )
    return raw


def checked(name: str) -> str:
    """The name of a file, which lies in the folder itself."""
    is_fit = name.isprintable() and name.endswith(team_notes.SUFFIX) and not name.startswith(".")
    if name != os.path.basename(name) or not is_fit:
        raise VectrHooksError(
            f"{name} is no name of a team's note",
            f"a name such as locking{team_notes.SUFFIX}, without a folder",
        )
    return name


def named(root: str, name: str, note: Note, files: Sequence[TeamFile]) -> str:
    """The file `name`; refuses it where `note` lies in another."""
    path = f"{FOLDER}/{name}"
    own = next((file.path for file in files if file.note.id == note.id), path)
    if own != path and os.path.lexists(os.path.join(root, own)):
        raise VectrHooksError(f"#{note.id} is shared already, as {own}", f"`git mv {own} {path}` renames it")
    return path


def path_of(note: Note, files: Sequence[TeamFile]) -> str:
    """The file that `note` is of, or else one by its title: its id says nothing to others."""
    own = next((file.path for file in files if file.note.id == note.id), "")
    return own or f"{FOLDER}/{file_name(note).partition('-')[2] or file_name(note)}"


def replaceable(root: str, path: str, note: Note, files: Sequence[TeamFile], text: bytes) -> bytes | None:
    """What the file says at present, None where there is none; refuses one that is not this note's."""
    try:
        found = content(root, path)
    except FileNotFoundError:
        return None
    except (UnfitFile, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise VectrHooksError(
            f"{path} cannot be written over: {why}", "move it away, or give --name"
        ) from None
    own = next((file for file in files if file.path == path and file.note.id == note.id), None)
    if found != text and (own is None or fingerprint(found) != (own.size, own.crc)):
        raise VectrHooksError(
            f"{path} says something else already",
            f"`vectr-hooks trust {path}` shows what, or give --name" if own else "give --name",
        )
    return found


def refuse_taken(note: Note, path: str, files: Sequence[TeamFile]) -> None:
    """Refuse the title of another note's file, and its name, in any case: some disks know no other."""
    for file in files:
        if file.note.id == note.id:
            continue
        if fold(file.note.title) == fold(note.title):
            raise VectrHooksError(
                f"{file.path} has the same title",
                f"it is #{file.note.id}; `vectr-hooks edit {note.id}` gives another",
            )
        if fold(file.path) == fold(path):
            raise VectrHooksError(f"{file.path} is the file of #{file.note.id}", "give --name")


def write(root: str, path: str, text: bytes) -> None:
    """Write the file, of which nobody ever sees a part."""
    try:
        if not os.path.islink(os.path.join(root, FOLDER.partition("/")[0])):
            os.makedirs(os.path.join(root, FOLDER), exist_ok=True)
        place = folder(root)
        with replacing(os.path.join(place, os.path.basename(path))) as draft, open(draft, "xb") as file:
            file.write(text)
    except UnfitFile as error:
        raise VectrHooksError(f"{path} cannot be written: {error}", "put a folder in its place") from None
    except OSError as error:
        raise VectrHooksError(
            f"{path} cannot be written: {error.strerror}", "check who may write there"
        ) from error


def tell(note: Note, path: str, text: bytes, is_other: bool, dry_run: bool, as_json: bool) -> None:
    if as_json:
        output.json_result(
            {
                "id": note.id,
                "file": path,
                "written": is_other and not dry_run,
                "dry_run": dry_run,
                "text": text.decode(),
            }
        )
        return
    if dry_run:
        output.verbatim(text.decode())
        return
    output.result(f"#{note.id} {note.kind} {'written to' if is_other else 'is there already:'} {path}")
    output.result(f"commit it: git add {shlex.quote(path)}")
    output.result("others have it delivered once they have read it: `vectr-hooks trust`")
