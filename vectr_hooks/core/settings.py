"""What a workspace can be configured with, and what holds when nothing is set."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Optional, Union

    Value = Union[int, bool, str]

# Numbers and switches, but for the name of a model.
DEFAULTS: "dict[str, Any]" = {
    "enabled": True,
    "feedback": False,
    "budget.turn": 800,
    "budget.boundary": 2200,
    "budget.boundary_index": 400,
    "budget.epoch": 8000,
    "budget.bytes": 9500,
    "budget.handoff": 400,
    "candidates.max": 200,
    "cap.directive": 400,
    "cap.task": 400,
    "cap.gotcha": 300,
    "cap.operational": 300,
    "cap.finding": 300,
    "cap.decision": 0,
    "cap.reference": 0,
    "expire.task": 0,
    "expire.gotcha": 0,
    "expire.operational": 0,
    "expire.finding": 0,
    "expire.decision": 0,
    "expire.reference": 0,
    "recall.notes": 3,
    "recall.tokens": 150,
    "semantic.model": "",
    "working_set.epochs": 3,
    "nudge": False,
    "nudge.calls": 20,
    "nudge.tokens": 40_000,
    "audit.texts": False,
    "audit.days": 30,
    "audit.megabytes": 50,
    "audit.text_days": 14,
}

DOCUMENTED = {
    "enabled": "whether hooks do anything in this workspace",
    "feedback": "whether you (not the model) are told which notes an event delivered",
    "budget.turn": "tokens all events of one turn may deliver, boundaries apart",
    "budget.boundary": "tokens at a session start or after a compaction",
    "budget.boundary_index": "how many of those tokens are kept for index lines",
    "budget.epoch": "tokens between two compactions",
    "budget.bytes": "bytes in one output; hosts replace one of more than 10,000 UTF-16 units by a preview",
    "budget.handoff": "tokens of the handoff after a compaction",
    "candidates.max": "notes considered at one event, in order of precedence",
    "cap.directive": "tokens up to which a directive arrives in full (0: index line only)",
    "cap.task": "tokens up to which a task arrives in full (0: index line only)",
    "cap.gotcha": "tokens up to which a gotcha arrives in full (0: index line only)",
    "cap.operational": "tokens up to which an operational note arrives in full (0: index line only)",
    "cap.finding": "tokens up to which a finding arrives in full (0: index line only)",
    "cap.decision": "tokens up to which a decision arrives in full (0: index line only)",
    "cap.reference": "tokens up to which a reference arrives in full (0: index line only)",
    "expire.task": "days after its last change at which a task expires (0: never)",
    "expire.gotcha": "days after its last change at which a gotcha expires (0: never)",
    "expire.operational": "days after its last change at which an operational note expires (0: never)",
    "expire.finding": "days after its last change at which a finding expires (0: never)",
    "expire.decision": "days after its last change at which a decision expires (0: never)",
    "expire.reference": "days after its last change at which a reference expires (0: never)",
    "recall.notes": "notes without a trigger that a prompt may bring up, as index lines (0: none)",
    "recall.tokens": "tokens of those lines",
    "semantic.model": "the embedding model, by fastembed's name; empty: the one that comes with the package",
    "working_set.epochs": "epochs whose notes come back in full after a compaction; older: index lines",
    "nudge": "whether the model is told once an epoch, after much reading, that it can store what it found",
    "nudge.calls": "after more searches and reads than these, with no note stored since",
    "nudge.tokens": "or after they brought as many tokens as these",
    "audit.texts": "whether the audit keeps the beginnings of prompts, inputs and results, without secrets",
    "audit.days": "how long the audit keeps an event; commands prune it, hooks never do",
    "audit.megabytes": "how large the audit may grow before its oldest events are pruned, about",
    "audit.text_days": "how long the audit keeps texts, where `audit.texts` asks for them",
}

# Hosts show a preview of anything longer than 10,000 units, so more would lose notes.
LARGEST = {"budget.bytes": 9500}
_LARGEST_OTHER = 1_000_000_000


def effective(rows: "Iterable[tuple[str, Optional[str]]]") -> "dict[str, Any]":
    """The defaults overlaid with `rows` of (key, stored text), of which a later one wins.

    A text of None sets the default again; unknown keys and unreadable texts change nothing.
    """
    settings: "dict[str, Value]" = dict(DEFAULTS)
    for key, text in rows:
        if key not in DEFAULTS:
            continue
        value = DEFAULTS[key] if text is None else _read(key, text)
        if value is not None:
            settings[key] = value
    return settings


def largest(key: str) -> int:
    return LARGEST.get(key, _LARGEST_OTHER)


def _read(key: str, text: str) -> "Optional[Value]":
    if isinstance(DEFAULTS[key], bool):
        return {"true": True, "false": False}.get(text)
    if isinstance(DEFAULTS[key], str):
        return text
    if not (text.isascii() and text.isdigit()) or len(text) > 10:
        return None
    number = int(text)
    return number if number <= largest(key) else None
