"""Claude Code's own record of a session, read for what the user asked for last."""

from __future__ import annotations

import json
import os
import stat

from vectr_hooks.hosts.claude import is_typed

# More than this is not looked through for the last request.
TAIL_BYTES = 8 << 20


def last_request(transcript: str) -> str:
    """The last prompt that a person typed, from the transcript's end; '' when none can be read."""
    for line in reversed(_tail(transcript).split(b"\n")):
        # Cheaper than reading every tool result as JSON.
        if b'"user"' in line and (text := _typed(line)):
            return text
    return ""


def _typed(line: bytes) -> str:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(entry, dict) or entry.get("type") != "user":
        return ""
    if any(entry.get(mark) for mark in ("isMeta", "isSidechain", "isCompactSummary")):
        return ""
    message = entry.get("message")
    text = _text(message.get("content")) if isinstance(message, dict) else ""
    return text if is_typed(text) else ""


def _text(content: object) -> str:
    """The text of a message's content, which is a text or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    if any(block.get("type") == "tool_result" for block in blocks):
        return ""
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _tail(transcript: str) -> bytes:
    try:
        if not transcript or not stat.S_ISREG(os.stat(transcript).st_mode):
            return b""
        with open(transcript, "rb") as file:
            file.seek(max(0, os.path.getsize(transcript) - TAIL_BYTES))
            return file.read()
    except OSError:
        return b""
