"""Measures how well `recall` finds the note that a question is about, and that it finds none for others.

python benchmarks recall
python benchmarks recall --half tune     what the numbers in core/fusion.py were chosen on
python benchmarks recall --misses        name the questions that the fused search does not answer first

`questions.yaml` beside this file holds notes and questions. Which half a note is in is up to the checksum of
its text, so that nobody chose; questions without an answer are divided in the same way.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import yaml

sys.path.append(str(Path(__file__).resolve().parents[2]))

from vectr_hooks import embedding
from vectr_hooks.core.conditions import SCALE
from vectr_hooks.core.fusion import LEAST_EVIDENCE
from vectr_hooks.core.title import default_title
from vectr_hooks.store import vectors
from vectr_hooks.store.create import create_store, open_store
from vectr_hooks.store.notes import NoteDraft, add_notes
from vectr_hooks.store.recall import Meaning, search, similarities

QUESTIONS = Path(__file__).with_name("questions.yaml")
WORDINGS = ("same", "some", "other", "names")
IN_WORDS = {
    "same": "in the note's words",
    "some": "with one or two of them",
    "other": "with none of them",
    "names": "by its identifiers",
}
#: notes that a search gives, as `recall` does
LIMIT = 10
# A search by meaning alone answers everything unless it is cut off: here where `core/fusion.py` does it.
NEAR = LEAST_EVIDENCE

Find = Callable[[str], Sequence[int]]


class Question(NamedTuple):
    text: str
    wording: str
    """'' where no note answers it."""
    note: int
    """The note it is about; 0 for none."""
    half: str


class Score(NamedTuple):
    """What one search made of the questions of one wording."""

    asked: int
    first: float
    """The share of questions whose note came first; `third`: among the first three."""
    third: float
    reciprocal: float
    """The mean of 1 / place of the note, and of 0 where it was not found."""

    @property
    def error(self) -> float:
        """The standard error of `first`."""
        return math.sqrt(max(self.first * (1 - self.first), 1 / self.asked) / self.asked)


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    given = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    texts = [str(note["text"]) for note in given["notes"]] + given["unrelated"]
    questions = [
        question for question in questions_of(given) if options.half == "all" or question.half == options.half
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "store" / "notes.db")
        create_store(path, "0" * 32, folder, 0)
        with closing(open_store(path)) as con:
            add_notes(con, [draft(text) for text in texts], lambda id, draft: (draft.body, draft.title), 1)
            embedder = embedding.load()
            there = vectors.missing(con, embedder.hash)
            noted = embedder.embed([one.text for one in there])
            embedded = {one.note: vector for one, vector in zip(there, noted, strict=True)}
            asked = embedder.embed([question.text for question in questions])
            meanings = {
                question.text: Meaning(vector, embedded)
                for question, vector in zip(questions, asked, strict=True)
            }

            def by_words(text: str) -> Sequence[int]:
                return [note.id for note, _ in search(con, text, LIMIT)]

            def by_meaning(text: str, least: float = NEAR) -> Sequence[int]:
                near = similarities(meanings[text], embedded)
                ranked = sorted(
                    (note for note in near if near[note] >= least * SCALE), key=lambda n: -near[n]
                )
                return ranked[:LIMIT]

            def fused(text: str) -> Sequence[int]:
                return [note.id for note, _ in search(con, text, LIMIT, meaning=meanings[text])]

            searches = {
                "words": by_words,
                "meaning": by_meaning,
                "meaning, no cut-off": lambda text: by_meaning(text, -1),
                "fused": fused,
            }
            tell(questions, searches)
            if options.misses:
                for question in questions:
                    if question.note and list(fused(question.text)[:1]) != [question.note]:
                        print(f"missed ({question.wording}): {question.text}")
                    elif not question.note and fused(question.text):
                        print(f"answered: {question.text}")
    return 0


def questions_of(given: Mapping[str, Sequence[Mapping[str, str]]]) -> list[Question]:
    found = [
        Question(str(note[wording]), wording, number, half_of(note["text"]))
        for number, note in enumerate(given["notes"], start=1)
        for wording in WORDINGS
    ]
    return found + [Question(str(text), "", 0, half_of(str(text))) for text in given["unanswered"]]


def half_of(text: str) -> str:
    return "held-out" if sha256(text.encode()).digest()[0] & 1 else "tune"


def draft(text: str) -> NoteDraft:
    return NoteDraft(
        title=default_title(text), body=text, kind="finding", priority="medium", provenance="human"
    )


def tell(questions: Sequence[Question], searches: Mapping[str, Find]) -> None:
    print("recall@1 / recall@3 / mean reciprocal rank (standard error of the first)")
    for wording in WORDINGS:
        asked = [question for question in questions if question.wording == wording]
        print(f"{IN_WORDS[wording]}, {len(asked)} questions:")
        for name, find in searches.items():
            score = score_of(asked, find)
            found = f"{score.first:.2f} / {score.third:.2f} / {score.reciprocal:.2f}"
            print(f"  {name:20} {found} (± {score.error:.2f})")
    unanswered = [question for question in questions if not question.note]
    print(f"without an answer, {len(unanswered)} questions: how many were given one, and how many notes each")
    for name, find in searches.items():
        notes = [len(find(question.text)) for question in unanswered]
        print(f"  {name:20} {sum(map(bool, notes)) / len(notes):.2f}, {sum(notes) / len(notes):.1f}")


def score_of(asked: Sequence[Question], find: Find) -> Score:
    places = []
    for question in asked:
        found = list(find(question.text))
        places.append(found.index(question.note) + 1 if question.note in found else 0)
    count = len(places)
    return Score(
        count,
        sum(place == 1 for place in places) / count,
        sum(0 < place <= 3 for place in places) / count,
        sum(1 / place for place in places if place) / count,
    )


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python benchmarks recall")
    parser.add_argument("--half", choices=("held-out", "tune", "all"), default="held-out")
    parser.add_argument("--misses", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
