"""What reads a payload's texts, on texts that were made to cost."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import BOMBS, bombs
from vectr_hooks.core.globs import match_glob, match_path
from vectr_hooks.core.keywords import compose, fold, keyword_token, occurs, tokens
from vectr_hooks.core.prompt_recall import prompt_terms
from vectr_hooks.core.shell import read_line, simple_commands, starts_with
from vectr_hooks.core.shell_files import MOST_FILES, file_targets
from vectr_hooks.core.shell_reader import LEVELS
from vectr_hooks.hosts.claude import is_typed
from vectr_hooks.timed_patterns import search

GLOBS = [
    "**/a/**/a/**/b",
    "a*a*a*a*a*b",
    "*[!x]?[a-z]*b",
    "*.py",
    "/**",
    "[",
    "**/" * 50 + "b",
    "*" * 500 + "b",
]
KEYWORDS = ["a", "alpha", "aaaa", "部署", "e\u0301", "\u0315\u0300", "x y"]

#: what is done with a text, and how long one shows whether it takes more than linear time
READERS: dict[str, tuple[Callable[[str], object], int]] = {
    "commands": (read_line, 16 * 1024),
    "files": (file_targets, 16 * 1024),
    "globs over paths": (lambda text: [match_path(glob, text) for glob in GLOBS], 1024),
    "globs over names": (lambda text: [match_glob(glob, text) for glob in GLOBS], 4096),
    "folding": (fold, 64 * 1024),
    "tokens": (lambda text: tokens(compose(text)), 32 * 1024),
    "occurrence": (lambda text: [occurs(keyword, text) for keyword in KEYWORDS], 64 * 1024),
    "recall": (prompt_terms, 32 * 1024),
    "typed or not": (is_typed, 1_000_000),
}
# Below this a measurement says nothing.
LEAST_S = 0.05
MOST_S = 0.5
MOST_BYTES = 24 * 1024 * 1024

pieces = st.sampled_from(
    [
        *[
            "a",
            "cd",
            "cat",
            "git",
            "sudo",
            "bash -c",
            "env -C",
            "é",
            "表",
            "=",
            "a=(",
            "--",
            "-c",
            "!",
            " ",
            " ",
        ],
        *[
            ";",
            "&&",
            "||",
            "|",
            "&",
            "(",
            ")",
            "((",
            "))",
            "{",
            "}",
            "$(",
            "${",
            "$((",
            "<(",
            "[[",
            "]]",
            "#",
        ],
        *["`", "'", '"', "\\", "$'", "\\'", "*", "~", "\n", "\t", "\r", "\0"],
        *["<<A", "<<-'A'", "<<<", "\nA\n", ">", ">>", "2>&1", "&>"],
    ]
)
lines = st.lists(pieces, max_size=40).map("".join) | st.text(max_size=60) | bombs(st.sampled_from([50, 500]))


@given(lines)
def test_any_text_is_read_as_a_line_of_commands(line: str) -> None:
    commands, end = read_line(line)
    assert end is None or isinstance(end, str)
    assert all(isinstance(word, str) for command in commands for word in command.words)
    words = simple_commands(line)
    assert all(words)
    assert all(
        starts_with(command, tuple(command[:1])) or set(command[0]) & set("*?[\\") for command in words
    )


@given(lines)
def test_the_files_of_any_line_are_few_and_can_be_files(line: str) -> None:
    targets = file_targets(line)
    assert len(targets) <= MOST_FILES
    assert len(set(targets)) == len(targets)
    assert all(mode in ("read", "edit") and path and not set("\0\n") & set(path) for mode, path in targets)


@given(lines, lines)
def test_a_line_behind_another_keeps_its_commands(first: str, second: str) -> None:
    """Where the first is closed, which plain words always are."""
    plain = "".join(char for char in first if char.isalpha() and char.isascii())
    assert simple_commands(f"{plain} x\n{second}")[1:][: len(simple_commands(second))] == simple_commands(
        second
    )


@pytest.mark.parametrize("level", range(LEVELS + 3))
def test_substitutions_are_read_to_their_limit_however_deep_they_are(level: int) -> None:
    commands = simple_commands("$(" * level + "git push" + ")" * level)
    assert (("git", "push") in commands) == (level <= LEVELS)


@given(lines | st.text(max_size=30), lines | st.text(max_size=30))
def test_any_glob_is_matched_with_any_path(glob: str, path: str) -> None:
    assert match_path(glob, path) in (True, False)
    assert match_glob(glob, path) in (True, False)
    assert match_glob("*", path)


marks = st.sampled_from(
    ["\u0300", "\u0315", "\u0323", "\u0301", "\u0345", "\u0f73", "\u0f81", "e", " ", "\u3099"]
)
marked = st.lists(st.tuples(marks, st.integers(1, 80)), max_size=8).map(
    lambda runs: "".join(mark * length for mark, length in runs)
) | st.lists(marks, max_size=200).map("".join)


@given(st.lists(marks, max_size=14).map("".join) | st.text(max_size=60))
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert compose(compose(text)) == compose(text)


@given(st.text(max_size=60) | marked.filter(lambda text: len(text) <= 30))
def test_composing_is_what_unicode_says_as_long_as_no_letter_has_more_marks_than_any_writing_gives_it(
    text: str,
) -> None:
    from unicodedata import normalize

    assert compose(text) == normalize("NFC", text)


@given(marked | lines, st.data())
def test_a_word_of_a_text_is_found_in_it_through_its_token(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    words = folded.split()
    if words:
        word = data.draw(st.sampled_from(words))
        assert occurs(word, folded)
        assert not keyword_token(word) or keyword_token(word) in tokens(folded)


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_four_times_the_text_takes_no_more_than_about_four_times_the_time(reader: str) -> None:
    read, most = READERS[reader]
    slow = {}
    for name, bomb in BOMBS.items():
        text = bomb(most)[:most]
        quarter = len(text) // 4
        whole = took(read, text)
        if whole > MOST_S or (
            whole > LEAST_S and whole > 9 * max(took(read, text[:quarter]), took(read, text[-quarter:]))
        ):
            slow[name] = whole
    assert slow == {}


def took(read: Callable[[str], object], text: str) -> float:
    """The CPU time that `read` takes at best, in seconds."""
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        read(text)
        best = min(best, time.process_time() - began)
        if best < LEAST_S:
            break
    return best


@pytest.mark.slow
@pytest.mark.parametrize("name", ["changes of folder", "changes of folder and files", "shells in shells",
    "wrappers with a folder", "quoted substitutions", "subshells that change folder"])  # fmt: skip
def test_a_line_takes_little_memory_whatever_it_says(name: str) -> None:
    text = BOMBS[name](64 * 1024)
    tracemalloc.start()
    try:
        file_targets(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= MOST_BYTES


@pytest.mark.parametrize("size", [1_000, 64 * 1024])
def test_expressions_that_would_take_for_ever_end_with_their_time(size: int) -> None:
    began = time.process_time()
    found, slow = search(["(a+)+$!", "(x?){40}x{40}", "a{3}"], "a" * size, 0.1)
    assert time.process_time() - began <= 0.3
    assert "(a+)+$!" in slow
    # One that never ends keeps those behind it from their turn.
    assert found.isdisjoint(slow)


@given(
    st.lists(st.sampled_from(["a", "(a+)+$!", "b", "(", "x*"]), max_size=3), bombs(st.sampled_from([10, 30]))
)
@settings(max_examples=20, deadline=None)
def test_every_expression_is_found_or_not_or_too_slow(patterns: list[str], text: str) -> None:
    import re

    good = [pattern for pattern in patterns if pattern != "("]
    found, slow = search(good, text, 0.02)
    assert found | slow <= set(good)
    assert all(re.search(pattern, text) for pattern in found)
