"""Binds what an agent says the user said to a prompt that the user typed."""

from __future__ import annotations

import re
import sqlite3

from vectr_hooks.acceptance import check_line
from vectr_hooks.core.quotes import LEAST, MOST, collapsed, is_in
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.hosts.claude_transcript import Account, recorded_events
from vectr_hooks.store.ledger import read_conversation

# What clients put beside the words of a prompt.
_BY_CLIENT = re.compile(
    r"<(system-reminder|ide_\w+|task-notification|(?:local-)?command-\w+)>.*?</\1>", re.DOTALL
)
_INSTEAD = "without --quote the note is stored as an agent's"


def bound(con: sqlite3.Connection, session: str, words: str) -> str:
    """`words` as they are kept, found in a prompt of `session`; refused where they cannot be found.

    The host's own record is read, without the branches of the conversation that the user has left.
    """
    quote = collapsed(check_line("quote", words))
    if not LEAST <= len(quote) <= MOST:
        raise VectrHooksError(
            f"the quote has {len(quote)} characters", f"quote {LEAST} to {MOST} of the user's own"
        )
    if not session:
        raise VectrHooksError("there is no session that the quote could be from", _INSTEAD)
    conversation = read_conversation(con, session, "")
    if conversation is None or not conversation.transcript:
        raise VectrHooksError(
            "no hook has seen this session, so what the user typed is not known",
            f"`vectr-hooks doctor` says whether hooks run; {_INSTEAD}",
        )
    try:
        events = recorded_events(conversation.transcript, Account())
        prompts = (str(event.payload["prompt"]) for event in events if "prompt" in event.payload)
        found = any(is_in(quote, collapsed(_BY_CLIENT.sub("\n", prompt))) for prompt in prompts)
    except OSError as error:
        raise VectrHooksError(
            f"the session's transcript cannot be read: {error.strerror}", _INSTEAD
        ) from None
    if not found:
        raise VectrHooksError(
            "the user typed no such words in this session",
            f"quote the prompt letter for letter, whole words; {_INSTEAD}",
        )
    return quote
