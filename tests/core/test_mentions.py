import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.mentions import mentioned_paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see src/db/store.py.", ["src/db/store.py"]),
        ("`src/a.py:12` and src/b.py:3:4, (src/c.py#L5-L9)", ["src/a.py", "src/b.py", "src/c.py"]),
        ("./run.sh, README.md! .env", ["run.sh", "README.md", ".env"]),
        ("app/[id]/page.tsx", ["app/[id]/page.tsx"]),
        ("docs/é.md twice: docs/é.md", ["docs/é.md"]),
        ("https://example.org/x.html", []),
        ("plain words. And more... / . ..", []),
        ("migrations/", ["migrations/"]),
    ],
)
def test_words_that_may_be_paths(text, paths):
    assert mentioned_paths(text) == paths


@given(st.text())
def test_no_text_raises_and_no_name_is_empty(text):
    assert all(mentioned_paths(text))
