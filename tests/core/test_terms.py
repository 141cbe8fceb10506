import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.terms import bigrams, query_terms, words


@pytest.mark.parametrize(
    "name", ["acquire_lock", "acquireLock", "AcquireLock", "acquire-lock", "acquire::lock"]
)
def test_however_an_identifier_is_written_its_terms_are_the_same(name):
    assert query_terms(name) == ["acquire", "lock", "acquirelock"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plain words", []),
        ("call acquire_lock() now", ["acquire", "lock", "acquirelock"]),
        ("call acquireLock() now", ["acquire", "lock"]),
        ("src/db/store.py", ["src", "db", "store", "py", "srcdbstorepy"]),
        ("HTTPServer2", ["http", "server2"]),
        ("今日のapiについて", ["api"]),
        ("_private", ["private"]),
        ("a" * 300 + "_b", []),
    ],
)
def test_only_what_the_text_does_not_hold_as_a_word_is_given(text, found):
    assert words(text) == found


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("请部署服务", ["请部", "部署", "署服", "服务"]),
        ("字 x 表", ["字", "表"]),
        ("latin", []),
        ("배포를", ["배포", "포를"]),
    ],
)
def test_scripts_without_spaces_give_pairs(text, pairs):
    assert bigrams(text) == pairs


def test_a_query_has_each_term_once():
    assert query_terms("lock acquire_lock 部署 Lock") == ["lock", "acquire", "acquirelock", "部署"]


@given(st.text())
def test_terms_hold_nothing_that_ends_a_quoted_string(text):
    assert not any('"' in term or not term or any(c.isspace() for c in term) for term in query_terms(text))
