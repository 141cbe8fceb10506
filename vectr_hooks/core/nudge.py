"""When a model is told that what it found can be stored: after much reading without a note.

It is told that reading again is cheap, not that reading is to be avoided: a model that believes its context
to be short reads everything twice, out of caution.
"""

from vectr_hooks.core.occurrence import READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vectr_hooks.core.conversation import Conversation
    from vectr_hooks.core.occurrence import Occurrence
    from vectr_hooks.core.shell_reader import Command

TEXT = (
    "What you read here can be read again in milliseconds: no need to re-read it out of caution. "
    "A finding you store comes back where it applies: "
    "vectr-hooks remember \"acquire_lock() comes before metadata writes\" --path 'src/db/**'"
)

# What hosts call the tools that read or search but name no file of the workspace.
_WEB_TOOLS = frozenset(("WebFetch", "WebSearch", "FetchUrl", "web_fetch", "web_search", "google_web_search"))

# Programs that show or search what files hold.
_READERS = frozenset(
    (
        *("cat", "tac", "head", "tail", "less", "more", "bat", "batcat", "nl", "sed", "jq", "zcat"),
        *("grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep", "find", "fd", "fdfind", "diff", "strings"),
    )
)
_GIT_READERS = frozenset(("show", "diff", "log", "grep", "blame"))
# What goes with them and neither brings much nor changes anything.
_COMPANIONS = frozenset(
    (
        *("cd", "pwd", "echo", "printf", "true", "test", "[", "ls", "tree", "wc", "stat", "file"),
        *("sort", "uniq", "cut", "tr", "column", "basename", "dirname", "realpath"),
    )
)
# With these `find` and `fd` run or write something.
_ACTIONS = frozenset(
    (
        *("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls"),
        *("-x", "-X", "--exec", "--exec-batch"),
    )
)
_SEARCH_FILES = ("find", "fd", "fdfind")


def is_retrieval(event: "Occurrence", commands: "Sequence[tuple[str, ...]]") -> bool:
    """Tell whether a tool has surely read or searched and done nothing else; `commands` are its line's."""
    if event.mode == READ or event.tool in _WEB_TOOLS:
        return True
    # Most lines are told apart by the names of their programs alone.
    if not commands or not all(map(_only_reads, commands)) or not any(map(_brings, commands)):
        return False
    # Imported here: most of what retrieves is no command line.
    from vectr_hooks.core.shell import read_line
    from vectr_hooks.core.shell_files import EDIT, named_files

    read = read_line(event.command)[0]
    return not any(map(_writes, read)) and all(mode != EDIT for mode, _ in named_files(read))


def count(conversation: "Conversation", tokens: int, newest_revision: int, stored: bool) -> None:
    """Count a retrieval that brought `tokens`; from the start where the session `stored` a note since."""
    if stored or not conversation.retrievals:
        conversation.retrievals = conversation.retrieved = 0
        conversation.retrieved_since = newest_revision
    conversation.retrievals += 1
    conversation.retrieved += tokens


def is_due(conversation: "Conversation", settings: "Mapping[str, int]") -> bool:
    """Tell whether so much was retrieved without a note that the model is to be told, once in an epoch."""
    return not conversation.nudged and (
        conversation.retrievals > settings["nudge.calls"]
        or conversation.retrieved >= settings["nudge.tokens"]
    )


def _only_reads(words: "tuple[str, ...]") -> bool:
    if words[0] in _SEARCH_FILES and not _ACTIONS.isdisjoint(words):
        return False
    return _brings(words) or words[0] in _COMPANIONS


def _brings(words: "tuple[str, ...]") -> bool:
    return words[0] in _READERS or (words[0] == "git" and not _GIT_READERS.isdisjoint(words[1:2]))


def _writes(command: "Command") -> bool:
    """Tell whether a command's output goes to a file, of whatever name."""
    return any(
        ">" in operator and not word.startswith("/dev/") and not word.rstrip("-").isdigit()
        for operator, word in command.redirections
    )
