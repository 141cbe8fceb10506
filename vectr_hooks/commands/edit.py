"""`vectr-hooks edit`: change notes in an editor."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import fields, replace

import click

from vectr_hooks import authoring, caller, output
from vectr_hooks.commands.authority import refuse_above, who
from vectr_hooks.commands.remarking import refuse_wrong, remark_fields, tell_remarks
from vectr_hooks.core.describe import arrival
from vectr_hooks.editing import Desk, editor, open_editor
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.exporting import kept
from vectr_hooks.front_matter import (
    KEPT_KEYS,
    KEYS,
    NoteText,
    Problem,
    UnreadableNote,
    located,
    read_note,
    write_note,
)
from vectr_hooks.importing import read_file
from vectr_hooks.options import NoteId, json_option, project_option, redact_option, strict_option
from vectr_hooks.project import open_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, NoteDraft, change_notes, existing_note, newest_note

# What an author does not write: who stands behind a note stays.
_KEPT = ("provenance", "session", "state", "reason", "state_by", "superseded_by", "quote", "changed_by")


@click.command("edit")
@click.argument("ids", metavar="[ID]...", type=NoteId(), nargs=-1)
@click.option(
    "--from",
    "file",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Take the text from this file, without an editor.",
)
@redact_option
@strict_option
@project_option
@json_option
def command(
    ids: tuple[int, ...],
    file: str | None,
    redact: bool,
    strict: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """Change notes in an editor.

    Each note is opened as a file of its own in $VISUAL, $EDITOR or vi: YAML between two lines `---`, as
    `vectr-hooks import` reads it, then the body. Without an ID, at a terminal, it is the newest note. All
    notes that were changed are stored, or none; what is wrong is shown, and can be mended in the editor.
    A text that is not stored is kept in a file that is named.

    Who stands behind a note stays as it is, so an agent cannot change what a person recorded or said. A note
    that is revoked or superseded stays that.

    \b
    Examples:
      vectr-hooks edit 12
      EDITOR="code --wait" vectr-hooks edit 12 31
      vectr-hooks edit 12 --from note.md
    """
    if not ids and not caller.at_terminal():
        raise click.UsageError("Name the notes by their ids.")
    if file and len(ids) != 1:
        raise click.UsageError("--from takes one note's id.")
    edit(ids=ids, file=file, redact=redact, strict=strict, project=project, as_json=as_json)


def edit(
    *, ids: tuple[int, ...], file: str | None, redact: bool, strict: bool, project: str | None, as_json: bool
) -> None:
    place = open_project(project)
    with closing(open_store(place.store_path)) as con:
        notes = {f"{id}.md": existing_note(con, id) for id in dict.fromkeys(ids or [newest_note(con)])}
        refuse_above(notes.values(), "edit")
        before = {name: authoring.as_written(note) for name, note in notes.items()}

        def store(given: Mapping[str, NoteText]) -> None:
            written = {name: authored(text, notes[name], place.root) for name, text in given.items()}
            different = {name: text for name, text in written.items() if text != before[name]}
            drafts = {notes[name].id: draft for name, draft in checked(place.root, notes, different, redact)}
            now_ms = time.time_ns() // 1_000_000
            remarks = authoring.remarks(
                con,
                {f"#{id}": draft for id, draft in drafts.items()},
                now_ms,
                changed={f"#{id}": id for id in drafts},
            )
            tell_remarks(remarks, strict, as_json)
            seen = {note.id: note.revision for note in notes.values()}
            before_by_id = {note.id: note for note in notes.values()}
            changes = {id: changed_fields(before_by_id[id], draft) for id, draft in drafts.items()}
            changed = change_notes(con, changes, now_ms, authoring.render, seen, who()) if changes else []
            tell(notes.values(), {note.id: note for note in changed}, remark_fields(remarks, "note"), as_json)

        if file:
            store(dict.fromkeys(notes, read_note(read_file(file), file)))
        else:
            by_hand(os.path.dirname(place.store_path), before, store)


def authored(text: NoteText, note: Note, root: str) -> NoteText:
    """`text` without what an export has and no author writes; refused where that is not as it is stored."""
    stored = kept(note, root)
    wrong = [
        Problem(text.lines[name], f"`{name}` is not changed by editing", "leave it out, or as it is")
        for name in KEPT_KEYS
        if text.kept and name in text.lines and getattr(text.kept, name) != getattr(stored, name)
    ]
    refuse_wrong({f"#{note.id}": wrong} if wrong else {})
    plain = replace(text, kept=None)
    # An export says the title of a note that has none of its own.
    untitled = replace(plain, title="")
    is_as_it_was = plain.title == note.title and untitled == authoring.as_written(note)
    return untitled if is_as_it_was else plain


def by_hand(
    folder: str, before: Mapping[str, NoteText], store: Callable[[Mapping[str, NoteText]], None]
) -> None:
    """Have the texts edited until they can be stored, or are given up; what is not stored is kept."""
    words = editor(os.environ, caller.at_terminal())
    desk = Desk(folder, {name: write_note(text, comment(name)) for name, text in before.items()})
    try:
        while True:
            open_editor(words, [desk.file(name) for name in before])
            try:
                store(read_texts(desk, before))
                break
            except VectrHooksError as error:
                if not caller.at_terminal():
                    raise
                output.remark(f"error: {error.message}\nhint: {error.hint}")
                if not click.confirm("Edit again?", default=True, err=True):
                    raise
    except BaseException as error:
        kept = desk.changed()
        if not kept:
            desk.clear()
            raise
        where = f"your text is kept: {', '.join(map(str, kept))}; `vectr-hooks edit ID --from FILE` takes it"
        if isinstance(error, VectrHooksError):
            raise VectrHooksError(error.message, "; ".join(filter(None, (error.hint, where)))) from None
        output.remark(where)
        raise
    desk.clear()


def comment(name: str) -> str:
    return f"note {name.removesuffix('.md')}; keys: {', '.join(KEYS)}; without a key its default holds"


def read_texts(desk: Desk, before: Mapping[str, NoteText]) -> dict[str, NoteText]:
    written, wrong = {}, {}
    for name, text in desk.texts().items():
        if not text.strip():
            id = name.removesuffix(".md")
            output.remark(f"#{id} was emptied and stays as it is; `vectr-hooks forget {id}` deletes it")
            written[name] = before[name]
            continue
        try:
            written[name] = read_note(text, name)
        except UnreadableNote as error:
            wrong[name] = error.problems
    refuse_wrong(wrong)
    return written


def checked(
    root: str, notes: Mapping[str, Note], written: Mapping[str, NoteText], redact: bool
) -> Iterable[tuple[str, NoteDraft]]:
    """What is stored of the texts, by name; refuses all of them when anything is wrong with one."""
    drafts, wrong = {}, {}
    for name, text in written.items():
        note = notes[name]
        found = authoring.examined(
            root, text, provenance=note.provenance, session=note.session, redact=redact
        )
        if isinstance(found, NoteDraft):
            drafts[name] = found
        else:
            wrong[name] = located(text, found)
    refuse_wrong(wrong)
    return drafts.items()


def changed_fields(note: Note, draft: NoteDraft) -> dict[str, object]:
    """What of `draft` comes into `note`. It stays in the branch it is limited to, wherever it is edited."""
    kept = {*_KEPT, "scope_value"} if draft.scope == note.scope else {*_KEPT}
    return {field.name: getattr(draft, field.name) for field in fields(NoteDraft) if field.name not in kept}


def tell(
    notes: Iterable[Note], changed: Mapping[int, Note], remarks: list[dict[str, str]], as_json: bool
) -> None:
    if as_json:
        fields = [
            output.note_fields(changed.get(note.id, note)) | {"changed": note.id in changed} for note in notes
        ]
        output.json_result({"notes": fields, "remarks": remarks})
        return
    for before in notes:
        note = changed.get(before.id)
        if note is None:
            output.result(f"#{before.id} {before.kind} unchanged: {before.title}")
            continue
        output.result(f"#{note.id} {note.kind} changed: {note.title}")
        output.result(arrival(note.trigger, note))
        output.result(f"costs {note.cost} tokens")
