"""The short account of unfinished work that survives a boundary."""

from vectr_hooks.core.budget import tokens
from vectr_hooks.core.sanitise import line_for_model
from vectr_hooks.core.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HEADER = "[handoff · captured automatically, verify]"

# Commands that say nothing about where the work stands, whether they pass or fail.
TELLS_NOTHING = frozenset(
    (  # noqa: SIM905
        "awk cat cd chmod cp cut date diff du echo env export file find grep head jq less ln ls mkdir mv"
        " printf pwd rg rm sed sleep sort stat tail tee test touch tree true type uniq vectr-hooks wc which"
        " xargs"
    ).split()
).union(("git add", "git branch", "git diff", "git log", "git show", "git status"))


class Work:
    """What a session did last."""

    __slots__ = ("edited", "edited_after_pass", "failed", "passed", "tasks")

    def __init__(
        self,
        edited: "Sequence[str]" = (),
        failed: str = "",
        passed: str = "",
        edited_after_pass: bool = False,
        tasks: "Sequence[int]" = (),
    ) -> None:
        #: paths, newest first
        self.edited = edited
        #: the last command that failed and has not passed since
        self.failed = failed
        self.passed = passed
        self.edited_after_pass = edited_after_pass
        #: ids of the task notes
        self.tasks = tasks

    def fields(self) -> "dict[str, object]":
        """What a handoff tells, by name: as `Work` takes it."""
        return {
            "edited": self.edited,
            "failed": self.failed,
            "passed": self.passed,
            "tasks": self.tasks,
        }

    @property
    def is_empty(self) -> bool:
        return not (self.edited or self.failed or self.passed)

    @property
    def is_open(self) -> bool:
        return bool(self.failed) or self.edited_after_pass


def is_telling(commands: "Sequence[Sequence[str]]") -> bool:
    """Tell whether a Bash line's outcome belongs in a handoff: its simple commands are not all mere looks."""
    return any(TELLS_NOTHING.isdisjoint((words[0], " ".join(words[:2]))) for words in commands if words)


def clears(passed: "Sequence[Sequence[str]]", failed: "Sequence[Sequence[str]]") -> bool:
    """Tell whether a line that passed ran all the simple commands of one that had failed."""
    return bool(failed) and all(command in passed for command in failed)


def compose(work: Work, most_tokens: int, request: str = "") -> str:
    """Write the handoff within `most_tokens`, naming as many of the edited files as fit; '' for no work at
    all.
    """
    if work.is_empty and not request:
        return ""
    for shown in range(len(work.edited), -1, -1):
        text = "\n".join([HEADER, *_lines(work, shown, request)])
        if tokens(text + "\n") <= most_tokens:
            return text
    return ""


def _told(text: str) -> str:
    # A secret is taken out when it is noted, but a store may have been written by other means.
    return redact(line_for_model(text)).replace("[#", "[\\#")


def _lines(work: Work, shown: int, request: str) -> "list[str]":
    lines = []
    if request:
        lines.append("last request: " + _told(request))
    if work.edited:
        rest = len(work.edited) - shown
        names = ", ".join(_told(path) for path in work.edited[:shown])
        lines.append(
            "edited: "
            + (names + ", " if names and rest else names)
            + (str(rest) + " more files" if rest else "")
        )
    if work.failed:
        lines.append("last failing command: " + _told(work.failed))
    if work.passed:
        lines.append("last passing command: " + _told(work.passed))
    if work.tasks:
        lines.append("open tasks: " + " ".join("#" + str(note) for note in work.tasks))
    return lines
