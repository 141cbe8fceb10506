"""Plays recorded events with other notes than there were, one after the other."""

from __future__ import annotations

import copy
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from vectr_hooks.core.conversation import Conversation
from vectr_hooks.core.model import INDEX, INDEX_BY_BUDGET, POST_COMPACTION, Candidate, Decision, Facts
from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED, PROMPT
from vectr_hooks.replay.exact import host, outcome_of, unreplayable
from vectr_hooks.replay.occasion import PastOccasion, conversation
from vectr_hooks.replay.past import Past
from vectr_hooks.replay.unknown import NO_PROMPT, Known, Texts, Vocabulary
from vectr_hooks.store import candidates, ledger, replays
from vectr_hooks.store.journal import Event, Outcome, deciding_facts
from vectr_hooks.trial import Place

CONTEXT_LENGTH = 80

#: the status of a candidate of which what is known of the event does not say whether it matched
UNKNOWN = "unknown"
NO_EARLIER = "depended on an earlier event of which not all is known"
UNKNOWN_HOST = "of a host that this version does not know"


@dataclass(frozen=True)
class Played:
    """One event as it would have been."""

    event: Event
    facts: Facts
    outcomes: tuple[Outcome, ...]
    unknown: Mapping[str, tuple[int, ...]]
    """By reason: the notes that may have been delivered or not; of a prompt that may have brought notes up,
    none."""
    known: Known


class Otherwise:
    """Past events, one after the other, under other circumstances, with a ledger of their own."""

    def __init__(self, past: Past, settings: Mapping[str, int | bool] | None, wanted: Iterable[str]) -> None:
        self.past = past
        #: None: those of each event
        self.settings = settings
        self.texts = Texts(past, Vocabulary(past, wanted))
        self._conversations: dict[tuple[str, str], Conversation] = {}
        self._doubted: dict[tuple[str, str], dict[int, int]] = {}
        self._lost = replays.losses(past.recorded)
        #: of a note that a prompt may bring up, among those that are other than they were
        self._newest_recallable = replays.newest_recallable(past.store)

    def play(self) -> Iterator[Played]:
        """Play all events that were recorded, oldest first, each on what the earlier ones left."""
        begun = False
        for event in self.past.events():
            if not begun:
                # What older events left that are no longer in the audit.
                self.past.remember_ledger(before=event.id)
                begun = True
            if self.settings is None:
                self.past.advance(event.note_revision)
            played = self._play(event)
            if played is not None:
                yield played

    def _play(self, event: Event) -> Played | None:
        if event.remark:
            # A note may have been revoked just before it.
            self._lose(event.id)
            return None
        reason = unreplayable(event)
        if reason or host(event.host) is None:
            self.past.remember_ledger(event.id, event.id + 1)
            return Played(event, Facts(), (), {reason or UNKNOWN_HOST: ()}, Known(Facts(), is_known=False))
        at = self._enter(event)
        self._lose(event.id)
        facts = deciding_facts(event)
        facts.similar = {
            note: near for note, near in facts.similar.items() if self._says_the_same(note, event)
        }
        known = self.texts.known(event, facts)
        settings = self.past.settings(event) if self.settings is None else self.settings
        doubted = self._doubted.setdefault((event.session, event.agent), {})
        occasion = _Occasion(self.past.store, event, settings, at, known, doubted)
        decisions: Sequence[Decision] = ()
        if event.facts.get("what") != COMPACTION_ANNOUNCED:
            delivered = occasion.deliver(self._with_recall(occasion, known))
            decisions = delivered.decisions
            if POST_COMPACTION in facts.moments and not event.agent:
                decided = {decision.candidate.note for decision in decisions}
                occasion.doubt_working_set(decided)
            ledger.write_deliveries(self.past.store, at, event.id, delivered.facts.moments, decisions)
        self._leave(event, at)
        if known.recall and self._newest_recallable > event.note_revision:
            occasion.unknown.setdefault(NO_PROMPT, [])
        return Played(
            event,
            known.facts,
            tuple(outcome_of(decision) for decision in decisions),
            {reason: tuple(notes) for reason, notes in occasion.unknown.items()},
            known,
        )

    def _says_the_same(self, note: int, event: Event) -> bool:
        """Whether a note has the text that was compared with the prompt of `event`."""
        newest = replays.revision_of(self.past.store, note)
        then = replays.text_at(self.past.recorded, note, event.note_revision)
        if newest is None or then is None:
            return False
        return replays.text_at(self.past.recorded, note, newest) == then

    def _with_recall(self, occasion: _Occasion, known: Known) -> Facts:
        """The facts, without the notes that a prompt which is not known brought up by words they had then."""
        facts = known.facts
        if known.recall and facts.recalled:
            kept = tuple(note for note in facts.recalled if not occasion.is_newer(note))
            facts = facts.having(facts.needles)
            facts.recalled = kept
        return facts

    def _enter(self, event: Event) -> Conversation:
        """Where `event` finds its conversation: at the epoch and turn that were, with what would be spent."""
        key = (event.session, event.agent)
        parent = event.facts.get("parent")
        if parent and (str(parent), "") in self._conversations:
            forked = copy.copy(self._conversations[str(parent), ""])
            self._conversations[key] = ledger.inherit(self.past.store, forked, event.session)
            self._doubted[key] = dict(self._doubted.get((str(parent), ""), {}))
        at = self._conversations.setdefault(key, conversation(event))
        if at.epoch != event.epoch:
            at.epoch = event.epoch
            at.epoch_spent = 0
            at.turn = ""
            if at.kept_event:
                ledger.keep_deliveries(self.past.store, at)
        if at.turn != event.turn:
            at.turn = event.turn
            at.turn_spent = at.boundary_spent = at.told_held_back = 0
        at.turn_number = event.turn_number
        return at

    def _leave(self, event: Event, at: Conversation) -> None:
        prompt = str(event.facts.get("prompt_id", ""))
        if event.facts.get("what") == COMPACTION_ANNOUNCED:
            # The prompt that such a compaction keeps is still to be sent, with what it brought.
            begins_turn = event.facts.get("source") == "auto" and at.last_event == PROMPT
            at.kept_event = at.last_event_id if begins_turn and at.last_prompt == prompt else 0
        at.last_event = str(event.facts.get("what"))
        at.last_event_id = event.id
        at.last_prompt = prompt

    def _lose(self, event: int) -> None:
        """Mark what does not count from `event` on; of an event that lost all, whatever it delivered."""
        replays.mark_lost(self.past.store, event, self._lost.get(event, ()))


class _Occasion(PastOccasion):
    """A recorded event that finds other notes, some of which it may have held for without our knowing."""

    def __init__(
        self,
        store: sqlite3.Connection,
        event: Event,
        settings: Mapping[str, int | bool],
        at: Conversation,
        known: Known,
        doubted: dict[int, int],
    ) -> None:
        super().__init__(store, event, settings)
        self.conversation = at
        self.known = known
        #: the notes that earlier events of the conversation may have delivered or not, with the last epoch
        self.doubted = doubted
        self.unknown: dict[str, list[int]] = {}

    def find(self, facts: Facts) -> tuple[list[Candidate], int]:
        found, more = super().find(facts)
        there = {candidate.note for candidate in found}
        notes = [note for note in self._possible() if note not in there]
        if notes:
            found += candidates.read(self.connection, notes, {})
            found.sort(key=lambda candidate: candidate.precedence)
        return found, more

    def decide(self, found: Sequence[Candidate], facts: Facts) -> Sequence[Decision]:
        return [self._unless_unknown(decision) for decision in super().decide(found, facts)]

    def withheld(self, notes: Sequence[int]) -> dict[int, str]:
        # What was trusted since is what the file held.
        return {note: why for note, why in super().withheld(notes).items() if not self.is_newer(note)}

    def is_newer(self, note: int) -> bool:
        """Whether the note is another than it was at the event, or was none."""
        revision = replays.revision_of(self.connection, note)
        return revision is not None and revision > self.recorded.note_revision

    def _possible(self) -> list[int]:
        """The newer notes that are only found by what is not known of the event."""
        keys = {*self.known.own, *("&" + needle for needle in self.known.own | self.known.of_turn)}
        return replays.found_by(
            self.connection,
            keys,
            self.known.command,
            self.recorded.note_revision,
            self.settings["candidates.max"],
        )

    def _unless_unknown(self, decision: Decision) -> Decision:
        candidate = decision.candidate
        if decision.status not in ("unmatched", "matched", "suppressed"):
            return decision
        if candidate.origin == "trigger" and candidate.revision > self.recorded.note_revision:
            holds = [self.known.holds(clause) for clause in candidate.clauses]
            if True not in holds and None in holds:
                for clause, answer in zip(candidate.clauses, holds, strict=True):
                    if answer is None:
                        self._doubt(candidate.note, *self.known.reasons(clause))
                return Decision(candidate, UNKNOWN)
        if decision.status != "unmatched" and self._depends_on_doubt(candidate):
            self._doubt(candidate.note, NO_EARLIER)
            return Decision(candidate, UNKNOWN)
        return decision

    def _depends_on_doubt(self, candidate: Candidate) -> bool:
        """Whether an earlier event, of which not all is known, may have used the note up."""
        epoch = self.doubted.get(candidate.note)
        return epoch is not None and (
            epoch == self.conversation.epoch or candidate.max_deliveries is not None
        )

    def _doubt(self, note: int, *reasons: str) -> None:
        for reason in reasons:
            notes = self.unknown.setdefault(reason, [])
            if note not in notes:
                notes.append(note)
        self.doubted[note] = self.conversation.epoch

    def doubt_working_set(self, decided: Collection[int]) -> None:
        """After a compaction: what may have been used before it, beside what is `decided`, may come back."""
        for note in [note for note in self.doubted if note not in decided]:
            self._doubt(note, NO_EARLIER)


def place_of(played: Played) -> Place:
    """Where it would have been, for people."""
    event = played.event
    return Place(
        session=event.session,
        event=str(event.id),
        at_ms=event.at,
        name=event.name,
        moments=played.facts.moments,
        context=_context(event, played.facts),
        agent=event.agent,
    )


def _context(event: Event, facts: Facts) -> str:
    targets = ", ".join(dict.fromkeys(path for _, path in facts.targets))
    given = (event.facts.get(name) for name in ("command", "tool", "subagent", "source"))
    about = next((str(text) for text in (event.facts.get("command"), targets, *given) if text), "")
    text = " ".join(about.split())
    return text if len(text) <= CONTEXT_LENGTH else text[:CONTEXT_LENGTH] + "…"


def form_of(outcome: Outcome) -> str:
    """`full` or `index` where a note would have been delivered, else its status."""
    if outcome.status != "delivered":
        return outcome.status
    return INDEX if outcome.form == INDEX_BY_BUDGET else outcome.form
