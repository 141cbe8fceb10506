from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.playback import DAY_MS, Playback
from vectr_hooks.core.budget import size, tokens
from vectr_hooks.core.occurrence import TOOL_BEFORE, Occurrence

Write = Callable[..., int]


@pytest.fixture
def session(project: Path, store_path: Path) -> Playback:
    return Playback(project, store_path)


FACTS = [
    "parse_header(buffer: bytes, *, strict: bool = True) -> Header | None",
    "Invariant: epoch never decreases, also across restarts.",
    "The staging port is 18443, not 8443.",
    "Rows are keyed (tenant_id, created_at DESC); a scan by id is a bug.",
    "RETRY_LIMIT = 7 because the upstream proxy drops the 8th attempt.",
    "acquire_lock() before touching workspace metadata.",
    "`make check` needs LANG=C.UTF-8, else 3 tests fail.",
    "Prices are in tenths of a cent.",
    "The API answers 202 and an empty body on success.",
    "表の照合順序は utf8mb4_0900_ai_ci とする。",
]


def test_ten_facts_survive_two_hundred_compactions(session: Playback, write: Write) -> None:
    for fact in FACTS:
        write(fact, kind="directive")
    session.start()
    session.prompt("begin")
    for number in range(200):
        text = session.compact("auto" if number % 3 == 0 else "manual")
        found = Counter(line for line in text.splitlines() if not line.startswith("[#"))
        assert found == Counter(FACTS)
        assert session.prompt(f"go on {number}") == ""


def test_what_was_used_comes_back_in_full_for_three_epochs_and_then_as_a_line(
    session: Playback, write: Write
) -> None:
    write("Deploys go through the canary.", trigger=[{"keyword": "deploy"}])
    session.start()
    session.prompt("deploy")
    texts = []
    for _ in range(6):
        texts.append(session.compact())
        session.prompt("go on")
    assert ["Deploys go through" in text and text.startswith("[#1") for text in texts] == [True] * 3 + [
        False
    ] * 3
    assert set(texts[3:]) == {"#1 finding: Deploys go through the canary"}


def test_a_working_set_delivery_uses_up_the_clauses_that_had_matched(session: Playback, write: Write) -> None:
    write("Deploys.", trigger=[{"keyword": "deploy"}, {"keyword": "rollout"}])
    session.start()
    session.prompt("deploy")
    assert session.compact().startswith("[#1")
    assert session.prompt("deploy") == ""
    assert session.prompt("rollout") == "#1 finding: Deploys"


def test_a_note_of_this_session_arrives_after_its_compaction_without_a_trigger(
    session: Playback, write: Write
) -> None:
    write("Found: the cache is keyed by path.", session="session-1")
    write("Found elsewhere.", session="session-2")
    session.start()
    session.prompt("go")
    assert "keyed by path" in session.compact()
    assert "elsewhere" not in session.compact()


def test_a_pinned_note_comes_at_every_boundary_once(session: Playback, write: Write) -> None:
    write("Pinned.", pinned=True)
    assert session.start() == "[#1 finding · recorded by an agent, not reviewed · pinned]\nPinned."
    assert session.start("resume") == ""
    session.prompt("go")
    assert session.compact().endswith("Pinned.")


def test_a_cooldown_counts_turns(session: Playback, write: Write) -> None:
    write("Every third turn.", trigger={"clauses": [{"keyword": "deploy"}], "cooldown": 3})
    session.start()
    assert [bool(session.prompt("deploy")) for _ in range(7)] == [
        True,
        False,
        False,
        True,
        False,
        False,
        True,
    ]


def test_a_limit_counts_deliveries_of_the_session_but_not_what_a_compaction_brings_back(
    session: Playback, write: Write
) -> None:
    write("Twice.", trigger={"clauses": [{"keyword": "deploy"}], "cooldown": 1, "max_deliveries": 2})
    session.start()
    assert [bool(session.prompt("deploy")) for _ in range(3)] == [True, True, False]
    assert "Twice." in session.compact()
    assert session.prompt("deploy") == ""


@pytest.mark.parametrize(
    ("field", "day", "delivered"),
    [
        ("not_before", "2026-06-15", True), ("not_before", "2026-06-16", False),
        ("expires", "2026-06-15", True), ("expires", "2026-06-14", False),
    ],
)  # fmt: skip
def test_dates_are_utc_and_inclusive(
    project: Path, store_path: Path, write: Write, field: str, day: str, delivered: bool
) -> None:
    write("Dated.", trigger={"clauses": [{"keyword": "deploy"}], field: day})
    end_of_day = 20_619 * DAY_MS + DAY_MS - 10_000
    session = Playback(project, store_path, now_ms=end_of_day)
    assert bool(session.prompt("deploy")) is delivered
    assert session.rows("SELECT json_extract(facts, '$.today') FROM event") == [("2026-06-15",)]


def test_a_line_forced_by_the_budget_may_be_followed_by_the_whole_note(
    session: Playback, write: Write
) -> None:
    write("Small. " + "x" * 900, kind="directive", trigger=[{"keyword": "alpha"}])
    write("Large. " + "y" * 2300, kind="gotcha", trigger=[{"keyword": "alpha"}], title="Large")
    write(
        "Large. " + "z" * 1000,
        kind="gotcha",
        trigger=[{"keyword": "beta"}, {"keyword": "gamma"}],
        title="Other",
    )
    session.start()
    session.prompt("alpha")
    session.rows("UPDATE conversation SET turn_spent = 0")
    first = session.prompt("beta gamma")
    assert first.startswith("[#3")


def test_a_handoff_tells_of_the_work_that_a_compaction_interrupts(session: Playback) -> None:
    session.start()
    session.prompt("go")
    session.tool("post", "edit", "src/a.py")
    session.tool("post", "run", command="make lint")
    assert session.compact() == (
        "[handoff · captured automatically, verify]\nedited: src/a.py\nlast passing command: make lint"
    )


@pytest.mark.parametrize(
    ("moment", "command", "delivered"),
    [
        ("pre-edit", "sed -i s/a/b/ src/db/pool.py", True),
        ("pre-edit", "cd src && sed -i s/a/b/ db/pool.py", True),
        ("pre-edit", "cat > src/db/pool.py <<'EOF'\nx\nEOF", True),
        ("pre-edit", "cat src/db/pool.py", False),
        ("pre-read", "cat src/db/pool.py", True),
        ("pre-read", "grep -rn x src/", False),
        ("pre-read", "grep -rn x src/db/", True),
        ("pre-read", 'echo "src/db/pool.py"', False),
        ("pre-edit", 'git commit -m "fix src/db/pool.py"', False),
    ],
)
def test_a_command_brings_the_notes_on_the_files_it_names(
    session: Playback, write: Write, moment: str, command: str, delivered: bool
) -> None:
    write("Take the lock.", trigger=[{"path": "src/db/**", "event": moment}])
    session.start()
    session.prompt("go")
    text = session.run(command)
    assert ("Take the lock." in text) is delivered
    assert ("path src/db/**" in text) is delivered


def test_a_command_and_a_file_can_be_asked_for_together(session: Playback, write: Write) -> None:
    write("Keep the migrations.", trigger=[{"path": "migrations/**", "command": "rm"}])
    session.start()
    session.prompt("go")
    assert session.run("cat migrations/1.sql") == ""
    assert session.run("rm src/a.py") == ""
    assert "Keep the migrations." in session.run("rm migrations/1.sql")


def test_a_handoff_names_the_files_that_commands_edited(session: Playback) -> None:
    session.start()
    session.prompt("go")
    session.tool("pre", "run", command="sed -i s/a/b/ src/never.py")
    session.tool("post", "run", command="sed -i s/a/b/ src/a.py && cat src/b.py > /dev/null")
    session.tool("post", "run", command="echo x | tee src/c.py; rm -r build/")
    assert "edited: src/c.py, src/a.py\n" in session.compact() + "\n"


def test_the_next_session_is_told_of_open_work_within_a_day(project: Path, store_path: Path) -> None:
    first = Playback(project, store_path)
    first.start()
    first.prompt("go")
    first.tool("post", "edit", "src/a.py")
    soon = Playback(project, store_path, "session-2", first.now_ms + DAY_MS // 2)
    assert "edited: src/a.py" in soon.start()
    late = Playback(project, store_path, "session-3", soon.now_ms + 2 * DAY_MS)
    assert late.start() == ""


def test_before_a_compaction_the_summariser_learns_what_it_need_not_repeat(
    project: Path, store_path: Path, write: Write
) -> None:
    from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED, Occurrence

    for number in range(30):
        write(f"A secret fact {number}.", trigger=[{"keyword": "deploy"}])
    session = Playback(project, store_path)
    session.start()
    announce = Occurrence(COMPACTION_ANNOUNCED, "PreCompact", "manual", prompt_id="c")
    assert session.answer(announce) == ""
    session.prompt("deploy")
    text = session.answer(Occurrence(COMPACTION_ANNOUNCED, "PreCompact", "manual", prompt_id="d"))
    assert "#1 #2 #3" in text
    assert "and 20 more" in text
    assert "fact" not in text
    assert len(text) <= 400


def test_marks_say_what_changed_since_a_note_was_written(
    session: Playback, project: Path, write: Write
) -> None:
    (project / "pool.py").write_text("one")
    (project / "gone.py").write_text("one")
    write("See it.", kind="gotcha", anchors=["pool.py"], trigger=[{"keyword": "alpha"}])
    write("It calls `gone.py` first.", trigger=[{"keyword": "beta"}])
    (project / "pool.py").write_text("two")
    (project / "gone.py").unlink()
    session.start()
    assert session.prompt("alpha").splitlines()[0].endswith(" · keyword alpha · changed since]")
    assert session.prompt("beta").splitlines()[0].endswith(" · keyword beta · STALE: path gone]")


def test_candidates_beyond_the_cap_are_counted_and_the_first_in_precedence_are_kept(
    session: Playback, write: Write
) -> None:
    for number in range(210):
        write(f"Note {number}.", trigger=[{"keyword": "deploy"}])
    session.start()
    session.prompt("deploy")
    assert session.rows("SELECT more FROM event ORDER BY id DESC LIMIT 1") == [(10,)]
    considered = [note for (note,) in session.rows("SELECT note FROM outcome ORDER BY event, position")]
    assert considered == list(range(210, 10, -1))


moves = st.lists(
    st.sampled_from(
        ["prompt deploy", "prompt rollout", "prompt nothing", "edit src/a.py", "edit src/b.py",
         "read src/a.py", "run git push", "compact manual", "compact auto", "start resume", "start compact"]
    ),
    max_size=25,
)  # fmt: skip
TRIGGERS = [
    [{"keyword": "deploy"}],
    [{"keyword": ["deploy", "rollout"]}, {"path": "src/*.py"}],
    [{"path": "src/a.py", "event": "pre-edit"}],
    [{"event": ["session-start", "post-compaction"]}],
    [{"command": "git push"}],
    [{"path": "src/**", "keyword": "rollout"}],
    {"clauses": [{"path": "src/**"}], "cooldown": 2, "max_deliveries": 3},
    None,
]


@pytest.fixture
def many(write: Write) -> None:
    """Notes of every kind and size, so that budgets bind."""
    chance = random.Random(7)
    kinds = ["directive", "task", "gotcha", "operational", "finding", "decision", "reference"]
    for number in range(60):
        write(
            f"Note {number}. " + chance.choice("xé表") * chance.choice([5, 100, 600, 1100, 2000]),
            kind=chance.choice(kinds),
            priority=chance.choice(["high", "medium", "low"]),
            pinned=chance.random() < 0.05,
            session=chance.choice(["", "session-1"]),
            trigger=chance.choice(TRIGGERS),
        )


def play(session: Playback, steps: list[str]) -> list[str]:
    texts = [session.start()]
    for step in steps:
        move, _, argument = step.partition(" ")
        texts.append(getattr(session, move)(argument))
    return texts


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=moves)
def test_any_course_of_events_keeps_the_promises(
    many: None, project: Path, store_path: Path, tmp_path: Path, steps: list[str]
) -> None:
    copies = []
    for name, hours in (("one", 0), ("two", 1)):
        copy = tmp_path / name
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(store_path.parent, copy)
        copies.append(Playback(project, copy / "notes.db", now_ms=20_000 * DAY_MS + hours * 3_600_000))
    first, again = copies
    texts = play(first, steps)
    # The same inputs give the same bytes, also an hour later.
    assert play(again, steps) == texts
    # An output never exceeds what hosts show whole, nor do tokens exceed what they are charged.
    assert all(size(text) <= 9500 for text in texts)
    # Each candidate has one outcome, and each outcome but a delivery a reason.
    assert first.rows("SELECT 1 FROM outcome GROUP BY event, note HAVING count(*) > 1") == []
    assert (
        first.rows("SELECT status, reason FROM outcome WHERE (status = 'delivered') = (reason <> '')") == []
    )
    # Budgets hold for turns, boundaries and epochs.
    spent = first.rows(
        "SELECT epoch, turn, facts LIKE '%session-start%' OR facts LIKE '%post-compaction%', sum(cost)"
        " FROM event WHERE name <> 'PreCompact' GROUP BY 1, 2, 3"
    )
    assert all(cost <= (2200 if boundary else 800) for _, _, boundary, cost in spent)
    assert all(cost <= 8000 for (cost,) in first.rows("SELECT sum(cost) FROM event GROUP BY epoch"))
    # Within a turn a note is delivered once, and no body is ever cut.
    assert (
        first.rows(
            "SELECT 1 FROM outcome o JOIN event e ON e.id = o.event WHERE o.status = 'delivered'"
            " GROUP BY e.epoch, e.turn, o.note HAVING count(*) > 1"
        )
        == []
    )
    bodies = dict(first.rows("SELECT note, body FROM revision"))
    for (note,) in first.rows("SELECT DISTINCT note FROM outcome WHERE form = 'full'"):
        assert any(bodies[note] in text for text in texts)
    assert all(tokens(text) <= 2200 for text in texts)


def test_a_symbol_is_found_to_the_letter_in_prompts_inputs_and_the_file_of_its_path(
    session: Playback, project: Path, write: Write
) -> None:
    (project / "src").mkdir()
    (project / "src/a.py").write_text("def run():\n    acquire_lock()\n")
    (project / "src/b.py").write_text("acquire_locks = Acquire_lock\n")
    write("Lock.", trigger=[{"symbol": "acquire_lock"}])
    write("Lock in src.", trigger=[{"symbol": "acquire_lock", "path": "src/**", "event": "post-read"}])
    session.start()
    assert "#1" not in session.prompt("why does acquire_locks fail?")
    assert "[#1" in session.prompt("why does acquire_lock() fail?")
    session.compact()
    session.prompt("go on")
    assert "Lock in src." not in session.read("src/b.py")
    assert "Lock in src." in session.read("src/a.py")
    assert session.rows("SELECT 1 FROM event WHERE facts LIKE '%facquire_lock%'")


def test_a_known_error_brings_its_known_cure(session: Playback, write: Write) -> None:
    write("Run make clean first.", trigger=[{"output": "E0432"}])
    write("Port is taken by the old server.", trigger=[{"output": r"/port \d+ is already in use/"}])
    session.start()
    session.prompt("go")
    assert session.run_to("cargo build", "error[E04321]: unresolved") == ""
    assert "make clean" in session.run_to("cargo build", "error[E0432]: unresolved import")
    assert "old server" in session.run_to("make serve", "x" * 100_000 + "\nport 8080 is already in use")


def test_a_pattern_that_would_never_end_is_unmatched_for_that_reason(session: Playback, write: Write) -> None:
    write("Never.", trigger=[{"output": r"/(a+)+b$/"}])
    write("Known.", trigger=[{"output": "E0432"}])
    session.start()
    session.prompt("go")
    began = time.monotonic()
    assert "Known." in session.run_to("x", "E0432 " + "a" * 60)
    assert time.monotonic() - began < 1.5
    assert session.rows("SELECT json_extract(facts, '$.slow') FROM event ORDER BY id DESC LIMIT 1") == [
        ('["o/(a+)+b$/"]',)
    ]


@pytest.mark.parametrize("scope", ["branch", "session", "worktree"])
def test_a_scope_keeps_a_note_where_it_was_written(
    project: Path, store_path: Path, write: Write, scope: str
) -> None:
    write("Scoped.", trigger=[{"keyword": "deploy"}], scope=scope, session="session-1")
    assert "Scoped." in Playback(project, store_path, "session-1").prompt("deploy")
    other = Playback(project, store_path, "session-2")
    if scope == "branch":
        (project / ".git/HEAD").write_text("ref: refs/heads/other\n")
    if scope == "worktree":
        other.place.root += "-other"
    assert other.prompt("deploy") == ""
    (reason,) = other.rows("SELECT status FROM outcome ORDER BY event DESC LIMIT 1")[0]
    assert reason == "out of scope"


def test_a_prompt_brings_up_what_it_shares_a_rare_name_with_as_one_line(
    session: Playback, write: Write
) -> None:
    write("acquire_lock() comes before any write")
    write("Deploys go through the canary first.", kind="operational")
    write("Unrelated.", kind="decision")
    session.start()
    assert session.prompt("please fix the tests") == ""
    assert (
        session.prompt("why does acquire_lock hang?") == "#1 finding: acquire_lock() comes before any write"
    )
    assert session.prompt("and acquire_lock again") == ""
    assert session.prompt("does the deploy go through a canary first?").startswith("#2 operational")


def test_at_most_three_notes_are_brought_up_and_those_already_delivered_do_not_take_their_place(
    session: Playback, write: Write
) -> None:
    for number in range(3):
        write(f"Fact {number} about pool_size.")
    for number in range(3):
        write(f"Fact {number} about pool_age.")
    session.start()
    first = session.prompt("pool_size and pool_age")
    second = session.prompt("pool_size and pool_age")
    assert [len(first.splitlines()), len(second.splitlines())] == [3, 3]
    assert not set(first.splitlines()) & set(second.splitlines())
    assert session.prompt("pool_size and pool_age") == ""


def test_a_note_with_a_trigger_is_not_brought_up_otherwise(session: Playback, write: Write) -> None:
    write("acquire_lock() comes first.", trigger=[{"path": "src/**"}])
    session.start()
    assert session.prompt("acquire_lock") == ""


def test_a_line_that_names_any_number_of_files_delivers(session: Playback, write: Write) -> None:
    write("Lock.", kind="gotcha", trigger=[{"path": "src/**"}])
    write("Many words.", trigger=[{"keyword": [f"word{n}" for n in range(300)]}])
    session.start()
    prompt = " ".join(f"word{n}" for n in range(300))
    assert "Many words." in session.prompt(prompt)
    files = " ".join(f"src/f{n}" for n in range(200))
    session.calls += 1
    assert "Lock." in session.answer(bash(session, f"cat {files}"))


def bash(session: Playback, command: str) -> Occurrence:
    return Occurrence(
        TOOL_BEFORE,
        "PreToolUse",
        mode="run",
        tool="Bash",
        command=command,
        prompt_id=f"prompt-{session.prompts}",
    )


def test_a_secret_in_a_files_name_is_not_kept(session: Playback, write: Write) -> None:
    name = "ghp_" + "a1B2" * 9 + ".txt"
    session.start()
    session.prompt("go")
    session.tool("post", "edit", name)
    assert "ghp_" not in session.compact()
    assert session.rows("SELECT 1 FROM event WHERE facts LIKE '%ghp_%'") == []
