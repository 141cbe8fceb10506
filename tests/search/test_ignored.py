"""Ignore files leave out what git leaves out."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.search.conftest import Tree
from vectr_hooks.search.ignored import LEFT_OUT_ANYWAY, Rules
from vectr_hooks.search.walk import files_below

NAMES = ["a", "b", "ab", "x.d", "build", "keep", "a b", "[c]", "é"]
PATTERNS = [
    *(
        "a",
        "*.d",
        "/a",
        "a/",
        "/a/*",
        "!/a/b",
        "a/**",
        "**/b",
        "**/a/b",
        "a/**/b",
        "b/*",
        "!keep",
        "!a/",
        "?b",
    ),
    *(
        "[ab]",
        "[!a]b",
        "*",
        "!*/",
        "!*.d",
        "\\!x",
        "#a",
        "a b",
        "a\\ b",
        "b  ",
        "/",
        "//",
        "!",
        "**",
        "*/a",
        "é",
    ),
    *("\\[c\\]", "x.d/", "build/", "!build/keep", "a/b/", "**/", "keep/**", "!keep/a", "[", "a**b", "***"),
    *(
        "a*b*",
        "*a*b*c*",
        "**/a/**/b",
        "a/**/b/**",
        "!*a*b*c*",
        "**/a/**/*/",
        "**/?/**/*.d",
        "/*/*/*",
        "[ab]*b*",
    ),
    *("*/", "!*/", "**/*/", "a/**/", "/*/", "a/*/", "*/**", "**/**", "/**"),
]


def below(root: Path) -> list[str]:
    return list(files_below(str(root)))


@pytest.mark.skipif(not shutil.which("git"), reason="compares with git")
@pytest.mark.parametrize("seed", range(16))
def test_the_same_files_are_left_out_as_by_git(tree: Tree, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    git = ["git", "-C", str(tree.root), "-c", "core.excludesFile=/dev/null"]
    subprocess.run([*git, "init", "-q"], check=True)
    folders = [""]
    for _ in range(12):
        folders.append(f"{chance.choice(folders)}{chance.choice(NAMES)}/")
    for folder in folders:
        (tree.root / folder).mkdir(parents=True, exist_ok=True)
    for folder in folders:
        for name in chance.sample(NAMES, 4):
            if not (tree.root / folder / name).exists():
                tree.write(folder + name, "text\n")
    for folder in ["", *chance.sample(folders, 4)]:
        tree.write(folder + ".gitignore", "\n".join(chance.choices(PATTERNS, k=5)) + "\n")
    (tree.root / ".git/info/exclude").write_text("\n".join(chance.choices(PATTERNS, k=2)) + "\n")
    listed = subprocess.run(
        [*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    )
    expected = sorted(set(listed.stdout.decode().split("\0")) - {""})
    assert below(tree.root) == expected


def test_vectrignore_comes_after_gitignore_and_takes_in_what_is_left_out_anyway(tree: Tree) -> None:
    tree.fill(
        {
            ".gitignore": "*.log\nout/\n",
            ".vectrignore": "!kept.log\nsecret.py\n!*.lock\n",
            "kept.log": "x",
            "other.log": "x",
            "secret.py": "x",
            "poetry.lock": "x",
            "out/a.py": "x",
            "node_modules/m/a.js": "x",
            "a.min.js": "x",
            ".env": "KEY=1",
            "src/.vectrignore": "gen_*\n",
            "src/gen_a.py": "x",
            "gen_b.py": "x",
        }
    )
    assert below(tree.root) == [
        *(".gitignore", ".vectrignore", "gen_b.py", "kept.log", "poetry.lock", "src/.vectrignore")
    ]


def test_links_caches_and_other_repositories_are_not_entered(tree: Tree, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "private.py").write_text("x = 1\n")
    tree.fill(
        {
            "a.py": "x",
            "env/pyvenv.cfg": "home = /usr",
            "env/lib/m.py": "x",
            "cache/CACHEDIR.TAG": "x",
            "cache/c.py": "x",
            "other/.git/HEAD": "ref: refs/heads/main",
            "other/o.py": "x",
            "module/.git": "gitdir: elsewhere",
            "module/m.py": "x",
        }
    )
    (tree.root / "folder").symlink_to(outside)
    (tree.root / "file.py").symlink_to(outside / "private.py")
    (tree.root / "loop").symlink_to(tree.root)
    (tree.root / "broken").symlink_to("nowhere")
    assert below(tree.root) == ["a.py"]


def test_a_name_that_would_forge_a_line_of_output_is_left_out(tree: Tree) -> None:
    tree.fill({"a.py": "x", "b\nc.py:1-2 fake": "x", "d\x1b[2J": "x"})
    (tree.root / "naïve 名.py").write_text("x")
    assert below(tree.root) == ["a.py", "naïve 名.py"]


def test_an_ignore_file_that_is_a_link_or_no_text_is_passed_over(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("*\n")
    (tree.root / ".gitignore").symlink_to(tmp_path / "rules")
    tree.fill({"a.py": "x", "src/.gitignore": b"\xff\xfe\0*.py\n", "src/b.py": "x"})
    assert below(tree.root) == ["a.py", "src/.gitignore", "src/b.py"]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 15 + "*b", "a" * 100),
        ("**/a/" * 10 + "x", "a/" * 60 + "y"),
        ("a/**/" * 12 + "x", "a/" * 60 + "y"),
    ],
)
def test_no_pattern_takes_for_ever(pattern: str, path: str) -> None:
    assert Rules([pattern]).decide(path) is None
    assert Rules([pattern]).decide(path + "b" if "b" in pattern else path[:-1] + "x") is True


def test_every_pattern_of_our_own_is_one() -> None:
    for line in LEFT_OUT_ANYWAY:
        assert Rules([line]), line
