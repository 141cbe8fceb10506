"""The embeddings of notes as a hook needs them: of the few that are compared with a prompt."""

from vectr_hooks.core.model import INDEX_BY_BUDGET, SUPERSEDED
from vectr_hooks.core.needles import MEANING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from sqlite3 import Connection

    #: note, revision, hash of the text, vector
    Made = tuple[int, int, str, bytes]


def asking(connection: "Connection", most: int) -> "list[int]":
    """List the notes with a condition on meaning, the first `most` in precedence."""
    rows = connection.execute(
        "SELECT DISTINCT n.id FROM needle JOIN note n ON n.id = needle.note"
        " WHERE needle.token = ? AND n.precedence < ? ORDER BY n.precedence LIMIT ?",
        (MEANING, SUPERSEDED, most),
    )
    return [note for (note,) in rows]


def delivered(connection: "Connection", session: str, notes: "Sequence[int]") -> "set[tuple[int, int]]":
    """List (note, clause) of what the main conversation of `session` has had of `notes` in this epoch."""
    rows = connection.execute(
        "SELECT d.note, d.clause FROM conversation c"
        " JOIN delivery d ON d.session = c.session AND d.agent = c.agent AND d.epoch = c.epoch"
        " WHERE c.session = ? AND c.agent = '' AND d.lost = 0 AND d.form <> ?"
        " AND d.note IN (" + _marks(notes) + ")",
        [session, INDEX_BY_BUDGET, *notes],
    )
    return set(rows)


def texts(connection: "Connection", notes: "Sequence[int]") -> "dict[int, tuple[int, str, str]]":
    """Read the newest revision of each of `notes`: its id, title and body."""
    rows = connection.execute(
        "SELECT n.id, r.id, r.title, r.body FROM note n JOIN revision r ON r.id = n.revision"
        " WHERE n.id IN (" + _marks(notes) + ")",
        list(notes),
    )
    return {note: (revision, str(title), str(body)) for note, revision, title, body in rows}


def kept(connection: "Connection", model: str, notes: "Sequence[int]") -> "dict[int, tuple[str, bytes]]":
    """Read, by note, of which text the vector of `model` is that was kept, and the vector."""
    rows = connection.execute(
        "SELECT note, text_hash, vector FROM note_vector"
        " WHERE model = ? AND typeof(vector) = 'blob' AND note IN (" + _marks(notes) + ")",
        [model, *notes],
    )
    return {note: (text_hash, vector) for note, text_hash, vector in rows}


def keep(connection: "Connection", model: str, made: "Iterable[Made]") -> None:
    """Keep the vectors `made`, but those of notes that were changed or forgotten meanwhile."""
    connection.executemany(
        "INSERT OR REPLACE INTO note_vector(note, model, text_hash, vector)"
        " SELECT id, ?, ?, ? FROM note WHERE id = ? AND revision = ?",
        [(model, text_hash, vector, note, revision) for note, revision, text_hash, vector in made],
    )


def _marks(values: "Sequence[object]") -> str:
    return ",".join("?" * len(values))
