"""The rows that decisions read and write: conversations, claims, deliveries and the working set."""

from vectr_hooks.core.conversation import Conversation
from vectr_hooks.core.model import NO_CLAUSE, POST_COMPACTION, SUPERSEDED
from vectr_hooks.core.settings import effective

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from sqlite3 import Connection

    from vectr_hooks.core.ledger import Ledger
    from vectr_hooks.core.model import Candidate, Decision

ANONYMOUS = "anonymous-"
ANONYMOUS_MS = 60_000

# Of the deliveries those that an event finds: the same rows when it is replayed later.
THERE_BEFORE = " AND event < ? AND (lost = 0 OR lost > ?)"

COLUMNS = Conversation.__slots__
SELECT_CONVERSATION = "SELECT " + ", ".join(COLUMNS) + " FROM conversation WHERE session = ? AND agent = ?"
WRITE_CONVERSATION = (
    "INSERT OR REPLACE INTO conversation ("
    + ", ".join(COLUMNS)
    + ") VALUES ("
    + ",".join("?" * len(COLUMNS))
    + ")"
)


def read_settings(connection: "Connection") -> "dict[str, int]":
    """Read the configuration that holds now; a switch is 0 or 1."""
    return read_configuration(connection)[0]


def read_configuration(connection: "Connection") -> "tuple[dict[str, int], int]":
    """Read the configuration that holds now, and the id of its newest change (0: none was made)."""
    rows = connection.execute("SELECT id, key, value FROM setting ORDER BY id").fetchall()
    return effective((key, value) for _, key, value in rows), rows[-1][0] if rows else 0


def anonymous_session(connection: "Connection", now_ms: int) -> str:
    """Name the session of a host that gives none: the one active in the last minute, else a new one."""
    row = connection.execute(
        "SELECT session FROM conversation WHERE session GLOB ? AND seen >= ?"
        " ORDER BY seen DESC, session LIMIT 1",
        (ANONYMOUS + "*", now_ms - ANONYMOUS_MS),
    ).fetchone()
    return row[0] if row else ANONYMOUS + str(now_ms)


def read_conversation(connection: "Connection", session: str, agent: str) -> "Conversation | None":
    row = connection.execute(SELECT_CONVERSATION, (session, agent)).fetchone()
    if row is None:
        return None
    conversation = Conversation(session, agent)
    for name, value in zip(COLUMNS, row):
        setattr(conversation, name, value)
    return conversation


def write_conversation(connection: "Connection", conversation: Conversation) -> None:
    connection.execute(WRITE_CONVERSATION, [getattr(conversation, name) for name in COLUMNS])


def last_conversation(connection: "Connection", but: str, worktree: str) -> "Conversation | None":
    """Read the main conversation most recently active in `worktree`, other than the session `but`."""
    row = connection.execute(
        "SELECT session FROM conversation WHERE agent = '' AND session <> ? AND worktree = ?"
        " ORDER BY seen DESC, session LIMIT 1",
        (but, worktree),
    ).fetchone()
    return read_conversation(connection, row[0], "") if row else None


def inherit(connection: "Connection", parent: Conversation, session: str) -> Conversation:
    """Copy the ledger of `parent` for a `session` forked from it; return where that one stands."""
    connection.execute(
        "INSERT OR IGNORE INTO delivery"
        " SELECT ?, agent, epoch, note, clause, event, turn, turn_number, form, counted, lost"
        " FROM delivery WHERE session = ? AND agent = ''",
        (session, parent.session),
    )
    connection.execute(
        "INSERT OR IGNORE INTO working_set"
        " SELECT ?, note, clause, epoch, event FROM working_set WHERE session = ?",
        (session, parent.session),
    )
    parent.session = session
    return parent


def claim(connection: "Connection", session: str, agent: str, key: str, event: int) -> bool:
    """Take an event for this process; False when another has answered it."""
    done = connection.execute("INSERT OR IGNORE INTO claim VALUES (?, ?, ?, ?)", (session, agent, key, event))
    return done.rowcount == 1


def stored_since(connection: "Connection", session: str, revision: int) -> "tuple[int, bool]":
    """Give the newest revision, and whether `session` stored a note after the one given."""
    newest, stored = connection.execute(
        "SELECT (SELECT coalesce(max(id), 0) FROM revision),"
        " EXISTS (SELECT 1 FROM revision WHERE session = ? AND session <> '' AND id > ?)",
        (session, revision),
    ).fetchone()
    return newest, bool(stored)


def next_event(connection: "Connection") -> int:
    (newest,) = connection.execute("SELECT max(id) FROM event").fetchone()
    return (newest or 0) + 1


def read_ledger(
    connection: "Connection", conversation: Conversation, event: int, candidates: "Sequence[Candidate]"
) -> "Ledger":
    """Read what the current epoch had delivered of `candidates` before `event`, and what counts towards their
    limits.
    """
    from vectr_hooks.core.ledger import Delivery, Ledger

    here = (conversation.session, conversation.agent)
    deliveries: "dict[int, list[Delivery]]" = {}
    marks = ",".join("?" * len(candidates))
    rows = connection.execute(
        "SELECT note, clause, form, turn, turn_number FROM delivery"
        " WHERE session = ? AND agent = ? AND epoch = ? AND note IN ("
        + marks
        + ")"
        + THERE_BEFORE
        + " ORDER BY event",
        [*here, conversation.epoch, *(candidate.note for candidate in candidates), event, event],
    )
    for note, clause, form, turn, turn_number in rows:
        deliveries.setdefault(note, []).append(Delivery(clause, form, turn, turn_number))
    counted = {}
    for candidate in candidates:
        if candidate.max_deliveries is not None:
            (counted[candidate.note],) = connection.execute(
                "SELECT count(DISTINCT event) FROM delivery"
                " WHERE note = ? AND session = ? AND agent = ? AND counted" + THERE_BEFORE,
                (candidate.note, *here, event, event),
            ).fetchone()
    return Ledger(conversation.turn, conversation.turn_number, deliveries, counted)


def keep_deliveries(connection: "Connection", conversation: Conversation) -> None:
    """Carry what the compaction kept, the prompt about to be sent, over into the epoch just opened."""
    connection.execute(
        "INSERT OR IGNORE INTO delivery"
        " SELECT session, agent, ?, note, clause, event, turn, turn_number, form, 0, lost"
        " FROM delivery WHERE session = ? AND agent = ? AND epoch = ? AND event = ?",
        (
            conversation.epoch,
            conversation.session,
            conversation.agent,
            conversation.epoch - 1,
            conversation.kept_event,
        ),
    )
    conversation.kept_event = 0


def write_deliveries(
    connection: "Connection",
    conversation: Conversation,
    event: int,
    moments: "Sequence[str]",
    decisions: "Iterable[Decision]",
) -> None:
    """Enter what was delivered, under every clause that matched now or, at a boundary, had matched before.

    Also enter the notes whose own trigger held into the session's working set, delivered or not.
    """
    used: "list[tuple[object, ...]]" = []
    delivered: "list[tuple[object, ...]]" = []
    counted = int(POST_COMPACTION not in moments)
    here = (conversation.session, conversation.agent, conversation.epoch)
    turn = (conversation.turn, conversation.turn_number)
    for decision in decisions:
        note = decision.candidate.note
        used += [
            (conversation.session, note, clause, conversation.epoch, event) for clause in decision.clauses
        ]
        if decision.status == "delivered":
            clauses = {*decision.clauses, *decision.candidate.held_clauses} or {NO_CLAUSE}
            delivered += [
                (*here, note, clause, event, *turn, decision.form, counted) for clause in sorted(clauses)
            ]
    if not conversation.agent:
        connection.executemany("INSERT OR IGNORE INTO working_set VALUES (?, ?, ?, ?, ?)", used)
    connection.executemany("INSERT INTO delivery VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)", delivered)


def write_needles(connection: "Connection", session: str, turn: str, texts: "Iterable[str]") -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO turn_needle VALUES (?, ?, ?)",
        [(session, turn, text) for text in sorted(texts)],
    )


def read_needles(connection: "Connection", session: str, turn: str) -> "frozenset[str]":
    rows = connection.execute("SELECT text FROM turn_needle WHERE session = ? AND turn = ?", (session, turn))
    return frozenset(text for (text,) in rows)


def working_set_notes(connection: "Connection", session: str, event: int) -> "list[int]":
    """List the notes that a compaction of `session` at `event` would bring back by what the session did."""
    rows = connection.execute(
        "SELECT w.note FROM working_set w JOIN note n ON n.id = w.note"
        " WHERE w.session = ?1 AND w.event < ?2 AND n.precedence < ?3"
        " UNION SELECT r.note FROM revision r JOIN note n ON n.id = r.note"
        " WHERE r.session = ?1 AND r.session <> '' AND n.precedence < ?3 ORDER BY 1",
        (session, event, SUPERSEDED),
    )
    return [note for (note,) in rows]
