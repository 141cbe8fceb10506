"""Which notes say much the same: a table of pairs."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from vectr_hooks.core.closeness import is_close, telling

PAIRS = yaml.safe_load((Path(__file__).parents[1] / "cases/closeness.yaml").read_text("utf-8"))
#: of the pairs that say the same, how many have to be found: precision comes first
LEAST_FOUND = 0.7


def close(pair: list[str]) -> bool:
    one, other = (telling(text[:60], text) for text in pair)
    assert is_close(one, other) == is_close(other, one)
    return is_close(one, other)


@pytest.mark.parametrize("pair", PAIRS["different"], ids=lambda pair: pair[0][:40])
def test_notes_that_say_different_things_are_not_close(pair: list[str]) -> None:
    assert not close(pair)


def test_most_notes_that_say_the_same_in_other_words_are_close() -> None:
    missed = [pair for pair in PAIRS["same"] if not close(pair)]
    assert len(missed) <= (1 - LEAST_FOUND) * len(PAIRS["same"]), missed
