"""The simple commands of a Bash line, as the words a trigger is written in.

`FOO=1 sudo git -C d push origin > log` is the command `git push origin`: what only introduces, wraps or
redirects a command is not part of it. What is not Bash is read as far as it makes sense.
"""

from vectr_hooks.core.shell_reader import LEVELS, Reader
from vectr_hooks.core.wrappers import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from vectr_hooks.core.shell_reader import Command

# More than this is not typed but generated, and its commands stand at the start.
_LIMIT = 64 * 1024

_SHELLS = ("bash", "sh", "zsh", "dash", "ksh")
_SHELL_OPTIONS_WITH_VALUE = ("-o", "+o", "-O", "+O", "--rcfile", "--init-file")


def simple_commands(line: str) -> "tuple[tuple[str, ...], ...]":
    """List the words of each simple command in a line, then of those in its substitutions and scripts.

    A substitution also stays, as typed, in the word it is part of. The first word has no folders.
    """
    return tuple(command.words for command in read_line(line)[0] if command.words)


def read_line(line: str) -> "tuple[list[Command], str | None]":
    """Read a line into its simple commands, then those of its substitutions and scripts.

    Also gives the folder that the line ends in, as its last `cd` says: '' where it began, None if not known.
    """
    reader = Reader(line[:_LIMIT], 0, "")
    return _with_scripts(reader.read(), 0), reader.folder


def starts_with(command_words: "tuple[str, ...]", pattern_words: "tuple[str, ...]") -> bool:
    """Tell whether a command begins with these words, which may be globs.

    Folders in the first word do not count, so `./gradlew` starts `/x/gradlew build`.
    """
    if not pattern_words or len(pattern_words) > len(command_words):
        return False
    # Imported here: most lines meet no pattern.
    from vectr_hooks.core.globs import match_glob

    program, *rest = pattern_words
    return match_glob(base_name(program), command_words[0]) and all(map(match_glob, rest, command_words[1:]))


def _with_scripts(commands: "list[Command]", level: int) -> "list[Command]":
    if level == LEVELS:
        return commands
    inner: "list[Command]" = []
    for command in commands:
        script = _script(command.words)
        if script:
            inner += _with_scripts(Reader(script, level + 1, command.base).read(), level + 1)
    return commands + inner


def _script(command: "tuple[str, ...]") -> str:
    """Return what a shell is asked to run with `-c`, else nothing."""
    if not command or command[0] not in _SHELLS:
        return ""
    options = iter(command[1:])
    for option in options:
        if not option.startswith(("-", "+")):
            break
        if option in _SHELL_OPTIONS_WITH_VALUE:
            next(options, "")
        elif "c" in option and not option.startswith("--"):
            return next(options, "")
    return ""
