"""Paths, and patterns that often cover them."""

from hypothesis import strategies as st

names = st.text("ab.", min_size=1, max_size=4)
paths = st.builds(
    lambda parts, end: "/".join(parts) + end,
    st.lists(names | st.text("ab.-^!]#\\ *é", min_size=1, max_size=3), min_size=1, max_size=5),
    st.sampled_from(["", "/"]),
)
# What pathspec and git disagree on is left out: a component of three or more stars and nothing else.
pieces = st.sampled_from(["a", "b", ".", "ab", "*", "?", "\\*", "\\a", "\\["]) | st.sampled_from(
    ["[ab]", "[!a]", "[^.b]", "[a-b]", "[]a]", "[!]]", "[-.]"]
)
segments = (
    st.sampled_from(["*", "**", "a", "b", "a.b", "*.b", "[", "a\\", "#", " "])
    | st.lists(pieces, min_size=1, max_size=4).map("".join)
    | st.text("ab.*?[]!^-\\ é", max_size=5)
).filter(lambda segment: not (len(segment) > 2 and set(segment) == {"*"}))
patterns = st.builds(
    lambda start, parts, end: start + "/".join(parts) + end,
    st.sampled_from(["", "/", "**/"]),
    st.lists(segments, min_size=1, max_size=5),
    st.sampled_from(["", "", "/", "/**"]),
).filter(lambda pattern: not pattern.startswith(("#", "!")))
