"""No secret enters a store, by whichever field and in whichever form; `--redact` keeps the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.secret_samples import PLACED, TOKENS, drawn
from vectr_hooks.authoring import draft
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import NoteText, read_note

FORMS = {what: secret for what, secret, _ in TOKENS} | {
    what: before + secret + after for what, before, secret, after, _ in PLACED
}
WORDS = {what: secret for what, secret, _ in TOKENS if "\n" not in secret}
GITHUB = WORDS["GitHub personal"]


@pytest.fixture
def refused(project: Path, store_path: Path) -> Callable[..., str]:
    """Why a note is refused; it must be."""

    def refused(**fields: Any) -> str:
        given = {"body": "The canary goes first.", **fields}
        with pytest.raises(VectrHooksError) as error:
            draft(str(project.resolve()), NoteText(**given), provenance="agent")
        return error.value.message

    return refused


@pytest.mark.parametrize("what", FORMS)
def test_every_form_is_refused_in_a_body(refused: Callable[..., str], what: str) -> None:
    message = refused(body=f"Deploys take this:\n\n    {FORMS[what]}\n")
    assert message.startswith("the body holds a secret: ")
    assert FORMS[what] not in message


@pytest.mark.parametrize("what", WORDS)
def test_every_token_is_refused_in_every_field(refused: Callable[..., str], what: str) -> None:
    secret = WORDS[what]
    assert refused(title=f"Deploy {secret}").startswith("the title holds a secret")
    assert refused(tags=("deploy", secret)).startswith("the tag holds a secret")
    assert refused(anchors=(f"src/{secret.replace('/', '_')}", secret)).startswith(
        "the anchor holds a secret"
    )
    assert refused(author=secret).startswith("the author holds a secret")
    for condition in ("keyword", "symbol", "command", "output", "tool", "branch", "subagent"):
        # Of a command's own first word only the name of the program is kept.
        value = f"deploy {secret}" if condition == "command" else secret
        try:
            trigger = parse_trigger([{condition: value}])
        except VectrHooksError:
            continue
        assert refused(trigger=trigger).startswith("the trigger holds a secret"), condition
        vetoed = parse_trigger([{"event": "pre-edit", "unless": {condition: value}}])
        assert refused(trigger=vetoed).startswith("the trigger holds a secret"), condition


@pytest.mark.parametrize("unseen", ["\u200b", "\u00ad", "\u2060", "\ufeff", "\U000e0041", "\u200d", "\u200e"])
def test_what_nobody_sees_does_not_hide_a_secret(refused: Callable[..., str], unseen: str) -> None:
    hidden = GITHUB[:12] + unseen + GITHUB[12:]
    assert refused(body=hidden) == "the body holds a secret: GitHub token"
    assert refused(title=hidden) == "the title holds a secret: GitHub token"


def test_a_file_is_refused_like_what_is_typed(project: Path) -> None:
    text = f"---\ntags: [deploy, {GITHUB}]\ntrigger:\n  - keyword: {GITHUB}\n---\n\nBody {GITHUB}\n"
    with pytest.raises(VectrHooksError, match="holds a secret"):
        draft(str(project.resolve()), read_note(text, "note.md"), provenance="agent")


def test_the_store_holds_what_was_redacted_and_nothing_of_the_secret(
    project: Path, store_path: Path, write: Callable[..., int]
) -> None:
    password = "kestrel" + drawn(8)
    write(f'Log in with `password = "{password}"`.', title=f"Token {GITHUB}", redact=True)
    with pytest.raises(VectrHooksError):
        write(f"Another {GITHUB[:-1]}x")
    held = b"".join(path.read_bytes() for path in store_path.parent.iterdir() if path.is_file())
    assert b'password = \\"[redacted: password]' in held or b'password = "[redacted: password]"' in held
    assert GITHUB.encode() not in held
    assert password.encode() not in held
