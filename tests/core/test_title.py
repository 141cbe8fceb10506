import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.title import TITLE_LENGTH, default_title, shortened


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("Deploys go through the canary first.", "Deploys go through the canary first"),
        ("One. Two.", "One"),
        ("Is it so? Yes.", "Is it so?"),
        ('He said "no." Then left.', 'He said "no."'),
        ("A sentence over\ntwo lines. More", "A sentence over two lines"),
        ("# A heading #\nText below", "A heading"),
        ("\n\n## Heading", "Heading"),
        ("- [ ] a task\n- another", "a task"),
        ("1. first\n2. second", "first"),
        ("> a quote\nthat goes on", "a quote that goes on"),
        ("```sh\nmake test\n```", "make test"),
        ("---\nafter a rule", "after a rule"),
        ("#12 is no heading", "#12 is no heading"),
        ("Use e.g. Redis here. Not more.", "Use e.g. Redis here"),
        ("Version 1.2.3 of x.y is old. So", "Version 1.2.3 of x.y is old"),
        ("ends in dots...", "ends in dots..."),
        ("部署前先测试。然后发布。", "部署前先测试"),
        ("two  spaces\tand a tab", "two spaces and a tab"),
        ("# ", "#"),
        ("---", "---"),
    ],
)
def test_the_title_is_the_first_sentence(body, title):
    assert default_title(body) == title


def test_a_long_title_is_cut_at_a_word():
    assert default_title("word " * 40) == "word " * 23 + "word…"
    assert default_title("words " * 40) == "words " * 19 + "words…"


def test_text_without_spaces_is_cut_where_it_must_be():
    assert shortened("部" * 200) == "部" * 119 + "…"
    assert shortened("a" * TITLE_LENGTH) == "a" * TITLE_LENGTH


@given(st.text(st.one_of(st.sampled_from("#-*> .!?\n`1[]x"), st.characters(exclude_categories=["Cs"]))))
def test_a_title_is_one_short_line_and_empty_only_for_a_blank_body(body):
    title = default_title(body)
    assert len(title) <= TITLE_LENGTH
    assert len(title.splitlines()) <= 1
    assert bool(title) == bool(body.strip())
