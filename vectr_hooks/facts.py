"""What an occurrence is in terms that triggers can see."""

import os

from vectr_hooks.core.model import Facts
from vectr_hooks.core.occurrence import PROMPT
from vectr_hooks.store import candidates, workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from vectr_hooks.core.occurrence import Occurrence
    from vectr_hooks.store.workspace import Workspace


class Sight:
    """What can be seen of an occurrence before the store is locked."""

    __slots__ = ("branch", "commands", "needles", "target")

    def __init__(
        self, commands: "tuple[tuple[str, ...], ...]", target: str, needles: "frozenset[str]", branch: str
    ) -> None:
        self.commands = commands
        #: the file or folder a tool targets, relative to the workspace root; a folder ends in `/`
        self.target = target
        #: the keywords that the prompt holds; the prompt itself goes no further
        self.needles = needles
        self.branch = branch


def observe(connection: "Connection", event: "Occurrence", place: "Workspace") -> Sight:
    """Look at `event` and at the workspace: all that takes time and needs no conversation."""
    commands: "tuple[tuple[str, ...], ...]" = ()
    if event.command:
        from vectr_hooks.core.shell import simple_commands

        commands = simple_commands(event.command)
    return Sight(commands, _target(event, place), _needles(connection, event), workspace.branch(place))


def gather(
    sight: Sight, event: "Occurrence", moments: "tuple[str, ...]", turn_needles: "frozenset[str]", today: str
) -> Facts:
    """Join what was seen with the conversation's moments and the keywords of its turn."""
    if "pre-run" in moments and any(words[:2] == ("git", "commit") for words in sight.commands):
        moments = (*moments, "pre-commit")
    return Facts(
        moments,
        tuple((moment, sight.target) for moment in moments) if sight.target else (),
        sight.commands,
        event.tool,
        turn_needles.union(sight.needles),
        event.subagent,
        sight.branch,
        today,
    )


def _target(event: "Occurrence", place: "Workspace") -> str:
    if not event.path:
        return ""
    relative = workspace.relative_path(place.root, event.path, event.folder or place.root)
    if relative and os.path.isdir(os.path.join(place.root, relative)):
        relative += "/"
    return relative


def _needles(connection: "Connection", event: "Occurrence") -> "frozenset[str]":
    if event.what != PROMPT or not event.prompt:
        return frozenset()
    from vectr_hooks.core.keywords import fold, occurs, tokens, window

    text = fold(window(event.prompt))
    return frozenset(
        needle for needle in candidates.needles(connection, tokens(text)) if occurs(needle, text)
    )
