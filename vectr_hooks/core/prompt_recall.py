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
TITLE_SHARE = 0.65
LEAST_WORDS = 3
MOST_RECALLED = 10

NAME_MARKS = "._/-:"
LONGEST_NAME = 500

# Names that say nothing of what a prompt is about: of products, and of files that every project has.
EVERYWHERE = frozenset(
    (  # noqa: SIM905
        "readme.md changelog.md license.md makefile dockerfile docker-compose docker-compose.yml"
        " package.json package-lock.json tsconfig.json cargo.toml pyproject.toml setup.py requirements.txt"
        " go.mod __init__.py main.py app.py utils.py index.js index.ts index.html main.go main.rs lib.rs"
        " mod.rs settings.json config.yaml config.json e.g i.e utf-8 utf8 node.js next.js vue.js python3"
        " macos ios github gitlab javascript typescript postgresql mysql graphql openapi websocket fastapi"
        " devops stackoverflow"
    ).split()
)
# With one of these a compound of two words is everyday English: read-only, well-known, set-up.
EVERYDAY = frozenset(
    (  # noqa: SIM905
        "add all auto back based best big bit blue built by case check clean click co close code cross"
        " day deep down driven drop easy end even ever far fast first fix follow free friendly front full"
        " fully get good green half hand hard high home hot how in key kind large last left level life"
        " like line live load log long loop low main man many mid mini mode more most multi must near"
        " never new next non not now of off old on one only open out over part past per place point post"
        " pre pro pull push quick re read ready real red right run safe same second self semi set short"
        " side sign single size small so start state step stop sub super third time to top trade try turn"
        " two type under up use user wait way well whole wide work world write year yet zero"
    ).split()
)
STOP_WORDS = frozenset(
    (  # noqa: SIM905
        "about after again all also always and any are because been before being between both but can"
        " cannot could did does doing done down each every few for from further get gets got had has have"
        " having her here his how into its itself just like make makes may might more most must need needs"
        " never not now off once one only onto other our out over own per please same set sets should"
        " since some still such take takes than that the their them then there these they this those"
        " through too under until up use used uses using very want wants was way were what when where"
        " which while who why will with without would you your add fix file files code run runs new test"
        " tests line see work works first else"
    ).split()
)


def names(text: str) -> "set[str]":
    """List the identifiers, paths, error codes and long numbers in `text`, in lower case.

    Of a name made of names, such as a path or `Store.open`, the parts that are names too.
    """
    found: "set[str]" = set()
    for piece in set(_pieces(text)):
        word = piece.strip(NAME_MARKS)
        parts = {word, word.rsplit("/", 1)[-1], *word.replace("/", ".").replace(":", ".").split(".")}
        found.update(part.strip("-").lower() for part in parts if _is_name(part.strip("-")))
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
    if not 3 <= len(word) <= LONGEST_NAME:
        return False
    inner = word[1:-1]
    if word.isdigit():
        # A port or an id, but no year.
        return len(word) > 4 or (len(word) == 4 and word[:2] not in ("19", "20"))
    if not any(c.isalpha() for c in word):
        return False
    if "_" in inner or "/" in inner or ":" in inner:
        return True
    if "." in inner:
        return not word.replace(".", "").isdigit()
    if "-" in inner:
        return _is_compound_name(word)
    if any(word[at].islower() and word[at + 1].isupper() for at in range(len(word) - 1)):
        return True
    # E0432, utf8mb4; but not 10ms, 2nd, v2.
    return word[0].isalpha() and len(word) >= 4 and any(c.isdigit() for c in word)


def _is_compound_name(word: str) -> bool:
    """Tell `proxy-body-size`, `ADR-0019` and `nightly-reconcile` from `read-only`."""
    parts = word.lower().split("-")
    if any(c.isdigit() for c in word):
        return word[0].isalpha() and len(word) > 3
    return all(len(part) > 1 or part == "x" for part in parts) and (
        len(parts) > 2 or EVERYDAY.isdisjoint(parts)
    )


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
