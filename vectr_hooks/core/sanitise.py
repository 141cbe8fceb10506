"""A note's text as the model may see it: what a person sees, and nothing that passes for the host's markup.

Characters that change what a person sees (control characters, bidirectional overrides) become visible
escapes; those that a person cannot see are left out, but for the joiners and variation selectors that shape
the characters around them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_SEPARATORS = ("\r\n", "\r", "\u2028", "\u2029")

# Tags by which hosts tell the model that a text is theirs: whole names, and beginnings of names.
WRAPPERS = frozenset(
    (
        "environment-context",
        "functions",
        "invoke",
        "reminder",
        "session-context",
        "system",
        "untrusted-context",
        "user-instructions",
        "user-query",
    )
)
WRAPPER_FAMILIES = (
    "antml:",
    "bash-",
    "command-",
    "function-",
    "hook-",
    "ide-",
    "local-command-",
    "new-diagnostics",
    "persisted-output",
    "post-tool-",
    "pre-tool-",
    "session-start-",
    "system-",
    "task-notification",
    "teammate-",
    "tool-",
    "user-prompt-",
)

# What a reader may take for the bracket that opens a tag.
BRACKETS = "<\uff1c\ufe64\u2039\u2329\u3008\u27e8\u276e"

# Entities by name, in small letters, that hide a bracket, or what may stand in a tag or before a header.
ENTITIES = {
    "lt": "<",
    "lsaquo": "\u2039",
    "lang": "\u27e8",
    "langle": "\u27e8",
    "sol": "/",
    "lsqb": "[",
    "lbrack": "[",
    "num": "#",
    "hyphen": "-",
    "dash": "-",
    "lowbar": "_",
    "nbsp": " ",
    "ensp": " ",
    "emsp": " ",
    "thinsp": " ",
    "tab": " ",
    "newline": " ",
    "shy": "\u00ad",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "zerowidthspace": "\u200b",
}

# Letters of other scripts, and dashes, that are drawn like these.
LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0501\u04bb\u04cf\u051b\u051d\u03bf\u03bd\u03b9\u03c5"
    "\u2010\u2011\u2012\u2013\u2014\u2212\u0261\u0131",
    "aeopcyxsijdhlqwoviu------gi",
)

# Letters and signs that are drawn as nothing.
BLANKS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")

# Of what a reader sees: blanks in a row, and digits, count as one.
LONGEST_TAG_NAME = 20
LONGEST_HEADER_START = 20
LONGEST_ENTITY_NAME = 16
LONGEST_CODE = 7
HEADER_STARTS = frozenset("[#&0123456789")

JOINERS = frozenset("\u200c\u200d")
EMOJI_SELECTOR = "\ufe0f"
KEYCAPS = frozenset("0123456789#*")

_TAB, _NEWLINE, _DELETE = 0x09, 0x0A, 0x7F


def _ranges(*bounds: "tuple[int, int]") -> "list[int]":
    return [code for first, last in bounds for code in range(first, last + 1)]


_ESCAPED = [code for code in _ranges((0, 0x1F), (_DELETE, 0x9F)) if code not in (_TAB, _NEWLINE)]
_BIDI = _ranges((0x202A, 0x202E), (0x2066, 0x2069))
_INVISIBLE = _ranges(
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x180B, 0x180F),  # Mongolian selectors and vowel separator
    (0x200B, 0x200B),  # zero-width space
    (0x200E, 0x200F),  # left-to-right and right-to-left marks
    (0x2060, 0x2065),  # word joiner, invisible operators
    (0x206A, 0x206F),  # deprecated format characters
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFF9, 0xFFFB),  # interlinear annotation
    (0xE0000, 0xE00FF),  # tags: ASCII in disguise
)
# What `_visible` looks at; most texts have none of them.
_SHAPING = JOINERS.union(map(chr, _ranges((0xFE00, 0xFE0F), (0xE0100, 0xE01EF))))


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_TRANSLATION: "dict[int, str | None]" = {code: _escape(code) for code in (*_ESCAPED, *_BIDI)}
_TRANSLATION.update((code, None) for code in _INVISIBLE)
_SPELLED = {code: _escape(code) for code in (*_ESCAPED, *_BIDI, *_INVISIBLE, 0x2028, 0x2029)}


def for_model(text: str) -> str:
    """Give `text` so that it can stand in an injection: without a note's header, without the host's tags."""
    for separator in LINE_SEPARATORS:
        text = text.replace(separator, "\n")
    text = text.translate(_TRANSLATION)
    if not text.isascii():
        text = _visible(text)
    # Last, since what was invisible may have stood inside a tag or before a header.
    return "\n".join(_not_a_header(line) for line in _without_wrappers(text).split("\n"))


def spelled_out(text: str) -> str:
    """Give `text` for a screen: what `for_model` shows as escapes or leaves out is an escape in it, line
    separators included. Nothing else is changed.
    """
    if text.isprintable():
        return text
    text = text.translate(_SPELLED)
    if _SHAPING.isdisjoint(text):
        return text
    return "".join(character if shown else _escape(ord(character)) for character, shown in _shown(text))


def line_for_model(text: str) -> str:
    """Give `text` as one line, runs of white space as one space, sanitised like `for_model`."""
    return for_model(" ".join(text.split()))


def _visible(text: str) -> str:
    """Drop the joiners and variation selectors that do not shape a visible character."""
    if _SHAPING.isdisjoint(text):
        return text
    return "".join(character for character, shown in _shown(text) if shown)


def _shown(text: str) -> "Iterator[tuple[str, bool]]":
    """Each character, and whether it is drawn or shapes one that is."""
    last = ""
    for position, character in enumerate(text):
        shown = True
        if character in JOINERS:
            follower = text[position + 1 : position + 2]
            shown = _can_be_shaped(last, selector=True) and _can_be_shaped(follower)
        elif _is_selector(character):
            shown = _can_be_shaped(last) or (character == EMOJI_SELECTOR and last in KEYCAPS)
        if shown:
            last = character
        yield character, shown


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _can_be_shaped(character: str, selector: bool = False) -> bool:
    if not character or character.isascii() or character.isspace() or character in JOINERS:
        return False
    return selector or not _is_selector(character)


def _without_wrappers(text: str) -> str:
    tags = []
    for bracket in BRACKETS:
        at = text.find(bracket)
        while at >= 0:
            at += 1
            if _is_wrapper(text, at):
                tags.append(at)
            at = text.find(bracket, at)
    at = text.find("&")
    while at >= 0:
        at += 1
        character, end = _entity(text, at)
        if character in BRACKETS and _is_wrapper(text, end):
            tags.append(end)
        at = text.find("&", at)
    parts = [text[start:end] for start, end in zip([0, *sorted(tags)], [*sorted(tags), len(text)])]
    return "\\".join(parts)


def _is_wrapper(text: str, at: int) -> bool:
    """Say whether what follows the bracket before `at` is one of the hosts' tags, opening or closing.

    No more is looked at than up to the next bracket, so that the time for all of them is linear.
    """
    name = ""
    for character in _seen(text, at):
        if not name and (character == "/" or character.isspace()):
            continue
        if len(name) == LONGEST_TAG_NAME or not (character.isalnum() or character in "-_:."):
            break
        name += "-" if character == "_" else character
    return name in WRAPPERS or name.startswith(WRAPPER_FAMILIES)


def _not_a_header(line: str) -> str:
    rest = line.lstrip()
    first = rest[:1]
    if first.isascii() and first not in HEADER_STARTS:
        return line
    if _poses(_beginning(rest)):
        return line[: len(line) - len(rest)] + "\\" + rest
    return line


def _beginning(line: str) -> str:
    """Give what a reader sees first of `line`: each run of blanks as one space, each run of digits as a 0."""
    start = ""
    for character in _seen(line, 0):
        plain = " " if character.isspace() else "0" if character.isdigit() else character
        if (plain in " 0" and start.endswith(plain)) or (plain == " " and not start):
            continue
        start += plain
        if start[0] not in "[#0" or len(start) == LONGEST_HEADER_START:
            break
    return start


def _poses(start: str) -> bool:
    """Say whether a line begins like one that only we print: a note's header or line, or a count."""
    joined = start.replace(" ", "")
    # A heading may be a number; nothing but a header has it in brackets.
    return joined.startswith(("[#0", "[handoff", "0moreheldback")) or start.startswith("#0")


def _seen(text: str, at: int) -> "Iterator[str]":
    """Give what a reader takes `text` for from `at` on: entities decoded, wide, accented and look-alike
    letters as plain small ones, and nothing of what is not drawn.
    """
    while at < len(text):
        character = text[at]
        at += 1
        if character == "&":
            character, at = _entity(text, at)
        if character.isascii():
            yield character.lower()
        else:
            yield from _plain(character)


def _plain(character: str) -> "Iterator[str]":
    from unicodedata import category, normalize

    for part in normalize("NFKD", character).lower().translate(LOOKALIKES):
        unassigned = "\ufff0" <= part <= "\ufff8" or "\U000e0000" <= part <= "\U000e0fff"
        if part not in BLANKS and not unassigned and category(part) not in ("Cf", "Mn", "Me"):
            yield part


def _entity(text: str, at: int) -> "tuple[str, int]":
    """Give what the entity is for whose `&` stands before `at`, or that `&` alone; and where it ends."""
    end = at
    # Escaped again, and again.
    while text.startswith("amp;", end):
        end += len("amp;")
    if text.startswith("#", end):
        return _coded(text, end + 1) or ("&", at)
    start = end
    while (
        end < len(text) and end - start < LONGEST_ENTITY_NAME and text[end].isascii() and text[end].isalpha()
    ):
        end += 1
    name = text[start:end].lower()
    if text.startswith(";", end) and name in ENTITIES:
        return ENTITIES[name], end + 1
    # Of these the old ones stand without their end too.
    return ("<", start + 2) if name.startswith("lt") else ("&", at)


def _coded(text: str, at: int) -> "tuple[str, int] | None":
    base, digits = (16, "0123456789abcdefABCDEF") if text[at : at + 1] in ("x", "X") else (10, "0123456789")
    start = at + (base == 16)
    while text.startswith("0", start):
        start += 1
    end = start
    while end < len(text) and end - start <= LONGEST_CODE and text[end] in digits:
        end += 1
    code = int(text[start:end] or "0", base)
    if not 0 < code < 0x110000:
        return None
    return chr(code), end + text.startswith(";", end)
