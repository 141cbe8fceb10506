"""Whether a clause holds for the facts of an event."""

from vectr_hooks.core.model import PROMPT_SUBMIT
from vectr_hooks.core.needles import COMMAND, FILE_SYMBOL, KEYWORD, OUTPUT, SYMBOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from vectr_hooks.core.model import Clause, Condition, Facts

    Check = Callable[[tuple[str, ...], Facts, tuple[str, ...]], str | None]

EVENT = "event"
SUBAGENT = "subagent"
SEMANTIC = "semantic"
# A similarity is compared and recorded as so many parts of 1: the same number in a replay.
SCALE = 10_000

# Conditions that say nothing about when.
CIRCUMSTANCES = frozenset(("branch", SUBAGENT))

# Which condition tells a reader most about why a note arrived, first.
TELLING = ("path", "symbol", "output", "command", "keyword", SEMANTIC, "tool", EVENT, SUBAGENT, "branch")


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
    seen = seen_by(clause, facts)
    reasons: "dict[str, str]" = {}
    for name, values in clause.conditions:
        if name == SEMANTIC:
            continue
        value = moments[0] if name == EVENT else check_of(name, named)(values, seen, moments)
        if value is None:
            return Verdict(name + _excuse(name, values, facts))
        reasons[name] = value if name == EVENT else name + " " + value
    if clause.unless and all(_veto(condition, facts) for condition in clause.unless):
        return Verdict("unless")
    # Last, since it is looked for only where all else holds.
    if SEMANTIC in named:
        value = near_enough(named[SEMANTIC], facts, clause.note)
        if value is None:
            return Verdict(SEMANTIC + not_compared(facts, clause.note))
        reasons[SEMANTIC] = SEMANTIC + " " + value
    return Verdict("", next((reasons[name] for name in TELLING if name in reasons), ""))


def is_about_one_thing(names: "Collection[str]") -> bool:
    """Tell whether, of the conditions named, a single one is more than a circumstance."""
    return len([name for name in names if name not in CIRCUMSTANCES]) == 1


def seen_by(clause: "Clause", facts: "Facts") -> "Facts":
    """Give the facts as the conditions of `clause` see them; what vetoes sees them all.

    What is only about a text holds where that text is. Joined with something else it may be in the prompt of
    the turn: a path that is edited after a word was said.
    """
    if facts.fresh == facts.needles or not is_about_one_thing([name for name, _ in clause.conditions]):
        return facts
    return facts.having(needles=facts.fresh)


def implied_moments(named: "dict[str, tuple[str, ...]]") -> "tuple[str, ...] | None":
    """Give the moments of a clause without `event`: the prompt for a clause about the prompt, else any."""
    if SEMANTIC in named or ("keyword" in named and is_about_one_thing(named)):
        return (PROMPT_SUBMIT,)
    return None


def near_enough(values: "tuple[str, ...]", facts: "Facts", note: int) -> "str | None":
    """Give the one of `values` that `note` is as near to the prompt as; None where it is farther off."""
    near = facts.similar.get(note)
    return next((value for value in values if near is not None and near >= ten_thousandths(value)), None)


def ten_thousandths(value: str) -> int:
    """Read a similarity as a trigger holds it: a text like `0.55`; of a damaged store, one never reached."""
    try:
        return round(float(value) * SCALE)
    except (ValueError, OverflowError):
        return 1 << 30


def not_compared(facts: "Facts", note: int) -> str:
    """Say why `note` was not compared with the prompt; '' where it was."""
    return "" if note in facts.similar else " (" + (facts.not_compared or "not compared") + ")"


def _veto(condition: "Condition", facts: "Facts") -> bool:
    name, values = condition
    if name == EVENT:
        return any(moment in values for moment in facts.moments)
    return CHECKS[name](values, facts, facts.moments) is not None


def check_of(name: str, named: "Collection[str]") -> "Check":
    """Give the check of a condition beside those `named` in its clause."""
    # The text of a file counts only for a clause that says which file.
    return _symbol_or_in_file if name == "symbol" and "path" in named else CHECKS[name]


def _excuse(name: str, values: "tuple[str, ...]", facts: "Facts") -> str:
    late = name == "output" and any(OUTPUT + value in facts.slow for value in values)
    return " (too slow)" if late else ""


def _path(values: "tuple[str, ...]", facts: "Facts", moments: "tuple[str, ...]") -> "str | None":
    from vectr_hooks.core.globs import match_path

    paths = [path for moment, path in facts.targets if moment in moments]
    return next((value for value in values if any(match_path(value, path) for path in paths)), None)


def _needle(*sorts: str) -> "Check":
    def check(values: "tuple[str, ...]", facts: "Facts", moments: "tuple[str, ...]") -> "str | None":
        return next((value for value in values for sort in sorts if sort + value in facts.needles), None)

    return check


def _command(values: "tuple[str, ...]", facts: "Facts", moments: "tuple[str, ...]") -> "str | None":
    if not facts.commands:
        return None
    from vectr_hooks.core.shell import starts_with

    for value in values:
        words = tuple(value.split(" "))
        if COMMAND + value in facts.needles or any(starts_with(command, words) for command in facts.commands):
            return value
    return None


def _glob(text: "Callable[[Facts], str]") -> "Check":
    def check(values: "tuple[str, ...]", facts: "Facts", moments: "tuple[str, ...]") -> "str | None":
        from vectr_hooks.core.globs import match_glob

        found = text(facts)
        return next((value for value in values if match_glob(value, found)), None) if found else None

    return check


#: per condition: the value that holds, or None
CHECKS: "dict[str, Check]" = {
    "path": _path,
    "keyword": _needle(KEYWORD),
    "symbol": _needle(SYMBOL),
    "output": _needle(OUTPUT),
    "command": _command,
    "tool": _glob(lambda facts: facts.tool),
    SUBAGENT: _glob(lambda facts: facts.subagent),
    "branch": _glob(lambda facts: facts.branch),
}
_symbol_or_in_file = _needle(SYMBOL, FILE_SYMBOL)
