import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vectr_hooks.store.notes import NoteDraft, add_note, all_notes, change_note, forget
from vectr_hooks.store.recall import search


def add(con, title, body="", kind="finding", priority="medium", tags=()):
    draft = NoteDraft(
        title=title, body=body or title, kind=kind, priority=priority, tags=tags, provenance="human"
    )
    return add_note(con, draft, lambda id, draft: ("text", "line"), 1).id


def found(con, query, **options):
    return [note.id for note, _ in search(con, query, **options)]


def test_any_word_is_enough_and_more_of_them_are_better(con):
    one = add(con, "Locking order", "The lock of the watcher comes first")
    both = add(con, "Locking order", "The lock of the watcher comes before the database")
    add(con, "Releases", "Go through the canary")
    assert found(con, "database watcher missing-word") == [both, one]


def test_the_title_weighs_more_than_tags_and_tags_more_than_the_body(con):
    body = add(con, "first thing", "about canary and more")
    tag = add(con, "second thing", "about other and more", tags=("canary",))
    title = add(con, "canary thing", "about other and more")
    assert found(con, "canary") == [title, tag, body]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("call acquire_lock() first", "lock"),
        ("call acquire_lock() first", "acquire_lock"),
        ("call acquire_lock() first", "acquireLock"),
        ("class HTTPServerConfig", "server"),
        ("class HTTPServerConfig", "http_server_config"),
        ("class HTTPServerConfig", "httpserverconfig"),
        ("see src/db/lockFile.py", "src/db/lockFile.py"),
        ("see src/db/lockFile.py", "lock"),
        ("use std::vector", "vector"),
        ("deploys go through the canary", "Deploy"),
        ("deployment is slow", "deploy"),
        ("请部署服务", "部署"),
        ("今日のapiについて", "api"),
        ("今日のapiについて", "今日"),
        ("서비스를 배포한다", "배포"),
        ("Das Ärgernis", "argernis"),
        ("cafe\u0301 au lait", "café"),
        ("the \U0001f4a9 emoji", "emoji"),
    ],
)
def test_a_text_is_found_by(con, text, query):
    add(con, "Other", "nothing of the sort")
    note = add(con, "Some note", text)
    assert found(con, query) == [note]


@pytest.mark.parametrize("query", ["???", '"', "\u200b", "zebra", "*"])
def test_nothing_is_found_by(con, query):
    add(con, "Some note")
    assert found(con, query) == []


@pytest.mark.parametrize(
    "query", ["OR", "NEAR(a b)", "title:x", '" OR "', "a* AND -b", "x NOT y", "{title}: a"]
)
def test_the_operators_of_the_query_language_are_words(con, query):
    add(con, "Some note")
    note = add(con, "or near title a b x not and y")
    assert found(con, query) == [note]


def test_a_note_is_found_by_its_id(con):
    first = add(con, f"Number {99}")
    second = add(con, "Other text")
    assert found(con, f"#{second}") == [second]
    assert found(con, f" {second} ") == [second]
    assert found(con, f"number and #{second}") == [second, first]
    assert found(con, f"99 and {second}") == [first]
    assert found(con, "#123456") == []
    assert found(con, "#" + "9" * 30) == []


def test_tags_and_kinds_are_applied_before_the_cut(con):
    for _ in range(5):
        add(con, "canary canary canary")
    note = add(con, "a long text with one canary in it", kind="gotcha", tags=("ops", "db"))
    assert found(con, "canary", limit=1, tags=["ops", "db"]) == [note]
    assert found(con, "canary", limit=1, kinds=["gotcha", "task"]) == [note]
    assert found(con, f"#{note}", kinds=["task"]) == []
    assert found(con, "canary", tags=["op"]) == []


def test_a_blank_query_gives_notes_in_precedence(con):
    low = add(con, "a", priority="low")
    high = add(con, "b", priority="high", tags=("t",))
    assert found(con, "  ") == [high, low]
    assert found(con, "", tags=["t"]) == [high]
    assert found(con, "", limit=1) == [high]


def test_equal_scores_go_by_precedence(con):
    ids = [add(con, "canary", priority=priority) for priority in ("low", "high", "medium", "high")]
    assert found(con, "canary") == [ids[3], ids[1], ids[2], ids[0]]


def test_scores_fall_and_are_positive(con):
    for n in range(5):
        add(con, "word " * n + "canary")
    scores = [score for _, score in search(con, "canary")]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)


def test_changed_and_forgotten_texts_are_found_no_more(con):
    note = add(con, "canary", "camelCase 部署")
    change_note(con, note, 2, lambda id, draft: ("text", "line"), title="other", body="words")
    assert [found(con, query) for query in ("canary", "camel", "部署", "words")] == [[], [], [], [note]]
    forget(con, [note])
    assert found(con, "words") == []


QUERIES = st.one_of(
    st.text(),
    st.text(st.sampled_from("\"'*:^(){}+-#~ ab_.12/\\\0\ud800部署é\u0301")),
    st.lists(st.sampled_from(["AND", "OR", "NOT", "NEAR", '"', "title:", "a", "#1", "(", ")", "*"])).map(
        " ".join
    ),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(QUERIES)
def test_no_query_raises(con, query):
    if not all_notes(con):
        add(con, "a b 12 部署")
    search(con, query)


def test_a_very_long_query_is_answered(con):
    note = add(con, "canary")
    assert found(con, "canary " + " ".join(f"word{n}" for n in range(50_000))) == [note]
