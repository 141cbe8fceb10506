"""What the soak plays: notes of every sort of trigger, and sessions that run into them, all by a seed."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.hook_latency import ROOT, recorded
from benchmarks.processes import run, weigh
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.core.settings import DEFAULTS
from vectr_hooks.front_matter import NoteText
from vectr_hooks.hosts import claude
from vectr_hooks.registration.command_line import hook_commands, hooks_folder, interpreter

START, COMPACTION = "start", "compaction"

AREAS, TOPICS, TOOLS, MOVING = range(6), range(6), range(3), range(8)
FILES = [f"src/area{n}/{name}" for n in AREAS for name in ("pool.py", "notes.md")]
COMMANDS = [f"tool{n} --now" for n in TOOLS] + ["make check", "git commit -m done", "ls -la", "git status"]
RESULTS = ["all good", "first line\nE_POOL_1: exhausted", "E_DISK_9 at last", "nothing\nto see"]
TOOL_NAMES = ["Read", "Edit", "Bash"]
TEXTS = ["value = 1", "acquire_lock_3(pool)", "release(pool)"]
SUBAGENTS = ["Explore", "code-reviewer", "general-purpose"]
#: what a note without a trigger is recalled by
NAMED = ["reconcile_batch_7", "billing_close_2"]
# Less than the default, so that epochs of a few turns reach it.
BUDGETS: dict[str, int] = {**DEFAULTS, "budget.epoch": 1800}
SETTINGS = [("feedback", ("on", "off")), ("working_set.epochs", ("2", "3")), ("cap.decision", ("0", "100"))]

# Of so many events one is registered twice, one is weighed, and one is followed by a bare interpreter.
DOUBLED, WEIGHED, BARE = 12, 10, 15


class Told(NamedTuple):
    """One event as the host tells it, and where its conversation then stands."""

    name: str
    session: str
    epoch: int
    agent: str = ""
    subagent: str = ""
    source: str = ""
    prompt_id: str = ""
    prompt: str = ""
    turn_prompt: str = ""
    """The prompt of the turn it belongs to."""
    tool: str = ""
    call: str = ""
    path: str = ""
    """Relative to the project."""
    command: str = ""
    text: str = ""
    """What a tool is to write."""
    result: str = ""
    boundary: str = ""
    keeps: str = ""
    """Id of the prompt that the compaction before this event keeps, with all it brought."""


class Sent(NamedTuple):
    """One event, with what each of its processes printed: two where it was registered twice."""

    told: Told
    identity: str
    outputs: tuple[bytes, ...]


@dataclass(frozen=True)
class Fixed:
    """A note that stays as it is, and by what an observer tells that its trigger holds."""

    note: NoteText
    holds: Callable[[Told], bool]
    recalled_by: str = ""


@dataclass
class Moving:
    """A note that commands write, change and delete while sessions go on."""

    keyword: str
    session: str
    pinned: bool = False
    """Whether it ever was."""


def identity(payload: Mapping[str, Any]) -> str:
    """By what a hook tells the event of `payload` from others; '' when nothing does."""
    event = claude.read_event(payload, payload.get("tool_input", {}))
    return event.identity if event else ""


def says(told: Told, word: str) -> bool:
    return not told.agent and told.name == "UserPromptSubmit" and word in told.prompt.split()


def in_area(told: Told, area: int, asked: str = "") -> bool:
    """Whether a tool is at a file of the area, in a turn whose prompt asked for it where that counts."""
    at_it = not told.agent and told.path.startswith(f"src/area{area}/")
    return at_it and (not asked or asked in told.turn_prompt.split())


def runs(told: Told, command: str) -> bool:
    return not told.agent and told.command.startswith(command)


def at_boundary(told: Told) -> bool:
    return bool(told.boundary)


def body(text: str, characters: int) -> str:
    """`text` with enough behind it that index lines, full texts and the budget all occur."""
    rest = "It was seen twice under load, and both times the watcher had raced with the pool. "
    return (text + " " + rest * (characters // len(rest) + 1))[: max(len(text), characters)].rstrip()


def fixed_notes() -> list[Fixed]:
    notes: list[Fixed] = []

    def add(
        text: str, trigger: Any, holds: Callable[[Told], bool], kind: str = "finding", **more: Any
    ) -> None:
        recalled_by = more.pop("recalled_by", "")
        parsed = parse_trigger(trigger) if trigger else None
        notes.append(Fixed(NoteText(body=text, kind=kind, trigger=parsed, **more), holds, recalled_by))

    def never(_: Told) -> bool:
        return False

    for n in range(3):
        add(body(f"Standing rule {n}.", 150 + 200 * n), None, at_boundary, "directive")
    add(body("The migration is half done.", 200), None, at_boundary, "task", priority="high")
    for n in AREAS:
        # The last is above its kind's cap, and arrives as an index line.
        text = body(f"Area {n} keeps a lock.", 150 + 220 * n)
        add(text, [{"path": f"src/area{n}/**"}], partial(in_area, area=n), "gotcha")
    for n in TOPICS:
        text = body(f"Subject {n} has a canary.", 100 + 170 * n)
        add(text, [{"keyword": f"topic{n}"}], partial(says, word=f"topic{n}"))
    for n in TOOLS:
        text = body(f"Program {n} writes to production.", 120)
        add(text, [{"command": f"tool{n}"}], partial(runs, command=f"tool{n} "), "operational")
    for area, topic in ((0, 0), (3, 4)):
        add(
            body(f"Both of {area} and {topic}.", 200),
            [{"path": f"src/area{area}/**", "keyword": f"topic{topic}"}],
            partial(in_area, area=area, asked=f"topic{topic}"),
        )
    add("The pool is too small.", [{"output": "E_POOL_1"}], lambda t: not t.agent and "E_POOL_1" in t.result)
    add("The disk is full.", [{"output": "/E_[A-Z]+_9/"}], lambda t: not t.agent and "E_DISK_9" in t.result)
    add(
        "That lock is reentrant.",
        [{"symbol": "acquire_lock_3"}],
        lambda t: not t.agent and "acquire_lock_3" in t.text,
    )
    add("Explorers read only.", [{"subagent": "Explore"}], lambda t: t.subagent == "Explore")
    add(
        "Reviewers check area 1.",
        [{"path": "src/area1/**", "subagent": "code-*"}],
        lambda t: t.subagent.startswith("code-") and t.path.startswith("src/area1/"),
    )
    add(
        body("Two ways lead here.", 300),
        [{"path": "src/area4/**"}, {"keyword": "topic5"}],
        lambda t: in_area(t, 4) or says(t, "topic5"),
        "gotcha",
    )
    add(
        "Code of area 2 only.",
        [{"path": "src/area2/**", "unless": {"path": "**/*.md"}}],
        lambda t: in_area(t, 2) and not t.path.endswith(".md"),
    )
    add(
        "It may be said again.",
        {"clauses": [{"keyword": "cool"}], "cooldown": 2},
        lambda t: says(t, "cool"),
    )
    add(
        "It is said twice at most.",
        {"clauses": [{"keyword": "seldom"}], "cooldown": 1, "max_deliveries": 2},
        lambda t: says(t, "seldom"),
    )
    add("Why it is so.", [{"keyword": "topic1"}], lambda t: says(t, "topic1"), "decision")
    add(
        "Sign every commit.",
        [{"event": "pre-commit"}],
        lambda t: t.name == "PreToolUse" and runs(t, "git commit "),
    )
    add(
        "After edits of area 5 run its generator.",
        [{"path": "src/area5/**", "event": "post-edit"}],
        lambda t: in_area(t, 5) and t.name == "PostToolUse" and t.tool == "Edit",
    )
    add(
        "This was for another time.",
        {"clauses": [{"keyword": "topic2"}], "expires": "2000-01-01"},
        never,
    )
    add(
        "This is for another time.",
        {"clauses": [{"keyword": "topic2"}], "not_before": "2999-01-01"},
        never,
    )
    for name in NAMED:
        add(f"The job {name} runs at night.", None, never, recalled_by=name)
    add("The pinned one.", None, at_boundary, pinned=True)
    for n in range(60):
        near: list[Any] = [
            [{"keyword": f"topic{n}0"}],
            [{"path": f"src/area{n}0/**"}],
            [{"path": f"area{n % 6}/*.py"}],
            [{"command": f"tool{n % 3} --later"}],
        ]
        add(f"Near miss {n}.", near[n % 4], never)
    return notes


class Enough(Exception):
    """A session has had its share of events."""


@dataclass
class Lab:
    """The project that all sessions share, and what was seen of it."""

    folder: Path
    project: Path
    store: Path
    seed: int
    pool: ThreadPoolExecutor
    """Runs the processes: no more at once than it has threads."""
    advance: Callable[[int], object] = lambda count: None
    sent: list[Sent] = field(default_factory=list)
    times_ms: list[float] = field(default_factory=list)
    bare_ms: list[float] = field(default_factory=list)
    peaks_kib: list[int] = field(default_factory=list)
    noises: list[str] = field(default_factory=list)
    """What hooks said on standard error, where they have nothing to say."""
    largest_log: int = 0
    commands: int = 0
    moving: dict[int, Moving] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.home = str(self.store.parents[2])
        self.hooks = hook_commands(interpreter(), hooks_folder(), self.home)
        self.env = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "VECTR_HOOKS_HOME": self.home,
            "CLAUDE_PROJECT_DIR": str(self.project),
        }

    def transcript(self, session: str) -> Path:
        return self.folder / "transcripts" / f"{session}.jsonl"

    def payload(self, told: Told) -> dict[str, Any]:
        suffix = f".{told.tool}" if told.tool else f".{told.source}" if told.source else ""
        payload = recorded(told.name + suffix)
        payload |= {
            "session_id": told.session,
            "transcript_path": str(self.transcript(told.session)),
            "cwd": str(self.project),
            "tool_use_id": told.call,
        }
        if told.agent:
            payload |= {"agent_id": told.agent, "agent_type": told.subagent}
        if "prompt_id" in payload:
            payload["prompt_id"] = told.prompt_id
        if told.name == "UserPromptSubmit":
            payload["prompt"] = told.prompt
        elif told.tool == "Bash":
            payload["tool_input"] = {"command": told.command}
        elif told.tool:
            payload["tool_input"] = {"file_path": str(self.project / told.path)}
        if told.tool == "Edit":
            payload["tool_input"] |= {"old_string": "", "new_string": told.text}
        if told.name == "PostToolUse":
            payload["tool_response"] = {"stdout": told.result}
        elif told.name == "PostToolUseFailure":
            payload["error"] = told.result
        return payload

    def hook(self, event: str, payload: bytes, weighed: bool) -> bytes:
        argv = ["/bin/sh", "-c", self.hooks[event]]
        if weighed:
            ended, peak = weigh(interpreter(), argv, payload, self.env)
            self.peaks_kib.append(peak)
        else:
            ended = run(argv, payload, self.env)
            self.times_ms.append(ended.wall_ms)
        if ended.errors:
            self.noises.append(f"{event}: {ended.errors.decode()}")
        log = Path(f"{self.store}-wal")
        with suppress(FileNotFoundError):
            self.largest_log = max(self.largest_log, log.stat().st_size)
        self.advance(1)
        return ended.output

    def bare(self) -> None:
        self.bare_ms.append(run([interpreter(), "-I", "-c", "pass"], b"", self.env).wall_ms)

    def cli(self, session: str, *arguments: str) -> Any:
        """Run a command as the agent of `session` does; what it answered as JSON."""
        argv = [interpreter(), "-m", "vectr_hooks", *arguments, "--json"]
        env = self.env | {"PYTHONPATH": str(ROOT), "CLAUDE_CODE_SESSION_ID": session}
        ended = self.pool.submit(run, argv, b"", env, str(self.project)).result()
        with self.lock:
            self.commands += 1
        if arguments[0] == "audit":
            return [json.loads(line) for line in ended.output.splitlines()]
        return json.loads(ended.output)


class Player:
    """One of the sessions side by side: a client that is started, compacted, resumed and cleared."""

    def __init__(self, lab: Lab, number: int, share: int) -> None:
        self.lab = lab
        self.number = number
        self.left = share
        self.random = random.Random(f"{lab.seed} {number}")
        self.sessions = self.prompts = self.calls = self.agents = 0
        self.session = ""
        self.epoch = 0
        self.prompt = ""
        self.own: list[int] = []

    def play(self) -> None:
        with suppress(Enough):
            while True:
                self.begin()
                for _ in range(self.random.randint(1, 4)):
                    for _ in range(self.random.randint(1, 3)):
                        self.turn()
                    self.compact()
                    if not self.random.randrange(3):
                        self.send([self.told("SessionStart", source="resume", boundary=START)])

    def begin(self) -> None:
        self.sessions += 1
        self.session = f"session-{self.number}-{self.sessions}"
        self.epoch = 0
        self.prompt = ""
        self.write_transcript({"type": "user"})
        source = "startup" if self.sessions == 1 or self.random.random() < 0.5 else "clear"
        self.send([self.told("SessionStart", source=source, boundary=START)])

    def turn(self, boundary: str = "") -> None:
        self.ask(boundary)
        for _ in range(self.random.randint(1, 4)):
            self.tools(self.random.randint(1, 3))
        self.command()

    def ask(self, boundary: str = "") -> None:
        self.prompts += 1
        words = self.random.sample([f"topic{n}" for n in TOPICS], self.random.randint(0, 4))
        words += self.random.choices([f"moving{n}" for n in MOVING], k=self.random.randint(0, 2))
        words += [word for word in ("cool", "seldom") if self.random.randrange(2)]
        words += [word for word in NAMED if not self.random.randrange(5)]
        self.prompt = " ".join(["Please", "look", "at", *words, "now"])
        self.send([self.told("UserPromptSubmit", prompt=self.prompt, boundary=boundary)])

    def tools(self, at_once: int) -> None:
        """Some calls at once, their `pre` events together and then their `post` events; or a subagent's."""
        inside: dict[str, str] = {}
        if not self.random.randrange(4):
            self.agents += 1
            inside = {
                "agent": f"agent-{self.number}-{self.agents}",
                "subagent": self.random.choice(SUBAGENTS),
            }
            self.send([self.told("SubagentStart", **inside)])
        calls = [self.call(inside if n else {}) for n in range(at_once)]
        self.send([self.told("PreToolUse", **call) for call in calls])
        self.send([self.outcome(call) for call in calls])

    def call(self, inside: Mapping[str, str]) -> dict[str, str]:
        self.calls += 1
        made = {**inside, "call": f"call-{self.number}-{self.calls}", "tool": self.random.choice(TOOL_NAMES)}
        if made["tool"] == "Bash":
            return made | {"command": self.random.choice(COMMANDS)}
        made["path"] = self.random.choice(FILES)
        return made | ({"text": self.random.choice(TEXTS)} if made["tool"] == "Edit" else {})

    def outcome(self, call: Mapping[str, str]) -> Told:
        failed = call["tool"] == "Bash" and not self.random.randrange(4)
        result = self.random.choice(RESULTS)
        return self.told("PostToolUseFailure" if failed else "PostToolUse", result=result, **call)

    def compact(self) -> None:
        how = self.random.choice(["manual", "turn start", "mid-turn", "refused", "unreported"])
        if how in ("manual", "refused", "unreported"):
            self.prompts += 1
        elif how == "turn start":
            self.ask()
        kept = self.prompt_id if how == "turn start" else ""
        self.send([self.told("PreCompact", source="auto" if kept or how == "mid-turn" else "manual")])
        if how == "refused":
            self.write_transcript({"type": "user", "text": '"subtype":"compact_boundary"'})
            self.turn()
            return
        self.write_transcript({"type": "system", "subtype": "compact_boundary"})
        self.epoch += 1
        if how == "unreported":
            self.turn(COMPACTION)
        else:
            self.send([self.told("SessionStart", source="compact", boundary=COMPACTION, keeps=kept)])

    @property
    def prompt_id(self) -> str:
        return f"prompt-{self.number}-{self.prompts}"

    def told(self, name: str, **fields: str) -> Told:
        fresh = name == "SessionStart" and fields["source"] != "compact"
        return Told(
            name,
            self.session,
            0 if fields.get("agent") else self.epoch,
            prompt_id="" if fresh else self.prompt_id,
            turn_prompt=self.prompt,
            **fields,
        )

    def send(self, group: Sequence[Told]) -> None:
        """Start the hooks of all events in `group` at once, and wait for them."""
        running = []
        for told in group:
            # The ledger alone decides on a session that resumes twice.
            doubled = told.source != "resume" and not self.random.randrange(DOUBLED) and self.left > 1
            weighed = not self.random.randrange(WEIGHED)
            payload = self.lab.payload(told)
            raw = json.dumps(payload).encode()
            processes = [
                self.lab.pool.submit(self.lab.hook, told.name, raw, weighed)
                for _ in range(min(self.left, 2 if doubled else 1))
            ]
            self.left -= len(processes)
            running.append((told, identity(payload), processes))
        if not self.random.randrange(BARE):
            self.lab.pool.submit(self.lab.bare).result()
        for told, own, processes in running:
            outputs = tuple(process.result() for process in processes)
            if outputs:
                self.lab.sent.append(Sent(told, own, outputs))
        if not self.left:
            raise Enough

    def write_transcript(self, entry: Mapping[str, str]) -> None:
        path = self.lab.transcript(self.session)
        path.parent.mkdir(exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(entry, separators=(",", ":")) + "\n")

    def command(self) -> None:
        """A command beside the session, mostly one that writes."""
        changes = [self._edit, self._edit, self._pin, self._unpin, self._forget] if self.own else []
        looks = [self._recall, self._list, self._audit]
        self.random.choice([self._remember] * 4 + changes + [self._config, *looks])()

    def _remember(self) -> None:
        keyword = f"moving{self.random.choice(MOVING)}"
        text = body(f"Of call {self.calls} by {self.number}.", self.random.randint(40, 400))
        answer = self.lab.cli(self.session, "remember", text, "--keyword", keyword)
        id = int(answer["note"]["id"])
        self.own.append(id)
        self.lab.moving[id] = Moving(keyword, self.session)

    def _edit(self) -> None:
        id = self.random.choice(self.own)
        file = self.lab.folder / f"edited-{self.number}.md"
        pinned = str(not self.random.randrange(8)).lower()
        self.lab.moving[id].pinned |= pinned == "true"
        front = f"---\npinned: {pinned}\ntrigger:\n- keyword: {self.lab.moving[id].keyword}\n---\n"
        file.write_text(front + body(f"Since call {self.calls} by {self.number}.", 80))
        self.lab.cli(self.session, "edit", str(id), "--from", str(file))

    def _pin(self) -> None:
        id = self.random.choice(self.own)
        self.lab.moving[id].pinned = True
        self.lab.cli(self.session, "pin", str(id))

    def _unpin(self) -> None:
        self.lab.cli(self.session, "unpin", str(self.random.choice(self.own)))

    def _forget(self) -> None:
        id = self.own.pop(self.random.randrange(len(self.own)))
        self.lab.cli(self.session, "forget", str(id), "--yes")

    def _config(self) -> None:
        key, values = self.random.choice(SETTINGS)
        self.lab.cli(self.session, "config", "set", key, self.random.choice(values))

    def _recall(self) -> None:
        self.lab.cli(self.session, "recall", self.random.choice(["lock", "watcher pool", "canary"]))

    def _list(self) -> None:
        self.lab.cli(self.session, "list")

    def _audit(self) -> None:
        self.lab.cli(self.session, "audit")
