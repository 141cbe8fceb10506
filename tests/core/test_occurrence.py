from __future__ import annotations

import pytest

from vectr_hooks.core.occurrence import LONGEST_NAME, name_at, text_at


@pytest.mark.parametrize("value", [None, True, 0, 5, 1.5, b"x"])
def test_what_is_no_text_is_read_as_none(value: object) -> None:
    assert text_at({"a": value}, "a") == ""
    assert name_at({"a": value}, "a") == ""
    assert name_at({}, "a") == ""


def test_a_name_is_taken_whole_or_not_at_all() -> None:
    longest = "n" * LONGEST_NAME
    assert name_at({"a": longest}, "a") == longest
    assert name_at({"a": longest + "n"}, "a") == ""
    assert text_at({"a": longest + "n"}, "a") == longest + "n"
