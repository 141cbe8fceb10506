"""Claude Code's own record of a session: what the user asked for last, and the events as hooks get them."""

from __future__ import annotations

import errno
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from vectr_hooks.hosts.claude import UNNAMED, is_typed
from vectr_hooks.hosts.claude_branch import (
    AGAIN,
    ASIDE,
    COMPACTED,
    MESSAGE,
    NO_ENTRY,
    Branch,
    as_written,
    follow,
    read_entry,
)

# More than this is not looked through for the last request.
TAIL_BYTES = 8 << 20

# What stands where a prompt would and was never submitted as one: the client's own remarks, and `!` commands.
NOT_SUBMITTED = ("[Request interrupted by user", "<bash-", "<user-memory-input>")
# How a result begins whose tool never ran.
NEVER_RAN = ("<tool_use_error>", "The user doesn't want to")
NO_BRANCH = "HEAD"
SUBAGENT_TOOLS = ("Task", "Agent")

SESSION_BEGAN = b'"hookName":"SessionStart:'
QUEUED = b'"queued_command"'

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)

Entry = dict[str, Any]


def last_request(transcript: str) -> str:
    """The last prompt that a person typed, from the transcript's end; '' when none can be read."""
    for line in reversed(_tail(transcript).split(b"\n")):
        # Cheaper than reading every tool result as JSON.
        if b'"user"' in line and (text := _typed(line)):
            return text
    return ""


class Occurred(NamedTuple):
    """One event of a recorded session."""

    payload: Mapping[str, Any]
    """As the client sends it to a hook, as far as it is recorded."""
    line: int
    """Of the file that it is in, from 1."""
    at_ms: int | None
    """Milliseconds since 1970; None where that is not recorded."""
    branch: str
    """The one checked out; '' for none, or where that is not recorded."""


@dataclass
class Account:
    """What of a file is no event, by sort, and which entries of other files have been seen."""

    skipped: Counter[str] = field(default_factory=Counter)
    known: set[int] = field(default_factory=set)
    """Of the entries read so far, across files: a fork begins with copies of its parent's."""


def recorded_events(
    transcript: str, account: Account, seen: Callable[[int], object] = lambda size: None
) -> Iterator[Occurred]:
    """Read the events of the session recorded in `transcript`, in order, with those of its subagents.

    Branches that were rewound are left out. `seen` is called with the bytes read since, twice over the whole
    file: it is read once for what is live, and once for the texts. Raises OSError, also for what is no
    regular file.
    """
    with _opened(transcript) as file:
        branch = follow(_counted(file, seen))
    reader = _Reader(transcript, branch, account)
    with _opened(transcript) as file:
        for number, line in enumerate(map(as_written, _counted(file, seen))):
            # What is written meanwhile is not followed.
            if number < len(branch.states):
                yield from reader.read(number, line)
    yield from reader.unplaced_subagents()


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Open a regular file, without waiting for whoever would write to one that is none."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _AT_ONCE)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", path)
        yield file


def _counted(lines: Iterator[bytes] | Any, seen: Callable[[int], object]) -> Iterator[bytes]:
    for line in lines:
        seen(len(line))
        yield line


@dataclass(frozen=True)
class _Agent:
    id: str
    type: str


_MAIN = _Agent("", "")


class _Reader:
    """One file being read: where its conversation is."""

    def __init__(self, transcript: str, branch: Branch, account: Account) -> None:
        self.transcript = transcript
        self.branch = branch
        self.account = account
        self.session = ""
        self.prompt_id = ""
        self.began = False
        self.calls: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self.agents: dict[int, _Agent] = {}
        self.subagents = _subagent_files(transcript)

    def read(self, number: int, line: bytes) -> Iterator[Occurred]:
        state = self.branch.states[number]
        if state in (NO_ENTRY, AGAIN):
            self._skip(line, state)
        elif MESSAGE in line or COMPACTED in line or SESSION_BEGAN in line or QUEUED in line:
            entry = read_entry(line)
            if entry is None:
                self.account.skipped["unreadable"] += 1
            elif state == ASIDE:
                yield from self._aside(number, entry)
            elif not self.branch.holds(number):
                self.account.skipped["rewound"] += 1
            else:
                yield from self._main(number, entry)

    def unplaced_subagents(self) -> Iterator[Occurred]:
        """The events of subagents of which nothing says when they were started."""
        for id in list(self.subagents):
            yield from self._subagent(id)

    def _skip(self, line: bytes, state: int) -> None:
        if state == AGAIN:
            self.account.skipped["copies"] += 1
        elif line.strip():
            whole = line.startswith(b"{") and line.rstrip().endswith(b"}")
            self.account.skipped["not of the conversation" if whole else "unreadable"] += 1

    def _main(self, number: int, entry: Entry) -> Iterator[Occurred]:
        key = hash(entry.get("uuid"))
        copied = key in self.account.known
        self.account.known.add(key)
        self.session = self.session or _text(entry, "sessionId") or Path(self.transcript).stem
        attachment = entry.get("attachment")
        if isinstance(attachment, dict):
            yield from self._attached(number, entry, attachment)
            return
        if not self.began:
            yield self._begin(number, entry, "fork" if copied else "startup")
        if copied:
            self.account.skipped["copies"] += 1
            self._remember_calls(entry)
        elif entry.get("subtype") == "compact_boundary":
            yield from self._compaction(number, entry)
        elif entry.get("type") == "assistant":
            yield from self._uses(number, entry, _MAIN)
        elif entry.get("type") == "user":
            yield from self._said(number, entry)

    def _attached(self, number: int, entry: Entry, attachment: Entry) -> Iterator[Occurred]:
        if attachment.get("hookEvent") == "SessionStart":
            source = _text(attachment, "hookName").partition(":")[2]
            if source not in ("", "compact") and (not self.began or source == "resume"):
                yield self._begin(number, entry, source)
        elif attachment.get("type") == "queued_command" and attachment.get("commandMode") in (None, "prompt"):
            # Typed while a tool ran: it joins the turn that is running.
            prompt = attachment.get("prompt")
            text = prompt if isinstance(prompt, str) else _content_text(prompt)
            if _is_submitted(text):
                yield self._event(number, entry, "UserPromptSubmit", prompt=text)

    def _begin(self, number: int, entry: Entry, source: str) -> Occurred:
        self.began = True
        return self._event(number, entry, "SessionStart", source=source, prompt_id="")

    def _compaction(self, number: int, entry: Entry) -> Iterator[Occurred]:
        details = entry.get("compactMetadata")
        trigger = _text(details, "trigger") if isinstance(details, dict) else ""
        # One that a person asks for is a turn of its own.
        if trigger == "manual":
            self.prompt_id = _text(entry, "uuid")
        yield self._event(number, entry, "PreCompact", trigger=trigger)
        yield self._event(number, entry, "SessionStart", source="compact")

    def _said(self, number: int, entry: Entry) -> Iterator[Occurred]:
        results = _blocks(entry, "tool_result")
        if results:
            yield from self._results(number, entry, results, _MAIN)
        elif not _is_remark(entry):
            text = _content_text(_content(entry))
            self.prompt_id = _text(entry, "promptId") or _text(entry, "uuid")
            if _is_submitted(text):
                yield self._event(number, entry, "UserPromptSubmit", prompt=text)

    def _uses(self, number: int, entry: Entry, agent: _Agent) -> Iterator[Occurred]:
        for block in _blocks(entry, "tool_use"):
            call, (name, given) = _text(block, "id"), _call(block)
            self.calls[call] = (name, given)
            yield self._event(
                number, entry, "PreToolUse", agent, tool_name=name, tool_input=given, tool_use_id=call
            )
            yield from self._subagent(call)

    def _remember_calls(self, entry: Entry) -> None:
        self.calls.update((_text(block, "id"), _call(block)) for block in _blocks(entry, "tool_use"))

    def _results(
        self, number: int, entry: Entry, results: Sequence[Entry], agent: _Agent
    ) -> Iterator[Occurred]:
        for block in results:
            call = _text(block, "tool_use_id")
            if call not in self.calls:
                self.account.skipped["results without their call"] += 1
                continue
            name, given = self.calls.pop(call)
            about = {"tool_name": name, "tool_input": given, "tool_use_id": call}
            text = _content_text(block.get("content"))
            if block.get("is_error") is not True:
                structured = entry.get("toolUseResult") if len(results) == 1 else None
                response = block.get("content") if structured is None else structured
                yield self._event(number, entry, "PostToolUse", agent, **about, tool_response=response)
            elif not text.startswith(NEVER_RAN):
                yield self._event(number, entry, "PostToolUseFailure", agent, **about, error=text)

    def _aside(self, number: int, entry: Entry) -> Iterator[Occurred]:
        agent = self.agents.get(self.branch.parents[number])
        if agent is None:
            text = _content_text(_content(entry))
            agent = _Agent(_text(entry, "agentId") or _text(entry, "uuid"), self._type_asked(text))
            yield self._event(number, entry, "SubagentStart", agent)
        self.agents[number] = agent
        yield from self._of_subagent(number, entry, agent)

    def _type_asked(self, prompt: str) -> str:
        for name, given in reversed(list(self.calls.values())):
            if name in SUBAGENT_TOOLS and given.get("prompt") == prompt:
                return _text(given, "subagent_type") or UNNAMED
        return UNNAMED

    def _of_subagent(self, number: int, entry: Entry, agent: _Agent) -> Iterator[Occurred]:
        if entry.get("type") == "assistant":
            yield from self._uses(number, entry, agent)
        else:
            yield from self._results(number, entry, _blocks(entry, "tool_result"), agent)

    def _subagent(self, call: str) -> Iterator[Occurred]:
        """The events of the subagent that `call` started, where they are in a file of their own."""
        found = self.subagents.pop(call, None)
        if found is None:
            return
        path, agent = found
        try:
            with _opened(path) as file:
                began = False
                for number, line in enumerate(file):
                    entry = read_entry(line)
                    if entry is None:
                        self.account.skipped["unreadable"] += 1
                    elif entry.get("type") in ("user", "assistant"):
                        if not began:
                            yield self._event(number, entry, "SubagentStart", agent)
                        began = True
                        yield from self._of_subagent(number, entry, agent)
        except OSError:
            self.account.skipped["subagents that cannot be read"] += 1

    def _event(self, number: int, entry: Entry, name: str, agent: _Agent = _MAIN, **own: object) -> Occurred:
        payload: dict[str, Any] = {
            "session_id": self.session or Path(self.transcript).stem,
            "transcript_path": self.transcript,
            "cwd": _text(entry, "cwd"),
            "prompt_id": self.prompt_id,
            "hook_event_name": name,
        }
        if agent.id:
            payload |= {"agent_id": agent.id, "agent_type": agent.type}
        branch = _text(entry, "gitBranch")
        return Occurred(payload | own, number + 1, _at_ms(entry), "" if branch == NO_BRANCH else branch)


def _subagent_files(transcript: str) -> dict[str, tuple[str, _Agent]]:
    """The files of subagents that lie beside `transcript`, by the call that started each."""
    folder = Path(transcript).with_suffix("") / "subagents"
    found = {}
    for path in sorted(folder.glob("agent-*.jsonl")) if folder.is_dir() else []:
        try:
            with _opened(str(path.with_suffix(".meta.json"))) as file:
                about = read_entry(file.read()) or {}
        except OSError:
            about = {}
        id = path.stem.removeprefix("agent-")
        agent = _Agent(id, _text(about, "agentType") or UNNAMED)
        found[_text(about, "toolUseId") or f"agent {id}"] = (str(path), agent)
    return found


def _typed(line: bytes) -> str:
    entry = read_entry(line)
    if entry is None or entry.get("type") != "user" or entry.get("isSidechain") or _is_remark(entry):
        return ""
    text = "" if _blocks(entry, "tool_result") else _content_text(_content(entry))
    return text if _is_submitted(text) else ""


def _is_submitted(text: str) -> bool:
    return is_typed(text) and not text.startswith(NOT_SUBMITTED)


def _is_remark(entry: Entry) -> bool:
    """Whether an entry stands where a prompt would and is the client's own."""
    return any(entry.get(mark) for mark in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"))


def _call(block: Entry) -> tuple[str, Mapping[str, Any]]:
    given = block.get("input")
    return _text(block, "name"), given if isinstance(given, dict) else {}


def _content(entry: Entry) -> object:
    message = entry.get("message")
    return message.get("content") if isinstance(message, dict) else None


def _blocks(entry: Entry, sort: str) -> list[Entry]:
    content = _content(entry)
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == sort]


def _content_text(content: object) -> str:
    """The text of a message's or a result's content, which is a text or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _at_ms(entry: Entry) -> int | None:
    try:
        at = datetime.fromisoformat(_text(entry, "timestamp").replace("Z", "+00:00"))
        return int(at.timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None


def _tail(transcript: str) -> bytes:
    try:
        if not transcript or not stat.S_ISREG(os.stat(transcript).st_mode):
            return b""
        with open(transcript, "rb") as file:
            file.seek(max(0, os.path.getsize(transcript) - TAIL_BYTES))
            return file.read()
    except OSError:
        return b""
