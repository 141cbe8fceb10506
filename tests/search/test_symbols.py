"""`locate` says where a name is defined, or that it does not know."""

from __future__ import annotations

import pytest

from tests.search.conftest import Tree
from vectr_hooks.search.symbols import UNCERTAIN, locate, references

FILES = {
    "pkg/__init__.py": "from pkg.base import Model\nfrom pkg.other import Form\n",
    "pkg/base.py": (
        "class Model:\n    def save(self):\n        pass\n\n"
        "    class Meta:\n        def save(self):\n            pass\n"
    ),
    "pkg/other.py": (
        "class Form:\n    def save(self):\n        Model().save()\n\n\ndef load():\n    return Form\n"
    ),
    "pkg/names.py": "def parse_date():\n    pass\n\n\ndef parseDate():\n    pass\n\n\nMAX_SIZE = 3\n",
    "pkg/forms/base.py": "class Model:\n    pass\n",
    "net/server.go": "package net\n\nfunc (s *Server) Run() {}\n\ntype Server struct{}\n",
    "src/ring.h": "int push(int x);\n",
    "src/ring.c": '#include "ring.h"\nint push(int x) { return x; }\n',
    "src/ring.cpp": "namespace a { void Ring::pop() {} }\n",
}


@pytest.fixture
def filled(tree: Tree) -> Tree:
    tree.fill(FILES)
    tree.index()
    return tree


def named(tree: Tree, query: str) -> list[tuple[str, str, int, str]]:
    with tree.open() as con:
        return [
            (each.match, each.path, each.line, each.qualified) for each in locate(con, str(tree.root), query)
        ]


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("load", ["exact pkg/other.py:6"]),
        ("load()", ["exact pkg/other.py:6"]),
        ("Model.save", ["exact pkg/base.py:2"]),
        ("Meta.save", ["suffix pkg/base.py:6"]),
        ("Model.Meta.save", ["exact pkg/base.py:6"]),
        ("save", ["member pkg/base.py:2", "member pkg/base.py:6", "member pkg/other.py:2"]),
        ("pkg.base.Model", ["exact pkg/base.py:1"]),
        ("pkg/base.py:Model", ["exact pkg/base.py:1"]),
        ("forms.base.Model", ["suffix pkg/forms/base.py:1"]),
        ("base.Model", ["suffix pkg/base.py:1", "suffix pkg/forms/base.py:1"]),
        ("pkg.Form", ["suffix pkg/other.py:1"]),
        ("pkg.Form.save", ["suffix pkg/other.py:2"]),
        ("Server.Run", ["exact net/server.go:3"]),
        ("push", ["exact src/ring.c:2", "exact src/ring.h:1"]),
        ("a::Ring::pop", ["exact src/ring.cpp:1"]),
        ("Ring#pop", ["suffix src/ring.cpp:1"]),
        ("MAX_SIZE", ["exact pkg/names.py:9"]),
        ("parse_date", ["exact pkg/names.py:1"]),
    ],
)
def test_a_name_leads_to_its_definitions_alone(filled: Tree, query: str, places: list[str]) -> None:
    assert [f"{match} {path}:{line}" for match, path, line, _ in named(filled, query)] == places


@pytest.mark.parametrize(
    ("query", "resembling"),
    [
        ("Form.load", ["load"]),
        ("Model.store", []),
        ("model", ["Model", "Model"]),
        ("PARSE_DATE", ["parse_date", "parseDate"]),
        ("parse_dat", ["parse_date"]),
        ("Modle", ["Model", "Model"]),
        ("server.Server.Stop", []),
        ("self", []),
        ("sav", []),
        ("", []),
        ("...", []),
        ("%", []),
        ("pkg.other.Model", ["Model", "Model"]),
        # Two below the package: which of them it brings up is not told.
        ("pkg.Model", ["Model", "Model"]),
        ("pkg.load", ["load"]),
    ],
)
def test_what_is_not_defined_is_at_most_uncertain(filled: Tree, query: str, resembling: list[str]) -> None:
    found = named(filled, query)
    assert {match for match, *_ in found} <= {UNCERTAIN}
    assert [name for *_, name in found if name in resembling] == resembling


def test_uses_are_lines_that_do_not_define_the_name(filled: Tree) -> None:
    with filled.open() as con:
        uses = references(con, str(filled.root), "Model")
        assert [(use.path, use.line, use.text.strip()) for use in uses] == [
            ("pkg/__init__.py", 1, "from pkg.base import Model"),
            ("pkg/other.py", 3, "Model().save()"),
        ]
        assert [use.path for use in references(con, str(filled.root), "Form.save")] == ["pkg/other.py"]
        assert references(con, str(filled.root), "nothing") == []


def test_a_changed_file_is_told(filled: Tree) -> None:
    filled.write("pkg/other.py", "x = 1\n", age_s=5)
    with filled.open() as con:
        assert [each.changed for each in locate(con, str(filled.root), "load")] == [True]
        assert {use.path for use in references(con, str(filled.root), "Model") if use.changed} == {
            "pkg/other.py"
        }
