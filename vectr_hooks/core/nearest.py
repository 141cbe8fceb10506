"""Hints for a word that is not one of the allowed ones."""

from __future__ import annotations

from collections.abc import Iterable


def allowed_hint(word: str, allowed: Iterable[str], intro: str = "allowed") -> str:
    """What `word` was probably meant to be, and everything it may be."""
    # Costs a command a tenth of its time, for a message that is rarely needed.
    import difflib

    names = list(allowed)
    everything = f"{intro}: {', '.join(names)}"
    close = difflib.get_close_matches(word.strip().lower(), names, n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`? {everything}" if close else everything
