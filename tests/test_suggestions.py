"""A mistyped command or option gets a suggestion, and one that is like no other gets none."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from vectr_hooks.cli import program


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("remeber x", "Did you mean `vectr-hooks remember`?"),
        ("Isntall", "Did you mean `vectr-hooks install`?"),
        ("audit wy 1 2", "Did you mean `vectr-hooks audit why`?"),
        ("uninstall --prge", "--purge"),
        ("doctor --fxi", "--fix"),
    ],
)
def test_what_was_probably_meant_is_named(words: str, meant: str) -> None:
    done = CliRunner().invoke(program, words.split(), prog_name="vectr-hooks")
    assert done.exit_code == 2
    assert meant in done.stderr


@pytest.mark.parametrize("words", ["zyzzyva", "audit zyzzyva", "-x"])
def test_nothing_is_suggested_that_is_not_like_it(words: str) -> None:
    done = CliRunner().invoke(program, words.split(), prog_name="vectr-hooks")
    assert done.exit_code == 2
    assert words.split()[-1] in done.stderr
    assert "Did you mean" not in done.stderr
