"""What a prompt and a note have in common, and whether it is enough to bring the note up.

Careful rather than clever: a line that was not asked for costs attention, and a note that is not brought up
can still be recalled. So it takes a rare identifier, path or error code in common, or most of the informative
words of the note's title.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "i"
TITLE_WORD = "t"

# A name that more notes share says little about any of them.
RARE_NOTES = 3
# Of a title's words only these are looked up, rarest first, and none that more notes share.
MOST_WORDS = 8
COMMON_NOTES = 200
# The share of a title's informative words, and how many at least.
TITLE_SHARE = 0.6
LEAST_WORDS = 3
MOST_RECALLED = 10

NAME_MARKS = "._/-:"
EVERYWHERE = frozenset(
    (
        "readme.md",
        "package.json",
        "pyproject.toml",
        "makefile",
        "__init__.py",
        "main.py",
        "index.js",
        "index.ts",
        "setup.py",
        "utf-8",
        "utf8",
        "node.js",
        "e.g",
        "i.e",
        "python3",
    )
)
STOP_WORDS = frozenset(
    (  # noqa: SIM905
        "about after again all also always and any are because been before being between both but can cannot"
        " could did does doing done down each every few for from further get gets got had has have having her"
        " here his how into its itself just like make makes may might more most must need needs never not now"
        " off once one only onto other our out over own per please same set sets should since some still such"
        " take takes than that the their them then there these they this those through too under until up use"
        " used uses using very want wants was way were what when where which while who why will with without"
        " would you your add fix file files code run runs new test tests line see work works first else"
    ).split()
)


def names(text: str) -> "set[str]":
    """List the identifiers, paths, error codes and long numbers in `text`, in lower case."""
    found: "set[str]" = set()
    for piece in _pieces(text):
        word = piece.strip(NAME_MARKS)
        if _is_name(word):
            found.add(word.lower())
            # A file is as often named without its folder.
            base = word.rsplit("/", 1)[-1]
            if base != word and _is_name(base):
                found.add(base.lower())
    return found - EVERYWHERE


def title_words(text: str) -> "set[str]":
    """List the words of `text` that could tell what it is about, in their plainest form."""
    from vectr_hooks.core.keywords import fold, tokens

    return {_plain(word) for word in tokens(fold(text)) if _is_informative(word)}


def note_terms(title: str, text: str) -> "list[tuple[str, int]]":
    """List the terms that index a note, each with how many informative words the title has (0 for a name)."""
    words = title_words(title)
    indexed = [(NAME + name, 0) for name in sorted(names(text))]
    return indexed + [(TITLE_WORD + word, len(words)) for word in sorted(words)]


def prompt_terms(prompt: str) -> "list[str]":
    return [NAME + name for name in sorted(names(prompt))] + [
        TITLE_WORD + word for word in sorted(title_words(prompt))
    ]


def telling_terms(frequencies: "Mapping[str, int]") -> "list[str]":
    """Choose the terms that are worth looking up, from how many notes have each."""
    rare = [term for term, notes in frequencies.items() if term[0] == NAME and notes <= RARE_NOTES]
    words = [term for term, notes in frequencies.items() if term[0] == TITLE_WORD and notes <= COMMON_NOTES]
    words.sort(key=lambda term: (frequencies[term], term))
    return sorted(rare) + words[:MOST_WORDS]


def recalled(hits: "Sequence[tuple[str, int, int]]") -> "list[int]":
    """Rank the notes that have enough in common with a prompt.

    `hits` are (term, note, informative words in its title), with every note that has one of the terms.
    """
    notes_of: "dict[str, int]" = {}
    for term, _, _ in hits:
        notes_of[term] = notes_of.get(term, 0) + 1
    shared: "dict[int, tuple[list[str], list[str], int]]" = {}
    for term, note, length in hits:
        of_names, of_words, longest = shared.get(note, ([], [], 0))
        (of_names if term[0] == NAME else of_words).append(term)
        shared[note] = (of_names, of_words, max(longest, length))
    enough = [
        (-len(of_names), -len(of_words), -note)
        for note, (of_names, of_words, length) in shared.items()
        if of_names or _is_enough(len(of_words), length, min(notes_of[word] for word in of_words))
    ]
    return [-note for _, _, note in sorted(enough)[:MOST_RECALLED]]


def _is_enough(shared: int, length: int, rarest: int) -> bool:
    if length == 2:
        # Two words are a whole title only if they are not everybody's.
        return shared == 2 and rarest <= RARE_NOTES
    return shared >= LEAST_WORDS and shared >= TITLE_SHARE * length


def _pieces(text: str) -> "list[str]":
    """Split at everything that is neither part of a word nor may join the parts of a name."""
    return text.translate(_NAME_CHARACTERS).split()


def _is_name(word: str) -> bool:
    if len(word) < 3:
        return False
    letters = any(c.isalpha() for c in word)
    digits = any(c.isdigit() for c in word)
    if not letters:
        return word.isdigit() and len(word) >= 4 and not word.startswith(("19", "20"))
    inner = word[1:-1]
    if "_" in inner or "/" in inner or "::" in inner:
        return True
    if "." in inner:
        return not word.replace(".", "").isdigit()
    if any(word[at].islower() and word[at + 1].isupper() for at in range(len(word) - 1)):
        return True
    # E0432, utf8mb4; but not 10ms, 2nd, v2.
    return digits and word[0].isalpha() and len(word) >= 4 and "-" not in word


def _is_informative(word: str) -> bool:
    if not word.isascii():
        # A single character of a script without spaces says too little.
        return len(word) > 1
    return len(word) > 2 and word not in STOP_WORDS and not word.isdigit()


def _plain(word: str) -> str:
    """Take a plural's ending off: all the grammar that is needed to tell `lock` in `locks`."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


class _NameCharacters(dict[int, int]):
    """A table for `str.translate` that blanks out what cannot be part of a name."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        kept = char in NAME_MARKS or ("a" + char).isidentifier()
        self[code] = translated = code if kept else ord(" ")
        return translated


_NAME_CHARACTERS = _NameCharacters()
