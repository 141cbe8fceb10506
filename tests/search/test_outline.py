"""What a file defines and refers to."""

from __future__ import annotations

import pytest

from tests.search.samples import SAMPLES
from vectr_hooks.search.chunks import chunks
from vectr_hooks.search.languages import GRAMMARS, language_of
from vectr_hooks.search.outline import all_of, outline


def definitions(path: str, text: str) -> list[tuple[str, str, int]]:
    found = outline(language_of(path).name, text)
    assert found is not None
    return [(each.qualified, each.kind, each.line) for each in all_of(found.definitions)]


@pytest.mark.parametrize("path", SAMPLES)
def test_definitions_have_qualified_names_kinds_and_lines(path: str) -> None:
    text, expected = SAMPLES[path]
    assert [each for each in definitions(path, text) if each[1] != "extension"] == expected


def test_every_grammar_of_the_table_has_a_sample() -> None:
    assert set(GRAMMARS) <= {language_of(path).name for path in SAMPLES}


@pytest.mark.parametrize(
    ("path", "name", "lines"),
    [
        ("shop/cart.py", "os", {3, 28}),
        ("shop/cart.py", "name", {28}),
        ("shop/cart.py", "dict", {9}),
        ("web/app.js", "go", {4}),
        ("web/app.js", "Base", {2}),
        ("net/server.go", "loop", {10}),
        ("net/server.go", "Server", {10, 14}),
        ("src/Shop.java", "close", {5}),
        ("src/list.c", "node", {11}),
        ("src/ring.cpp", "Point", {9}),
    ],
)
def test_references_are_told_apart_from_definitions(path: str, name: str, lines: set[int]) -> None:
    found = outline(language_of(path).name, SAMPLES[path][0])
    assert found is not None
    assert found.references.get(name) == lines


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def broken(:\n    pass\n"),
        ("a.py", "x = 1\rdef f(): pass\n"),
        ("a.py", "(" * 5000 + ")" * 5000),
        ("a.js", "}}}} ]]] ((( {{{ %%% ### @@@"),
        ("a.rb", "def x; end"),
    ],
)
def test_a_file_that_does_not_parse_has_no_outline(path: str, text: str) -> None:
    assert outline(language_of(path).name, text) is None


def test_a_file_with_one_wrong_place_keeps_its_definitions() -> None:
    text = "function one() { return 1; }\nlet = = 3;\nfunction two() { return 2; }\n" * 3
    assert {name for name, _, _ in definitions("a.js", text)} == {"one", "two"}


def test_deep_nesting_is_no_trouble() -> None:
    text = "x = " + "[" * 3000 + "]" * 3000 + ";\nfunction f() {}\n"
    assert ("f", "function", 2) in definitions("a.js", text)


@pytest.mark.parametrize(
    ("path", "opened", "closed"),
    [
        ("a.js", "function a(){\n", "}\n"),
        ("a.ts", "class A{m(){\n", "}}\n"),
        ("a.rs", "mod a{\n", "}\n"),
        ("a.cpp", "namespace a{\n", "}\n"),
        ("a.js", "{let a=1;\n", "}\n"),
        ("a.cpp", "a<\n", ">\n"),
    ],
)
def test_definitions_nested_as_nobody_does_are_no_trouble(path: str, opened: str, closed: str) -> None:
    text = opened * 4000 + closed * 4000 + "\n" * 9
    found = outline(language_of(path).name, text)
    names = [each.qualified for each in all_of(found.definitions)] if found else []
    assert sum(map(len, names)) < 10_000
    assert chunks(text.split("\n"), found)


def test_a_name_of_many_parts_is_no_trouble() -> None:
    text = "a" + "\n.a" * 3000 + " = function(){}\nfunction f(){}\n"
    assert definitions("a.js", text) == [("f", "function", 3002)]


def test_long_headings_are_cut_in_names() -> None:
    title = "t" * 30_000
    found = outline("rst", f"a\n===\n\n{title}\n{'-' * 30_000}\n\n" + "b\n~~~\n\nc\n\n" * 9)
    assert found
    assert sum(len(each.qualified) for each in found.definitions) < 3000


def test_headings_are_sections_under_those_above_them() -> None:
    markdown = "# Title\n\nIntro.\n\n## Build\n\nRun it.\n\n### Fast\n\nYes.\n\n```\n# no heading\n```\n"
    assert [name for name, _, _ in definitions("a.md", markdown)] == ["Title", "Build", "Build > Fast"]
    rst = "=====\nTitle\n=====\n\nIntro.\n\nBuild\n=====\n\nRun.\n\nFast\n----\n\nYes.\n\nTest\n====\n\nNo.\n"
    assert definitions("a.rst", rst) == [
        *(("Title", "section", 2), ("Build", "section", 7), ("Build > Fast", "section", 12)),
        ("Test", "section", 17),
    ]


def test_a_table_or_a_rule_is_no_heading() -> None:
    assert (
        definitions(
            "a.rst", "Text\nmore\n====\n\n=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n"
        )
        == []
    )
