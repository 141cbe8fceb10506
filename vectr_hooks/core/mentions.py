"""Which words of a text may be the paths of files."""

from __future__ import annotations

import re

_BETWEEN = re.compile(r"[\s\"'`()<>,;|*=]+")
_LINE_NUMBERS = re.compile(r"(?::[0-9]+(?:[:-][0-9]+)?|#L[0-9]+(?:-L?[0-9]+)?)$")
_LONGEST = 400


def mentioned_paths(text: str) -> list[str]:
    """The words of `text` that have a `/` or a `.` inside, without line numbers, in order, each once.

    Most are no files: who asks looks whether they exist.
    """
    found: dict[str, None] = {}
    for word in _BETWEEN.split(text):
        if "/" not in word and "." not in word:
            continue
        name = _LINE_NUMBERS.sub("", word.rstrip(".:!?")).removeprefix("./")
        if len(name) <= _LONGEST and "://" not in name and re.search(r"[^/.][/.]|\.[^/.]", name):
            found[name] = None
    return list(found)
