"""The shapes of what well-known services issue, checked by plain code behind a literal mark.

A hit counts only where a word begins, and no stretch that is looked at is longer than a bound, or looked at
twice by one form: the time is linear.
"""

from vectr_hooks.core.secret_forms import (
    AWS_PREFIXES,
    INFIXES,
    KEY_HEADERS,
    LONG_TOKENS,
    PUTTY_HEADER,
    TOKENS,
    URL,
    WEB_TOKEN,
    WEBHOOKS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int, str]

DIGITS = frozenset("0123456789")
UPPER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
LETTERS = UPPER | LOWER
ALNUM = DIGITS | LETTERS
WORD = ALNUM | {"_"}
DASHED = WORD | {"-"}
BASE64 = ALNUM | frozenset("+/=")
_SCHEME = ALNUM | frozenset("+.-")
_DASH = frozenset("-")
_HEX = DIGITS | frozenset("abcdef")
_ALPHABETS = {
    "alnum": ALNUM,
    "base64": BASE64,
    "base64url": DASHED | frozenset("=%"),
    "dashed": DASHED,
    "digits": DIGITS,
    "django": DIGITS | LOWER | frozenset("!@#$%^&*(-_=+)"),
    "dotted": DASHED | {"."},
    "entra": DASHED | frozenset(".~"),
    "hex": _HEX,
    "word": WORD,
}
# Within a token, and also between a word and a token.
_JOINS = frozenset("+/=%!@#$^&*()")
_IN_WEBHOOKS = DASHED | frozenset("/@.")

# Fewer different characters than this are a stand-in: `ghp_xxxxxxxx…`.
_FEWEST_DIFFERENT = 4

# What stands in place of a password in an address, and hosts whose passwords open nothing elsewhere.
_PLAIN_PASSWORDS = frozenset(
    ("pass", "passwd", "password", "pw", "pwd", "changeme", "mypassword", "yourpassword")
)
_HARMLESS_HOSTS = ("localhost", "127.0.0.1", "[::1]", "example.com", "example.org", "example.net", ".example")
_LONGEST_PLAIN = 12

_PLACEHOLDER_STARTS = ("$", "{", "<", "%(", "%s", "[redacted")
_PLACEHOLDER_CHARS = frozenset("*.xX…")

# What stands before each line of a key in a quotation, a comment, a table, a listing, a program.
_IN_MARGINS = DIGITS | frozenset(">#|*+/\\-\"'`,.:;%\u2192\u2502")
_LONGEST_MARGIN = 40
_LONGEST_WORD = 20
_KEY_FIELDS = ("Proc-Type:", "Version:", "Comment:")

# Of a longer value only the beginning is looked at.
LONGEST_VALUE = 512
# A random part is at least so long.
SHORT = 16


def by_shape(text: str) -> "Iterator[Span]":
    """Where secrets stand that are known by their own shape: from, up to, and of which kind."""
    for prefix, alphabet, fewest, most, unbroken, kind in (*TOKENS, *LONG_TOKENS):
        if prefix in text:
            yield from _tokens(text, prefix, _ALPHABETS[alphabet], fewest, most, unbroken, kind)
    for infix in INFIXES:
        if infix[0] in text:
            yield from _around(text, *infix)
    for opening, fewest, kind in WEBHOOKS:
        if opening in text:
            yield from _webhooks(text, opening, fewest, kind)
    for prefix in AWS_PREFIXES:
        if prefix in text:
            yield from _aws_key_ids(text, prefix)
    lowered = in_small_letters(text)
    for header in KEY_HEADERS:
        if header in lowered:
            yield from _private_keys(text, lowered, header)
    for mark, shape in ((PUTTY_HEADER, _putty_keys), (WEB_TOKEN, _web_tokens), (URL, _passwords)):
        if mark in text:
            yield from shape(text)


def _tokens(
    text: str, prefix: str, chars: "frozenset[str]", fewest: int, most: int, unbroken: int, kind: str
) -> "Iterator[Span]":
    # Short prefixes before mere hexadecimal digits are the ends of longer words: `cache-key-…`.
    word = DASHED if chars is _HEX else chars - _JOINS | ALNUM
    for start in beginnings(text, prefix, word):
        body = start + len(prefix)
        end = run(text, body, chars)
        # The end of a sentence is none of a token's.
        token = text[body:end].rstrip(".")
        if len(token) < fewest or (most and len(token) > most) or text[end : end + 1] in ALNUM:
            continue
        parts = token.replace("-", "_").replace(".", "_").split("_")
        random = not unbroken or any(_is_random(part, unbroken, fewest) for part in parts)
        if random and len(set(token)) >= _FEWEST_DIFFERENT:
            yield start, body + len(token), kind


def _is_random(part: str, unbroken: int, fewest: int) -> bool:
    """Whether a part of a token is no word: too long for one, or long and not in small letters only."""
    return len(part) >= fewest or (len(part) >= unbroken and not LOWER.issuperset(part))


def _around(
    text: str, mark: str, before: str, least: int, most: int, after: str, fewest: int, largest: int, kind: str
) -> "Iterator[Span]":
    """What has a service's sign in its middle."""
    leading, trailing = _ALPHABETS[before], _ALPHABETS[after]
    at = text.find(mark)
    while at >= 0:
        start = at
        while start > 0 and at - start <= most and text[start - 1] in leading:
            start -= 1
        body = at + len(mark)
        token = text[body : body + largest + 2]
        token = token[: run(token, 0, trailing)].rstrip(".")
        if least <= at - start <= most and fewest <= len(token) <= largest:
            yield start, body + len(token), kind
        at = text.find(mark, body)


def _webhooks(text: str, opening: str, fewest: int, kind: str) -> "Iterator[Span]":
    for start in beginnings(text, opening, frozenset()):
        body = start + len(opening)
        path = text[body : body + LONGEST_VALUE]
        path = path[: run(path, 0, _IN_WEBHOOKS)].rstrip("./")
        last = path.rpartition("/")[2]
        if len(path) >= fewest and len(last) >= SHORT and len(set(last)) >= _FEWEST_DIFFERENT:
            yield body, body + len(path), kind


def _aws_key_ids(text: str, prefix: str) -> "Iterator[Span]":
    for start in beginnings(text, prefix, ALNUM):
        end = run(text, start, ALNUM)
        id = set(text[start + len(prefix) : end])
        if end - start == 20 and not id & LOWER and len(id) >= _FEWEST_DIFFERENT:
            yield start, end, "AWS access key id"


def in_small_letters(text: str) -> str:
    """`text` in small letters, each in its place."""
    # This capital alone becomes two characters.
    return text.replace("\u0130", "I").lower()


def beginnings(text: str, prefix: str, word: "frozenset[str]") -> "Iterator[int]":
    """Where `prefix` stands with none of `word` before it."""
    at = text.find(prefix)
    while at >= 0:
        if at == 0 or text[at - 1] not in word:
            yield at
        at = text.find(prefix, at + 1)


def run(text: str, at: int, chars: "frozenset[str]") -> int:
    """The end of the stretch of `chars` that begins at `at`."""
    length = len(text)
    while at < length and text[at] in chars:
        at += 1
    return at


def _web_tokens(text: str) -> "Iterator[Span]":
    """JSON web tokens: three dotted parts, the first an encoded `{"`."""
    for start in beginnings(text, WEB_TOKEN, DASHED):
        end = run(text, start, DASHED)
        lengths = [end - start]
        while len(lengths) < 3 and text[end : end + 1] == ".":
            part = end + 1
            end = run(text, part, DASHED)
            lengths.append(end - part)
        if len(lengths) == 3 and min(lengths) >= 10:
            yield start, end, "JSON web token"


def _passwords(text: str) -> "Iterator[Span]":
    """The password of `scheme://user:password@host`."""
    at = text.find(URL)
    while at >= 0:
        start = at + 3
        end = start
        while end < len(text) and text[end] > " " and text[end] not in "/?#\\\"'`<>|":
            end += 1
        user, colon, password = text[start:end].rpartition("@")[0].partition(":")
        host = text[start + len(user) + len(colon) + len(password) + 1 : end]
        known = at and text[at - 1] in _SCHEME and _is_host(host)
        if known and is_password_text(password) and not is_stand_in(user, password, host):
            begin = start + len(user) + 1
            yield begin, begin + len(password), "password in a URL"
        at = text.find(URL, end)


def is_password_text(text: str) -> bool:
    return bool(text) and not text.startswith(_PLACEHOLDER_STARTS) and not _PLACEHOLDER_CHARS.issuperset(text)


def is_stand_in(user: str, password: str, host: str = "") -> bool:
    """Whether a user's password keeps nothing secret: it is the user's name again, a plain word for the
    machine itself or for a host of which only examples are made or, with no host, says that it is one.
    """
    if not LOWER.issuperset(password) or len(password) > _LONGEST_PLAIN:
        return False
    name = host.partition("/")[0]
    name = name if name.startswith("[") else name.partition(":")[0]
    return password == user or name.endswith(_HARMLESS_HOSTS) or (not host and password in _PLAIN_PASSWORDS)


def _is_host(text: str) -> bool:
    # A container image may be pinned as `docker://name:tag@sha256:…`.
    return bool(text) and (text[0] in ALNUM or text[0] in "[_$") and not text.startswith("sha256:")


def _private_keys(text: str, lowered: str, header: str) -> "Iterator[Span]":
    """PEM blocks, up to their end line or, when it was cut off, the end of the text."""
    dashes = header.partition("begin")[0]
    at = lowered.find(header)
    while at >= 0:
        label = at + len(header)
        body = run(lowered, label, LOWER | DIGITS | {" "})
        name = lowered[label:body]
        next_from = body
        is_key = name.rstrip().endswith(("private key", "private key block"))
        if is_key and text.startswith("----", body) and _is_key_body(text, run(text, body, _DASH)):
            closing = f"{dashes}end {name}----"
            close = lowered.find(closing, body)
            next_from = len(text) if close < 0 else run(text, close + len(closing), _DASH)
            yield at, next_from, "private key"
        at = lowered.find(header, next_from)


def _is_key_body(text: str, at: int) -> bool:
    """Whether encoded lines follow the header, not a sentence that only mentions it."""
    at = _after_breaks(text, at)
    end = run(text, at, BASE64)
    if end - at >= SHORT or text.startswith(_KEY_FIELDS, at):
        return True
    ends_line = text.startswith(("\n", "\r", "\\n", "\\r", "-----END"), end)
    if end > at and (ends_line or end == len(text)):
        return True
    return _is_quoted_key_body(text, at)


def _is_quoted_key_body(text: str, at: int) -> bool:
    """Whether encoded lines follow that each stand behind a mark: a quotation, a comment, a line's number."""
    last = min(len(text), at + _LONGEST_MARGIN)
    while at < last and (text[at] in _IN_MARGINS or text[at].isspace()):
        at = max(at + 1, _after_breaks(text, at))
    line = text[at : at + _LONGEST_MARGIN]
    line = line[: run(line, 0, BASE64)]
    encoded = len(line) >= _LONGEST_WORD and not (LOWER.isdisjoint(line) or UPPER.isdisjoint(line))
    return encoded or text.startswith(_KEY_FIELDS, at)


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


def _putty_keys(text: str) -> "Iterator[Span]":
    """Key files of PuTTY, up to the line that authenticates them or, when it was cut off, the text's end."""
    at = text.find(PUTTY_HEADER)
    while at >= 0:
        secret = text.find("Private-Lines: ", at)
        if secret < 0:
            return
        mac = text.find("Private-MAC: ", secret)
        end = len(text) if mac < 0 else run(text, mac + len("Private-MAC: "), ALNUM)
        yield at, end, "private key"
        at = text.find(PUTTY_HEADER, end)
