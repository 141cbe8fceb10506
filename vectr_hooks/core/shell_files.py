"""The files that the commands of a Bash line plainly name, and whether they read or edit them."""

from vectr_hooks.core.shell import read_line
from vectr_hooks.core.wrappers import LONGEST_PATH, Expanding, joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vectr_hooks.core.shell_reader import Command

READ = "read"
EDIT = "edit"
MOST_FILES = 64

_MODES = {"r": READ, "e": EDIT}
_REDIRECTIONS = {"<": READ, "<&": READ, "<>": EDIT, ">": EDIT, ">>": EDIT, ">|": EDIT, ">&": EDIT}
_VERSION = "0123456789.-"

# Each program has the letters of its first operand, of those between, and of the last; a single one is the
# first. `r` is a file that is read, `e` one that is edited, `i` one that is edited if an option says so,
# `-` none. The options listed take a value, unless marked `*` or `!`; mere switches need no mention.
#   -n      the value, the next word or what is left of this one, is no file
#   -f<     the value is a file that is read
#   -o>     the value is a file that is edited, and no operand is the last one
#   -e+     the value is what the first operand would be: all are like those between
#   --arg:  two values
#   -i*     the operands are edited; what is left of the word is a suffix
#   -c!     no operand is a file
#   --      operands are files only after `--`
_VIEW = "-n -c -s --lines --bytes --sleep-interval --pid"
_BAT = "-l -r -H -m --language --line-range --highlight-line --style --theme --color --paging --wrap"
_GREP = (
    "-e+ -f+< --regexp+ --file+< -A -B -C -m -d -D --after-context --before-context --context --max-count "
    "--include --exclude --exclude-dir --exclude-from --label"
)
_RG = (
    "-e+ -f+< --regexp+ --file+< --files! --type-list! -A -B -C -E -M -T -d -g -j -m -r -t --after-context "
    "--before-context --context --max-count --max-depth --max-columns --glob --iglob --type --type-not "
    "--replace --sort --sortr --threads --encoding --engine --color --colors --ignore-file"
)
_SED = "-e+ -f+< --expression+ --file+< -l --line-length -i* --in-place*"
_AWK = "-f+< -E+< --file+< -e+ --source+ -F -v --field-separator --assign"
_JQ = "-f+< --from-file+< -L --arg: --argjson: --slurpfile: --rawfile: --indent --args! --jsonargs!"
_YQ = "-i* --inplace* -o -p -I --output-format --input-format --indent --from-file+<"
_SHELL = "-c! -s! -o -O --rcfile< --init-file<"
_NODE = "-e! -p! --eval! --print! -r -C --require --import --loader --conditions --env-file<"
_VIM = "-c --cmd -S< -u -i -t -q< -W -w"
_COPY = "-t> --target-directory> -S --suffix"
_CURL = (
    "-o> --output> -K< -d -e -m -r -u -w -x -y -z -A -b -c -C -D -E -F -H -Q -T -U -X -Y --data --header "
    "--request --user --max-time --retry"
)

PROGRAMS = {
    # that show files
    "cat": ("rrr", ""),
    "tac": ("rrr", "-s --separator"),
    "head": ("rrr", _VIEW),
    "tail": ("rrr", _VIEW),
    "less": ("rrr", "-p -P -j -b -h -x -y -z -t -T -o> -k"),
    "bat": ("rrr", _BAT),
    "nl": ("rrr", "-b -d -f -h -i -l -n -s -v -w"),
    "xxd": ("r-e", "-s -l -c -g -o"),
    "hexdump": ("rrr", "-n -s -e -f<"),
    "od": ("rrr", "-A -j -N -S -t"),
    "strings": ("rrr", "-n -t -e --bytes --radix"),
    # that search, filter and compare
    "grep": ("-rr", _GREP),
    "egrep": ("-rr", _GREP),
    "fgrep": ("-rr", _GREP),
    "rg": ("-rr", _RG),
    "ag": ("-rr", "-A -B -C -G -m -p --ignore --ignore-dir --depth -g!"),
    "sed": ("-rr", _SED),
    "awk": ("-rr", _AWK),
    "gawk": ("-rr", _AWK),
    "jq": ("-rr", _JQ),
    "yq": ("-rr", _YQ),
    "yq e": ("-rr", _YQ),
    "yq eval": ("-rr", _YQ),
    "diff": ("rrr", "-U -C -I -x -X< -L -W -F -S --label --exclude --ignore-matching-lines --width"),
    "cmp": ("rrr", "-i -n --ignore-initial --bytes"),
    "sort": ("rrr", "-k -t -S -T -o> --key --field-separator --output> --buffer-size --parallel"),
    "uniq": ("r-e", "-f -s -w --skip-fields --skip-chars --check-chars"),
    "cut": ("rrr", "-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter"),
    "column": ("rrr", "-s -o -c -N -R -H"),
    # that tell about files
    "wc": ("rrr", "--files0-from"),
    "stat": ("rrr", "-c --format --printf"),
    "file": ("rrr", "-f< -m -F -P -e --files-from< --magic-file --separator"),
    "md5sum": ("rrr", ""),
    "sha256sum": ("rrr", ""),
    "shasum": ("rrr", "-a --algorithm"),
    # that run what a file holds
    "source": ("r--", ""),
    ".": ("r--", ""),
    "bash": ("r--", _SHELL),
    "sh": ("r--", _SHELL),
    "zsh": ("r--", _SHELL),
    "python": ("r--", "-c! -m! -W -X"),
    "node": ("r--", _NODE),
    "tsx": ("r--", _NODE),
    "ruby": ("r--", "-e! -r -I -C -E"),
    "perl": ("rrr", "-e+ -E+ -i* -I -M -m"),
    # that edit and format
    "vi": ("eee", _VIM),
    "vim": ("eee", _VIM),
    "nvim": ("eee", _VIM),
    "ex": ("eee", _VIM),
    "ed": ("eee", "-p --prompt"),
    "nano": ("eee", "-T -r -s -Y -o --tabsize --fill --speller --syntax"),
    "black": ("eee", "-c! --code! --check! --diff! -l -t -W --line-length --target-version --config"),
    "isort": ("eee", "-c! --check! --check-only! --diff! -l -p -o -m --line-length --profile"),
    "ruff format": ("eee", "--check! --diff! --config --line-length --target-version --range"),
    "ruff check": ("iii", "--fix* --diff! --config --select --ignore --extend-select --output-format"),
    "prettier": ("iii", "--write* -w* --config --parser --plugin --ignore-path --log-level --print-width"),
    "eslint": ("iii", "--fix* -c -f -o> --config --format --output-file> --ext --rule --parser --plugin"),
    "gofmt": ("iii", "-w* -r"),
    "goimports": ("iii", "-w* -local -srcdir"),
    "shfmt": ("iii", "-w* -i -ln --indent --language-dialect"),
    "rustfmt": ("eee", "--check! --edition --config --config-path --emit --color"),
    "clang-format": ("iii", "-i* --style --fallback-style --assume-filename --lines --offset --length"),
    "dos2unix": ("eee", ""),
    # that write, move and remove
    "tee": ("eee", ""),
    "touch": ("eee", "-d -t -r< --date --reference<"),
    "truncate": ("eee", "-s -r< --size --reference<"),
    "rm": ("eee", ""),
    "cp": ("rre", _COPY),
    "mv": ("eee", _COPY),
    "ln": ("--e", _COPY),
    "install": ("rre", _COPY + " -d! --directory! -g -m -o --group --mode --owner"),
    "patch": ("err", "-i< -o> --input< --output> -p -d! -D -F -r -B -V -Y -z --strip --directory!"),
    "curl": ("---", _CURL),
    "wget": ("---", "-O> --output-document> -o> -a> -i< -P -T -U -t -w -e"),
    # git
    "git add": ("eee", "--chmod --pathspec-from-file"),
    "git rm": ("eee", "--pathspec-from-file"),
    "git mv": ("eee", ""),
    "git restore": ("eee", "-s --source --conflict --pathspec-from-file"),
    "git checkout": ("eee", "-- -b -B --orphan --conflict"),
    "git apply": ("rrr", "-p -C --directory --include --exclude --whitespace"),
    "git blame": ("rrr", "-L -S --since"),
    "git diff": ("rrr", "-- -U -S -G -O"),
    "git grep": ("rrr", "-- -e -f< -A -B -C -m"),
    "git log": ("rrr", "-- -n -S -G -L --since --until --author --grep --format"),
    "git show": ("rrr", "-- -U --format"),
}

# What `dd` calls its files.
_DD = {"if=": "r", "of=": "e"}


def file_targets(line: str) -> "tuple[tuple[str, str], ...]":
    """List (read or edit, path) for the files that a line names, each once, with the folder it changed to.

    Words that Bash has yet to expand are no paths, but a glob stands for the folder it looks in: `src/` for
    `src/*.py`. A folder that is written with a slash keeps it.
    """
    return named_files(read_line(line)[0])


def named_files(commands: "Sequence[Command]") -> "tuple[tuple[str, str], ...]":
    """List the files that commands name, as `file_targets` does."""
    found: "dict[tuple[str, str], None]" = {}
    for command in commands:
        for mode, base, word in _named(command):
            path = _path(base, word)
            if path:
                found[mode, path] = None
        if len(found) >= MOST_FILES:
            break
    return tuple(found)[:MOST_FILES]


def _named(command: "Command") -> "Iterator[tuple[str, str | None, str]]":
    """Yield the words that stand for files, each with the folder it starts from."""
    for letter, word in _arguments(command.words):
        if letter in _MODES:
            yield _MODES[letter], command.base, word
    if command.words[:1] == ("[[",):
        # There `<` and `>` compare.
        return
    for operator, word in command.redirections:
        is_descriptor = operator in ("<&", ">&") and word.rstrip("-").isdigit()
        if operator in _REDIRECTIONS and not is_descriptor:
            yield _REDIRECTIONS[operator], command.folder, word


def _path(base: "str | None", word: str) -> "str | None":
    if isinstance(word, Expanding):
        word = word.within
    elif "*" in word:
        # Quoted, it is left to the program to expand.
        word = word[: word.rfind("/", 0, word.index("*")) + 1] or "./"
    if word.startswith(("/dev/", "+")) or len(word) > LONGEST_PATH or "\n" in word or "\0" in word:
        return None
    path = joined(base, word)
    return path[:-2] if path and path.endswith("/./") else path


def _arguments(words: "tuple[str, ...]") -> "Iterator[tuple[str, str]]":
    """Yield the arguments of a command that may be files, each with its letter."""
    if words[:1] == ("dd",):
        for word in words:
            if word[:3] in _DD and not isinstance(word, Expanding):
                yield _DD[word[:3]], word[3:]
        return
    (letters, options), at = _program(words)
    if not letters or at == len(words):
        return
    call = _Call(words[at:], options, only_first=letters == "r--")
    if "!" in call.marks:
        return
    if "*" in call.marks:
        letters = letters.replace("r", "e").replace("i", "e")
    first, between, last = list(letters)
    if "+" in call.marks:
        first = last = between
    if ">" in call.marks:
        last = between
    yield from call.values
    end = len(call.operands) - 1
    for number, word in enumerate(call.operands):
        yield first if number == 0 else last if number == end else between, word


def _program(words: "tuple[str, ...]") -> "tuple[tuple[str, str], int]":
    """Look up a command; return its letters and options, and where its arguments begin."""
    name = words[0] if words else ""
    at = 1
    if name not in PROGRAMS:
        name = name.rstrip(_VERSION)
    if name == "python" and words[1:2] == ("-m",) and len(words) > 2:
        name = words[2]
        at = 3
    found = PROGRAMS.get(" ".join((name, *words[at : at + 1])))
    return (found, at + 1) if found else (PROGRAMS.get(name, ("", "")), at)


class _Call:
    """The arguments of a program's call, told apart by the options that it has."""

    __slots__ = ("_options", "marks", "operands", "values")

    def __init__(self, arguments: "tuple[str, ...]", options: str, only_first: bool) -> None:
        self._options = {}
        for option in options.split():
            name = option.rstrip("<>+:*!")
            self._options[name] = option[len(name) :]
        #: of all options given
        self.marks = ""
        #: the files that options name, each with its letter
        self.values: "list[tuple[str, str]]" = []
        self.operands: "list[str]" = []
        rest = iter(arguments)
        for word in rest:
            if word == "--":
                self.operands += rest
            elif word.startswith("-") and word != "-":
                self._read_option(word, rest)
            elif "--" not in self._options:
                self.operands.append(word)
            if only_first and self.operands:
                # What follows is for the program that it runs.
                break
        if "*" in self.marks:
            # The suffix in the `sed -i ''` of a BSD.
            self.operands = [word for word in self.operands if word]

    def _read_option(self, word: str, rest: "Iterator[str]") -> None:
        name, equals, value = word.partition("=")
        expands = isinstance(word, Expanding)
        if name in self._options:
            self._take(name, rest, None if not equals else "" if expands else value)
        elif not word.startswith("--") and (not equals or len(name) == 2):
            # Letters, of which the first that takes a value takes what is left of the word.
            for end in range(2, len(word) + 1):
                letter = "-" + word[end - 1]
                if letter in self._options:
                    self._take(letter, rest, None if end == len(word) else "" if expands else word[end:])
                    break

    def _take(self, name: str, rest: "Iterator[str]", value: "str | None") -> None:
        """Note that an option is given, with `value` in its own word."""
        marks = self._options[name]
        self.marks += marks
        if "*" in marks or "!" in marks:
            return
        if value is None:
            value = next(rest, "")
        if ":" in marks:
            next(rest, "")
        if "<" in marks:
            self.values.append(("r", value))
        elif ">" in marks:
            self.values.append(("e", value))
