"""How near a note is to a prompt or a question: of which text a note's vector is, and vectors compared."""

from array import array

from vectr_hooks.core.conditions import SCALE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def embedded_text(title: str, body: str) -> str:
    """The text of a note that is embedded; a title that only begins the body is not repeated."""
    beginning = title.rstrip(".… ")
    return body if body.lstrip().startswith(beginning) else title + "\n" + body


def text_hash(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode("utf-8", "replace")).hexdigest()


def numbers(vector: bytes) -> "Sequence[float]":
    """The numbers of a vector as an embedder gives it."""
    import sys

    found = array("f", vector)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def similarity(one: "Sequence[float]", other: "Sequence[float]") -> int:
    """The cosine of two vectors of length 1, in ten-thousandths; 0 where they are of different models."""
    if len(one) != len(other):
        return 0
    cosine = sum([a * b for a, b in zip(one, other)])
    # Of damaged bytes it may be no number at all.
    return round(cosine * SCALE) if -2 < cosine < 2 else 0
