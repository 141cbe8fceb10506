"""Plays recorded events with other notes: with today's, or with one more than there were."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from vectr_hooks.core.conditions import judge
from vectr_hooks.core.conversation import Conversation
from vectr_hooks.core.explain import can_nearly_hold, near_miss, read_clause
from vectr_hooks.core.model import INDEX, INDEX_BY_BUDGET, POST_COMPACTION, Candidate, Decision, Facts
from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED, PROMPT, TOOL_AFTER, TOOL_FAILED
from vectr_hooks.core.pipeline import ORIGINS
from vectr_hooks.replay.exact import host, outcome_of, unreplayable
from vectr_hooks.replay.occasion import PastOccasion, conversation
from vectr_hooks.replay.past import Past
from vectr_hooks.replay.unknown import NO_PROMPT, Known, Texts, Vocabulary
from vectr_hooks.store import candidates, ledger
from vectr_hooks.store.journal import ALL, Choice, Event, Outcome, deciding_facts, is_among
from vectr_hooks.store.ledger import read_configuration
from vectr_hooks.store.notes import NoteDraft
from vectr_hooks.store.revisions import Render, prepare, write
from vectr_hooks.trial import PROPOSED, Firing, NearMiss, Place, Trial

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


@dataclass(frozen=True)
class Changed:
    """A note that would have been delivered otherwise than it was."""

    place: Place
    note: int
    title: str | None
    """None: it was forgotten."""
    before: str
    """`full`, `index`, or '' where it was not delivered."""
    after: str
    reason: str
    """Why it would not be delivered, where there is a reason to give."""
    cost_before: int
    """Tokens, as is the next."""
    cost_after: int


class Otherwise:
    """Past events, one after the other, under other circumstances, with a ledger of their own."""

    def __init__(self, past: Past, settings: Mapping[str, int | bool] | None, wanted: Iterable[str]) -> None:
        self.past = past
        #: None: those of each event
        self.settings = settings
        self.texts = Texts(past, Vocabulary(past, wanted))
        self._conversations: dict[tuple[str, str], Conversation] = {}
        self._doubted: dict[tuple[str, str], dict[int, int]] = {}
        self._lost = _lost(past.recorded)
        (newest,) = past.store.execute(
            "SELECT max(revision) FROM note WHERE id IN (SELECT note FROM recall_term)"
        ).fetchone()
        #: the newest revision of a note that a prompt may bring up, among those that are other than they were
        self._newest_recallable = newest or 0

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
        texts = "SELECT title, body FROM revision WHERE note = ? AND id <= ? ORDER BY id DESC LIMIT 1"
        (newest,) = self.past.store.execute("SELECT max(revision) FROM note WHERE id = ?", (note,)).fetchone()
        then = self.past.recorded.execute(texts, (note, event.note_revision)).fetchone()
        now = self.past.recorded.execute(texts, (note, newest)).fetchone()
        return then is not None and now is not None and tuple(then) == tuple(now)

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
        self.past.store.executemany(
            f"UPDATE delivery SET lost = {event}"
            " WHERE session = ? AND agent = ? AND event = ? AND (note = ? OR ?) AND lost = 0",
            self._lost.get(event, ()),
        )


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
        row = self.connection.execute("SELECT revision FROM note WHERE id = ?", (note,)).fetchone()
        return row is not None and row[0] > self.recorded.note_revision

    def _possible(self) -> list[int]:
        """The newer notes that are only found by what is not known of the event."""
        keys = {*self.known.own, *("&" + needle for needle in self.known.own | self.known.of_turn)}
        rows = self.connection.execute(
            "SELECT DISTINCT k.note FROM trigger_key k JOIN note n ON n.id = k.note"
            " WHERE (k.key IN (SELECT value FROM json_each(?)) OR (? AND k.key >= '$' AND k.key < '%'))"
            " AND n.revision > ? LIMIT ?",
            (
                json.dumps(sorted(keys)),
                self.known.command,
                self.recorded.note_revision,
                self.settings["candidates.max"],
            ),
        )
        return [note for (note,) in rows] if keys or self.known.command else []

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


class TodaysNotes:
    """The notes and the settings of today, played to every recorded event."""

    def __init__(self, past: Past) -> None:
        self._past = past
        past.advance(past.newest_revision)
        settings, _ = read_configuration(past.recorded)
        wanted = [text for (text,) in past.store.execute("SELECT DISTINCT text FROM needle")]
        self._course = Otherwise(past, settings, wanted)
        self.events = 0
        self.changes: list[Changed] = []
        #: by reason: at how many events not all is known
        self.unknown: Counter[str] = Counter()
        #: tokens of all notes whose delivery is known either way
        self.cost_before = self.cost_after = 0

    def play(self, choice: Choice = ALL) -> Iterator[Played]:
        """Play every event, and compare what becomes of those of `choice`."""
        for played in self._course.play():
            if is_among(played.event, choice):
                self._look(played)
            yield played

    def _look(self, played: Played) -> None:
        self.events += 1
        self.unknown.update(played.unknown.keys())
        if not played.known.is_known:
            return
        before = {outcome.note: outcome for outcome in played.event.outcomes}
        after = {outcome.note: outcome for outcome in played.outcomes}
        unknown = {note for notes in played.unknown.values() for note in notes}
        for note in sorted((before.keys() | after.keys()) - unknown):
            self._compare(played, note, before.get(note), after.get(note))

    def _compare(self, played: Played, note: int, was: Outcome | None, would: Outcome | None) -> None:
        before, after = (_form(one) if one and one.status == "delivered" else "" for one in (was, would))
        cost_before, cost_after = (one.cost if one else 0 for one in (was, would))
        self.cost_before += cost_before
        self.cost_after += cost_after
        if before != after:
            title = self._past.title(note)
            reason = "" if after else _why_not(would, title)
            self.changes.append(
                Changed(place_of(played), note, title, before, after, reason, cost_before, cost_after)
            )


class Proposal:
    """A note that is not stored, played to every recorded event beside the notes that there were."""

    def __init__(self, past: Past, draft: NoteDraft, render: Render, now_ms: int) -> None:
        self.draft = draft
        self._note = past.newest_note + 1
        revision = prepare(self._note, past.newest_revision + 1, draft, render, now_ms, now_ms)
        write(past.store, [revision])
        self._course = Otherwise(past, None, [str(needle) for _, needle, _ in revision.needles])
        self._clauses = [clause for clause in draft.clauses if can_nearly_hold(clause)]
        self._sessions: dict[str, None] = {}
        self._events = 0
        self._firings: list[Firing] = []
        self._near_misses: list[NearMiss] = []
        self._unknown: Counter[str] = Counter()

    def play(self, choice: Choice = ALL) -> Iterator[Played]:
        """Play every event, and look at what the note does at those of `choice`."""
        for played in self._course.play():
            if is_among(played.event, choice):
                self._look(played)
            yield played

    def trial(self) -> Trial:
        """What it did as far as it was played."""
        return Trial(
            tuple(self._sessions),
            self._events,
            tuple(self._firings),
            tuple(self._near_misses),
            dict(self._unknown),
        )

    def _look(self, played: Played) -> None:
        self._sessions.setdefault(played.event.session)
        self._events += 1
        self._unknown.update(played.unknown.keys())
        own = next((outcome for outcome in played.outcomes if outcome.note == self._note), None)
        if own and own.status in ("delivered", "suppressed", "held back"):
            form, reason = _form(own), "" if own.status == "delivered" else own.reason
            firing = Firing(
                place_of(played), PROPOSED, self.draft.title, form, reason, own.cost, self._why(played, own)
            )
            self._firings.append(firing)
        elif played.facts.moments and not any(played.unknown.values()):
            self._near_misses += self._missed(played)

    def _missed(self, played: Played) -> Iterator[NearMiss]:
        has_result = played.event.facts.get("what") in (TOOL_AFTER, TOOL_FAILED)
        for clause in self._clauses:
            reading = read_clause(clause, played.facts)
            missed = near_miss(reading)
            if missed is None or played.known.holds(clause) is not False:
                continue
            # Before a command has run, its output is missing from every clause that asks for one.
            if missed.condition != "output" or has_result:
                yield NearMiss(
                    place_of(played),
                    PROPOSED,
                    self.draft.title,
                    clause.number,
                    "unless" if missed in reading.unless else missed.condition,
                    missed.expected,
                    missed.seen,
                )

    def _why(self, played: Played, own: Outcome) -> str:
        held = (judge(clause, played.facts) for clause in self.draft.clauses if clause.number in own.clauses)
        return next((verdict.why for verdict in held if verdict), "") or ORIGINS.get(own.origin, "")


def place_of(played: Played) -> Place:
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


def _form(outcome: Outcome) -> str:
    if outcome.status != "delivered":
        return outcome.status
    return INDEX if outcome.form == INDEX_BY_BUDGET else outcome.form


def _why_not(outcome: Outcome | None, title: str | None) -> str:
    if outcome is None:
        return "forgotten since" if title is None else "no candidate"
    return f"{outcome.status}: {outcome.reason}" if outcome.reason else outcome.status


def _lost(recorded: sqlite3.Connection) -> dict[int, list[tuple[object, ...]]]:
    """By the event from which on they do not count: deliveries, and whether all of their event are lost."""
    found: dict[int, list[tuple[object, ...]]] = {}
    rows = recorded.execute(
        "SELECT DISTINCT lost, session, agent, event, note, NOT EXISTS ("
        "   SELECT 1 FROM delivery AS kept"
        "   WHERE kept.lost <> delivery.lost AND kept.session = delivery.session"
        "   AND kept.agent = delivery.agent AND kept.event = delivery.event)"
        " FROM delivery WHERE lost > 0"
    )
    for lost, *delivered in rows:
        found.setdefault(lost, []).append(tuple(delivered))
    return found
