"""The records and closed vocabularies that the stages pass to each other.

The hook process imports this, so the records are plain classes with `__slots__`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Moment = Literal[
        "session-start",
        "post-compaction",
        "prompt-submit",
        "pre-read",
        "pre-edit",
        "pre-run",
        "pre-commit",
        "post-read",
        "post-edit",
        "post-run",
        "post-failure",
        "subagent-start",
    ]
    Status = Literal[
        "matched", "delivered", "suppressed", "held back", "unmatched", "out of scope", "expired"
    ]
    Form = Literal["full", "index", "index:budget"]
    Origin = Literal["trigger", "pinned", "written", "working set", "older working set", "recall"]
    Condition = tuple[str, tuple[str, ...]]

SESSION_START = "session-start"
POST_COMPACTION = "post-compaction"
PROMPT_SUBMIT = "prompt-submit"
SUBAGENT_START = "subagent-start"
BOUNDARIES = (SESSION_START, POST_COMPACTION)
MOMENTS = (
    SESSION_START,
    POST_COMPACTION,
    PROMPT_SUBMIT,
    "pre-read",
    "pre-edit",
    "pre-run",
    "pre-commit",
    "post-read",
    "post-edit",
    "post-run",
    "post-failure",
    SUBAGENT_START,
)

FULL = "full"
INDEX = "index"
INDEX_BY_BUDGET = "index:budget"

# How `Candidate.precedence` is packed, from the top: superseded, unpinned, rank of the kind, priority, age of
# the revision.
SUPERSEDED = 1 << 54
UNPINNED = 1 << 53
KIND_SHIFT = 50
REVISION_BITS = 48
TASK_RANK = 1

# The pseudo clause under which a boundary delivery is ledgered when no clause had matched.
NO_CLAUSE = -1


class Facts:
    """What one event is, as far as triggers can see: everything a decision may depend on."""

    __slots__ = (
        "branch",
        "commands",
        "fresh",
        "moments",
        "needles",
        "not_compared",
        "recalled",
        "session",
        "similar",
        "slow",
        "subagent",
        "targets",
        "today",
        "tool",
        "worktree",
    )

    def __init__(
        self,
        moments: "tuple[str, ...]" = (),
        targets: "tuple[tuple[str, str], ...]" = (),
        commands: "tuple[tuple[str, ...], ...]" = (),
        tool: str = "",
        needles: "frozenset[str]" = frozenset(),
        subagent: str = "",
        branch: str = "",
        today: str = "",
        session: str = "",
        worktree: str = "",
        fresh: "frozenset[str]" = frozenset(),
        slow: "frozenset[str]" = frozenset(),
        recalled: "tuple[int, ...]" = (),
        similar: "Mapping[int, int]" = {},  # noqa: B006  nobody writes to it
        not_compared: str = "",
    ) -> None:
        self.moments = moments
        #: (moment, path relative to the workspace root, `/` between components; a folder ends in `/`)
        self.targets = targets
        #: the simple commands of the Bash line, each as its words
        self.commands = commands
        self.tool = tool
        #: what the texts of the event and of the turn's prompt hold: see `core/needles.py`
        self.needles = needles
        #: those of them that the event's own texts hold
        self.fresh = fresh
        #: needles that there was no time to look for
        self.slow = slow
        #: notes without a trigger that have much in common with the prompt, most first
        self.recalled = recalled
        #: by note, how near it is to the prompt in meaning, in ten-thousandths, where a trigger asked for it
        self.similar = similar
        #: why other notes whose triggers asked for it were not compared with the prompt
        self.not_compared = not_compared
        #: the subagent's type; empty in the main conversation
        self.subagent = subagent
        self.branch = branch
        #: the date in UTC, YYYY-MM-DD
        self.today = today
        self.session = session
        #: root of the worktree it happens in
        self.worktree = worktree

    def having(self, needles: "frozenset[str]") -> "Facts":
        """Give the same facts with other needles."""
        given = {name: getattr(self, name) for name in self.__slots__}
        return Facts(**{**given, "needles": needles})


class Clause:
    """Conditions that must all hold, and those that together veto."""

    __slots__ = ("conditions", "note", "number", "unless")

    def __init__(
        self,
        number: int,
        conditions: "tuple[Condition, ...]",
        unless: "tuple[Condition, ...]" = (),
        note: int = 0,
    ) -> None:
        self.number = number
        self.conditions = conditions
        self.unless = unless
        #: the note it is a clause of; 0 where that is not stored
        self.note = note


class Candidate:
    """A note that may apply to the event, as the store hands it to the pipeline."""

    __slots__ = (
        "at",
        "clauses",
        "cooldown",
        "cost",
        "expires",
        "held_clauses",
        "is_team",
        "kind",
        "max_deliveries",
        "not_before",
        "note",
        "origin",
        "precedence",
        "revision",
        "scope",
        "scope_value",
    )

    def __init__(
        self,
        note: int,
        revision: int,
        precedence: int,
        kind: str,
        cost: int,
        clauses: "tuple[Clause, ...]" = (),
        cooldown: "int | None" = None,
        max_deliveries: "int | None" = None,
        not_before: str = "",
        expires: str = "",
        scope: str = "workspace",
        scope_value: str = "",
        origin: str = "trigger",
        held_clauses: "tuple[int, ...]" = (),
        at: int = 0,
        is_team: int = 0,
    ) -> None:
        self.note = note
        self.revision = revision
        #: the total order as one number, smallest first
        self.precedence = precedence
        self.kind = kind
        #: tokens of the full text without what the hook fills in
        self.cost = cost
        self.clauses = clauses
        #: turns before a clause may deliver again in the same epoch; None: once an epoch
        self.cooldown = cooldown
        #: deliveries per session, boundary re-delivery not counted; None: no limit
        self.max_deliveries = max_deliveries
        self.not_before = not_before
        self.expires = expires
        self.scope = scope
        #: the branch, session or worktree it is limited to
        self.scope_value = scope_value
        #: why it is a candidate: its trigger's keys, or what a boundary adds
        self.origin = origin
        #: for the working set: the clauses that had matched earlier in the session
        self.held_clauses = held_clauses
        #: when the revision was written, in milliseconds since 1970
        self.at = at
        #: 1: it comes from a file of the repository
        self.is_team = is_team


class Decision:
    """The one outcome of a candidate at an event, with its reason."""

    __slots__ = ("candidate", "clauses", "cost", "form", "reason", "status", "why")

    def __init__(
        self,
        candidate: Candidate,
        status: str,
        reason: str = "",
        form: str = "",
        clauses: "tuple[int, ...]" = (),
        why: str = "",
        cost: int = 0,
    ) -> None:
        self.candidate = candidate
        self.status = status
        self.reason = reason
        self.form = form
        self.clauses = clauses
        #: the condition that matched, in words, for the header
        self.why = why
        #: tokens of what was printed for it
        self.cost = cost
