"""What of a note the user said: a quote, compared with what was typed."""

from __future__ import annotations

from vectr_hooks.core.keywords import compose

LEAST, MOST = 12, 200


def collapsed(text: str) -> str:
    """`text` as quotes are compared: NFC, every run of white space as one space, none around it."""
    return " ".join(compose(text).split())


def is_in(quote: str, text: str) -> bool:
    """Whether `quote` stands in `text`, and neither begins nor ends inside a word of it; both collapsed."""
    at = text.find(quote)
    while at >= 0:
        end = at + len(quote)
        if not _is_inside_word(text, at) and not _is_inside_word(text, end):
            return True
        at = text.find(quote, at + 1)
    return False


def _is_inside_word(text: str, at: int) -> bool:
    """Whether a word goes on at `at`; scripts without spaces have no words to tell."""
    around = text[at - 1 : at + 1] if at else ""
    return len(around) == 2 and around.isascii() and all(c.isalnum() or c == "_" for c in around)
