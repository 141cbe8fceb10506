"""Who runs the program, a person at a terminal or an agent in its session, and how they find it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

# Variables that agents set for the commands they run. Those that people set themselves (CODEX_HOME, an API
# key) say nothing and are not here.
AGENT_VARIABLES = (
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "DROID_PROJECT_DIR",
    "FACTORY_PROJECT_DIR",
    "GEMINI_CLI",
    "GEMINI_SESSION_ID",
    "OPENCODE",
    "QWEN_CODE",
)


def at_terminal() -> bool:
    """Whether standard input is a terminal, so that somebody can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()


def provenance(environ: Mapping[str, str], terminal: bool) -> str:
    """`human` for a person at a terminal, else `agent`. A default, not a security boundary."""
    by_agent = any(environ.get(name) for name in AGENT_VARIABLES)
    return "human" if terminal and not by_agent else "agent"


def session(environ: Mapping[str, str]) -> str:
    """The host's session that the program runs in, or ''."""
    return environ.get("CLAUDE_CODE_SESSION_ID", "")


def program_name() -> str:
    """How the user's shell finds this program: by its name, or else by its path."""
    # They cost every command that asks who runs it as much as a tenth of all it does.
    import shlex
    import shutil

    beside = os.path.join(os.path.dirname(sys.executable), "vectr-hooks")
    return "vectr-hooks" if shutil.which("vectr-hooks") or not os.path.exists(beside) else shlex.quote(beside)
