"""What prompts bring up of a hundred notes without triggers, on prompts that were labelled by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.playback import Playback

SET = yaml.safe_load((Path(__file__).parent / "cases/recall.yaml").read_text("utf-8"))
UNRELATED_SILENT = 0.95
RELATED_BROUGHT = 0.90


@pytest.fixture
def ask(project: Path, store_path: Path, write: Callable[..., int]) -> Iterator[Callable[[str], set[int]]]:
    """Submit a prompt in a session of its own; give the notes it brings up."""
    for note in SET["notes"]:
        assert write(note["body"], kind=note["kind"], title=note.get("title", "")) == note["id"]
    session = Playback(project, store_path)

    def ask(prompt: str) -> set[int]:
        session.session = f"session-{session.prompts}"
        lines = session.prompt(prompt).splitlines()
        assert len(lines) <= 3
        return {int(line[1:].split(" ")[0]) for line in lines}

    with closing(session.connection):
        yield ask


def test_prompts_that_concern_no_note_bring_up_nothing(ask: Callable[[str], set[int]]) -> None:
    disturbed = [prompt for prompt in SET["unrelated"] if ask(prompt)]
    assert len(SET["unrelated"]) >= 200
    assert 1 - len(disturbed) / len(SET["unrelated"]) >= UNRELATED_SILENT, disturbed


def test_prompts_that_share_a_name_with_a_note_bring_it_up(ask: Callable[[str], set[int]]) -> None:
    missed = [pair for pair in SET["related"] if not ask(pair["prompt"]) & wanted(pair)]
    assert len(SET["related"]) >= 100
    assert 1 - len(missed) / len(SET["related"]) >= RELATED_BROUGHT, missed


def wanted(pair: dict[str, Any]) -> set[int]:
    return set(pair["note"]) if isinstance(pair["note"], list) else {pair["note"]}
