"""The shell command that a host runs for each of its events."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.hook import COULD_NOT_START

# One entry file per event of Claude Code, in the order of a session.
ENTRY_FILES = {
    "SessionStart": "session_start.py",
    "UserPromptSubmit": "user_prompt_submit.py",
    "PreToolUse": "pre_tool_use.py",
    "PostToolUse": "post_tool_use.py",
    "PostToolUseFailure": "post_tool_use_failure.py",
    "PreCompact": "pre_compact.py",
    "SubagentStart": "subagent_start.py",
}

# The entry file of every other host, which is told the host's name and that of the event.
HOST_FILE = "host.py"

FLAGS = "-I -S"
# The interpreter itself exits 2 where its file is missing, and a host takes 2 as an order to block.
ENDING = "|| exit 0"
# Only the statuses of a missing interpreter or file: after a kill the hook may have answered already, and a
# second document would spoil the first. Evaluated only then, since some hosts run it in the user's own shell,
# and fish, which reads no `case`, would refuse the whole line.
_TOLD = f'{{\\"systemMessage\\":\\"{COULD_NOT_START}\\"}}'
SESSION_START_ENDING = f"""|| eval 'case $? in 1|2|126|127) printf %s "{_TOLD}";; esac'; exit 0"""

_ENTRY_FILE = re.compile(r"(?P<place>.*)[/\\]hooks[/\\](?P<file>\w+\.py)\b", re.DOTALL)
_FILES = frozenset((*ENTRY_FILES.values(), HOST_FILE))
_OUR_FOLDERS = frozenset(("vectr-hooks", "vectr_hooks"))


def hook_commands(interpreter: str, hooks: str, home: str = "") -> dict[str, str]:
    """The command of every event, for a settings file: it needs no variable and no working folder.

    `home`, if given, becomes the hook's `VECTR_HOOKS_HOME`.
    """
    return _commands(ENTRY_FILES, interpreter, hooks, home)


def commands_for(
    host: str, events: Iterable[str], interpreter: str, hooks: str, home: str = ""
) -> dict[str, str]:
    """The command of each of `events` of another host, as `hook_commands` gives those of Claude Code.

    They stay the same from release to release: some hosts trust a command by its hash.
    """
    return _commands({event: f"{HOST_FILE} {host} {event}" for event in events}, interpreter, hooks, home)


def _commands(files: Mapping[str, str], interpreter: str, hooks: str, home: str) -> dict[str, str]:
    """The command of each event, from its entry file with the arguments of that."""
    assignment = f"VECTR_HOOKS_HOME={shlex.quote(home)} " if home else ""
    commands = {}
    for event, file in files.items():
        name, *arguments = file.split(" ")
        words = [shlex.quote(interpreter), FLAGS, shlex.quote(os.path.join(hooks, name)), *arguments]
        commands[event] = f"{assignment}{' '.join(words)} {_ending(event)}"
    for command in commands.values():
        try:
            command.encode()
        except UnicodeEncodeError:
            raise VectrHooksError(
                f"a settings file is UTF-8 and this path is not: {command!a}",
                hint="install vectr-hooks under another path",
            ) from None
    return commands


def plugin_commands() -> dict[str, str]:
    """The command of every event for `hooks/hooks.json`, where only the host knows where the plugin is."""
    return {
        event: f'python3 {FLAGS} "${{CLAUDE_PLUGIN_ROOT}}/hooks/{file}" {_ending(event)}'
        for event, file in ENTRY_FILES.items()
    }


def _ending(event: str) -> str:
    return SESSION_START_ENDING if event == "SessionStart" else ENDING


def is_hook_command(command: str) -> bool:
    """Whether `command` is one of ours, also of another place, interpreter or release, or changed since.

    It is when it runs an entry file in a folder `hooks` with `-I -S`, and that is a file of ours: our package
    lies beside it, a folder of its path is called like us, or the command sets our variable. Other tools have
    hooks of the same names, and their commands are not ours to replace.
    """
    if command in plugin_commands().values():
        return True
    words = _words(command)
    for at in range(1, len(words) - 2):
        entry = _ENTRY_FILE.match(words[at + 2])
        if words[at : at + 2] == FLAGS.split() and entry and entry["file"] in _FILES:
            folders = re.split(r"[/\\]", entry["place"])
            named = not _OUR_FOLDERS.isdisjoint(folders) or any(map(_is_assignment, words[:at]))
            if named or (os.path.isabs(entry[0]) and is_package(package_root(entry[0]))):
                return True
    return False


def is_as_installed(event: str, command: str) -> bool:
    """Whether `command` is, to the letter, what `install` writes for `event`, of whatever place.

    A shell then starts the interpreter that it names with the file that it names, and nothing else.
    """
    words = _words(command)
    home = words.pop(0).partition("=")[2] if words and _is_assignment(words[0]) else ""
    if len(words) < 4:
        return False
    interpreter, entry_file = words[0], words[3]
    if not all(map(os.path.isabs, filter(None, (interpreter, entry_file, home)))):
        return False
    try:
        return command == hook_commands(interpreter, os.path.dirname(entry_file), home).get(event)
    except VectrHooksError:
        return False


def package_root(entry_file: str) -> str:
    """The folder that `entry_file` imports the package from."""
    root = os.path.dirname(os.path.dirname(entry_file))
    inside = not is_package(root) and os.path.basename(root) == "vectr_hooks"
    return os.path.dirname(root) if inside else root


def is_package(root: str) -> bool:
    """Whether our package lies in the folder `root`."""
    return os.path.exists(os.path.join(root, "vectr_hooks", "hook.py"))


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _is_assignment(word: str) -> bool:
    return word.startswith("VECTR_HOOKS_HOME=")


def hooks_folder() -> str:
    """The folder of the entry files: inside an installed package, beside it in a checkout."""
    import vectr_hooks

    package = os.path.dirname(os.path.abspath(vectr_hooks.__file__))
    for parent in (package, os.path.dirname(package)):
        folder = os.path.join(parent, "hooks")
        if os.path.isfile(os.path.join(folder, ENTRY_FILES["SessionStart"])):
            return folder
    raise VectrHooksError(
        f"the entry files of the hooks are missing beside {package}", hint="install vectr-hooks again"
    )


def interpreter() -> str:
    """The interpreter that runs this program, as a path that starts it directly.

    A virtual environment's own path stays as it is. A version manager's shim, which would choose anew in
    every folder and costs a shell, and the stub of the Windows store are replaced by what is behind them.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    candidates = [
        sys.executable,
        getattr(sys, "_base_executable", ""),
        os.path.join(sys.base_prefix, "bin", f"python{version}"),
        os.path.join(sys.base_prefix, "python.exe"),
    ]
    for path in candidates:
        if path and os.path.isabs(path) and starts_directly(path):
            return path
    raise VectrHooksError(
        f"no interpreter that a hook could start directly: {', '.join(filter(None, candidates))}",
        hint="install vectr-hooks with an interpreter of its own, for example with pipx",
    )


def starts_directly(path: str) -> bool:
    """Whether `path` is an interpreter itself: no script, no shim, no stub."""
    if os.path.basename(os.path.dirname(path)).lower() in ("shims", "windowsapps"):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(2) not in (b"", b"#!")
    except OSError:
        return False


def set_home(environ: Mapping[str, str]) -> str:
    """`VECTR_HOOKS_HOME` as an absolute path, or '' where it is not set."""
    home = environ.get("VECTR_HOOKS_HOME", "")
    return os.path.abspath(home) if home else ""
