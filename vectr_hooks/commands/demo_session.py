"""The session that `vectr-hooks demo` plays: a small project, its notes, and two days of work on a race."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# The folder the session was recorded in; played, it is the scratch workspace.
RECORDED_IN = "/home/dev/orders"


@dataclass(frozen=True)
class StoredNote:
    """A note as its author gave it."""

    text: str
    kind: str
    provenance: str
    title: str = ""
    anchors: tuple[str, ...] = ()
    trigger: object = None
    """As `remember --trigger` reads it; None: the default of the kind."""


@dataclass(frozen=True)
class HookEvent:
    """What the client told its hooks, without the fields that all events of a session share."""

    name: str
    fields: Mapping[str, object] = field(default_factory=dict)
    subagent: str = ""
    """Type of the subagent it happens in."""

    @property
    def label(self) -> str:
        """Its name, and why it happened where the client says so."""
        return " ".join(str(part) for part in (self.name, self.fields.get("source")) if part)


@dataclass(frozen=True)
class Change:
    """A replacement of text in one of the project's files."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Step:
    """One thing that happened, with the events the client made of it."""

    who: str
    did: str
    events: tuple[HookEvent, ...]
    point: str = ""
    """What there is to see in it."""
    change: Change | None = None
    """What it does to the project, before its last event."""
    note: StoredNote | None = None
    """Written by the agent, before the last event."""
    summary: str = ""
    """What a compaction, before the last event, makes of the conversation."""


@dataclass(frozen=True)
class Session:
    """One session of the client."""

    id: str
    title: str
    steps: tuple[Step, ...]


def _start(did: str, point: str = "") -> Step:
    return Step("you", did, (HookEvent("SessionStart", {"source": "startup"}),), point)


def _prompt(text: str, point: str = "") -> Step:
    return Step("you", f"“{text}”", (HookEvent("UserPromptSubmit", {"prompt": text}),), point)


def _tool(tool: str, tool_input: Mapping[str, object], response: object) -> tuple[HookEvent, HookEvent]:
    call = {"tool_name": tool, "tool_input": tool_input}
    return HookEvent("PreToolUse", call), HookEvent("PostToolUse", {**call, "tool_response": response})


def _read(path: str, content: str, point: str = "") -> Step:
    name = f"{RECORDED_IN}/{path}"
    lines = content.count("\n") + 1
    file = {"filePath": name, "content": content, "numLines": lines, "startLine": 1, "totalLines": lines}
    events = _tool("Read", {"file_path": name}, {"type": "text", "file": file})
    return Step("agent", f"reads {path}", events, point)


def _edit(path: str, old: str, new: str, what: str, point: str = "") -> Step:
    name = f"{RECORDED_IN}/{path}"
    response = {"filePath": name, "oldString": old, "newString": new, "userModified": False}
    edit = {"file_path": name, "old_string": old, "new_string": new, "replace_all": False}
    events = _tool("Edit", edit, response | {"replaceAll": False})
    return Step("agent", f"edits {path}: {what}", events, point, change=Change(path, old, new))


def _run(command: str, stdout: str, point: str = "", note: StoredNote | None = None) -> Step:
    response = {"stdout": stdout, "stderr": "", "interrupted": False, "isImage": False}
    events = _tool("Bash", {"command": command}, response)
    return Step("agent", f"{_prompted(command)}  ✓ {stdout}", events, point, note=note)


def _fail(command: str, error: str, point: str = "") -> Step:
    before, _ = _tool("Bash", {"command": command}, None)
    failure = HookEvent("PostToolUseFailure", {**before.fields, "error": error, "is_interrupt": False})
    return Step("agent", f"{_prompted(command)}  ✗ {error.splitlines()[-1]}", (before, failure), point)


def _prompted(command: str) -> str:
    return f"$ {command.splitlines()[0]}"


def _delegate(subagent: str, task: str, point: str = "") -> Step:
    tool_input = {"description": task, "prompt": task, "subagent_type": subagent}
    before, after = _tool("Agent", tool_input, {"isAsync": True, "status": "async_launched"})
    events = (before, HookEvent("SubagentStart", subagent=subagent), after)
    return Step("agent", f"asks a {subagent}: {task}", events, point)


def _compact(summary: str, point: str = "") -> Step:
    announced = HookEvent("PreCompact", {"trigger": "manual", "custom_instructions": None})
    begun = HookEvent("SessionStart", {"source": "compact", "model": "claude-opus-4-8"})
    return Step("you", "/compact", (announced, begun), point, summary=summary)


MIGRATE = '''\
"""Bring the database to the newest migration; every replica does this when it starts."""

from app import db, migrations


def run_migrations() -> None:
    with db.connect() as connection:
        for migration in migrations.pending(connection):
            migration.upgrade(connection)
'''
UNGUARDED = "    with db.connect() as connection:\n"
GUARDED = """\
    with db.connect() as guard, db.connect() as connection:
        guard.execute("SELECT pg_advisory_lock(7301)")
"""
START = '''\
"""What a replica does when it starts."""

from app import health, migrate, server


def main() -> None:
    migrate.run_migrations()
    health.serve()
    server.serve()
'''
BACKFILL = '''\
"""Give every order a state."""

BATCH = 1_000


def upgrade(connection):
    connection.execute("ALTER TABLE orders ADD COLUMN state text")
    while connection.execute(UPDATE_NEXT, {"rows": BATCH}).rowcount:
        connection.commit()
'''
DOWNGRADE = """

def downgrade(connection):
    connection.execute("ALTER TABLE orders DROP COLUMN state")
"""

FILES = {
    "app/migrate.py": MIGRATE,
    "app/start.py": START,
    "migrations/0042_order_state.py": BACKFILL,
}

# A third of the default, so that a turn runs out of it.
SETTINGS = {"budget.turn": 260}

NOTES = (
    StoredNote(
        "Never run a migration against the shared staging database.\n"
        "`make db-up` gives you a throw-away one on port 5433.",
        kind="directive",
        provenance="human",
    ),
    StoredNote(
        "Ask before adding a dependency: production installs offline, from\n"
        "wheels that somebody has reviewed.",
        kind="directive",
        provenance="human",
        title="Ask before adding a dependency",
    ),
    StoredNote(
        "run_migrations() runs in every replica at the same moment. Hold\n"
        "pg_advisory_lock(7301) around it, on a connection of its own. Not\n"
        "pg_advisory_xact_lock: 0042 commits after every batch, the first\n"
        "COMMIT releases it, and the next replica runs the same DDL.",
        kind="gotcha",
        provenance="agent",
        title="Hold pg_advisory_lock(7301) around run_migrations()",
        anchors=("app/migrate.py",),
    ),
    StoredNote(
        "Staging runs two replicas and restarts both at once:\n"
        "`kubectl rollout restart deploy/orders` shows any start-up race.",
        kind="operational",
        provenance="human",
        title="Staging restarts both replicas at once",
        trigger={"keyword": ["deploy", "rollout"]},
    ),
    StoredNote(
        '"connection refused" in a test is no fault of the code: the test\n'
        "database is not running. `make db-up` starts it in 4 s.",
        kind="operational",
        provenance="agent",
        title='"connection refused" in a test: `make db-up`',
        trigger={"command": "pytest", "event": "post-failure"},
    ),
    StoredNote(
        "In one transaction 0042 locks `orders` for 4 min on a copy of\n"
        "production. In batches of 1,000 rows no lock lasts over 80 ms.",
        kind="finding",
        provenance="agent",
        title="0042 must run in batches of 1,000 rows",
        trigger={"path": "migrations/", "keyword": ["race", "lock"]},
    ),
    StoredNote(
        "Redis would need a lease, and a lease can end while a migration is\n"
        "still running. A lock in Postgres ends with its connection.",
        kind="decision",
        provenance="human",
        title="Migrations are locked in Postgres, not in Redis",
        trigger={"keyword": ["race", "lock"]},
    ),
    StoredNote(
        "Run each migration up, down and up again: a downgrade() that has\nnever run is none.",
        kind="operational",
        provenance="human",
        title="In a review: each migration up, down and up again",
        trigger={"event": "subagent-start", "subagent": "*review*"},
    ),
    StoredNote(
        "CI refuses migrations without a downgrade(), after 6 min.\n"
        "`make check-migrations` says the same here in 2 s.",
        kind="operational",
        provenance="human",
        title="`make check-migrations` before a push",
        trigger={"command": "git push"},
    ),
    StoredNote(
        "A replica that does not answer /health within 30 s is killed, and\n"
        "one that waits for the lock does not answer: serve it first.",
        kind="gotcha",
        provenance="agent",
        title="/health must answer while a replica waits for the lock",
        anchors=("app/start.py",),
    ),
)

LEARNT = StoredNote(
    "pg_advisory_lock waits for ever for a replica that hangs with the\n"
    "lock. SET lock_timeout = '60s' on the guard connection ends that.",
    kind="finding",
    provenance="agent",
    title="A replica that hangs keeps the lock: set lock_timeout",
    trigger={"path": "app/migrate.py", "event": ["pre-edit", "post-read"]},
)

SUMMARY = (
    "The user asked for a fix of a race between replicas. The agent put a lock around the migrations "
    "in app/migrate.py, moved the health check, and the tests pass."
)

SESSIONS = (
    Session(
        "5f0c2f0e-3c0b-4a53-9d0e-6a1f8f0d7b21",
        "Monday afternoon",
        (
            _start("start Claude Code in orders/"),
            _prompt("What happens when a replica starts? I have never looked at it."),
            _read(
                "migrations/0042_order_state.py",
                BACKFILL,
                "A note is about this path, but only when the prompt says “race” or “lock”.",
            ),
            _prompt(
                "After the last deploy two replicas ran 0042 at once. Fix the race.",
                "Of a decision only the title arrives: a line, not a page.",
            ),
            _read("app/migrate.py", MIGRATE),
            _read(
                "migrations/0042_order_state.py",
                BACKFILL,
                "Now both conditions hold: the path, and the prompt's “race”.",
            ),
            _edit("app/migrate.py", UNGUARDED, GUARDED, "takes the lock"),
            _fail("pytest -q tests/test_migrate.py", "Exit code 1\nconnection refused (port 5433)"),
            _run("make db-up", "ready on port 5433"),
            _edit(
                "app/start.py",
                "    migrate.run_migrations()\n    health.serve()\n",
                "    health.serve()\n    migrate.run_migrations()\n",
                "answers /health first",
                "The turn's budget is spent. The note is not lost, as will be seen.",
            ),
            _run(
                f"vectr-hooks remember - --path app/migrate.py <<'END'\n{LEARNT.text}\nEND",
                "#11 stored",
                note=LEARNT,
            ),
            _delegate("code-reviewer", "review the branch"),
            _run("pytest -q tests/test_migrate.py", "7 passed"),
            _compact(SUMMARY, "Also #10, which had no room before, and #11, written a minute ago."),
            _prompt(
                "Good, no more race. Push the branch.", "Not again: the compaction has just brought it back."
            ),
            _fail("git push", "Exit code 1\n0042_order_state: no downgrade()"),
            _edit(
                "migrations/0042_order_state.py",
                "        connection.commit()\n",
                "        connection.commit()\n" + DOWNGRADE,
                "adds downgrade()",
            ),
        ),
    ),
    Session(
        "b2d7c9a4-0e6f-4f1a-8a55-2f4f6f3f9c10",
        "Tuesday morning, a new session",
        (
            _start(
                "start Claude Code in orders/", "The standing rules, and where Monday's work was left off."
            ),
            _prompt("Finish that push, please."),
            _read(
                "app/migrate.py",
                MIGRATE.replace(UNGUARDED, GUARDED),
                "#11 is what the agent learnt on Monday; #3 says that its file has changed.",
            ),
            _run("make check-migrations && git push", "42 migrations, pushed"),
        ),
    ),
)
