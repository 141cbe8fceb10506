"""What is not known of an event's texts: needles that nobody looked for when it happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vectr_hooks.core.compile import SORTS
from vectr_hooks.core.conditions import SCALE, SEMANTIC, is_about_one_thing, judge
from vectr_hooks.core.explain import read_clause
from vectr_hooks.core.keywords import window
from vectr_hooks.core.model import PROMPT_SUBMIT, Clause, Facts
from vectr_hooks.core.needles import COMMAND, FILE_SYMBOL, KEYWORD, OUTPUT, SYMBOL
from vectr_hooks.core.occurrence import PROMPT, TOOL_AFTER, TOOL_FAILED
from vectr_hooks.replay.past import Past
from vectr_hooks.search_texts import keywords, outputs, recalled_notes, symbols
from vectr_hooks.store import event_texts
from vectr_hooks.store.journal import Event, partly_recorded
from vectr_hooks.store.notes import stored_revisions

NO_PROMPT = "depended on a prompt, which is not kept"
NO_INPUT = "depended on a tool's input, which is not kept"
NO_RESULT = "depended on a tool's result, which is not kept"
NO_FILE = "depended on what a file held"
NO_COMMAND = "depended on a command line that is not kept whole"

_Turn = tuple[str, str]


class Vocabulary:
    """The needles that hooks looked for in texts, and of those wanted now the ones that they did not."""

    def __init__(self, past: Past, wanted: Iterable[str]) -> None:
        self._revisions = stored_revisions(past.recorded, {})
        self._next = next(self._revisions, None)
        self._of_note: dict[int, set[str]] = {}
        self._notes: Counter[str] = Counter()
        self._wanted = frozenset(wanted)
        #: needles that are wanted now and were not looked for
        self.missing = set(self._wanted)

    def advance(self, note_revision: int) -> None:
        """Look for what notes did when `note_revision` was the newest of all."""
        while self._next is not None and self._next.number <= note_revision:
            note = self._next.id
            needles = {str(needle) for _, needle, _ in self._next.needles}
            self._notes.subtract(self._of_note.get(note, ()))
            self._notes.update(needles)
            changed = self._of_note.get(note, set()) | needles
            self._of_note[note] = needles
            for needle in changed & self._wanted:
                (self.missing.discard if self._notes[needle] > 0 else self.missing.add)(needle)
            self._next = next(self._revisions, None)


@dataclass(frozen=True)
class Known:
    """The facts of an event as far as they are known for the notes that are asked about."""

    facts: Facts
    own: frozenset[str] = frozenset()
    """Needles that its own texts may hold."""
    of_turn: frozenset[str] = frozenset()
    """Needles that the prompt of its turn may hold."""
    files: bool = False
    """Whether it had files whose content is not known."""
    command: bool = False
    """Whether its command line is not known whole."""
    recall: bool = False
    """Whether a prompt that is not known may have brought notes up."""
    is_known: bool = True
    """Whether the event can be played at all."""

    def possible(self, clauses: Iterable[Clause]) -> Facts:
        """The facts in which everything holds that may hold and that one of `clauses` asks for."""
        own = set(self.own)
        similar = dict(self.facts.similar)
        for clause in clauses:
            if self._was_not_compared(clause):
                similar[clause.note] = SCALE
            for name, values in (*clause.conditions, *clause.unless):
                if name == "symbol" and self.files:
                    own.update(FILE_SYMBOL + value for value in values)
                elif name == "command" and self.command:
                    own.update(COMMAND + value for value in values)
        facts = self.facts.having(self.facts.needles.union(own, self.of_turn))
        facts.fresh = self.facts.fresh.union(own)
        facts.similar = similar
        return facts

    def _was_not_compared(self, clause: Clause) -> bool:
        """Whether nobody compared the prompt of this event with the note of `clause`, which asks for it."""
        asks = any(name == SEMANTIC for name, _ in clause.conditions)
        return asks and PROMPT_SUBMIT in self.facts.moments and clause.note not in self.facts.similar

    def holds(self, clause: Clause) -> bool | None:
        """Whether `clause` held; None where what is known does not say."""
        possible = self.possible([clause])
        plain = Clause(clause.number, clause.conditions, note=clause.note)
        certain = bool(judge(plain, self.facts)) and not _vetoed(clause, possible)
        if certain:
            return True
        return None if judge(plain, possible) and not _vetoed(clause, self.facts) else False

    def reasons(self, clause: Clause) -> Iterator[str]:
        """What of the event `clause` depended on and is not known."""
        prompted = PROMPT_SUBMIT in self.facts.moments
        joined = bool(clause.unless) or not is_about_one_thing([name for name, _ in clause.conditions])
        if self._was_not_compared(clause):
            yield NO_PROMPT
        for name, values in (*clause.conditions, *clause.unless):
            if name == "command" and self.command:
                yield NO_COMMAND
            if name == "symbol" and self.files and any(n == "path" for n, _ in clause.conditions):
                yield NO_FILE
            for needle in (SORTS[name] + value for value in values if name in SORTS):
                if needle in self.own:
                    yield NO_PROMPT if prompted else NO_RESULT if name == "output" else NO_INPUT
                if needle in self.of_turn and joined:
                    yield NO_PROMPT


def _vetoed(clause: Clause, facts: Facts) -> bool:
    return bool(clause.unless) and bool(read_clause(clause, facts).vetoed)


class Texts:
    """What is known of the texts of events, read in order."""

    def __init__(self, past: Past, vocabulary: Vocabulary) -> None:
        self._past = past
        self._vocabulary = vocabulary
        #: per session and turn, what its prompt holds, and what it may hold
        self._turns: dict[_Turn, tuple[set[str], set[str]]] = {}

    def known(self, event: Event, facts: Facts) -> Known:
        """The facts of `event`, whose recorded ones are `facts`, with what its kept texts hold."""
        self._vocabulary.advance(event.note_revision)
        missing = self._vocabulary.missing
        texts = event_texts.read_texts(self._past.recorded, event.id)
        what = event.facts.get("what")
        found, unknown = set[str](), set[str]()
        prompted = PROMPT_SUBMIT in facts.moments
        recalled = facts.recalled
        sorts = {
            event_texts.PROMPT: (KEYWORD + SYMBOL) if what == PROMPT and prompted else "",
            event_texts.INPUT: SYMBOL if event.facts.get("input") and not prompted else "",
            event_texts.RESULT: OUTPUT if what in (TOOL_AFTER, TOOL_FAILED) else "",
        }
        for name, letters in sorts.items():
            text = texts.get(name)
            if text is not None and letters:
                found |= self._found(name, text)
            if text is None or not event_texts.is_whole(text):
                unknown |= {needle for needle in missing if needle[0] in letters}
        whole_prompt = prompted and event_texts.is_whole(texts.get(event_texts.PROMPT, "[redacted: "))
        if whole_prompt and not event.agent:
            recalled = tuple(recalled_notes(self._past.store, texts[event_texts.PROMPT]))
        unknown -= found
        turn = (event.session, event.turn)
        if prompted:
            self._turns[turn] = (found, unknown)
        of_turn, may_be = self._turns.get(turn, (set[str](), self._before(event)))
        files = bool(facts.targets)
        known = facts.having(facts.needles.union(found, of_turn))
        known.fresh = facts.fresh.union(found)
        known.recalled = recalled
        return Known(
            known,
            frozenset(unknown),
            frozenset(may_be) - known.needles,
            files,
            "command" in partly_recorded(event),
            prompted and not whole_prompt and not event.agent,
        )

    def _found(self, name: str, text: str) -> set[str]:
        store = self._past.store
        if name == event_texts.RESULT:
            return outputs(store, text)[0]
        held = symbols(store, window(text))
        return held | keywords(store, window(text)) if name == event_texts.PROMPT else held

    def _before(self, event: Event) -> set[str]:
        """What a prompt may hold that is no longer in the audit: nothing where there was none."""
        if not event.turn_number:
            return set()
        return {needle for needle in self._vocabulary.missing if needle[0] in KEYWORD + SYMBOL}
