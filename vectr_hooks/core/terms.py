"""The words by which a text is found: identifiers whole and in parts, pairs where scripts have no spaces."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from vectr_hooks.core.keywords import UNSPACED_BLOCKS
from vectr_hooks.core.prompt_recall import STOP_WORDS

# `acquire_lock`, `src/db/store.py`, `post-compaction`, `std::vector`, `HTTPServer2`
_COMPOUND = re.compile(r"\w+(?:[./:\\@-]+\w+)*")
#: where one word ends and the next begins within an identifier: `acquire|Lock`, `HTTP|Server`
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNSPACED_RANGES = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED_BLOCKS)
_UNSPACED = re.compile(f"[{_UNSPACED_RANGES}]+")
_BETWEEN_PARTS = re.compile(rf"[\W_{_UNSPACED_RANGES}]+")
# A longer run is no identifier, rather encoded bytes.
_LONGEST = 200
# Beside the longer words that say nothing of what a text is about.
_SHORT_STOP_WORDS = frozenset(
    "a am an as at be by do go he i if in is it me my no of on or s so t to us we".split()  # noqa: SIM905
)


def words(text: str) -> list[str]:
    """The parts of every identifier and path in `text`, and all parts of one as a single word.

    So `acquire_lock` gives `acquire`, `lock` and `acquirelock`. What the text itself holds as a word is not
    given: nothing for plain words, and of `acquireLock` only the parts.
    """
    return [word for compound in _compounds(text) for word in _parts(compound) if word != compound.lower()]


def bigrams(text: str) -> list[str]:
    """Every pair of neighbours in the runs of `text` that are written without spaces; a single one alone."""
    runs = _UNSPACED.findall(_normal(text))
    return [run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))]


def query_terms(text: str) -> list[str]:
    """The words to look for, in order, each once: plain ones, parts, wholes, and pairs."""
    found = [word for compound in _compounds(text) for word in _parts(compound)]
    return list(dict.fromkeys([*found, *bigrams(text)]))


def informative(term: str) -> bool:
    """Whether a term of a question could tell what it is about."""
    return term not in STOP_WORDS and term not in _SHORT_STOP_WORDS


def _compounds(text: str) -> list[str]:
    return [compound for compound in _COMPOUND.findall(_normal(text)) if len(compound) <= _LONGEST]


# A project's notes share most of their words.
@lru_cache(maxsize=1 << 15)
def _parts(compound: str) -> tuple[str, ...]:
    """The parts of `compound` in lower case, and all of them as one word where there are several."""
    pieces = (HUMP.split(piece) for piece in _BETWEEN_PARTS.split(compound))
    parts = tuple(part.lower() for piece in pieces for part in piece if part)
    return (*parts, "".join(parts)) if len(parts) > 1 else parts


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text)
