"""The beginnings of what was said at an event, where the configuration asks the audit to keep them."""

from vectr_hooks.core.occurrence import TOOL_AFTER, TOOL_FAILED
from vectr_hooks.core.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from vectr_hooks.core.occurrence import Occurrence

PROMPT, INPUT, RESULT = "prompt", "input", "result"
KEPT_CHARACTERS = 16 * 1024


def keep_texts(connection: "Connection", event_id: int, event: "Occurrence") -> None:
    """Keep the prompt, the tool's input and its error and result, each without secrets."""
    texts = {PROMPT: event.prompt or "", INPUT: event.input_text}
    if event.what in (TOOL_AFTER, TOOL_FAILED):
        result = event.result() if event.result else ""
        texts[RESULT] = "\n".join(filter(None, (event.error, result)))
    connection.executemany(
        "INSERT INTO event_text VALUES (?, ?, ?)",
        # Before it is cut: what is left of a secret may no longer look like one.
        [(event_id, name, redact(text)[:KEPT_CHARACTERS]) for name, text in texts.items() if text],
    )


def read_texts(connection: "Connection", event_id: int) -> "dict[str, str]":
    """Read what was kept, by name."""
    return dict(connection.execute("SELECT name, text FROM event_text WHERE event = ?", (event_id,)))


def is_whole(text: str) -> bool:
    """Tell whether a text was kept as it was."""
    return len(text) < KEPT_CHARACTERS and "[redacted: " not in text
