"""What other tools' memory and rule files become."""

from __future__ import annotations

from pathlib import Path

import pytest

from vectr_hooks.core.grammar import trigger_value
from vectr_hooks.rule_files import is_rule_file, rule_files, rule_notes, to_import

MEMORY = """\
# Shop

We sell shoes.

## Build

Run `make test` before every commit.

## Rules
- Never push to main.
- Prefer small functions.

<!-- vectr-hooks: begin -->
## Notes that outlive this conversation
MUST not be imported.
<!-- vectr-hooks: end -->
"""


def test_each_section_is_a_note_and_what_commands_is_a_directive() -> None:
    found = rule_notes(MEMORY, "CLAUDE.md")
    assert [
        (note.text.kind, note.provenance, note.text.title, note.first_line, note.last_line) for note in found
    ] == [
        ("operational", "auto", "Shop: We sell shoes", 1, 3),
        ("operational", "auto", "Build: Run `make test` before every commit", 5, 7),
        ("directive", "agent", "Rules: Never push to main", 9, 11),
    ]
    assert found[2].text.body == "## Rules\n- Never push to main.\n- Prefer small functions."
    assert found[2].text.trigger is None


def test_a_note_says_where_it_came_from() -> None:
    first, *_ = rule_notes(MEMORY, "docs/my rules/CLAUDE.md")
    origin, lines = first.text.tags
    assert origin.startswith("from:docs/my%20rules/CLAUDE.md#")
    assert lines == "lines:1-3"
    assert first.origin == origin


def test_the_origin_is_of_file_and_text_and_not_of_the_lines() -> None:
    before = {note.text.title: note.origin for note in rule_notes(MEMORY, "CLAUDE.md")}
    after = {note.text.title: note.origin for note in rule_notes("New first line.\n\n" + MEMORY, "CLAUDE.md")}
    assert before.items() <= after.items()
    other = {note.text.title: note.origin for note in rule_notes(MEMORY, "AGENTS.md")}
    assert not set(other.values()) & set(before.values())
    changed = rule_notes(MEMORY.replace("shoes", "boots"), "CLAUDE.md")[0]
    assert changed.origin not in before.values()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("You MUST run it.", "directive"),
        ("ALWAYS run it.", "directive"),
        ("- Always run it.", "directive"),
        ("1. Do not run it.", "directive"),
        ("> Never run it.", "directive"),
        ("**Never** run it.", "directive"),
        ("It has never worked.", "operational"),
        ("It must be Tuesday.", "operational"),
        ("Mustard is yellow.", "operational"),
        ("The ALWAYSON group.", "operational"),
    ],
)
def test_what_commands(text: str, kind: str) -> None:
    (note,) = rule_notes(text, "AGENTS.md")
    assert note.text.kind == kind


@pytest.mark.parametrize(
    ("front", "patterns"),
    [
        ('paths:\n  - "src/api/**/*.ts"\n  - lib/', ["src/api/**/*.ts", "lib/"]),
        ("paths: src/**", ["src/**"]),
        ("paths: [\"a/**\", 'b/**']", ["a/**", "b/**"]),
        (
            "description: x\nglobs: *.ts, src/**/*.{js,jsx}\nalwaysApply: false",
            ["*.ts", "src/**/*.js", "src/**/*.jsx"],
        ),
        ("globs: ./x/*.{a,b}.{c,d}", ["x/*.a.c", "x/*.a.d", "x/*.b.c", "x/*.b.d"]),
        ('applyTo: "**/*.py,**/*.pyi"', ["**/*.py", "**/*.pyi"]),
        ("globs:", None),
        ("globs: **/*", None),
        ("globs: *.ts\nalwaysApply: true", None),
        ("description: no files", None),
    ],
)
def test_the_files_a_rule_is_for_are_its_trigger(front: str, patterns: list[str] | None) -> None:
    (note,) = rule_notes(f"---\n{front}\n---\n\nValidate input.\n", ".cursor/rules/api.mdc")
    if patterns is None:
        assert (note.text.trigger, note.text.kind) == (None, "operational")
        return
    assert note.text.trigger is not None
    assert trigger_value(note.text.trigger)["clauses"] == [{"path": patterns}]
    assert note.text.kind == "gotcha"
    assert note.first_line == front.count("\n") + 5


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("CLAUDE.md", True),
        ("sub/AGENTS.md", True),
        (".cursorrules", True),
        (".github/copilot-instructions.md", True),
        (".github/instructions/api.instructions.md", True),
        (".cursor/rules/api.mdc", True),
        (".claude/rules/deep/api.md", True),
        ("rules/api.md", False),
        ("README.md", False),
        ("claude.md", False),
    ],
)
def test_files_are_known_by_name_and_place(path: str, known: bool) -> None:
    assert is_rule_file(path) is known


def test_those_of_a_project_are_found_in_a_fixed_order(tmp_path: Path) -> None:
    for path in (
        *(".cursor/rules/b.mdc", ".cursor/rules/a/z.mdc", "AGENTS.md", "CLAUDE.md", ".claude/rules/x.md"),
        *(".cursor/rules/readme.txt", "docs/CLAUDE.md"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x", encoding="utf-8")
    assert [Path(file).relative_to(tmp_path).as_posix() for file in rule_files(str(tmp_path))] == [
        "CLAUDE.md",
        "AGENTS.md",
        ".claude/rules/x.md",
        ".cursor/rules/b.mdc",
        ".cursor/rules/a/z.mdc",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "---\nglobs: x\nno end",
        "---\n---\n",
        "---",
        "",
        "\ufeff# A\r\nx\r\n",
        "{" * 50,
        "---\nglobs: {a,{b,c}}\n---\nx",
    ],
)
def test_odd_files_are_read_all_the_same(text: str) -> None:
    for note in rule_notes(text, "x.mdc"):
        assert note.text.body.strip()


def test_alternatives_without_end_are_left_as_they_are() -> None:
    for glob in ("{a,b}" * 22, "x{" + ",".join(map(str, range(100))) + "}"):
        (note,) = rule_notes(f"---\nglobs: {glob}\n---\nx", "x.mdc")
        assert note.text.trigger is not None
        assert trigger_value(note.text.trigger)["clauses"] == [{"path": [glob]}]
    (note,) = rule_notes("---\nglobs: " + "{a}" * 3000 + "\n---\nx", "x.mdc")
    assert note.text.trigger is not None


def test_old_line_ends_are_line_ends() -> None:
    (note,) = rule_notes("# a\r## b\rNever do this.\r", "GEMINI.md")
    assert (note.text.kind, note.first_line) == ("directive", 2)


def test_what_could_be_imported_is_said_in_a_line(tmp_path: Path) -> None:
    assert to_import(str(tmp_path)) == []
    begins, ends = "<!-- vectr-hooks: begin -->", "<!-- vectr-hooks: end -->"
    for name, text in {
        "AGENTS.md": MEMORY,
        # Nothing but what we wrote ourselves, nothing at all, and what is no text.
        "CLAUDE.md": f"{begins}\n## Notes\nx\n{ends}\n",
        "GEMINI.md": "\n",
        "QWEN.md": "\udcff",
        ".cursor/rules/a.mdc": "---\nglobs: src/**\n---\nValidate input.\n",
        ".cursor/rules/b.mdc": "Be kind.\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert to_import(str(tmp_path)) == [
        "Found AGENTS.md, .cursor/rules: `vectr-hooks import --dry-run AGENTS.md .cursor/rules` "
        "shows what would become notes."
    ]
