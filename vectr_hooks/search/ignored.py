"""Which files a workspace's ignore files leave out, as git reads them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from re import Pattern

from pathspec import GitIgnoreSpec

from vectr_hooks.core.globs import match_path
from vectr_hooks.store.workspace import beginning

#: ignore files of a folder; what stands in a later one wins
IGNORE_FILES = (".gitignore", ".vectrignore")

# What is no source although it may be committed. A line such as `!*.min.js` in an ignore file takes one in.
LEFT_OUT_ANYWAY = (
    *(
        "node_modules/",
        "bower_components/",
        "__pycache__/",
        ".tox/",
        ".nox/",
        ".venv/",
        ".eggs/",
        "*.egg-info/",
    ),
    *("*.min.js", "*.min.css", "*.bundle.js", "*.map", "*.lock", "package-lock.json", "pnpm-lock.yaml"),
    *("npm-shrinkwrap.json", "go.sum", "*.po", "*.pot", "*.svg", "*.ipynb", "*.pb.go", "*_pb2.py", "*.pb.cc"),
    # What may hold credentials.
    *(
        ".env",
        ".env.*",
        "!.env.example",
        "*.pem",
        "*.key",
        "id_rsa",
        "id_ed25519",
        ".netrc",
        ".npmrc",
        ".pypirc",
    ),
)

_MOST_BYTES = 1 << 20
# An expression with more parts of any length tries each at every place, for each place of those before it.
_MOST_OPEN = 2
# A component that only the end of a path can have.
_END = "/\0"
# The group by which pathspec's expressions mark where a folder that they match ends.
_FOLDER_END = "ps_d"
_ANY_FOLDER = f"(?P<{_FOLDER_END}>/)"


class _Burdensome:
    """A pattern that a regular expression may take for ever with: matched without one."""

    def __init__(self, line: str) -> None:
        pattern = (line if line.endswith("\\ ") else line.rstrip()).removeprefix("!")
        self._folders_only = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        if pattern.endswith("/**"):
            # What is in the folder, not the folder.
            pattern += "/*"
        self._pattern = (pattern if "/" in pattern else "**/" + pattern) + _END

    def fits(self, path: str) -> bool:
        return match_path(self._pattern, path.rstrip("/") + _END) and (
            path.endswith("/") or not self._folders_only
        )


class Rules:
    """The patterns of one ignore file, for paths relative to the folder it lies in."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns: list[tuple[bool, bool, Pattern[str] | _Burdensome]] = []
        for line in lines:
            if line.rstrip().endswith("/**/"):
                # pathspec takes `a/**/` for `a/`, but it is about the folders in there.
                line = line.rstrip() + "*/"
            try:
                patterns = GitIgnoreSpec.from_lines([line]).patterns
            except ValueError:
                # git, too, passes over what is no pattern.
                continue
            for pattern in patterns:
                regex = getattr(pattern, "regex", None)
                if pattern.include is None or regex is None:
                    continue
                if regex.pattern.count("*") + regex.pattern.count("+") > _MOST_OPEN:
                    self._patterns.append((bool(pattern.include), False, _Burdensome(line)))
                else:
                    marks = _FOLDER_END in regex.groupindex
                    self._patterns.append((bool(pattern.include), marks, regex))
        # Most paths fit no pattern at all, which one expression tells.
        regexes = [regex.pattern for _, _, regex in self._patterns if isinstance(regex, Pattern)]
        alternatives = (regex.replace(f"(?P<{_FOLDER_END}>", "(?:") for regex in regexes)
        self._any = re.compile("|".join(f"(?:{each})" for each in alternatives))
        self._has_burdensome = len(regexes) < len(self._patterns)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def decide(self, path: str) -> bool | None:
        """Whether the file or folder (which ends in `/`) at `path` is ignored; None where no pattern fits it.

        Its folders are no matter: of an ignored one nothing is asked.
        """
        if not self._has_burdensome and not self._any.search(path):
            return None
        bare = path.rstrip("/")
        for include, marks, regex in reversed(self._patterns):
            if isinstance(regex, _Burdensome):
                if regex.fits(path):
                    return include
                continue
            # `a/**` is about what is in the folder, not about the folder.
            if regex.pattern == _ANY_FOLDER:
                if path.endswith("/"):
                    return include
                continue
            match = regex.search(path if marks else bare)
            if match and (not marks or match.end(_FOLDER_END) in (-1, len(path))):
                return include
        return None


def rules_in(*paths: str) -> Rules:
    """Read ignore files, one after the other; a missing one has no patterns."""
    return Rules(line for path in paths for line in _lines(path))


def is_ignored(levels: Sequence[tuple[str, Rules]], path: str) -> bool:
    """Whether `path` is ignored by `levels`: the folders from the root down with their rules.

    A folder is '' or ends in `/`.
    """
    for folder, rules in reversed(levels):
        decided = rules.decide(path[len(folder) :])
        if decided is not None:
            return decided
    return False


def of_the_repository(root: str) -> list[tuple[str, Rules]]:
    """The levels that hold before any ignore file of a folder."""
    exclude = os.path.join(_git_folder(root), "info", "exclude")
    return [("", Rules(LEFT_OUT_ANYWAY)), ("", rules_in(exclude))]


def _git_folder(root: str) -> str:
    """The common git folder of the repository at `root`, where it has one."""
    from vectr_hooks.store.workspace import GIT_FOLDER, read_line

    git = os.path.join(root, ".git")
    if os.path.isfile(git):
        git = os.path.join(root, read_line(git).removeprefix(GIT_FOLDER))
    return os.path.join(git, read_line(os.path.join(git, "commondir")))


def _lines(path: str) -> list[str]:
    if os.path.islink(path):
        # git follows no link here either.
        return []
    text = (beginning(path, _MOST_BYTES) or b"").decode("utf-8", "replace")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
