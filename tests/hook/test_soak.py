"""A short soak: sessions side by side, and commands that write notes; `make bench` runs a long one."""

from __future__ import annotations

import sys

import pytest

from benchmarks.judgement import Piece, pieces
from benchmarks.soak import Soak, soak

MOST_MEGABYTES = 16
MOST_AUDIT_BYTES = 2048
# As much as hooks leave in the log for a later process, and what one event may add.
MOST_LOG_BYTES = 512 * 1024


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Soak:
    return soak(tmp_path_factory.mktemp("soak"), events=600, sessions=10, seed=13, at_once=4)


@pytest.mark.slow
@pytest.mark.xdist_group("soak")
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform == "win32", reason="runs the hooks' shell command")
class TestSoak:
    def test_all_that_was_printed_and_recorded_is_what_it_had_to_be(self, found: Soak) -> None:
        assert found.wrong == []
        assert found.given_up == []
        assert (found.events, found.judged) == (600, 600)
        assert found.deliveries > 300
        assert found.commands > 5

    def test_a_hook_stays_small(self, found: Soak) -> None:
        assert 0 < found.peak_kib_median / 1024 <= MOST_MEGABYTES

    def test_no_process_and_no_file_stays_behind(self, found: Soak) -> None:
        assert (found.left_running, found.left_open) == (0, 0)

    def test_little_is_kept_of_an_event_and_little_in_the_log(self, found: Soak) -> None:
        assert found.audit_median <= MOST_AUDIT_BYTES
        assert found.log_at_end <= MOST_LOG_BYTES


def test_a_context_is_counted_by_its_parts() -> None:
    whole = "[#12 gotcha · recorded by an agent, not reviewed]\nTake the lock.\n\nThen the pool."
    line, held, handoff = (
        "#3 finding: A title",
        "2 more held back: vectr-hooks show 4 5",
        "[handoff · captured automatically, verify]\nedited: a.py",
    )
    context = "\n".join([whole, line, held, handoff])
    assert pieces(context) == [
        Piece(12, True, (len(whole) - 1 + 1 + 3) // 4 + 1),
        Piece(3, False, (len(line) + 1 + 3) // 4),
        Piece(0, False, (len(held) + 1 + 3) // 4),
        Piece(0, False, (len(handoff) - 1 + 1 + 3) // 4 + 1),
    ]
