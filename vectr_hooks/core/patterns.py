"""Regular expressions in triggers: which are accepted, and the word that indexes one."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from vectr_hooks.core.keywords import keyword_token, tokens
from vectr_hooks.errors import VectrHooksError

if sys.version_info >= (3, 11):
    from re import _constants as constants  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    import sre_constants as constants
    import sre_parse as parser


# Where a word cannot go on; `$` also holds before a last line break.
_WORD_ENDS = (constants.AT_BOUNDARY, constants.AT_BEGINNING, constants.AT_END)


def check_pattern(pattern: str) -> None:
    """Refuse what is no regular expression, or what would be found in every text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        raise VectrHooksError(
            f"/{pattern}/ is not a regular expression: {error}", "Python's `re` reads it"
        ) from None
    if compiled.search(""):
        raise VectrHooksError(f"/{pattern}/ is found in every text", "say what must be there")


def literal_word(pattern: str) -> str:
    """A whole word that every match lies around; '' where the pattern promises none.

    Only a literal run that itself holds the word's boundaries promises that the text holds it as a word:
    `foo` alone would also be found in `xfoox`.
    """
    parsed: Any = parser.parse(pattern)
    if parsed.state.flags & re.IGNORECASE:
        return ""
    words = [word for run in _literal_runs(parsed) for word in _bounded_words(run)]
    return max(words, key=lambda word: (len(word), word), default="")


def _literal_runs(parsed: Iterable[tuple[object, object]]) -> Iterator[str]:
    """The runs of literal characters that every match holds. A word boundary is a blank of its own."""
    run = ""
    for operation, value in parsed:
        if operation is constants.LITERAL:
            run += chr(int(str(value)))
            continue
        if operation is constants.AT and value in _WORD_ENDS:
            run += " "
            continue
        yield run
        run = ""
    yield run


def _bounded_words(run: str) -> Iterator[str]:
    # What touches the run's ends may go on outside of it.
    for word in tokens(run):
        at = run.find(word)
        while at >= 0:
            before, after = run[:at][-1:], run[at + len(word) :][:1]
            if before and after and keyword_token(before + word + after) == word:
                yield word
            at = run.find(word, at + 1)
