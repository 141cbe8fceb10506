"""Random histories of a store: sessions, and everything that commands change between their events."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.playback import DAY_MS, Playback
from tests.team_files import team_file
from vectr_hooks.authoring import remember, render
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED, PROMPT, SESSION_BEGINS, Occurrence
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.configuration import set_value, unset_value
from vectr_hooks.store.notes import ACTIVE, REVOKED, all_notes, change_note, forget, get_note
from vectr_hooks.team_notes import survey, trust

START_MS = 20_000 * DAY_MS
#: the days of the history, as triggers name them
DAYS = ["2024-10-04", "2024-10-05", "2024-10-06", "2024-10-07"]

WORDS = ["deploy", "rollout", "canary", "表示", "cache", "migrations"]
SYMBOLS = ["acquire_lock", "parse_header", "RETRY_LIMIT"]
PATHS = ["src/a.py", "src/db/pool.py", "docs/readme.md", "lib/x.ts", "src/db/migrations/1.sql"]
COMMANDS = ["git push", "make check", "pytest", "git *", "cargo build", "rm"]
LINES = [
    "git push origin main", "cd src && make check", "pytest -q tests && git push", "cat src/db/pool.py",
    "sed -i s/a/b/ src/a.py", "git commit -m 'x'", "rm -r build/", "echo x > docs/readme.md",
    "vectr-hooks list && git push",
    "make check && echo " + "long " * 60 + "&& git push", "cargo build; " + "true; " * 50 + "rm lib/x.ts",
    "curl -H 'Authorization: Bearer ghp_" "Zk3vQ9xLr7TnB2mWc8YpD4sHf6JgUe1aVo5R' x && git push",
]  # fmt: skip
#: what notes quote of them, so that forgetting a note takes it out of what was recorded of commands
QUOTED = ["", "", "", *(line for line in LINES if "ghp_" not in line), "long " * 30]
RESULTS = ["error[E0432]: unresolved import", "port 8080 is already in use", "ok", "Traceback: KeyError 'x'"]
OUTPUTS = ["E0432", r"/port \d+ is already/", "KeyError"]
SETTINGS: dict[str, list[object]] = {
    "budget.turn": [60, 200, 800], "budget.boundary": [200, 700, 2200],
    "budget.boundary_index": [0, 100, 400], "budget.epoch": [600, 3000, 8000],
    "budget.bytes": [400, 3000, 9500], "candidates.max": [2, 3, 10, 200], "cap.gotcha": [0, 60, 300],
    "cap.directive": [50, 400], "recall.notes": [0, 1, 3], "recall.tokens": [20, 150],
    "feedback": [True, False], "working_set.epochs": [0, 1, 3], "budget.handoff": [0, 40, 400],
    "enabled": [True, True, True, False], "audit.texts": [True, False],
    "expire.finding": [0, 1], "expire.gotcha": [0, 1],
}  # fmt: skip
KINDS = ["directive", "task", "gotcha", "operational", "finding", "decision", "reference"]


class History:
    """A store that several sessions and commands use by turns, as `seed` has it."""

    def __init__(self, project: Path, store_path: Path, store: sqlite3.Connection, seed: int) -> None:
        self.chance = random.Random(seed)
        self.project, self.store_path, self.store = project, store_path, store
        self.now_ms = START_MS
        self.sessions: list[Playback] = []
        self.serial = 0
        for key, value in {"nudge": True, "nudge.calls": 1}.items():
            set_value(store, key, value, START_MS)
        for path in PATHS:
            (project / path).parent.mkdir(parents=True, exist_ok=True)
        self._write_file()
        for _ in range(25):
            self._remember()

    def play(self, events: int) -> None:
        """Let `events` events happen, and changes between them."""
        until = self._count() + events
        while self._count() < until:
            self.now_ms += self.chance.choice([1000, 1000, 60_000, 3_600_000])
            name = self.chance.choices(list(MOVES), [weight for weight, _ in MOVES.values()])[0]
            MOVES[name][1](self)
            # Else nothing would happen any longer.
            if self.chance.random() < 0.2:
                unset_value(self.store, "enabled", self.now_ms)

    def _count(self) -> int:
        (count,) = self.store.execute("SELECT count(*) FROM event").fetchone()
        return int(count)

    def _session(self) -> Playback:
        """One of the sessions, or one of its subagents; a new session now and then."""
        if not self.sessions or self.chance.random() < 0.03:
            self._begin()
        session = self.chance.choice(self.sessions[-3:])
        session.now_ms = self.now_ms
        if self.chance.random() < 0.1:
            return session.inside(
                f"agent-{self.chance.randrange(3)}", self.chance.choice(["Explore", "Plan"])
            )
        return session

    def _begin(self, source: str = "startup") -> Playback:
        self.serial += 1
        session = Playback(self.project, self.store_path, f"session-{self.serial}", self.now_ms)
        self.sessions.append(session)
        # Sometimes the hooks are installed later.
        if self.chance.random() < 0.8:
            session.start(source)
        return session

    def _prompt(self) -> None:
        words = self.chance.sample([*WORDS, *SYMBOLS, "please", f"fact_{self.chance.randrange(40)}"], 3)
        self._session().prompt(" ".join(words))

    def _edit(self) -> None:
        session, path = self._session(), self.chance.choice(PATHS)
        session.edit(path)
        session.tool("post", "edit", path)

    def _read(self) -> None:
        self._session().read(self.chance.choice(PATHS))

    def _run(self) -> None:
        session, line = self._session(), self.chance.choice(LINES)
        session.run(line)
        if self.chance.random() < 0.3:
            session.fail(line, self.chance.choice(RESULTS))
        else:
            session.run_to(line, self.chance.choice(RESULTS))

    def _compact(self) -> None:
        session = self._session()
        if session.agent:
            session.begin_subagent()
        else:
            session.compact(self.chance.choice(["auto", "manual"]))

    def _announce(self) -> None:
        """A compaction of which the next event says that it has happened."""
        session = self._session()
        id = f"prompt-{session.prompts}"
        session.answer(Occurrence(COMPACTION_ANNOUNCED, "PreCompact", "auto", prompt_id=id))

    def _resume(self) -> None:
        self._session().start(self.chance.choice(["resume", "clear", "startup"]))

    def _fork(self) -> None:
        if self.chance.random() < 0.5:
            self._begin("fork")
            return
        # The host reports that the old session resumes; its prompts come under a new id.
        self._session().start("resume")
        self.serial += 1
        fork = Playback(self.project, self.store_path, f"session-{self.serial}", self.now_ms)
        fork.prompt(self.chance.choice(WORDS))
        self.sessions.append(fork)

    def _duplicate(self) -> None:
        session = self._session()
        event = Occurrence(
            PROMPT, "UserPromptSubmit", prompt="deploy", prompt_id="p", identity=f"d{self.now_ms}"
        )
        session.answer(event)
        session.answer(event)
        for _ in range(2):
            session.answer(Occurrence(SESSION_BEGINS, "SessionStart", "compact", prompt_id="p"))

    def _notice(self) -> None:
        """Something that the host submits as a prompt and nobody typed."""
        self._session().answer(Occurrence(PROMPT, "UserPromptSubmit", prompt=None, prompt_id="n"))

    def _write_file(self) -> None:
        path = self.project / self.chance.choice(PATHS)
        if self.chance.random() < 0.2:
            path.unlink(missing_ok=True)
        else:
            path.write_text("\n".join(self.chance.choices([*SYMBOLS, "x = 1", "y"], k=4)), encoding="utf-8")

    def _switch_branch(self) -> None:
        head = self.project / ".git/HEAD"
        head.write_text(f"ref: refs/heads/{self.chance.choice(['main', 'topic'])}\n", encoding="utf-8")

    def _remember(self, *supersedes: int) -> None:
        self.serial += 1
        size = self.chance.choice([0, 5, 40, 200, 900])
        remember(
            self.store,
            str(self.project),
            f"Note {self.serial} about fact_{self.serial} and {self.chance.choice(PATHS)}. "
            + self.chance.choice("xé表") * size
            + self.chance.choice(QUOTED),
            title=self.chance.choice([""] * 9 + ["push"]),
            kind=self.chance.choice(KINDS),
            priority=self.chance.choice(["high", "medium", "low"]),
            pinned=self.chance.random() < 0.05,
            scope=self.chance.choice([*["workspace"] * 6, "branch", "session", "worktree"]),
            anchors=self.chance.sample(PATHS, self.chance.randrange(2)),
            session=self.chance.choice(["", *(session.session for session in self.sessions[-2:])])
            or "session-0",
            provenance="agent",
            trigger=self._trigger(),
            supersedes=supersedes,
            now_ms=self.now_ms,
        )

    def _trigger(self) -> Any:
        if self.chance.random() < 0.25:
            return None
        while True:
            try:
                return parse_trigger(self._trigger_value())
            except VectrHooksError:
                continue  # one that can never hold

    def _trigger_value(self) -> dict[str, Any]:
        value: dict[str, Any] = {"clauses": [self._clause() for _ in range(self.chance.randint(1, 2))]}
        for name, values in {
            "cooldown": [0, 1, 3],
            "max_deliveries": [1, 2],
            "not_before": DAYS,
            "expires": DAYS,
        }.items():
            if self.chance.random() < 0.15:
                value[name] = self.chance.choice(values)
        if value.get("not_before", "") > value.get("expires", "9"):
            del value["expires"]
        return value

    def _clause(self) -> dict[str, Any]:
        values = {
            "keyword": WORDS, "symbol": SYMBOLS, "path": ["src/**", "*.py", "docs/", "src/db/pool.py"],
            "command": COMMANDS, "output": OUTPUTS, "tool": ["Bash", "To*"], "subagent": ["Explore", "*"],
            "event": [
                "session-start", "post-compaction", "pre-edit", "post-read", "prompt-submit", "post-run",
            ],
            "branch": ["main", "t*"],
        }  # fmt: skip
        likely = ["keyword", "path", "command", "event"]
        names = {
            self.chance.choice([*likely, *likely, *values]) for _ in range(self.chance.choice([1, 1, 2, 3]))
        }
        clause: dict[str, Any] = {
            name: self.chance.sample(values[name], self.chance.randint(1, 2)) for name in sorted(names)
        }
        if self.chance.random() < 0.15:
            name = self.chance.choice(["branch", "keyword", "command", "path"])
            clause["unless"] = {name: self.chance.choice(values[name])}
        return clause

    def _edit_note(self) -> None:
        note = self._note()
        if note is not None:
            changes: dict[str, Any] = self.chance.choice(
                [
                    {"title": f"Other {self.serial}"},
                    {"kind": self.chance.choice(KINDS)},
                    {"trigger": self._trigger()},
                ]
            )
            change_note(self.store, note, self.now_ms, render, **changes)

    def _pin(self) -> None:
        note = self._note()
        if note is not None:
            change_note(self.store, note, self.now_ms, render, pinned=self.chance.random() < 0.5)

    def _change_state(self) -> None:
        """Revoke a note, or reinstate one."""
        note = self._note()
        if note is not None:
            state = self.chance.choice([ACTIVE, REVOKED])
            reason = "it is wrong" if state == REVOKED else ""
            change_note(self.store, note, self.now_ms, render, state=state, reason=reason)

    def _revoke(self) -> None:
        note = self._note("active")
        if note is not None:
            change_note(
                self.store, note, self.now_ms, render, state="revoked", reason=f"Not so since {self.serial}."
            )

    def _supersede(self) -> None:
        note = self._note("active")
        if note is not None:
            self._remember(note)

    def _reinstate(self) -> None:
        note = self._note("revoked", "superseded")
        if note is not None:
            change_note(self.store, note, self.now_ms, render, state="active", reason="", superseded_by=0)

    def _promote(self) -> None:
        note = self._note("active")
        if note is not None:
            change_note(self.store, note, self.now_ms, render, provenance="human")

    def _forget(self) -> None:
        note = self._note()
        # What is forgotten is compared less closely, at all events that it had a part in.
        if note is not None and (self.chance.random() < 0.3 or self._quotes(note)):
            forget(self.store, [note])

    def _quotes(self, note: int) -> bool:
        found = get_note(self.store, note)
        return found is not None and any(line in found.body for line in LINES)

    def _write_team_file(self) -> None:
        name = self.chance.choice(["a.md", "b.md"])
        clause = self.chance.choice(["path: src/**", "keyword: deploy", "event: [session-start, pre-edit]"])
        text = f"Team note {name} {self.chance.randrange(3)}."
        kind = self.chance.choice(KINDS)
        file = team_file(self.project, name, f"---\nkind: {kind}\ntrigger:\n  - {clause}\n---\n\n{text}\n")
        if self.chance.random() < 0.2:
            file.unlink()

    def _trust(self) -> None:
        trust(self.store, survey(self.store, str(self.project)).changes, self.now_ms)

    def _configure(self) -> None:
        name = self.chance.choice(list(SETTINGS))
        if self.chance.random() < 0.4:
            unset_value(self.store, name, self.now_ms)
        else:
            set_value(self.store, name, self.chance.choice(SETTINGS[name]), self.now_ms)

    def _note(self, *states: str) -> int | None:
        notes = [note for note in all_notes(self.store) if not states or note.state in states]
        return self.chance.choice(notes).id if notes else None


#: everything that may happen: how often, and what
MOVES: dict[str, tuple[int, Callable[[History], None]]] = {
    "a prompt": (20, History._prompt),
    "an edit": (15, History._edit),
    "a read": (12, History._read),
    "a command": (15, History._run),
    "a compaction": (5, History._compact),
    "a compaction that is only announced": (2, History._announce),
    "a session begins again": (2, History._resume),
    "a fork": (1, History._fork),
    "an event reported twice": (2, History._duplicate),
    "a notice": (2, History._notice),
    "a file changes": (4, History._write_file),
    "another branch": (1, History._switch_branch),
    "a note": (6, History._remember),
    "an edited note": (5, History._edit_note),
    "a note pinned or unpinned": (2, History._pin),
    "a note revoked or reinstated": (2, History._change_state),
    "a note revoked": (2, History._revoke),
    "a note superseded": (1, History._supersede),
    "a note reinstated": (1, History._reinstate),
    "a note promoted": (1, History._promote),
    "a note forgotten": (2, History._forget),
    "a setting": (3, History._configure),
    "a file of the team": (3, History._write_team_file),
    "the team's files trusted": (2, History._trust),
}
