"""The text the model sees, from what was rendered when the notes were written."""

from vectr_hooks.core.secret_forms import may_hold_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Where the rendered text leaves room. Bodies cannot hold these characters: control characters are taken out
# of them at write time.
WHY_SLOT = "\x1e"
MARKS_SLOT = "\x1f"

HELD_IDS = 10
WHY_LENGTH = 80


def fill(text: str, why: str, marks: "Sequence[str]") -> str:
    """Put the matched condition and the marks into a rendered text's header."""
    text = text.replace(WHY_SLOT, " · " + _harmless(why) if why else "", 1)
    return text.replace(MARKS_SLOT, "".join(" · " + mark for mark in marks), 1)


def held_line(notes: "Sequence[int]") -> str:
    """Say how many notes were held back and how to read the first of them."""
    ids = " ".join(str(note) for note in notes[:HELD_IDS])
    return str(len(notes)) + " more held back: vectr-hooks show " + ids


def _harmless(why: str) -> str:
    """Keep a trigger's own text from ending the header or beginning another."""
    why = " ".join(why.split())
    if not (why.isascii() and why.isprintable()) or "<" in why or "&" in why:
        from vectr_hooks.core.sanitise import line_for_model

        why = line_for_model(why)
    if may_hold_secret(why):
        from vectr_hooks.core.secrets import redact

        why = redact(why)
    if len(why) > WHY_LENGTH:
        why = why[: WHY_LENGTH - 1] + "…"
    return in_header(why)


def in_header(line: str) -> str:
    """Give one sanitised line as it may stand in a header.

    Who stands behind a note is said between these signs: what a trigger or a quote says must not look like
    it.
    """
    return line.replace("[#", "[\\#").replace("]", "\\]").replace("·", "-")
