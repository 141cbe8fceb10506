"""Edge cases of delivery, as whole processes with recorded payloads.

The fixture's notes: 1 path `src/db/**`, 2 keyword `deploy`, 3 event session-start, 4 command `git push`,
5 path `src/db/**` AND keyword `deploy`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hook.session import Session, entry, recorded

Write = Callable[..., int]
Rows = Callable[[str], list[sqlite3.Row]]


@pytest.fixture
def five(write: Write) -> None:
    write("Take the lock before the pool.", kind="gotcha", trigger=[{"path": "src/db/**"}])
    write("Deploys go through the canary.", trigger=[{"keyword": "deploy"}])
    write("Run the linter before every commit.", kind="directive", trigger=[{"event": "session-start"}])
    write("Pushes need a ticket.", trigger=[{"command": "git push"}])
    write("Migrations deploy first.", trigger=[{"path": "src/db/**", "keyword": "deploy"}])


@pytest.mark.usefixtures("five")
class TestFiveNotes:
    def test_case_1_what_an_epoch_delivered_comes_back_after_a_compaction(self, session: Session) -> None:
        assert session.start().notes == ["#3"]
        assert session.prompt("deploy this").notes == ["#2"]
        session.announce_compaction()
        assert session.compacted().notes == ["#3", "#2"]
        assert session.prompt("deploy this").notes == []

    def test_case_2_a_compaction_that_never_reports_is_paid_once_at_the_next_prompt(
        self, session: Session
    ) -> None:
        session.start()
        session.prompt("deploy this")
        session.announce_compaction()
        assert session.prompt("hi").notes == ["#3", "#2"]
        assert session.prompt("hi again").notes == []

    def test_a_refused_compaction_repeats_nothing(self, session: Session, project: Path) -> None:
        transcript = project / "session-1.jsonl"
        transcript.write_text(
            '{"type":"user","message":"a \\"subtype\\":\\"compact_boundary\\" in a text"}\n'
        )
        session.start()
        session.prompt("deploy this")
        session.announce_compaction()
        with transcript.open("a") as file:
            file.write('{"type":"user","message":"\\"subtype\\":\\"compact_boundary\\""}\n')
        assert session.prompt("hi").notes == []

    def test_a_compaction_in_the_transcript_is_believed(self, session: Session, project: Path) -> None:
        transcript = project / "session-1.jsonl"
        transcript.write_text("{}\n")
        session.start()
        session.prompt("deploy this")
        session.announce_compaction()
        with transcript.open("a") as file:
            file.write('{"type":"system","subtype":"compact_boundary","content":"Conversation compacted"}\n')
        assert session.prompt("hi").notes == ["#3", "#2"]

    def test_everything_used_comes_back_after_a_compaction_in_mid_turn(self, session: Session) -> None:
        session.start()
        session.prompt("deploy this")
        session.before_run("git push")
        session.announce_compaction("auto")
        assert session.compacted().notes == ["#3", "#4", "#2"]

    def test_a_prompt_kept_by_the_compaction_keeps_its_notes(self, session: Session) -> None:
        session.start()
        assert session.prompt("deploy this").notes == ["#2"]
        session.announce_compaction("auto")
        assert session.compacted().notes == ["#3"]

    def test_resume_repeats_nothing(self, session: Session) -> None:
        session.start()
        session.prompt("deploy this")
        assert session.start("resume").notes == []
        assert session.prompt("deploy this").notes == []

    def test_a_fork_inherits_what_its_parent_was_given(self, session: Session, project: Path) -> None:
        session.start()
        session.prompt("deploy this")
        fork = Session(project, "session-2")
        assert fork.start("fork").notes == []
        assert fork.prompt("deploy this").notes == []

    def test_a_fork_that_only_shows_as_prompts_under_a_new_id_inherits_too(
        self, session: Session, project: Path
    ) -> None:
        session.start()
        session.prompt("deploy this")
        session.start("resume")
        fork = Session(project, "session-2")
        fork.prompts = 10
        assert fork.prompt("deploy this").notes == []

    def test_another_session_that_is_first_seen_at_a_prompt_inherits_nothing(
        self, session: Session, project: Path
    ) -> None:
        session.start()
        session.prompt("deploy this")
        assert Session(project, "session-2").prompt("deploy this").notes == ["#3", "#2"]

    def test_clear_starts_a_new_ledger(self, session: Session, project: Path) -> None:
        session.start()
        assert Session(project, "session-2").start("clear").notes == ["#3"]

    def test_a_session_older_than_the_hooks_is_started_at_its_first_prompt(self, session: Session) -> None:
        assert session.before_run("ls").notes == []
        assert session.prompt("deploy").notes == ["#3", "#2"]
        assert session.prompt("deploy").notes == []

    def test_a_command_brings_what_is_noted_about_the_files_it_names(self, project: Path) -> None:
        lines = {
            "sed -i s/a/b/ src/db/pool.py": ["#1"],
            "cd src && cat db/pool.py": ["#1"],
            "echo x > src/db/pool.py": ["#1"],
            'echo "src/db/pool.py"': [],
            "sed -i s/a/b/ src/pool.py": [],
        }
        found = {}
        for number, line in enumerate(lines):
            one = Session(project, f"command-{number}")
            one.start()
            found[line] = one.before_run(line).notes
        assert found == lines

    def test_case_19_a_command_is_matched_by_its_words(self, project: Path) -> None:
        lines = {
            "git push origin": ["#4"],
            "git stash push": [],
            'echo "git push"': [],
            "cd x && git push": ["#4"],
            "git -C d push": ["#4"],
            "FOO=1 sudo git push": ["#4"],
        }
        found = {}
        for number, line in enumerate(lines):
            one = Session(project, f"command-{number}")
            one.start()
            found[line] = one.before_run(line).notes
        assert found == lines

    def test_case_11_where_nothing_applies_no_byte_is_printed(self, session: Session) -> None:
        session.start()
        assert session.prompt("what time is it").text == ""
        assert session.before_run("ls").text == ""

    def test_case_10_an_event_we_do_not_know_is_silent(self, session: Session) -> None:
        assert session.send({**recorded("Stop"), "session_id": "s"}, event="PreToolUse").text == ""

    @pytest.mark.parametrize(
        "value", [None, 5, "text", [], ["file_path"], {"file_path": None}, {"file_path": {}}]
    )
    def test_a_tool_input_of_the_wrong_shape_targets_nothing(self, session: Session, value: object) -> None:
        session.start()
        assert session.tool("PreToolUse.Read", tool_input=value).notes == []

    @pytest.mark.parametrize(
        ("name", "tool_input"),
        [
            ("Write", {"file_path": "{}/src/db/new.py", "content": ""}),
            ("NotebookEdit", {"notebook_path": "{}/src/db/n.ipynb"}),
            ("MultiEdit", {"file_path": "{}/src/db/pool.py", "edits": []}),
            ("Grep", {"pattern": "x", "path": "{}/src/db/deep"}),
        ],
    )
    def test_case_14_a_file_that_is_not_there_yet_counts(
        self, session: Session, project: Path, name: str, tool_input: dict[str, object]
    ) -> None:
        given = {
            key: value.format(project) if isinstance(value, str) else value
            for key, value in tool_input.items()
        }
        session.start()
        assert session.tool("PreToolUse.Edit", tool_name=name, tool_input=given).notes == ["#1"]

    def test_both_halves_of_a_clause_meet_in_a_turn(self, session: Session) -> None:
        session.start()
        assert session.prompt("deploy the migrations").notes == ["#2"]
        assert session.before_edit("src/db/m.py").notes == ["#1", "#5"]

    def test_the_prompt_of_an_earlier_turn_does_not_count(self, session: Session) -> None:
        session.start()
        session.prompt("deploy the migrations")
        session.prompt("something else")
        assert session.before_edit("src/db/m.py").notes == ["#1"]

    @pytest.mark.parametrize("text", ["/compact deploy", "/my:cmd deploy", "<task-notification>deploy"])
    def test_what_no_person_typed_uses_nothing_up(self, session: Session, text: str) -> None:
        session.start()
        assert session.prompt(text).notes == []
        assert session.prompt("deploy").notes == ["#2"]

    def test_a_path_at_the_start_of_a_prompt_is_no_command(self, session: Session) -> None:
        session.start()
        assert session.prompt("/etc/deploy is broken, deploy again").notes == ["#2"]

    def test_case_24_a_session_without_an_id_is_the_one_of_the_last_minute(self, session: Session) -> None:
        for missing in (..., ""):
            nameless = {"session_id": missing, "transcript_path": missing, "prompt_id": ...}
            expected = ["#3", "#2"] if missing is ... else []
            assert session.prompt("deploy", **nameless).notes == expected

    @pytest.mark.parametrize("switch", ["environment", "setting"])
    def test_case_38_the_off_switch_silences_every_event(
        self, session: Session, switch: str, project: Path, store: sqlite3.Connection
    ) -> None:
        if switch == "environment":
            session = Session(project, VECTR_HOOKS="off")
        else:
            store.execute("INSERT INTO setting(at, key, value) VALUES (0, 'enabled', 'false')")
        assert session.start().text == ""
        assert session.prompt("deploy").text == ""
        assert session.before_edit("src/db/a.py").text == ""
        assert session.announce_compaction().text == ""
        assert session.compacted().text == ""

    @pytest.mark.parametrize(
        "environ",
        [{"PYTHONIOENCODING": "cp932"}, {"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C"}, {"PYTHONUTF8": "0"}],
    )
    def test_case_8_the_output_is_utf8_whatever_the_locale(
        self, project: Path, write: Write, environ: dict[str, str]
    ) -> None:
        write('表"x は予約語', trigger=[{"keyword": "予約"}])
        plain = Session(project, "a").prompt('表"x 予約する')
        odd = Session(project, "b", **environ).prompt('表"x 予約する')
        assert '表"x は予約語' in plain.context
        assert odd.stdout == plain.stdout

    def test_case_37_the_same_event_gives_the_same_bytes(self, project: Path) -> None:
        outputs = set()
        for seed in ("0", "1", "random"):
            played = Session(project, f"seed-{seed}", PYTHONHASHSEED=seed)
            played.start()
            outputs.add(played.prompt("deploy").stdout)
        assert len(outputs) == 1

    def test_case_28_a_subagent_has_its_own_ledger_and_leaves_the_main_one_alone(
        self, session: Session, write: Write
    ) -> None:
        write(
            "Reviewers check locks.",
            trigger=[{"subagent": "code-*"}, {"path": "src/**", "subagent": "code-*"}],
        )
        session.start()
        explorer = session.subagent("a1", "Explore")
        assert explorer.subagent_starts().notes == []
        assert explorer.before_edit("src/db/a.py").notes == []
        reviewer = session.subagent("a2", "code-reviewer")
        assert reviewer.subagent_starts().notes == ["#6"]
        assert reviewer.read("src/db/a.py").notes == []
        assert session.subagent("a3", "code-reviewer").subagent_starts().notes == ["#6"]
        assert session.before_edit("src/db/a.py").notes == ["#1"]


def test_case_4_two_clauses_of_a_note_share_its_body(session: Session, write: Write) -> None:
    write("Take the lock.", kind="gotcha", trigger=[{"path": "src/db/**"}, {"keyword": "deploy"}])
    session.start()
    session.prompt("first")
    found = [session.read("src/db/a.py").notes, session.read("src/db/a.py").notes]
    found += [session.prompt("deploy").notes, session.prompt("deploy").notes]
    assert found == [["#1"], [], ["#1 line"], []]


def test_case_5_sixty_notes_fit_in_one_output_in_order_of_precedence(session: Session, write: Write) -> None:
    for number in range(60):
        write(f"Rule {number}. " + "x" * 490, kind="directive")
    answer = session.start()
    lines = answer.context.splitlines()
    ids = [int(note.strip("#").split(" ")[0]) for note in answer.notes]
    kinds = ["line" if " " in note else "whole" for note in answer.notes]
    assert len(answer.context.encode("utf-16-le")) // 2 <= 9500
    assert ids == sorted(ids, reverse=True), "newest first"
    assert kinds == sorted(kinds, reverse=True), "whole notes, then index lines"
    assert {"line", "whole"} <= set(kinds)
    held = 60 - len(ids)
    assert lines[-1].startswith(f"{held} more held back: vectr-hooks show {60 - len(ids)} ")
    whole = [line for line in lines if line.startswith("Rule")]
    assert all(len(line) > 490 and line.endswith("x") for line in whole)


def test_case_6_notes_of_wide_characters_stay_within_what_hosts_count(session: Session, write: Write) -> None:
    for number in range(30):
        write(f"Rule {number}. " + "🙂" * 300, kind="directive")
    write("🙂" * 9000, kind="directive", title="A very long one")
    context = session.start().context
    assert len(context.encode("utf-16-le")) // 2 <= 9500
    assert len(context.encode()) <= 9500


@pytest.mark.parametrize(
    ("keyword", "prompt", "hit"),
    [
        ("api", "rapid capital", False),
        ("api", "API?", True),
        ("api", "今日のapiについて", True),
        ("部署", "请部署服务", True),
        ("cafe\u0301", "the café is open", True),
        ("café", "the cafe\u0301 is open", True),
        ("roll back", "please ROLL\n  back now", True),
    ],
)
def test_case_13_keywords_are_words(
    session: Session, write: Write, keyword: str, prompt: str, hit: bool
) -> None:
    write("It matters.", trigger=[{"keyword": keyword}])
    session.start()
    assert session.prompt(prompt).notes == (["#1"] if hit else [])


@pytest.mark.parametrize("variable", [True, False])
@pytest.mark.parametrize("cwd", ["", "src", "src/db"])
def test_case_15_a_subfolder_belongs_to_its_project(
    project: Path, write: Write, cwd: str, variable: bool
) -> None:
    write("Lock.", kind="gotcha", trigger=[{"path": "src/db/**"}])
    (project / "src/db").mkdir(parents=True)
    session = Session(project)
    session.environ = {"CLAUDE_PROJECT_DIR": str(project / cwd) if variable else ""}
    answer = session.send(
        session.payload("PreToolUse.Edit", cwd=str(project / cwd), tool_input={"file_path": "pool.py"})
    )
    assert answer.notes == (["#1"] if cwd == "src/db" else [])
    full = session.payload("PreToolUse.Read", cwd=str(project / cwd), tool_use_id="2")
    full["tool_input"] = {"file_path": str(project / "src/db/pool.py")}
    assert session.send(full).notes == ([] if cwd == "src/db" else ["#1"])


def test_case_23_ten_tools_in_a_turn_stay_within_its_budget(
    session: Session, write: Write, rows: Rows
) -> None:
    for number in range(10):
        write(f"Note {number}. " + "x" * 770, kind="gotcha", trigger=[{"path": f"f{number}.py"}])
    session.start()
    session.prompt("go")
    contexts = [session.before_read(f"f{number}.py").context for number in range(10)]
    assert 0 < sum((len(context) + 3) // 4 for context in contexts) <= 800
    outcomes = [row["status"] for row in rows("SELECT status FROM outcome ORDER BY event")]
    assert set(outcomes) == {"delivered", "held back"}


def test_case_21_twenty_processes_at_once_deliver_once(session: Session, write: Write, rows: Rows) -> None:
    write("Lock.", kind="gotcha", trigger=[{"path": "src/db/**"}])
    session.start()
    payloads = [
        session.payload(
            "PostToolUse.Read",
            tool_use_id=f"call-{number}",
            tool_input={"file_path": str(session.project / "src/db/a.py")},
        )
        for number in range(20)
    ]
    outputs = run_at_once(session, payloads)
    assert sum(bool(output) for output in outputs) == 1
    assert len(rows("SELECT * FROM event WHERE name = 'PostToolUse'")) == 20
    assert rows("SELECT * FROM error") == []


@pytest.mark.parametrize(
    "name",
    ["SessionStart.startup", "UserPromptSubmit", "PreToolUse.Edit", "SubagentStart", "SessionStart.compact"],
)
def test_an_event_registered_twice_is_answered_once(
    session: Session, write: Write, rows: Rows, name: str
) -> None:
    events = ["session-start", "post-compaction", "prompt-submit", "pre-edit"]
    for number in range(40):
        write(f"Note {number}. " + "x" * 500, kind="directive", trigger=[{"event": events}])
    write("Sub.", trigger=[{"subagent": "*"}])
    if name != "SessionStart.startup":
        session.start()
    if name == "SessionStart.compact":
        session.prompt("go")
        session.announce_compaction()
    fields = {"prompt": "hello"} if name == "UserPromptSubmit" else {}
    outputs = run_at_once(session, [session.payload(name, **fields)] * 2)
    assert sum(bool(output) for output in outputs) == 1
    assert [row["remark"] for row in rows("SELECT remark FROM event ORDER BY id DESC LIMIT 2")] == [
        "duplicate",
        "",
    ]


def test_two_prompts_that_share_an_id_are_two(session: Session, write: Write) -> None:
    write("A.", trigger=[{"keyword": "alpha"}])
    write("B.", trigger=[{"keyword": "beta"}])
    session.start()
    assert session.prompt("alpha", prompt_id="same").notes == ["#1"]
    assert session.prompt("beta", prompt_id="same").notes == ["#2"]
    assert session.prompt("beta", prompt_id="same").notes == []


def run_at_once(session: Session, payloads: list[dict[str, object]]) -> list[bytes]:
    running = []
    for payload in payloads:
        process = subprocess.Popen(
            entry(str(payload["hook_event_name"])),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=session.env(),
        )
        running.append(process)
    for process, payload in zip(running, payloads, strict=True):
        assert process.stdin
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.flush()
    outputs = []
    for process in running:
        output, errors = process.communicate(timeout=30)
        assert (process.returncode, errors) == (0, b"")
        outputs.append(output)
    return outputs


def test_an_open_standard_input_does_not_keep_a_hook_waiting(session: Session, write: Write) -> None:
    write("Rule.", kind="directive")
    process = subprocess.Popen(
        entry("SessionStart"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=session.env()
    )
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(json.dumps(session.payload("SessionStart.startup")).encode())
        process.stdin.flush()
        began = time.monotonic()
        assert b"Rule." in process.stdout.read()
        assert time.monotonic() - began < 1.5
        assert process.wait(5) == 0
    finally:
        process.stdin.close()
        process.stdout.close()


def test_a_large_payload_is_read_to_its_end(session: Session, write: Write) -> None:
    write("Lock.", kind="gotcha", trigger=[{"path": "src/db/**"}])
    session.start()
    nested = {"file": {"content": "}{" * 400_000}}
    answer = session.tool(
        "PostToolUse.Read",
        tool_input={"file_path": str(session.project / "src/db/a.py")},
        tool_response=nested,
    )
    assert answer.notes == ["#1"]


def test_case_46_a_killed_process_leaves_its_note_deliverable(session: Session, write: Write) -> None:
    """Blocked on a full pipe, the hook has decided but not printed everything when it is killed."""
    for number in range(3):
        write(f"Rule {number}. " + "x" * 1500, kind="directive")
    payload = json.dumps(session.payload("SessionStart.startup")).encode()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    filled = 0
    while True:
        try:
            filled += os.write(writer, b"." * 4096)
        except BlockingIOError:
            break
    os.set_blocking(writer, True)
    process = subprocess.Popen(entry("SessionStart"), stdin=subprocess.PIPE, stdout=writer, env=session.env())
    os.close(writer)
    assert process.stdin
    process.stdin.write(payload)
    process.stdin.close()
    time.sleep(0.5)
    assert process.poll() is None
    process.kill()
    process.wait(5)
    os.close(reader)
    assert session.start().notes == ["#3", "#2", "#1"]


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="reads /proc")
def test_case_43_two_hundred_hooks_leave_no_process_behind(project: Path, write: Write) -> None:
    write("Lock.", kind="gotcha", trigger=[{"path": "src/db/**"}])
    session = Session(project, TEST_MARK=str(project))
    for _ in range(200):
        session.read("src/db/a.py")
    left = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"TEST_MARK={project}".encode() in (folder / "environ").read_bytes():
                left.append(folder.name)
    assert left == []


@pytest.mark.parametrize("where", ["result", "error", "prompt"])
def test_a_nul_does_not_hide_what_follows_it(session: Session, write: Write, where: str) -> None:
    write("The cure.", trigger=[{"output": "E_KNOWN"}, {"keyword": "canary"}])
    session.start()
    answer = {
        "result": lambda: session.tool("PostToolUse.Bash", tool_response={"stdout": "x\0y E_KNOWN"}),
        "error": lambda: session.tool("PostToolUseFailure.Bash", error="a\0b E_KNOWN"),
        "prompt": lambda: session.prompt("a\0 canary"),
    }[where]()
    assert answer.notes == ["#1"]


def test_a_result_of_twenty_megabytes_is_looked_through(session: Session, write: Write) -> None:
    write("The cure.", trigger=[{"output": "E_KNOWN"}])
    session.start()
    assert session.tool(
        "PostToolUse.Bash", tool_response={"stdout": "x" * 20_000_000 + " E_KNOWN"}
    ).notes == ["#1"]
