"""Sessions of the hosts beside Claude Code: what each loses, when it is told again, and what is told once."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.hosts.playing import PAYLOADS, Player, context
from vectr_hooks.cli import program
from vectr_hooks.hosts import claude, copilot, gemini, shared

Write = Callable[..., int]


@pytest.fixture
def rule(store_path: Path, write: Write) -> str:
    write("Run make lint before every commit.", kind="directive")
    return "Run make lint"


@pytest.fixture
def keyword(store_path: Path, write: Write) -> str:
    write("Deploys go through the canary.", trigger=[{"keyword": "deploy"}])
    return "canary"


def test_codex_loses_what_hooks_said_when_it_compacts_even_at_the_prompt_before(
    project: Path, rule: str, keyword: str
) -> None:
    codex = Player("codex", project)
    own = {"session_id": "s1", "turn_id": "t1"}
    assert rule in codex.play("SessionStart_startup", session_id="s1")
    assert keyword in codex.play("UserPromptSubmit", **own, prompt="deploy it")
    assert codex.play("PreCompact_auto", **own) == ""
    # What its own source says counts: another event of the same turn is no compaction.
    assert codex.play("PostToolUse_Bash", **own) == ""
    assert codex.play("PreCompact_auto", **own) == ""
    again = codex.play("SessionStart_compact", session_id="s1")
    assert rule in again
    assert keyword in again
    assert codex.play("SessionStart_resume", session_id="s1") == ""


def test_codex_tells_a_subagent_only_what_is_for_one(
    project: Path, rule: str, keyword: str, write: Write
) -> None:
    write("Reviewers read only.", trigger=[{"event": "subagent-start", "subagent": "default"}])
    codex = Player("codex", project)
    codex.play("SessionStart_startup", session_id="s1")
    assert "Reviewers" in codex.play("SubagentStart", session_id="s1", agent_id="a1")
    inside = {"session_id": "s1", "turn_id": "t9", "agent_id": "a1", "agent_type": "default"}
    # An agent wrote that, not the user.
    assert codex.play("UserPromptSubmit", **inside, prompt="deploy it") == ""
    assert keyword in codex.play("UserPromptSubmit", session_id="s1", turn_id="t1", prompt="deploy it")


PATCH = """*** Begin Patch
*** Update File: src/db/pool.py
@@
-a
+*** Update File: not/this.py
*** Add File: docs/new.md
+x
*** End Patch"""


def test_a_patch_edits_every_file_that_it_names(project: Path, store_path: Path, write: Write) -> None:
    write("The watcher races.", kind="gotcha", trigger=[{"path": "src/db/**", "event": "pre-edit"}])
    write("Docs are generated.", kind="gotcha", trigger=[{"path": "docs/", "event": "pre-edit"}])
    codex = Player("codex", project)
    given = codex.play("PreToolUse_Bash", tool_name="apply_patch", tool_input={"command": PATCH})
    assert "watcher" in given
    assert "generated" in given
    assert shared.patched(PATCH) == ["src/db/pool.py", "docs/new.md"]


def test_gemini_is_told_everything_again_when_it_resumes(project: Path, rule: str, keyword: str) -> None:
    gemini = Player("gemini", project)
    own = {"session_id": "s1"}
    assert rule in gemini.play("SessionStart_startup", **own)
    assert (
        gemini.play("BeforeAgent", **own, prompt=f"<hook_context>{rule} deploy</hook_context>\n\nhello") == ""
    )
    assert keyword in gemini.play("BeforeAgent", **own, prompt="deploy it", timestamp="T2")
    assert gemini.play("BeforeAgent", **own, prompt="deploy it", timestamp="T3") == ""
    again = gemini.play("SessionStart_resume", **own)
    assert rule in again
    assert keyword in again
    assert gemini.play("SessionStart_resume", **own) == ""
    assert rule in gemini.play("SessionStart_resume", **own, timestamp="another start")


def test_two_tools_that_end_in_the_same_millisecond_are_two(
    project: Path, store_path: Path, write: Write
) -> None:
    write("One.", trigger=[{"path": "one.py"}])
    write("Two.", trigger=[{"path": "two.py"}])
    gemini = Player("gemini", project)
    for name in ("one", "two"):
        given = {"tool_name": "read_file", "tool_input": {"file_path": f"{project}/{name}.py"}}
        assert name.capitalize() in gemini.play("AfterTool_run_shell_command", **given)
        assert gemini.play("AfterTool_run_shell_command", **given) == ""


def test_qwen_hears_at_its_first_prompt_what_a_session_starts_with(
    project: Path, rule: str, keyword: str
) -> None:
    qwen = Player("qwen", project)
    own = {"session_id": "s1"}
    assert qwen.play("SessionStart_startup", **own) == ""
    first = qwen.play("UserPromptSubmit", **own, prompt="deploy it")
    assert rule in first
    assert keyword in first
    assert qwen.play("UserPromptSubmit", **own, prompt="", timestamp="T2") == ""
    assert qwen.play("PreCompact_manual", **own) == ""
    again = qwen.play("PostToolUse_run_shell_command", **own)
    assert rule in again
    assert keyword in again
    assert qwen.play("UserPromptSubmit", **own, prompt="and now", timestamp="T3") == ""
    assert qwen.play("SessionStart_startup", **own, source="clear", timestamp="T4") == ""
    assert rule in qwen.play("UserPromptSubmit", **own, prompt="anew", timestamp="T5")


@pytest.mark.parametrize("pays", ["postToolUse_bash", "userPromptSubmitted"])
def test_copilot_is_told_again_at_the_next_event_after_a_compaction(
    project: Path, rule: str, keyword: str, pays: str
) -> None:
    copilot = Player("copilot", project)
    own = {"sessionId": "s1"}
    assert rule in copilot.play("sessionStart_new", **own)
    assert keyword in copilot.play("userPromptSubmitted", **own, prompt="deploy it")
    # It compacts at once, and keeps the prompt without what came with it.
    assert copilot.play("preCompact_auto", **own) == ""
    again = copilot.play(pays, **own, timestamp=2)
    assert rule in again
    assert keyword in again
    assert rule in copilot.play("sessionStart_resume", **own)


def test_droid_goes_on_in_a_new_session_after_a_compaction(project: Path, rule: str, keyword: str) -> None:
    droid = Player("droid", project)
    assert rule in droid.play("SessionStart_startup", session_id="s1")
    prompt = droid.payload("SessionStart_startup", session_id="s1", hook_event_name="UserPromptSubmit")
    given = droid.send("UserPromptSubmit", {**prompt, "prompt": "deploy it"})
    assert keyword in context("droid", "UserPromptSubmit", given)
    assert droid.send("PreCompact", {**prompt, "hook_event_name": "PreCompact"}) == b""
    again = droid.play("SessionStart_startup", session_id="s2", source="compact")
    assert rule in again
    assert keyword in again


def cursor_payload(event: str, project: Path, **fields: Any) -> dict[str, Any]:
    return {
        "conversation_id": "c1",
        "generation_id": "g1",
        "hook_event_name": event,
        "workspace_roots": [str(project)],
        "cursor_version": "3.20",
        **fields,
    }


def test_cursor_is_answered_with_its_own_key(project: Path, rule: str, write: Write) -> None:
    write("The watcher races.", trigger=[{"path": "src/**"}])
    cursor = Player("cursor", project, CURSOR_PROJECT_DIR=str(project))

    def play(event: str, **fields: Any) -> str:
        return context("cursor", event, cursor.send(event, cursor_payload(event, project, **fields)))

    assert rule in play("sessionStart", session_id="c1")
    tool = {"tool_name": "Read", "tool_use_id": "u1", "tool_output": '{"text": "x"}'}
    assert "watcher" in play("postToolUse", **tool, tool_input={"file_path": f"{project}/src/a.py"})
    assert play("beforeSubmitPrompt", prompt="hello") == ""
    assert play("preCompact", trigger="auto") == ""
    assert rule in play("postToolUse", **tool | {"tool_use_id": "u2"}, tool_input={})


def vscode_payload(event: str, project: Path, **fields: Any) -> dict[str, Any]:
    return {
        "timestamp": "2026-07-01T10:00:00.000Z",
        "cwd": str(project),
        "session_id": "v1",
        "hook_event_name": event,
        "transcript_path": "/home/dev/.config/Code/User/workspaceStorage/1/transcripts/v1.jsonl",
        **fields,
    }


def test_what_vscode_does_not_show_the_model_at_a_prompt_waits_for_a_tool(
    project: Path, rule: str, write: Write
) -> None:
    write("Locks first.", trigger=[{"path": "src/**", "keyword": "deploy"}])
    vscode = Player("vscode", project)

    def play(event: str, **fields: Any) -> str:
        return context("vscode", event, vscode.send(event, vscode_payload(event, project, **fields)))

    assert rule in play("SessionStart", source="new")
    assert play("UserPromptSubmit", prompt="deploy it") == ""
    read = {"tool_name": "read_file", "tool_input": {"filePath": f"{project}/src/a.py"}}
    assert "Locks" in play("PreToolUse", **read, tool_use_id="u1")
    assert play("PreCompact", trigger="auto") == ""
    assert play("UserPromptSubmit", prompt="go on", timestamp="T2") == ""
    again = play("PostToolUse", **read, tool_use_id="u1")
    assert rule in again
    assert "Locks" in again


# What each of these would send to a plugin of Claude Code's, or to what its settings register.
FOREIGN = {
    "codex": ("session_start.py", "SessionStart", {"transcript_path": "/x/sessions/rollout-1.jsonl"}),
    "droid": ("session_start.py", "SessionStart", {"transcript_path": "/h/.factory/sessions/1.jsonl"}),
    "copilot": ("session_start.py", "SessionStart", {"timestamp": "T1", "initial_prompt": "x"}),
    "vscode": ("session_start.py", "SessionStart", {"timestamp": "T1", "transcript_path": "/h/Code/1.jsonl"}),
    "qwen": (
        "user_prompt_submit.py", "UserPromptSubmit",
        {"timestamp": "T1", "permission_mode": "yolo", "prompt": "x"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("host", FOREIGN)
def test_a_host_that_runs_claudes_hooks_is_answered_in_its_own_form_and_once(
    host: str, project: Path, rule: str, rows: Callable[[str], Any]
) -> None:
    entry, event, own = FOREIGN[host]
    payload = {"session_id": "s1", "cwd": str(project), "hook_event_name": event, "source": "startup", **own}
    player = Player(host, project)
    assert rule in context(host, event, player.send(event, payload, entry))
    # Its own registration reports the same event once more.
    assert player.send(event, payload) == b""
    assert [row[0] for row in rows("SELECT DISTINCT host FROM event")] == [host]


@pytest.mark.parametrize(
    ("host", "runs"), [("copilot", "vscode"), ("vscode", "copilot")], ids=["vscode", "copilot"]
)
def test_the_two_hosts_that_read_each_others_files_are_told_apart(
    host: str, runs: str, project: Path, rule: str
) -> None:
    if runs == "vscode":
        payload, event = vscode_payload("SessionStart", project, source="new"), "sessionStart"
    else:
        payload, event = Player("copilot", project).payload("sessionStart_new"), "SessionStart"
    printed = Player(host, project).send(event, payload)
    assert rule in context(runs, "SessionStart", printed)


def test_claude_code_stays_itself_whatever_it_adds_to_its_payloads(project: Path, rule: str) -> None:
    payload = {
        "session_id": "s1", "cwd": str(project), "hook_event_name": "SessionStart", "source": "startup",
        "timestamp": "T1", "turn_id": "t1",
    }  # fmt: skip
    player = Player("claude", project, CLAUDE_CODE_SESSION_ID="s1")
    printed = player.send("SessionStart", payload, "session_start.py")
    assert rule in json.loads(printed)["hookSpecificOutput"]["additionalContext"]


CLAUDES = sorted((PAYLOADS / "claude").glob("*/*.json"))
# What other hosts add to a payload, and what is in the environment of an agent that one of them started.
ADDED = {
    "timestamp": "T1", "turn_id": "t1", "sessionId": "s2", "conversation_id": "c1", "tool_result": "x",
    "hookEventName": "SessionStart", "initial_prompt": "x", "permission_mode": "default",
    "transcriptPath": "/h/.codex/sessions/rollout-1.jsonl",
}  # fmt: skip
INHERITED = ("COPILOT_CLI", "CURSOR_VERSION", "DROID_PROJECT_DIR", "GEMINI_SESSION_ID", "QWEN_PROJECT_DIR")


@pytest.mark.parametrize("file", CLAUDES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_no_recorded_payload_of_claude_code_is_taken_for_another_hosts(file: Path) -> None:
    payload = json.loads(file.read_text("utf-8"))
    for first, second in itertools.product(ADDED, repeat=2):
        more = {**payload, first: ADDED[first], second: ADDED[second]}
        assert claude.written_by(more, dict.fromkeys(INHERITED, "1")) == "claude"


def test_a_settings_folder_of_any_name_is_claude_codes() -> None:
    for folder in ("/h/.factory/claude", "/h/rollout-x/.codex"):
        transcript = f"{folder}/projects/-rollout-/s1.jsonl"
        assert claude.written_by({"session_id": "s1", "transcript_path": transcript}, {}) == "claude"


def test_of_two_spellings_the_one_that_says_something_is_read() -> None:
    payload = {
        "session_id": None, "sessionId": "s1", "tool_name": "", "toolName": "bash", "timestamp": "T" * 5000,
    }  # fmt: skip
    event = copilot.read_event(payload, {"path": "", "command": "make"}, "postToolUse")
    assert event is not None
    assert (event.session, event.tool, event.command) == ("s1", "bash", "make")
    # No moment is as long: such a text would be kept with every event.
    assert event.identity == ""


def test_what_stands_before_a_prompt_is_taken_off_in_one_pass() -> None:
    typed = gemini.read_event(
        {"prompt": "<hook_context>x</hook_context> \n" * 50_000 + "deploy"}, {}, "BeforeAgent"
    )
    assert typed is not None
    assert typed.prompt == "deploy"


def test_a_line_of_a_patch_ends_only_at_a_line_end() -> None:
    assert shared.patched("*** Update File: a.py\r\n+x\u2028*** Delete File: b.py\x0c\n") == ["a.py"]


def test_an_unknown_host_is_silent(project: Path, rule: str) -> None:
    assert Player("nosuch", project).send("SessionStart", {"cwd": str(project)}) == b""
    assert Player("os", project).send("SessionStart", {"cwd": str(project)}) == b""


def test_one_hosts_resumed_session_is_not_continued_in_another(project: Path, rule: str) -> None:
    claude = {"session_id": "c1", "cwd": str(project), "hook_event_name": "SessionStart"}
    player = Player("claude", project)
    for source in ("startup", "resume"):
        player.send("SessionStart", {**claude, "source": source}, "session_start.py")
    assert rule in Player("qwen", project).play("UserPromptSubmit")


def test_what_every_host_was_told_is_decided_again_as_it_was(
    project: Path, rule: str, keyword: str, store_path: Path
) -> None:
    for name in ("SessionStart_startup", "UserPromptSubmit", "PostToolUse_Bash", "SessionStart_compact"):
        Player("codex", project).play(name)
    for name in ("sessionStart_new", "postToolUse_bash", "preCompact_auto", "userPromptSubmitted"):
        Player("copilot", project).play(name, sessionId="s2")
    for name in ("SessionStart_startup", "BeforeAgent", "AfterTool_run_shell_command", "SessionStart_resume"):
        Player("gemini", project).play(name, session_id="s3")
    done = CliRunner().invoke(program, ["audit", "replay", "--project", str(project)])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("12 events with ")
    assert done.stdout.rstrip().endswith(": 12 events exact")


def test_status_names_the_settings_of_every_host(project: Path, rule: str) -> None:
    for words in (["install", "--host", "codex"], ["status"]):
        done = CliRunner().invoke(program, [*words, "--project", str(project)])
        assert done.exit_code == 0, done.output
    assert f"hooks: in {project}/.codex/hooks.json (project)" in done.stdout
