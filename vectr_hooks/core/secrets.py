"""Finds secrets by the exact shape of what well-known services issue, so that ordinary text is none.

A literal prefix is looked for first and its shape checked by plain code after a hit. A hit counts only where
a word begins, so that no stretch of text is looked at twice by one shape: the time is linear.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int, str]

_DIGITS = frozenset("0123456789")
_UPPER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
_ALNUM = _DIGITS | _UPPER | _LOWER
_WORD = _ALNUM | {"_"}
_DASHED = _WORD | {"-"}
_BASE64 = _ALNUM | frozenset("+/=")
_SCHEME = _ALNUM | frozenset("+.-")

# (prefix, characters that may follow, fewest of them, of which unbroken by `-` and `_`, kind).
# The unbroken part tells a key from a long hyphenated name; 0: there is nothing to confuse it with.
_TOKENS = (
    ("ghp_", _ALNUM, 36, 0, "GitHub token"),
    ("gho_", _ALNUM, 36, 0, "GitHub token"),
    ("ghu_", _ALNUM, 36, 0, "GitHub token"),
    ("ghs_", _ALNUM, 36, 0, "GitHub token"),
    ("ghr_", _ALNUM, 36, 0, "GitHub token"),
    ("github_pat_", _WORD, 60, 20, "GitHub token"),
    ("glpat-", _DASHED, 20, 8, "GitLab token"),
    ("xoxa-", _DASHED, 20, 10, "Slack token"),
    ("xoxb-", _DASHED, 20, 10, "Slack token"),
    ("xoxe-", _DASHED, 20, 10, "Slack token"),
    ("xoxp-", _DASHED, 20, 10, "Slack token"),
    ("xoxr-", _DASHED, 20, 10, "Slack token"),
    ("xoxs-", _DASHED, 20, 10, "Slack token"),
    ("sk-ant-", _DASHED, 32, 20, "Anthropic API key"),
    ("sk-", _DASHED, 32, 20, "API key"),
    ("sk_live_", _ALNUM, 24, 0, "Stripe key"),
    ("rk_live_", _ALNUM, 24, 0, "Stripe key"),
    ("npm_", _ALNUM, 36, 0, "npm token"),
    ("pypi-AgE", _DASHED, 50, 0, "PyPI token"),
    ("hf_", _ALNUM, 34, 0, "Hugging Face token"),
    ("AIza", _DASHED, 35, 0, "Google API key"),
)
_AWS_PREFIXES = ("AKIA", "ASIA")
_HEADER = "-----BEGIN "
_PLACEHOLDER_STARTS = ("$", "{", "%(", "%s")
_PLACEHOLDER_CHARS = frozenset("*.xX…")


def find_secret(text: str) -> str:
    """The kind of the first secret in `text`, or ''."""
    spans = _spans(text)
    return spans[0][2] if spans else ""


def redact(text: str) -> str:
    """`text` with `[redacted: kind]` in place of each secret."""
    # Twice, since a token right behind a key block begins a word only once that is replaced.
    return _replaced(_replaced(text))


def _replaced(text: str) -> str:
    parts = []
    at = 0
    for start, end, kind in _spans(text):
        parts += [text[at:start], "[redacted: ", kind, "]"]
        at = end
    return "".join(parts) + text[at:]


def _spans(text: str) -> "list[Span]":
    """Where the secrets are, in order; those that overlap are one, of the first one's kind."""
    found: "list[Span]" = []
    for prefix, chars, fewest, unbroken, kind in _TOKENS:
        if prefix in text:
            found += _tokens(text, prefix, chars, fewest, unbroken, kind)
    for prefix in _AWS_PREFIXES:
        if prefix in text:
            found += _aws_key_ids(text, prefix)
    for opening, shape in ((_HEADER, _private_keys), ("eyJ", _web_tokens), ("://", _passwords)):
        if opening in text:
            found += shape(text)
    found.sort(key=lambda span: span[0])
    apart: "list[Span]" = []
    for start, end, kind in found:
        if apart and start < apart[-1][1]:
            before = apart.pop()
            start, end, kind = before[0], max(before[1], end), before[2]
        apart.append((start, end, kind))
    return apart


def _tokens(
    text: str, prefix: str, chars: "frozenset[str]", fewest: int, unbroken: int, kind: str
) -> "Iterator[Span]":
    for start in _beginnings(text, prefix, chars | _ALNUM):
        body = start + len(prefix)
        end = _run(text, body, chars)
        if end - body < fewest:
            continue
        parts = text[body:end].replace("-", "_").split("_")
        if not unbroken or any(_is_random(part, unbroken, fewest) for part in parts):
            yield start, end, kind


def _is_random(part: str, unbroken: int, fewest: int) -> bool:
    """Whether a part of a token is no word: too long for one, or long and not in small letters only."""
    return len(part) >= fewest or (len(part) >= unbroken and not _LOWER.issuperset(part))


def _aws_key_ids(text: str, prefix: str) -> "Iterator[Span]":
    for start in _beginnings(text, prefix, _ALNUM):
        end = _run(text, start, _ALNUM)
        if end - start == 20 and not set(text[start:end]) & _LOWER:
            yield start, end, "AWS access key id"


def _beginnings(text: str, prefix: str, word: "frozenset[str]") -> "Iterator[int]":
    """Where `prefix` stands with none of `word` before it."""
    at = text.find(prefix)
    while at >= 0:
        if at == 0 or text[at - 1] not in word:
            yield at
        at = text.find(prefix, at + 1)


def _run(text: str, at: int, chars: "frozenset[str]") -> int:
    """The end of the stretch of `chars` that begins at `at`."""
    length = len(text)
    while at < length and text[at] in chars:
        at += 1
    return at


def _web_tokens(text: str) -> "Iterator[Span]":
    """JSON web tokens: three dotted parts, the first an encoded `{"`."""
    for start in _beginnings(text, "eyJ", _DASHED):
        end = _run(text, start, _DASHED)
        lengths = [end - start]
        while len(lengths) < 3 and text[end : end + 1] == ".":
            part = end + 1
            end = _run(text, part, _DASHED)
            lengths.append(end - part)
        if len(lengths) == 3 and min(lengths) >= 10:
            yield start, end, "JSON web token"


def _passwords(text: str) -> "Iterator[Span]":
    """The password of `scheme://user:password@host`."""
    at = text.find("://")
    while at >= 0:
        start = at + 3
        end = start
        while end < len(text) and text[end] > " " and text[end] not in "/?#\\\"'`<>|":
            end += 1
        user, colon, password = text[start:end].rpartition("@")[0].partition(":")
        host = text[start + len(user) + len(colon) + len(password) + 1 : end]
        if at and text[at - 1] in _SCHEME and _is_password(password) and _is_host(host):
            begin = start + len(user) + 1
            yield begin, begin + len(password), "password in a URL"
        at = text.find("://", end)


def _is_password(text: str) -> bool:
    return bool(text) and not text.startswith(_PLACEHOLDER_STARTS) and not _PLACEHOLDER_CHARS.issuperset(text)


def _is_host(text: str) -> bool:
    # A container image may be pinned as `docker://name:tag@sha256:…`.
    return bool(text) and (text[0] in _ALNUM or text[0] in "[_$") and not text.startswith("sha256:")


def _private_keys(text: str) -> "Iterator[Span]":
    """PEM blocks, up to their end line or, when it was cut off, the end of the text."""
    at = text.find(_HEADER)
    while at >= 0:
        label = at + len(_HEADER)
        body = _run(text, label, _UPPER | _DIGITS | {" "})
        name = text[label:body]
        next_from = body
        is_key = name.endswith(("PRIVATE KEY", "PRIVATE KEY BLOCK")) and text.startswith("-----", body)
        if is_key and _is_key_body(text, body + 5):
            closing = f"-----END {name}-----"
            close = text.find(closing, body)
            next_from = len(text) if close < 0 else close + len(closing)
            yield at, next_from, "private key"
        at = text.find(_HEADER, next_from)


def _is_key_body(text: str, at: int) -> bool:
    """Whether encoded lines follow the header, not a sentence that only mentions it."""
    at = _after_breaks(text, at)
    end = _run(text, at, _BASE64)
    if end - at >= 16 or text.startswith(("Proc-Type:", "Version:", "Comment:"), at):
        return True
    ends_line = text.startswith(("\n", "\r", "\\n", "\\r", "-----END"), end)
    return end > at and (ends_line or end == len(text))


def _after_breaks(text: str, at: int) -> int:
    """Past white space and line breaks, also those written as `\\n` in a quoted string."""
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text.startswith(("\\n", "\\r"), at):
            at += 2
        else:
            break
    return at
