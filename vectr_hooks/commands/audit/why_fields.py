"""An explanation as JSON gives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from vectr_hooks.commands.audit.listing import event_fields, outcome_fields
from vectr_hooks.core.explain import ClauseReading, Reading
from vectr_hooks.store.explanation import Explanation
from vectr_hooks.store.precedents import Precedent


def explanation_fields(explanation: Explanation) -> dict[str, object]:
    outcome = explanation.outcome
    return {
        "note": _note_fields(explanation),
        "event": _event_fields(explanation),
        "candidate": outcome is not None,
        "outcome": None if outcome is None else outcome_fields(outcome),
        "clauses": [_clause_fields(clause) for clause in explanation.clauses],
        "keys": {"note": list(explanation.keys), "event": list(explanation.event_keys)},
        "decided": _decided_fields(explanation),
    }


def _note_fields(explanation: Explanation) -> dict[str, object]:
    was, now = explanation.was, explanation.now
    return {
        "id": explanation.note,
        "forgotten": now is None,
        "newest_revision": now and now.revision,
        "revision": was and was.revision,
        "title": was and was.title,
        "kind": was and was.kind,
        "cost_tokens": was and was.cost,
    }


def _event_fields(explanation: Explanation) -> dict[str, object]:
    fields = event_fields(explanation.event)
    del fields["outcomes"]
    recorded = explanation.is_recorded(explanation.event.id)
    return fields | {"event": explanation.event.id if recorded else None, "recorded": recorded}


def _clause_fields(clause: ClauseReading) -> dict[str, object]:
    return {
        "clause": clause.number,
        "holds": clause.holds,
        "vetoed": clause.vetoed,
        "recorded": clause.recorded,
        "conditions": _readings(clause.conditions),
        "unless": _readings(clause.unless),
    }


def _readings(readings: Sequence[Reading]) -> list[dict[str, object]]:
    return [
        asdict(reading) | {"expected": list(reading.expected), "seen": list(reading.seen)}
        for reading in readings
    ]


def _decided_fields(explanation: Explanation) -> dict[str, object]:
    outcome, was, spending = explanation.outcome, explanation.was, explanation.spending
    trigger = was.trigger if was else None
    return {
        "rule": explanation.rule,
        "reason": outcome.reason if outcome else explanation.absence,
        "earlier": [_precedent_fields(explanation, one) for one in explanation.precedents],
        "budget": None if spending is None else asdict(spending),
        "limits": {
            "cap_tokens": explanation.cap,
            "cooldown": trigger and trigger.cooldown,
            "max_deliveries": trigger and trigger.max_deliveries,
            "not_before": trigger.not_before if trigger else "",
            "expires": trigger.expires if trigger else "",
            "today": explanation.facts.today,
        },
    }


def _precedent_fields(explanation: Explanation, precedent: Precedent) -> dict[str, object]:
    recorded = explanation.is_recorded(precedent.event)
    return {
        "event": precedent.event if recorded else None,
        "name": precedent.name,
        "at_ms": precedent.at,
        "epoch": precedent.epoch,
        "turn": precedent.turn,
        "turns_before": precedent.turns,
        "form": precedent.form,
        "clauses": list(precedent.clauses),
    }
