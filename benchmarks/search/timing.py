"""Measures the code index: the first run, one without a change, one with one file changed, and questions.

python benchmarks/search/timing.py                      this checkout, words alone
python benchmarks/search/timing.py --tree DIR --vectors  another one, with vectors

Every run is a process of its own, with its CPU time beside the wall's; questions are asked in one process,
after the index and the model are loaded. The tree is copied first, and the copy changed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

from vectr_hooks import embedding
from vectr_hooks.search.index_file import read_index
from vectr_hooks.search.query import Index

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = (
    "where is the lock taken",
    "read the configuration file",
    "parse a date",
    "retry after an error",
    "Store.open",
    "write output as JSON",
    "test that nothing is printed",
    "split a path into its components",
)
ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tree", type=Path, default=ROOT, help="the source to index")
    parser.add_argument("--vectors", action="store_true", help="with the model: minutes for a large tree")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch, "tree")
        shutil.copytree(options.tree, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv"))
        (tree / ".git").mkdir()
        (tree / ".git/HEAD").write_text("ref: refs/heads/main\n")
        measure(tree, {**os.environ, "VECTR_HOOKS_HOME": str(Path(scratch, "home"))}, options.vectors)


def measure(tree: Path, environment: dict[str, str], vectors: bool) -> None:
    run(tree, environment, "init", json_out=False)
    arguments = ("index",) if vectors else ("index", "--lexical")
    first = report("first run", *run(tree, environment, *arguments))
    report("no change", *run(tree, environment, *arguments))
    changed = max(tree.rglob("*.py"), key=lambda path: path.stat().st_size)
    changed.write_text(
        changed.read_text(encoding="utf-8") + "\n\ndef added_by_the_benchmark():\n    return 1\n"
    )
    report("one file changed", *run(tree, environment, *arguments))
    print(f"{first['files']:,} files, {first['chunks']:,} chunks, {first['embedded']:,} vectors", flush=True)
    ask(str(first["folder"]), str(tree), vectors)


def run(
    tree: Path, environment: dict[str, str], *arguments: str, json_out: bool = True
) -> tuple[dict[str, object], float, float]:
    """What a command says, and the seconds it took: the wall's, and of CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "vectr_hooks", *arguments, *(["--json"] if json_out else [])],
        cwd=tree,
        env={**environment, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout) if json_out else {}, wall, cpu


def report(what: str, said: dict[str, object], wall: float, cpu: float) -> dict[str, object]:
    print(f"{what}: {wall:.2f} s, {cpu:.2f} s of CPU", flush=True)
    return said


def ask(folder: str, root: str, vectors: bool) -> None:
    model = embedding.load() if vectors else None
    with read_index(folder) as con:
        index = Index(folder, root, con)
        index.search("warm up", 10, model)
        walls, cpus = [], []
        for question in QUESTIONS * ROUNDS:
            wall, cpu = time.perf_counter(), time.process_time()
            index.search(question, 10, model)
            walls.append(time.perf_counter() - wall)
            cpus.append(time.process_time() - cpu)
    for name, took in (("wall", walls), ("CPU", cpus)):
        p95 = statistics.quantiles(took, n=20)[-1]
        print(f"question, {name}: p50 {statistics.median(took) * 1e3:.1f} ms, p95 {p95 * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
