"""Notes tried on recorded sessions: what fires, what it costs, what nearly fires, what cannot be said."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.hosts.transcript import Lines, boundary, prompt, result, uses, write
from vectr_hooks.cli import program
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.hook import read_event
from vectr_hooks.hosts import claude
from vectr_hooks.hosts.claude_transcript import Account, recorded_events
from vectr_hooks.project import open_project
from vectr_hooks.response import Response
from vectr_hooks.store.connection import open_for_hook
from vectr_hooks.store.workspace import Workspace
from vectr_hooks.transcript_trial import FILE_NOW, NO_TIME, OUTSIDE, propose, transcripts, try_transcripts
from vectr_hooks.trial import PROPOSED, Trial

AT = "2026-01-31T12:00:00.000Z"


@pytest.fixture
def lines(project: Path, store_path: Path) -> Lines:
    """A session: a prompt, an edit, a command that fails, a compaction, another prompt."""
    there: dict[str, Any] = {"cwd": str(project), "gitBranch": "main", "sessionId": "s1", "timestamp": AT}
    path = {"file_path": f"{project}/src/db/lock.py", "old_string": "a", "new_string": "b"}
    return [
        prompt("1", None, "Deploy it", **there),
        uses("2", "1", "Edit", path, **there),
        result("3", "2", "call-2", "done", **there),
        uses("4", "3", "Bash", {"command": "git push --force"}, **there),
        result("5", "4", "call-4", "Exit code 1\nError E42", is_error=True, **there),
        boundary("6", "5", **there),
        prompt("7", "6", "deploy again", **there),
    ]


def tried(project: Path, tmp_path: Path, lines: Lines, note: str = "", name: str = "s1.jsonl") -> Trial:
    place = open_project(str(project))
    draft = None
    if note:
        file = tmp_path / "note.md"
        file.write_text(f"---\n{note}\n---\n\nTake care.\n", encoding="utf-8")
        draft = propose(place.root, str(file), "human")
    return try_transcripts(place.store_path, place.workspace, [write(tmp_path / name, lines)], draft)


def fired(trial: Trial) -> list[tuple[int, str, str, str]]:
    return [(one.note, one.place.event, one.form, one.why) for one in trial.firings]


def test_every_note_of_today_is_played_and_the_store_is_left_alone(
    project: Path, store_path: Path, tmp_path: Path, lines: Lines, write: Callable[..., int]
) -> None:
    write("Lock.", trigger=[{"path": "src/db/**", "event": "pre-edit"}])
    write("Canary.", trigger=[{"keyword": "deploy"}])
    write("E42 means no quota.", trigger=[{"output": "E42"}])
    before = store_path.read_bytes()
    trial = tried(project, tmp_path, lines)
    assert fired(trial) == [
        (2, "line 1", "full", "keyword deploy"),
        (1, "line 2", "full", "path src/db/**"),
        (3, "line 5", "full", "output E42"),
        (3, "line 6", "full", "used earlier in this session"),
        (2, "line 6", "full", "used earlier in this session"),
        (1, "line 6", "full", "used earlier in this session"),
        (2, "line 7", "suppressed", "keyword deploy"),
    ]
    assert (trial.sessions, trial.events, trial.unknown) == (("s1",), 9, {})
    assert [one.place.context for one in trial.firings[:3]] == [
        "Deploy it",
        "src/db/lock.py",
        "git push --force",
    ]
    assert store_path.read_bytes() == before


def test_only_a_proposed_note_is_watched_and_it_is_not_stored(
    project: Path, store: sqlite3.Connection, tmp_path: Path, lines: Lines, write: Callable[..., int]
) -> None:
    write("Canary.", trigger=[{"keyword": "deploy"}])
    trial = tried(project, tmp_path, lines, "trigger: [{command: git push}]")
    assert {one.note for one in trial.firings} == {PROPOSED}
    assert trial.firings[0].place.moments == ("pre-run",)
    [summary] = trial.notes()
    assert (summary.title, summary.delivered, summary.sessions) == ("Take care", 2, 1)
    assert summary.cost == sum(one.cost for one in trial.by_session())
    assert store.execute("SELECT count(*) FROM note").fetchone()[0] == 1


def test_a_near_miss_names_the_one_condition_that_failed(project: Path, tmp_path: Path, lines: Lines) -> None:
    trial = tried(project, tmp_path, lines, "trigger: [{path: src/db/**, event: pre-read}]")
    assert trial.firings == ()
    [before, after] = trial.near_misses
    assert (before.condition, before.expected, before.seen) == ("event", ("pre-read",), ("pre-edit",))
    assert after.seen == ("post-edit",)
    vetoed = tried(project, tmp_path, lines, "trigger: [{path: src/db/**, unless: {branch: main}}]")
    assert {(miss.condition, miss.expected) for miss in vetoed.near_misses} == {("unless", ("main",))}
    nothing = tried(project, tmp_path, lines, "trigger: [{path: docs/**, tool: Edit}]")
    assert nothing.near_misses == ()


def test_the_branch_is_the_one_that_was_checked_out_then(project: Path, tmp_path: Path, lines: Lines) -> None:
    other = [line.replace(b'"main"', b'"release"') for line in lines]
    note = "trigger: [{path: src/db/**, branch: release, event: pre-edit}]"
    assert len([one for one in tried(project, tmp_path, other, note).firings if one.why != ""]) == 2
    assert [miss.condition for miss in tried(project, tmp_path, lines, note).near_misses] == ["branch"]


def test_what_a_file_held_then_is_not_known(project: Path, tmp_path: Path, lines: Lines) -> None:
    note = "trigger: [{path: src/db/**, symbol: acquire_lock}]"
    trial = tried(project, tmp_path, lines, note)
    assert (trial.firings, trial.near_misses) == ((), ())
    assert trial.unknown == {FILE_NOW: 2}


def test_events_of_other_folders_and_without_a_time_are_counted(
    project: Path, tmp_path: Path, lines: Lines
) -> None:
    elsewhere = [line.replace(str(project).encode(), b"/elsewhere") for line in lines]
    assert tried(project, tmp_path, elsewhere).unknown == {OUTSIDE: 9}
    timeless = [line.replace(AT.encode(), b"") for line in lines]
    assert tried(project, tmp_path, timeless).unknown == {NO_TIME: 9}


def test_secrets_do_not_come_into_the_context(project: Path, tmp_path: Path, lines: Lines) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    hidden = [line.replace(b"git push --force", f"git push {secret}".encode()) for line in lines]
    note = "trigger: [{command: git push}, {command: git push, path: docs/**}]"
    trial = tried(project, tmp_path, hidden, note)
    assert trial.firings
    assert secret not in str(trial)


def test_a_text_that_json_or_sqlite_finds_hard_is_played(project: Path, tmp_path: Path, lines: Lines) -> None:
    odd = lines[0].replace(b"Deploy it", b"Deploy \\ud800 \\u0000 it now")
    trial = tried(project, tmp_path, [odd, *lines[1:]], "trigger: [{keyword: it now}]")
    assert trial.firings[0].place.event == "line 1"


def test_files_are_named_singly_or_by_their_folder(tmp_path: Path) -> None:
    newer, older = (write(tmp_path / "p" / f"{name}.jsonl", []) for name in "ab")
    os.utime(older, (1, 1))
    assert transcripts([str(tmp_path / "p")]) == [older, newer]
    assert transcripts([newer, newer]) == [newer]
    (tmp_path / "empty").mkdir()
    for wrong in ("gone", "empty"):
        with pytest.raises(VectrHooksError):
            transcripts([str(tmp_path / wrong)])


def test_what_is_no_regular_file_in_a_folder_is_named_and_the_others_are_played(
    project: Path, tmp_path: Path, lines: Lines, write: Callable[..., int]
) -> None:
    write("Canary.", trigger=[{"keyword": "deploy"}])
    folder = tmp_path / "p"
    tried(project, folder, lines)
    (folder / "broken.jsonl").symlink_to("/nowhere/at/all")
    (folder / "loop.jsonl").symlink_to(folder / "loop.jsonl")
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "fifo.jsonl")
    arguments = ("--project", str(project), "--transcript", str(folder))
    trial = json.loads(shown(*arguments, "--json"))
    names = ["broken", "fifo", "folder", "loop"]
    assert sorted(trial["unread"]) == [str(folder / f"{name}.jsonl") for name in names]
    assert trial["events"] == 9
    assert f"not played: {folder}/fifo.jsonl: it is not a regular file\n" in shown(*arguments)
    (folder / "s1.jsonl").unlink()
    with pytest.raises(VectrHooksError, match="holds no file"):
        transcripts([str(folder)])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_a_number_that_json_has_not_does_not_end_the_trial(
    project: Path, tmp_path: Path, lines: Lines, number: str
) -> None:
    odd = [line.replace(b'"old_string":"a"', b'"old_string":"a","n":' + number.encode()) for line in lines]
    odd[2] = odd[2].replace(b'"type":"user"', b'"toolUseResult":{"n":' + number.encode() + b'},"type":"user"')
    note = "trigger: [{path: src/db/**}, {output: nothing like it}]"
    assert tried(project, tmp_path, odd, note).events == 9


def test_a_payload_nested_deeper_than_is_read_does_not_end_the_trial(
    project: Path, tmp_path: Path, lines: Lines
) -> None:
    for depth in (900, 995, 5_000):
        deep = b"[" * depth + b"]" * depth
        odd = [lines[0], lines[1].replace(b'"old_string":"a"', b'"n":' + deep), *lines[2:]]
        trial = tried(project, tmp_path, odd, "trigger: [{path: src/db/**}]")
        assert trial.events in (7, 9)
        assert (trial.skipped.get("unreadable", 0) > 0) is (trial.events == 7)


WORDS = ("deploy", "quota", "lock", "canary", "plain", "acquire_lock")
NOTES: list[dict[str, Any]] = [
    {"trigger": [{"path": "src/db/**", "event": "pre-edit"}], "kind": "directive", "pinned": True},
    {"trigger": [{"path": "src/**", "keyword": "lock"}]},
    {"trigger": [{"keyword": "deploy", "unless": {"branch": "main"}}]},
    {"trigger": {"clauses": [{"keyword": ["canary", "no word"]}, {"command": "git push"}], "cooldown": 1}},
    {"trigger": [{"output": "/E\\d+ quota/"}, {"output": "E42", "tool": "Bash"}]},
    {"trigger": [{"symbol": "acquire_lock"}], "kind": "task", "priority": "high"},
    {"trigger": [{"subagent": "Explore", "event": ["subagent-start", "post-read"]}]},
    {"trigger": {"clauses": [{"tool": "Grep"}], "max_deliveries": 2}},
    {"kind": "finding"},
]


class Recorded:
    """Sessions made at random: prompts, calls and their results, subagents, compactions, rewinds."""

    def __init__(self, root: str, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.count = 0

    def lines(self, session: str) -> Iterator[bytes]:
        there = {"cwd": self.root, "sessionId": session, "timestamp": AT}
        before = None
        for _ in range(self.random.randrange(8, 14)):
            began = before
            there["gitBranch"] = self.random.choice(("main", "dev", "HEAD"))
            before = yield from self._said(before, there)
            for _ in range(self.random.randrange(5)):
                before = yield from self._called(before, there)
            if self.random.random() < 0.2:
                before = began
            if before and self.random.random() < 0.3:
                name = self._name()
                yield boundary(name, before, self.random.choice(("auto", "manual")), **there)
                before = name

    def _name(self) -> str:
        self.count += 1
        return str(self.count)

    def _text(self) -> str:
        odd = ("\ud800", "\\u0000", "\0", "データ", "E42", "E7 quota", "/command")
        return " ".join(self.random.choices((*WORDS, *odd), k=self.random.randrange(1, 5)))

    def _said(self, before: str | None, there: dict[str, Any]) -> Generator[bytes, None, str]:
        name = self._name()
        yield prompt(name, before, self._text(), promptId=f"p{name}", **there)
        return name

    def _called(self, before: str, there: dict[str, Any]) -> Generator[bytes, None, str]:
        aside = {"isSidechain": True, "agentId": "a1"} if self.random.random() < 0.1 else {}
        path = f"{self.root}/{self.random.choice(('src/db', 'src', 'docs'))}/f{self.random.randrange(3)}.py"
        tool, given = self.random.choice(
            [
                ("Read", {"file_path": path}),
                ("Edit", {"file_path": path, "old_string": self._text(), "new_string": self._text()}),
                (
                    "Bash",
                    {"command": f"cd src && {self.random.choice(('git push', 'make', 'cat db/f1.py'))}"},
                ),
                ("Grep", {"pattern": self._text(), "odd": [{"n": [1.5, None, True]}]}),
            ]
        )
        call, answer = self._name(), self._name()
        yield uses(call, before, tool, given, **there, **aside)
        structured = {"stdout": self._text(), "more": [{"text": self._text()}, 3]}
        more = {"toolUseResult": structured} if self.random.random() < 0.7 else {}
        failed = self.random.random() < 0.2
        yield result(answer, call, f"call-{call}", self._text(), failed, **there, **more, **aside)
        return before if aside else answer


@pytest.mark.parametrize("seed", range(4))
def test_a_trial_finds_what_hooks_deliver_that_get_each_event_as_json(
    project: Path, store_path: Path, tmp_path: Path, write: Callable[..., int], seed: int
) -> None:
    for number, note in enumerate(NOTES):
        write(f"About {WORDS[number % len(WORDS)]} {number}: take care.", **note)
    recorded = Recorded(str(project), seed)
    files = []
    for session in ("s1", "s2", "s3"):
        file = tmp_path / f"{session}.jsonl"
        file.write_bytes(b"".join(line + b"\n" for line in recorded.lines(session)))
        files.append(str(file))
    place = open_project(str(project))
    trial = try_transcripts(place.store_path, place.workspace, files)
    with closing(open_for_hook(str(store_path))[0]) as connection:
        expected = hooked(connection, place.workspace, files)
    assert [
        (one.place.session, one.place.event, one.note, one.form, one.cost) for one in trial.firings
    ] == expected
    assert {form for *_, form, _ in expected} >= {"full", "suppressed"}


def hooked(
    connection: sqlite3.Connection, workspace: Workspace, files: list[str]
) -> list[tuple[str, str, int, str, int]]:
    """What hooks find at each event of `files` that is sent to them: session, line, note, form, cost."""
    found = []
    account = Account()
    place = Workspace(workspace.root, workspace.id, workspace.id_file, "")
    for occurred in (one for file in files for one in recorded_events(file, account)):
        received = json.dumps(occurred.payload).replace("\\u0000", "\\ufffd")
        event = read_event(connection, claude, received)
        assert event
        assert occurred.at_ms
        response = Response(connection, claude, event, place, occurred.at_ms)
        response.sight.branch = occurred.branch
        connection.execute("BEGIN IMMEDIATE")
        response.answer()
        connection.execute("COMMIT")
        rows = connection.execute(
            "SELECT note, CASE status WHEN 'delivered' THEN form ELSE status END, cost FROM outcome"
            " WHERE event = (SELECT max(id) FROM event)"
            " AND status IN ('delivered', 'suppressed', 'held back')"
            " ORDER BY position"
        )
        for note, form, cost in rows:
            found.append((event.session, f"line {occurred.line}", note, form.partition(":")[0], cost))
    return found


def shown(*arguments: str) -> str:
    done = CliRunner().invoke(program, ["audit", "replay", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_screen_counts_costs_and_shows_where(
    project: Path, tmp_path: Path, lines: Lines, write: Callable[..., int]
) -> None:
    write("Canary.", trigger=[{"keyword": "deploy"}])
    write("Lock.", trigger=[{"path": "src/db/**", "event": "pre-read"}])
    tried(project, tmp_path, lines)
    arguments = ("--project", str(project), "--transcript", str(tmp_path / "s1.jsonl"))
    screen = shown(*arguments)
    assert screen.splitlines()[0].startswith("1 session, 9 events: would have fired 2 times, for ")
    assert "#1: Canary\n  fired 2 times in 1 session, " in screen
    assert "2026-01-31 12:00:00Z, line 1, prompt-submit: Deploy it (keyword deploy), in full, " in screen
    assert "  nearly fired 2 times, but for event pre-read (clause 1)\n" in screen
    assert "it had pre-edit" in screen
    found = json.loads(shown(*arguments, "--json"))
    assert found["version"] == 1
    assert found["events"] == 9
    assert [note["note"] for note in found["notes"]] == [1, 2]
    assert found["firings"][0]["place"]["context"] == "Deploy it"
    assert found["near_misses"][0]["condition"] == "event"
