"""An explanation's verdict in words: what became of the note, and what decided it."""

from __future__ import annotations

from collections.abc import Iterator

from vectr_hooks.core.explain import Reading, key_in_words
from vectr_hooks.core.pipeline import ORIGINS
from vectr_hooks.output import counted
from vectr_hooks.store.explanation import NOT_A_CANDIDATE, Explanation, Spending
from vectr_hooks.store.precedents import Precedent

_FORMS = {"full": "in full", "index": "as an index line", "index:budget": "as an index line, for the budget"}

_ABSENT = {
    "duplicate": "the host reported this event twice, and the first report was answered",
    "forgotten": "the note was forgotten since, and with it when it was to arrive",
    "written later": "the note was written after this event",
    "no moment": "the event is no moment at which notes are delivered",
    "no key hit": "the event has nothing of what finds the note",
    "no trigger": "the note has no trigger, and nothing else brought it up; `vectr-hooks recall` finds it",
    "beyond the cap": "more notes that outrank it could match than are considered at one event",
    "unknown": "what is recorded does not say why",
}

#: what an event has of a condition when it has nothing
_NOTHING = {
    "event": "no moment",
    "path": "no file",
    "command": "no command",
    "tool": "no tool",
    "subagent": "the main conversation",
    "branch": "no branch",
}


def headline(explanation: Explanation) -> str:
    """What became of the note, in one line."""
    outcome = explanation.outcome
    if outcome is None:
        reason = _ABSENT.get(explanation.absence, explanation.absence)
        return f"{NOT_A_CANDIDATE}: {reason}"
    rule = "" if explanation.rule in ("delivered", outcome.status) else f" ({explanation.rule})"
    if outcome.status != "delivered":
        reason = _without_stage(outcome.reason)
        return f"{outcome.status}{rule}" + ("" if reason == explanation.rule else f": {reason}")
    form = _FORMS.get(outcome.form, outcome.form).partition(",")[0]
    return f"delivered {form}{rule}, {outcome.cost} tokens{_why_a_line(explanation)}"


def details(explanation: Explanation) -> Iterator[str]:
    """What stands behind the verdict, a line each."""
    outcome = explanation.outcome
    if outcome is None:
        yield from _absence(explanation)
        return
    if outcome.origin == "recall":
        yield "A prompt brought it up: it has no trigger."
    elif outcome.origin != "trigger":
        yield f"A boundary brought it: {ORIGINS[outcome.origin]}."
    if explanation.was is None:
        yield "The note was forgotten since, and with it the conditions it had."
    if explanation.rule == "dates":
        yield f"The event's day, in UTC, was {explanation.facts.today}."
    if explanation.rule == "withheld":
        yield "It comes from a file in the repository: `vectr-hooks trust` shows how that stands."
    yield from _earlier(explanation)
    if explanation.spending:
        yield from _budget(explanation.spending)


def asked(reading: Reading) -> str:
    """What a condition asks for; where it holds for one of several, that one first."""
    if reading.expected:
        text = " or ".join(reading.expected)
        if reading.matched:
            others = [value for value in reading.expected if value != reading.matched]
            text = reading.matched + (f" (or {' or '.join(others)})" if others else "")
        return f"{text} (implied)" if reading.implied else text
    return "the main conversation (implied)" if reading.condition == "subagent" else "any moment (implied)"


def had(explanation: Explanation, reading: Reading) -> str:
    """What the event had for a condition to compare with; of a text that is not kept, what is known of it."""
    seen = ", ".join(reading.seen)
    if reading.condition == "keyword":
        seen = f"these keywords: {seen}" if seen else "no keyword of any note"
        is_recorded = explanation.is_recorded(explanation.event.id)
        return f"the prompt is not stored; it held {seen}" if is_recorded else f"a prompt with {seen}"
    seen = seen or _NOTHING.get(reading.condition, "nothing that is recorded")
    if reading.condition in explanation.partial:
        return f"{seen} (the line is stored without secrets, up to 200 characters)"
    return seen


def _why_a_line(explanation: Explanation) -> str:
    was = explanation.was
    if explanation.rule == "budget":
        return ": the full text did not fit the budget"
    if explanation.rule == "cap" and was:
        cap = f"cap.{was.kind} is {explanation.cap}"
        return f": {cap}" if not explanation.cap else f": its text has {was.cost} tokens, {cap}"
    if explanation.rule == "ledger":
        return ": it was given in full in this epoch already, under another clause"
    if explanation.rule == "older working set":
        return ": it was used in an epoch long past"
    if explanation.rule == "recall":
        return ": it has much in common with the prompt"
    return ""


def _without_stage(reason: str) -> str:
    """A reason without the name of the stage that gave it, which the rule says already."""
    stage, _, rest = reason.partition(": ")
    return rest if stage in ("ledger", "recall", "turn", "withheld") else reason


def _absence(explanation: Explanation) -> Iterator[str]:
    event = explanation.event
    if explanation.absence == "no key hit":
        yield f"It is found by {' or '.join(key_in_words(key) for key in explanation.keys)}."
    elif explanation.absence == "beyond the cap":
        yield f"Notes that were not looked at: {event.more} (candidates.max)."
    elif explanation.absence == "unknown" and explanation.partial:
        yield "The command line is stored without secrets, up to 200 characters."


def _earlier(explanation: Explanation) -> Iterator[str]:
    for precedent in explanation.precedents:
        yield f"{_delivered(explanation, precedent)} {_when(explanation, precedent)}."
    was = explanation.was
    if explanation.rule == "cooldown" and was and was.trigger:
        yield f"A clause may deliver again after {counted(was.trigger.cooldown or 0, 'turn')}."
    if explanation.rule in ("turn", "ledger", "cooldown", "max_deliveries") and not explanation.precedents:
        yield "The ledger no longer holds that delivery."


def _delivered(explanation: Explanation, precedent: Precedent) -> str:
    form = _FORMS.get(precedent.form, precedent.form)
    if not explanation.is_recorded(precedent.event):
        return f"The {precedent.name} that is played before it delivered it {form},"
    name = f" ({precedent.name})" if precedent.name else ""
    return f"Event {precedent.event}{name} delivered it {form},"


def _when(explanation: Explanation, precedent: Precedent) -> str:
    before = f", {counted(precedent.turns, 'turn')} before" if precedent.turns else ""
    if not explanation.is_recorded(precedent.event):
        return f"in epoch {precedent.epoch}"
    return f"in epoch {precedent.epoch}, turn {precedent.turn}{before}"


def _budget(spending: Spending) -> Iterator[str]:
    where = "this turn" if spending.scope == "turn" else "this boundary"
    kept = f", {spending.kept_for_lines} of them kept for index lines" if spending.kept_for_lines else ""
    yield (
        f"In full it takes {spending.needed} tokens, as an index line {spending.needed_as_line}; "
        f"{spending.left} were left{kept}."
    )
    yield (
        f"Spent before at {where}: {spending.spent} of {spending.limit} (budget.{spending.scope}); in this "
        f"epoch: {spending.epoch_spent} of {spending.epoch_limit} (budget.epoch); at this event, by notes "
        f"that outrank it: {spending.ahead}."
    )
    if spending.stopped_by is not None:
        yield f"#{spending.stopped_by}, which outranks it, did not fit in full: no note after it is."
    elif spending.needed <= spending.left - spending.kept_for_lines:
        yield "The output's bytes decided (budget.bytes), or the room kept for the line that counts the rest."
