"""What of a chunk the model reads: few tokens, for its time grows with them."""

from __future__ import annotations

import re

from vectr_hooks.core.terms import HUMP
from vectr_hooks.search.code_terms import spaced

# About 128 tokens; those beyond take as long again and say little more of what a definition is for.
LONGEST = 480
#: characters of a chunk that what the model reads is made from
READ = 4 * LONGEST
_FOLDERS = 3
_MARKS = re.compile(r"[^\w\s.,?!'-]+|[-.,'=*_]{2,}|(?<!\w)[-.,']+(?!\w)")


def embedding_text(path: str, name: str, text: str) -> str:
    """Path, name, and the head of the text: signature, what is written about it, how its body begins."""
    folders = path.rpartition(".")[0] or path
    head = f"{spaced(folders.split('/')[-_FOLDERS:])}. {spaced(name.split(', '))}."
    # Only what can be left after the marks are gone.
    body = HUMP.sub(" ", _MARKS.sub(" ", text[:READ]).replace("_", " "))
    return f"{head[: LONGEST // 3]} {' '.join(body.split())}"[:LONGEST]
