"""Which notes can never arrive, and why."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vectr_hooks.diagnosis import notes
from vectr_hooks.diagnosis.finding import Finding
from vectr_hooks.store import configuration
from vectr_hooks.store.workspace import Workspace, home_folder, locate

Write = Callable[..., int]
DAY_MS = 24 * 60 * 60 * 1000
NOW_MS = 1_700_000_000_000


@pytest.fixture
def place(store: sqlite3.Connection, project: Path) -> Workspace:
    found = locate(str(project), home_folder(os.environ))
    assert found
    return found


@pytest.fixture
def never(store: sqlite3.Connection, place: Workspace) -> Callable[..., list[str]]:
    """What is said of notes that cannot arrive."""

    def call(now_ms: int = NOW_MS) -> list[str]:
        found = notes.check(store, place, now_ms)
        return [each.message for each in found if each.level == "warning"]

    return call


def conditions(**fields: Any) -> dict[str, Any]:
    return {"trigger": [fields]}


@pytest.mark.parametrize(
    ("trigger", "reason"),
    [
        (conditions(keyword="deploy"), ""),
        (conditions(keyword="deploy") | {"expires": "2023-11-14"}, ""),
        (conditions(keyword="deploy") | {"expires": "2023-11-13"}, "expired on 2023-11-13"),
        (conditions(keyword="deploy") | {"not_before": "2030-01-01"}, ""),
        (conditions(path="src/db/**"), "the folder src/db"),
        (conditions(path="src/db/"), "the folder src/db"),
        (conditions(path="src/db/pool.py"), "the folder src/db"),
        (conditions(path="src/*/pool.py"), ""),
        (conditions(path="src/new.py"), ""),
        (conditions(path="/new.py"), ""),
        (conditions(path="*.rs"), ""),
        (conditions(path="**/db/*.py"), ""),
        (conditions(path=["gone/**", "src/**"]), ""),
        (conditions(path=["gone/**", "lost/x.py"]), "the folder gone"),
        (conditions(path="[g]one/**"), ""),
        ({"trigger": [{"path": "gone/**"}, {"keyword": "deploy"}]}, ""),
        (conditions(path="src/**", unless={"event": ["pre-edit"]}), ""),
        (conditions(path="src/**", unless={"path": "*"}), "`unless`"),
    ],
)
def test_a_trigger_that_nothing_can_hold_is_named(
    write: Write, project: Path, never: Callable[..., list[str]], trigger: dict[str, Any], reason: str
) -> None:
    (project / "src").mkdir()
    note = write("Locks race.", trigger=trigger)
    found = never()
    assert [f"#{note} cannot arrive" in each and reason in each for each in found] == [True] * bool(reason)


def test_a_pinned_note_arrives_whatever_its_trigger_names(
    write: Write, never: Callable[..., list[str]]
) -> None:
    write("Locks race.", trigger=conditions(path="gone/**"), pinned=True)
    assert never() == []


def test_a_branch_is_looked_for_among_git_s_own_files(
    write: Write, project: Path, never: Callable[..., list[str]]
) -> None:
    head = project / ".git/HEAD"
    head.write_text("ref: refs/heads/feature/x\n", encoding="utf-8")
    note = write("Only here.", scope="branch", kind="directive")
    # Not born yet, but checked out.
    assert never() == []
    head.write_text("ref: refs/heads/main\n", encoding="utf-8")
    assert never() == [f"#{note} cannot arrive: branch feature/x is gone"]
    packed = project / ".git/packed-refs"
    packed.write_text("# pack-refs\n" + "0" * 40 + " refs/heads/feature/x\n", encoding="utf-8")
    assert never() == []
    packed.unlink()
    (project / ".git/refs/heads/feature").mkdir(parents=True)
    (project / ".git/refs/heads/feature/x").write_text("0" * 40, encoding="utf-8")
    assert never() == []


def test_a_session_that_was_not_seen_for_a_week_is_over(
    write: Write, never: Callable[..., list[str]]
) -> None:
    note = write("Only now.", scope="session", session="s1", kind="directive")
    assert never(NOW_MS + 6 * DAY_MS) == []
    assert never(NOW_MS + 8 * DAY_MS) == [f"#{note} cannot arrive: the session has not been seen for 7 days"]


def test_a_worktree_that_was_removed_is_gone(
    write: Write, project: Path, store: sqlite3.Connection, never: Callable[..., list[str]]
) -> None:
    note = write("Only there.", scope="worktree", kind="directive")
    assert never() == []
    store.execute("UPDATE revision SET scope_value = '/nowhere/tree'")
    assert never() == [f"#{note} cannot arrive: worktree /nowhere/tree is gone"]


def test_a_note_that_no_budget_has_room_for_is_named(
    write: Write, store: sqlite3.Connection, never: Callable[..., list[str]]
) -> None:
    note = write("Use the canary, and wait for ten minutes before going on.", kind="decision", pinned=True)
    for key in ("budget.turn", "budget.boundary"):
        configuration.set_value(store, key, 3, NOW_MS)
    (found,) = never()
    assert f"#{note} cannot arrive: no budget has the" in found


def test_notes_with_one_reason_are_said_together_and_many_are_counted(
    write: Write, never: Callable[..., list[str]]
) -> None:
    for n in range(10):
        write(f"Lock number {n} races.", trigger=conditions(keyword="x") | {"expires": "2020-01-01"})
    (found,) = never()
    assert found.startswith("#1, #2, #3, #4, #5, #6, #7, #8 and 2 others cannot arrive")


def ok(store: sqlite3.Connection, place: Workspace) -> list[Finding]:
    return [each for each in notes.check(store, place, NOW_MS) if each.level == "ok"]


def test_notes_that_every_event_reads_are_counted_not_their_keys(
    write: Write, store: sqlite3.Connection, place: Workspace
) -> None:
    write("All paths and tools.", trigger={"trigger": [{"path": "*"}, {"tool": "*"}, {"command": "*"}]})
    write("Some result.", trigger=conditions(output="/[0-9]+/"))
    write("A name.", trigger=conditions(output="ECONNRESET"))
    messages = [each.message for each in ok(store, place)]
    assert any(each.startswith("1 note has a trigger that names nothing definite") for each in messages)
    assert any(
        each.startswith("1 note has a text or expression") and each.endswith("#2") for each in messages
    )


@pytest.mark.parametrize(
    ("recalled", "part"), [(3, "they come when a prompt is about them"), (0, "only recalled")]
)
def test_notes_without_a_trigger_wait_for_a_prompt_or_for_recall(
    write: Write, store: sqlite3.Connection, place: Workspace, recalled: int, part: str
) -> None:
    write("Waits.")
    configuration.set_value(store, "recall.notes", recalled, NOW_MS)
    assert any(
        "1 of 1 notes have no trigger" in each.message and part in each.message for each in ok(store, place)
    )
