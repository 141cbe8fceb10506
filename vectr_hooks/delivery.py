"""What one event delivers, decided from its facts and from the store as the event finds it.

A hook decides so on what it sees, and a replay on what was recorded: everything here depends on the facts,
the conversation, the settings and what the store holds of earlier events, and on nothing else.
"""

from vectr_hooks.core.keys import event_keys
from vectr_hooks.core.model import BOUNDARIES, POST_COMPACTION, Facts
from vectr_hooks.core.occurrence import TOOL_AFTER
from vectr_hooks.store import candidates, ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from sqlite3 import Connection
    from types import ModuleType

    from vectr_hooks.core.budget import Limits
    from vectr_hooks.core.conversation import Conversation
    from vectr_hooks.core.handoff import Work
    from vectr_hooks.core.model import Candidate, Decision
    from vectr_hooks.core.occurrence import Occurrence

    Marks = Mapping[int, Sequence[str]]

ANNOUNCED_IDS = 10


class Delivered:
    """What the model is given at one event, and how that was decided."""

    __slots__ = (
        "announced",
        "cost",
        "decisions",
        "facts",
        "marks",
        "more",
        "nudge",
        "text",
        "withheld",
        "work",
    )

    def __init__(self, facts: Facts, more: int = 0) -> None:
        #: what the decisions depended on
        self.facts = facts
        self.text = ""
        #: tokens
        self.cost = 0
        self.decisions: "Sequence[Decision]" = ()
        #: candidates beyond the cap
        self.more = more
        #: by note, what the headers of full texts were to add
        self.marks: "Marks" = {}
        #: the unfinished work that was to be told; None: none
        self.work: "Work | None" = None
        #: the notes that a summariser need not paraphrase
        self.announced: "Sequence[int]" = ()
        #: whether a nudge was due
        self.nudge = False
        #: by note of the team, why it was not to be delivered
        self.withheld: "Mapping[int, str]" = {}


class Occasion:
    """One event at which notes may be delivered, in which conversation, under which settings.

    Subclasses say what the store does not hold. Of the store only what earlier events left is read.
    """

    def __init__(
        self,
        connection: "Connection",
        event_id: int,
        event: "Occurrence",
        conversation: "Conversation",
        settings: "Mapping[str, int]",
    ) -> None:
        self.connection = connection
        self.event_id = event_id
        self.event = event
        self.conversation = conversation
        self.settings = settings

    def look_into_files(self, facts: Facts, found: "Sequence[Candidate]") -> Facts:
        """Add the symbols that the candidates `found` ask for and the event's files hold."""
        raise NotImplementedError

    def marks(self, notes: "Sequence[int]") -> "Marks":
        """Say of each of `notes` that is no longer as its files are what its header is to add."""
        raise NotImplementedError

    def withheld(self, notes: "Sequence[int]") -> "Mapping[int, str]":
        """Say of each of `notes`, the team's, whose file is no longer as it was trusted how that is."""
        raise NotImplementedError

    def work(self, facts: Facts) -> "Work | None":
        """Give the unfinished work that this boundary is to tell; None where there is none."""
        raise NotImplementedError

    def is_nudge_due(self, facts: Facts) -> bool:
        """Count this event where it retrieved something; tell whether so much was that a nudge is due."""
        raise NotImplementedError

    def deliver(self, facts: Facts) -> Delivered:
        """Decide on every candidate, and charge the conversation for what is delivered."""
        delivered = self._deliver(facts)
        # A subagent is there to read, and what it found comes back with its report.
        if self.settings["nudge"] and self.event.what == TOOL_AFTER and not self.conversation.agent:
            delivered.nudge = self.is_nudge_due(delivered.facts)
            if delivered.nudge:
                self._add_nudge(delivered)
        return delivered

    def _deliver(self, facts: Facts) -> Delivered:
        if not facts.moments:
            return Delivered(facts)
        found, more = self.find(facts)
        at_boundary = _at_boundary(facts)
        if not found and not at_boundary:
            return Delivered(facts, more)
        delivered = Delivered(self.look_into_files(facts, found), more)
        # Imported here: at most events there is nothing to decide.
        from vectr_hooks.core.budget import tokens

        limits = self._limits(at_boundary)
        lines, spent, told = self._settle(delivered, found, limits)
        if at_boundary:
            handoff = self._handoff(delivered, limits.tokens - spent, lines)
            if handoff:
                lines = [*lines, handoff]
                spent += tokens(handoff + "\n")
        self._charge(at_boundary, spent, told)
        delivered.text, delivered.cost = "\n".join(lines), spent
        return delivered

    def announce(self) -> Delivered:
        """Tell the summariser what need not be paraphrased, in ids and counts: the model sees it too."""
        delivered = Delivered(Facts())
        if self.conversation.agent:
            return delivered
        notes = self.brought_back()
        team = candidates.of_team(self.connection, notes)
        if team:
            delivered.withheld = self.withheld(team)
            notes = [note for note in notes if note not in delivered.withheld]
        delivered.announced = notes
        if notes:
            ids = " ".join("#" + str(note) for note in notes[:ANNOUNCED_IDS])
            rest = " and " + str(len(notes) - ANNOUNCED_IDS) + " more" if len(notes) > ANNOUNCED_IDS else ""
            delivered.text = (
                "Notes kept outside this conversation by vectr-hooks ("
                + ids
                + rest
                + ") are delivered again, verbatim,"
                " right after the compaction; the summary need not paraphrase them."
            )
        return delivered

    def output(self, host: "ModuleType", delivered: Delivered) -> bytes:
        """Give what `host` is to be answered; nothing where there is nothing to say."""
        if not delivered.text:
            return b""
        message = ""
        if self.settings["feedback"]:
            from vectr_hooks.core import feedback

            notes = [d.candidate.note for d in delivered.decisions if d.status == "delivered"]
            message = feedback.message(notes, delivered.cost)
        output: bytes = host.answer(self.connection, self.event, delivered.text, message)
        return output

    def find(self, facts: Facts) -> "tuple[list[Candidate], int]":
        """Find the candidates, in order of precedence, and how many more there are."""
        most = self.settings["candidates.max"]
        notes, more = candidates.by_trigger(self.connection, event_keys(facts), most)
        beyond: "dict[int, tuple[str, tuple[int, ...]]]" = dict.fromkeys(facts.recalled, ("recall", ()))
        if _at_boundary(facts) and not self.conversation.agent:
            boundary = candidates.by_boundary(
                self.connection,
                self.conversation.session,
                self.conversation.epoch,
                self.event_id,
                facts.moments,
                self.settings["working_set.epochs"],
            )
            beyond.update(boundary)
        notes = sorted({*notes, *beyond})
        if not notes:
            return [], more
        found = candidates.read(self.connection, notes, beyond)
        found.sort(key=lambda candidate: candidate.precedence)
        return found[:most], more + max(0, len(found) - most)

    def brought_back(self) -> "Sequence[int]":
        """List the notes that a compaction now would bring back by what the session did."""
        return ledger.working_set_notes(self.connection, self.conversation.session, self.event_id)

    def decide(self, found: "Sequence[Candidate]", facts: Facts) -> "Sequence[Decision]":
        """Give every candidate its outcome, up to the budget."""
        from vectr_hooks.core import pipeline

        past = ledger.read_ledger(self.connection, self.conversation, self.event_id, found)
        return pipeline.decide(found, facts, past, self.settings)

    def texts(self, waiting: "Sequence[Decision]") -> "Mapping[int, tuple[str, str]]":
        """Read the full text and the index line of each note in `waiting`."""
        return candidates.texts(self.connection, [decision.candidate.revision for decision in waiting])

    def _settle(
        self, delivered: Delivered, found: "Sequence[Candidate]", limits: "Limits"
    ) -> "tuple[Sequence[str], int, bool]":
        """Decide on `found`; return the lines to print, their tokens, and whether one of them tells what was
        held back."""
        if not found:
            return (), 0, False
        from vectr_hooks.core import pipeline

        decisions = self.decide(found, delivered.facts)
        delivered.decisions = decisions
        waiting = pipeline.matched(decisions)
        team = [d.candidate.note for d in waiting if d.candidate.is_team]
        if team:
            delivered.withheld = self.withheld(team)
            delivered.decisions = decisions = pipeline.withhold(decisions, delivered.withheld)
            waiting = pipeline.matched(decisions)
        if not waiting:
            return (), 0, False
        texts = self.texts(waiting)
        if delivered.facts.recalled:
            decisions = pipeline.limit_recall(decisions, delivered.facts, texts, self.settings)
            waiting = pipeline.matched(decisions)
        delivered.marks = self.marks([d.candidate.note for d in waiting if d.form == "full"])
        delivered.decisions, packed = pipeline.deliver(decisions, texts, delivered.marks, limits)
        return packed.lines, packed.spent, packed.told

    def _limits(self, at_boundary: bool) -> "Limits":
        from vectr_hooks.core.budget import Limits

        conversation, settings = self.conversation, self.settings
        left = settings["budget.epoch"] - conversation.epoch_spent
        if at_boundary:
            left = max(0, min(left, settings["budget.boundary"] - conversation.boundary_spent))
            whole = max(0, left - settings["budget.boundary_index"])
        else:
            whole = left = max(0, min(left, settings["budget.turn"] - conversation.turn_spent))
        return Limits(left, whole, settings["budget.bytes"], not conversation.told_held_back)

    def _handoff(self, delivered: Delivered, left: int, lines: "Sequence[str]") -> str:
        begins = self.event.source == "startup" or POST_COMPACTION in delivered.facts.moments
        delivered.work = self.work(delivered.facts) if begins and not self.conversation.agent else None
        if delivered.work is None:
            return ""
        from vectr_hooks.core.budget import size
        from vectr_hooks.core.handoff import compose

        text = compose(delivered.work, min(left, self.settings["budget.handoff"]))
        return text if size("\n".join([*lines, text])) <= self.settings["budget.bytes"] else ""

    def _add_nudge(self, delivered: Delivered) -> None:
        """Add the nudge where the turn has room left; it is not charged, so that it never costs a note."""
        from vectr_hooks.core import nudge
        from vectr_hooks.core.budget import size, tokens

        text = "\n".join(filter(None, (delivered.text, nudge.TEXT)))
        cost = tokens(nudge.TEXT + "\n")
        if cost <= self._limits(False).tokens and size(text) <= self.settings["budget.bytes"]:
            delivered.text = text
            delivered.cost += cost
            self.conversation.nudged = 1

    def _charge(self, at_boundary: bool, spent: int, told: bool) -> None:
        conversation = self.conversation
        if at_boundary:
            conversation.boundary_spent += spent
        else:
            conversation.turn_spent += spent
        conversation.epoch_spent += spent
        conversation.told_held_back = int(conversation.told_held_back or told)


def _at_boundary(facts: Facts) -> bool:
    return any(moment in BOUNDARIES for moment in facts.moments)
