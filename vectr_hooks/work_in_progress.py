"""The work of a session: noted as it is done, told again at a boundary."""

from vectr_hooks.core.handoff import Work, clears, is_telling
from vectr_hooks.core.model import POST_COMPACTION
from vectr_hooks.core.occurrence import TOOL_AFTER
from vectr_hooks.store import audit, work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from vectr_hooks.core.model import Facts
    from vectr_hooks.core.occurrence import Occurrence


def note(connection: "Connection", session: str, event: "Occurrence", facts: "Facts", event_id: int) -> None:
    """Note what a tool edited, and how a command line ended that tells where the work stands."""
    for moment, path in facts.targets:
        if moment == "post-edit" and not path.endswith("/"):
            work.write_edit(connection, session, audit.harmless(path), event_id)
    if not event.command or not is_telling(facts.commands):
        return
    passed = event.what == TOOL_AFTER
    if passed:
        _forget_what_passed(connection, session, facts)
    command = audit.shortened(event.command, audit.COMMAND_LENGTH)
    work.write_command(connection, session, command, event_id, passed)


def unfinished(
    connection: "Connection", session: str, worktree: str, facts: "Facts", now_ms: int
) -> "Work | None":
    """Give this session's work after a compaction, else the open work that the last one here left."""
    if POST_COMPACTION in facts.moments:
        own = work.read_work(connection, session)
        return None if own.is_empty else own
    left = work.read_work(connection, work.last_session(connection, worktree, session, now_ms))
    return left if left.is_open else None


def _forget_what_passed(connection: "Connection", session: str, facts: "Facts") -> None:
    failing = work.failing(connection, session)
    if not failing:
        return
    from vectr_hooks.core.shell import simple_commands

    passed = [line for line in failing if clears(facts.commands, simple_commands(line))]
    work.forget_failures(connection, session, passed)
