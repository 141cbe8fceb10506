"""Takes snapshots: a snapshot names a point in time, and the revisions hold what the notes were then."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

NEWEST_REVISION = "(SELECT coalesce(max(id), 0) FROM revision)"


def take(connection: "Connection", now_ms: int, name: str, session: str = "") -> int:
    """Take a snapshot called `name`, which no other has, as of now; give its id."""
    done = connection.execute(
        "INSERT INTO snapshot(at, name, note_revision, session, event)"
        " VALUES (?, ?, " + NEWEST_REVISION + ", ?, 0)",
        (now_ms, name, session),
    )
    id: int = done.lastrowid or 0
    return id


def take_at_compaction(connection: "Connection", now_ms: int, session: str, event: int) -> None:
    """Take one for a compaction of `session`, announced by `event`, unless the session's newest is the same.

    Nor is one taken of a store that has no notes.
    """
    connection.execute(
        "INSERT INTO snapshot(at, name, note_revision, session, event)"
        " SELECT ?1, '', newest, ?2, ?3 FROM (SELECT max(id) AS newest FROM revision)"
        " WHERE newest <> coalesce("
        "  (SELECT note_revision FROM snapshot WHERE session = ?2 ORDER BY id DESC LIMIT 1), 0)",
        (now_ms, session, event),
    )
