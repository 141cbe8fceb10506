"""Reads what other tools keep for an agent in a project: memory files, and rules for certain files.

`CLAUDE.md` and its like become one note for each section; `.claude/rules/*.md`, Cursor's `*.mdc` and
Copilot's `*.instructions.md` also say for which files they hold, and so become notes with a path trigger.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from vectr_hooks.core import guidance_block
from vectr_hooks.core.grammar import Trigger, parse_trigger
from vectr_hooks.core.sanitise import for_model
from vectr_hooks.core.sections import Section, sections
from vectr_hooks.core.title import TITLE_LENGTH, default_title, shortened
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import NoteText

MEMORY_FILES = frozenset(
    (
        *("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", "QWEN.md"),
        *("MEMORY.md", ".cursorrules", ".windsurfrules", "copilot-instructions.md"),
    )
)
#: where such files lie in a project, and the folders that are looked through for rules
PLACES = (
    *("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"),
    *("QWEN.md", ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md"),
)
RULE_FOLDERS = (".claude/rules", ".cursor/rules", ".github/instructions")
#: names the file and the text that an imported note came from
ORIGIN = "from:"
LINES = "lines:"

DIRECTIVE_PROVENANCE = "agent"
OTHER_PROVENANCE = "auto"

_COMMANDING = re.compile(
    r"\b(?:MUST|SHALL|NEVER|ALWAYS|REQUIRED|FORBIDDEN|DO NOT|DON'T)\b"
    r"|(?m:^[ \t]*(?:[-*+>]|[0-9]{1,3}[.)])?[ \t]*(?:\*\*|__)?(?:Never|Always|Must|Do not|Don't|You must)\b)"
)
_GLOB_KEYS = ("paths", "globs", "applyTo")
_EVERYWHERE = frozenset(("*", "**", "**/*"))
_KEY = re.compile(r"([A-Za-z]+)[ \t]*:[ \t]*(.*)")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
_BRACES = re.compile(r"([^{}]*)\{([^{}]*)\}(.*)", re.DOTALL)
_MOST_GLOBS = 64
# Characters; whether there is something to import is seen in less.
_MOST_READ = 1 << 16


@dataclass(frozen=True)
class RuleNote:
    """A note that stands in a file of another tool."""

    text: NoteText
    provenance: str
    first_line: int
    last_line: int

    @property
    def origin(self) -> str:
        """What tells it from every other: the same text of the same file has it again."""
        return next(tag for tag in self.text.tags if tag.startswith(ORIGIN))


def is_rule_file(path: str) -> bool:
    """Whether `path` is named like a file that other tools read as memory or rules."""
    name = os.path.basename(path)
    steps = os.path.abspath(path).replace(os.sep, "/")
    return (
        name in MEMORY_FILES
        or name.endswith((".mdc", ".instructions.md"))
        or any(f"/{folder}/" in steps and name.endswith(".md") for folder in RULE_FOLDERS)
    )


def rule_files(root: str) -> list[str]:
    """The files of other tools in the project at `root`, in a fixed order."""
    found = [place for place in PLACES if os.path.isfile(os.path.join(root, place))]
    for folder in RULE_FOLDERS:
        for place, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            paths = (os.path.relpath(os.path.join(place, name), root) for name in sorted(names))
            found += [path for path in paths if is_rule_file(os.path.join(root, path))]
    return [os.path.join(root, path) for path in found]


def to_import(root: str) -> list[str]:
    """A line about the files of other tools in the project that hold something to import; none without."""
    found: dict[str, None] = {}
    for path in rule_files(root):
        with contextlib.suppress(OSError, UnicodeDecodeError, VectrHooksError):
            with open(path, encoding="utf-8", newline="") as file:
                text = file.read(_MOST_READ)
            name = os.path.relpath(path, root).replace(os.sep, "/")
            # Of a folder of rules the folder is named.
            name = next((folder for folder in RULE_FOLDERS if name.startswith(f"{folder}/")), name)
            if name not in found and rule_notes(text, name):
                found[name] = None
    names = ", ".join(found)
    command = f"vectr-hooks import --dry-run {shlex.join(found)}"
    return [f"Found {names}: `{command}` shows what would become notes."] if found else []


def rule_notes(text: str, source: str) -> list[RuleNote]:
    """The notes that `text` holds, which stands in the file `source` of the project."""
    text = text.removeprefix("\ufeff")
    # Line ends of a Macintosh of old, which are none elsewhere.
    front, body, skipped = _front(text if "\n" in text else text.replace("\r", "\n"))
    globs = _globs(front)
    always = any(key == "alwaysApply" and value.strip() == "true" for key, value in front)
    trigger = parse_trigger([{"path": globs}]) if globs and not always else None
    return [
        _note(section, source, trigger, skipped)
        for section in sections(_without_our_block(body))
        if for_model(section.content).strip()
    ]


def _note(section: Section, source: str, trigger: Trigger | None, skipped: int) -> RuleNote:
    commanding = bool(_COMMANDING.search(section.text))
    kind = "directive" if commanding else "gotcha" if trigger else "operational"
    first, last = section.first_line + skipped, section.last_line + skipped
    digest = hashlib.sha256(section.text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    note = NoteText(
        title=_title(section),
        body=section.text,
        kind=kind,
        tags=(f"{ORIGIN}{quote(source)}#{digest}", f"{LINES}{first}-{last}"),
        trigger=trigger,
    )
    return RuleNote(note, DIRECTIVE_PROVENANCE if commanding else OTHER_PROVENANCE, first, last)


def _title(section: Section) -> str:
    """The heading and the first sentence: an index line shows nothing else."""
    said = default_title(for_model(section.content))
    heading = ", ".join(" ".join(name.split()).rstrip(":") for name in (*section.above, section.heading))
    if not heading or said.lower().startswith(heading.lower()):
        return said
    return shortened(f"{heading}: {said}") if len(heading) < TITLE_LENGTH // 2 else shortened(heading)


def _front(text: str) -> tuple[list[tuple[str, str]], str, int]:
    """The keys of the front matter with their values, what follows it, and how many lines it takes.

    Not read as YAML: Cursor writes `globs: *.ts, src/**`, which is none.
    """
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return [], text, 0
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() == "---"), 0)
    if not end:
        return [], text, 0
    keys: list[tuple[str, str]] = []
    for line in lines[1:end]:
        key, item = _KEY.match(line), _ITEM.match(line)
        if key:
            keys.append((key[1], key[2].strip()))
        elif item and keys:
            keys.append((keys[-1][0], item[1].strip()))
    return keys, "\n".join(lines[end + 1 :]), end + 1


def _globs(front: Sequence[tuple[str, str]]) -> list[str]:
    """The patterns of a rule; none where it holds for every file."""
    found: dict[str, None] = {}
    for key, value in front:
        if key in _GLOB_KEYS:
            for part in _split(value.strip().removeprefix("[").removesuffix("]")):
                for glob in _expanded(part.strip().strip("\"'").removeprefix("./")):
                    found[glob] = None
    globs = [glob for glob in found if glob]
    return [] if _EVERYWHERE.intersection(globs) else globs[:_MOST_GLOBS]


def _split(value: str) -> Iterator[str]:
    """Split at commas, but not at those within braces."""
    start = depth = 0
    for at, character in enumerate(value):
        depth += (character == "{") - (character == "}")
        if character == "," and depth <= 0:
            yield value[start:at]
            start = at + 1
    yield value[start:]


def _expanded(glob: str) -> list[str]:
    """One pattern for each of the alternatives of `src/*.{ts,tsx}`; of too many, `glob` as it is."""
    waiting = [glob]
    found: list[str] = []
    while waiting:
        if len(waiting) + len(found) > _MOST_GLOBS:
            return [glob]
        first = waiting.pop(0)
        braces = _BRACES.fullmatch(first)
        if not braces:
            found.append(first)
            continue
        before, within, after = braces.groups()
        waiting[:0] = [f"{before}{part.strip()}{after}" for part in within.split(",")]
    return found


def _without_our_block(text: str) -> str:
    """`text` with blank lines where our own guidance stands, so that the other lines keep their numbers."""
    try:
        place = guidance_block.find(text)
    except VectrHooksError:
        # Nobody can say what is ours.
        return text
    if place is None:
        return text
    begins, ends = place
    return text[:begins] + "\n" * text.count("\n", begins, ends) + text[ends:]
