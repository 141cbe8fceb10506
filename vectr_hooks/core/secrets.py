"""Finds secrets in texts: by the shape of what services issue, and by the names that values are given.

Most texts hold none, and for them a quick look at the table of forms is all that is done and loaded.
"""

from vectr_hooks.core.secret_forms import TOKENS, WEB_TOKEN, folded, may_hold_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from vectr_hooks.core.secret_shapes import Span


def find_secret(text: str) -> str:
    """The kind of the first secret in `text`, or ''."""
    spans = _spans(text)
    return spans[0][2] if spans else ""


def find_folded_secret(text: str) -> str:
    """The same, for a text whose capitals may have been made small."""
    if text.isascii() and find_secret(text.upper()):
        return find_secret(text.upper())
    marks = [row[0] for row in TOKENS if not row[0].islower()] + [WEB_TOKEN]
    restored = (text.replace(mark.lower(), mark) for mark in marks if mark.lower() in text)
    return find_secret(text) or next(filter(None, map(find_secret, restored)), "")


def redact(text: str) -> str:
    """`text` with `[redacted: kind]` in place of each secret."""
    # Again, since a token right behind a key block begins a word only once that is replaced.
    while True:
        spans = _spans(text)
        if not spans:
            return text
        text = _replaced(text, spans)


def _replaced(text: str, spans: "list[Span]") -> str:
    parts = []
    at = 0
    for start, end, kind in spans:
        parts += [text[at:start], "[redacted: ", kind, "]"]
        at = end
    return "".join(parts) + text[at:]


def _spans(text: str) -> "list[Span]":
    """Where the secrets are, in order; those that overlap are one, of the first one's kind."""
    if not may_hold_secret(text):
        return []
    from vectr_hooks.core.secret_shapes import by_shape
    from vectr_hooks.core.secret_values import by_name

    text = folded(text)
    # Of two that begin together the longer, and then the one of the more exact form, found first.
    found = sorted([*by_shape(text), *by_name(text)], key=lambda span: (span[0], -span[1]))
    apart: "list[Span]" = []
    for start, end, kind in found:
        if apart and start < apart[-1][1]:
            before = apart.pop()
            start, end, kind = before[0], max(before[1], end), before[2]
        apart.append((start, end, kind))
    return apart
