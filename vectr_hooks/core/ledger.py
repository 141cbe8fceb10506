"""What earlier deliveries leave to a note that matched."""

from vectr_hooks.core.model import FULL, INDEX_BY_BUDGET, POST_COMPACTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from vectr_hooks.core.model import Candidate


class Delivery:
    """One row of the ledger: a clause of a note, delivered in the current epoch."""

    __slots__ = ("clause", "form", "turn", "turn_number")

    def __init__(self, clause: int, form: str, turn: str, turn_number: int) -> None:
        self.clause = clause
        self.form = form
        self.turn = turn
        self.turn_number = turn_number


class Ledger:
    """What one event's decisions read of the past."""

    __slots__ = ("counted", "deliveries", "turn", "turn_number")

    def __init__(
        self,
        turn: str,
        turn_number: int,
        deliveries: "dict[int, list[Delivery]]",
        counted: "dict[int, int]",
    ) -> None:
        self.turn = turn
        self.turn_number = turn_number
        #: per note, in the current epoch
        self.deliveries = deliveries
        #: per note with `max_deliveries`: how many of this session count
        self.counted = counted


class Ruling:
    """What the ledger leaves: a reason to suppress, or the forms still open."""

    __slots__ = ("full", "line", "reason")

    def __init__(self, reason: str = "", full: bool = True, line: bool = True) -> None:
        self.reason = reason
        #: the full text may be printed; an index line may be printed
        self.full = full
        self.line = line


def weigh(
    candidate: "Candidate", clauses: "Sequence[int]", ledger: Ledger, moments: "Sequence[str]"
) -> Ruling:
    """Rule on `candidate`, of which `clauses` matched (none: a boundary brings it)."""
    before = ledger.deliveries.get(candidate.note, [])
    limit = candidate.max_deliveries
    if (
        limit is not None
        and POST_COMPACTION not in moments
        and ledger.counted.get(candidate.note, 0) >= limit
    ):
        return Ruling("ledger: max_deliveries " + str(limit) + " reached")
    if any(row.turn == ledger.turn for row in before):
        return Ruling("turn: already delivered in this turn")
    used = {row.clause: row for row in before if row.form != INDEX_BY_BUDGET}
    line = not any(row.form == INDEX_BY_BUDGET for row in before)
    if not clauses:
        return Ruling("ledger: already delivered in this epoch") if used else Ruling(line=line)
    again = [clause for clause in clauses if clause in used and _cooled(candidate, used[clause], ledger)]
    fresh = [clause for clause in clauses if clause not in used]
    if not again and not fresh:
        waiting = " (cooldown " + str(candidate.cooldown) + ")" if candidate.cooldown is not None else ""
        return Ruling("ledger: already delivered in this epoch" + waiting)
    was_whole = any(row.form == FULL for row in before)
    return Ruling(full=bool(again) or not was_whole, line=line)


def _cooled(candidate: "Candidate", row: Delivery, ledger: Ledger) -> bool:
    return candidate.cooldown is not None and ledger.turn_number - row.turn_number >= candidate.cooldown
