from __future__ import annotations

import pytest

from vectr_hooks.core.prompt_recall import names, note_terms, recalled, telling_terms, title_words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("call acquire_lock() first", {"acquire_lock"}),
        ("`PoolExhausted` is raised", {"poolexhausted"}),
        ("see src/db/pool.py.", {"src/db/pool.py", "pool.py"}),
        ("error[E0432]: unresolved", {"e0432"}),
        ("it listens on 18443, not 8443", {"18443", "8443"}),
        ("std::move and Store.open", {"std::move", "store.open"}),
        ("in 2026, version 3.11, 10ms, the 2nd", set()),
        ("fix the tests in README.md", set()),
        ("read-only, well-known", set()),
        ("a. b, c! ... -- ::", set()),
    ],
)
def test_a_name_is_a_word_that_only_code_and_paths_have(text: str, found: set[str]) -> None:
    assert names(text) == found


def test_the_informative_words_of_a_title_are_without_the_common_ones() -> None:
    assert title_words("The deploys of a release go through the canary") == {
        "deploy", "release", "through", "canary",
    } - {"through"}  # fmt: skip


def test_a_note_is_indexed_by_its_names_and_its_titles_words() -> None:
    assert note_terms("Locks come first", "Locks come first: acquire_lock") == [
        ("iacquire_lock", 0),
        ("tcome", 2),
        ("tlock", 2),
    ]


def test_common_names_and_words_are_not_looked_up() -> None:
    frequencies = {"irare": 1, "icommon": 50, "tlock": 3, "tmodule": 5000}
    assert telling_terms(frequencies) == ["irare", "tlock"]


@pytest.mark.parametrize(
    ("hits", "notes"),
    [
        ([("ia_b", 1, 0)], [1]),
        ([("tlock", 1, 4), ("tpool", 1, 4)], []),
        ([("tlock", 1, 4), ("tpool", 1, 4), ("twatcher", 1, 4)], [1]),
        ([("tlock", 1, 6), ("tpool", 1, 6), ("twatcher", 1, 6)], []),
        ([("tcanary", 1, 2), ("tdeploy", 1, 2)], [1]),
        ([("tcanary", 1, 2)], []),
        ([("ia_b", 2, 0), ("ia_b", 1, 0), ("ic_d", 1, 0)], [1, 2]),
    ],
)
def test_a_note_needs_a_rare_name_or_most_of_its_titles_words(
    hits: list[tuple[str, int, int]], notes: list[int]
) -> None:
    assert recalled(hits) == notes
