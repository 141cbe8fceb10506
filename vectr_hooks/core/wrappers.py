"""What stands before a command's own words: assignments, wrappers, global options, and where they lead."""

_INTRODUCTIONS = frozenset(
    ("then", "do", "else", "elif", "if", "while", "until", "!", "{", "}", "done", "fi", "esac")
)

# Programs that run the command after them, with those of their options that take the next word; `-C/` is one
# that names the folder to run it in.
_WRAPPERS = {
    "sudo": "-u -g -h -p -C -D/ -R -T -U -r -t --user --group --host --prompt --chdir/ --chroot",
    "doas": "-u -C",
    "env": "-u -C/ --unset --chdir/",
    "time": "-f -o --format --output",
    "timeout": "-k -s --kill-after --signal",
    "gtimeout": "-k -s --kill-after --signal",
    "flock": "-w -E --wait --timeout --conflict-exit-code",
    "nohup": "",
    "setsid": "",
    "nice": "-n --adjustment",
    "ionice": "-c -n --class --classdata",
    "stdbuf": "-i -o -e --input --output --error",
    "command": "",
    "builtin": "",
    "exec": "-a",
    "xargs": "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-lines --max-procs --max-chars",
    "npx": "-p --package",
    "pnpx": "-p --package",
    "bunx": "-p --package",
    "uvx": "-p --python --from --with",
    "npm exec": "-p --package",
    "pnpm exec": "",
    "pnpm dlx": "--package",
    "yarn exec": "",
    "yarn dlx": "-p --package",
    "bun x": "-p --package",
    "uv run": (
        "-m -p --module --python --with --with-editable --with-requirements --extra --group --only-group "
        "--no-group --package --env-file --index --project --directory/"
    ),
    "uv tool run": "-p --python --from --with",
    "poetry run": "",
    "pipenv run": "",
    "pdm run": "",
    "rye run": "",
    "hatch run": "",
    "pixi run": "-e --environment",
    "bundle exec": "",
}
# What this runs gets words that are not in the line, and may have placeholders for them.
_ADDS_WORDS = "xargs"
# These have a word of their own before the command: a duration, a lock file.
_TAKE_OPERAND = ("timeout", "gtimeout", "flock")
# These name a command but do not run it.
_LOOK_UPS = ("command -v", "command -V")

_COMPOSE = "-f -p --file --project-name --project-directory --profile --env-file --parallel --ansi"
# Programs with subcommands, with those of the options in between that take the next word; `-j#` takes it if
# it is a number.
_GLOBAL_OPTIONS = {
    "git": "-C/ -c --git-dir --work-tree --namespace --config-env --super-prefix",
    "gh": "-R --repo",
    "docker": "-c -H -l --config --context --host --log-level --tlscacert --tlscert --tlskey",
    "docker compose": _COMPOSE,
    "docker-compose": _COMPOSE,
    "podman": "-c --connection --url --log-level --root",
    "kubectl": (
        "-n -s -v --namespace --context --cluster --kubeconfig --user --server --token --as --as-group "
        "--request-timeout"
    ),
    "helm": "-n --namespace --kube-context --kubeconfig",
    "terraform": "",
    "aws": "--profile --region --output --endpoint-url --query",
    "gcloud": "--project --account --configuration --format --verbosity",
    "systemctl": "-H -M --host --machine",
    "make": "-C/ -f -I -o -W -j# -l# --directory/ --file --makefile",
    "just": "-f -d/ --justfile --working-directory/",
    "cargo": "-C/ -Z --config --color --manifest-path",
    "go": "-C/",
    "npm": "-C -w --prefix --workspace --registry --userconfig",
    "pnpm": "-C/ -F --dir/ --filter",
    "yarn": "--cwd/",
    "bun": "--cwd/",
    "uv": "--project --directory/ --config-file --cache-dir --color",
    "uv tool": "",
    "poetry": "-C/ -P --directory/ --project",
    "pipenv": "",
    "pdm": "-c --config",
    "rye": "",
    "hatch": "-e -p --env --project",
    "pixi": "--manifest-path",
    "bundle": "",
}


# No system has longer ones.
LONGEST_PATH = 4096


class Expanding(str):
    """A word that Bash changes before the command gets it, as typed but for its quotes."""

    #: the folder that whatever it becomes is in, with a slash; '' when only Bash knows
    __slots__ = ("within",)

    within: str


def own_words(words: "list[str]", folder: "str | None") -> "tuple[tuple[str, ...], str | None]":
    """Return the words of the command that is run in the end, and the folder it is run in.

    No words if all are assignments. The first has no folders: `/usr/bin/git` is `git`. A wrapper that wraps
    nothing is a command itself, and options stay where no subcommand follows them.
    """
    folders: "list[str]" = []
    start = _skip_introductions(words, 0)
    while start < len(words):
        head, at = _head(words, start, folders)
        inner = _wrapped(words, at, " ".join(head), folders)
        if inner >= len(words):
            for word in folders:
                folder = joined(folder, word)
            return (*head, *words[at:]), folder
        start = inner
    return (), folder


def joined(folder: "str | None", word: str) -> "str | None":
    """Give the path that `word` has from `folder`; None if not known. A line begins in the folder ''."""
    if isinstance(word, Expanding) or word in ("", "-"):
        return None
    if word.startswith("/") or folder == "":
        return word
    if folder is None or len(folder) + len(word) > LONGEST_PATH:
        return None
    return folder.rstrip("/") + "/" + word


def entered(folder: "str | None", words: "tuple[str, ...]") -> "str | None":
    """Return the folder that a `cd` with these words leads to."""
    operands = [word for word in words[1:] if word == "-" or not word.startswith(("-", "+"))]
    return joined(folder, operands[0]) if len(operands) == 1 and words[0] != "popd" else None


def base_name(program: str) -> str:
    return program.rsplit("/", 1)[-1]


def _head(words: "list[str]", start: int, folders: "list[str]") -> "tuple[list[str], int]":
    """Return the program with its subcommands, without options in between, and where its arguments begin."""
    head = [base_name(words[start])]
    at = start + 1
    while " ".join(head) in _GLOBAL_OPTIONS:
        subcommand = _skip_options(words, at, _GLOBAL_OPTIONS[" ".join(head)], folders)
        if subcommand >= len(words):
            break
        head.append(words[subcommand])
        at = subcommand + 1
    return head, at


def _wrapped(words: "list[str]", at: int, wrapper: str, folders: "list[str]") -> int:
    """Return where the command begins that `wrapper`, with arguments from `at` on, runs; the end if none."""
    if wrapper not in _WRAPPERS or " ".join((wrapper, *words[at : at + 1])) in _LOOK_UPS:
        return len(words)
    inner = _skip_options(words, at, _WRAPPERS[wrapper], folders)
    if wrapper == _ADDS_WORDS:
        folders.append("-")
    if wrapper in _TAKE_OPERAND:
        inner += 1
    return _skip_introductions(words, inner)


def _skip_options(words: "list[str]", at: int, valued: str, folders: "list[str]") -> int:
    """Return where the options from `at` on end, and add to `folders` those that they name; `-` is unknown.

    `valued` holds the options that take the next word.
    """
    take_next = valued.split()
    # A toolchain, as in `cargo +nightly test`, counts as an option.
    while at < len(words) and words[at].startswith(("-", "+")):
        option = words[at]
        at += 1
        if option == "--":
            break
        name, equals, value = option.partition("=")
        number = at < len(words) and words[at].isdigit()
        if equals and name + "/" in take_next:
            folders.append("-" if isinstance(option, Expanding) else value)
        elif option + "/" in take_next:
            folders += words[at : at + 1]
            at += 1
        elif option in take_next or (number and option + "#" in take_next):
            at += 1
    return at


def _skip_introductions(words: "list[str]", at: int) -> int:
    while at < len(words) and (words[at] in _INTRODUCTIONS or _is_assignment(words[at])):
        at += 1
    return at


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.rstrip("+").partition("[")[0].isidentifier()
