"""The keys that index a pattern, and those that a path hits."""

import pytest
from hypothesis import given

from tests.core.strategies import paths, patterns
from vectr_hooks.core.compile import pattern_key
from vectr_hooks.core.globs import match_path
from vectr_hooks.core.keys import path_keys


@given(patterns, paths)
def test_the_key_of_a_covering_pattern_is_among_the_keys_of_the_path(pattern: str, path: str) -> None:
    if match_path(pattern, path):
        assert pattern_key(pattern) in path_keys(path)


@pytest.mark.parametrize(
    ("pattern", "key"),
    [
        ("src/db/x.py", "=src/db/x.py"),
        ("/x.py", "=x.py"),
        ("src/db/**", "=src/db"),
        ("src/db/", "=src/db"),
        ("src/db/*.py", "=src/db"),
        ("src/db/**/x.py", "=src/db"),
        ("src/**", "=src"),
        ("src/*.py", "=src"),
        ("src/**/x.py", "/x.py"),
        ("x.py", "/x.py"),
        ("db/", "/db"),
        ("**/db/*.py", "/db"),
        ("**/db/x.py", "/x.py"),
        (r"\*.py", "/*.py"),
        (r"src/\[id\].tsx", "=src/[id].tsx"),
        ("*.py", ".py"),
        ("test_*.py", ".py"),
        ("*.test.ts", ".ts"),
        (r"*\.py", ".py"),
        ("**/*.py/*", ".py"),
        ("*.p?", "p*"),
        ("*", "p*"),
        ("**", "p*"),
        ("[a-z]x", "p*"),
        ("src[", "p*"),
    ],
)
def test_key_is_the_most_selective_the_pattern_allows(pattern: str, key: str) -> None:
    assert pattern_key(pattern) == key


def test_path_has_a_key_for_each_leading_folder_component_and_extension() -> None:
    assert path_keys("src/db.d/x.tar.gz") == [
        "=src",
        "=src/db.d",
        "=src/db.d/x.tar.gz",
        "/src",
        "/db.d",
        "/x.tar.gz",
        ".d",
        ".gz",
        "p*",
    ]
    assert path_keys("src/db/") == ["=src", "=src/db", "/src", "/db", "p*"]
    assert path_keys("") == ["p*"]


@given(patterns, paths)
def test_any_pattern_and_any_path_has_keys(pattern: str, path: str) -> None:
    assert pattern_key(pattern)
    assert path_keys(path)
