"""What a hook answers to one event, inside one transaction of the store."""

import os
import time

from vectr_hooks.core.conversation import Conversation, advance, remember_event, repeats
from vectr_hooks.core.keys import event_keys
from vectr_hooks.core.model import BOUNDARIES, POST_COMPACTION, PROMPT_SUBMIT, Facts
from vectr_hooks.core.occurrence import (
    COMPACTION_ANNOUNCED,
    PROMPT,
    RESUMED,
    SESSION_BEGINS,
    TOOL_AFTER,
    TOOL_FAILED,
)
from vectr_hooks.facts import gather, look_into_files, observe
from vectr_hooks.store import audit, candidates, ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from sqlite3 import Connection
    from types import ModuleType

    from vectr_hooks.core.budget import Limits
    from vectr_hooks.core.model import Candidate, Decision
    from vectr_hooks.core.occurrence import Occurrence
    from vectr_hooks.store.workspace import Workspace

ANNOUNCED_IDS = 10


class Delivered:
    """What the model is given at one event, and how that was decided."""

    __slots__ = ("cost", "decisions", "facts", "more", "text")

    def __init__(
        self,
        facts: Facts,
        text: str = "",
        cost: int = 0,
        decisions: "Sequence[Decision]" = (),
        more: int = 0,
    ) -> None:
        #: what the decisions depended on
        self.facts = facts
        self.text = text
        #: tokens
        self.cost = cost
        self.decisions = decisions
        #: candidates beyond the cap
        self.more = more


class Response:
    """One event being answered: from which store, for which host, where, when, and under which settings."""

    def __init__(
        self,
        connection: "Connection",
        host: "ModuleType",
        event: "Occurrence",
        place: "Workspace",
        now_ms: int,
        started_ns: int = 0,
    ) -> None:
        self.connection = connection
        self.host = host
        self.event = event
        self.place = place
        self.now_ms = now_ms
        self.started_ns = started_ns
        self.settings: "Mapping[str, int]" = ledger.read_settings(connection)
        # Before the store is locked: the fewer instructions between BEGIN and COMMIT, the less others wait.
        self.sight = observe(connection, event, place)
        self._prepare_to_decide()

    def _prepare_to_decide(self) -> None:
        """Import what deciding takes, where there is likely something to decide on."""
        likely = gather(self.sight, self.event, (self.event.what + "-" + self.event.mode,), frozenset(), "")
        keys = event_keys(likely)
        if likely.recalled or candidates.any_trigger(self.connection, keys):
            from vectr_hooks.core import budget, ledger, pipeline, render  # noqa: F401

            if likely.targets:
                from vectr_hooks.core import globs  # noqa: F401

    def answer(self) -> bytes:
        """Decide, enter everything into ledger and audit, and return what to print.

        Must run between BEGIN IMMEDIATE and COMMIT, with the output flushed before the COMMIT: a process
        killed in between repeats a note rather than losing it.
        """
        if not self.settings["enabled"]:
            return b""
        conversation = self._conversation()
        event_id = ledger.next_event(self.connection)
        if self._is_duplicate(conversation, event_id):
            spent = audit.Spent(conversation)
            self._record(event_id, conversation, Delivered(Facts()), spent, b"", "duplicate")
            return b""
        moments = self._advance(conversation)
        spent = audit.Spent(conversation)
        if self.event.what == COMPACTION_ANNOUNCED:
            delivered = Delivered(Facts(), self._announcement(conversation))
        else:
            delivered = self._deliver(conversation, self._facts(moments, conversation))
            ledger.write_deliveries(
                self.connection, conversation, event_id, delivered.facts.moments, delivered.decisions
            )
            self._note_work(conversation, delivered.facts, event_id)
        output = self._output(delivered)
        remember_event(conversation, self.event, event_id, self.now_ms)
        ledger.write_conversation(self.connection, conversation)
        self._record(event_id, conversation, delivered, spent, output)
        return output

    def answer_unrecorded(self) -> bytes:
        """Answer from a store that cannot be written: boundaries only, since there is no ledger to keep."""
        known = self.event.what == SESSION_BEGINS and self.event.source not in ("resume", "fork")
        if not known or not self.settings["enabled"]:
            return b""
        conversation = Conversation(self.event.session, self.event.agent)
        moments = advance(conversation, self.event, -1, lambda: True)
        return self._output(self._deliver(conversation, self._facts(moments, conversation)))

    def _conversation(self) -> Conversation:
        event = self.event
        # A host that gives no session id may still name the transcript.
        session = event.session or event.transcript or ledger.anonymous_session(self.connection, self.now_ms)
        conversation = ledger.read_conversation(self.connection, session, event.agent)
        if conversation is None and not event.agent and event.what in (SESSION_BEGINS, PROMPT):
            conversation = self._forked(session)
        if conversation is None:
            conversation = Conversation(
                session, event.agent, self.host.NAME, event.transcript, self.place.root
            )
        return conversation

    def _forked(self, session: str) -> "Conversation | None":
        """Give a session that continues another under a new id the ledger of that one.

        Some hosts say so; others report that the old session resumes, and then prompts come under the new id.
        """
        if self.event.what == SESSION_BEGINS and self.event.source != "fork":
            return None
        parent = ledger.last_conversation(self.connection, session, self.place.root)
        if parent is None or (self.event.what == PROMPT and parent.last_event != RESUMED):
            return None
        return ledger.inherit(self.connection, parent, session)

    def _is_duplicate(self, conversation: Conversation, event_id: int) -> bool:
        if repeats(conversation, self.event):
            return True
        identity = self.event.identity
        return bool(identity) and not ledger.claim(
            self.connection, conversation.session, conversation.agent, identity, event_id
        )

    def _advance(self, conversation: Conversation) -> "tuple[str, ...]":
        transcript, size, epoch = conversation.transcript, conversation.armed_size, conversation.epoch
        moments = advance(
            conversation,
            self.event,
            _length(self.event.transcript) if self.event.what == COMPACTION_ANNOUNCED else -1,
            lambda: self.host.compacted_since(self.event.transcript or transcript, size),
        )
        if conversation.epoch != epoch and conversation.kept_event:
            ledger.keep_deliveries(self.connection, conversation)
        return moments

    def _facts(self, moments: "tuple[str, ...]", conversation: Conversation) -> Facts:
        today = time.strftime("%Y-%m-%d", time.gmtime(self.now_ms // 1000))
        before = ledger.read_needles(self.connection, conversation.session, conversation.turn)
        if PROMPT_SUBMIT in moments and self.sight.needles:
            ledger.write_needles(self.connection, conversation.session, conversation.turn, self.sight.needles)
        self.event.session = conversation.session
        return gather(self.sight, self.event, moments, before, today, self.place.root)

    def _deliver(self, conversation: Conversation, facts: Facts) -> Delivered:
        if not facts.moments:
            return Delivered(facts)
        found, more = self._candidates(conversation, facts)
        if not found and not _at_boundary(facts):
            return Delivered(facts)
        facts = look_into_files(facts, found, self.place.root)
        # Imported here: at most events there is nothing to decide.
        from vectr_hooks.core.budget import tokens

        limits = self._limits(conversation, facts)
        decisions, lines, spent, told = self._settle(conversation, facts, found, limits)
        handoff = self._handoff(conversation, facts, limits.tokens - spent, lines)
        if handoff:
            lines = [*lines, handoff]
            spent += tokens(handoff + "\n")
        _charge(conversation, facts, spent, told)
        return Delivered(facts, "\n".join(lines), spent, decisions, more)

    def _settle(
        self, conversation: Conversation, facts: Facts, found: "Sequence[Candidate]", limits: "Limits"
    ) -> "tuple[Sequence[Decision], Sequence[str], int, bool]":
        """Decide on the candidates `found`; return the decisions, the lines to print, their tokens, and
        whether one of them tells what was held back."""
        if not found:
            return (), (), 0, False
        from vectr_hooks.core import pipeline

        past = ledger.read_ledger(self.connection, conversation, found)
        decisions = pipeline.decide(found, facts, past, self.settings)
        waiting = pipeline.matched(decisions)
        if not waiting:
            return decisions, (), 0, False
        texts = candidates.texts(self.connection, [decision.candidate.revision for decision in waiting])
        if facts.recalled:
            decisions = pipeline.limit_recall(decisions, facts, texts, self.settings)
            waiting = pipeline.matched(decisions)
        decisions, packed = pipeline.deliver(decisions, texts, self._marks(waiting), limits)
        return decisions, packed.lines, packed.spent, packed.told

    def _candidates(self, conversation: Conversation, facts: Facts) -> "tuple[list[Candidate], int]":
        most = self.settings["candidates.max"]
        notes, more = candidates.by_trigger(self.connection, event_keys(facts), most)
        beyond: "dict[int, tuple[str, tuple[int, ...]]]" = dict.fromkeys(facts.recalled, ("recall", ()))
        if _at_boundary(facts) and not conversation.agent:
            boundary = candidates.by_boundary(
                self.connection,
                conversation.session,
                conversation.epoch,
                facts.moments,
                self.settings["working_set.epochs"],
            )
            beyond.update(boundary)
        notes = sorted({*notes, *beyond})
        if not notes:
            return [], more
        found = candidates.read(self.connection, notes, beyond)
        found.sort(key=lambda candidate: candidate.precedence)
        return found[:most], more + max(0, len(found) - most)

    def _marks(self, waiting: "Sequence[Decision]") -> "dict[int, list[str]]":
        whole = [decision.candidate.note for decision in waiting if decision.form == "full"]
        watched = candidates.watched_paths(self.connection, whole)
        if not watched:
            return {}
        from vectr_hooks.staleness import marks

        return {note: marks(self.place.root, paths) for note, paths in watched.items()}

    def _limits(self, conversation: Conversation, facts: Facts) -> "Limits":
        from vectr_hooks.core.budget import Limits

        settings = self.settings
        left = settings["budget.epoch"] - conversation.epoch_spent
        if _at_boundary(facts):
            left = max(0, min(left, settings["budget.boundary"] - conversation.boundary_spent))
            whole = max(0, left - settings["budget.boundary_index"])
        else:
            whole = left = max(0, min(left, settings["budget.turn"] - conversation.turn_spent))
        return Limits(left, whole, settings["budget.bytes"], not conversation.told_held_back)

    def _handoff(self, conversation: Conversation, facts: Facts, left: int, lines: "Sequence[str]") -> str:
        begins = self.event.source == "startup" or POST_COMPACTION in facts.moments
        if not begins or not _at_boundary(facts) or conversation.agent:
            return ""
        from vectr_hooks.core.budget import size
        from vectr_hooks.work_in_progress import tell

        most = min(left, self.settings["budget.handoff"])
        text = tell(self.connection, conversation.session, self.place.root, facts, self.now_ms, most)
        return text if size("\n".join([*lines, text])) <= self.settings["budget.bytes"] else ""

    def _announcement(self, conversation: Conversation) -> str:
        """Tell the summariser what need not be paraphrased, in ids and counts: the model sees it too."""
        notes = ledger.working_set_notes(self.connection, conversation.session)
        if not notes or conversation.agent:
            return ""
        ids = " ".join("#" + str(note) for note in notes[:ANNOUNCED_IDS])
        rest = " and " + str(len(notes) - ANNOUNCED_IDS) + " more" if len(notes) > ANNOUNCED_IDS else ""
        return (
            "Notes kept outside this conversation by vectr-hooks ("
            + ids
            + rest
            + ") are delivered again, verbatim,"
            " right after the compaction; the summary need not paraphrase them."
        )

    def _output(self, delivered: Delivered) -> bytes:
        if not delivered.text:
            return b""
        message = ""
        if self.settings["feedback"]:
            notes = [d.candidate.note for d in delivered.decisions if d.status == "delivered"]
            message = f"{len(notes)} notes, {delivered.cost} tokens: {' '.join(f'#{note}' for note in notes)}"
        output: bytes = self.host.answer(self.connection, self.event, delivered.text, message)
        return output

    def _note_work(self, conversation: Conversation, facts: Facts, event_id: int) -> None:
        edited = any(moment == "post-edit" for moment, _ in facts.targets)
        if self.event.what in (TOOL_AFTER, TOOL_FAILED) and (edited or self.event.command):
            from vectr_hooks.work_in_progress import note

            note(self.connection, conversation.session, self.event, facts, event_id)

    def _record(
        self,
        event_id: int,
        conversation: Conversation,
        delivered: Delivered,
        spent: audit.Spent,
        output: bytes,
        remark: str = "",
    ) -> None:
        printed = audit.Printed(output, delivered.cost)
        if delivered.decisions:
            audit.record_outcomes(self.connection, event_id, delivered.decisions)
        took_us = (time.perf_counter_ns() - self.started_ns) // 1000 if self.started_ns else 0
        audit.record_event(
            self.connection,
            event_id,
            self.event,
            conversation,
            delivered.facts,
            spent,
            printed,
            remark,
            delivered.more,
            self.now_ms,
            took_us,
        )


def _at_boundary(facts: Facts) -> bool:
    return any(moment in BOUNDARIES for moment in facts.moments)


def _charge(conversation: Conversation, facts: Facts, spent: int, told: bool) -> None:
    if _at_boundary(facts):
        conversation.boundary_spent += spent
    else:
        conversation.turn_spent += spent
    conversation.epoch_spent += spent
    conversation.told_held_back = int(conversation.told_held_back or told)


def _length(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1
