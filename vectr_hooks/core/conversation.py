"""Where one agent's conversation stands: its epoch, its turn, and what an event makes of them."""

from vectr_hooks.core.model import POST_COMPACTION, PROMPT_SUBMIT, SESSION_START, SUBAGENT_START
from vectr_hooks.core.occurrence import (
    CLEAR,
    COMPACT,
    COMPACTION_ANNOUNCED,
    PROMPT,
    SESSION_BEGINS,
    SUBAGENT_BEGINS,
    TOOL_FAILED,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from vectr_hooks.core.occurrence import Occurrence


class Conversation:
    """The row of the ledger that an event reads, advances and writes back."""

    __slots__ = (
        "agent",
        "armed",
        "armed_size",
        "boundary_spent",
        "epoch",
        "epoch_spent",
        "host",
        "kept_event",
        "last_event",
        "last_event_id",
        "last_prompt",
        "nudged",
        "prompts",
        "retrievals",
        "retrieved",
        "retrieved_since",
        "seen",
        "session",
        "started",
        "told_held_back",
        "transcript",
        "turn",
        "turn_number",
        "turn_spent",
        "worktree",
    )

    def __init__(
        self, session: str, agent: str, host: str = "", transcript: str = "", worktree: str = ""
    ) -> None:
        self.session = session
        self.agent = agent
        self.host = host
        self.transcript = transcript
        self.worktree = worktree
        self.epoch = 0
        self.turn = "#0"
        self.turn_number = 0
        self.turn_spent = 0
        self.boundary_spent = 0
        self.epoch_spent = 0
        self.told_held_back = 0
        self.started = 0
        self.prompts = 0
        self.armed = 0
        self.armed_size = -1
        self.kept_event = 0
        self.last_event = ""
        self.last_event_id = 0
        self.last_prompt = ""
        self.seen = 0
        self.retrievals = 0
        self.retrieved = 0
        self.retrieved_since = 0
        self.nudged = 0


def repeats(conversation: Conversation, event: "Occurrence") -> bool:
    """Tell a boundary event that a second registration reports again.

    Such events carry no identity; but two true ones always have another event between them. A resumed session
    may begin twice in a row, and there the ledger alone decides.
    """
    return (
        event.what in (SESSION_BEGINS, COMPACTION_ANNOUNCED)
        and event.source not in ("resume", "fork")
        and conversation.last_event == event.label
        and event.prompt_id in ("", conversation.last_prompt)
    )


def advance(
    conversation: Conversation, event: "Occurrence", transcript_size: int, compacted: "Callable[[], bool]"
) -> "tuple[str, ...]":
    """Move `conversation` on by `event`; return the moments that the event is.

    `transcript_size` is in bytes, -1 when unreadable. `compacted()` reads the transcript for a compaction
    since one was announced, or answers True when there is nothing to read; it is only asked when that
    matters.
    """
    moments: "tuple[str, ...]" = ()
    if event.what == COMPACTION_ANNOUNCED:
        _announce(conversation, event, transcript_size)
        return moments
    if not event.carries:
        _pass_over(conversation, event)
        return moments
    if event.what == SESSION_BEGINS and event.source == COMPACT:
        _open_epoch(conversation)
        conversation.started = 1
        moments = (POST_COMPACTION,)
    elif event.what != PROMPT or event.prompt is not None:
        # Anything else the host submits as a prompt (a notice, a slash command) uses nothing up.
        if conversation.armed and not conversation.agent:
            conversation.armed = 0
            if compacted():
                _open_epoch(conversation)
                moments = (POST_COMPACTION,)
        if _begins_anew(conversation, event):
            _open_epoch(conversation)
            conversation.kept_event = 0
            if event.forgets and not moments:
                moments = (POST_COMPACTION,)
        moments += _own_moments(conversation, event)
    _enter_turn(conversation, event)
    return moments


def remember_event(conversation: Conversation, event: "Occurrence", event_id: int, now_ms: int) -> None:
    """Note `event` as the conversation's previous one."""
    conversation.last_event = event.label
    conversation.last_event_id = event_id
    conversation.last_prompt = event.prompt_id
    conversation.seen = now_ms
    if event.transcript:
        conversation.transcript = event.transcript


def _announce(conversation: Conversation, event: "Occurrence", transcript_size: int) -> None:
    if conversation.prompts:
        conversation.armed = 1
        conversation.armed_size = transcript_size
    # A compaction at the start of a turn keeps the prompt that is about to be sent, with what it brought.
    at_turn_start = (
        not event.forgets
        and event.source == "auto"
        and conversation.last_event == PROMPT
        and conversation.last_prompt == event.prompt_id
    )
    conversation.kept_event = conversation.last_event_id if at_turn_start else 0


def _begins_anew(conversation: Conversation, event: "Occurrence") -> bool:
    """Tell a known conversation that goes on without what it was given: cleared, or resumed without it."""
    return (
        event.what == SESSION_BEGINS
        and bool(conversation.started)
        and (event.forgets or event.source == CLEAR)
    )


def _pass_over(conversation: Conversation, event: "Occurrence") -> None:
    """Enter what an event says of the conversation; what is due is left to one that the model hears of."""
    if event.what == SESSION_BEGINS and event.source != COMPACT:
        if _begins_anew(conversation, event):
            _open_epoch(conversation)
            conversation.started = 0
    elif event.what == PROMPT and event.prompt is not None:
        _count_prompt(conversation, event)
    _enter_turn(conversation, event)


def _open_epoch(conversation: Conversation) -> None:
    conversation.epoch += 1
    conversation.epoch_spent = 0
    conversation.prompts = 0
    conversation.armed = 0
    conversation.retrievals = 0
    conversation.retrieved = 0
    conversation.nudged = 0
    _reset_turn(conversation)


def _reset_turn(conversation: Conversation) -> None:
    conversation.turn_spent = 0
    conversation.boundary_spent = 0
    conversation.told_held_back = 0


def _own_moments(conversation: Conversation, event: "Occurrence") -> "tuple[str, ...]":
    if event.what == SESSION_BEGINS:
        conversation.started = 1
        return (SESSION_START,)
    if event.what == SUBAGENT_BEGINS:
        return (SUBAGENT_START,)
    if event.what == TOOL_FAILED:
        return ("post-failure",)
    if event.what != PROMPT:
        return (event.what + "-" + event.mode,)
    _count_prompt(conversation, event)
    if conversation.started or conversation.agent:
        return (PROMPT_SUBMIT,)
    # The session began before the hooks were installed.
    conversation.started = 1
    return (SESSION_START, PROMPT_SUBMIT)


def _count_prompt(conversation: Conversation, event: "Occurrence") -> None:
    conversation.prompts += 1
    if not event.prompt_id or event.prompt_id != conversation.turn:
        conversation.turn_number += 1


def _enter_turn(conversation: Conversation, event: "Occurrence") -> None:
    turn = event.prompt_id
    if not turn:
        # A session that resumes names no prompt, and is still in the turn it was left in.
        counted = event.what == PROMPT or conversation.turn.startswith("#")
        turn = "#" + str(conversation.turn_number) if counted else conversation.turn
    if turn != conversation.turn:
        conversation.turn = turn
        _reset_turn(conversation)
