"""Events as a timeline for people: sessions, epochs, turns, and what each note cost."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from vectr_hooks import output
from vectr_hooks.commands.audit.listing import facts_in_words
from vectr_hooks.core.model import POST_COMPACTION
from vectr_hooks.store.journal import Event, Outcome

WIDTH = 78
SHORTEST_SESSION = 8

_STYLES = {"delivered": "green", "held back": "yellow"}


@dataclass(frozen=True)
class Stretch:
    """Where an event stands: what its heading says."""

    session: str
    agent: str
    epoch: int
    turn: int


class Timeline:
    """Draws events one after another; a heading comes where one of them stands elsewhere than the last."""

    def __init__(self, *, every_candidate: bool, sessions: Iterable[str]) -> None:
        self.every_candidate = every_candidate
        self.shown = shortened(sessions)
        self.at: Stretch | None = None
        self.day = ""

    def parts(self, events: Sequence[Event]) -> Iterator[RenderableType]:
        for (stretch, day), together in groupby(events, _place):
            yield from self._headings(stretch, day, events)
            yield self._table(together)

    def _headings(self, stretch: Stretch, day: str, events: Sequence[Event]) -> Iterator[RenderableType]:
        before = self.at
        same_agent = before and (before.session, before.agent) == (stretch.session, stretch.agent)
        if not same_agent or day != self.day:
            if before:
                yield ""
            yield Text(self._conversation(stretch, events), style="bold") + Text(f"  {day}", style="dim")
        if not same_agent or (before and before.epoch != stretch.epoch):
            compacted = same_agent or stretch.epoch > 0
            name = f"compaction, epoch {stretch.epoch}" if compacted else f"epoch {stretch.epoch}"
            yield Text(f"── {name} ".ljust(WIDTH, "─"), style="cyan" if compacted else "dim")
        if not same_agent or before != stretch:
            yield Text(f"turn {stretch.turn}" if stretch.turn else "before the first turn", style="dim")
        self.at, self.day = stretch, day

    def _conversation(self, stretch: Stretch, events: Sequence[Event]) -> str:
        session = output.visible(self.shown.get(stretch.session, stretch.session))
        if not stretch.agent:
            return f"session {session}"
        kinds = {str(event.facts.get("subagent") or "") for event in events if event.agent == stretch.agent}
        kind = f" ({output.visible(max(kinds))})" if any(kinds) else ""
        return f"session {session}, subagent {output.visible(stretch.agent)}{kind}"

    def _table(self, events: Iterable[Event]) -> Table:
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True, min_width=len("00:00:00"))
        table.add_column(no_wrap=True, justify="right", min_width=5)
        table.add_column(no_wrap=True, justify="right", min_width=4)
        table.add_column(overflow="fold")
        for event in events:
            clock = time.strftime("%H:%M:%S", time.gmtime(event.at / 1000))
            cost = str(event.cost) if event.cost else ""
            table.add_row(Text(clock, style="dim"), str(event.id), Text(cost, style="bold"), _what(event))
            for line, spent in self._outcomes(event):
                table.add_row("", "", Text(spent, style="dim"), line)
        return table

    def _outcomes(self, event: Event) -> Iterator[tuple[Text, str]]:
        hidden = 0
        for outcome in event.outcomes:
            if outcome.status == "unmatched" and not self.every_candidate:
                hidden += 1
                continue
            yield _outcome(outcome), str(outcome.cost) if outcome.cost else ""
        if hidden:
            yield Text(f"  {hidden} unmatched", style="dim"), ""
        if event.more:
            yield Text(f"  {event.more} more candidates were not considered", style="yellow"), ""


def by_conversation(events: Sequence[Event]) -> list[Event]:
    """`events`, with those of one conversation together; conversations in the order of their first."""
    order: dict[tuple[str, str], int] = {}
    for event in events:
        order.setdefault((event.session, event.agent), len(order))
    return sorted(events, key=lambda event: order[event.session, event.agent])


def shortened(sessions: Iterable[str]) -> dict[str, str]:
    """Each of `sessions` cut as far as they can still be told apart."""
    there = sorted(set(sessions))
    length = SHORTEST_SESSION
    while len({session[:length] for session in there}) < len(there):
        length += 4
    return {session: session[:length] for session in there}


def _place(event: Event) -> tuple[Stretch, str]:
    day = time.strftime("%Y-%m-%d", time.gmtime(event.at / 1000))
    return Stretch(event.session, event.agent, event.epoch, event.turn_number), day


def _what(event: Event) -> Text:
    """What happened, in one line."""
    moments = event.facts.get("moments")
    names = ", ".join(map(str, moments)) if isinstance(moments, list) else ""
    title = Text(output.visible(names or event.name), style="magenta" if POST_COMPACTION in names else "bold")
    details = list(facts_in_words(event.facts))
    if event.remark:
        details.insert(0, event.remark)
    if details:
        title.append("  " + output.visible("; ".join(details)), style="not bold dim")
    return title


def _outcome(outcome: Outcome) -> Text:
    status = f"{outcome.status} {outcome.form}" if outcome.form else outcome.status
    origin = "" if outcome.origin == "trigger" else f"{outcome.origin}; "
    reason = f"{origin}{outcome.reason}".removesuffix("; ")
    title = "forgotten since" if outcome.title is None else outcome.title
    line = Text(f"  {status}", style=_STYLES.get(outcome.status, "dim"))
    line.append(f"  #{outcome.note} {output.visible(title)}", style="" if outcome.cost else "dim")
    if reason:
        line.append(f"  ({output.visible(reason)})", style="dim")
    return line
