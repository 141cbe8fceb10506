"""The title a note has when its author gives none: the first sentence of its body."""

from __future__ import annotations

import re
from itertools import takewhile

TITLE_LENGTH = 120

_MARKERS = re.compile(r"(?:#{1,6}(?:\s+|$)|>\s*|[-*+]\s+(?:\[[ xX]\]\s+)?|[0-9]{1,9}[.)]\s+)+")
_FENCE_OR_RULE = re.compile(r"(?:```|~~~).*|[-*_=\s]{3,}")
_SENTENCE_END = re.compile(r"[.!?]+[\"')\]*_]*(?=\s+(?![a-z]))|[。！？]")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|fig)\.$", re.IGNORECASE)


def default_title(body: str) -> str:
    """The first sentence of `body` as one line, without heading, quote and list markers, cut if too long."""
    return shortened(_first_sentence(_first_paragraph(body))) or shortened(" ".join(body.split()))


def shortened(line: str) -> str:
    """`line`, or as many whole words of it as leave room for an ellipsis."""
    if len(line) <= TITLE_LENGTH:
        return line
    head = line[: TITLE_LENGTH - 1]
    end = head.rfind(" ") if line[TITLE_LENGTH - 1] != " " else len(head)
    # Without a space in the second half it is a script without spaces, or one endless word.
    return (head[:end] if end > TITLE_LENGTH // 2 else head).rstrip() + "…"


def _first_paragraph(body: str) -> str:
    lines = [line.strip() for line in body.splitlines()]
    while lines and (not _MARKERS.sub("", lines[0], count=1) or _FENCE_OR_RULE.fullmatch(lines[0])):
        del lines[0]
    if not lines:
        return ""
    first, *others = lines
    heading = first.startswith("#") and _MARKERS.match(first)
    rest = [] if heading else takewhile(_continues, others)
    opened = _MARKERS.sub("", first, count=1) if _MARKERS.match(first) else first
    return " ".join(" ".join([opened.rstrip("#") if heading else opened, *rest]).split())


def _continues(line: str) -> bool:
    return bool(line) and not _MARKERS.match(line) and not _FENCE_OR_RULE.fullmatch(line)


def _first_sentence(text: str) -> str:
    for end in _SENTENCE_END.finditer(text):
        sentence = text[: end.end()]
        if not _ABBREVIATION.search(sentence):
            return _without_full_stop(sentence)
    return _without_full_stop(text)


def _without_full_stop(sentence: str) -> str:
    return sentence if sentence.endswith("..") else sentence.removesuffix(".").removesuffix("。")
