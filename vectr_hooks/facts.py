"""What an occurrence is in terms that triggers can see."""

import os

from vectr_hooks.core.model import PROMPT_SUBMIT, Facts
from vectr_hooks.core.needles import MEANING, OUTPUT, SYMBOL
from vectr_hooks.core.occurrence import TOOL_AFTER, TOOL_FAILED
from vectr_hooks.store import candidates, workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from sqlite3 import Connection

    from vectr_hooks.core.model import Candidate
    from vectr_hooks.core.occurrence import Occurrence
    from vectr_hooks.core.shell_reader import Command
    from vectr_hooks.prompt_similarity import Similarities
    from vectr_hooks.store.workspace import Workspace

NOTHING: "tuple[set[str], set[str]]" = (set(), set())


class Sight:
    """What can be seen of an occurrence before the store is locked."""

    __slots__ = ("branch", "commands", "compared", "files", "needles", "recalled", "slow", "target")

    def __init__(
        self,
        commands: "tuple[tuple[str, ...], ...]",
        files: "tuple[tuple[str, str], ...]",
        target: str,
        needles: "set[str]",
        slow: "set[str]",
        recalled: "list[int]",
        branch: str,
    ) -> None:
        self.commands = commands
        #: (read or edit, path) for what a Bash line or a patch names; paths are like `target`
        self.files = files
        #: the file or folder a tool targets, relative to the workspace root; a folder ends in `/`
        self.target = target
        #: the needles that the event's texts hold; the texts themselves go no further
        self.needles = needles
        #: needles that there was no time to look for
        self.slow = slow
        #: notes without a trigger that have much in common with the prompt, most first
        self.recalled = recalled
        self.branch = branch
        #: how near notes are to the prompt in meaning; None where no trigger asks
        self.compared: "Similarities | None" = None


def observe(
    connection: "Connection", event: "Occurrence", place: "Workspace", settings: "Mapping[str, int]"
) -> Sight:
    """Look at `event` and at the workspace: all that takes time and needs no conversation."""
    commands: "tuple[tuple[str, ...], ...]" = ()
    files: "tuple[tuple[str, str], ...]" = ()
    if event.command:
        from vectr_hooks.core.shell import read_line

        read, end = read_line(event.command)
        commands = tuple(dict.fromkeys(command.words for command in read if command.words))
        files = _files(read, _beginning(event, end), place)
    target = _relative(event.path, event.folder, place) if event.path else ""
    if event.files:
        more = (_relative(path, event.folder, place) for path in event.files)
        files += tuple((event.mode, path) for path in more if path)
    needles, slow = _needles(connection, event)
    recalled = _recalled(connection, event)
    sight = Sight(commands, files, target, needles, slow, recalled, workspace.branch(place))
    if event.prompt and candidates.has_needles(connection, MEANING):
        from vectr_hooks.prompt_similarity import compare

        likely = gather(sight, event, (PROMPT_SUBMIT,), frozenset(), "")
        sight.compared = compare(connection, event.prompt, likely, event.session, settings)
    return sight


def gather(
    sight: Sight,
    event: "Occurrence",
    moments: "tuple[str, ...]",
    turn_needles: "frozenset[str]",
    today: str,
    worktree: str = "",
) -> Facts:
    """Join what was seen with the conversation's moments and the needles of its turn's prompt."""
    if "pre-run" in moments and any(words[:2] == ("git", "commit") for words in sight.commands):
        moments = (*moments, "pre-commit")
    targets = tuple((moment, sight.target) for moment in moments) if sight.target else ()
    if sight.files:
        # A failed command is neither a read nor an edit, but these are its files.
        failed = event.what == TOOL_FAILED
        found = [("post-failure" if failed else event.what + "-" + mode, path) for mode, path in sight.files]
        targets += tuple(dict.fromkeys(found))
        moments = tuple(dict.fromkeys((*moments, *(moment for moment, _ in targets))))
    return Facts(
        moments,
        targets,
        sight.commands,
        event.tool,
        turn_needles.union(sight.needles),
        event.subagent,
        sight.branch,
        today,
        event.session,
        worktree,
        frozenset(sight.needles),
        frozenset(sight.slow),
        tuple(sight.recalled),
        sight.compared.near if sight.compared else {},
        sight.compared.why_not if sight.compared else "",
    )


def look_into_files(facts: Facts, wanted: "Iterable[Candidate]", root: str) -> Facts:
    """Add the symbols that clauses about a path and a symbol ask for, where the target files hold them."""
    asked = {
        symbol
        for candidate in wanted
        for clause in candidate.clauses
        for name, values in clause.conditions
        if name == "symbol" and any(other == "path" for other, _ in clause.conditions)
        for symbol in values
    }
    if not asked or not facts.targets:
        return facts
    from vectr_hooks.search_texts import symbols_in_files

    paths = dict.fromkeys(os.path.join(root, path) for _, path in facts.targets)
    found = symbols_in_files(paths, asked)
    return facts.having(needles=facts.needles.union(found)) if found else facts


def _files(commands: "list[Command]", folder: str, place: "Workspace") -> "tuple[tuple[str, str], ...]":
    from vectr_hooks.core.shell_files import named_files

    named = ((mode, _relative(path, folder, place)) for mode, path in named_files(commands))
    return tuple(dict.fromkeys((mode, path) for mode, path in named if path))


def _beginning(event: "Occurrence", end: "str | None") -> str:
    """Name the folder that a Bash line began in, which `end` led away from.

    Hosts say in which folder a command left the shell, and one that failed or left the project is taken back.
    """
    if event.what != TOOL_AFTER or not event.folder or not end or end.startswith("/"):
        return event.folder
    steps = os.path.normpath(end).split(os.sep)
    up = steps.count("..")
    down = os.sep + os.sep.join(steps[up:]) if steps[up:] and steps[up:] != ["."] else ""
    if down and not event.folder.endswith(down):
        return event.folder
    # The folders it went up from have names that are not known, and not needed either.
    return os.path.join(event.folder[: len(event.folder) - len(down)] or os.sep, *["?"] * up)


def _relative(path: str, folder: str, place: "Workspace") -> str:
    """Give `path` relative to the workspace, with a slash behind a folder; '' when it lies outside."""
    relative = workspace.relative_path(place.root, path, folder or place.root)
    if relative and (path.endswith("/") or os.path.isdir(os.path.join(place.root, relative))):
        relative += "/"
    return relative


def _needles(connection: "Connection", event: "Occurrence") -> "tuple[set[str], set[str]]":
    """Find what triggers look for in the texts of `event`, and what there was no time for."""
    has_result = event.what in (TOOL_AFTER, TOOL_FAILED)
    if not (
        (event.prompt and candidates.has_needles(connection))
        or (event.input_text and candidates.has_needles(connection, SYMBOL))
        or (has_result and candidates.has_needles(connection, OUTPUT))
    ):
        return NOTHING
    from vectr_hooks.search_texts import in_event

    return in_event(connection, event, has_result)


def _recalled(connection: "Connection", event: "Occurrence") -> "list[int]":
    if not event.prompt or event.agent or not candidates.has_recall_terms(connection):
        return []
    from vectr_hooks.search_texts import recalled_notes

    return recalled_notes(connection, event.prompt)
