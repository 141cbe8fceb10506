"""What is done for a limited time ends, and leaves the timer that ran before as it was."""

from __future__ import annotations

import signal
import time
import weakref
from collections.abc import Iterator

import pytest

from vectr_hooks.time_limit import within


class Late(Exception):
    pass


@pytest.fixture
def outer() -> Iterator[None]:
    """A timer such as the hook's own, far from due."""

    def late(number: int, frame: object) -> None:
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 30, 0.05)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def for_ever() -> None:
    while True:
        time.sleep(0.01)


@pytest.mark.usefixtures("outer")
def test_it_is_cut_off_and_the_other_timer_goes_on() -> None:
    began = time.monotonic()
    assert not within(0.05, for_ever)
    assert within(5, lambda: None)
    left, again = signal.getitimer(signal.ITIMER_REAL)
    assert left == pytest.approx(30 - (time.monotonic() - began), abs=0.2)
    assert again == pytest.approx(0.05)


@pytest.mark.usefixtures("outer")
def test_libraries_that_catch_what_fails_do_not_keep_it_from_ending() -> None:
    def stubborn() -> None:
        try:
            for_ever()
        except Exception as error:
            raise ValueError from error

    assert not within(0.05, stubborn)


@pytest.mark.usefixtures("outer")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_where_its_end_is_lost_in_a_callback_it_comes_again() -> None:
    class Thing:
        pass

    def busy(reference: object) -> None:
        # What rises in here is reported and forgotten.
        time.sleep(0.2)

    def do() -> None:
        thing = Thing()
        reference = weakref.ref(thing, busy)
        del thing
        assert reference() is None
        for_ever()

    assert not within(0.05, do)


def test_what_comes_after_a_step_that_took_too_long_still_has_time(outer: None) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.15, 0.05)

    def uncuttable() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(0.3)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})

    assert not within(0.05, uncuttable)
    time.sleep(0.03)
