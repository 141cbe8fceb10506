"""What an occurrence is in terms that triggers can see."""

import os

from vectr_hooks.core.model import Facts
from vectr_hooks.core.needles import OUTPUT
from vectr_hooks.core.occurrence import TOOL_AFTER, TOOL_FAILED
from vectr_hooks.store import candidates, workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection

    from vectr_hooks.core.model import Candidate
    from vectr_hooks.core.occurrence import Occurrence
    from vectr_hooks.store.workspace import Workspace


WITH_RESULT = (TOOL_AFTER, TOOL_FAILED)


class Sight:
    """What can be seen of an occurrence before the store is locked."""

    __slots__ = ("branch", "commands", "needles", "recalled", "slow", "target")

    def __init__(
        self,
        commands: "tuple[tuple[str, ...], ...]",
        target: str,
        needles: "set[str]",
        slow: "set[str]",
        recalled: "list[int]",
        branch: str,
    ) -> None:
        self.commands = commands
        #: the file or folder a tool targets, relative to the workspace root; a folder ends in `/`
        self.target = target
        #: the needles that the event's texts hold; the texts themselves go no further
        self.needles = needles
        #: needles that there was no time to look for
        self.slow = slow
        #: notes without a trigger that have much in common with the prompt, most first
        self.recalled = recalled
        self.branch = branch


def observe(connection: "Connection", event: "Occurrence", place: "Workspace") -> Sight:
    """Look at `event` and at the workspace: all that takes time and needs no conversation."""
    commands: "tuple[tuple[str, ...], ...]" = ()
    if event.command:
        from vectr_hooks.core.shell import simple_commands

        commands = simple_commands(event.command)
    needles, slow = _needles(connection, event)
    recalled = _recalled(connection, event.prompt) if event.prompt and not event.agent else []
    return Sight(commands, _target(event, place), needles, slow, recalled, workspace.branch(place))


def gather(
    sight: Sight,
    event: "Occurrence",
    moments: "tuple[str, ...]",
    turn_needles: "frozenset[str]",
    today: str,
    worktree: str,
) -> Facts:
    """Join what was seen with the conversation's moments and the needles of its turn's prompt."""
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
        event.session,
        worktree,
        frozenset(sight.needles),
        frozenset(sight.slow),
        tuple(sight.recalled),
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


def _target(event: "Occurrence", place: "Workspace") -> str:
    if not event.path:
        return ""
    relative = workspace.relative_path(place.root, event.path, event.folder or place.root)
    if relative and os.path.isdir(os.path.join(place.root, relative)):
        relative += "/"
    return relative


def _recalled(connection: "Connection", prompt: str) -> "list[int]":
    """Find the notes without a trigger that `prompt` may bring up."""
    if not candidates.has_recall_terms(connection):
        return []
    from vectr_hooks.core.keywords import window
    from vectr_hooks.core.likeness import prompt_terms, recalled, telling_terms

    frequencies = candidates.recall_frequencies(connection, prompt_terms(window(prompt)))
    if not frequencies:
        return []
    return recalled(candidates.recall_hits(connection, telling_terms(frequencies)))


def _needles(connection: "Connection", event: "Occurrence") -> "tuple[set[str], set[str]]":
    """Find what triggers look for in the texts of `event`, and what there was no time for."""
    if not (event.prompt or event.input_text or event.what in WITH_RESULT):
        return set(), set()
    if not candidates.has_needles(connection):
        return set(), set()
    from vectr_hooks import search_texts
    from vectr_hooks.core.keywords import window

    found: "set[str]" = set()
    slow: "set[str]" = set()
    if event.prompt:
        found |= search_texts.keywords(connection, window(event.prompt))
    if event.prompt or event.input_text:
        found |= search_texts.symbols(connection, window(event.prompt or event.input_text))
    if event.what in WITH_RESULT and candidates.has_needles(connection, OUTPUT):
        result = event.result() if event.result else ""
        texts, slow = search_texts.outputs(connection, "\n".join(filter(None, (event.error, result))))
        found |= texts
    return found, slow
