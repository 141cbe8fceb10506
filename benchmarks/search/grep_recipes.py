"""What somebody without an index does with a question: greps its words and reads what matches most."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vectr_hooks.core.prompt_recall import STOP_WORDS

CONTEXT_LINES = 10
# What an agent's tool for reading a file shows of it.
READ_LINES = 2000


@dataclass(frozen=True)
class Shown:
    """A stretch of a file that was read."""

    path: str
    first: int
    last: int
    text: str


def words(question: str) -> list[str]:
    """The words of `question` worth a grep, with the endings cut off that hide the same word."""
    found = dict.fromkeys(re.findall(r"[a-z]{3,}", question.lower()))
    return [_stem(word) for word in found if word not in STOP_WORDS]


def whole_files(texts: dict[str, str], question: str, most: int) -> Iterator[Shown]:
    """`grep -rilE`: the files with the most different words, then with the most of any, from the top."""
    asked = words(question)

    def rank(path: str) -> tuple[int, int, str]:
        counts = [texts[path].lower().count(word) for word in asked]
        return -sum(count > 0 for count in counts), -sum(counts), path

    ranked = sorted(texts, key=rank)
    for path in ranked[:most]:
        lines = texts[path].splitlines()[:READ_LINES]
        yield Shown(path, 1, len(lines), "\n".join(lines))


def matching_lines(texts: dict[str, str], question: str, most: int) -> Iterator[Shown]:
    """`grep -rniE -C 10`: the stretches around the lines where the most different words stand together."""
    asked = words(question)
    found: list[tuple[int, str, int]] = []
    for path, text in texts.items():
        hits = [{word for word in asked if word in line} for line in text.lower().splitlines()]
        found += [(-len(_together(hits, line)), path, line + 1) for line, hit in enumerate(hits) if hit]
    shown: list[Shown] = []
    for _, path, line in sorted(found):
        first = max(1, line - CONTEXT_LINES)
        if any(each.path == path and each.first <= line <= each.last for each in shown):
            continue
        lines = texts[path].splitlines()
        last = min(len(lines), line + CONTEXT_LINES)
        shown.append(Shown(path, first, last, "\n".join(lines[first - 1 : last])))
        yield shown[-1]
        if len(shown) == most:
            return


def _together(hits: Sequence[set[str]], line: int) -> set[str]:
    return set[str]().union(*hits[max(0, line - CONTEXT_LINES) : line + CONTEXT_LINES + 1])


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def python_files(root: Path, folder: str) -> dict[str, str]:
    """The texts that the questions are about, by path relative to `root`, in order of their paths."""
    paths = sorted((root / folder).rglob("*.py"))
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}
