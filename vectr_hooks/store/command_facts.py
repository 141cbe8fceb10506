"""What is recorded of a command line that is not kept whole: enough to make every decision on it again."""

from vectr_hooks.core.conditions import CHECKS
from vectr_hooks.store import audit, candidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from sqlite3 import Connection

    from vectr_hooks.core.model import Decision, Facts


def held_commands(facts: "Facts", decisions: "Iterable[Decision]") -> "list[str]":
    """List the commands that the triggers of the candidates ask for and the line of `facts` runs."""
    return those_run(
        facts,
        (
            value
            for decision in decisions
            for clause in decision.candidate.clauses
            for name, values in (*clause.conditions, *clause.unless)
            if name == "command"
            for value in values
        ),
    )


def those_run(facts: "Facts", commands: "Iterable[str]") -> "list[str]":
    """List those of `commands`, as triggers ask for them, that the line of `facts` runs."""
    runs = CHECKS["command"]
    return sorted(value for value in set(commands) if runs((value,), facts, ()) is not None)


def programs(connection: "Connection", facts: "Facts") -> "list[str]":
    """List the programs that the line runs: the first, which says that there is one, and those that are keys
    of triggers.
    """
    return programs_among(facts, lambda name: candidates.any_trigger(connection, ["$" + name]))


def programs_among(facts: "Facts", is_key: "Callable[[str], bool]") -> "list[str]":
    """List the programs that the line runs: the first, and those of which `is_key` says that triggers ask."""
    names = list(dict.fromkeys(words[0] for words in facts.commands if words))
    return [audit.harmless(name) for number, name in enumerate(names) if not number or is_key(name)]
