"""How much of what matched fits, in order of precedence."""

from vectr_hooks.core.model import FULL, INDEX, INDEX_BY_BUDGET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def tokens(text: str) -> int:
    """Estimate the tokens of `text`: a quarter for each ASCII character, one for each other."""
    if text.isascii():
        return (len(text) + 3) // 4
    ascii_characters = len(text.encode("ascii", "ignore"))
    return (ascii_characters + 3) // 4 + len(text) - ascii_characters


def size(text: str) -> int:
    """Count the UTF-8 bytes of `text`, which are never fewer than its UTF-16 units: hosts count one or the
    other.
    """
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


class Piece:
    """A matched note with the texts it may still be printed as; '' for the one that is not open to it."""

    __slots__ = ("full", "line", "note")

    def __init__(self, note: int, full: str, line: str) -> None:
        self.note = note
        self.full = full
        self.line = line


class Limits:
    """What one event may still spend."""

    __slots__ = ("bytes", "full_tokens", "tell_held_back", "tokens")

    def __init__(self, tokens: int, full_tokens: int, bytes: int, tell_held_back: bool = True) -> None:
        #: tokens in all, and those of them that full texts may take
        self.tokens = tokens
        self.full_tokens = full_tokens
        #: the host's own limit on one output
        self.bytes = bytes
        #: whether the line that counts what was held back may still be printed in this turn
        self.tell_held_back = tell_held_back


class Packed:
    """What is printed, and the form each piece took ('' = held back), in the order given."""

    __slots__ = ("costs", "forms", "lines", "spent", "told")

    def __init__(self) -> None:
        self.forms: "list[str]" = []
        self.costs: "list[int]" = []
        self.lines: "list[str]" = []
        self.spent = 0
        self.told = False


def pack(pieces: "Sequence[Piece]", limits: Limits, held_line: "Callable[[Sequence[int]], str]") -> Packed:
    """Choose a form for each of `pieces`, which must be in order of precedence.

    Full texts until one does not fit, then index lines until one does not fit, then nothing: a small note
    must not slip past a larger one that outranks it. When notes are held back, one line of `held_line(ids)`
    says so within the same limits.
    """
    packed = _fill(pieces, limits, 0, 0)
    if limits.tell_held_back and "" in packed.forms:
        # The line's own room is taken before filling again, so its longest possible form is reserved.
        longest = held_line(sorted((piece.note for piece in pieces), reverse=True))
        packed = _fill(pieces, limits, tokens(longest + "\n"), size(longest + "\n"))
        line = held_line([piece.note for piece, form in zip(pieces, packed.forms) if not form])
        cost = tokens(line + "\n")
        if packed.spent + cost <= limits.tokens and size("\n".join([*packed.lines, line])) <= limits.bytes:
            packed.lines.append(line)
            packed.spent += cost
            packed.told = True
    return packed


def _fill(pieces: "Sequence[Piece]", limits: Limits, kept_tokens: int, kept_bytes: int) -> Packed:
    packed = Packed()
    room = limits.tokens - kept_tokens
    room_bytes = limits.bytes - kept_bytes
    room_full = min(limits.full_tokens, room)
    whole = lines = True
    for piece in pieces:
        if whole and piece.full:
            cost, length = tokens(piece.full + "\n"), size(piece.full + "\n")
            if packed.spent + cost <= room_full and length <= room_bytes:
                _take(packed, piece.full, FULL, cost)
                room_bytes -= length
                continue
            whole = False
        cost, length = tokens(piece.line + "\n"), size(piece.line + "\n")
        lines = lines and packed.spent + cost <= room and length <= room_bytes
        if lines and piece.line:
            _take(packed, piece.line, INDEX_BY_BUDGET if piece.full else INDEX, cost)
            room_bytes -= length
        else:
            packed.forms.append("")
            packed.costs.append(0)
    return packed


def _take(packed: Packed, text: str, form: str, cost: int) -> None:
    packed.lines.append(text)
    packed.forms.append(form)
    packed.costs.append(cost)
    packed.spent += cost
