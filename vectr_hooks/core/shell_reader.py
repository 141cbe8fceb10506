"""Reads a Bash line, once, into its simple commands and what surrounds them."""

from vectr_hooks.core.wrappers import Expanding, entered, own_words

# How deep substitutions and `bash -c` are read. A substitution in a script is read once more with it, so each
# level can double the time.
LEVELS = 3

_EXPANDED = frozenset("*?[{~")
_SPECIAL = frozenset(" \t\r\n;&|()<>'\"\\$`") | _EXPANDED
_SPECIAL_IN_DOUBLE_QUOTES = frozenset('"\\$`')
_REDIRECTIONS = ("<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">&", ">|", ">")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}

_CHANGE_FOLDER = ("cd", "pushd", "popd")


class Command:
    """One simple command: its own words, its redirections, and the folders they start from."""

    __slots__ = ("base", "folder", "redirections", "words")

    def __init__(
        self,
        words: "tuple[str, ...]",
        redirections: "list[tuple[str, str]]",
        folder: "str | None",
        base: "str | None",
    ) -> None:
        #: without what introduces or wraps the command; empty if it is redirections alone
        self.words = words
        #: (operator, word) without heredocs
        self.redirections = redirections
        #: the shell's folder, as `joined` gives it
        self.folder = folder
        #: the command's own folder, which differs where an option like `git -C` says so
        self.base = base


class Reader:
    """Reads a line from left to right."""

    __slots__ = (
        "_arithmetic",
        "_at",
        "_commands",
        "_heredocs",
        "_inner",
        "_is_alternative",
        "_level",
        "_redirection",
        "_redirections",
        "_text",
        "_within",
        "_word",
        "_words",
        "folder",
    )

    def __init__(self, text: str, level: int, folder: "str | None", at: int = 0) -> None:
        self._text = text
        self._level = level
        self._at = at
        #: the shell's folder at this point, as `joined` gives it
        self.folder = folder
        self._commands: "list[Command]" = []
        #: the commands of substitutions
        self._inner: "list[Command]" = []
        self._words: "list[str]" = []
        self._redirections: "list[tuple[str, str]]" = []
        #: whether the current command runs only if the one before it fails
        self._is_alternative = False
        #: the pieces of the current word; None between words, so that `''` is a word
        self._word: "list[str] | None" = None
        #: what `Expanding.within` is to be; None for a word that stays as it is
        self._within: "str | None" = None
        #: where `((`, whose `<` and `>` compare, ends
        self._arithmetic = 0
        #: the operator whose target the next word is
        self._redirection = ""
        #: the delimiters of heredocs whose bodies follow the current line, and whether tabs precede them
        self._heredocs: "list[tuple[str, bool]]" = []

    def read(self, nested: bool = False) -> "list[Command]":
        """Read to the end, or when `nested` to the parenthesis that closes the substitution.

        The commands of substitutions come last.
        """
        #: where the subshells around the current command were entered from
        outer: "list[str | None]" = []
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == "#" and self._word is None:
                self._at = self._find("\n", self._at)
            elif char not in _SPECIAL:
                self._read_plain(_SPECIAL)
            elif char in _EXPANDED:
                self._read_expanded(char)
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
                    self._is_alternative = self._text.startswith("||", self._at - 2)
                if char == "(":
                    outer.append(self.folder)
                    if self._text.startswith("(", self._at) and self._at >= self._arithmetic:
                        self._arithmetic = self._find("))", self._at) + 2
                elif char == ")" and outer:
                    self.folder = outer.pop()
                elif char == ")" and nested:
                    break
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
        if self._within is not None:
            word = Expanding(word)
            word.within = self._within
            self._within = None
        if not self._redirection:
            self._words.append(word)
        elif self._redirection in ("<<", "<<-"):
            self._heredocs.append((word, self._redirection == "<<-"))
        elif self._redirection != "<<<" and self._at >= self._arithmetic:
            self._redirections.append((self._redirection, word))
        self._redirection = ""

    def _end_command(self) -> None:
        self._redirection = ""
        if not self._words and not self._redirections:
            return
        words, base = own_words(self._words, self.folder)
        self._commands.append(Command(words, self._redirections, self.folder, base))
        if words and words[0] in _CHANGE_FOLDER:
            # In `cd a || cd b` it is either.
            self.folder = None if self._is_alternative else entered(self.folder, words)
        self._words = []
        self._redirections = []

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

    def _read_expanded(self, char: str) -> None:
        if char == "~":
            if self._word is None:
                self._within = ""
        elif self._within is None:
            before = "".join(self._word or ())
            self._within = before[: before.rfind("/") + 1] or "./"
        self._add(char)
        self._at += 1

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
            self._within = ""
            self._take_until("))")
        elif follows == "(":
            self._read_substitution()
        elif follows == "{":
            self._within = ""
            self._take_until("}")
        elif follows == "'" and not quoted:
            self._read_escaped_quotes()
        else:
            if follows != '"' or quoted:
                self._within = ""
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
        self._within = ""
        if self._level < LEVELS:
            reader = Reader(self._text, self._level + 1, self.folder, self._at)
            self._inner += reader.read(nested=True)
            self._at = reader._at
        self._add(self._text[start : self._at])

    def _read_backquotes(self) -> None:
        self._within = ""
        start = self._at + 1
        end = self._find("`", start)
        while self._text[end - 1] == "\\" and end < len(self._text):
            end = self._find("`", end + 1)
        if self._level < LEVELS:
            script = self._text[start:end].replace("\\`", "`")
            self._inner += Reader(script, self._level + 1, self.folder).read()
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
