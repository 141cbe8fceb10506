"""Recorded events, decided again: as they were, or with other notes."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests import random_history
from tests.hook.session import ROOT, Session
from tests.playback import DAY_MS, Playback
from tests.random_history import History
from vectr_hooks import prompt_similarity
from vectr_hooks.authoring import draft, remember, render
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.core.occurrence import Occurrence
from vectr_hooks.front_matter import NoteText
from vectr_hooks.hosts import claude
from vectr_hooks.project import init_project
from vectr_hooks.replay.exact import EXACT, NOT_REPLAYABLE, PARTLY, Replayed, replay
from vectr_hooks.replay.otherwise import NO_EARLIER, Otherwise
from vectr_hooks.replay.past import Past
from vectr_hooks.replay.proposal import Proposal
from vectr_hooks.replay.todays_notes import TodaysNotes
from vectr_hooks.replay.unknown import NO_COMMAND, NO_FILE, NO_INPUT, NO_PROMPT, NO_RESULT
from vectr_hooks.response import Response
from vectr_hooks.store.configuration import set_value
from vectr_hooks.store.create import open_store
from vectr_hooks.store.journal import ALL, Choice
from vectr_hooks.store.notes import change_note, forget
from vectr_hooks.trial import PROPOSED, Trial

Write = Callable[..., int]

SEEDS = range(10)
EVENTS_OF_EACH = 500
TOKEN = "ghp_" + "Zk3vQ9xLr7TnB2mWc8YpD4sHf6JgUe1aVo5R"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, there is time to compare meanings."""
    monkeypatch.setattr(prompt_similarity, "SECONDS", 60.0)


@pytest.fixture
def session(project: Path, store_path: Path) -> Playback:
    return Playback(project, store_path)


def replayed(store: sqlite3.Connection, choice: Choice = ALL) -> list[Replayed]:
    with closing(Past(store)) as past:
        return list(replay(past, choice))


def verdicts(store: sqlite3.Connection) -> Counter[str]:
    return Counter(result.verdict for result in replayed(store))


def differences(store: sqlite3.Connection) -> list[str]:
    found = [difference for result in replayed(store) for difference in result.differences]
    return [f"{one.what}: {one.recorded} -> {one.replayed}" for one in found]


@pytest.fixture
def busy(project: Path, store_path: Path, store: sqlite3.Connection) -> Callable[[int, int], History]:
    def busy(seed: int, events: int) -> History:
        history = History(project, store_path, store, seed)
        history.play(events)
        return history

    return busy


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_case_45_every_outcome_and_every_byte_of_any_history_is_reproduced(
    busy: Callable[[int, int], History],
    store: sqlite3.Connection,
    store_path: Path,
    tmp_path: Path,
    seed: int,
) -> None:
    busy(seed, EVENTS_OF_EACH)
    results = replayed(store)
    assert [result for result in results if result.differences] == []
    found = Counter(result.verdict for result in results)
    assert found[NOT_REPLAYABLE] == 0
    assert found[EXACT] + found[PARTLY] == len(results) >= EVENTS_OF_EACH
    # The same from a copy in another place, written anew.
    with closing(sqlite3.connect(tmp_path / "elsewhere.db")) as copy:
        store.backup(copy)
        copy.execute("VACUUM")
    with closing(open_store(str(tmp_path / "elsewhere.db"))) as copy:
        assert [(one.verdict, one.text) for one in replayed(copy)] == [
            (one.verdict, one.text) for one in results
        ]


def test_histories_have_everything_that_decides(
    busy: Callable[[int, int], History], store: sqlite3.Connection
) -> None:
    """What happens in none of them is not tested by them."""
    busy(SEEDS[6], 400)
    statuses = {tuple(row) for row in store.execute("SELECT DISTINCT status, form FROM outcome")}
    assert statuses >= {
        ("delivered", "full"), ("delivered", "index"), ("delivered", "index:budget"), ("held back", ""),
        ("suppressed", ""), ("unmatched", ""), ("out of scope", ""), ("expired", ""),
    }  # fmt: skip
    states = {row[0] for row in store.execute("SELECT DISTINCT state FROM revision")}
    assert states == {"active", "revoked", "superseded"}
    origins = {row[0] for row in store.execute("SELECT DISTINCT origin FROM outcome")}
    assert origins >= {"trigger", "pinned", "written", "working set", "recall"}
    facts = {row[0] for row in store.execute("SELECT DISTINCT key FROM event, json_each(event.facts)")}
    assert facts >= {"withheld", "nudge"}
    assert facts >= {"marks", "work", "announced", "held", "programs", "parent", "input", "recalled"}
    assert store.execute("SELECT 1 FROM event WHERE remark = 'duplicate'").fetchone()
    assert store.execute("SELECT 1 FROM event WHERE more > 0").fetchone()
    assert store.execute("SELECT 1 FROM event WHERE facts LIKE '%[forgotten]%'").fetchone()


@pytest.mark.slow
def test_a_replay_is_the_same_with_another_hash_seed(
    busy: Callable[[int, int], History], project: Path
) -> None:
    busy(77, 150)
    printed = set()
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "vectr_hooks", "audit", "replay", "--json", "--project", str(project)],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        )
        printed.add(done.stdout)
    assert len(printed) == 1


@pytest.mark.slow
def test_what_many_processes_did_at_once_is_reproduced(
    project: Path, store_path: Path, store: sqlite3.Connection, write: Write
) -> None:
    write("Lock.", trigger={"clauses": [{"path": "src/**"}], "max_deliveries": 3})
    write("Deploys.", trigger={"clauses": [{"keyword": "deploy"}], "cooldown": 1})
    write("Rule. " + "x" * 900, kind="directive")
    sessions = [Session(project, f"session-{number}") for number in range(4)]

    def live(session: Session) -> None:
        session.start()
        session.prompt("deploy")
        session.before_edit("src/a.py")
        session.announce_compaction()
        session.compacted()
        session.before_edit("src/a.py")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(live, [*sessions, *sessions]))
        write("Written meanwhile.", trigger=[{"path": "src/**"}])
    assert verdicts(store) == {EXACT: 48}
    assert store.execute("SELECT count(*) FROM outcome WHERE status = 'delivered'").fetchone()[0] > 12


def lived(session: Playback, write: Write, project: Path) -> None:
    """A short history in which each sort of fact decides something."""
    (project / "src").mkdir()
    (project / "src/a.py").write_text("acquire_lock()")
    write("Lock.", kind="gotcha", anchors=["src/a.py"], trigger=[{"path": "src/**"}])  # 1
    write("Deploys. " + "x" * 2000, trigger=[{"keyword": "deploy"}])  # 2
    write("Rule.", kind="directive")  # 3
    write(
        "Lock in a file.", trigger=[{"path": "src/**", "symbol": "acquire_lock", "event": "post-read"}]
    )  # 4
    write("Push.", trigger=[{"command": "git push"}])  # 5
    write("acquire_lock() comes before pool_size")  # 6
    write("Cure.", trigger=[{"output": "E0432"}])  # 7
    write("Ship.", provenance="team", trigger=[{"path": "docs/**"}])  # 8
    write("Deployment.", trigger=[{"semantic": 0.1, "keyword": "deploy"}])  # 9
    (project / "src/a.py").write_text("acquire_lock() # changed")
    set_value(session.connection, "nudge", True, 1)
    set_value(session.connection, "nudge.calls", 0, 1)
    session.start()
    session.prompt("deploy pool_size")
    session.edit("src/a.py")
    session.tool("post", "edit", "src/a.py")
    session.read("src/a.py")
    session.run("true; " * 60 + "git push")
    session.run_to("make", "error[E0432]")
    session.compact()
    session.edit("src/a.py")
    session.edit("docs/a.md")
    session.prompt("deploy it again")


#: what is changed behind the audit's back, and what of the replay then says so
CHANGES = {
    "a status": ("UPDATE outcome SET status = 'suppressed' WHERE note = 1 AND event = 3", "#1 status:"),
    "a reason": ("UPDATE outcome SET reason = 'x' WHERE note = 1 AND event = 4", "#1 reason: x ->"),
    "a form": ("UPDATE outcome SET form = 'full' WHERE form = 'index'", " form: full -> index"),
    "clauses": ("UPDATE outcome SET clauses = '1' WHERE note = 2 AND event = 2", "#2 clauses: 1 -> 0"),
    "an origin": ("UPDATE outcome SET origin = 'pinned' WHERE event = 3", "#1 origin: pinned ->"),
    "a revision": ("UPDATE outcome SET revision = 9 WHERE note = 1 AND event = 3", "#1 revision: 9 -> 1"),
    "a cost": ("UPDATE outcome SET cost = 99 WHERE note = 1 AND event = 3", "#1 cost: 99 ->"),
    "an outcome less": ("DELETE FROM outcome WHERE event = 3", "#1: no candidate -> delivered full"),
    "an outcome more": (
        "INSERT INTO outcome VALUES (1, 9, 2, 2, 'delivered', '', 'full', '', 'pinned', 5)",
        "#2: delivered full -> no candidate",
    ),
    "an event's cost": ("UPDATE event SET cost = 99 WHERE id = 3", "tokens: 99 ->"),
    "its size": ("UPDATE event SET printed_bytes = 9 WHERE id = 3", "output: 9 bytes"),
    "its checksum": ("UPDATE event SET printed_checksum = 1 WHERE id = 3", "output: "),
    "the candidates left out": ("UPDATE event SET more = 7 WHERE id = 3", "beyond the most: 7 -> 0"),
    "the epoch": ("UPDATE event SET epoch = 5 WHERE id = 5", "#1 status: suppressed -> delivered"),
    "what was spent": ("UPDATE event SET turn_spent = 799 WHERE id = 3", "#1 status: delivered -> held back"),
    "a note's text": ("UPDATE revision SET text = text || 'x' WHERE note = 3", "output: "),
    "a note's line": ("UPDATE revision SET line = line || ' long' WHERE note = 2", "#2 cost"),
    "a note's kind": ("UPDATE revision SET kind = 'reference' WHERE note = 1", "#1 form: full -> index"),
    "a trigger": (
        "UPDATE revision SET trigger = '{\"clauses\": [{\"keyword\": [\"rollout\"]}]}' WHERE note = 2",
        "#2: delivered",
    ),
    "a needle": (
        "UPDATE event SET facts = json_remove(facts, '$.needles', '$.fresh') WHERE id = 2",
        "#2: delivered index -> no candidate",
    ),
    "what a file held": (
        "UPDATE event SET facts = json_set(facts, '$.needles', json('[]')) WHERE id = 5",
        "#4 status: delivered -> unmatched",
    ),
    "a path": ("UPDATE event SET facts = json_set(facts, '$.targets[1]', 'b')", "#1: delivered"),
    "a command that held": ("UPDATE event SET facts = json_remove(facts, '$.held')", "#5 status"),
    "a program": ("UPDATE event SET facts = json_remove(facts, '$.programs')", "#5: delivered"),
    "a mark": ("UPDATE event SET facts = json_remove(facts, '$.marks') WHERE id = 3", "#1 cost"),
    "the work": ("UPDATE event SET facts = json_remove(facts, '$.work')", "output: "),
    "what was withheld": (
        "UPDATE event SET facts = json_remove(facts, '$.withheld')",
        "#8 status: held back -> delivered",
    ),
    "a nudge": ("UPDATE event SET facts = json_remove(facts, '$.nudge')", "output: "),
    "what was recalled": ("UPDATE event SET facts = json_remove(facts, '$.recalled')", "#6: delivered index"),
    "a similarity": (
        "UPDATE event SET facts = json_remove(facts, '$.similar')",
        "#9 status: delivered -> unmatched",
    ),
    "why a note was not compared": (
        "UPDATE event SET facts = json_remove(facts, '$.not_compared')",
        "#9 reason: semantic (not compared: already delivered in this epoch) -> semantic (not compared)",
    ),
    "what was announced": ("DELETE FROM working_set", "output: "),
    "a delivery": ("DELETE FROM delivery WHERE event = 3", "#1 status: suppressed -> delivered"),
    "a lost delivery": ("UPDATE delivery SET lost = 4 WHERE event = 3", "#1 status: suppressed -> delivered"),
    "a setting": (
        "INSERT INTO setting VALUES (9, 1, 'cap.gotcha', '0'); UPDATE event SET setting_revision = 9",
        "#1 form: full -> index",
    ),
    "a duplicate": ("UPDATE event SET remark = 'duplicate'", "#1: delivered full -> no candidate"),
}  # fmt: skip


def test_each_sort_of_fact_is_in_the_record(
    session: Playback, write: Write, project: Path, store: sqlite3.Connection
) -> None:
    lived(session, write, project)
    assert differences(store) == []
    assert verdicts(store) == {EXACT: 12}


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_changed_in_the_record_is_found(
    session: Playback, write: Write, project: Path, store: sqlite3.Connection, what: str
) -> None:
    lived(session, write, project)
    statements, named = CHANGES[what]
    store.executescript(statements)
    found = differences(store)
    assert [line for line in found if named in line] != [], found


def test_the_notes_are_as_they_were_at_each_event(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    note = write("First.", trigger=[{"keyword": "deploy"}])
    session.prompt("deploy")
    change_note(store, note, 1, render, body="Second.", trigger=parse_trigger([{"keyword": "rollout"}]))
    session.compact()
    session.prompt("deploy")
    session.prompt("rollout")
    set_value(store, "cap.finding", 0, 1)
    session.compact()
    results = replayed(store)
    assert {result.verdict for result in results} == {EXACT}
    assert "First." in results[0].text
    assert "Second." in next(result.text for result in results[1:] if result.text.startswith("[#"))


def test_the_settings_are_those_that_were_read_and_not_those_of_a_moment_later(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    """A hook reads them before it takes the lock, so they may change before the event is recorded."""
    write("Rule.", kind="directive")
    event = Occurrence("session", "SessionStart", "startup", session="s")
    response = Response(session.connection, claude, event, session.place, session.now_ms)
    set_value(store, "cap.directive", 0, 1)
    session.connection.execute("BEGIN IMMEDIATE")
    assert b"[#1" in response.answer()
    session.connection.execute("COMMIT")
    assert verdicts(store) == {EXACT: 1}


def test_a_note_forgotten_since_keeps_its_place_and_its_part_of_the_budget(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    for number in range(4):
        write(
            f"Note {number}. " + "x" * 900,
            priority="high" if number == 1 else "low",
            trigger=[{"keyword": "deploy"}],
        )
    set_value(store, "budget.turn", 550, 1)
    session.start()
    session.prompt("deploy")
    before = [tuple(row) for row in store.execute("SELECT note, form FROM outcome ORDER BY position")]
    assert before[:3] == [(2, "full"), (4, "full"), (3, "index:budget")]
    forget(store, [2])
    assert verdicts(store) == {EXACT: 1, PARTLY: 1}
    # The others are still compared.
    store.execute("UPDATE outcome SET form = 'index' WHERE note = 4")
    assert differences(store) == ["#4 form: index -> full"]


def test_of_a_forgotten_note_that_the_budget_cut_nobody_knows_what_it_left(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    for number in range(3):
        write(f"Note {number}. " + "x" * 900, trigger=[{"keyword": "deploy"}])
    set_value(store, "budget.turn", 300, 1)
    session.start()
    session.prompt("deploy")
    forget(store, [2])
    assert verdicts(store) == {EXACT: 1, PARTLY: 1}
    store.execute("UPDATE outcome SET clauses = '7' WHERE note = 1")
    assert differences(store) == ["#1 clauses: 7 -> 0"]


def test_a_needle_that_an_older_revision_asked_for_stays_when_the_last_note_with_it_is_forgotten(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    for text in ("One.", "Two."):
        write(text, trigger=[{"keyword": "deploy"}, {"command": "git push"}])
    session.start()
    session.prompt("deploy")
    session.run("true; " * 60 + "git push")
    change_note(store, 1, 1, render, trigger=parse_trigger([{"keyword": "rollout"}]))
    forget(store, [2])
    assert verdicts(store) == {EXACT: 1, PARTLY: 2}
    forget(store, [1])
    left = "SELECT 1 FROM event WHERE facts LIKE '%deploy%' OR json_extract(facts, '$.held') LIKE '%push%'"
    assert store.execute(left).fetchall() == []


def words_left(store: sqlite3.Connection, word: str) -> list[str]:
    """The tables that hold `word` anywhere."""
    tables = [row[0] for row in store.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return [
        table
        for table in tables
        if any(word in str(tuple(row)) for row in store.execute(f"SELECT * FROM {table}"))
    ]


def test_the_handoff_tells_no_word_of_a_forgotten_note(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    write("Other.", kind="task", priority="high")
    text = "the wombat launch code lives in the teapot drawer"
    note = write(text, trigger=[{"keyword": "zebra"}])
    session.start()
    session.run_to(f'make check && vectr-hooks remember "{text}"', "ok")
    session.fail(f'pytest -k "{text}"', "boom")
    assert "wombat" in session.compact()
    assert {"work", "event"} <= set(words_left(store, "wombat"))
    forget(store, [note])
    assert words_left(store, "wombat") == []
    assert verdicts(store) == {EXACT: 4, PARTLY: 1}
    told = session.compact()
    assert 'last failing command: pytest -k "[forgotten]"' in told
    assert 'last passing command: make check && vectr-hooks remember "[forgotten]"' in told
    # Of what was told before, all but the handoff is compared.
    store.execute("UPDATE outcome SET form = 'index' WHERE event = 5")
    assert "#1 form: index -> full" in differences(store)


#: a note, its title, the line that is run, and what is left of the line when the note is forgotten
QUOTED = {
    "the line itself": ("Run pytest -q tests/unit first.", "", "pytest -q tests/unit", "[forgotten]"),
    "a part": ("Do run pytest -q tests/unit", "", "cd a && pytest -q tests/unit/b", "cd a &&[forgotten]/b"),
    "a plain word": ("Never push on Fridays.", "push", "vectr-hooks list && git push", None),
    "a word that is given to us": ("Do not.", "push", "vectr-hooks show push && git push",
                                   "vectr-hooks show [forgotten] && git [forgotten]"),
    "a short text": ("hunter2", "", "echo hunter2 | vectr-hooks remember -",
                     "echo [forgotten] | vectr-hooks remember -"),
    "a long line": ("Mind that " + "true; " * 20, "", "pytest; " + "true; " * 40 + "git push", None),
}  # fmt: skip


@pytest.mark.parametrize("what", QUOTED)
def test_what_a_line_decided_is_known_when_a_note_that_has_its_words_is_forgotten(
    session: Playback, write: Write, store: sqlite3.Connection, what: str
) -> None:
    body, title, line, left = QUOTED[what]
    write("Ours.", trigger=[{"command": ["pytest", "git push"]}])
    write("Not on push.", trigger=[{"command": "cd", "unless": {"command": "git push"}}])
    write("Theirs.", trigger=[{"command": ["git pull", "pytest -x"]}])
    note = write(body, title=title, trigger=[{"keyword": "zebra"}])
    session.start()
    session.run(line)
    forget(store, [note])
    assert verdicts(store) == {EXACT: 2}
    recorded = store.execute("SELECT json_extract(facts, '$.command') FROM event WHERE id = 2").fetchone()[0]
    if what == "a long line":
        assert "[forgotten]" in recorded
        assert len(recorded) < 200
    else:
        assert recorded == (left or line)


def test_what_a_second_note_takes_from_a_line_leaves_what_was_decided(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    write("Ours.", trigger=[{"command": "git push"}])
    texts = ["the wombat launch code", "the teapot drawer is shut"]
    notes = [write(text, trigger=[{"keyword": "zebra"}]) for text in texts]
    session.start()
    session.run(f"git push -m '{texts[0]}' '{texts[1]}'")
    for note in notes:
        forget(store, [note])
    assert verdicts(store) == {EXACT: 2}
    assert words_left(store, "wombat") == words_left(store, "teapot") == []


def _with_fact(name: str, value: str) -> str:
    return f"UPDATE event SET facts = json_set(facts, '$.{name}', json('{value}')) WHERE id = 3"


#: what no hook writes
DAMAGE = {
    "facts that are not JSON": "UPDATE event SET facts = 'nonsense' WHERE id = 3",
    "facts that are a list": "UPDATE event SET facts = '[]' WHERE id = 3",
    "work with another key": _with_fact("work", '{"a":1}'),
    "work that is a text": _with_fact("work", '"x"'),
    "marks that are a number": _with_fact("marks", '{"a":3}'),
    "half a target": _with_fact("targets", '["pre-edit"]'),
    "a command that is a number": _with_fact("command", "7"),
    "what was recalled": _with_fact("recalled", "[[]]"),
    "what was announced": _with_fact("announced", "[{}]"),
    "a day that is none": _with_fact("today", '"2024-13-77"'),
    "no day": "UPDATE event SET facts = json_remove(facts, '$.today') WHERE id = 3",
    "clauses": "UPDATE outcome SET clauses = 'x' WHERE event = 3",
    "an epoch": "UPDATE event SET epoch = 'x' WHERE id = 3",
    "a trigger that is not JSON": "UPDATE revision SET trigger = '{' WHERE note = 1",
    "a trigger that is a list": "UPDATE revision SET trigger = '[]' WHERE note = 1",
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_record_cannot_be_replayed_and_does_not_hinder_forgetting(
    session: Playback, write: Write, project: Path, store: sqlite3.Connection, what: str
) -> None:
    write("Lock.", trigger=[{"path": "src/**"}])
    other = write("Other words that are long.", trigger=[{"keyword": "zebra"}, {"command": "make"}])
    session.start()
    session.prompt("go")
    session.edit("src/a.py")
    session.run("make")
    set_value(store, "expire.finding", 30, 1)
    store.execute(DAMAGE[what])
    found = [(one.verdict, one.reason) for one in replayed(store)]
    assert found == [(EXACT, "")] * 2 + [(NOT_REPLAYABLE, "its record is damaged")] + [(EXACT, "")]
    trial(store, project, [{"path": "src/**"}])
    with closing(Past(store)) as past:
        assert sum(1 for _ in TodaysNotes(past).play()) == 4
    assert forget(store, [other]) == 1


def test_a_part_of_a_host_is_no_host(session: Playback, store: sqlite3.Connection) -> None:
    session.start()
    store.execute("UPDATE event SET host = 'claude_branch'")
    (result,) = replayed(store)
    assert (result.verdict, result.reason) == (
        NOT_REPLAYABLE, "this version does not know the host claude_branch"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("table", "left"), [("note", "revisions without a note"), ("revision", "a note without its revision")]
)
def test_a_note_of_which_only_a_part_is_gone_was_not_forgotten(
    session: Playback, write: Write, store: sqlite3.Connection, table: str, left: str
) -> None:
    write("Lock.", trigger=[{"path": "src/**"}])
    session.start()
    session.edit("src/a.py")
    store.execute(f"DELETE FROM {table}")
    assert f"#1: a note with its revisions -> {left}" in differences(store)


def test_what_an_older_version_recorded_cannot_be_replayed(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    session.start()
    store.execute("UPDATE event SET told_held_back = -1")
    (result,) = replayed(store)
    assert (result.verdict, result.reason) == (NOT_REPLAYABLE, "recorded by an older version")


def test_a_path_that_was_recorded_without_its_secret_cannot_be_replayed(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    write("All.", trigger=[{"path": "**/*"}])
    session.edit(f"{TOKEN}.txt")
    (result,) = replayed(store)
    assert (result.verdict, result.reason) == (
        NOT_REPLAYABLE, "a path is recorded without the secret in it"
    )  # fmt: skip


def test_a_branch_that_was_recorded_without_its_secret_cannot_be_replayed(
    session: Playback, write: Write, store: sqlite3.Connection, project: Path
) -> None:
    write("All.", trigger=[{"path": "**/*"}])
    (project / ".git" / "HEAD").write_text(f"ref: refs/heads/{TOKEN}\n", "utf-8")
    session.edit("a.txt")
    (result,) = replayed(store)
    assert (result.verdict, result.reason) == (
        NOT_REPLAYABLE, "a branch is recorded without the secret in it"
    )  # fmt: skip
    assert store.execute("SELECT 1 FROM event WHERE facts LIKE ?", (f"%{TOKEN}%",)).fetchall() == []


def test_a_command_line_with_a_secret_is_replayed_without_it(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    write("Ours.", trigger=[{"command": "curl * *"}])
    write("Not on push.", trigger=[{"command": "make", "unless": {"command": "git push"}}])
    write("Theirs.", trigger=[{"command": ["wget", "git pull"]}])
    session.start()
    session.run(f"curl -H {TOKEN} x; make; git push; " + "echo; " * 50)
    assert not store.execute("SELECT 1 FROM event WHERE facts LIKE '%' || ? || '%'", (TOKEN,)).fetchall()
    assert verdicts(store) == {EXACT: 2}
    statuses = [tuple(row) for row in store.execute("SELECT note, status, reason FROM outcome ORDER BY note")]
    assert statuses == [(1, "delivered", ""), (2, "unmatched", "unless"), (3, "unmatched", "command")]


def test_empty_facts_are_left_out(session: Playback, store: sqlite3.Connection) -> None:
    session.edit("a")
    (facts,) = store.execute("SELECT facts FROM event").fetchone()
    assert set(facts.split('"')[1::2]) == {
        "what", "pre", "moments", "pre-edit", "targets", "a", "tool", "Tool", "branch", "main", "today",
        "2024-10-04", "prompt_id", "prompt-0", "worktree", session.place.root,
    }  # fmt: skip


def test_texts_are_only_kept_where_the_configuration_says_so_and_without_secrets(
    session: Playback, store: sqlite3.Connection
) -> None:
    session.prompt("before")
    set_value(store, "audit.texts", "on", 1)
    session.prompt(f"the key is {TOKEN} " + "x" * 20_000)
    session.run_to("make", "done")
    session.fail("make", "broken")
    texts = [
        tuple(row) for row in store.execute("SELECT event, name, text FROM event_text ORDER BY event, name")
    ]
    assert [(event, name) for event, name, _ in texts] == [
        (2, "prompt"), (3, "input"), (3, "result"), (4, "input"), (4, "result"),
    ]  # fmt: skip
    assert texts[0][2].startswith("the key is [redacted: ")
    assert [len(texts[0][2]), *(text for _, _, text in texts[1:])] == [
        16_384,
        "make",
        "done",
        "make",
        "broken",
    ]


# Other notes


def as_recorded(store: sqlite3.Connection) -> list[tuple[object, object]]:
    """Every event's outcomes as they were, and as they are on a ledger that the replay itself has written."""
    with closing(Past(store)) as past:
        return [
            ([(o.note, o.status, o.reason, o.form, o.clauses, o.cost) for o in played.event.outcomes],
             [(o.note, o.status, o.reason, o.form, o.clauses, o.cost) for o in played.outcomes])
            for played in Otherwise(past, None, []).play()
        ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS[:2])
def test_with_nothing_changed_nothing_changes(
    busy: Callable[[int, int], History], store: sqlite3.Connection, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where each event stands on what the replay itself had delivered before."""
    monkeypatch.delitem(random_history.MOVES, "a note forgotten")
    busy(100 + seed, 300)
    assert [pair for pair in as_recorded(store) if pair[0] != pair[1]] == []


def trial(store: sqlite3.Connection, project: Path, trigger: Any, text: str = "Mind the pool_age.") -> Trial:
    written = NoteText(body=text, trigger=trigger and parse_trigger(trigger))
    proposed = draft(str(project.resolve()), written, provenance="agent")
    with closing(Past(store)) as past:
        proposal = Proposal(past, proposed, render, random_history.START_MS)
        for _ in proposal.play():
            pass
        return proposal.trial()


def a_history(folder: Path, seed: int, texts_kept: bool, with_it: bool) -> tuple[sqlite3.Connection, Any]:
    """A history in which budgets do not bite, with one note more or not; its store, and that trigger."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / ".git/refs").mkdir(parents=True)
    (folder / ".git/objects").mkdir()
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    store_path = Path(init_project(str(folder)).store_path)
    store = open_store(str(store_path))
    for setting in ("budget.turn", "budget.boundary", "budget.epoch", "cap.gotcha"):
        set_value(store, setting, 100_000, 1)
    set_value(store, "audit.texts", texts_kept, 1)
    history = History(folder, store_path, store, seed)
    trigger = history._trigger()
    if with_it:
        remember(store, str(folder), "X.", kind="gotcha", provenance="agent", trigger=trigger, now_ms=1)
    history.play(200)
    return store, trigger


@pytest.mark.slow
@pytest.mark.parametrize("texts_kept", [False, True])
@pytest.mark.parametrize("seed", SEEDS[2:5])
def test_a_note_that_is_tried_does_what_it_would_have_done(
    home: Path, seed: int, texts_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same history twice, with the note and without: what is not unknown is as it was."""
    for move in list(random_history.MOVES):
        if move == "a setting" or "note" in move or "team" in move:
            monkeypatch.delitem(random_history.MOVES, move)
    folder = home.resolve() / "p"
    store, trigger = a_history(folder, seed, texts_kept, with_it=True)
    (newest,) = store.execute("SELECT max(id) FROM note").fetchone()
    rows = store.execute("SELECT event, status, form FROM outcome WHERE note = ?", (newest,)).fetchall()
    store.close()
    real = {
        str(event): form if status == "delivered" else status
        for event, status, form in rows
        if status in ("delivered", "suppressed", "held back")
    }
    store, _ = a_history(folder, seed, texts_kept, with_it=False)
    proposed = draft(str(folder), NoteText(body="X.", trigger=trigger, kind="gotcha"), provenance="agent")
    with closing(Past(store)) as past:
        proposal = Proposal(past, proposed, render, random_history.START_MS)
        unknown = {str(played.event.id) for played in proposal.play() if played.unknown}
    tried = {firing.place.event: firing.form for firing in proposal.trial().firings}
    assert {event: form for event, form in tried.items() if event not in unknown} == {
        event: form for event, form in real.items() if event not in unknown
    }
    assert tried.keys() <= real.keys()
    # And what today's notes would change is that the note would be delivered, wherever it was.
    remember(store, str(folder), "X.", kind="gotcha", provenance="agent", trigger=trigger, now_ms=1)
    with closing(Past(store)) as past:
        today = TodaysNotes(past)
        doubtful = {str(played.event.id) for played in today.play() if played.unknown}
    store.close()
    assert {one.place.event for one in today.changes} == {
        event for event, form in real.items() if form in ("full", "index") and event not in doubtful
    }
    assert {(one.note, one.before) for one in today.changes} <= {(newest, "")}


#: what a proposed note asks for, what happens, and what is said of it
UNKNOWN = {
    "a keyword": ([{"keyword": "rollout"}], {NO_PROMPT: 1}),
    "a keyword beside a path": ([{"keyword": "rollout", "path": "src/**"}], {NO_PROMPT: 2}),
    "a keyword beside another path": ([{"keyword": "rollout", "path": "lib/**"}], {}),
    "a symbol": ([{"symbol": "pool_age"}], {NO_PROMPT: 1, NO_INPUT: 1}),
    "a symbol at one moment": ([{"symbol": "pool_age", "event": "post-run"}], {NO_INPUT: 1, NO_PROMPT: 1}),
    "a symbol of a file": ([{"symbol": "pool_age", "path": "src/**"}], {NO_FILE: 2, NO_PROMPT: 2}),
    "an output": ([{"output": "E0433"}], {NO_RESULT: 2}),
    "a command": ([{"command": "git pull"}], {NO_COMMAND: 1}),
    "nothing but words": (None, {NO_PROMPT: 1}),
    "a veto by a keyword": ([{"path": "src/**", "unless": {"keyword": "rollout"}}], {NO_PROMPT: 2}),
    "a keyword that was looked for": ([{"keyword": "canary"}], {}),
    "an output that was looked for": ([{"output": "E0432"}], {}),
    "a path": ([{"path": "src/**"}], {}),
    "a meaning": ([{"semantic": 0.5}], {NO_PROMPT: 1}),
    "a meaning beside a keyword": ([{"semantic": 0.5, "keyword": "rollout"}], {NO_PROMPT: 1}),
    "a meaning beside a keyword that was looked for": ([{"semantic": 0.5, "keyword": "canary"}], {}),
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_depends_on_words_that_nobody_looked_for_is_unknown(
    session: Playback, write: Write, project: Path, store: sqlite3.Connection, what: str
) -> None:
    write("Canaries.", trigger=[{"keyword": "canary"}, {"output": "E0432"}])
    session.start()
    session.prompt("deploy")
    session.edit("src/a.py")
    session.run_to("true; " * 60, "ok")
    session.read("src/b.py")
    trigger, unknown = UNKNOWN[what]
    found = trial(store, project, trigger)
    assert {reason: count for reason, count in found.unknown.items() if reason != NO_EARLIER} == unknown


@pytest.mark.parametrize(
    ("change", "changes", "unknown"),
    [
        ({"trigger": [{"semantic": 0.999}]}, [("full", "")], {}),
        ({"trigger": [{"semantic": 0.2}], "tags": ("ops",)}, [], {}),
        ({"body": "Deploys are done by hand."}, [], {NO_PROMPT: 1}),
    ],
)
def test_a_similarity_is_known_for_the_text_that_was_compared(
    session: Playback,
    write: Write,
    store: sqlite3.Connection,
    change: dict[str, Any],
    changes: list[tuple[str, str]],
    unknown: dict[str, int],
) -> None:
    note = write("Deploys go through the canary.", trigger=[{"semantic": 0.3}])
    session.start()
    assert session.prompt("how do we deploy through a canary?")
    if "trigger" in change:
        change = {**change, "trigger": parse_trigger(change["trigger"])}
    change_note(store, note, 1, render, **change)
    with closing(Past(store)) as past:
        today = TodaysNotes(past)
        reasons = Counter(reason for played in today.play() for reason in played.unknown)
    assert [(one.before, one.after) for one in today.changes if one.place.event == "2"] == changes
    assert reasons == unknown


def test_what_follows_an_event_of_which_not_all_is_known_is_unknown_too(
    session: Playback, project: Path, store: sqlite3.Connection
) -> None:
    session.start()
    session.prompt("perhaps")
    session.edit("src/a.py")
    trigger = [{"keyword": "rollout"}, {"path": "src/**"}]
    found = trial(store, project, trigger)
    assert (found.firings, dict(found.unknown)) == ((), {NO_PROMPT: 1, NO_EARLIER: 1})
    # With the texts, all is known.
    set_value(store, "audit.texts", "on", 1)
    store.execute("DELETE FROM event")
    session.prompt("a rollout")
    session.edit("src/a.py")
    found = trial(store, project, trigger)
    assert [(firing.note, firing.form, firing.why) for firing in found.firings] == [
        (PROPOSED, "full", "keyword rollout"), (PROPOSED, "suppressed", "path src/**"),
    ]  # fmt: skip
    assert not found.unknown


def test_a_note_is_tried_as_one_of_the_moment_of_trying(
    session: Playback, project: Path, store: sqlite3.Connection
) -> None:
    """It has not expired at events that were before."""
    set_value(store, "expire.finding", 30, 1)
    session.start()
    session.edit("src/a.py")
    assert [firing.form for firing in trial(store, project, [{"path": "src/**"}]).firings] == ["full"]


def test_a_kept_prompt_brings_up_a_proposed_note_without_a_trigger(
    session: Playback, project: Path, store: sqlite3.Connection
) -> None:
    set_value(store, "audit.texts", "on", 1)
    session.start()
    session.prompt("why does acquire_lock hang?")
    (firing,) = trial(store, project, None, "acquire_lock() comes before any write").firings
    assert (firing.form, firing.why) == ("index", "much in common with the prompt")


def test_a_near_miss_is_a_clause_of_which_all_conditions_held_but_one(
    session: Playback, project: Path, store: sqlite3.Connection
) -> None:
    session.start()
    session.prompt("go")
    session.edit("src/a.py")
    session.edit("docs/a.md")
    found = trial(
        store, project, [{"path": "src/**", "tool": "Edit"}, {"path": "docs/", "unless": {"tool": "To*"}}]
    )
    assert [
        (miss.place.event, miss.clause, miss.condition, miss.expected, miss.seen)
        for miss in found.near_misses
    ] == [
        ("3", 0, "tool", ("Edit",), ("Tool",)),
        ("4", 1, "unless", ("To*",), ("Tool",)),
    ]  # fmt: skip
    assert found.firings == ()


def test_a_proposed_note_is_used_up_as_a_stored_one_and_comes_back_after_a_compaction(
    session: Playback, project: Path, store: sqlite3.Connection
) -> None:
    session.start()
    for _ in range(2):
        session.prompt("go")
        session.edit("src/a.py")
    session.compact()
    found = trial(store, project, [{"path": "src/**"}])
    assert [(firing.place.name, firing.form) for firing in found.firings] == [
        ("PreToolUse", "full"), ("PreToolUse", "suppressed"), ("SessionStart", "full"),
    ]  # fmt: skip
    assert (found.events, found.sessions) == (7, ("session-1",))


def test_today_some_notes_would_come_and_some_not(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    write("Stays.", trigger=[{"path": "src/**"}])
    write("Goes.", trigger=[{"path": "src/**"}])
    write("Forgotten.", trigger=[{"path": "src/**"}])
    write("Shrinks.", kind="gotcha", trigger=[{"path": "src/**"}])
    session.start()
    session.prompt("go")
    session.edit("src/a.py")
    write("New.", trigger=[{"path": "src/**"}])
    change_note(store, 2, 1, render, trigger=parse_trigger([{"path": "lib/"}]))
    change_note(store, 4, 1, render, kind="reference")
    forget(store, [3])
    with closing(Past(store)) as past:
        today = TodaysNotes(past)
        for _ in today.play():
            pass
    assert [(one.note, one.before, one.after, one.reason) for one in today.changes] == [
        (2, "full", "", "no candidate"),
        (3, "full", "", "forgotten since"),
        (4, "full", "index", ""),
        (5, "", "full", ""),
    ]
    assert today.cost_before > today.cost_after


def test_a_later_day_changes_nothing(
    project: Path, store_path: Path, write: Write, store: sqlite3.Connection
) -> None:
    """The day of each event is one of its facts."""
    day = "2024-10-04"
    write("Dated.", trigger={"clauses": [{"keyword": "deploy"}], "expires": day})
    for later in (0, 1):
        Playback(project, store_path, f"session-{later}", (20_000 + later) * DAY_MS).prompt("deploy")
    assert [row[0] for row in store.execute("SELECT status FROM outcome")] == ["delivered", "expired"]
    assert verdicts(store) == {EXACT: 2}
