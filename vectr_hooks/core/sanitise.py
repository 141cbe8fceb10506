"""A note's text as the model may see it: what a person sees, and nothing that passes for the host's markup.

Characters that change what a person sees (control characters, bidirectional overrides) become visible
escapes; those that a person cannot see are left out, but for the joiners and variation selectors that shape
the characters around them.
"""

LINE_SEPARATORS = ("\r\n", "\r", "\u2028", "\u2029")

# Tags by which hosts tell the model that a text is theirs: whole names, and beginnings of names.
WRAPPERS = frozenset(("system", "functions", "invoke"))
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

# Letters and signs that are drawn as nothing.
BLANKS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")

LONGEST_TAG = 60
LONGEST_HEADER_START = 40

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
_TRANSLATION: "dict[int, str | None]" = {code: f"\\x{code:02x}" for code in _ESCAPED}
_TRANSLATION.update((code, f"\\u{code:04x}") for code in _BIDI)
_TRANSLATION.update((code, None) for code in _INVISIBLE)


def for_model(text: str) -> str:
    """Give `text` so that it can stand in an injection: without a note's header, without the host's tags."""
    for separator in LINE_SEPARATORS:
        text = text.replace(separator, "\n")
    text = text.translate(_TRANSLATION)
    if not text.isascii():
        text = _visible(text)
    # Last, since what was invisible may have stood inside a tag or before a header.
    return "\n".join(_not_a_header(line) for line in _without_wrappers(text).split("\n"))


def line_for_model(text: str) -> str:
    """Give `text` as one line, runs of white space as one space, sanitised like `for_model`."""
    return for_model(" ".join(text.split()))


def _visible(text: str) -> str:
    """Drop the joiners and variation selectors that do not shape a visible character."""
    if _SHAPING.isdisjoint(text):
        return text
    kept = [""]
    for position, character in enumerate(text):
        if character in JOINERS:
            follower = text[position + 1 : position + 2]
            if not (_can_be_shaped(kept[-1], selector=True) and _can_be_shaped(follower)):
                continue
        elif _is_selector(character) and not _can_be_shaped(kept[-1]):
            keycap = character == EMOJI_SELECTOR and kept[-1] in KEYCAPS
            if not keycap:
                continue
        kept.append(character)
    return "".join(kept)


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _can_be_shaped(character: str, selector: bool = False) -> bool:
    if character.isascii() or character.isspace() or character in JOINERS:
        return False
    return selector or not _is_selector(character)


def _without_wrappers(text: str) -> str:
    if "<" not in text:
        return text
    first, *rest = text.split("<")
    return first + "".join(("<\\" if _is_wrapper(part) else "<") + part for part in rest)


def _is_wrapper(after_bracket: str) -> bool:
    """Say whether what follows a `<` is one of the hosts' tags, opening or closing."""
    inside = _skeleton(after_bracket[:LONGEST_TAG]).lstrip("/ ").replace("_", "-")
    end = 0
    while end < len(inside) and (inside[end].isalnum() or inside[end] in "-:."):
        end += 1
    name = inside[:end].casefold()
    return name in WRAPPERS or name.startswith(WRAPPER_FAMILIES)


def _not_a_header(line: str) -> str:
    if _poses(_skeleton(line[:LONGEST_HEADER_START])):
        rest = line.lstrip()
        return line[: len(line) - len(rest)] + "\\" + rest
    return line


def _poses(start: str) -> bool:
    """Say whether a line begins like one that only we print: a note's header or line, or a count."""
    start = start.lstrip()
    if start.startswith("["):
        # A heading may be a number; nothing but a header has it in brackets.
        inside = start[1:].replace(" ", "")
        return inside.startswith("handoff") or (inside[:1] == "#" and inside[1:2].isdigit())
    if start.lstrip("0123456789").startswith(" more held back"):
        return True
    return start[:1] == "#" and start[1:2].isdigit()


def _skeleton(text: str) -> str:
    """Give what a reader takes `text` for: no blanks that look like nothing, wide letters as plain ones."""
    if text.isascii():
        return text
    from unicodedata import category, normalize

    kept = (" " if c.isspace() else c for c in normalize("NFKC", text) if c not in BLANKS)
    return "".join(c for c in kept if category(c) not in ("Cf", "Mn", "Me"))
