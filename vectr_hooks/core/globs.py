"""Globs over paths and words, without regular expressions.

Matching is greedy: what stands between two stars is placed as far left as it fits, which is never worse
than any other place. So nothing is tried twice, and no pattern takes more than polynomial time.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    CharacterClass = tuple[bool, list[tuple[str, str]]]
    Item = str | CharacterClass
    Chunk = str | list[Item]

_WILD = frozenset("*?[\\")

# `?` is the character class that excludes nothing.
_ANY: "CharacterClass" = (True, [])


def match_path(pattern: str, path: str) -> bool:
    """Tell whether a gitignore pattern covers `path`, itself or through one of its folders.

    `path` is relative to the root, with `/` between components; a folder ends in `/`. A folder is also
    covered by a pattern for what is in it (`src/db/` by `src/db/**`). A malformed pattern covers nothing.
    """
    segments, below = split_pattern(pattern)
    parts = _components(path)
    if below and not path.endswith("/"):
        # What has to be a folder cannot be the file itself.
        del parts[-1:]
    return _lead(segments, parts)


def match_glob(pattern: str, text: str) -> bool:
    """Tell whether a glob fits all of `text`; `*` and `?` cross `/`. A malformed glob stands for itself."""
    if _WILD.isdisjoint(pattern):
        return pattern == text
    chunks = split_glob(pattern)
    return pattern == text if chunks is None else _fit(chunks, text)


def _components(path: str) -> "list[str]":
    return [part for part in path.split("/") if part]


def split_pattern(pattern: str) -> "tuple[list[str], bool]":
    """Split a pattern into what its components must be, and whether it covers only what lies below them."""
    if not pattern.endswith("\\ "):
        pattern = pattern.rstrip()
    folder = pattern.endswith("/")
    segments = (pattern[:-1] if folder else pattern).split("/")
    if len(segments) == 1:
        segments.insert(0, "**")
    elif not segments[0]:
        del segments[0]
    below = folder
    while segments and segments[-1] == "**":
        segments.pop()
        below = True
    if not segments:
        # Nothing but `**`: everything, or every folder.
        return ["*"], folder
    return segments, below


def _lead(segments: "list[str]", parts: "list[str]") -> bool:
    """Tell whether the segments fit the first components of a path; `**` fits any number of them."""
    segment = part = 0
    after_stars, retry = -1, 0
    while segment < len(segments):
        if segments[segment] == "**":
            segment += 1
            after_stars, retry = segment, part
        elif part == len(parts):
            return False
        elif _match_component(segments[segment], parts[part]):
            segment += 1
            part += 1
        elif after_stars >= 0:
            retry += 1
            segment, part = after_stars, retry
        else:
            return False
    return True


def _match_component(glob: str, name: str) -> bool:
    chunks = split_glob(glob)
    return chunks is not None and _fit(chunks, name)


def split_glob(glob: str) -> "list[Chunk] | None":
    """Split a glob at its stars, None if it is malformed. A chunk without wildcards is a plain string."""
    chunks: "list[Chunk]" = []
    items: "list[Item]" = []
    at = 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "*":
            chunks.append(_chunk(items))
            items = []
        elif char == "?":
            items.append(_ANY)
        elif char == "[":
            negated = glob.startswith(("!", "^"), at)
            start = at + negated
            # A `]` that comes first is a member.
            end = glob.find("]", start + 1)
            if end < 0:
                return None
            items.append((negated, _ranges(glob[start:end])))
            at = end + 1
        elif char == "\\":
            if at == len(glob):
                return None
            items.append(glob[at])
            at += 1
        else:
            items.append(char)
    chunks.append(_chunk(items))
    return chunks


def _chunk(items: "list[Item]") -> "Chunk":
    plain = [item for item in items if isinstance(item, str)]
    return "".join(plain) if len(plain) == len(items) else items


def _ranges(members: str) -> "list[tuple[str, str]]":
    """Read the inside of `[...]` as ranges; a single member is a range of one."""
    ranges = []
    at = 0
    while at < len(members):
        last = at + 2 if members[at + 1 : at + 2] == "-" and at + 2 < len(members) else at
        ranges.append((members[at], members[last]))
        at = last + 1
    return ranges


def _fit(chunks: "list[Chunk]", text: str) -> bool:
    first, last = chunks[0], chunks[-1]
    if len(chunks) == 1:
        return len(text) == len(first) and _fit_at(first, text, 0)
    at, end = len(first), len(text) - len(last)
    if at > end or not _fit_at(first, text, 0) or not _fit_at(last, text, end):
        return False
    for chunk in chunks[1:-1]:
        at = _find(chunk, text, at, end)
        if at < 0:
            return False
        at += len(chunk)
    return True


def _find(chunk: "Chunk", text: str, start: int, end: int) -> int:
    """Return the first place from `start` where the chunk fits before `end`, or -1."""
    if isinstance(chunk, str):
        return text.find(chunk, start, end)
    for at in range(start, end - len(chunk) + 1):
        if _fit_at(chunk, text, at):
            return at
    return -1


def _fit_at(chunk: "Chunk", text: str, at: int) -> bool:
    if isinstance(chunk, str):
        return text.startswith(chunk, at)
    for offset, item in enumerate(chunk, at):
        if not (item == text[offset] if isinstance(item, str) else _belongs(text[offset], item)):
            return False
    return True


def _belongs(char: str, character_class: "CharacterClass") -> bool:
    negated, ranges = character_class
    for low, high in ranges:
        if low <= char <= high:
            return not negated
    return negated
