"""Measures how well code search answers questions about a large program, and how much has to be read.

python benchmarks search --workspace DIR     an unpacked source distribution of Django 5.2.8, with its index
python benchmarks search --fetch             gets it from the package index and indexes it first: many minutes
python benchmarks search --workspace DIR --misses

`questions.yaml` beside this file holds the questions, which describe what code does and avoid its names, and
every definition that answers one. Searched is the package `django`, without its documentation and tests.
Tokens are those read until the first right answer, or of all five: for search the five index lines, then the
code of one after the other.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

from benchmarks.search import grep_recipes
from benchmarks.search.grep_recipes import Shown
from benchmarks.search.labels import Question, questions
from vectr_hooks import embedding
from vectr_hooks.commands.search import index_line
from vectr_hooks.core.budget import tokens
from vectr_hooks.project import open_project
from vectr_hooks.search.index_file import read_index
from vectr_hooks.search.location import cache_home, index_folder
from vectr_hooks.search.query import Hit, Index

ROOT = Path(__file__).resolve().parents[2]
RELEASE = "Django==5.2.8"
PACKAGE = "django"
SHOWN = 5

Way = Callable[[str], Iterable[Shown]]


@dataclass
class Score:
    first: int = 0
    within: int = 0
    file: int = 0
    """The right file was among the five, if not the right place in it."""
    read: int = 0
    """Tokens."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--workspace", type=Path, help="where it was unpacked and indexed")
    where.add_argument(
        "--fetch", action="store_true", help="download, unpack and index it in a scratch folder"
    )
    parser.add_argument("--misses", action="store_true", help="name what the fused search does not answer")
    options = parser.parse_args()
    if options.workspace:
        judge(options.workspace.resolve(), options.misses)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VECTR_HOOKS_HOME"] = f"{folder}/home"
        judge(fetched(Path(folder).resolve()), options.misses)


def fetched(folder: Path) -> Path:
    download = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        ":all:",
        RELEASE,
    ]
    subprocess.run([*download, "--dest", str(folder)], check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    root = folder / archive.name.removesuffix(".tar.gz")
    program = [sys.executable, "-m", "vectr_hooks"]
    for command in ("init", "index"):
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run([*program, command, "--project", str(root)], check=True, env=environment)
    return root


def judge(root: Path, misses: bool) -> None:
    asked = questions(root)
    texts = grep_recipes.python_files(root, PACKAGE)
    place = open_project(str(root))
    folder = index_folder(cache_home(dict(os.environ)), place.workspace.id, place.root)
    model = embedding.load()
    with read_index(folder) as con:
        index = Index(folder, place.root, con)

        def search(question: str, embedder: embedding.Embedder | None) -> list[Hit]:
            return index.search(question, SHOWN, embedder, ("python",), (f"{PACKAGE}/**",))

        ways: dict[str, Way] = {
            "grep: whole files": lambda text: grep_recipes.whole_files(texts, text, SHOWN),
            "grep: lines around": lambda text: grep_recipes.matching_lines(texts, text, SHOWN),
            "search by words": lambda text: read(search(text, None)),
            "search": lambda text: read(search(text, model)),
        }
        embedded = f"{index.counts['embedded']:,} of {index.counts['chunks']:,} chunks embedded"
        print(f"{len(asked)} questions, {embedded}")
        print("| way | first | among five | right file among five | tokens read |")
        print("| --- | ---: | ---: | ---: | ---: |")
        for name, way in ways.items():
            score = scored(way, asked)
            shares = " | ".join(share(right, asked) for right in (score.first, score.within, score.file))
            print(f"| {name} | {shares} | {score.read:,} |")
        if misses:
            for question in asked:
                hits = search(question.text, model)
                if not any(question.is_answered_by(hit.path, hit.first, hit.last) for hit in hits):
                    print(f"- {question.text}", *map(index_line, hits), sep="\n  ")


def read(hits: list[Hit]) -> Iterator[Shown]:
    """What is read of the answers: all index lines, then one definition after the other."""
    listing = "\n".join(map(index_line, hits))
    for number, hit in enumerate(hits):
        yield Shown(hit.path, hit.first, hit.last, hit.text if number else f"{listing}\n{hit.text}")


def scored(way: Way, asked: list[Question]) -> Score:
    score = Score()
    for question in asked:
        results = list(way(question.text))
        files = {span.path for span in question.answers}
        score.file += any(shown.path in files for shown in results)
        for number, shown in enumerate(results):
            score.read += tokens(shown.text)
            if question.is_answered_by(shown.path, shown.first, shown.last):
                score.first += number == 0
                score.within += 1
                break
    score.read //= len(asked)
    return score


def share(right: int, asked: list[Question]) -> str:
    """With its standard error."""
    part = right / len(asked)
    return f"{part:.2f} ± {math.sqrt(part * (1 - part) / len(asked)):.2f}"


if __name__ == "__main__":
    main()
