"""Takes a note from its author: checked, rendered for the model, stored."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace

from vectr_hooks.acceptance import WATCHED_PATHS, anchor_in, refusals
from vectr_hooks.core import lint
from vectr_hooks.core.grammar import Trigger
from vectr_hooks.core.kinds import DEFAULT_KIND, DEFAULT_PRIORITY
from vectr_hooks.core.lint import Remark
from vectr_hooks.core.mentions import mentioned_paths
from vectr_hooks.core.provenance import AGENT, HUMAN, IN_WORDS, USER_STATED
from vectr_hooks.core.quotes import collapsed
from vectr_hooks.core.render import MARKS_SLOT, WHY_SLOT, in_header
from vectr_hooks.core.sanitise import for_model, line_for_model
from vectr_hooks.core.secrets import redact as redacted
from vectr_hooks.core.states import REVOKED
from vectr_hooks.core.title import default_title
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import DEFAULT_SCOPE, NoteText
from vectr_hooks.staleness import checksum
from vectr_hooks.store import configuration
from vectr_hooks.store.likeness import known
from vectr_hooks.store.notes import Note, NoteDraft, WatchedPath, add_note
from vectr_hooks.store.revisions import cost, next_ids
from vectr_hooks.store.workspace import branch, locate, relative_path
from vectr_hooks.templating import template


def remember(
    con: sqlite3.Connection,
    project_root: str,
    text: str,
    *,
    title: str = "",
    kind: str = DEFAULT_KIND,
    priority: str = DEFAULT_PRIORITY,
    tags: Sequence[str] = (),
    anchors: Sequence[str] = (),
    trigger: Trigger | None = None,
    scope: str = DEFAULT_SCOPE,
    provenance: str,
    author: str = "",
    pinned: bool = False,
    session: str = "",
    redact: bool = False,
    supersedes: Sequence[int] = (),
    now_ms: int,
) -> Note:
    """Store `text` as a note, as `draft` gives it, in the place of those it `supersedes`.

    Nothing is stored when anything is refused.
    """
    written = NoteText(
        body=text,
        title=title,
        kind=kind,
        priority=priority,
        tags=tuple(tags),
        anchors=tuple(anchors),
        trigger=trigger,
        scope=scope,
        author=author,
        pinned=pinned,
    )
    checked = draft(project_root, written, provenance=provenance, session=session, redact=redact)
    return add_note(con, checked, render, now_ms, supersedes)


def draft(
    project_root: str, written: NoteText, *, provenance: str, session: str = "", redact: bool = False
) -> NoteDraft:
    """What is stored of `written`: all but secrets, which `redact` replaces and which are refused else.

    `project_root` is absolute, symbolic links resolved. Raises the first of what is wrong.
    """
    found = examined(project_root, written, provenance=provenance, session=session, redact=redact)
    if isinstance(found, NoteDraft):
        return found
    raise found[0]


def examined(
    project_root: str, written: NoteText, *, provenance: str, session: str = "", redact: bool = False
) -> NoteDraft | list[VectrHooksError]:
    """The same, or everything that is wrong, each with the field it is about."""
    if redact:
        written = replace(written, title=redacted(written.title), body=redacted(written.body))
    wrong = refusals(project_root, written, provenance, session)
    if wrong:
        return wrong
    anchors = [anchor_in(project_root, anchor) for anchor in written.anchors]
    return NoteDraft(
        title=written.title.strip() or default_title(for_model(written.body)),
        body=written.body,
        kind=written.kind,
        priority=written.priority,
        tags=tuple(dict.fromkeys(written.tags)),
        anchors=tuple(dict.fromkeys(anchors)),
        trigger=written.trigger,
        scope=written.scope,
        scope_value=scope_value(written.scope, project_root, session),
        provenance=provenance,
        author=written.author,
        pinned=written.pinned,
        session=session,
        watched=tuple(watched_paths(project_root, anchors, written.body)),
    )


def scope_value(scope: str, project_root: str, session: str) -> str:
    """What a note of `scope` is limited to: the branch, the session or the worktree it is written in."""
    if scope == "branch":
        place = locate(project_root, "")
        return branch(place) if place else ""
    return {"session": session, "worktree": project_root}.get(scope, "")


def as_written(note: NoteDraft) -> NoteText:
    """What its author would write to have `note`: `draft` gives the same from it."""
    names = (field.name for field in fields(NoteText) if field.name not in ("kept", "lines"))
    given = {name: getattr(note, name) for name in names}
    if note.title == default_title(for_model(note.body)):
        given["title"] = ""
    return NoteText(**given)


def remarks(
    con: sqlite3.Connection,
    drafts: Mapping[str, NoteDraft],
    now_ms: int,
    changed: Mapping[str, int] | None = None,
    replaced: Iterable[int] = (),
) -> dict[str, list[Remark]]:
    """What to point out about each of `drafts`, which are told apart by name.

    They are new and follow each other, but for those in `changed`, which holds their ids. The notes in
    `replaced` are given up in their favour.
    """
    ids = changed or {}
    settings = configuration.current(con)
    today = time.strftime("%Y-%m-%d", time.gmtime(now_ms / 1000))
    others = known(con, drafts.values(), but={*ids.values(), *replaced})
    next_id, _ = next_ids(con)
    found = {}
    for n, (name, draft) in enumerate(drafts.items()):
        found[name] = lint.remarks(
            draft,
            cost(full_text(ids.get(name, next_id + n), draft)),
            settings,
            today,
            others.alike(draft.title, draft.body),
        )
        others.add(name, draft.title, draft.body)
    return found


def render(id: int, draft: NoteDraft) -> tuple[str, str]:
    """The text of a note for the model, with slots for what a hook fills in, and its index line."""
    line = template(_form(draft, "index")).render(
        id=id,
        kind=draft.kind,
        title=line_for_model(draft.title),
        reason=line_for_model(draft.reason),
    )
    return full_text(id, draft), line


def full_text(id: int, draft: NoteDraft) -> str:
    return template(_form(draft, "full")).render(
        id=id,
        kind=draft.kind,
        provenance=provenance_in_words(draft),
        why=WHY_SLOT,
        marks=MARKS_SLOT,
        body=for_model(draft.body).rstrip().lstrip("\n"),
        reason=line_for_model(draft.reason),
        revoked_by="the user" if draft.state_by == HUMAN else "an agent",
    )


def _form(draft: NoteDraft, name: str) -> str:
    """The template of a form: what is revoked is told as a warning."""
    return f"injection/{'revoked_' if draft.state == REVOKED else ''}{name}.j2"


def provenance_in_words(draft: NoteDraft) -> str:
    """Who stands behind a note. Words of authority stand before what the user said, and nothing else."""
    if draft.provenance == HUMAN and draft.kind == "directive" and draft.state != REVOKED:
        return "the user's standing rule"
    if draft.provenance == USER_STATED and collapsed(draft.quote) != collapsed(draft.body):
        quoted = in_header(line_for_model(draft.quote)).replace('"', "'")
        return f'the user said: "{quoted}" · the text recorded by an agent, not reviewed'
    if draft.provenance == AGENT and draft.author:
        return f'recorded by agent "{draft.author}", not reviewed'
    return IN_WORDS[draft.provenance]


def watched_paths(root: str, anchors: Iterable[str], body: str) -> Iterator[WatchedPath]:
    """The files under `root` a note is about, as they are now: its anchors, then those its body names."""
    seen: set[str] = set()
    for is_anchor, names in ((True, anchors), (False, mentioned_paths(body))):
        for name in names:
            path = relative_path(root, name, root)
            if not path or path in seen or len(seen) == WATCHED_PATHS:
                continue
            if not os.path.isfile(os.path.join(root, path)):
                continue
            file = os.path.realpath(os.path.join(root, path))
            # A link to the outside is none of the workspace's files.
            if relative_path(root, file, root):
                seen.add(path)
                yield _as_it_is(path, file) if is_anchor else WatchedPath(path, -1, 0)


def _as_it_is(path: str, file: str) -> WatchedPath:
    try:
        return WatchedPath(path, os.path.getsize(file), checksum(file) or 0)
    except OSError:
        return WatchedPath(path, -1, 0)
