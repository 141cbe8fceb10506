"""Which deliveries a conversation has lost: what a host's record of a session has of what was printed.

What was printed is known by its size and checksum alone, so a text is recognised when the host would be
answered the same for it.
"""

import time

from vectr_hooks.core.feedback import message
from vectr_hooks.core.occurrence import Occurrence, checksum
from vectr_hooks.store import arrivals
from vectr_hooks.store.audit import record_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from sqlite3 import Connection
    from types import ModuleType
    from typing import TypeVar

    from vectr_hooks.core.conversation import Conversation
    from vectr_hooks.hosts.claude_contexts import Context, Held

    One = TypeVar("One")
    Pace = Callable[[Iterable[One]], Iterable[One]]

# A user waits for a session to resume: past this nothing is marked.
MOST_MS = 500


class TooLong(Exception):
    """The record took longer to look through than a user should wait for it."""


class Emitted:
    """What a hook printed for the model at one event, as the audit has it."""

    __slots__ = ("at", "cost", "event", "name", "notes", "output")

    def __init__(
        self, event: int, at_ms: int, name: str, size: int, checksum: int, cost: int, notes: "Sequence[int]"
    ) -> None:
        self.event = event
        #: when, as hosts write it
        self.at = written_time(at_ms)
        #: the host's name of the event
        self.name = name
        #: its size in bytes, and its checksum
        self.output = (size, checksum)
        #: tokens
        self.cost = cost
        #: those delivered, as printed
        self.notes = notes


def written_time(at_ms: int) -> str:
    """Write a time in milliseconds as hosts do, so that times compare as texts."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at_ms // 1000)) + f".{at_ms % 1000:03d}Z"


def recognise(
    connection: "Connection",
    host: "ModuleType",
    emitted: "Iterable[Emitted]",
    found: "Iterable[Context]",
    pace: "Pace[Context]" = iter,
) -> "dict[int, Context]":
    """Find, by event, the text that each of `emitted` became among those `found`; both are in order.

    A text that was printed more than once goes to the last event before it was noted. `pace` hands on what is
    compared, and may raise to end it.
    """
    # Each text is answered once: a session has hundreds, of other hooks as well.
    by_size: "dict[tuple[str, int], list[Context]]" = {}
    by_output: "dict[tuple[str, int, int], list[Context]]" = {}
    for context in pace(found):
        if not context.is_preview:
            output = _answer(connection, host, context.event, context.text)
            size = len(output)
            by_size.setdefault((context.event, size), []).append(context)
            by_output.setdefault((context.event, size, checksum(output)), []).append(context)
    same: "dict[tuple[object, ...], list[Emitted]]" = {}
    for one in emitted:
        same.setdefault((one.name, one.output, *one.notes), []).append(one)
    result: "dict[int, Context]" = {}
    for alike in same.values():
        first = alike[0]
        noted = by_output.get((first.name, *first.output))
        if noted is None:
            size = first.output[0] - _message_size(connection, host, first)
            of_size = by_size.get((first.name, size), ())
            noted = [one for one in pace(of_size) if is_printed(connection, host, first, one.text)]
        late = []
        for context in noted:
            before = [one for one in alike if one.event not in result and one.at <= context.at]
            if before:
                result[before[-1].event] = context
            else:
                late.append(context)
        # Where times do not help, the order does.
        left = [one for one in alike if one.event not in result]
        for place, context in enumerate(late[: len(left)]):
            result[left[place].event] = context
    return result


def is_printed(connection: "Connection", host: "ModuleType", emitted: Emitted, text: str) -> bool:
    """Tell whether `text` is what was printed, perhaps beside a message for the user."""
    if len(text) > emitted.output[0]:
        return False
    for told in ("", message(emitted.notes, emitted.cost)):
        output = _answer(connection, host, emitted.name, text, told)
        if (len(output), checksum(output)) == emitted.output:
            return True
    return False


def _answer(connection: "Connection", host: "ModuleType", name: str, text: str, told: str = "") -> bytes:
    event = Occurrence(host.EVENTS.get(name, ""), name)
    output: bytes = host.answer(connection, event, text, told)
    return output


def _message_size(connection: "Connection", host: "ModuleType", emitted: Emitted) -> int:
    """Measure how many bytes a message for the user adds to what is printed."""
    told = message(emitted.notes, emitted.cost)
    with_it = _answer(connection, host, emitted.name, "x", told)
    return len(with_it) - len(_answer(connection, host, emitted.name, "x"))


def mark_lost(
    connection: "Connection",
    host: "ModuleType",
    event: Occurrence,
    conversation: "Conversation",
    event_id: int,
    parent: str,
    now_ms: int,
) -> None:
    """Make deliverable again what this epoch delivered and the resumed conversation no longer has.

    `parent` is the session that this one was just forked from; '' for none. Where anything is in doubt, or
    goes wrong, a delivery stands: a resume is answered in any case.
    """
    if host.NAME != "claude" or conversation.agent:
        return
    try:
        lost = _lost(connection, host, event, conversation, parent)
        arrivals.mark_lost(connection, conversation, lost, event_id)
    except Exception as error:  # whatever it is, the resume comes first
        what = str(error) if isinstance(error, TooLong) else "not compared with the client's record"
        record_error(connection, event.name, type(error).__name__ + ": " + what, now_ms)


def _lost(
    connection: "Connection",
    host: "ModuleType",
    event: Occurrence,
    conversation: "Conversation",
    parent: str,
) -> "list[int]":
    """List the events whose deliveries the conversation no longer has."""
    emitted = [Emitted(*row) for row in arrivals.printed_in_epoch(connection, conversation)]
    if not emitted:
        return []
    from vectr_hooks.hosts.claude_contexts import held_since_compaction

    ends = time.monotonic() + MOST_MS / 1000

    def in_time(ones: "Iterable[One]") -> "Iterator[One]":
        for one in ones:
            if time.monotonic() > ends:
                raise TooLong("the client's record was not looked through within " + str(MOST_MS) + " ms")
            yield one

    sessions = [session for session in (conversation.session, parent) if session]
    held = None
    # A fork has no record of its own yet.
    for transcript in dict.fromkeys((event.transcript, conversation.transcript)):
        held = held or held_since_compaction(transcript, sessions, in_time)
    if held is None:
        return []
    found = recognise(connection, host, emitted, held.contexts, in_time)
    prompt = arrivals.last_prompt(connection, sessions, held.since) if held.since else 0
    gone = [one for one in emitted if _is_gone(one, found.get(one.event), held, prompt)]
    # Not where the client noted something that could be of it.
    named = "\n".join(context.text for context in in_time(held.contexts)) if gone else ""
    return [
        one.event
        for one in in_time(gone)
        if one.event in found or not any("#" + str(note) + " " in named for note in one.notes)
    ]


def _is_gone(emitted: Emitted, context: "Context | None", held: "Held", prompt: int) -> bool:
    """Tell whether the client went on without it; `prompt` is the last event of one before its compaction."""
    if context is not None:
        return not context.held
    # A compaction keeps what was said in its turn.
    compacted = emitted.at < held.since and emitted.event >= prompt
    return not compacted and emitted.at < held.newest
