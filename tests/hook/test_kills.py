"""Processes killed with SIGKILL while others use the same store: hooks, and commands that write notes.

Some are killed anywhere in their lives, some while they hold the store's lock, some while nobody reads what
they print, some when that was read at last, on their way from the output to the commit. After every batch,
with no process left, the store is looked through, and every event that was killed happens once more.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from benchmarks.soundness import faults
from tests.hook.session import ROOT, Session, entry
from vectr_hooks.authoring import remember
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.core.settings import DEFAULTS
from vectr_hooks.project import init_project
from vectr_hooks.store import configuration
from vectr_hooks.store.create import open_store
from vectr_hooks.store.inspection import opened
from vectr_hooks.store.journal import recent_errors
from vectr_hooks.store.notes import Note, all_notes

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills with SIGKILL")

SEED = 46
KILLS = 300
BATCHES = 5
LANES = 4
STEPS = 22
"""Processes that a lane starts in a batch, one after the other."""

ANYWHERE, LOCKED, UNREAD, PRINTED, NEVER = "anywhere", "while it writes", "unread", "when it printed", "never"
HOOK_KILLS = [(ANYWHERE, 9), (LOCKED, 5), (UNREAD, 3), (PRINTED, 6), (NEVER, 1)]
COMMAND_KILLS = [(ANYWHERE, 5), (LOCKED, 7), (NEVER, 2)]
#: how long after that moment at most, evenly spread
SOON_S = {LOCKED: 0.003, UNREAD: 0.02, PRINTED: 0.0015}
#: what a hook takes from the lock to the output, on a busy machine
DECIDES_S = 0.01
PIPE_BYTES = 4096

F_SETPIPE_SZ = 1031
# In the file beside the store through which SQLite's processes share the log: who writes, who checkpoints,
# who recovers. Linux's `struct flock`.
FIRST_LOCK, LOCKS = 120, 3
FLOCK = "hhqqi4x"

#: bodies of the notes that the events bring, none of which a command touches
RULES = [
    f"Rule {n}: take the lock first. " + "It keeps the pool from being torn down. " * 36 for n in range(3)
]
LOCK = "The watcher races with acquire_lock()."
DEPLOY = "Deploys go through the canary."
PUSH = "Pushes need a ticket."
REVIEW = "Reviewers check the locks."
FIXED: list[tuple[str, dict[str, Any]]] = [
    *((rule, {"kind": "directive", "pinned": True}) for rule in RULES),
    (LOCK, {"kind": "gotcha", "trigger": [{"path": "src/db/**"}]}),
    (DEPLOY, {"trigger": [{"keyword": "deploy"}]}),
    (PUSH, {"trigger": [{"command": "git push"}]}),
    (REVIEW, {"trigger": [{"subagent": "reviewer", "event": "subagent-start"}]}),
]
#: recorded payload, what is special in this one, what its hook must bring
EVENTS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("SessionStart.startup", {}, (*RULES,)),
    ("SessionStart.compact", {}, (*RULES,)),
    ("UserPromptSubmit", {"prompt": "deploy it"}, (*RULES, DEPLOY)),
    ("PreToolUse.Edit", {"tool_input": {"file_path": "src/db/pool.py"}}, (LOCK,)),
    ("PreToolUse.Bash", {"tool_input": {"command": "git push origin"}}, (PUSH,)),
    ("PostToolUse.Read", {"tool_input": {"file_path": "src/db/pool.py"}}, (LOCK,)),
    ("SubagentStart", {"agent_id": "a1", "agent_type": "reviewer"}, (REVIEW,)),
]
COMMANDS = ["remember"] * 4 + ["edit"] * 3 + ["pin"] * 2 + ["forget"] * 2 + ["import"] * 2 + ["config"]
#: one for each lane, none of which decides about the notes above
SETTINGS = ("cap.decision", "cap.reference", "working_set.epochs", "budget.handoff")


@dataclass
class Ended:
    output: bytes
    killed: bool
    moment: str
    seconds: float


@dataclass
class Victim:
    """A hook process of a session of its own."""

    session: str
    payload: dict[str, Any]
    brings: tuple[str, ...]
    ended: Ended

    @property
    def printed(self) -> bool:
        return is_complete(self.ended.output, self.brings)


@dataclass
class Lane:
    """What is started one after the other, and what is known of the notes written there, or possible."""

    number: int
    random: random.Random
    victims: list[Victim] = field(default_factory=list)
    ends: list[tuple[str, Ended]] = field(default_factory=list)
    texts: int = 0
    #: per note of the lane: body and whether it is pinned
    known: dict[int, tuple[str, bool]] = field(default_factory=dict)
    #: what a command that did not answer may have left of a note; None: it is gone
    doubtful: dict[int, list[tuple[str, bool] | None]] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    #: texts that commands which did not answer may have stored, all of a list or none
    unanswered: list[list[str]] = field(default_factory=list)
    settings: list[int] = field(default_factory=list)


class Campaign:
    """All batches, on one store; what went wrong, by what should have been."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (self.project / "src/db").mkdir(parents=True)
        (self.project / "src/db/pool.py").write_text("def acquire_lock(): ...\n")
        self.files = folder / "files"
        self.files.mkdir()
        place = init_project(str(self.project))
        self.root, self.store = place.root, Path(place.store_path)
        with closing(open_store(place.store_path)) as con:
            for text, fields in FIXED:
                trigger = fields.get("trigger")
                given = {**fields, "trigger": trigger and parse_trigger(trigger)}
                remember(con, self.root, text, provenance="agent", now_ms=0, **given)
        self.fixed = range(1, len(FIXED) + 1)
        self.lanes = [Lane(number, random.Random(f"{SEED} {number}")) for number in range(LANES)]
        for lane in self.lanes:
            lane.settings = [DEFAULTS[SETTINGS[lane.number]]]
        #: how long each sort of process lives unless it is killed
        self.lives: dict[str, list[float]] = {}
        self.wrong: dict[str, list[str]] = {"sound": [], "kept": [], "honest": [], "next": []}
        self.killed: Counter[str] = Counter()
        self.repeated = 0

    def batch(self, number: int) -> None:
        at_once(lambda lane: self.run_lane(lane, number), self.lanes)
        self.wrong["sound"] += [f"batch {number}: {fault}" for fault in faults(self.store, self.root)]
        victims = [victim for lane in self.lanes for victim in lane.victims]
        with opened(str(self.store)) as con:
            self.wrong["sound"] += [f"{error.event}: {error.message}" for error in recent_errors(con, 5)]
            recorded = {victim.session: rows_of(con, victim.session) for victim in victims}
            notes = {note.id: note for note in all_notes(con)}
            settings = configuration.current(con)
            revised = {row[0] for row in con.execute("SELECT note FROM revision")}
        for lane in self.lanes:
            self.wrong["kept"] += settle(lane, notes, revised, int(settings[SETTINGS[lane.number]]))
            self.killed.update(f"{what} {end.moment}" for what, end in lane.ends if end.killed)
            lane.ends.clear()
        if missing := [id for id in self.fixed if id not in notes]:
            self.wrong["kept"].append(f"{missing} are gone")
        again: list[list[Victim]] = [lane.victims for lane in self.lanes]
        at_once(lambda mine: self.happen_again(mine, recorded), again)
        for lane in self.lanes:
            lane.victims.clear()

    def run_lane(self, lane: Lane, batch: int) -> None:
        for step in range(STEPS):
            # A command takes several times as long as a hook; lanes take turns with them.
            if (step + lane.number) % 4 == 0:
                self.command(lane)
            else:
                self.event(lane, f"{batch}-{lane.number}-{step}")

    def event(self, lane: Lane, name: str) -> None:
        recorded, fields, brings = lane.random.choice(EVENTS)
        session = Session(self.project, name)
        payload = session.payload(recorded, tool_use_id=name, **fields)
        event = str(payload["hook_event_name"])
        ended = self.run(
            lane, event, entry(event), json.dumps(payload).encode(), session.env(), HOOK_KILLS, os.sep
        )
        lane.victims.append(Victim(name, payload, brings, ended))

    def happen_again(self, victims: Sequence[Victim], recorded: Mapping[str, tuple[int, int]]) -> None:
        for victim in victims:
            events, deliveries = recorded[victim.session]
            if not victim.printed and (events or deliveries):
                self.wrong["honest"].append(f"{victim}: {events} events, {deliveries} deliveries")
            if not victim.ended.killed and not (victim.printed and events):
                self.wrong["next"].append(f"{victim}: not answered though it was not killed")
            self.repeated += victim.printed and not events
            again = Session(self.project, victim.session).send(victim.payload)
            right = again.text == "" if events else is_complete(again.stdout, victim.brings)
            if not right:
                self.wrong["next"].append(f"{victim}: {events} events, then {again.text!r}")

    def command(self, lane: Lane) -> None:
        choice = lane.random.choice(COMMANDS)
        own = list(lane.known)
        if choice in ("edit", "pin", "forget") and not own:
            choice = "remember"
        if choice == "remember":
            self.remember(lane)
        elif choice == "import":
            self.import_files(lane)
        elif choice == "config":
            value = lane.random.randrange(1, 400)
            answer = self.cli(lane, "config", "set", SETTINGS[lane.number], str(value))
            lane.settings = [value] if answer else [*lane.settings, value]
        else:
            self.change(lane, choice, lane.random.choice(own))

    def remember(self, lane: Lane) -> None:
        body, word = new_text(lane)
        options = lane.random.choice(
            [
                ["--keyword", word, "--symbol", f"sym_{word}"],
                ["--kind", "gotcha", "--anchor", "src/db/pool.py"],
                ["--tag", word],
                ["--path", f"lib/{word}/**", "--output", f"E_{word}", "--unless", f"{{branch: {word}}}"],
            ]
        )
        answer = self.cli(lane, "remember", body, *options)
        if answer:
            lane.known[answer["note"]["id"]] = (body, False)
        else:
            lane.unanswered.append([body])

    def import_files(self, lane: Lane) -> None:
        texts = [new_text(lane) for _ in range(3)]
        folder = self.files / f"{lane.number}-{lane.texts}"
        folder.mkdir()
        for body, word in texts:
            front = f"---\ntags: [{word}]\ntrigger:\n- keyword: {word}\n---\n"
            (folder / f"{word}.md").write_text(front + body)
        answer = self.cli(lane, "import", str(folder))
        if answer:
            bodies = {f"{word}.md": body for body, word in texts}
            for stored in answer["imported"]:
                lane.known[stored["id"]] = (bodies[Path(stored["file"]).name], False)
        else:
            lane.unanswered.append([body for body, _ in texts])

    def change(self, lane: Lane, choice: str, id: int) -> None:
        before = lane.known.pop(id)
        after: tuple[str, bool] | None
        if choice == "forget":
            after = None
            answer = self.cli(lane, "forget", str(id), "--yes")
        elif choice == "pin":
            after = (before[0], not before[1])
            answer = self.cli(lane, "unpin" if before[1] else "pin", str(id))
        else:
            body, word = new_text(lane)
            after = (body, before[1])
            file = self.files / f"{word}.md"
            front = f"pinned: {str(before[1]).lower()}\ntrigger:\n- path: edited/{word}.py\n"
            file.write_text(f"---\n{front}---\n{body}")
            answer = self.cli(lane, "edit", str(id), "--from", str(file))
        if not answer:
            lane.doubtful[id] = [before, after]
        elif after is None:
            lane.gone.add(id)
        else:
            lane.known[id] = after

    def cli(self, lane: Lane, *arguments: str) -> Any:
        """What a command answered as JSON; None when it was killed before it had."""
        argv = [sys.executable, "-m", "vectr_hooks", *arguments, "--json"]
        env = Session(self.project).env() | {"PYTHONPATH": str(ROOT)}
        ended = self.run(lane, arguments[0], argv, b"", env, COMMAND_KILLS, str(self.project))
        try:
            return json.loads(ended.output)
        except ValueError:
            return None

    def run(
        self,
        lane: Lane,
        what: str,
        argv: Sequence[str],
        stdin: bytes,
        env: Mapping[str, str],
        kills: Sequence[tuple[str, int]],
        folder: str,
    ) -> Ended:
        moments, weights = zip(*kills, strict=True)
        (moment,) = lane.random.choices(moments, weights)
        lives = self.lives.setdefault(what, [])
        # Beyond the end too: it must be reached.
        wait_s = lane.random.uniform(0, 1.05) * (median(lives) if lives else 0.1)
        soon_s = lane.random.uniform(0, SOON_S.get(moment, 0))
        left = lane.random.randrange(1, PIPE_BYTES // 2) if moment in (UNREAD, PRINTED) else 0
        reader, writer, filled = pipe(left)
        began = time.monotonic()
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=writer, env=env, cwd=folder)
        os.close(writer)
        assert process.stdin
        # A killed process reads no more.
        with process.stdin:
            process.stdin.write(stdin)
            with suppress(BrokenPipeError):
                process.stdin.flush()
        early = b""
        if moment == ANYWHERE:
            with suppress(subprocess.TimeoutExpired):
                process.wait(wait_s)
        elif moment != NEVER:
            self.await_lock(process)
            if moment == PRINTED:
                time.sleep(DECIDES_S)
                early = os.read(reader, 2 * PIPE_BYTES)
            time.sleep(soon_s)
        if moment != NEVER:
            process.send_signal(signal.SIGKILL)
        with open(reader, "rb") as pipe_end:
            output = (early + pipe_end.read())[filled:]
        status = process.wait(30)
        ended = Ended(output, status == -signal.SIGKILL, moment, time.monotonic() - began)
        assert status in (0, -signal.SIGKILL), (argv, status, output)
        if not ended.killed:
            lives.append(ended.seconds)
        lane.ends.append((what, ended))
        return ended

    def await_lock(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the process writes, checkpoints or recovers, or has ended.

        No connection of this process may be open: closing any descriptor of the file takes its locks away.
        """
        import fcntl

        ask = struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, FIRST_LOCK, LOCKS, 0)
        while process.poll() is None:
            try:
                descriptor = os.open(f"{self.store}-shm", os.O_RDWR)
            except FileNotFoundError:
                time.sleep(0.0005)
                continue
            told = fcntl.fcntl(descriptor, fcntl.F_GETLK, ask)
            os.close(descriptor)
            if struct.unpack(FLOCK, told)[4] == process.pid:
                return
            time.sleep(0.0002)


def pipe(left: int) -> tuple[int, int, int]:
    """A pipe to read from and to write to, and how much is in it; with `left` only so many bytes fit."""
    import fcntl

    reader, writer = os.pipe()
    if not left:
        return reader, writer, 0
    capacity = fcntl.fcntl(writer, F_SETPIPE_SZ, PIPE_BYTES)
    return reader, writer, os.write(writer, b"." * (capacity - left))


def at_once(work: Callable[[Any], None], items: Sequence[Any]) -> None:
    failures: list[BaseException] = []

    def guarded(item: Any) -> None:
        try:
            work(item)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def is_complete(output: bytes, brings: Sequence[str]) -> bool:
    """Whether `output` is one whole document that holds all that the event brings."""
    try:
        text = json.loads(output)["hookSpecificOutput"]["additionalContext"]
    except ValueError:
        return False
    assert all(body.strip() in text for body in brings), (output, brings)
    return True


def rows_of(con: sqlite3.Connection, session: str) -> tuple[int, int]:
    """How many events of `session` were recorded, and how many deliveries."""
    (events,) = con.execute("SELECT count(*) FROM event WHERE session = ?", (session,)).fetchone()
    (deliveries,) = con.execute("SELECT count(*) FROM delivery WHERE session = ?", (session,)).fetchone()
    return events, deliveries


def new_text(lane: Lane) -> tuple[str, str]:
    """A body that no other note has, and a word that is only in it."""
    lane.texts += 1
    word = f"word{lane.number}x{lane.texts}"
    lines = [f"About {word}:", "  `a_b` «naïve» 日本語 🙂 — kept", "#12 is no header"]
    return "\n".join(lines + [f"line {n} of src/db/pool.py" for n in range(lane.random.randrange(8))]), word


def settle(lane: Lane, notes: Mapping[int, Note], revised: set[int], setting: int) -> Iterator[str]:
    """Compare with what the store holds; what was in doubt is known then."""
    if setting not in lane.settings:
        yield f"{SETTINGS[lane.number]} is {setting}, none of {lane.settings}"
    lane.settings = [setting]
    for id, expected in lane.known.items():
        if state(notes, id) != expected:
            yield f"#{id} is {state(notes, id)}, not {expected}"
    for id, possible in lane.doubtful.items():
        found = state(notes, id)
        if found not in possible:
            yield f"#{id} is {found}, none of {possible}"
        if found is None:
            lane.gone.add(id)
        else:
            lane.known[id] = found
    lane.doubtful.clear()
    for id in sorted(lane.gone & ({*notes} | revised)):
        yield f"#{id} was forgotten and is still there"
    by_body = {note.body: note.id for note in notes.values()}
    for bodies in lane.unanswered:
        stored = [body for body in bodies if body in by_body]
        if stored not in ([], bodies):
            yield f"of {bodies} only {stored} were stored"
        lane.known.update({by_body[body]: (body, False) for body in stored})
    lane.unanswered.clear()
    bodies = Counter(note.body for note in notes.values())
    if twice := [body for body, count in bodies.items() if count > 1]:
        yield f"stored more than once: {twice}"


def state(notes: Mapping[int, Note], id: int) -> tuple[str, bool] | None:
    return (notes[id].body, notes[id].pinned) if id in notes else None


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    folder = tmp_path_factory.mktemp("kills")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "VECTR_HOOKS_HOME", "XDG_DATA_HOME"):
            patch.setenv(name, str(folder / "data"))
        campaign = Campaign(folder)
        for number in range(BATCHES):
            campaign.batch(number)
        yield campaign


@pytest.mark.slow
@pytest.mark.xdist_group("kills")
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel who holds the store's lock")
class TestCampaign:
    def test_hundreds_of_living_processes_were_killed_at_every_sort_of_moment(
        self, campaign: Campaign
    ) -> None:
        assert campaign.killed.total() >= KILLS, campaign.killed
        of_moment = {
            moment: sum(count for what, count in campaign.killed.items() if what.endswith(moment))
            for moment in (ANYWHERE, LOCKED, PRINTED, UNREAD)
        }
        assert min(of_moment.values()) >= 5, of_moment

    def test_the_store_is_sound_after_every_batch(self, campaign: Campaign) -> None:
        assert campaign.wrong["sound"] == []

    def test_what_a_command_answered_is_so_and_what_it_did_not_is_all_or_nothing(
        self, campaign: Campaign
    ) -> None:
        assert campaign.wrong["kept"] == []

    def test_what_was_not_printed_is_not_recorded(self, campaign: Campaign) -> None:
        assert campaign.wrong["honest"] == []

    def test_the_next_event_works_and_repeats_only_what_was_not_recorded(self, campaign: Campaign) -> None:
        assert campaign.wrong["next"] == []


@pytest.mark.parametrize(
    ("damage", "table"),
    [
        ("DELETE FROM trigger_key WHERE note = 2", "trigger_key"),
        ("DELETE FROM needle", "needle"),
        ("UPDATE recall_frequency SET notes = notes + 1", "recall_frequency"),
        ("DELETE FROM watched_path", "watched_path"),
        ("UPDATE note_fts SET body = 'another' WHERE rowid = 1", "note_fts"),
        ("DELETE FROM note_fts_docsize", "note_fts"),
        ("DELETE FROM note WHERE id = 1", "revision"),
        ("UPDATE revision SET body = 'another' WHERE note = 1", "revision"),
        ("UPDATE note SET precedence = precedence + 1", "note"),
    ],
)
def test_what_is_wrong_with_a_store_is_found(
    project: Path, store_path: Path, write: Callable[..., int], damage: str, table: str
) -> None:
    (project / "pool.py").write_text("")
    write("The job reconcile_batch_7 runs at night.", anchors=["pool.py"])
    write(DEPLOY, trigger=[{"keyword": "deploy"}])
    assert faults(store_path, str(project)) == []
    with closing(sqlite3.connect(store_path)) as con, con:
        con.execute(damage)
    assert table in {fault.partition(":")[0] for fault in faults(store_path, str(project))}
