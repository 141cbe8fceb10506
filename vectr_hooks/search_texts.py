"""Looks for the needles of triggers in a prompt, in a tool's input and result, and in a target file."""

from vectr_hooks.core.keywords import compose, fold, occurs, tokens, window
from vectr_hooks.core.needles import FILE_SYMBOL, KEYWORD, OUTPUT, SYMBOL, is_pattern
from vectr_hooks.core.occurrence import RESULT_CHARACTERS
from vectr_hooks.store import candidates
from vectr_hooks.store.workspace import beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection

    from vectr_hooks.core.occurrence import Occurrence

FILE_BYTES = 256 * 1024
PATTERNS_S = 0.25


def in_event(connection: "Connection", event: "Occurrence", has_result: bool) -> "tuple[set[str], set[str]]":
    """Find what triggers look for in the texts of `event`, and what there was no time for."""
    found: "set[str]" = set()
    slow: "set[str]" = set()
    if event.prompt:
        found |= keywords(connection, window(event.prompt))
    if event.prompt or event.input_text:
        found |= symbols(connection, window(event.prompt or event.input_text))
    if has_result and candidates.has_needles(connection, OUTPUT):
        result = event.result() if event.result else ""
        texts, slow = outputs(connection, "\n".join(filter(None, (event.error[-RESULT_CHARACTERS:], result))))
        found |= texts
    return found, slow


def recalled_notes(connection: "Connection", prompt: str) -> "list[int]":
    """Find the notes without a trigger that `prompt` may bring up, those with most in common first."""
    from vectr_hooks.core.prompt_recall import prompt_terms, recalled, telling_terms

    frequencies = candidates.recall_frequencies(connection, prompt_terms(window(prompt)))
    if not frequencies:
        return []
    return recalled(candidates.recall_hits(connection, telling_terms(frequencies)))


def keywords(connection: "Connection", prompt: str) -> "set[str]":
    """Find the keywords in a prompt: any case, any white space."""
    return _found(connection, KEYWORD, fold(prompt))


def symbols(connection: "Connection", text: str) -> "set[str]":
    """Find the symbols in a prompt or in a tool's input, to the letter."""
    return _found(connection, SYMBOL, compose(text))


def outputs(connection: "Connection", text: str) -> "tuple[set[str], set[str]]":
    """Find the texts and regular expressions in a tool's result; also give those there was no time for."""
    text = compose(text)
    wanted = _wanted(connection, OUTPUT, text)
    patterns = sorted(needle for needle in wanted if is_pattern(needle[1:]))
    found = {needle for needle in wanted.difference(patterns) if occurs(needle[1:], text)}
    if not patterns:
        return found, set()
    from vectr_hooks.timed_patterns import search

    matched, slow = search([needle[2:-1] for needle in patterns], text, PATTERNS_S)
    found.update(needle for needle in patterns if needle[2:-1] in matched)
    return found, {needle for needle in patterns if needle[2:-1] in slow}


def symbols_in_files(paths: "Iterable[str]", wanted: "Iterable[str]") -> "set[str]":
    """Find those of the symbols `wanted` that the beginning of one of the files at `paths` holds."""
    found: "set[str]" = set()
    for path in paths:
        text = compose((beginning(path, FILE_BYTES) or b"").decode("utf-8", "replace"))
        found.update(FILE_SYMBOL + symbol for symbol in wanted if occurs(symbol, text))
    return found


def _found(connection: "Connection", sort: str, text: str) -> "set[str]":
    return {needle for needle in _wanted(connection, sort, text) if occurs(needle[1:], text)}


def _wanted(connection: "Connection", sort: str, text: str) -> "set[str]":
    """List the needles of a sort that `text` could hold, and those that no token can find."""
    few = candidates.few_tokens(connection, sort)
    # A text is taken apart only where it may hold what is looked for.
    if few is not None and not any(token != sort and token[1:] in text for token in few):
        return candidates.needles(connection, few[:1] if few[:1] == [sort] else [])
    return candidates.needles(connection, [sort, *(sort + token for token in tokens(text))])
