"""`vectr-hooks try`: the exact bytes that an event would bring the model, with nothing recorded."""

from __future__ import annotations

import json
import os

import click

from vectr_hooks import output
from vectr_hooks.options import json_option, project_option

# No session has this id, so nothing counts as delivered before.
SESSION = "vectr-hooks-try"
HOST = "claude"

_USAGE = (
    'Give one event: "PROMPT" in quotes and without an option, --edit P, --read P, --run CMD for a command '
    "line, --output TEXT, --failure TEXT, --subagent TYPE, --start or --compact."
)


class _Try(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(f"{error.format_message()}\n{_USAGE}", ctx) from None


@click.command("try", cls=_Try)
@click.argument("prompt", required=False)
@click.option("--edit", metavar="P", help="An edit of the file P is about to happen.")
@click.option("--read", metavar="P", help="The file P has just been read.")
@click.option("--run", metavar="CMD", help="The command line CMD is about to run.")
@click.option("--output", "printed", metavar="TEXT", help="A command has printed TEXT.")
@click.option("--failure", metavar="TEXT", help="A command has failed, and TEXT is what it said.")
@click.option("--subagent", metavar="TYPE", help="A subagent of the type TYPE starts.")
@click.option("--start", is_flag=True, help="A session starts.")
@click.option("--compact", is_flag=True, help="The conversation has just been compacted.")
@click.option("--raw", is_flag=True, help="Print the bytes of the hook: the same text, wrapped for the host.")
@project_option
@json_option
def command(
    prompt: str | None,
    edit: str | None,
    read: str | None,
    run: str | None,
    printed: str | None,
    failure: str | None,
    subagent: str | None,
    start: bool,
    compact: bool,
    raw: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """Print exactly what the model would get, recording nothing.

    The event happens in a session that has just started, so what arrives at a start has arrived. Nothing
    on stdout means that nothing would be delivered.

    \b
    Examples:
      vectr-hooks try "deploy to staging"
      vectr-hooks try --edit src/db/lock.py
      vectr-hooks try --output 'ECONNREFUSED 127.0.0.1:5433'
      vectr-hooks try --compact
    """
    given = {
        "prompt": prompt,
        "edit": edit,
        "read": read,
        "run": run,
        "output": printed,
        "failure": failure,
        "subagent": subagent,
        "start": start,
        "compact": compact,
    }
    chosen = [(what, value) for what, value in given.items() if value not in (None, False)]
    if len(chosen) != 1:
        raise click.UsageError(_USAGE)
    what, value = chosen[0]
    folder = os.path.abspath(project or os.getcwd())
    payload = event_payload(what, value if isinstance(value, str) else "", folder)
    before = [] if what == "start" else [event_payload("start", "", folder)]
    answer = rehearsal(project, [*before, payload])
    context = json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else ""
    if as_json:
        output.json_result({"event": payload["hook_event_name"], "context": context, "output": answer})
    elif not answer:
        output.remark("nothing would be delivered")
    elif raw:
        output.verbatim(answer)
    else:
        output.verbatim(context + "\n")


def rehearsal(project: str | None, payloads: list[dict[str, object]]) -> str:
    """What a hook would print for the last of `payloads` in this project."""
    from vectr_hooks.hook import rehearse
    from vectr_hooks.project import open_project
    from vectr_hooks.store.create import open_store

    path = open_project(project).store_path
    # Opened for its checks: it says what is wrong with the store, where a hook would only be silent.
    open_store(path).close()
    return rehearse(path, HOST, [json.dumps(payload) for payload in payloads])


def event_payload(what: str, value: str, folder: str) -> dict[str, object]:
    """The host's payload for an event; relative paths start at `folder`."""
    payload: dict[str, object] = {"session_id": SESSION, "transcript_path": "", "cwd": folder}
    if what in ("start", "compact"):
        source = "startup" if what == "start" else "compact"
        return payload | {"hook_event_name": "SessionStart", "source": source}
    payload["prompt_id"] = SESSION
    if what == "prompt":
        return payload | {"hook_event_name": "UserPromptSubmit", "prompt": value}
    if what == "run":
        return payload | _tool("PreToolUse", "Bash", {"command": value})
    if what == "output":
        return payload | _tool("PostToolUse", "Bash", {"command": ""}) | {"tool_response": {"stdout": value}}
    if what == "failure":
        return payload | _tool("PostToolUseFailure", "Bash", {"command": ""}) | {"error": value}
    if what == "subagent":
        return payload | {"hook_event_name": "SubagentStart", "agent_id": SESSION, "agent_type": value}
    path = os.path.join(folder, value)
    if what == "edit":
        return payload | _tool("PreToolUse", "Edit", {"file_path": path, "old_string": "", "new_string": ""})
    return payload | _tool("PostToolUse", "Read", {"file_path": path}) | {"tool_response": {}}


def _tool(event: str, name: str, tool_input: dict[str, str]) -> dict[str, object]:
    return {"hook_event_name": event, "tool_name": name, "tool_input": tool_input, "tool_use_id": SESSION}
