"""How near notes are to a prompt in meaning, where their triggers ask for it and all else of them holds."""

import os
import sys

from vectr_hooks.core.conditions import SEMANTIC, judge
from vectr_hooks.core.keywords import window
from vectr_hooks.core.model import Clause
from vectr_hooks.core.similarity import embedded_text, numbers, similarity, text_hash
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store import candidates, note_vectors
from vectr_hooks.time_limit import within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from sqlite3 import Connection

    from vectr_hooks.core.model import Candidate, Facts
    from vectr_hooks.embedding import Embedder
    from vectr_hooks.store.note_vectors import Made

#: all of it: loading a model takes 0.2 s, and up to a second where the disk has to be read
SECONDS = 1.2
# Embedding takes a hundredth of a second each; a command or the next prompts do the rest.
MOST_EMBEDDED = 16

TOO_SLOW = "not compared: too slow"
NO_MODEL = "not compared: no embedding model here"
NOT_EMBEDDED = "not compared: not embedded yet"
DELIVERED = "not compared: already delivered in this epoch"


class Similarities:
    """What was found out about a prompt."""

    __slots__ = ("made", "model", "near", "why_not")

    def __init__(self) -> None:
        #: by note, in ten-thousandths
        self.near: "dict[int, int]" = {}
        #: why notes are missing there; '' where none is
        self.why_not = ""
        #: hash of the model; '' where none was loaded
        self.model = ""
        #: the vectors of notes that were not kept yet
        self.made: "list[Made]" = []


def compare(
    connection: "Connection", prompt: str, facts: "Facts", session: str, settings: "Mapping[str, int]"
) -> "Similarities | None":
    """Compare `prompt` with the notes whose triggers ask for it; None where none does.

    Not with what the epoch of `session` has had already, so that a model is not loaded at every prompt.
    `facts` are those of the prompt as far as they are known before the store is locked. Whatever is in the
    way is no error: it is said of the notes.
    """
    found = candidates.read(connection, note_vectors.asking(connection, settings["candidates.max"]), {})
    had = note_vectors.delivered(connection, session, [candidate.note for candidate in found])
    asked = [(candidate, clauses) for candidate in found if (clauses := _asking_clauses(candidate, facts))]
    if not asked:
        return None
    similarities = Similarities()
    asking = [
        candidate.note
        for candidate, clauses in asked
        if candidate.cooldown or any((candidate.note, clause) not in had for clause in clauses)
    ]
    if not asking:
        similarities.why_not = DELIVERED
        return similarities
    similarities.why_not = TOO_SLOW

    def do() -> None:
        model = str(settings["semantic.model"])
        similarities.why_not = _compare(connection, prompt, asking, model, similarities)

    within(SECONDS, do)
    if not similarities.why_not and len(asking) < len(asked):
        similarities.why_not = DELIVERED
    return similarities


def _asking_clauses(candidate: "Candidate", facts: "Facts") -> "list[int]":
    """List the clauses of `candidate` on which meaning is all that decides."""
    asking = []
    for clause in candidate.clauses:
        others = tuple(condition for condition in clause.conditions if condition[0] != SEMANTIC)
        if len(others) < len(clause.conditions):
            here = others or (("event", facts.moments),)
            if judge(Clause(clause.number, here, clause.unless), facts):
                asking.append(clause.number)
    return asking


def _compare(
    connection: "Connection", prompt: str, notes: "Sequence[int]", model: str, found: Similarities
) -> str:
    """Fill `found`; give why not all of `notes` are in it, '' where they are."""
    try:
        _find_packages()
        embedder = _loaded(model)
    except (VectrHooksError, ImportError):
        return NO_MODEL
    found.model = embedder.hash
    asked = numbers(embedder.embed([window(prompt)])[0])
    texts = note_vectors.texts(connection, notes)
    kept = note_vectors.kept(connection, embedder.hash, notes)
    missing = []
    for note in notes:
        revision, title, body = texts[note]
        text = embedded_text(title, body)
        digest, vector = kept.get(note, ("", b""))
        if digest == text_hash(text) and len(vector) == 4 * embedder.dimensions:
            found.near[note] = similarity(asked, numbers(vector))
        else:
            missing.append((note, revision, text))
    for note, revision, text in missing[:MOST_EMBEDDED]:
        (vector,) = embedder.embed([text])
        found.near[note] = similarity(asked, numbers(vector))
        found.made.append((note, revision, text_hash(text), vector))
    return NOT_EMBEDDED if missing[MOST_EMBEDDED:] else ""


# A trial plays many prompts in one process.
_models: "dict[str, Embedder]" = {}


def _loaded(model: str) -> "Embedder":
    if model not in _models:
        from vectr_hooks.embedding import load

        _models[model] = load(model)
    return _models[model]


def _find_packages() -> None:
    """Let the packages of the interpreter be found that runs us, which a hook starts without."""
    for folder in _package_folders():
        if folder not in sys.path:
            sys.path.append(folder)


def _package_folders() -> "Iterable[str]":
    import sysconfig

    # Without `site` an interpreter does not know of the virtual environment it lies in.
    environment = os.path.dirname(os.path.dirname(os.path.abspath(sys.executable)))
    if not os.path.isfile(os.path.join(environment, "pyvenv.cfg")):
        return dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    scheme = "nt" if os.name == "nt" else "posix_prefix"
    base = {"base": environment, "platbase": environment}
    return dict.fromkeys(sysconfig.get_path(name, scheme, base) for name in ("purelib", "platlib"))
