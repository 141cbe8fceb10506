"""What a hook answers to one event, inside one transaction of the store."""

import os
import time

from vectr_hooks.core.conversation import Conversation, advance, remember_event, repeats
from vectr_hooks.core.keys import event_keys
from vectr_hooks.core.model import PROMPT_SUBMIT, Facts
from vectr_hooks.core.occurrence import (
    COMPACT,
    COMPACTION_ANNOUNCED,
    PROMPT,
    RESUMED,
    SESSION_BEGINS,
    TOOL_AFTER,
    TOOL_FAILED,
)
from vectr_hooks.delivery import Delivered, Occasion
from vectr_hooks.facts import gather, look_into_files, observe
from vectr_hooks.store import audit, candidates, ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from sqlite3 import Connection
    from types import ModuleType

    from vectr_hooks.core.handoff import Work
    from vectr_hooks.core.model import Candidate
    from vectr_hooks.core.occurrence import Occurrence
    from vectr_hooks.store.workspace import Workspace


class LiveOccasion(Occasion):
    """An event as it happens: what the store does not hold is looked at in the workspace."""

    def __init__(self, response: "Response", event_id: int, conversation: Conversation) -> None:
        super().__init__(response.connection, event_id, response.event, conversation, response.settings)
        self.root = response.place.root
        self.now_ms = response.now_ms

    def look_into_files(self, facts: Facts, found: "Sequence[Candidate]") -> Facts:
        return look_into_files(facts, found, self.root)

    def marks(self, notes: "Sequence[int]") -> "Mapping[int, Sequence[str]]":
        watched = candidates.watched_paths(self.connection, notes)
        if not watched:
            return {}
        from vectr_hooks.staleness import marks

        return {note: marks(self.root, paths) for note, paths in watched.items()}

    def withheld(self, notes: "Sequence[int]") -> "Mapping[int, str]":
        from vectr_hooks.trusted_files import UNKNOWN, withheld

        files = candidates.team_files(self.connection, notes)
        return {note: UNKNOWN for note in notes if note not in files} | withheld(self.root, files)

    def work(self, facts: Facts) -> "Work | None":
        from vectr_hooks.work_in_progress import unfinished

        return unfinished(self.connection, self.conversation.session, self.root, facts, self.now_ms)

    def is_nudge_due(self, facts: Facts) -> bool:
        if self.conversation.nudged:
            return False
        from vectr_hooks.core import nudge

        if not nudge.is_retrieval(self.event, facts.commands):
            return False
        session, since = self.conversation.session, self.conversation.retrieved_since
        nudge.count(
            self.conversation, self.event.result_tokens, *ledger.stored_since(self.connection, session, since)
        )
        return nudge.is_due(self.conversation, self.settings)


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
        #: the session that this one continues under a new id, where it has just begun to
        self.parent = ""
        self.settings: "Mapping[str, int]"
        self.settings, self.setting_revision = ledger.read_configuration(connection)
        # Before the store is locked: the fewer instructions between BEGIN and COMMIT, the less others wait.
        self.sight = observe(connection, event, place, self.settings)
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
        event_id = self._next_event()
        if self._is_duplicate(conversation, event_id):
            spent = audit.Spent(conversation)
            self._record(event_id, conversation, Delivered(Facts()), spent, b"", "duplicate")
            return b""
        moments = self._advance(conversation)
        if self.event.what == SESSION_BEGINS and self.event.source in ("resume", "fork"):
            from vectr_hooks.arrival import mark_lost

            mark_lost(
                self.connection, self.host, self.event, conversation, event_id, self.parent, self.now_ms
            )
        spent = audit.Spent(conversation)
        occasion = LiveOccasion(self, event_id, conversation)
        if self.event.what == COMPACTION_ANNOUNCED:
            delivered = occasion.announce()
            self._take_snapshot(conversation, event_id)
        else:
            delivered = occasion.deliver(self._facts(moments, conversation))
            if delivered.decisions:
                ledger.write_deliveries(
                    self.connection, conversation, event_id, delivered.facts.moments, delivered.decisions
                )
            self._note_work(conversation, delivered.facts, event_id)
        output = occasion.output(self.host, delivered)
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
        occasion = LiveOccasion(self, ledger.next_event(self.connection), conversation)
        return occasion.output(self.host, occasion.deliver(self._facts(moments, conversation)))

    def _next_event(self) -> int:
        return ledger.next_event(self.connection)

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

        Some hosts say so; others report that the old session resumes, and then prompts come under the new id,
        or compact into a new session.
        """
        begins = self.event.what == SESSION_BEGINS
        if begins and self.event.source not in ("fork", COMPACT):
            return None
        parent = ledger.last_conversation(self.connection, session, self.place.root)
        if parent is None or parent.host != self.host.NAME:
            return None
        if begins:
            continues = self.event.source == "fork" or bool(parent.armed)
        else:
            continues = self.host.NAME == "claude" and parent.last_event == RESUMED
        if not continues:
            return None
        self.parent = parent.session
        forked = ledger.inherit(self.connection, parent, session)
        forked.host = self.host.NAME
        return forked

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
        if (PROMPT_SUBMIT in moments or not self.event.carries) and self.sight.needles:
            ledger.write_needles(self.connection, conversation.session, conversation.turn, self.sight.needles)
        if self.sight.compared and self.sight.compared.made:
            from vectr_hooks.store.note_vectors import keep

            keep(self.connection, self.sight.compared.model, self.sight.compared.made)
        self.event.session = conversation.session
        return gather(self.sight, self.event, moments, before, today, self.place.root)

    def _take_snapshot(self, conversation: Conversation, event_id: int) -> None:
        if not conversation.agent:
            from vectr_hooks.store.snapshots import take_at_compaction

            take_at_compaction(self.connection, self.now_ms, conversation.session, event_id)

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
            self.setting_revision,
            delivered.decisions,
            self._beside(delivered),
        )
        if self.settings["audit.texts"] and not remark:
            from vectr_hooks.store.event_texts import keep_texts

            keep_texts(self.connection, event_id, self.event)

    def _beside(self, delivered: Delivered) -> "dict[str, object]":
        """Give what decisions or output depended on beside the facts, and what is known of the texts."""
        beside: "dict[str, object]" = {
            "parent": self.parent,
            "input": int(bool(self.event.input_text)),
            "announced": delivered.announced,
        }
        if delivered.marks:
            from vectr_hooks.staleness import by_mark

            beside["marks"] = by_mark(delivered.marks)
        if delivered.withheld:
            from vectr_hooks.trusted_files import by_reason

            beside["withheld"] = by_reason(delivered.withheld)
        if self.sight.compared:
            beside["model"] = self.sight.compared.model
        if delivered.work:
            beside["work"] = delivered.work.fields()
        if delivered.nudge:
            beside["nudge"] = 1
        return beside


def _length(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        # A path that the locale cannot spell is one that cannot be read.
        return -1
