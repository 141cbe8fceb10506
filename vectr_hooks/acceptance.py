"""What of a note is accepted: its choices, its characters, no secrets, and the form of every field."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

from vectr_hooks.core.grammar import Trigger
from vectr_hooks.core.kinds import KINDS, PRIORITIES
from vectr_hooks.core.nearest import allowed_hint
from vectr_hooks.core.provenance import AUTO, IN_WORDS, USER_STATED
from vectr_hooks.core.quotes import MOST as LONGEST_QUOTE
from vectr_hooks.core.sanitise import BLANKS, for_model, line_for_model
from vectr_hooks.core.secrets import find_folded_secret, find_secret
from vectr_hooks.core.states import ACTIVE, REVOKED, SUPERSEDED
from vectr_hooks.core.title import TITLE_LENGTH
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import Kept, NoteText
from vectr_hooks.store.workspace import branch, locate, relative_path

SCOPES = ("workspace", "branch", "session", "worktree")

BODY_BYTES = 1 << 20
# A hook looks at each of them when it delivers the note.
WATCHED_PATHS = 16

# Nothing with which a name could end the words it stands among and go on with others.
_AUTHOR = re.compile(r"[\w.@+/ -]{1,60}")

_Check = tuple[str, Callable[[], object]]


def refusals(root: str, written: NoteText, provenance: str, session: str) -> list[VectrHooksError]:
    """Everything that is wrong with a note, each with the field it is about; none: it may be stored.

    `root`, absolute and without symbolic links, is that of the workspace.
    """
    # What names in its message what it refuses comes after the search for secrets.
    for checks in (_choices, _characters, _secrets, partial(_forms, root)):
        found = _refused(checks(written, provenance, session))
        if found:
            return found
    return []


def check_line(name: str, text: str) -> str:
    """`text`, which is kept beside a note, as one line; refuses what is no text, and a secret."""
    line = " ".join(text.split())
    _check_characters(name, [line])
    if not line_for_model(line):
        raise VectrHooksError(f"the {name} is empty", "say it in a few words")
    _refuse_secrets(name, [line])
    return line


def _refused(checks: Iterable[_Check]) -> list[VectrHooksError]:
    found = []
    for name, check in checks:
        try:
            check()
        except VectrHooksError as error:
            error.field = name
            found.append(error)
    return found


def _choices(written: NoteText, provenance: str, session: str) -> Iterator[_Check]:
    yield "kind", lambda: _check_choice("kind", written.kind, KINDS)
    yield "priority", lambda: _check_choice("priority", written.priority, PRIORITIES)
    yield "scope", lambda: _check_choice("scope", written.scope, SCOPES)
    yield "provenance", lambda: _check_choice("provenance", provenance, IN_WORDS)
    yield "kind", lambda: _check_rank(written.kind, provenance)
    if written.kept:
        yield from _kept_choices(written.kept, provenance)


def _kept_choices(kept: Kept, provenance: str) -> Iterator[_Check]:
    yield "state", lambda: _check_choice("state", kept.state, (ACTIVE, SUPERSEDED, REVOKED))
    for name in ("state_by", "changed_by"):
        who = getattr(kept, name)
        yield name, partial(_check_choice, name, who, ("", *IN_WORDS))
    yield "state", lambda: _check_said(kept, provenance)


def _characters(written: NoteText, provenance: str, session: str) -> Iterator[_Check]:
    for field, name, texts in (*_texts(written), ("session", "session", [session])):
        yield field, partial(_check_characters, name, texts)


def _secrets(written: NoteText, provenance: str, session: str) -> Iterator[_Check]:
    for field, name, texts in (*_texts(written), ("trigger", "trigger", _trigger_texts(written.trigger))):
        yield field, partial(_refuse_secrets, name, texts)


def _forms(root: str, written: NoteText, provenance: str, session: str) -> Iterator[_Check]:
    if not (written.kept and written.kept.scope_value):
        yield "scope", lambda: _check_scope(written.scope, root, session)
    yield "author", lambda: _check_author(written.author)
    for anchor in written.anchors:
        yield "anchors", partial(anchor_in, root, anchor)
    yield "body", lambda: _check_body(written.body)
    yield "title", lambda: _check_title(written.title)
    yield "tags", lambda: _check_tags(written.tags)
    if written.kept:
        yield "quote", partial(_check_quote, written.kept.quote)
        yield "watched", partial(_check_watched, root, [file.path for file in written.kept.watched])


def _texts(written: NoteText) -> tuple[tuple[str, str, Sequence[str]], ...]:
    """The texts of a note by field, and what a message calls one of them."""
    kept = written.kept or Kept()
    return (
        ("title", "title", [written.title]),
        ("body", "body", [written.body]),
        ("tags", "tag", written.tags),
        ("anchors", "anchor", written.anchors),
        ("author", "author", [written.author]),
        ("quote", "quote", [kept.quote]),
        ("reason", "reason", [kept.reason]),
        ("scope_value", "scope_value", [kept.scope_value]),
        ("watched", "watched path", [file.path for file in kept.watched]),
    )


def _check_rank(kind: str, provenance: str) -> None:
    if kind == "directive" and provenance == AUTO:
        raise VectrHooksError("what was captured automatically cannot be a directive", "choose another kind")


def _check_said(kept: Kept, provenance: str) -> None:
    if provenance == USER_STATED and not kept.quote:
        raise VectrHooksError(
            "a note of provenance user-stated has no `quote`", "it holds what the user said; or be an agent's"
        )
    if kept.state == REVOKED and not line_for_model(kept.reason):
        raise VectrHooksError("a revoked note has no `reason`", "say why it is revoked")


def _check_quote(quote: str) -> None:
    if len(quote) > LONGEST_QUOTE:
        raise VectrHooksError(
            f"the quote has {len(quote):,} characters", f"a quote has at most {LONGEST_QUOTE}"
        )


def _check_watched(root: str, paths: Sequence[str]) -> None:
    if len(paths) > WATCHED_PATHS:
        raise VectrHooksError(f"{len(paths):,} files are watched", f"a note watches at most {WATCHED_PATHS}")
    for path in paths:
        if not path or relative_path(root, path, root) != path:
            raise VectrHooksError(
                f"the watched path {path!r} is no file of the workspace", "give it relative to the root"
            )
    if len(set(paths)) < len(paths):
        raise VectrHooksError("a file is watched twice", "name it once")


def _check_scope(scope: str, root: str, session: str) -> None:
    """Refuse a scope that would hold nowhere, since there is nothing to limit the note to."""
    place = locate(root, "") if scope == "branch" else None
    if scope == "branch" and not (place and branch(place)):
        raise VectrHooksError(
            "scope `branch`, and no branch is checked out", "check one out, or use another scope"
        )
    if scope == "session" and not session:
        raise VectrHooksError(
            "scope `session` outside of a session", "an agent's command knows its own; use another scope here"
        )


def _check_choice(name: str, value: str, allowed: Collection[str]) -> None:
    if value not in allowed:
        raise VectrHooksError(f"unknown {name} `{value}`", allowed_hint(value, allowed))


def _check_characters(name: str, texts: Iterable[str]) -> None:
    """Refuse what no database, file or model can hold as it is."""
    for text in texts:
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


def _refuse_secrets(name: str, texts: Iterable[str]) -> None:
    for text in texts:
        # What is invisible in a text is not in what the model sees, and may have stood inside a secret.
        secret = find_secret(text) or find_secret(for_model(text))
        if name == "trigger":
            # Keywords are folded.
            secret = secret or find_folded_secret(text)
        if secret:
            within = name in ("title", "body", "quote", "reason")
            hint = "give --redact to store it without" if within else "leave it out"
            raise VectrHooksError(f"the {name} holds a secret: {secret}", f"nothing was stored; {hint}")


def _trigger_texts(trigger: Trigger | None) -> list[str]:
    return [
        value
        for clause in (trigger.clauses if trigger else ())
        for _, values in (*clause.conditions, *clause.unless)
        for value in values
    ]


def _check_author(author: str) -> None:
    if author and not (_AUTHOR.fullmatch(author) and BLANKS.isdisjoint(author)):
        raise VectrHooksError(
            f"{author!r} is no author's name", "up to 60 letters, digits, spaces and . @ + : / ( ) -"
        )


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


def _check_title(given: str) -> None:
    title = given.strip()
    if given and not line_for_model(title):
        raise VectrHooksError("the title is empty", "leave it out to have the first sentence as the title")
    if len(title.splitlines()) > 1:
        raise VectrHooksError(
            "the title has more than one line", "an index line shows the title, the body the rest"
        )
    if len(title) > TITLE_LENGTH:
        raise VectrHooksError(
            f"the title has {len(title)} characters, more than {TITLE_LENGTH}", "the body may say the rest"
        )


def _check_tags(tags: Iterable[str]) -> None:
    for tag in tags:
        if not tag or "," in tag or any(character.isspace() for character in tag):
            raise VectrHooksError(
                f"{tag!r} is no tag", "a tag is one word without commas; give --tag once for each"
            )


def anchor_in(root: str, anchor: str) -> str:
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
