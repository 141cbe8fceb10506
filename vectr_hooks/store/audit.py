"""What hooks record of every event and every candidate; decisions never read it."""

from vectr_hooks.core.occurrence import checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection

    from vectr_hooks.core.conversation import Conversation
    from vectr_hooks.core.model import Decision, Facts
    from vectr_hooks.core.occurrence import Occurrence

COMMAND_LENGTH = 200
NAME_LENGTH = 200
MOST_ARGUMENTS = 100
SHORTEST_SECRET = 16
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
) -> None:
    """Record `event` with the facts that its decisions saw."""
    connection.execute(
        "INSERT INTO event VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
        " (SELECT coalesce(max(id), 0) FROM revision), (SELECT coalesce(max(id), 0) FROM setting),"
        " json_object('moments', json(?9), 'targets', json(?10), 'needles', json(?11), 'command', ?12,"
        "  'tool', ?13, 'subagent', ?14, 'branch', ?15, 'today', ?16, 'source', ?17, 'prompt_id', ?18,"
        "  'worktree', ?25, 'fresh', json(?26), 'slow', json(?27),"
        "  'recalled', json(?28)), ?19, ?20, ?21, ?22, ?23, ?24,"
        " ?29, ?30, ?31, ?32, ?33)",
        (
            event_id,
            now_ms,
            conversation.host,
            conversation.session,
            conversation.agent,
            conversation.epoch,
            conversation.turn,
            event.name,
            _json_list(connection, facts.moments),
            _json_list(
                connection, [part for moment, path in facts.targets for part in (moment, harmless(path))]
            ),
            _json_list(connection, sorted(facts.needles)),
            shortened(event.command, COMMAND_LENGTH),
            facts.tool[:NAME_LENGTH],
            facts.subagent[:NAME_LENGTH],
            facts.branch,
            facts.today,
            event.source,
            event.prompt_id[:NAME_LENGTH],
            remark,
            printed.checksum,
            printed.size,
            printed.cost,
            more,
            took_us,
            facts.worktree,
            _json_list(connection, sorted(facts.fresh)),
            _json_list(connection, sorted(facts.slow)),
            _json_list(connection, facts.recalled),
            conversation.turn_number,
            spent.turn,
            spent.boundary,
            spent.epoch,
            spent.told_held_back,
        ),
    )


def record_outcomes(connection: "Connection", event_id: int, decisions: "Sequence[Decision]") -> None:
    """Record the one outcome of every candidate, in order of precedence."""
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


def shortened(command: str, most: int) -> str:
    """Give `command` without secrets, cut to `most` characters."""
    return harmless(command)[:most]


def harmless(text: str) -> str:
    """Give a path or command without secrets."""
    # No secret is shorter.
    if len(text) < SHORTEST_SECRET:
        return text
    from vectr_hooks.core.secrets import redact

    return redact(text)


def _json_list(connection: "Connection", values: "Sequence[str | int]") -> str:
    # SQLite takes 127 arguments, and an event may have more of anything.
    parts = []
    for at in range(0, len(values), MOST_ARGUMENTS):
        part = list(values[at : at + MOST_ARGUMENTS])
        marks = ",".join("?" * len(part))
        (text,) = connection.execute("SELECT json_array(" + marks + ")", part).fetchone()
        parts.append(text[1:-1])
    return "[" + ",".join(parts) + "]"
