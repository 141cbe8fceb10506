"""Whether a clause holds for the facts of an event."""

from vectr_hooks.core.model import PROMPT_SUBMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from vectr_hooks.core.model import Clause, Condition, Facts

EVENT = "event"
SUBAGENT = "subagent"

# Conditions that say nothing about when: a clause of only these and `keyword` is about the prompt.
AMBIENT = frozenset(("keyword", "branch", SUBAGENT))

# Which condition tells a reader most about why a note arrived, first.
TELLING = ("path", "command", "keyword", "tool", EVENT, SUBAGENT, "branch")


class Verdict:
    """Whether a clause holds: the first condition that does not, or the value that best says why it does."""

    __slots__ = ("failed", "why")

    def __init__(self, failed: str, why: str = "") -> None:
        #: name of the first condition that does not hold; '' when all do
        self.failed = failed
        #: the decisive condition and its value, as the note's header shows it
        self.why = why

    def __bool__(self) -> bool:
        return not self.failed


def judge(clause: "Clause", facts: "Facts") -> Verdict:
    """Say whether all conditions of `clause` hold and its `unless` does not."""
    named = dict(clause.conditions)
    if SUBAGENT not in named and facts.subagent:
        return Verdict(SUBAGENT)
    allowed = named.get(EVENT) or implied_moments(named)
    moments = facts.moments if allowed is None else tuple(m for m in facts.moments if m in allowed)
    if not moments:
        return Verdict(EVENT)
    reasons: "dict[str, str]" = {}
    for name, values in clause.conditions:
        value = moments[0] if name == EVENT else CHECKS[name](values, facts, moments)
        if value is None:
            return Verdict(name)
        reasons[name] = value if name == EVENT else name + " " + value
    if clause.unless and all(_veto(condition, facts) for condition in clause.unless):
        return Verdict("unless")
    return Verdict("", next((reasons[name] for name in TELLING if name in reasons), ""))


def implied_moments(named: "dict[str, tuple[str, ...]]") -> "tuple[str, ...] | None":
    """Give the moments of a clause without `event`: the prompt for a clause about the prompt, else any."""
    if "keyword" in named and AMBIENT.issuperset(named):
        return (PROMPT_SUBMIT,)
    return None


def _veto(condition: "Condition", facts: "Facts") -> bool:
    name, values = condition
    if name == EVENT:
        return any(moment in values for moment in facts.moments)
    return CHECKS[name](values, facts, facts.moments) is not None


def _path(values: "tuple[str, ...]", facts: "Facts", moments: "tuple[str, ...]") -> "str | None":
    from vectr_hooks.core.globs import match_path

    paths = [path for moment, path in facts.targets if moment in moments]
    return next((value for value in values if any(match_path(value, path) for path in paths)), None)


def _keyword(values: "tuple[str, ...]", facts: "Facts", moments: "tuple[str, ...]") -> "str | None":
    return next((value for value in values if value in facts.needles), None)


def _command(values: "tuple[str, ...]", facts: "Facts", moments: "tuple[str, ...]") -> "str | None":
    if not facts.commands:
        return None
    from vectr_hooks.core.shell import starts_with

    for value in values:
        words = tuple(value.split(" "))
        if any(starts_with(command, words) for command in facts.commands):
            return value
    return None


def _glob(
    text: "Callable[[Facts], str]",
) -> "Callable[[tuple[str, ...], Facts, tuple[str, ...]], str | None]":
    def check(values: "tuple[str, ...]", facts: "Facts", moments: "tuple[str, ...]") -> "str | None":
        from vectr_hooks.core.globs import match_glob

        found = text(facts)
        return next((value for value in values if match_glob(value, found)), None) if found else None

    return check


#: per condition: the value that holds, or None
CHECKS: "dict[str, Callable[[tuple[str, ...], Facts, tuple[str, ...]], str | None]]" = {
    "path": _path,
    "keyword": _keyword,
    "command": _command,
    "tool": _glob(lambda facts: facts.tool),
    SUBAGENT: _glob(lambda facts: facts.subagent),
    "branch": _glob(lambda facts: facts.branch),
}
