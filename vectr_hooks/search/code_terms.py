"""The words of code: every identifier in its parts, and whole."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from vectr_hooks.core.terms import bigrams, informative, query_terms, words

_IDENTIFIER = re.compile(r"\w+")
# Longer ones are data.
_LONGEST = 80
_MOST_QUERIED = 32
# From this length on, a word also finds those that begin like it: `hashing` finds `hasher`.
_STEM_LENGTH = 4
_ENDING = re.compile(r"(?<=\w{4})(?:ing|ed|es|s|e)$")


def code_terms(text: str) -> str:
    """The terms of `text` in order, each as often as it occurs: letters and digits only, in lower case."""
    found = [term for identifier in _IDENTIFIER.findall(text) for term in _terms(identifier)]
    if not text.isascii():
        found += bigrams(text)
    return " ".join(found)


def expression(query: str) -> str:
    """An FTS5 expression for any of the terms of `query`; '' where it has none.

    Terms are letters and digits only, and quoted, so none is an operator.
    """
    every = [term for term in query_terms(query) if len(term) <= _LONGEST]
    spoken = [term for term in every if informative(term)] or every
    terms = spoken[:_MOST_QUERIED]
    exact = [f'"{term}"' for term in terms]
    beginnings = dict.fromkeys(f'"{_ENDING.sub("", term)}"*' for term in terms if len(term) >= _STEM_LENGTH)
    return " OR ".join([*exact, *beginnings])


def names_something(query: str) -> bool:
    """Whether a query spells an identifier, rather than being made of plain words alone."""
    return any(
        "_" in word
        or "." in word.strip(".")
        or "::" in word
        or word.endswith("()")
        or word[1:] != word[1:].lower()
        for word in query.split()
    )


def spaced(names: Iterable[str]) -> str:
    """Names as the plain words they are made of."""
    return " ".join(part for name in names for part in _parts(name))


def _parts(name: str) -> list[str]:
    found: list[str] = []
    for identifier in _IDENTIFIER.findall(name):
        terms = _terms(identifier)
        found += terms[:-1] if len(terms) > 1 else terms
    return found


# A project's code repeats its names.
@lru_cache(maxsize=1 << 17)
def _terms(identifier: str) -> tuple[str, ...]:
    if len(identifier) > _LONGEST:
        return ()
    parts = words(identifier)
    whole = identifier.replace("_", "").lower()
    # `words` leaves out what a text holds as a word itself: here nothing else is kept of it.
    found = parts if whole in parts else [*parts, whole]
    return tuple(term for term in found if term)
