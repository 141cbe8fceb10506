"""What hooks record of every event and every candidate; decisions never read it."""

from vectr_hooks.core.occurrence import TOOL_AFTER, checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from sqlite3 import Connection

    from vectr_hooks.core.conversation import Conversation
    from vectr_hooks.core.model import Decision, Facts
    from vectr_hooks.core.occurrence import Occurrence

COMMAND_LENGTH = 200
# Of a longer line no more is looked through for secrets.
LONGEST_COMMAND = 64 * 1024
NAME_LENGTH = 200
MOST_ARGUMENTS = 100
SHORTEST_SECRET = 16
#: what stands in a command line for the words of a note that was forgotten
FORGOTTEN = "[forgotten]"
ERROR_LENGTH = 300


class Spent:
    """What a conversation had spent before an event."""

    __slots__ = ("boundary", "epoch", "told_held_back", "turn")

    def __init__(self, conversation: "Conversation") -> None:
        #: tokens
        self.turn = conversation.turn_spent
        self.boundary = conversation.boundary_spent
        self.epoch = conversation.epoch_spent
        self.told_held_back = conversation.told_held_back


class Printed:
    """What an event printed: for the audit, by size and checksum."""

    __slots__ = ("checksum", "cost", "size")

    def __init__(self, output: bytes = b"", cost: int = 0) -> None:
        #: bytes, and tokens of the text in them
        self.size = len(output)
        self.cost = cost
        self.checksum = checksum(output)


def record_event(
    connection: "Connection",
    event_id: int,
    event: "Occurrence",
    conversation: "Conversation",
    facts: "Facts",
    spent: Spent,
    printed: Printed,
    remark: str = "",
    more: int = 0,
    now_ms: int = 0,
    took_us: int = 0,
    setting_revision: int = 0,
    decisions: "Sequence[Decision]" = (),
    beside: "Mapping[str, object]" = {},  # noqa: B006  nobody writes to it
) -> None:
    """Record `event` with its outcomes and the facts that they depended on, `beside` them what else did."""
    command = shortened(event.command, COMMAND_LENGTH)
    seen = {
        "what": event.what,
        "source": event.source,
        "moments": facts.moments,
        "targets": [part for moment, path in facts.targets for part in (moment, harmless(path))],
        "needles": sorted(facts.needles),
        "fresh": sorted(facts.fresh),
        "slow": sorted(facts.slow),
        "recalled": facts.recalled,
        "similar": [part for pair in sorted(facts.similar.items()) for part in pair],
        "not_compared": facts.not_compared,
        "command": command,
        "tool": facts.tool[:NAME_LENGTH],
        "subagent": facts.subagent[:NAME_LENGTH],
        "branch": harmless(facts.branch),
        "today": facts.today,
        "prompt_id": event.prompt_id[:NAME_LENGTH],
        "worktree": facts.worktree,
        **beside,
    }
    if event.what == TOOL_AFTER and event.mode == "read":
        # What it costs to read it again.
        seen["result_tokens"] = event.result_tokens
    if facts.commands and is_partial(command):
        from vectr_hooks.store.command_facts import held_commands, programs

        seen["held"] = held_commands(facts, decisions)
        seen["programs"] = programs(connection, facts)
    if decisions:
        _record_outcomes(connection, event_id, decisions)
    connection.execute(
        "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM revision),"
        " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            event_id,
            now_ms,
            conversation.host,
            conversation.session,
            conversation.agent,
            conversation.epoch,
            conversation.turn,
            event.name,
            setting_revision,
            _as_json(connection, seen),
            remark,
            printed.checksum,
            printed.size,
            printed.cost,
            more,
            took_us,
            conversation.turn_number,
            spent.turn,
            spent.boundary,
            spent.epoch,
            spent.told_held_back,
        ),
    )


def _record_outcomes(connection: "Connection", event_id: int, decisions: "Sequence[Decision]") -> None:
    # In order of precedence.
    connection.executemany(
        "INSERT INTO outcome VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                event_id,
                position,
                decision.candidate.note,
                decision.candidate.revision,
                decision.status,
                decision.reason,
                decision.form,
                ",".join(str(clause) for clause in decision.clauses),
                decision.candidate.origin,
                decision.cost,
            )
            for position, decision in enumerate(decisions)
        ],
    )


def record_error(connection: "Connection", event: str, message: str, now_ms: int) -> None:
    connection.execute(
        "INSERT INTO error (at, event, message) VALUES (?, ?, ?)", (now_ms, event, message[:ERROR_LENGTH])
    )


def is_partial(recorded: str) -> bool:
    """Tell whether a recorded command line may be one of which something was left out."""
    return len(recorded) >= COMMAND_LENGTH or "[redacted: " in recorded or FORGOTTEN in recorded


def shortened(command: str, most: int) -> str:
    """Give `command` without secrets, cut to `most` characters."""
    return harmless(command[:LONGEST_COMMAND])[:most]


def harmless(text: str) -> str:
    """Give a path, command or branch without secrets."""
    # No secret is shorter.
    if len(text) < SHORTEST_SECRET:
        return text
    from vectr_hooks.core.secrets import redact

    return redact(text)


def _as_json(connection: "Connection", values: "Mapping[str, object]") -> str:
    """Write those of `values` that are not empty as an object: numbers, texts, lists of these, objects."""
    places = []
    bound: "list[object]" = []
    for name, value in values.items():
        if not value:
            continue
        if isinstance(value, dict):
            value, place = _as_json(connection, value), "?,json(?)"
        elif isinstance(value, (list, tuple)):
            value, place = _json_list(connection, value), "?,json(?)"
        else:
            place = "?,?"
        places.append(place)
        bound += (name, value)
    row = connection.execute("SELECT json_object(" + ",".join(places) + ")", bound).fetchone()
    text: str = row[0]
    return text


def _json_list(connection: "Connection", values: "Sequence[str | int]") -> str:
    # SQLite takes 127 arguments, and an event may have more of anything.
    parts = []
    for at in range(0, len(values), MOST_ARGUMENTS):
        part = list(values[at : at + MOST_ARGUMENTS])
        marks = ",".join("?" * len(part))
        (text,) = connection.execute("SELECT json_array(" + marks + ")", part).fetchone()
        parts.append(text[1:-1])
    return "[" + ",".join(parts) + "]"
