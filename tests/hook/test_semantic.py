"""Conditions on meaning: a prompt compared with notes, by whole hook processes."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hook.session import ROOT, Answer, Session
from vectr_hooks import embedding
from vectr_hooks.core.similarity import numbers, similarity
from vectr_hooks.replay.exact import EXACT, replay
from vectr_hooks.replay.past import Past

Write = Callable[..., int]
Rows = Callable[[str], list[sqlite3.Row]]

CANARY = "Deploys go through the canary in eu-west-1 first."
RELEASE = "how do I release a new version to production with a canary?"
OTHER = "what is the capital of Australia"

# As the entry files do it, but never late on a busy machine, and with what was imported and opened told.
PROGRAM = """
import os, sys
end = os._exit
def report(status):
    sys.stderr.write(" ".join([*sys.modules, *opened]))
    sys.stderr.flush()
    end(status)
os._exit = report
opened = []
sys.addaudithook(lambda event, arguments: opened.append(event) if event.startswith("socket.") else None)
sys.path.append({root!r})
from vectr_hooks import hook
if {patient}:
    from vectr_hooks import prompt_similarity
    hook.DEADLINE_S, hook.LOCK_WAIT_ENDS_S, prompt_similarity.SECONDS = 60, 50, {seconds}
hook.main("claude", {event!r})
"""


class Told(Answer):
    """What a hook printed, and what it had loaded and opened at its end."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.loaded = set(done.stderr.decode().split())
        done.stderr = b""
        super().__init__(done)

    @property
    def sockets(self) -> set[str]:
        return {name for name in self.loaded if name.startswith("socket.")}


@pytest.fixture
def play(session: Session) -> Callable[..., Told]:
    def play(payload: dict[str, Any], root: Path = ROOT, seconds: float = 50, patient: bool = True) -> Told:
        program = PROGRAM.format(
            root=str(root), event=payload["hook_event_name"], seconds=seconds, patient=patient
        )
        return Told(
            subprocess.run(
                [sys.executable, "-I", "-S", "-c", program],
                input=json.dumps(payload).encode(),
                capture_output=True,
                env=session.env(),
                check=True,
            )
        )

    return play


@pytest.fixture
def ask(session: Session, play: Callable[..., Told]) -> Callable[..., Told]:
    """Play a typed prompt, each of a turn of its own."""

    def ask(text: str, **given: Any) -> Told:
        session.prompts += 1
        return play(session.payload("UserPromptSubmit", prompt=text), **given)

    return ask


def facts(rows: Rows) -> list[dict[str, Any]]:
    return [json.loads(row["facts"]) for row in rows("SELECT facts FROM event ORDER BY id")]


def reasons(rows: Rows) -> list[tuple[int, str, str]]:
    return [tuple(row) for row in rows("SELECT note, status, reason FROM outcome ORDER BY event, position")]


def is_exact(store: sqlite3.Connection) -> bool:
    past = Past(store)
    try:
        return all(one.verdict == EXACT for one in replay(past))
    finally:
        past.close()


def test_a_prompt_that_is_near_a_note_brings_it_and_another_does_not(
    write: Write, ask: Callable[..., Told], rows: Rows, store: sqlite3.Connection
) -> None:
    note = write(CANARY, trigger=[{"semantic": 0.4}])
    far = ask(OTHER)
    near = ask(RELEASE)
    assert far.stdout == b""
    assert near.notes == [f"#{note}"]
    assert "semantic 0.4]" in near.context
    assert not near.sockets
    embedder = embedding.load()
    one, other = embedder.embed([RELEASE, CANARY])
    expected = similarity(numbers(one), numbers(other))
    assert facts(rows)[1]["similar"] == [note, expected]
    assert facts(rows)[1]["model"] == embedder.hash
    assert reasons(rows) == [(note, "unmatched", "semantic"), (note, "delivered", "")]
    assert is_exact(store)


def test_a_note_is_embedded_once(write: Write, ask: Callable[..., Told], rows: Rows) -> None:
    note = write(CANARY, trigger=[{"semantic": 0.99}])
    ask(OTHER)
    kept = [tuple(row) for row in rows("SELECT note, model, vector FROM note_vector")]
    assert kept == [(note, embedding.load().hash, embedding.load().embed([CANARY])[0])]
    # What is kept is what is compared with.
    rows(f"UPDATE note_vector SET vector = zeroblob({len(kept[0][2])})")
    ask(RELEASE)
    assert facts(rows)[1]["similar"] == [note, 0]


def test_a_changed_note_is_embedded_anew(write: Write, ask: Callable[..., Told], rows: Rows) -> None:
    note = write(CANARY, trigger=[{"semantic": 0.99}])
    ask(OTHER)
    rows("UPDATE note_vector SET text_hash = 'of another text', vector = zeroblob(1536)")
    ask(CANARY)
    assert facts(rows)[1]["similar"] == [note, 10_000]


@pytest.mark.parametrize(
    ("clause", "prompt"),
    [
        ({"semantic": 0.1, "keyword": "rollback"}, RELEASE),
        ({"semantic": 0.1, "branch": "release/*"}, RELEASE),
        ({"semantic": 0.1, "unless": {"keyword": "canary"}}, RELEASE),
        ({"keyword": "canary"}, RELEASE),
    ],
)
def test_no_model_is_loaded_unless_all_else_holds(
    write: Write, ask: Callable[..., Told], rows: Rows, clause: dict[str, Any], prompt: str
) -> None:
    note = write(CANARY, trigger=[clause])
    told = ask(prompt)
    assert told.loaded.isdisjoint({"numpy", "onnxruntime", "tokenizers", "vectr_hooks.embedding"})
    assert "model" not in facts(rows)[0]
    if "semantic" in clause:
        other = next(name for name in clause if name != "semantic")
        assert (note, "unmatched", other) in reasons(rows) or not reasons(rows)


@pytest.mark.parametrize(
    "name", ["PreToolUse.Edit", "PostToolUse.Read", "SessionStart.startup", "PreCompact.manual"]
)
def test_no_other_event_loads_what_compares(
    session: Session, write: Write, play: Callable[..., Told], name: str
) -> None:
    write(CANARY, trigger=[{"semantic": 0.1}])
    told = play(session.payload(name), patient=False)
    assert told.loaded.isdisjoint({"numpy", "onnxruntime", "vectr_hooks.prompt_similarity", "sysconfig"})


def test_what_the_epoch_has_had_is_not_compared_again(
    session: Session, write: Write, ask: Callable[..., Told], play: Callable[..., Told], rows: Rows
) -> None:
    note = write(CANARY, trigger=[{"semantic": 0.4}])
    assert ask(RELEASE).notes == [f"#{note}"]
    again = ask(RELEASE)
    assert again.stdout == b""
    assert "onnxruntime" not in again.loaded
    assert reasons(rows)[-1] == (
        note, "unmatched", "semantic (not compared: already delivered in this epoch)"
    )  # fmt: skip
    play(session.payload("PreCompact.manual"), patient=False)
    assert play(session.payload("SessionStart.compact"), patient=False).notes == [f"#{note}"]


def test_case_33_without_a_model_a_note_is_skipped_and_the_others_come(
    write: Write, ask: Callable[..., Told], rows: Rows, store: sqlite3.Connection, tmp_path: Path
) -> None:
    near = write(CANARY, trigger=[{"semantic": 0.1}])
    word = write("Canaries sing at dawn.", trigger=[{"keyword": "canary"}])
    root = tmp_path / "program"
    shutil.copytree(
        ROOT / "vectr_hooks", root / "vectr_hooks", ignore=shutil.ignore_patterns("models", "__pycache__")
    )
    told = ask(RELEASE, root=root)
    assert told.notes == [f"#{word}"]
    assert not told.sockets
    assert (near, "unmatched", "semantic (not compared: no embedding model here)") in reasons(rows)
    assert rows("SELECT * FROM error") == []
    assert is_exact(store)


def test_an_interpreter_without_the_packages_skips_the_note(
    session: Session, write: Write, rows: Rows, tmp_path: Path
) -> None:
    note = write(CANARY, trigger=[{"semantic": 0.1}])
    word = write("Canaries sing at dawn.", trigger=[{"keyword": "canary"}])
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    entry = [str(tmp_path / "bare/bin/python"), "-I", "-S", str(ROOT / "hooks/user_prompt_submit.py")]
    payload = json.dumps(session.payload("UserPromptSubmit", prompt=RELEASE)).encode()
    done = subprocess.run(entry, input=payload, capture_output=True, env=session.env(), check=True)
    assert Answer(done).notes == [f"#{word}"]
    assert (note, "unmatched", "semantic (not compared: no embedding model here)") in reasons(rows)


def test_where_time_is_up_the_note_is_skipped_and_the_others_come(
    write: Write, ask: Callable[..., Told], rows: Rows
) -> None:
    near = write(CANARY, trigger=[{"semantic": 0.1}])
    word = write("Canaries sing at dawn.", trigger=[{"keyword": "canary"}])
    told = ask(RELEASE, seconds=0.001)
    assert told.notes == [f"#{word}"]
    assert (near, "unmatched", "semantic (not compared: too slow)") in reasons(rows)


@pytest.mark.parametrize("number", [b"\xff\xff\xff\xff", b"\x00\x00\x80\x7f"])
def test_a_vector_that_is_no_number_is_near_nothing(
    write: Write, ask: Callable[..., Told], rows: Rows, number: bytes
) -> None:
    near = write(CANARY, trigger=[{"semantic": 0.1}])
    word = write("Canaries sing at dawn.", trigger=[{"keyword": "canary"}])
    ask(OTHER)
    rows(f"UPDATE note_vector SET vector = x'{(number * 384).hex()}'")
    assert ask(RELEASE).notes == [f"#{word}"]
    assert reasons(rows)[-1] == (near, "unmatched", "semantic")


def test_a_model_that_is_not_here_is_not_fetched(write: Write, ask: Callable[..., Told], rows: Rows) -> None:
    write(CANARY, trigger=[{"semantic": 0.1}])
    rows("INSERT INTO setting(at, key, value) VALUES (1, 'semantic.model', 'BAAI/bge-small-en-v1.5')")
    told = ask(RELEASE)
    assert told.stdout == b""
    assert not told.sockets
    assert facts(rows)[0]["not_compared"] == "not compared: no embedding model here"
