"""What sessions did, as far as a handoff tells it."""

from vectr_hooks.core.handoff import Work
from vectr_hooks.core.model import KIND_SHIFT, TASK_RANK, UNPINNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection

EDITED = "edited"
FAILED = "failed"
PASSED = "passed"

RECENT_MS = 24 * 60 * 60 * 1000
MOST_FILES = 40
MOST_TASKS = 10


def write_edit(connection: "Connection", session: str, path: str, event: int) -> None:
    connection.execute("INSERT OR REPLACE INTO work VALUES (?, ?, ?, ?)", (session, EDITED, path, event))


def write_command(connection: "Connection", session: str, command: str, event: int, passed: bool) -> None:
    """Note how `command` (redacted) ended; of those that passed only the last is kept."""
    if passed:
        connection.execute("DELETE FROM work WHERE session = ? AND what = ?", (session, PASSED))
    what = PASSED if passed else FAILED
    connection.execute("INSERT OR REPLACE INTO work VALUES (?, ?, ?, ?)", (session, what, command, event))


def failing(connection: "Connection", session: str) -> "list[str]":
    """List the commands of `session` that failed and have not passed since."""
    rows = connection.execute("SELECT value FROM work WHERE session = ? AND what = ?", (session, FAILED))
    return [value for (value,) in rows]


def forget_failures(connection: "Connection", session: str, commands: "Iterable[str]") -> None:
    connection.executemany(
        "DELETE FROM work WHERE session = ? AND what = ? AND value = ?",
        [(session, FAILED, command) for command in commands],
    )


def read_work(connection: "Connection", session: str) -> Work:
    """Read what `session` did, and the open task notes."""
    rows = connection.execute(
        "SELECT what, value, event FROM work WHERE session = ? ORDER BY event DESC, value", (session,)
    ).fetchall()
    edited = [value for what, value, _ in rows if what == EDITED]
    failed = next((value for what, value, _ in rows if what == FAILED), "")
    passed = next((value for what, value, _ in rows if what == PASSED), "")
    last_edit = max((event for what, _, event in rows if what == EDITED), default=0)
    last_pass = max((event for what, _, event in rows if what == PASSED), default=0)
    return Work(edited[:MOST_FILES], failed, passed, last_edit > last_pass, _tasks(connection))


def last_session(connection: "Connection", worktree: str, but: str, now_ms: int) -> str:
    """Name the main session last active in `worktree` within a day, other than `but`; '' for none."""
    row = connection.execute(
        "SELECT session FROM conversation WHERE agent = '' AND worktree = ? AND session <> ? AND seen >= ?"
        " ORDER BY seen DESC, session LIMIT 1",
        (worktree, but, now_ms - RECENT_MS),
    ).fetchone()
    return row[0] if row else ""


def _tasks(connection: "Connection") -> "list[int]":
    first = TASK_RANK << KIND_SHIFT
    last = ((TASK_RANK + 1) << KIND_SHIFT) - 1
    rows = connection.execute(
        "SELECT id FROM note WHERE precedence BETWEEN ?1 AND ?2 OR precedence BETWEEN ?3 + ?1 AND ?3 + ?2"
        " ORDER BY precedence LIMIT ?4",
        (first, last, UNPINNED, MOST_TASKS),
    )
    return [note for (note,) in rows]
