"""What hooks told the model, as Claude Code's record of a session has it."""

import os
import stat

from vectr_hooks.hosts.claude import BOUNDARY_MARK
from vectr_hooks.hosts.claude_branch import (
    AGAIN,
    ASIDE,
    ASIDE_MARK,
    LIVE,
    Branch,
    as_written,
    follow,
    read_entry,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    # Hands on the lines it is given, and may raise to end the reading.
    Pace = Callable[[Iterable[bytes]], Iterable[bytes]]

CONTEXT_MARK = b'"hook_additional_context"'
TIME_MARK = b'"timestamp"'
TIME_LENGTH = len("2026-01-31T12:00:00.000Z")

# Entries do not come wholly in the order of their times.
LAST_ENTRIES = 64

# What is said at these lies beside the branch. A client that resumes may bring it back; 2.1.197 does not.
OF_TOOLS = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch")

# How the client's preview of an output that is too large begins, and where it says that the whole lies.
PREVIEW = "<persisted-output>\n"
PREVIEW_OF = "Full output saved to: "

# Where a session resumes: more than this since its last compaction is not looked through. A context has
# room for about a megabyte of text; the rest is what the client keeps beside it.
MOST_BYTES = 16 << 20


class Context:
    """One text that a hook gave, as the client noted it."""

    __slots__ = ("aside", "at", "event", "held", "line", "text")

    def __init__(self, line: int, event: str, text: str, at: str, held: bool, aside: bool) -> None:
        #: number of the line, from 0
        self.line = line
        #: the client's name of the hook's event
        self.event = event
        self.text = text
        #: when, as the client writes it: `2026-01-31T12:00:00.000Z`; '' where it does not say
        self.at = at
        #: whether the conversation as it stands has it
        self.held = held
        #: whether it is of a subagent
        self.aside = aside

    @property
    def is_preview(self) -> bool:
        return self.text.startswith(PREVIEW)

    @property
    def whole_at(self) -> str:
        """Name the file that a preview says it is of; '' where it does not."""
        return self.text.partition(PREVIEW_OF)[2].partition("\n")[0].strip() if self.is_preview else ""


class Held:
    """What a conversation holds since its last compaction."""

    __slots__ = ("contexts", "newest", "since")

    def __init__(self, contexts: "list[Context]", since: str, newest: str) -> None:
        self.contexts = contexts
        #: when that compaction was, '' for none; as `Context.at`
        self.since = since
        #: when the newest entry was written
        self.newest = newest


def contexts(lines: "Iterable[bytes]", branch: Branch) -> "Iterator[Context]":
    """Read what hooks told the model from `lines`, of which `branch` says what they are."""
    for number, line in enumerate(map(as_written, lines)):
        if CONTEXT_MARK not in line or number >= len(branch.states) or branch.states[number] == AGAIN:
            continue
        entry = read_entry(line)
        said = entry.get("attachment") if entry else None
        if entry is None or not isinstance(said, dict) or said.get("type") != "hook_additional_context":
            continue
        texts, event, at = said.get("content"), said.get("hookEvent"), entry.get("timestamp")
        aside = branch.states[number] == ASIDE
        held = branch.holds(number) if event in OF_TOOLS else branch.states[number] == LIVE
        for text in texts if isinstance(texts, list) else [texts]:
            if isinstance(text, str):
                when = at if isinstance(at, str) else ""
                yield Context(number, str(event), text, when, aside or held, aside)


def held_since_compaction(
    transcript: str, sessions: "Container[object]", pace: "Pace" = iter
) -> "Held | None":
    """Read what the conversation recorded in `transcript` holds since its last compaction.

    None where that cannot be said: the file is missing, not regular, of none of `sessions`, or larger than is
    looked through, or its live branch does not begin at that compaction.
    """
    lines = _since_compaction(transcript, pace)
    if lines is None:
        return None
    newest, of = newest_entries([line for line in lines if TIME_MARK in line])
    if not any(session in sessions for session in of):
        return None
    branch = follow(pace(lines))
    if not branch.rooted:
        return None
    since = newest_entries(lines[:1])[0] if BOUNDARY_MARK in lines[0] else ""
    return Held([one for one in contexts(pace(lines), branch) if not one.aside], since, newest)


def newest_entries(lines: "Sequence[bytes]") -> "tuple[str, set[str]]":
    """Tell when the newest entry was written, and of which sessions the last are, from lines that have times.

    The time is '' where none is found.
    """
    newest, sessions = "", set()
    for line in lines[-LAST_ENTRIES:]:
        entry = read_entry(line) or {}
        # A result's own fields may be called so as well, but lie deeper.
        at, session = entry.get("timestamp"), entry.get("sessionId")
        if isinstance(at, str) and len(at) == TIME_LENGTH and at[10] == "T":
            newest = max(newest, at)
        if isinstance(session, str):
            sessions.add(session)
    return newest, sessions


def _since_compaction(transcript: str, pace: "Pace") -> "list[bytes] | None":
    try:
        if not transcript or not stat.S_ISREG(os.stat(transcript).st_mode):
            return None
        size = os.path.getsize(transcript)
        with open(transcript, "rb") as file:
            file.seek(max(0, size - MOST_BYTES))
            content = file.read()
    except (OSError, ValueError):
        return None
    lines = [as_written(line) for line in pace(content.split(b"\n"))]
    for number in range(len(lines) - 1, -1, -1):
        if BOUNDARY_MARK in lines[number] and ASIDE_MARK not in lines[number]:
            return lines[number:]
    return lines if size <= MOST_BYTES else None
