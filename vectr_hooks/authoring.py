"""Takes a note from its author: checked, rendered for the model, stored."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from vectr_hooks.core.grammar import Trigger
from vectr_hooks.core.kinds import KINDS, PRIORITIES
from vectr_hooks.core.mentions import mentioned_paths
from vectr_hooks.core.nearest import allowed_hint
from vectr_hooks.core.render import MARKS_SLOT, WHY_SLOT
from vectr_hooks.core.sanitise import for_model, line_for_model
from vectr_hooks.core.secrets import find_secret
from vectr_hooks.core.secrets import redact as redacted
from vectr_hooks.core.title import TITLE_LENGTH, default_title
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.staleness import checksum
from vectr_hooks.store.notes import Note, NoteDraft, WatchedPath, add_note
from vectr_hooks.store.workspace import branch, locate, relative_path

if TYPE_CHECKING:
    from jinja2 import Template

DEFAULT_KIND = "finding"
DEFAULT_PRIORITY = "medium"

SCOPES = ("workspace", "branch", "session", "worktree")

#: who stands behind a note, as its header says it
PROVENANCE = {
    "human": "recorded by the user",
    "team": "from the repository, trusted",
    "agent": "recorded by an agent, not reviewed",
    "auto": "captured automatically, verify",
}
LATER_PROVENANCE = ("user-stated",)

BODY_BYTES = 1 << 20
# A hook looks at each of them when it delivers the note.
WATCHED_PATHS = 16

# Nothing with which a name could end the words it stands among and go on with others.
_AUTHOR = re.compile(r"[\w.@+:/() -]{1,60}")


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
    scope: str = "workspace",
    provenance: str,
    author: str = "",
    pinned: bool = False,
    session: str = "",
    redact: bool = False,
    now_ms: int,
) -> Note:
    """Store `text` as a note, verbatim but for secrets, which `redact` replaces and which are refused else.

    `project_root` is absolute, symbolic links resolved. Nothing is stored when anything is refused.
    """
    _check_choice("kind", kind, KINDS)
    _check_choice("priority", priority, PRIORITIES)
    _check_choice("scope", scope, SCOPES)
    _check_choice("provenance", provenance, PROVENANCE, LATER_PROVENANCE)
    if kind == "directive" and provenance == "auto":
        raise VectrHooksError("what was captured automatically cannot be a directive", "choose another kind")
    _check_characters(
        title=[title], body=[text], tag=tags, anchor=anchors, author=[author], session=[session]
    )
    if redact:
        title, text = redacted(title), redacted(text)
    # Before anything that names in its message what it refuses.
    _refuse_secrets(
        title=[title], body=[text], tag=tags, anchor=anchors, author=[author], trigger=_trigger_texts(trigger)
    )
    if author and not _AUTHOR.fullmatch(author):
        raise VectrHooksError(
            f"{author!r} is no author's name", "up to 60 letters, digits, spaces and . @ + : / ( ) -"
        )
    anchors = [_anchor(project_root, anchor) for anchor in anchors]
    _check_body(text)
    draft = NoteDraft(
        title=_title(title) if title else default_title(for_model(text)),
        body=text,
        kind=kind,
        priority=priority,
        tags=_tags(tags),
        anchors=tuple(dict.fromkeys(anchors)),
        trigger=trigger,
        scope=scope,
        scope_value=scope_value(scope, project_root, session),
        provenance=provenance,
        author=author,
        pinned=pinned,
        session=session,
        watched=tuple(watched_paths(project_root, anchors, text)),
    )
    return add_note(con, draft, render, now_ms)


def scope_value(scope: str, project_root: str, session: str) -> str:
    """What a note of `scope` is limited to: the branch, the session or the worktree it is written in."""
    if scope == "worktree":
        return project_root
    if scope == "session":
        if not session:
            raise VectrHooksError(
                "scope `session` outside of a session",
                "an agent's command knows its session; else use another scope",
            )
        return session
    if scope == "branch":
        place = locate(project_root, "")
        found = branch(place) if place else ""
        if not found:
            raise VectrHooksError(
                "scope `branch` and no branch is checked out", "check one out, or use another scope"
            )
        return found
    return ""


def render(id: int, draft: NoteDraft) -> tuple[str, str]:
    """The text of a note for the model, with slots for what a hook fills in, and its index line."""
    text = _template("full.j2").render(
        id=id,
        kind=draft.kind,
        provenance=provenance_in_words(draft),
        why=WHY_SLOT,
        marks=MARKS_SLOT,
        body=for_model(draft.body).rstrip().lstrip("\n"),
    )
    line = _template("index.j2").render(id=id, kind=draft.kind, title=line_for_model(draft.title))
    return text, line


def provenance_in_words(draft: NoteDraft) -> str:
    """Who stands behind a note. Words of authority stand before what the user said, and nothing else."""
    if draft.provenance == "human" and draft.kind == "directive":
        return "the user's standing rule"
    if draft.provenance == "agent" and draft.author:
        return f"recorded by agent {draft.author}, not reviewed"
    return PROVENANCE[draft.provenance]


def watched_paths(root: str, anchors: Iterable[str], body: str) -> Iterator[WatchedPath]:
    """The files under `root` a note is about, as they are now: its anchors, then those its body names."""
    seen: set[str] = set()
    for is_anchor, names in ((True, anchors), (False, mentioned_paths(body))):
        for name in names:
            path = relative_path(root, name, root)
            if not path or path in seen or len(seen) == WATCHED_PATHS:
                continue
            file = os.path.realpath(os.path.join(root, path))
            # A link to the outside is none of the workspace's files.
            if os.path.isfile(file) and relative_path(root, file, root):
                seen.add(path)
                yield _as_it_is(path, file) if is_anchor else WatchedPath(path, -1, 0)


def _as_it_is(path: str, file: str) -> WatchedPath:
    try:
        return WatchedPath(path, os.path.getsize(file), checksum(file))
    except OSError:
        return WatchedPath(path, -1, 0)


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    package = Path(__file__).parent
    # Beside the package in a checkout, inside it where it is installed.
    folder = next(place for place in (package / "templates", package.parent / "templates") if place.is_dir())
    environment = Environment(
        loader=FileSystemLoader(folder / "injection"),
        autoescape=select_autoescape(("html",)),
        undefined=StrictUndefined,
    )
    return environment.get_template(name)


def _check_choice(name: str, value: str, allowed: Collection[str], later: Collection[str] = ()) -> None:
    if value in later:
        raise VectrHooksError(
            f"{name} `{value}` arrives in a later version", f"allowed now: {', '.join(allowed)}"
        )
    if value not in allowed:
        raise VectrHooksError(f"unknown {name} `{value}`", allowed_hint(value, allowed))


def _check_characters(**texts: Iterable[str]) -> None:
    """Refuse what no database, file or model can hold as it is."""
    for name, text in _named(texts):
        if "\0" in text:
            raise VectrHooksError(
                f"the {name} holds a NUL character", "a note is text; leave the character out"
            )
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise VectrHooksError(
                f"the {name} holds a lone surrogate at character {error.start + 1}: it is not Unicode text",
                "give it in UTF-8",
            ) from None


def _refuse_secrets(**texts: Iterable[str]) -> None:
    for name, text in _named(texts):
        # Keywords are folded, and one kind of key is known by its capitals.
        secret = find_secret(text) or (find_secret(text.upper()) if name == "trigger" else "")
        if secret:
            within = name in ("title", "body")
            hint = "give --redact to store it without" if within else "leave it out"
            raise VectrHooksError(f"the {name} holds a secret: {secret}", f"nothing was stored; {hint}")


def _named(texts: dict[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    return ((name, text) for name, of_name in texts.items() for text in of_name)


def _trigger_texts(trigger: Trigger | None) -> Iterator[str]:
    for clause in trigger.clauses if trigger else ():
        for _, values in (*clause.conditions, *clause.unless):
            yield from values


def _check_body(text: str) -> None:
    if not for_model(text).strip():
        raise VectrHooksError(
            "the note is empty", "give its text as an argument, or `-` and the text on stdin"
        )
    size = len(text.encode("utf-8"))
    if size > BODY_BYTES:
        raise VectrHooksError(
            f"the note has {size:,} bytes, more than {BODY_BYTES:,}",
            "store what was found, not where it was found",
        )


def _title(title: str) -> str:
    title = title.strip()
    if not line_for_model(title):
        raise VectrHooksError("the title is empty", "leave it out to have the first sentence as the title")
    if len(title.splitlines()) > 1:
        raise VectrHooksError(
            "the title has more than one line", "an index line shows the title, the body the rest"
        )
    if len(title) > TITLE_LENGTH:
        raise VectrHooksError(
            f"the title has {len(title)} characters, more than {TITLE_LENGTH}", "the body may say the rest"
        )
    return title


def _tags(tags: Iterable[str]) -> tuple[str, ...]:
    for tag in tags:
        if not tag or "," in tag or any(character.isspace() for character in tag):
            raise VectrHooksError(
                f"{tag!r} is no tag", "a tag is one word without commas; give --tag once for each"
            )
    return tuple(dict.fromkeys(tags))


def _anchor(root: str, anchor: str) -> str:
    """An anchor as it is stored: a path relative to the root of the workspace, or a symbol."""
    anchor = anchor.strip()
    if not line_for_model(anchor) or len(anchor.splitlines()) > 1:
        raise VectrHooksError(f"{anchor!r} is no anchor", "an anchor is a path in the workspace or a symbol")
    steps = anchor.replace("\\", "/").split("/")
    if not os.path.isabs(anchor) and steps[0] != "." and ".." not in steps:
        return anchor
    path = relative_path(root, anchor, root)
    if not path:
        raise VectrHooksError(
            f"the anchor {anchor} lies outside the workspace", f"anchors are relative to its root, {root}"
        )
    return path + "/" if anchor.endswith("/") else path
