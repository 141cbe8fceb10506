"""Everything a store holds on one note at one event: its clauses read, and the rule that decided."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from vectr_hooks.core.budget import tokens
from vectr_hooks.core.compile import clause_keys
from vectr_hooks.core.conditions import judge
from vectr_hooks.core.explain import ClauseReading, as_recorded, read_clause, rule
from vectr_hooks.core.keys import event_keys
from vectr_hooks.core.model import BOUNDARIES, FULL, INDEX_BY_BUDGET, Facts
from vectr_hooks.core.pipeline import ORIGINS
from vectr_hooks.core.render import fill
from vectr_hooks.core.states import SUPERSEDED
from vectr_hooks.store.configuration import settings_at
from vectr_hooks.store.journal import Event, Outcome, partly_recorded, recorded_facts, recorded_marks
from vectr_hooks.store.notes import Note, existing_note, is_forgotten, note_at
from vectr_hooks.store.precedents import Precedent, precedents

NOT_A_CANDIDATE = "not a candidate"

#: the outcomes whose clauses a hook had judged
_JUDGED = ("unmatched", "suppressed", "held back", "delivered")


@dataclass(frozen=True)
class Spending:
    """What an event could spend, in tokens, when a note's turn came."""

    scope: str
    """`turn` or `boundary`."""
    limit: int
    spent: int
    """By earlier events, of `limit`."""
    epoch_limit: int
    epoch_spent: int
    kept_for_lines: int
    """How much of what is left full texts could not take."""
    ahead: int
    """By notes that outrank this one, at the same event."""
    left: int
    needed: int
    """For the full text."""
    needed_as_line: int
    stopped_by: int | None
    """The first note ahead that did not fit in full: none after it is given in full."""


@dataclass(frozen=True)
class Explanation:
    """Why a note arrived at an event or did not."""

    note: int
    now: Note | None
    """The note as it is; None: it was forgotten."""
    was: Note | None
    """The note as it was at the event; None: forgotten, or not written yet."""
    event: Event
    facts: Facts
    partial: frozenset[str]
    """Conditions that could see more than was recorded."""
    clauses: tuple[ClauseReading, ...]
    keys: tuple[str, ...]
    """Under which the note was filed."""
    event_keys: tuple[str, ...]
    outcome: Outcome | None
    rule: str
    absence: str
    """Why it was no candidate; '' when it was."""
    precedents: tuple[Precedent, ...] = ()
    """The earlier deliveries that the rule counted."""
    spending: Spending | None = None
    cap: int | None = None
    """Up to how many tokens a note of its kind arrived in full then."""
    played_from: int | None = None
    """The id of the first event that was only played for this; None: all are recorded."""

    def is_recorded(self, event: int) -> bool:
        return self.played_from is None or event < self.played_from


def explain_note(
    con: sqlite3.Connection,
    note: int,
    event: Event,
    facts: Facts | None = None,
    played_from: int | None = None,
) -> Explanation:
    """Explain what became of `note` at `event`, or refuse an id that never was a note's.

    `facts` are those of the event where they are known better than from its record, `played_from` the id of
    the first event that is only played.
    """
    now = None if is_forgotten(con, note) else existing_note(con, note)
    outcome = next((outcome for outcome in event.outcomes if outcome.note == note), None)
    was = note_at(con, note, outcome.revision if outcome else event.note_revision)
    partial = frozenset() if facts else partly_recorded(event)
    # Of a candidate's conditions on a command line it is recorded which held, however long the line is.
    unknown = frozenset() if outcome and "programs" in event.facts else partial
    facts = facts or recorded_facts(event)
    clauses = was.clauses if was and event.remark != "duplicate" else ()
    keys = tuple(dict.fromkeys(key for clause in clauses for key in clause_keys(clause)))
    hit = tuple(event_keys(facts))
    absence = "" if outcome else _absence(now, was, event, facts, partial, keys, hit)
    cap = settings_at(con, event.setting_revision)[f"cap.{was.kind}"] if was else None
    before = precedents(con, event, note)
    decided = _rule(outcome, was, cap, before) if outcome else NOT_A_CANDIDATE
    return Explanation(
        note=note,
        now=now,
        was=was,
        event=event,
        facts=facts,
        partial=partial,
        clauses=tuple(_corrected(read_clause(clause, facts, unknown), outcome) for clause in clauses),
        keys=keys,
        event_keys=hit,
        outcome=outcome,
        rule=decided,
        absence=absence,
        precedents=tuple(one for one in before if _counts(one, decided, event)),
        spending=_spending(con, event, facts, was, outcome)
        if was and outcome and decided == "budget"
        else None,
        cap=cap,
        played_from=played_from,
    )


def _corrected(reading: ClauseReading, outcome: Outcome | None) -> ClauseReading:
    if outcome is None or outcome.status not in _JUDGED:
        return reading
    return as_recorded(reading, reading.number in outcome.clauses)


def _absence(
    now: Note | None,
    was: Note | None,
    event: Event,
    facts: Facts,
    partial: Collection[str],
    keys: Collection[str],
    hit: Collection[str],
) -> str:
    """Why a note has no outcome at an event."""
    if event.remark:
        return event.remark
    if was is None:
        return "written later" if now else "forgotten"
    if not facts.moments:
        return "no moment"
    if was.state == SUPERSEDED:
        return "superseded"
    at_boundary = not event.agent and any(moment in BOUNDARIES for moment in facts.moments)
    if set(keys).isdisjoint(hit) and not (was.pinned and at_boundary):
        if any(key.startswith("$") for key in keys) and "command" in partial:
            return "unknown"
        return "no key hit" if keys else "no trigger"
    return "beyond the cap" if event.more else "unknown"


def _rule(outcome: Outcome, was: Note | None, cap: int | None, before: tuple[Precedent, ...]) -> str:
    if outcome.status != "delivered":
        return rule(outcome.status, outcome.reason)
    if outcome.form == INDEX_BY_BUDGET:
        return "budget"
    if outcome.form == FULL:
        return "delivered"
    if outcome.origin in ("older working set", "recall") and not outcome.clauses:
        return outcome.origin
    if was is not None and cap is not None and was.cost > cap:
        return "cap"
    whole_before = any(one.in_epoch and one.form == FULL for one in before)
    return "ledger" if whole_before else "delivered"


def _counts(precedent: Precedent, rule: str, event: Event) -> bool:
    """Whether an earlier delivery is one that `rule` looks at."""
    if rule == "max_deliveries":
        return precedent.counted
    if not precedent.in_epoch:
        return False
    if rule == "turn":
        return precedent.turn == event.turn
    if rule == "budget":
        return precedent.form == INDEX_BY_BUDGET
    return rule in ("ledger", "cooldown")


def _spending(con: sqlite3.Connection, event: Event, facts: Facts, was: Note, outcome: Outcome) -> Spending:
    settings = settings_at(con, event.setting_revision)
    at_boundary = any(moment in BOUNDARIES for moment in facts.moments)
    scope, used = ("boundary", event.boundary_spent) if at_boundary else ("turn", event.turn_spent)
    ahead = event.outcomes[: event.outcomes.index(outcome)]
    taken = sum(other.cost for other in ahead)
    left = min(settings[f"budget.{scope}"] - used, settings["budget.epoch"] - event.epoch_spent)
    return Spending(
        scope=scope,
        limit=settings[f"budget.{scope}"],
        spent=used,
        epoch_limit=settings["budget.epoch"],
        epoch_spent=event.epoch_spent,
        kept_for_lines=settings["budget.boundary_index"] if at_boundary else 0,
        ahead=taken,
        left=max(0, left - taken),
        needed=tokens(fill(was.text, _why(was, facts, outcome), recorded_marks(event, was.id)) + "\n"),
        needed_as_line=tokens(was.line + "\n"),
        stopped_by=next((other.note for other in ahead if _was_over_budget(other)), None),
    )


def _why(was: Note, facts: Facts, outcome: Outcome) -> str:
    """The condition that the note's header would have named."""
    verdicts = (judge(clause, facts) for clause in was.clauses)
    return next((verdict.why for verdict in verdicts if verdict), "") or ORIGINS.get(outcome.origin, "")


def _was_over_budget(outcome: Outcome) -> bool:
    return outcome.form == INDEX_BY_BUDGET or (outcome.status, outcome.reason) == ("held back", "budget")
