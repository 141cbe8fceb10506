"""A host's own record of a session, read while the host writes it, and whatever may be in it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import BOMBS, INVALID, PIECES, WRONG_TYPES, Raw, write
from vectr_hooks.hosts.claude import compacted_since
from vectr_hooks.hosts.claude_transcript import TAIL_BYTES, last_request

ENTRY = {"type": "user", "message": {"role": "user", "content": "please deploy"}}

pieces = {**PIECES, "lists that never end": Raw("[" * 100_000)}
values = st.sampled_from(WRONG_TYPES) | st.sampled_from(sorted(pieces)).map(lambda name: pieces[name])
contents = values | st.just("please deploy") | st.lists(
    st.fixed_dictionaries({"type": st.just("text") | values, "text": st.just("one") | values}), max_size=3
)  # fmt: skip
entries = st.fixed_dictionaries(
    {"type": st.just("user") | values},
    optional={
        "message": values | st.fixed_dictionaries({"content": contents}),
        "isMeta": values,
        "isSidechain": values,
    },
).map(lambda entry: write(entry).encode("utf-8", "surrogatepass"))
good = st.just(json.dumps(ENTRY).encode())
bad_bytes = st.sampled_from([*INVALID, b'"user"', b'{"type":"user"', b"\r", b"", b'"user"' * 1000])


@given(st.lists(entries | good | bad_bytes, max_size=6), st.integers(0, 50))
@settings(suppress_health_check=list(HealthCheck), deadline=None)
def test_any_transcript_gives_a_text(tmp_path: Path, lines: list[bytes], cut: int) -> None:
    file = tmp_path / "transcript.jsonl"
    whole = b"\n".join(lines)
    file.write_bytes(whole[: len(whole) - cut] if cut < len(whole) else whole)
    assert isinstance(last_request(str(file)), str)
    assert compacted_since(str(file), cut) in (True, False)


@given(st.lists(entries.filter(lambda entry: b"deploy" not in entry) | bad_bytes, max_size=4))
@settings(suppress_health_check=list(HealthCheck), deadline=None)
def test_a_request_is_found_in_front_of_what_is_none(tmp_path: Path, after: list[bytes]) -> None:
    file = tmp_path / "transcript.jsonl"
    file.write_bytes(b"\n".join([json.dumps(ENTRY).encode(), b'{"type":"assistant"}', *after]))
    assert last_request(str(file)) in ("please deploy", *_texts(after))


def _texts(entries: list[bytes]) -> list[str]:
    """What a host could have meant as a request in `entries`."""
    found = []
    for entry in entries:
        try:
            content = json.loads(entry)["message"]["content"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(content, list):
            blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
            texts = [block.get("text") for block in blocks]
            content = "\n".join(text for text in texts if isinstance(text, str))
        found.append(content)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["newlines", "letters", "marks out of order", "a reminder", "double quotes"])
def test_a_large_transcript_is_read_from_its_end_in_little_time(tmp_path: Path, name: str) -> None:
    file = tmp_path / "transcript.jsonl"
    noise = {
        "type": "user",
        "message": {"content": [{"type": "tool_result", "content": BOMBS[name](100_000)}]},
    }
    line = json.dumps(noise).encode() + b"\n"
    file.write_bytes(json.dumps(ENTRY).encode() + b"\n" + line * (TAIL_BYTES // len(line) + 1))
    began = time.process_time()
    assert last_request(str(file)) == ""
    assert time.process_time() - began <= 2.0


@pytest.mark.parametrize("name", ["deep", "deeper"])
def test_entries_too_deep_for_the_reader_are_passed_over(tmp_path: Path, name: str) -> None:
    depth = {"deep": 1_000, "deeper": 500_000}[name]
    file = tmp_path / "transcript.jsonl"
    deep = b'{"type":"user","message":' + b"[" * depth + b"]" * depth + b"}"
    file.write_bytes(json.dumps(ENTRY).encode() + b"\n" + deep + b"\n")
    assert last_request(str(file)) == "please deploy"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", tmp_path, tmp_path / ("a" * 5000), Path("/dev/zero")):
        assert last_request(str(path)) == ""
        assert compacted_since(str(path), 0) is True
