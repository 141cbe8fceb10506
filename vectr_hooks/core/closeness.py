"""Whether two notes say much the same in other words.

Careful rather than clever: notes of one project share most of their words, and about the same thing they say
the same in parallel: of staging and of production, of one port and of another. So it takes nearly all of the
telling words, and no name or number may stand against another.
"""

from __future__ import annotations

from dataclasses import dataclass

from vectr_hooks.core.keywords import fold, tokens
from vectr_hooks.core.prompt_recall import names, title_words

# What a note says, it says at its beginning; what is longer is told apart by more than words.
_LENGTH = 4_000
_LEAST_SHARED = 4
_SHARE = 0.75
#: where one says all that the other does, and more
_SHARE_OF_MORE = 0.6
_ENDINGS = ("ing", "ed")
_SHORTEST_STEM = 4


@dataclass(frozen=True)
class Telling:
    """What tells a text from another: its informative words in their plainest form, its names and numbers."""

    words: frozenset[str]
    names: frozenset[str]


def telling(title: str, body: str) -> Telling:
    text = f"{title}\n{body}"[:_LENGTH]
    numbers = {word for word in tokens(fold(text)) if any(map(str.isdigit, word))}
    return Telling(frozenset(map(_stem, title_words(text))), frozenset(names(text) | numbers))


def is_close(one: Telling, other: Telling) -> bool:
    shared = len(one.words & other.words)
    if shared < _LEAST_SHARED or not (one.names <= other.names or other.names <= one.names):
        return False
    in_all = len(one.words | other.words)
    least = _SHARE_OF_MORE if one.words <= other.words or other.words <= one.words else _SHARE
    return shared >= least * in_all


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word
