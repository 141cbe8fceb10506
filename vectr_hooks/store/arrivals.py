"""What hooks printed for the model, and which deliveries a conversation turned out to have lost."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection

    from vectr_hooks.core.conversation import Conversation

    Printed = tuple[int, int, str, int, int, int, tuple[int, ...]]

#: id, milliseconds, the host's name, bytes and checksum of the output, tokens, the notes delivered
PRINTED = (
    "SELECT e.id, e.at, e.name, e.printed_bytes, e.printed_checksum, e.cost,"
    " (SELECT group_concat(note) FROM"
    "  (SELECT note FROM outcome WHERE event = e.id AND status = 'delivered' ORDER BY position))"
    " FROM event e"
)


def printed_in_epoch(connection: "Connection", conversation: "Conversation") -> "list[Printed]":
    """List the events of the conversation's epoch whose deliveries stand, as far as the audit has them.

    What a compaction kept was printed in the epoch before and is not among them.
    """
    rows = connection.execute(
        PRINTED + " WHERE e.epoch = ?3 AND e.printed_bytes > 0 AND e.id IN"
        " (SELECT event FROM delivery WHERE session = ?1 AND agent = ?2 AND epoch = ?3 AND lost = 0)"
        " ORDER BY e.id",
        (conversation.session, conversation.agent, conversation.epoch),
    )
    return [printed(tuple(row)) for row in rows]


def last_prompt(connection: "Connection", sessions: "Sequence[str]", before: str) -> int:
    """Find the newest event at which a prompt came to one of `sessions` before a time as hosts write it.

    0 where there is none.
    """
    marks = ",".join("?" * len(sessions))
    (found,) = connection.execute(
        "SELECT max(id) FROM event WHERE agent = '' AND name = 'UserPromptSubmit'"
        " AND at < CAST(strftime('%s', ?) AS INTEGER) * 1000 AND session IN (" + marks + ")",
        (before, *sessions),
    ).fetchone()
    return found or 0


def printed(row: "Sequence[object]") -> "Printed":
    """Give a row of `PRINTED` as its types are."""
    notes = str(row[6]).split(",") if row[6] is not None else []
    return (*row[:6], tuple(int(note) for note in notes))  # type: ignore[return-value]


def mark_lost(
    connection: "Connection", conversation: "Conversation", events: "Sequence[int]", found_by: int
) -> None:
    """Make deliverable again what `events` delivered in the conversation's epoch, from `found_by` on."""
    connection.executemany(
        "UPDATE delivery SET lost = ?"
        " WHERE session = ? AND agent = ? AND epoch = ? AND event = ? AND lost = 0",
        [(found_by, conversation.session, conversation.agent, conversation.epoch, event) for event in events],
    )


def count_lost(connection: "Connection") -> int:
    """Count the deliveries that a conversation turned out to have lost."""
    (count,) = connection.execute(
        # One that was revoked or reinstated is to be delivered again, and was not lost.
        "SELECT count(DISTINCT event || ':' || note) FROM delivery WHERE lost <> 0"
        " AND note NOT IN (SELECT note FROM revision WHERE state_by <> '')"
    ).fetchone()
    return int(count)
