"""Words in a text: when one occurs, and the tokens that index it.

A character is of one of three kinds. Word characters (letters, marks, digits, `_`) make words, and a keyword
that begins or ends with one does so at a word boundary. Characters of scripts that are written without spaces
have no boundaries to look for. The rest is punctuation.
"""

_OTHER, _WORD, _UNSPACED = range(3)

# First and last code points of the blocks of scripts without spaces, or (Hangul) with particles attached to
# the word, in ascending order. The variation selectors are here because `⚠️api` is a sign before a word.
UNSPACED_BLOCKS = (
    (0x0E00, 0x0FFF),  # Thai, Lao, Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul jamo
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19FF),  # Tai Le, New Tai Lue, Khmer symbols
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x1B00, 0x1B7F),  # Balinese
    (0x2E80, 0x2FDF),  # CJK radicals
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark and zero
    (0x3021, 0xA4CF),  # kana, bopomofo, Hangul compatibility jamo, CJK ideographs, Yi
    (0xA960, 0xA9FF),  # Hangul jamo, Javanese, Myanmar
    (0xAA60, 0xAADF),  # Myanmar, Tai Viet
    (0xAC00, 0xD7FF),  # Hangul syllables
    (0xF900, 0xFAFF),  # CJK compatibility ideographs
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFF66, 0xFFDC),  # halfwidth kana and Hangul
    (0x1AFF0, 0x1B16F),  # kana
    (0x20000, 0x3FFFF),  # CJK ideographs
    (0xE0100, 0xE01EF),  # variation selectors for ideographs
)

_WINDOW_HALF = 128 * 1024

# No writing puts more marks on a letter, and Unicode's stream-safe format allows no more in a row.
_MOST_MARKS = 30
_NO_MARK = "\u034f"
# Tibetan signs that are letters by themselves and two marks when they are taken apart.
_TAKEN_APART = frozenset("\u0f73\u0f75\u0f81")


def compose(text: str) -> str:
    """Bring texts that differ in composition only into one form."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", _stream_safe(text))


def fold(text: str) -> str:
    """Bring texts that differ in case, composition or white space only into one form."""
    if text.isascii():
        return " ".join(text.lower().split())
    from unicodedata import normalize

    # Line by line, because a long prompt is often plain English but for one dash. Decomposed before
    # casefold, which does not see through every composed form.
    lines = (
        line.lower() if line.isascii() else normalize("NFC", normalize("NFD", line).casefold())
        for line in _stream_safe(text).split("\n")
    )
    return " ".join(" ".join(lines).split())


def _stream_safe(text: str) -> str:
    """Break up endless runs of marks: to put them in order takes the square of their number, in one call that
    no deadline can end.
    """
    step = _MOST_MARKS // 2
    # A run that is too long holds at least two neighbours of these.
    samples = text[::step]
    if samples.isascii():
        return text
    marks = [_marks[char] for char in samples]
    parts = []
    done = 0
    for number, pair in enumerate(zip(marks, marks[1:])):
        start = end = number * step
        if pair != (True, True) or start < done:
            continue
        while start > done and _marks[text[start - 1]]:
            start -= 1
        while end < len(text) and _marks[text[end]]:
            end += 1
        run = (text[at : min(at + _MOST_MARKS, end)] for at in range(start, end, _MOST_MARKS))
        parts += [text[done:start], _NO_MARK.join(run)]
        done = end
    return "".join(parts) + text[done:] if parts else text


def window(text: str) -> str:
    """Cut a long text down to the two ends in which keywords are looked for."""
    if len(text) <= 2 * _WINDOW_HALF:
        return text
    return text[:_WINDOW_HALF] + "\n" + text[-_WINDOW_HALF:]


def tokens(folded: str) -> "set[str]":
    """List every token under which a keyword that occurs in `folded` may be indexed.

    Where case matters, texts are composed (`compose`) rather than folded, here and below.
    """
    if folded.isascii():
        return set(folded.translate(_words).split())
    # `translate` is slow outside of ASCII, so it gets each piece between white space only once.
    pieces = set(folded.split())
    plain = {piece for piece in pieces if piece.isascii()}
    found = set(" ".join(plain).translate(_words).split())
    rest = " ".join(pieces - plain)
    found.update(rest.translate(_words).split())
    for run in rest.translate(_unspaced).split():
        found.update(run)
        found.update(map(str.__add__, run, run[1:]))
    return found


def keyword_token(folded_keyword: str) -> str:
    """Choose the one token of `tokens` that any text with the keyword has; empty if there is none."""
    words = folded_keyword.translate(_words).split()
    if words:
        # The longest is likely to be the rarest.
        return max(words, key=len)
    runs = folded_keyword.translate(_unspaced).split()
    return max((run[:2] for run in runs), key=len, default="")


def occurs(folded_keyword: str, folded_text: str) -> bool:
    """Tell whether the keyword stands in the text; both must have been folded."""
    if not folded_keyword:
        return False
    opens = _kind(folded_keyword[0]) == _WORD
    closes = _kind(folded_keyword[-1]) == _WORD
    at = folded_text.find(folded_keyword)
    while at >= 0:
        before = folded_text[at - 1 : at] if opens else ""
        end = at + len(folded_keyword)
        after = folded_text[end : end + 1] if closes else ""
        if _kind(before) != _WORD and _kind(after) != _WORD:
            return True
        at = folded_text.find(folded_keyword, at + 1)
    return False


def _kind(char: str) -> int:
    """Return the kind of a character; the end of the text is punctuation."""
    if char >= "\u0e00":
        code = ord(char)
        for first, last in UNSPACED_BLOCKS:
            if code <= last:
                if code >= first:
                    return _UNSPACED
                break
    return _WORD if char and ("a" + char).isidentifier() else _OTHER


class _Keep(dict[int, int]):
    """A table for `str.translate` that keeps one kind of character and blanks out the others."""

    __slots__ = ("_kept",)

    def __init__(self, kept: int) -> None:
        self._kept = kept

    def __missing__(self, code: int) -> int:
        self[code] = translated = code if _kind(chr(code)) == self._kept else ord(" ")
        return translated


class _Marks(dict[str, bool]):
    """Whether a character is a mark, or becomes marks when it is taken apart."""

    def __missing__(self, char: str) -> bool:
        from unicodedata import combining

        self[char] = is_mark = combining(char) > 0 or char in _TAKEN_APART
        return is_mark


_marks = _Marks()
_words = _Keep(_WORD)
_unspaced = _Keep(_UNSPACED)
