"""Where a Markdown text is split, and where not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.sections import sections


def split(text: str) -> list[tuple[str, str, int, int]]:
    return [(s.heading, s.content, s.first_line, s.last_line) for s in sections(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("\n\n", []),
        ("words", [("", "words", 1, 1)]),
        ("# A\nwords", [("A", "words", 1, 2)]),
        ("before\n# A\nwords\n", [("", "before", 1, 1), ("A", "words", 2, 3)]),
        ("# A\n## B\nwords", [("B", "words", 2, 3)]),
        ("## A ##\nx\n\n\n### B\n\ny\n", [("A", "x", 1, 2), ("B", "y", 5, 7)]),
        ("# C#\nx", [("C#", "x", 1, 2)]),
        ("#\nx", [("", "x", 1, 2)]),
        ("A\n===\nx\n\nB\n---\ny", [("A", "x", 1, 3), ("B", "y", 5, 7)]),
        ("#hashtag\nx", [("", "#hashtag\nx", 1, 2)]),
        ("####### seven\nx", [("", "####### seven\nx", 1, 2)]),
        ("    # code\nx", [("", "# code\nx", 1, 2)]),
        ("x\n\n---\n\ny", [("", "x\n\n---\n\ny", 1, 5)]),
        ("- item\n---\ny", [("", "- item\n---\ny", 1, 3)]),
        ("# A\r\nx\r\n\r\n# B\r\ny\r\n", [("A", "x", 1, 2), ("B", "y", 4, 5)]),
    ],
)
def test_a_text_is_split_at_its_headings(text: str, found: list[tuple[str, str, int, int]]) -> None:
    assert split(text) == found


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n# no\n```",
        "```sh\n# no\n~~~\n# no\n```",
        "~~~~\n# no\n~~~\n# no\n~~~~",
        "<!--\n# no\n-->",
        "<!-- one line --> \ntext",
        "```\n# never closed",
    ],
)
def test_what_looks_like_a_heading_in_code_or_a_comment_is_none(hidden: str) -> None:
    (section,) = sections(f"# A\n{hidden}")
    assert (section.heading, section.text) == ("A", f"# A\n{hidden}".rstrip())


def test_a_section_knows_the_headings_it_stands_under_but_not_that_of_the_text() -> None:
    found = sections("# Project\n## Testing\n### Python\nx\n### Go\ny\n## Style\nz")
    assert [(s.above, s.heading) for s in found] == [
        (("Testing",), "Python"),
        (("Testing",), "Go"),
        ((), "Style"),
    ]


PIECES = st.sampled_from(
    ["# A", "## B ##", "words", "", "```", "~~~", "<!--", "-->", "===", "---", "- x", "    code", "\r", "#"]
)


@given(st.lists(PIECES, max_size=30))
def test_every_line_that_says_something_is_in_one_section(pieces: list[str]) -> None:
    lines = "\n".join(pieces).split("\n")
    found = sections("\n".join(lines))
    covered = [at for s in found for at in range(s.first_line, s.last_line + 1)]
    assert covered == sorted(set(covered))
    for s in found:
        whole = "\n".join(line.rstrip("\r") for line in lines[s.first_line - 1 : s.last_line])
        assert whole.rstrip("\r") == "\n".join(line.rstrip("\r") for line in s.text.split("\n"))
        assert s.content.strip()


def test_a_line_of_a_megabyte_takes_no_time() -> None:
    import time

    began = time.process_time()
    for line in (
        "#" * 10**6,
        "# " + " " * 10**6,
        "`" * 10**6,
        "<!--" * 10**5,
        "=" * 10**6,
        "# a" + " #" * 10**5,
    ):
        sections(f"{line}\nx")
    assert time.process_time() - began < 2
