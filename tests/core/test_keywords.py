"""When a keyword occurs in a prompt, and that its index token never misses it."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.keywords import fold, keyword_token, occurs, tokens, window

HALF = 128 * 1024


def holds(keyword: str, text: str) -> bool:
    return occurs(fold(keyword), fold(text))


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("api", "API?"),
        ("api", "the api"),
        ("api", "今日のapiについて"),
        ("api", "⚠️api"),
        ("api", "rapid capital api"),
        ("API", "api"),
        ("部署", "请部署服务"),
        ("배포", "지금 배포를 해줘"),
        ("ปล่อย", "ช่วยปล่อยเวอร์ชันใหม่"),
        ("c言語", "これはC言語です"),
        ("roll  out", "roll\n\tout"),
        ("roll out", "Roll\N{NO-BREAK SPACE}out"),
        ("c++", "use c++17"),
        ("++", "i++"),
        ("--force", "push --force!"),
        ("straße", "STRASSE"),
        ("σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("snake_case", "in snake_case."),
        ("don't", "I don't"),
        ("über", unicodedata.normalize("NFD", "das Über-Ich")),
        (unicodedata.normalize("NFD", "café"), "Café"),
        (unicodedata.normalize("NFD", "デプロイ"), "今すぐデプロイして"),
        (unicodedata.normalize("NFD", "배포"), "배포"),
    ],
)
def test_keyword_occurs(keyword: str, text: str) -> None:
    assert holds(keyword, text)
    assert keyword_token(fold(keyword)) in {"", *tokens(fold(text))}


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("api", "rapid capital"),
        ("api", "api_key"),
        ("api", "api2"),
        ("caf", "café"),
        ("cafe", unicodedata.normalize("NFD", "café")),
        ("roll out", "rollout"),
        ("部署", "部 署"),
        ("c++", "abc++"),
        ("--force", "--forced"),
        ("", "anything"),
        ("api", ""),
    ],
)
def test_keyword_does_not_occur(keyword: str, text: str) -> None:
    assert not holds(keyword, text)


@pytest.mark.parametrize(
    ("keyword", "token"),
    [
        ("deploy", "deploy"),
        ("the rollout", "rollout"),
        ("c++", "c"),
        ("今日のapi", "api"),
        ("部署服务", "部署"),
        ("署。部署", "部署"),
        ("署", "署"),
        ("++", ""),
        ("", ""),
    ],
)
def test_keyword_is_indexed_under_its_longest_word_or_else_its_first_two_characters(
    keyword: str, token: str
) -> None:
    assert keyword_token(keyword) == token


def test_tokens_are_words_and_the_characters_and_pairs_of_scripts_without_spaces() -> None:
    assert tokens("use the_api2, naïve!") == {"use", "the_api2", "naïve"}
    assert tokens("请部署api") == {"请", "部", "署", "请部", "部署", "api"}


alphabet = "aAb1_ \n.+-'éßſİǰŉΣςᾳ\u0301\u0345\u3099\ufe0f\u200d\u00a0部署かが가각กำ①Ⅷ·"
texts = st.text(alphabet, max_size=12) | st.text(max_size=12)


@given(texts, texts, texts)
def test_a_keyword_that_occurs_has_its_token_in_the_text(keyword: str, before: str, after: str) -> None:
    for text in (before + keyword + after, before + " " + keyword + " " + after):
        folded_keyword, folded_text = fold(keyword), fold(text)
        if occurs(folded_keyword, folded_text):
            assert keyword_token(folded_keyword) in {"", *tokens(folded_text)}


@given(texts)
def test_keyword_occurs_in_itself_however_it_is_typed(text: str) -> None:
    keyword = fold(text)
    for typed in (text, unicodedata.normalize("NFD", text), unicodedata.normalize("NFC", text), f"({text})"):
        assert not keyword or occurs(keyword, fold(typed))


@given(texts)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_window_is_the_two_ends_of_a_long_text() -> None:
    assert window("x" * 2 * HALF) == "x" * 2 * HALF
    cut = window("a" * HALF + "b" * 9 + "c" * HALF)
    assert cut == "a" * HALF + "\n" + "c" * HALF


@pytest.mark.parametrize("sentence", ["Please deploy item{} now, and look at it. ", "请部署服务{}的接口。"])
def test_a_long_prompt_is_read_in_milliseconds(sentence: str) -> None:
    prompt = "".join(sentence.format(number) for number in range(60_000 // len(sentence)))
    started = time.process_time()
    tokens(fold(prompt))
    # Far above what it takes: a change of order is caught, a busy machine is not.
    assert time.process_time() - started < 0.5
