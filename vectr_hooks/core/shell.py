"""The simple commands of a Bash line, as the words a trigger is written in.

`FOO=1 sudo git -C d push origin > log` is the command `git push origin`: what only introduces, wraps or
redirects a command is not part of it. What is not Bash is read as far as it makes sense.
"""

from vectr_hooks.core.globs import match_glob
from vectr_hooks.core.wrappers import base_name, own_words

# More than this is not typed but generated, and its commands stand at the start.
_LIMIT = 64 * 1024

# How deep substitutions and `bash -c` are read. A substitution in a script is read once more with it, so each
# level can double the time.
_LEVELS = 3

_SPECIAL = frozenset(" \t\r\n;&|()<>'\"\\$`")
_SPECIAL_IN_DOUBLE_QUOTES = frozenset('"\\$`')
_REDIRECTIONS = ("<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">&", ">|", ">")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}

_SHELLS = ("bash", "sh", "zsh", "dash", "ksh")
_SHELL_OPTIONS_WITH_VALUE = ("-o", "+o", "-O", "+O", "--rcfile", "--init-file")


def simple_commands(line: str) -> "tuple[tuple[str, ...], ...]":
    """List the words of each simple command in a line, then of those in its substitutions and scripts.

    A substitution also stays, as typed, in the word it is part of. The first word has no folders.
    """
    return tuple(_commands(line[:_LIMIT], 0))


def starts_with(command_words: "tuple[str, ...]", pattern_words: "tuple[str, ...]") -> bool:
    """Tell whether a command begins with these words, which may be globs.

    Folders in the first word do not count, so `./gradlew` starts `/x/gradlew build`.
    """
    if not pattern_words or len(pattern_words) > len(command_words):
        return False
    program, *rest = pattern_words
    return match_glob(base_name(program), command_words[0]) and all(map(match_glob, rest, command_words[1:]))


def _commands(text: str, level: int) -> "list[tuple[str, ...]]":
    commands = [command for command in map(own_words, _Reader(text, level).read()) if command]
    if level < _LEVELS:
        for script in [_script(command) for command in commands]:
            commands += _commands(script, level + 1)
    return commands


def _script(command: "tuple[str, ...]") -> str:
    """Return what a shell is asked to run with `-c`, else nothing."""
    if command[0] not in _SHELLS:
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


class _Reader:
    """Reads a line from left to right, once, into the words of its simple commands."""

    __slots__ = (
        "_at",
        "_commands",
        "_heredocs",
        "_inner",
        "_level",
        "_redirection",
        "_text",
        "_word",
        "_words",
    )

    def __init__(self, text: str, level: int, at: int = 0) -> None:
        self._text = text
        self._level = level
        self._at = at
        self._commands: "list[list[str]]" = []
        #: the commands of substitutions
        self._inner: "list[list[str]]" = []
        self._words: "list[str]" = []
        #: the pieces of the current word; None between words, so that `''` is a word
        self._word: "list[str] | None" = None
        #: the operator whose target the next word is
        self._redirection = ""
        #: the delimiters of heredocs whose bodies follow the current line, and whether tabs precede them
        self._heredocs: "list[tuple[str, bool]]" = []

    def read(self, nested: bool = False) -> "list[list[str]]":
        """Read to the end, or when `nested` to the parenthesis that closes the substitution."""
        depth = 0
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == "#" and self._word is None:
                self._at = self._find("\n", self._at)
            elif char not in _SPECIAL:
                self._read_plain(_SPECIAL)
            elif char in "'\"\\$`":
                self._read_quoted(char)
            elif char in "<>" or self._text.startswith("&>", self._at):
                self._read_redirection()
            elif char == "(" and self._word and self._word[-1].endswith("="):
                self._take_until(")")
            else:
                self._at += 1
                self._end_word()
                if char == "\n":
                    self._end_command()
                    self._skip_heredocs()
                elif char not in " \t\r":
                    self._end_command()
                depth += (char == "(") - (char == ")")
                if nested and depth < 0:
                    break
                depth = max(depth, 0)
        self._end_word()
        self._end_command()
        return self._commands + self._inner

    def _add(self, piece: str) -> None:
        if self._word is None:
            self._word = []
        self._word.append(piece)

    def _end_word(self) -> None:
        if self._word is None:
            return
        word = "".join(self._word)
        self._word = None
        if not self._redirection:
            self._words.append(word)
        elif self._redirection in ("<<", "<<-"):
            self._heredocs.append((word, self._redirection == "<<-"))
        self._redirection = ""

    def _end_command(self) -> None:
        self._redirection = ""
        if self._words:
            self._commands.append(self._words)
            self._words = []

    def _find(self, what: str, start: int) -> int:
        """Return where something unquoted begins; if it is missing, the rest belongs to what it would end."""
        found = self._text.find(what, start)
        return len(self._text) if found < 0 else found

    def _take_until(self, closing: str) -> None:
        """Add everything up to and including `closing` as it is typed."""
        end = self._find(closing, self._at) + len(closing)
        self._add(self._text[self._at : end])
        self._at = end

    def _read_plain(self, special: "frozenset[str]") -> None:
        text, start = self._text, self._at
        end = start + 1
        while end < len(text) and text[end] not in special:
            end += 1
        self._add(text[start:end])
        self._at = end

    def _read_quoted(self, char: str) -> None:
        if char == "'":
            end = self._find("'", self._at + 1)
            self._add(self._text[self._at + 1 : end])
            self._at = end + 1
        elif char == '"':
            self._read_double_quotes()
        elif char == "\\":
            escaped = self._text[self._at + 1 : self._at + 2]
            if escaped != "\n":
                self._add(escaped)
            self._at += 2
        elif char == "$":
            self._read_dollar()
        else:
            self._read_backquotes()

    def _read_double_quotes(self) -> None:
        self._add("")
        self._at += 1
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == '"':
                self._at += 1
                return
            if char == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                self._add("" if escaped == "\n" else escaped if escaped in '"\\$`' else char + escaped)
                self._at += 2
            elif char == "$":
                self._read_dollar(quoted=True)
            elif char == "`":
                self._read_backquotes()
            else:
                self._read_plain(_SPECIAL_IN_DOUBLE_QUOTES)

    def _read_dollar(self, quoted: bool = False) -> None:
        follows = self._text[self._at + 1 : self._at + 2]
        if self._text.startswith("$((", self._at):
            self._take_until("))")
        elif follows == "(":
            self._read_substitution()
        elif follows == "{":
            self._take_until("}")
        elif follows == "'" and not quoted:
            self._read_escaped_quotes()
        else:
            if follows != '"' or quoted:
                self._add("$")
            self._at += 1

    def _read_escaped_quotes(self) -> None:
        self._add("")
        self._at += 2
        while self._at < len(self._text):
            char = self._text[self._at]
            self._at += 1
            if char == "'":
                return
            if char == "\\":
                escaped = self._text[self._at : self._at + 1]
                char = _ESCAPES.get(escaped, escaped)
                self._at += 1
            self._add(char)

    def _read_substitution(self) -> None:
        """Read `$(…)`, `<(…)` or `>(…)`, which may hold anything, in place: only Bash knows where it ends."""
        start = self._at
        self._at += 2
        if self._level < _LEVELS:
            reader = _Reader(self._text, self._level + 1, self._at)
            self._inner += reader.read(nested=True)
            self._at = reader._at
        self._add(self._text[start : self._at])

    def _read_backquotes(self) -> None:
        start = self._at + 1
        end = self._find("`", start)
        while self._text[end - 1] == "\\" and end < len(self._text):
            end = self._find("`", end + 1)
        if self._level < _LEVELS:
            self._inner += _Reader(self._text[start:end].replace("\\`", "`"), self._level + 1).read()
        self._add(self._text[start - 1 : end + 1])
        self._at = end + 1

    def _read_redirection(self) -> None:
        # Digits right before it are a file descriptor.
        if self._word and len(self._word) == 1 and self._word[0].isdigit():
            self._word = None
        if self._text.startswith(("<(", ">("), self._at):
            self._read_substitution()
            return
        self._end_word()
        if self._text[self._at] == "&":
            self._at += 1
        self._redirection = next(op for op in _REDIRECTIONS if self._text.startswith(op, self._at))
        self._at += len(self._redirection)

    def _skip_heredocs(self) -> None:
        for delimiter, tabs in self._heredocs:
            line = None
            while line != delimiter and self._at < len(self._text):
                end = self._find("\n", self._at)
                line = self._text[self._at : end].lstrip("\t" if tabs else "")
                self._at = end + 1
        self._heredocs = []
