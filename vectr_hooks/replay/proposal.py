"""Plays recorded events with one note more than there were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from vectr_hooks.core.conditions import judge
from vectr_hooks.core.explain import can_nearly_hold, near_miss, read_clause
from vectr_hooks.core.occurrence import TOOL_AFTER, TOOL_FAILED
from vectr_hooks.core.pipeline import ORIGINS
from vectr_hooks.replay.otherwise import Otherwise, Played, form_of, place_of
from vectr_hooks.replay.past import Past
from vectr_hooks.store.journal import ALL, Choice, Outcome, is_among
from vectr_hooks.store.notes import NoteDraft
from vectr_hooks.store.revisions import Render, prepare, write
from vectr_hooks.trial import PROPOSED, Firing, NearMiss, Trial


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
            form, reason = form_of(own), "" if own.status == "delivered" else own.reason
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
