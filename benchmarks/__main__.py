"""Runs the benchmarks in turn, but for those that download something, or the one named, with its options.

make bench
make bench ARGS="soak --events 600"
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FILES = {
    "latency": "hook_latency.py",
    "load": "hook_load.py",
    "commands": "commands.py",
    "survival": "survival.py",
    "recall": "recall",
    "transcript": "transcript.py",
    "replay": "replay.py",
    "soak": "soak.py",
}
DOWNLOADING = {"search": "search", "footprint": "footprint.py"}
ALL = {**FILES, **DOWNLOADING}


def main(arguments: list[str]) -> int:
    name, *options = arguments or [""]
    if name not in ("", *ALL):
        print(f"error: there is no benchmark {name}", file=sys.stderr)
        print(f"hint: name one of {', '.join(ALL)}, then its options", file=sys.stderr)
        return 2
    status = 0
    for each in [name] if name else FILES:
        print(f"{each}:", file=sys.stderr)
        status = max(
            status, subprocess.call([sys.executable, str(Path(__file__).with_name(ALL[each])), *options])
        )
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
