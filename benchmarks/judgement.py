"""Whether what the hooks of a soak printed and recorded is what they had to."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks.sessions import BUDGETS, COMPACTION, Fixed, Moving, Sent, Told, says
from vectr_hooks.core.budget import tokens
from vectr_hooks.core.model import FULL, INDEX_BY_BUDGET, NO_CLAUSE
from vectr_hooks.core.occurrence import checksum
from vectr_hooks.store.journal import Event, Outcome

DUPLICATE = "duplicate"
INDEX_ROOM = "budget.boundary_index"
ANNOUNCED_CHARACTERS = 400
# Tokens: above every kind's cap, with a header.
LARGEST_NOTE = 450
# No body of the soak has a line that begins so.
PIECE = re.compile(r"^(?=\[#\d|#\d|\d+ more held back|\[handoff)", re.MULTILINE)
NOTE = re.compile(r"(\[?)#(\d+) ")

#: session, agent, epoch
Stretch = tuple[str, str, int]


class Piece(NamedTuple):
    """A part of a context as the budget counts it; `note` is 0 for what is none."""

    note: int
    whole: bool
    cost: int


class Given(NamedTuple):
    """A delivery, and the turn it was made in: by its key, and by how many prompts there had been."""

    outcome: Outcome
    turn: str
    prompts: int


def pieces(context: str) -> list[Piece]:
    found = []
    for text in filter(None, PIECE.split(context)):
        note = NOTE.match(text)
        cost = tokens(text.removesuffix("\n") + "\n")
        found.append(Piece(int(note[2]) if note else 0, bool(note and note[1]), cost))
    return found


def context_of(output: bytes) -> str:
    """What the model is given; '' for nothing."""
    return str(json.loads(output)["hookSpecificOutput"]["additionalContext"]) if output else ""


class Judge:
    """Goes through all events in the order they were recorded in, and collects what is wrong."""

    def __init__(self, fixed: Mapping[int, Fixed], moving: Mapping[int, Moving]) -> None:
        self.fixed = fixed
        self.moving = moving
        self.wrong: list[str] = []
        self.judged = self.delivered = 0
        #: what each stretch was given: per note its clauses and forms, in order
        self.given: defaultdict[Stretch, list[Given]] = defaultdict(list)
        self.kept: dict[tuple[str, str], list[Given]] = {}
        self.prompts: Counter[str] = Counter()
        self.spent: Counter[tuple[object, ...]] = Counter()
        #: deliveries of notes that have a limit of them, but for those after a compaction
        self.counted: Counter[tuple[str, str, int]] = Counter()
        #: notes whose own trigger held in a session's main conversation
        self.used: defaultdict[str, set[int]] = defaultdict(set)

    def judge(
        self,
        sent: Sequence[Sent],
        events: Iterable[Event],
        claims: Mapping[tuple[str, str, str], int],
        given_up: int,
    ) -> None:
        """Judge all sessions but those in which one of the `given_up` hooks, which said so, is missing."""
        ordered = sorted(events, key=lambda event: event.id)
        silent = self._incomplete(sent, ordered, given_up)
        sent = [one for one in sent if one.told.session not in silent]
        ordered = [event for event in ordered if event.session not in silent]
        matched = dict(self._matched(sent, ordered, claims))
        for event in ordered:
            if event.remark == DUPLICATE:
                if event.printed_bytes:
                    self._say(event, "a duplicate printed")
            elif event.id not in matched:
                self._say(event, "was recorded and not sent")
            else:
                self._event(event, matched[event.id])
        self.judged = len(ordered)

    def _say(self, event: Event | None, text: str) -> None:
        self.wrong.append(f"event {event.id} ({event.name} of {event.session}): {text}" if event else text)

    def _incomplete(self, sent: Sequence[Sent], events: Sequence[Event], given_up: int) -> set[str]:
        """The sessions of which less was recorded than happened."""
        missing: Counter[str] = Counter()
        doubled: Counter[str] = Counter()
        for one in sent:
            missing[one.told.session] += len(one.outputs)
            doubled[one.told.session] += len(one.outputs) - 1
        for event in events:
            missing[event.session] -= 1
            doubled[event.session] -= event.remark == DUPLICATE
        if (gone := sum(max(count, 0) for count in missing.values())) > given_up:
            self._say(None, f"{gone} events are not recorded, and {given_up} hooks said that they gave up")
        for session, count in missing.items():
            if count < 0 or (not count and doubled[session]):
                self._say(None, f"{session}: {-count} events too many, {doubled[session]} duplicates too few")
        return {session for session, count in missing.items() if count > 0}

    def _matched(
        self, sent: Sequence[Sent], events: Sequence[Event], claims: Mapping[tuple[str, str, str], int]
    ) -> Iterator[tuple[int, Sent]]:
        """Which recorded event each one sent is: by its claim, or else by its place in its session."""
        waiting: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for event in events:
            if event.remark != DUPLICATE:
                waiting[event.session, event.name].append(event.id)
        for one in sent:
            told = one.told
            if one.identity:
                found = claims.get((told.session, told.agent, one.identity))
            else:
                queue = waiting[told.session, told.name]
                found = queue.pop(0) if queue else None
            if found is None:
                self._say(None, f"not recorded: {told}")
            else:
                yield found, one

    def _event(self, event: Event, one: Sent) -> None:
        told = one.told
        printed = [output for output in one.outputs if output]
        if len(printed) > 1:
            self._say(event, "both of two processes printed")
        output = printed[0] if printed else b""
        if (event.name, event.epoch) != (told.name, told.epoch):
            self._say(event, f"recorded in epoch {event.epoch}, not {told.epoch}")
        if (event.printed_bytes, event.printed_checksum) != (len(output), checksum(output)):
            self._say(event, f"{len(output)} bytes were printed, {event.printed_bytes} recorded")
        if told.name == "PreCompact":
            if len(output.decode()) > ANNOUNCED_CHARACTERS:
                self._say(event, f"{len(output)} bytes for the summary")
            return
        context = context_of(output)
        self._budgets(event, told, context)
        self._deliveries(event, told, context)
        self._applying(event, told)

    def _budgets(self, event: Event, told: Told, context: str) -> None:
        cost = sum(piece.cost for piece in pieces(context))
        if cost != event.cost:
            self._say(event, f"{cost} tokens were printed, {event.cost} charged")
        if len(context.encode()) > BUDGETS["budget.bytes"]:
            self._say(event, f"{len(context.encode())} bytes")
        stretch = (event.session, event.agent, event.epoch)
        which = "budget.boundary" if told.boundary else "budget.turn"
        for name, key in ((which, (*stretch, event.turn, which)), ("budget.epoch", stretch)):
            self.spent[key] += cost
            if self.spent[key] > BUDGETS[name]:
                self._say(event, f"{self.spent[key]} tokens of {BUDGETS[name]} ({name})")

    def _deliveries(self, event: Event, told: Told, context: str) -> None:
        outcomes = [outcome for outcome in event.outcomes if outcome.status == "delivered"]
        printed = [(piece.note, piece.whole) for piece in pieces(context) if piece.note]
        if printed != [(outcome.note, outcome.form == FULL) for outcome in outcomes]:
            self._say(event, f"printed {printed}, recorded {outcomes}")
        self.delivered += len(outcomes)
        given = self.given[event.session, event.agent, event.epoch]
        self.prompts[event.session] += told.name == "UserPromptSubmit"
        if told.keeps:
            # Of the prompt that a compaction keeps, the conversation keeps what it brought.
            given += self.kept.get((event.session, told.keeps), [])
        for outcome in outcomes:
            if reason := self._repeats(outcome, event, given):
                self._say(event, f"#{outcome.note} {reason}")
            if self._too_often(outcome.note, told):
                self._say(event, f"#{outcome.note} more often than its limit")
            if not self._allowed(outcome.note, told):
                self._say(event, f"#{outcome.note} was delivered and nothing called for it: {told}")
        new = [Given(outcome, event.turn, self.prompts[event.session]) for outcome in outcomes]
        given += new
        if told.name == "UserPromptSubmit":
            self.kept[event.session, told.prompt_id] = new

    def _repeats(self, outcome: Outcome, event: Event, given: Sequence[Given]) -> str:
        before = [earlier for earlier in given if earlier.outcome.note == outcome.note]
        if any(earlier.turn == event.turn for earlier in before):
            return "twice in a turn"
        # An index line forced by the budget does not use a note up.
        counted = [earlier for earlier in before if earlier.outcome.form != INDEX_BY_BUDGET]
        trigger = self.fixed[outcome.note].note.trigger if outcome.note in self.fixed else None
        if trigger and trigger.cooldown is not None:
            since = [self.prompts[event.session] - earlier.prompts for earlier in counted]
            return "before it had cooled" if min(since, default=trigger.cooldown) < trigger.cooldown else ""
        forms = [earlier.outcome.form for earlier in before]
        if outcome.form in forms and outcome.form in (FULL, INDEX_BY_BUDGET):
            return f"as {outcome.form} twice in an epoch"
        used = [clause for earlier in counted for clause in earlier.outcome.clauses or (NO_CLAUSE,)]
        # Without a clause of its own a boundary brings what this epoch has not had at all.
        again = used if not outcome.clauses else [clause for clause in outcome.clauses if clause in used]
        return "by the same clause twice in an epoch" if again else ""

    def _too_often(self, note: int, told: Told) -> bool:
        trigger = self.fixed[note].note.trigger if note in self.fixed else None
        if trigger is None or trigger.max_deliveries is None or told.boundary == COMPACTION:
            return False
        self.counted[told.session, told.agent, note] += 1
        return self.counted[told.session, told.agent, note] > trigger.max_deliveries

    def _allowed(self, note: int, told: Told) -> bool:
        """Whether the event calls for the note, as an observer of the session tells."""
        if told.boundary == COMPACTION and note in self.used[told.session]:
            return True
        if note in self.fixed:
            known = self.fixed[note]
            return known.holds(told) or bool(known.recalled_by and says(told, known.recalled_by))
        moves = self.moving.get(note)
        if moves is None:
            return False
        written_here = told.boundary == COMPACTION and moves.session == told.session
        return says(told, moves.keyword) or written_here or bool(told.boundary and moves.pinned)

    def _applying(self, event: Event, told: Told) -> None:
        """Every note that applies is a candidate, and what did not arrive had a reason that is true."""
        outcomes = {outcome.note: outcome for outcome in event.outcomes}
        due = {note for note, known in self.fixed.items() if known.holds(told)}
        if told.boundary == COMPACTION:
            due |= self.used[told.session] & self.fixed.keys()
        for note in sorted(due):
            outcome = outcomes.get(note)
            status = outcome.status if outcome else "not looked at"
            if status not in ("delivered", "suppressed", "held back"):
                self._say(event, f"#{note} applies and is {status}: {told}")
        stretch = (event.session, event.agent, event.epoch)
        given = {earlier.outcome.note for earlier in self.given[stretch]}
        which = "budget.boundary" if told.boundary else "budget.turn"
        left = min(
            BUDGETS[name] - self.spent[key]
            for name, key in ((which, (*stretch, event.turn, which)), ("budget.epoch", stretch))
        )
        for outcome in event.outcomes:
            if outcome.reason == "budget" and left > LARGEST_NOTE + (
                BUDGETS[INDEX_ROOM] if told.boundary else 0
            ):
                self._say(event, f"#{outcome.note} is held back with {left} tokens left")
            limited = "max_deliveries" in outcome.reason
            if outcome.status == "suppressed" and not limited and outcome.note not in given:
                self._say(event, f"#{outcome.note} is suppressed ({outcome.reason}) and was never printed")
        if not told.agent:
            held = {note for note in due if self.fixed[note].holds(told)}
            held |= {note for note, moves in self.moving.items() if says(told, moves.keyword)}
            self.used[told.session] |= held
