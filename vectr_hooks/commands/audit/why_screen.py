"""An explanation for people: the verdict, what led to it, and every clause as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vectr_hooks import output
from vectr_hooks.commands.audit.listing import heading
from vectr_hooks.commands.audit.why_words import asked, details, had, headline
from vectr_hooks.core.explain import ClauseReading, Reading
from vectr_hooks.store.explanation import Explanation

INDENT = 2

_MARKS = {True: ("yes", "green"), False: ("no", "red"), None: ("?", "yellow")}


def parts(explanation: Explanation) -> Iterator[RenderableType]:
    """The explanation from the top: note, event, verdict, clauses."""
    yield _text(_note(explanation), "bold")
    yield _text(_event(explanation), "dim")
    yield ""
    delivered = explanation.outcome is not None and explanation.outcome.status == "delivered"
    style = "bold green" if delivered else "bold yellow"
    yield _text(headline(explanation), style)
    for line in details(explanation):
        yield Padding(_text(line), (0, 0, 0, INDENT))
    for number, clause in enumerate(explanation.clauses, 1):
        yield ""
        yield _text(f"clause {number} of {len(explanation.clauses)} {_verdict(clause)}", "bold")
        yield Padding(_table(explanation, clause), (0, 0, 0, INDENT), expand=False)


def _note(explanation: Explanation) -> str:
    was, now = explanation.was, explanation.now
    note = was or now
    if note is None:
        return f"#{explanation.note} (forgotten since)"
    if was is None:
        state = " (written later)"
    else:
        state = "" if now and now.revision == was.revision else " (as it was then; changed since)"
    return f"#{note.id} {note.kind}: {note.title}{state}"


def _event(explanation: Explanation) -> str:
    event = explanation.event
    if explanation.is_recorded(event.id):
        return f"{heading(event)}, turn {event.turn}"
    agent = f", agent {event.agent}" if event.agent else ""
    return f"{event.name}{agent}, played in a session that has just started; nothing is recorded"


def _verdict(clause: ClauseReading) -> str:
    as_recorded = "" if clause.recorded is None else _beyond_record(clause)
    if clause.holds:
        return f"holds{as_recorded}"
    if clause.holds is None:
        return "may hold: what is recorded does not say"
    if clause.vetoed and all(reading.holds for reading in clause.conditions):
        return f"is vetoed by its `unless`{as_recorded}"
    return f"does not hold{as_recorded}"


def _beyond_record(clause: ClauseReading) -> str:
    """What is added when the hook's own verdict says more than the conditions as they can be shown."""
    if clause.recorded:
        shown = all(reading.matched or reading.implied for reading in clause.conditions)
        shown = shown and clause.vetoed is False
    else:
        shown = replace(clause, recorded=None).holds is False
    return "" if shown else ", as the hook recorded; what is kept no longer shows it"


def _table(explanation: Explanation, clause: ClauseReading) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    table.add_column("condition", no_wrap=True)
    for name in ("asks for", "the event had"):
        table.add_column(name, overflow="fold", min_width=16)
    for reading in clause.conditions:
        # What goes without saying is said when it fails.
        if not (reading.implied and reading.holds):
            _add(table, explanation, reading, reading.condition)
    for reading in clause.unless:
        _add(table, explanation, reading, f"unless {reading.condition}")
    return table


def _add(table: Table, explanation: Explanation, reading: Reading, name: str) -> None:
    mark, style = _MARKS[reading.holds]
    if name != reading.condition and reading.holds is not None:
        # In `unless` it is a condition that holds which speaks against delivery.
        style = _MARKS[not reading.holds][1]
    table.add_row(Text(mark, style=style), name, _text(asked(reading)), _text(had(explanation, reading)))


def _text(text: str, style: str = "") -> Text:
    return Text(output.visible(text), style=style)
