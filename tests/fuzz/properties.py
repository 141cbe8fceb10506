"""What holds for every answer of a hook."""

from __future__ import annotations

import json

MOST_BYTES = 9_500


def assert_answer_is_in_form(output: bytes, event_name: str, feedback: bool = False) -> None:
    """An answer is empty, or one document with the keys that are ours, small enough to arrive whole."""
    text = output.decode("utf-8")
    if not text:
        return
    if event_name == "PreCompact":
        # For the summariser, and the only plain text.
        assert not text.lstrip().startswith("{")
        assert len(text) <= 400
        return
    document = json.loads(text)
    message = document.pop("systemMessage", None)
    assert (message is not None) == feedback
    assert set(document) == {"hookSpecificOutput"}
    assert set(document["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert document["hookSpecificOutput"]["hookEventName"] == event_name
    context = document["hookSpecificOutput"]["additionalContext"]
    assert context
    assert len(context.encode("utf-8")) <= MOST_BYTES
    assert len(context.encode("utf-16-le")) // 2 <= MOST_BYTES
