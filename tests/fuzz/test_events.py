"""Every host's payloads, mutated, through everything a hook does with one but for the process around it.

The default run repeats the same examples. To look further, for as long as wanted:

    VECTR_HOOKS_FUZZ=200000 python -m pytest tests/fuzz -m slow

draws that many payloads anew, and again others the next time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import payloads, relocated
from tests.fuzz.properties import assert_answer_is_in_form
from vectr_hooks.hook import read_event
from vectr_hooks.hosts import claude
from vectr_hooks.payload import Malformed, receive
from vectr_hooks.response import Response
from vectr_hooks.store.connection import open_for_hook
from vectr_hooks.store.workspace import Workspace, locate

DEADLINE_S = 1.0
SESSION_LENGTH = 8

FURTHER = int(os.environ.get("VECTR_HOOKS_FUZZ", "0"))
PAYLOADS_DRAWN = FURTHER or 20_000

STATUSES = ("delivered", "suppressed", "held back", "unmatched", "out of scope", "expired")

# Per table: what no row of it may be.
UNSOUND = {
    "outcome": f"status NOT IN {STATUSES}"
    " OR (status = 'delivered') <> (form IN ('full', 'index', 'index:budget'))"
    " OR cost < 0 OR event NOT IN (SELECT id FROM event) OR note NOT IN (SELECT id FROM note)",
    "delivery": "form NOT IN ('full', 'index', 'index:budget') OR clause < -1"
    " OR NOT EXISTS (SELECT 1 FROM outcome o WHERE o.event = delivery.event AND o.note = delivery.note"
    " AND o.status = 'delivered')",
    "claim": "event NOT IN (SELECT id FROM event)",
    "event": "NOT json_valid(facts) OR remark NOT IN ('', 'duplicate') OR printed_bytes < 0 OR cost < 0"
    " OR length(facts) > 200000 OR length(session) > 4096 OR length(agent) > 4096",
    "conversation": "turn_spent < 0 OR boundary_spent < 0 OR epoch_spent < 0 OR host = ''"
    " OR length(last_event) > 4200 OR length(last_prompt) > 4096 OR length(transcript) > 4096",
    "working_set": "note NOT IN (SELECT id FROM note)",
    "work": "length(value) > 4200 OR what NOT IN ('edited', 'failed', 'passed')",
    "error": "1",
}  # fmt: skip


class Bench:
    """A store to which sessions of payloads are played and then forgotten."""

    def __init__(self, project: Path, store_path: Path, inbox: Path) -> None:
        place = locate(str(project), "/")
        assert place
        self.place: Workspace = place
        self.project = str(project)
        self.connection, _ = open_for_hook(str(store_path))
        self.inbox = os.open(inbox, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        self.now_ms = 1_800_000_000_000
        #: how many payloads there were, and how many of them were not one JSON object, were somebody
        #: else's events, and brought something
        self.counts = {"payloads": 0, "malformed": 0, "foreign": 0, "answered": 0, "delivered": 0}

    def close(self) -> None:
        os.close(self.inbox)
        self.connection.close()

    def play(self, session: list[bytes], feedback: bool) -> None:
        """Answer all of `session`, check everything, and roll it back."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            if feedback:
                self.connection.execute("INSERT INTO setting(at, key, value) VALUES (0, 'feedback', 'true')")
            for raw in session:
                began = time.process_time()
                self._answer(relocated(raw, self.project), feedback)
                took = time.process_time() - began
                assert took <= DEADLINE_S, took
            self._assert_sound()
        finally:
            self.connection.execute("ROLLBACK")

    def _answer(self, raw: bytes, feedback: bool) -> None:
        self.counts["payloads"] += 1
        self.now_ms += 1000
        try:
            text = self._received(raw)
        except Malformed:
            self.counts["malformed"] += 1
            return
        event = read_event(self.connection, claude, text)
        if event is None:
            self.counts["foreign"] += 1
            return
        output = Response(self.connection, claude, event, self.place, self.now_ms, 1).answer()
        self.counts["answered"] += 1
        self.counts["delivered"] += bool(output)
        assert_answer_is_in_form(output, event.name, feedback)

    def _received(self, raw: bytes) -> str:
        os.ftruncate(self.inbox, 0)
        os.pwrite(self.inbox, raw, 0)
        os.lseek(self.inbox, 0, os.SEEK_SET)
        return receive(self.inbox, self.connection)

    def _assert_sound(self) -> None:
        for table, unsound in UNSOUND.items():
            rows = self.connection.execute(f"SELECT * FROM {table} WHERE {unsound} LIMIT 3").fetchall()
            assert rows == [], table
        (gaps,) = self.connection.execute(
            "SELECT count(*) FROM (SELECT 1 FROM outcome GROUP BY event HAVING max(position) <> count(*) - 1)"
        ).fetchone()
        assert gaps == 0


@pytest.fixture
def bench(noted: Path, store_path: Path, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(noted, store_path, tmp_path / "inbox")
    yield bench
    bench.close()


@pytest.mark.slow
@pytest.mark.timeout(0 if FURTHER else 600)
def test_whatever_a_payload_holds_a_hook_answers_it_or_is_silent(bench: Bench) -> None:
    @settings(
        max_examples=PAYLOADS_DRAWN // SESSION_LENGTH,
        derandomize=not FURTHER,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(payloads(), min_size=SESSION_LENGTH, max_size=SESSION_LENGTH), st.booleans())
    def play(session: list[bytes], feedback: bool) -> None:
        bench.play(session, feedback)

    play()
    # Nothing is shown by payloads that all fall at the first hurdle.
    counts = bench.counts
    assert counts["payloads"] >= PAYLOADS_DRAWN
    assert counts["answered"] >= counts["payloads"] / 4
    assert counts["delivered"] >= counts["payloads"] / 20
