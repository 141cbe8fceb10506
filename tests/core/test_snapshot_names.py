"""What a snapshot may be called."""

from __future__ import annotations

import pytest

from tests.secret_samples import TOKENS
from vectr_hooks.core.snapshot_names import LONGEST, read_name
from vectr_hooks.errors import VectrHooksError


@pytest.mark.parametrize("name", ["before-the-merge", "v2", "2nd try", "läuft", "日本", "a" * LONGEST])
def test_words_are_names(name: str) -> None:
    assert read_name(f"  {name}\n") == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "  \n",
        "12",
        "#12",
        "#a",
        "1.5",
        "٣",
        "-a",
        "+1",
        "a\nb",
        "a\x1b[2J",
        "a\u202eb",
        "a" * (LONGEST + 1),
    ],
)
def test_what_could_be_a_number_or_is_not_to_be_seen_is_none(name: str) -> None:
    with pytest.raises(VectrHooksError) as refused:
        read_name(name)
    assert "a name is one line" in refused.value.hint


def test_a_name_holds_no_secret() -> None:
    secret = TOKENS[0][1]
    with pytest.raises(VectrHooksError, match="holds a secret") as refused:
        read_name(f"x {secret}"[:LONGEST])
    assert secret not in refused.value.message
