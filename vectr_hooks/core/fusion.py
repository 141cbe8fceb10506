"""Joins what two searches found: by the words of a question, and by its meaning.

Both give a ranking, and neither may be trusted alone: a question shares some word with nearly every text, and
something is always nearest. So a note is an answer only when words and meaning together say enough for it;
and the less of what the question asks its words cover, the less its place among the words counts.
`benchmarks/recall` measures the numbers below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vectr_hooks.core.conditions import SCALE

#: The larger, the less the first few of a ranking stand out.
RANK_OFFSET = 20
#: What a note must have: its similarity, and this much more for covering the whole question. With 0.28, 60 of
#: 100 questions that no note answers get no answer, and of those in other words than their note's 40 find it
#: among the first three; without, none and 65; with 0.35, 80 and 25.
LEAST_EVIDENCE = 0.28
COVERAGE_COUNTS = 0.3
#: scores nearer to each other than this are a tie, for the notes' precedence to settle
_TIE = 0.001


def fuse(
    by_words: Sequence[int],
    coverage: Mapping[int, float],
    similarities: Mapping[int, int],
    precedences: Mapping[int, int],
) -> list[tuple[int, float]]:
    """Rank the notes that are answers, each with its score.

    `by_words` are notes, best first; `coverage` says what share of the question the words of each make up, 0
    to 1; `similarities` are of all notes that may be answers, in ten-thousandths.
    """
    nearest = sorted(similarities, key=lambda note: (-similarities[note], precedences[note]))
    scores: dict[int, float] = {}
    for place, note in enumerate(by_words):
        if _evidence(note, coverage, similarities) >= LEAST_EVIDENCE:
            scores[note] = coverage.get(note, 0) ** 2 / (RANK_OFFSET + place)
    for place, note in enumerate(nearest):
        if note in scores or _evidence(note, coverage, similarities) >= LEAST_EVIDENCE:
            scores[note] = scores.get(note, 0.0) + 1 / (RANK_OFFSET + place)
    return sorted(scores.items(), key=lambda found: (-round(found[1] / _TIE), precedences[found[0]]))


def _evidence(note: int, coverage: Mapping[int, float], similarities: Mapping[int, int]) -> float:
    return similarities.get(note, 0) / SCALE + COVERAGE_COUNTS * coverage.get(note, 0)
