"""Decides recorded events again, as everything was, and compares with what was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import ModuleType

from vectr_hooks.core.model import Candidate, Decision, Facts
from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED, checksum
from vectr_hooks.delivery import Delivered
from vectr_hooks.replay.forgotten import at_their_places, candidate_of, leave_open, texts_of
from vectr_hooks.replay.forms import is_damaged
from vectr_hooks.replay.occasion import PastOccasion
from vectr_hooks.replay.past import Past
from vectr_hooks.store import replays
from vectr_hooks.store.audit import FORGOTTEN, NAME_LENGTH
from vectr_hooks.store.journal import ALL, Choice, Event, Outcome, deciding_facts

EXACT = "exact"
PARTLY = "partly"
DIFFERENT = "different"
NOT_REPLAYABLE = "not replayable"

#: what an event recorded before there was a replay has in place of a number
_NOT_RECORDED = -1
_REDACTED = "[redacted: "
_DAMAGED = "its record is damaged"

#: the fields of an outcome that are compared, by name
_FIELDS = ("revision", "status", "reason", "form", "clauses", "origin", "cost")
#: those of them that the budget decides on
_OF_BUDGET = ("status", "reason", "form", "cost")


@dataclass(frozen=True)
class Difference:
    """Something of an event that was recorded otherwise than it is now decided."""

    what: str
    """Such as `#12 status`, `output`."""
    recorded: str
    replayed: str


@dataclass(frozen=True)
class Replayed:
    """One event, decided again."""

    event: Event
    verdict: str
    """`exact`, `partly`, `different` or `not replayable`."""
    reason: str = ""
    """Why it is not exact, where no difference says so."""
    differences: tuple[Difference, ...] = ()
    text: str = ""
    """What the event would print for the model now; '' for nothing, or where it cannot be known."""


@dataclass
class Tally:
    """What became of the events that were decided again."""

    events: int = 0
    outcomes: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    """By verdict: how many events."""
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By verdict and reason, where there is one."""
    different: list[Replayed] = field(default_factory=list)

    def add(self, replayed: Replayed) -> None:
        self.events += 1
        self.outcomes += len(replayed.event.outcomes)
        self.verdicts[replayed.verdict] += 1
        if replayed.reason:
            self.reasons[replayed.verdict, replayed.reason] += 1
        if replayed.differences:
            self.different.append(replayed)


def replay(past: Past, choice: Choice = ALL) -> Iterator[Replayed]:
    """Decide the events of `choice` again, oldest first."""
    past.remember_ledger()
    for event in past.events(choice):
        past.advance(event.note_revision)
        yield _replay(past, event)


def _replay(past: Past, event: Event) -> Replayed:
    reason = unreplayable(event)
    program = host(event.host)
    if reason or program is None:
        return Replayed(event, NOT_REPLAYABLE, reason or f"this version does not know the host {event.host}")
    if not past.damaged_at(event.note_revision).isdisjoint(outcome.note for outcome in event.outcomes):
        return Replayed(event, NOT_REPLAYABLE, _DAMAGED)
    if event.remark:
        # The first report of it was answered: here nothing was decided.
        differences = tuple(_compared(event, Delivered(Facts()), b"", _Unknown()))
        return Replayed(event, DIFFERENT if differences else EXACT, differences=differences)
    settings = past.settings(event)
    occasion = _Replay(past, event, settings)
    delivered = (
        occasion.announce()
        if occasion.event.what == COMPACTION_ANNOUNCED
        else occasion.deliver(deciding_facts(event))
    )
    output = occasion.output(program, delivered)
    forgotten = occasion.forgotten.values()
    unknown = _Unknown(
        budget=leave_open(forgotten, settings),
        output=any(outcome.status == "delivered" for outcome in forgotten),
        more=past.has_forgotten and event.more > 0,
        handoff=_tells_less_now(event.facts.get("work")),
    )
    differences = (*_torn(past, event), *_compared(event, delivered, output, unknown))
    if differences:
        return Replayed(
            event,
            DIFFERENT,
            differences=differences,
            text="" if unknown.output or unknown.handoff else delivered.text,
        )
    if (
        occasion.forgotten
        or occasion.announced_forgotten
        or unknown.handoff
        or (unknown.more and delivered.more != event.more)
    ):
        return Replayed(event, PARTLY, "a note was forgotten since")
    return Replayed(event, EXACT, text=delivered.text)


def unreplayable(event: Event) -> str:
    """Why an event cannot be decided again; '' when it can."""
    if _NOT_RECORDED in (event.told_held_back, event.turn_number):
        return "recorded by an older version"
    if is_damaged(event):
        return _DAMAGED
    if event.remark:
        return ""
    if "what" not in event.facts:
        return "recorded by an older version"
    targets = event.facts.get("targets")
    if isinstance(targets, list) and any(_REDACTED in str(target) for target in targets):
        return "a path is recorded without the secret in it"
    if _REDACTED in str(event.facts.get("branch", "")):
        return "a branch is recorded without the secret in it"
    if any(len(str(event.facts.get(name, ""))) >= NAME_LENGTH for name in ("tool", "subagent")):
        return "a name was too long to be recorded"
    return ""


@cache
def host(name: str) -> ModuleType | None:
    """The module of a host by the host's name; None where there is none."""
    if not name.isidentifier():
        return None
    try:
        found = import_module(f"vectr_hooks.hosts.{name}")
    except ModuleNotFoundError:
        return None
    # Beside the hosts there are parts of them.
    return found if hasattr(found, "answer") else None


@dataclass(frozen=True)
class _Unknown:
    """What of an event cannot be compared."""

    budget: bool = False
    """What the budget made of the notes."""
    output: bool = False
    more: bool = False
    handoff: bool = False
    """What the handoff said."""


class _Replay(PastOccasion):
    """A recorded event, with stand-ins for the notes that were forgotten since."""

    def __init__(self, past: Past, event: Event, settings: Mapping[str, int | bool]) -> None:
        super().__init__(past.store, event, settings)
        self._past = past
        self.forgotten = {
            outcome.note: outcome
            for outcome in event.outcomes
            if outcome.title is None and outcome.note not in past.torn
        }
        self.announced_forgotten: frozenset[int] = frozenset()

    def find(self, facts: Facts) -> tuple[list[Candidate], int]:
        found, more = super().find(facts)
        damaged = self._past.damaged_at(self.recorded.note_revision)
        there = [candidate for candidate in found if candidate.note not in damaged]
        return [*map(candidate_of, self.forgotten.values()), *there], more

    def decide(self, found: Sequence[Candidate], facts: Facts) -> Sequence[Decision]:
        there = [candidate for candidate in found if candidate.note not in self.forgotten]
        decisions = super().decide(there, facts)
        if not self.forgotten:
            return decisions
        most = self.settings["candidates.max"]
        return at_their_places(decisions, self.recorded.outcomes, self.forgotten, most)

    def texts(self, waiting: Sequence[Decision]) -> Mapping[int, tuple[str, str]]:
        there = [decision for decision in waiting if decision.candidate.note not in self.forgotten]
        return {
            **super().texts(there),
            **{note: texts_of(outcome) for note, outcome in self.forgotten.items()},
        }

    def brought_back(self) -> Sequence[int]:
        there = super().brought_back()
        announced = self.recorded.facts.get("announced")
        recorded = frozenset(announced if isinstance(announced, list) else [])
        self.announced_forgotten = recorded.difference(self._past.torn, replays.ids(self.connection))
        return sorted({*there, *self.announced_forgotten})


def _tells_less_now(work: object) -> bool:
    """Whether the words of a forgotten note were taken out of what a handoff told."""
    return isinstance(work, Mapping) and any(
        FORGOTTEN in str(work.get(name)) for name in ("failed", "passed")
    )


def _torn(past: Past, event: Event) -> Iterator[Difference]:
    """The notes of which a part is missing: what is forgotten leaves no part."""
    for note in sorted(past.torn.keys() & {outcome.note for outcome in event.outcomes}):
        yield Difference(f"#{note}", "a note with its revisions", past.torn[note])


def _compared(event: Event, delivered: Delivered, output: bytes, unknown: _Unknown) -> Iterator[Difference]:
    replayed = [outcome_of(decision) for decision in delivered.decisions]
    yield from _outcomes_compared(event.outcomes, replayed, unknown)
    if event.more != delivered.more and not unknown.more:
        yield Difference("candidates beyond the most", str(event.more), str(delivered.more))
    if unknown.budget or unknown.handoff:
        return
    if event.cost != delivered.cost:
        yield Difference("tokens", str(event.cost), str(delivered.cost))
    printed = Difference(
        "output",
        _size(event.printed_bytes, event.printed_checksum),
        _size(len(output), checksum(output)),
    )
    if printed.recorded != printed.replayed and not unknown.output:
        yield printed


def _outcomes_compared(
    recorded: Sequence[Outcome], replayed: Sequence[Outcome], unknown: _Unknown
) -> Iterator[Difference]:
    there = {outcome.note: outcome for outcome in replayed}
    for before in recorded:
        now = there.pop(before.note, None)
        if now is None:
            yield Difference(f"#{before.note}", _in_words(before), "no candidate")
            continue
        decided_by_budget = {before.status, now.status} <= {"delivered", "held back"}
        for name in _FIELDS:
            if unknown.budget and decided_by_budget and name in _OF_BUDGET:
                continue
            was, is_now = getattr(before, name), getattr(now, name)
            if was != is_now:
                yield Difference(f"#{before.note} {name}", _shown(was), _shown(is_now))
    for now in there.values():
        yield Difference(f"#{now.note}", "no candidate", _in_words(now))
    orders = [[outcome.note for outcome in outcomes] for outcomes in (recorded, replayed)]
    if orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1]):
        yield Difference("order of precedence", *(" ".join(f"#{note}" for note in order) for order in orders))


def outcome_of(decision: Decision) -> Outcome:
    candidate = decision.candidate
    return Outcome(
        note=candidate.note,
        revision=candidate.revision,
        title=None,
        status=decision.status,
        reason=decision.reason,
        form=decision.form,
        clauses=tuple(decision.clauses),
        origin=candidate.origin,
        cost=decision.cost,
    )


def _in_words(outcome: Outcome) -> str:
    return " ".join(filter(None, (outcome.status, outcome.form, outcome.reason)))


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _size(size: int, checksum: int) -> str:
    return f"{size} bytes, checksum {checksum:x}" if size else "nothing"
