"""Of which text a note's vector is, and vectors compared."""

from __future__ import annotations

import struct

import pytest

from vectr_hooks.core.similarity import embedded_text, numbers, similarity, text_hash


@pytest.mark.parametrize(
    ("title", "body", "text"),
    [
        ("Lock first", "Lock first. Then write.", "Lock first. Then write."),
        ("Lock first…", "Lock first. Then write.", "Lock first. Then write."),
        ("Lock first", "  Lock first.", "  Lock first."),
        ("Locks", "Write after it.", "Locks\nWrite after it."),
    ],
)
def test_a_title_that_begins_the_body_is_embedded_once(title: str, body: str, text: str) -> None:
    assert embedded_text(title, body) == text


def test_other_texts_have_other_hashes() -> None:
    assert text_hash("a") == text_hash("a") != text_hash("b")
    assert text_hash("\ud83d")


def test_a_similarity_is_a_whole_number_of_ten_thousandths() -> None:
    one, other = (numbers(struct.pack("<3f", *each)) for each in ((0.6, 0.8, 0), (0.8, 0.6, 0)))
    assert similarity(one, one) == 10_000
    assert similarity(one, other) == 9600
    assert similarity(one, [-x for x in one]) == -10_000


def test_vectors_of_different_models_have_nothing_in_common() -> None:
    assert similarity([1.0, 0.0], [1.0]) == 0
