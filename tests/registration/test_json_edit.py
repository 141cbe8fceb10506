"""An edit changes what it names and takes on the layout of the document around it."""

from __future__ import annotations

import json

import pytest

from vectr_hooks.registration import json_edit
from vectr_hooks.registration.json_text import parse

APPENDED = {
    "two spaces": ('{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "k": [\n    true\n  ]\n}\n'),
    "four spaces": ('{\n    "a": 1\n}', '{\n    "a": 1,\n    "k": [\n        true\n    ]\n}'),
    "tabs and CRLF": ('{\r\n\t"a": 1\r\n}\r\n', '{\r\n\t"a": 1,\r\n\t"k": [\r\n\t\ttrue\r\n\t]\r\n}\r\n'),
    "carriage returns": ('{\r "a": 1\r}', '{\r "a": 1,\r "k": [\r  true\r ]\r}'),
    "no indentation": ('{\n"a": 1\n}', '{\n"a": 1,\n"k": [\ntrue\n]\n}'),
    "an indented document": ('  {\n    "a": 1\n  }', '  {\n    "a": 1,\n    "k": [\n      true\n    ]\n  }'),
    "one line": ('{"a": 1, "b": 2}', '{"a": 1, "b": 2, "k": [true]}'),
    "one line without spaces": ('{"a":1}', '{"a":1,"k":[true]}'),
    "one line with odd spaces": ('{ "a" : 1 , "b" : 2 }', '{ "a" : 1 , "b" : 2 , "k" : [true] }'),
    "a byte order mark": ('\ufeff{"a":1}', '\ufeff{"a":1,"k":[true]}'),
    "a comma first": ('{\n  "a": 1\n, "b": 2\n}', '{\n  "a": 1\n, "b": 2,\n"k": [\n  true\n]\n}'),
    "an empty object": ("{}", '{\n  "k": [\n    true\n  ]\n}'),
    "an empty object with space": ("{ \n }\n", '{\n  "k": [\n    true\n  ]\n}\n'),
}


@pytest.mark.parametrize(("before", "after"), APPENDED.values(), ids=APPENDED.keys())
def test_a_member_is_added_in_the_layout_of_the_document(before: str, after: str) -> None:
    assert json_edit.append(before, parse(before), [True], "k") == after
    assert json.loads(after.removeprefix("\ufeff")) == {
        **json.loads(before.removeprefix("\ufeff")),
        "k": [True],
    }


INSIDE = {
    "an item on a line": ('{\n "a": [\n  1\n ]\n}', '{\n "a": [\n  1,\n  [\n   2\n  ]\n ]\n}'),
    "an item beside others": ('{\n "a": [1,2]\n}', '{\n "a": [1,2, [2]]\n}'),
    "an empty array": ('{\n "a": []\n}', '{\n "a": [\n  [\n   2\n  ]\n ]\n}'),
    "an empty array in a line": ('{"a": []}', '{"a": [[2]]}'),
}


@pytest.mark.parametrize(("before", "after"), INSIDE.values(), ids=INSIDE.keys())
def test_an_item_is_added_in_the_layout_of_its_array(before: str, after: str) -> None:
    array = parse(before).last("a")
    assert array
    assert json_edit.append(before, array, [2]) == after


@pytest.mark.parametrize(
    ("index", "after"),
    [(0, '[ 2\n, {"b": 3} ]'), (1, '[ 1 , {"b": 3} ]'), (2, "[ 1 ,\t2 ]")],
    ids=["first", "middle", "last"],
)
def test_a_removed_item_takes_one_comma_with_it(index: int, after: str) -> None:
    text = '[ 1 ,\t2\n, {"b": 3} ]'
    assert json_edit.remove(text, parse(text), index) == after.replace("[ 1 , {", "[ 1\n, {")


def test_removing_the_only_item_leaves_empty_brackets() -> None:
    assert json_edit.remove("[ 1 ]", parse("[ 1 ]"), 0) == "[]"


def test_a_value_is_replaced_alone() -> None:
    text = '{ "a" :null , "b":1}'
    node = parse(text).last("a")
    assert node
    assert json_edit.replace(text, node, json_edit.string("ä\n")) == '{ "a" :"ä\\n" , "b":1}'
