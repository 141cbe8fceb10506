"""How fast, and in how much memory, recorded sessions are read and tried.

Builds session files of the shapes that two versions of the client write (prompts, replies, reads, edits,
commands, rewinds, compactions; the newer one also keeps each request's new part and what it told the model
of its tools), then reads them and plays them to a store, each in a process of its own.

    .venv/bin/python benchmarks/transcript.py --megabytes 100 --notes 1000
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from vectr_hooks.authoring import draft, remember
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.front_matter import NoteText
from vectr_hooks.hosts.claude_transcript import Account, recorded_events
from vectr_hooks.project import Project, init_project
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import NoteDraft
from vectr_hooks.transcript_trial import try_transcripts

FOLDERS = ("src/db", "src/api", "src/ui", "tests", "docs")
WORDS = tuple(f"word{number}" for number in range(400))
TURNS_PER_EPOCH = 40
CALLS_PER_TURN = 8
MEGABYTE = 1_000_000


class Session:
    """A session as the client writes it down, line by line."""

    def __init__(self, root: str, seed: int, keeps_requests: bool) -> None:
        self.root = root
        self.keeps_requests = keeps_requests
        self.random = random.Random(seed)
        self.before: str | None = None
        self.count = 0
        self.turn = 0

    def lines(self, most_bytes: int) -> Iterator[bytes]:
        written = 0
        while written < most_bytes:
            for fields in self._turn():
                line = json.dumps(fields, separators=(",", ":")).encode() + b"\n"
                written += len(line)
                yield line

    def _turn(self) -> Iterator[dict[str, Any]]:
        self.turn += 1
        yield {"type": "queue-operation", "operation": "enqueue", "content": "prompt"}
        began = self.before
        yield self._said(self._text(30))
        if self.keeps_requests:
            yield self._snapshot()
        for _ in range(CALLS_PER_TURN):
            yield from self._call()
        yield self._entry(type="assistant", message=self._message([{"type": "text", "text": self._text(60)}]))
        yield {"type": "file-history-snapshot", "snapshot": {"files": [self._path() for _ in range(20)]}}
        if self.turn % 7 == 0:
            self.before = began
        if self.turn % TURNS_PER_EPOCH == 0:
            yield self._boundary()

    def _call(self) -> Iterator[dict[str, Any]]:
        tool = self.random.choice(("Read", "Read", "Edit", "Bash", "Grep"))
        call, path, text = (
            f"toolu_{self.count}",
            self._path(),
            self._text(self.random.choice((100, 600, 1500))),
        )
        given: dict[str, dict[str, Any]] = {
            "Read": {"file_path": path},
            "Edit": {"file_path": path, "old_string": self._text(20), "new_string": self._text(20)},
            "Bash": {"command": f"make {self.random.choice(WORDS)} && git status"},
            "Grep": {"pattern": self.random.choice(WORDS)},
        }
        structured: dict[str, dict[str, Any]] = {
            "Read": {"type": "text", "file": {"filePath": path, "content": text, "numLines": 40}},
            "Edit": {"filePath": path, "originalFile": text, "structuredPatch": []},
            "Bash": {"stdout": text, "stderr": "", "interrupted": False},
            "Grep": {"mode": "files_with_matches", "filenames": [path]},
        }
        use = {"type": "tool_use", "id": call, "name": tool, "input": given[tool]}
        yield self._entry(type="assistant", message=self._message([use]))
        result = {"tool_use_id": call, "type": "tool_result", "content": text, "is_error": False}
        yield self._entry(
            type="user",
            message={"role": "user", "content": [result]},
            toolUseResult=structured[tool],
            promptId=f"prompt-{self.turn}",
        )
        if self.keeps_requests:
            message = {"role": "user", "content": [result]}
            yield {"type": "api-request-blob", "hash": "0" * 64, "message": message}
            yield {"type": "api-request", "params": {"tail": ["0" * 64] * 4}, "cacheControl": []}

    def _snapshot(self) -> dict[str, Any]:
        """What the newer client notes of its tools and prompt, in each turn."""
        shown = {"type": "prompt_snapshot", "systemPrompt": self._text(2000), "tools": self._text(6000)}
        return self._entry(type="attachment", attachment=shown)

    def _said(self, text: str) -> dict[str, Any]:
        message = {"role": "user", "content": text}
        return self._entry(type="user", message=message, promptId=f"prompt-{self.turn}")

    def _boundary(self) -> dict[str, Any]:
        logical, self.before = self.before, None
        return self._entry(
            logicalParentUuid=logical,
            type="system",
            subtype="compact_boundary",
            compactMetadata={"trigger": "auto"},
        )

    def _message(self, content: list[dict[str, Any]]) -> dict[str, Any]:
        usage = {"input_tokens": 2000, "output_tokens": 10}
        return {"id": f"msg_{self.count}", "role": "assistant", "content": content, "usage": usage}

    def _entry(self, **fields: Any) -> dict[str, Any]:
        self.count += 1
        before, self.before = self.before, f"{self.count:08x}-0000-4000-8000-000000000000"
        at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_700_000_000 + self.count))
        common = {"uuid": self.before, "timestamp": at, "cwd": self.root, "gitBranch": "main"}
        return {"parentUuid": before, "isSidechain": False, **fields, **common, "sessionId": "recorded"}

    def _path(self) -> str:
        return f"{self.root}/{self.random.choice(FOLDERS)}/file{self.random.randrange(200)}.py"

    def _text(self, words: int) -> str:
        return " ".join(self.random.choices(WORDS, k=words))


def write_notes(project: Project, count: int) -> None:
    triggers = (
        lambda n: {"path": f"{FOLDERS[n % 5]}/file{n}.py", "event": ["pre-edit"]},
        lambda n: {"keyword": f"subject{n}"},
        lambda n: {"command": f"program{n} deploy"},
        lambda n: {"output": f"Error {n}", "tool": "Bash"},
    )
    with closing(open_store(project.store_path)) as con:
        for n in range(count):
            trigger = parse_trigger([triggers[n % 4](n)])
            remember(con, project.root, f"Note {n}.", trigger=trigger, provenance="agent", now_ms=1)


def proposed(project: Project) -> NoteDraft:
    trigger = parse_trigger([{"path": "src/db/**", "event": ["pre-edit"]}, {"keyword": WORDS[0]}])
    return draft(project.root, NoteText(body="Lock it.", trigger=trigger), provenance="human")


def measured(version: str, what: str, file: str, project: Project) -> None:
    """Run in a process of its own: its peak is that of nothing else."""
    began, cpu = time.perf_counter(), time.process_time()
    if what == "read":
        events = sum(1 for _ in recorded_events(file, Account()))
    else:
        note = proposed(project) if what == "try" else None
        events = try_transcripts(project.store_path, project.workspace, [file], note).events
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    size = os.path.getsize(file) / MEGABYTE
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"| {version} | {what} | {size:.0f} | {events:,} | {size / took:.1f} | {size / cpu:.1f} "
        f"| {1000 * cpu / events:.2f} | {peak:.0f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--notes", type=int, default=1000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VECTR_HOOKS_HOME"] = f"{folder}/data"
        root = Path(folder).resolve() / "project"
        root.mkdir()
        subprocess.run(["git", "init", "--quiet", str(root)], check=True)
        project = init_project(str(root))
        write_notes(project, chosen.notes)
        print("| version | what | MB | events | MB/s | MB per CPU second | CPU ms per event | peak MB |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
        for version, keeps_requests in (("2.1.197", False), ("2.1.332", True)):
            file = f"{folder}/{version}.jsonl"
            with open(file, "wb") as opened:
                opened.writelines(Session(str(root), 1, keeps_requests).lines(chosen.megabytes * MEGABYTE))
            # `try` watches one proposed note, `now` all that there are.
            for what in ("read", "try", "now"):
                # A fresh interpreter, so that one's memory is not the other's.
                process = multiprocessing.get_context("spawn").Process(
                    target=measured, args=(version, what, file, project)
                )
                process.start()
                process.join()


if __name__ == "__main__":
    main()
