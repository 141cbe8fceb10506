"""Payloads that are not read from their JSON: what a hook would have made of them.

A hook reads a payload with SQLite's JSON functions (`payload`), and some texts come out of those changed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from vectr_hooks.core.occurrence import RESULT_CHARACTERS

# SQLite reads JSON that is nested 1000 deep, or 2000.
SURELY_READ_DEPTH = 1000

INPUT = "tool_input"
RESULT = "tool_response"
NUL = "\\u0000"


class TooDeep(Exception):
    """A payload is nested deeper than SQLite reads."""


def fields(payload: Mapping[str, Any]) -> tuple[dict[str, object], dict[str, object]]:
    """Give the plain values of the payload's top level and of its `tool_input`; what is not plain is None."""
    return _plain(payload), _plain(payload.get(INPUT) or {})


def tool_result(payload: Mapping[str, Any]) -> str:
    """Give the end of all texts in the payload's `tool_response`, one to a line."""
    return "\n".join(map(received, _texts(payload.get(RESULT))))[-RESULT_CHARACTERS:]


def check_depth(connection: sqlite3.Connection, payload: Mapping[str, Any]) -> None:
    """Raise TooDeep where a hook could not read the payload."""
    if _containers(payload) <= SURELY_READ_DEPTH:
        return
    try:
        text = json.dumps(payload)
    except RecursionError:
        raise TooDeep from None
    # The parser of Python's `json` goes deeper than SQLite's.
    (valid,) = connection.execute("SELECT json_valid(?)", (text.replace(NUL, "\\ufffd"),)).fetchone()
    if not valid:
        raise TooDeep


def received(text: str) -> str:
    """Give a text as a hook receives it: without NUL and lone surrogates."""
    if "\0" in text or NUL in text:
        # The hook looks for it in the JSON, and so finds a backslash that is one as well.
        text = text.replace("\0", "\ufffd").replace(NUL, "\\ufffd")
    return text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _plain(values: Mapping[str, Any]) -> dict[str, object]:
    return {
        name: received(value)
        if isinstance(value, str)
        else None
        if isinstance(value, (dict, list))
        else value
        for name, value in values.items()
    }


def _texts(value: object) -> list[str]:
    """List the texts inside `value`, in order."""
    texts = []
    ahead = [value]
    while ahead:
        part = ahead.pop()
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            ahead.extend(reversed(part.values()))
        elif isinstance(part, list):
            ahead.extend(reversed(part))
    return texts


def _containers(payload: Mapping[str, Any]) -> int:
    """Count the objects and lists of `payload`: it is nested no deeper than there are any."""
    count = 0
    ahead: list[Any] = [payload]
    while ahead:
        part = ahead.pop()
        count += 1
        inside = part.values() if isinstance(part, dict) else part
        ahead += [one for one in inside if isinstance(one, (dict, list))]
    return count
