"""What an installation takes: packages, megabytes, seconds.

Builds the wheel of the checkout and installs it into an empty virtual environment as `pip install` does,
from the package index that pip is set to use.

    .venv/bin/python benchmarks/footprint.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEGABYTE = 1_000_000
LARGEST = 8


def run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def sizes(folder: Path) -> Counter[str]:
    """Megabytes below `folder`, by the name directly in it."""
    found: Counter[str] = Counter()
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            found[file.relative_to(folder).parts[0]] += file.stat().st_size
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "build", "--wheel", "--outdir", str(folder / "dist"), str(ROOT))
        (wheel,) = (folder / "dist").iterdir()
        run(sys.executable, "-m", "venv", str(folder / "venv"))
        python = str(folder / "venv/bin/python")
        (before,) = (folder / "venv/lib").glob("python*/site-packages")
        empty = sum(sizes(before).values())
        started = time.monotonic()
        run(python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", str(wheel))
        took = time.monotonic() - started
        found = sizes(before)
        packages = json.loads(
            run(python, "-m", "pip", "--disable-pip-version-check", "list", "--format=json")
        )
        own = [package["name"] for package in packages if package["name"] not in ("pip", "setuptools")]
        print(f"wheel: {wheel.stat().st_size / MEGABYTE:.1f} MB")
        print(
            f"installed: {len(own)} packages, {(sum(found.values()) - empty) / MEGABYTE:.0f} MB, {took:.0f} s"
        )
        print("largest:")
        for part, size in found.most_common(LARGEST):
            print(f"  {part}: {size / MEGABYTE:.1f} MB")


if __name__ == "__main__":
    main()
