"""The values of what is named like a secret, and of the headers and lines in which secrets are sent.

What a person wrote in place of a value, a reference to one, and ordinary words are no secrets. The time is
linear, as in `core/secret_shapes.py`.
"""

from vectr_hooks.core.secret_forms import (
    AFTER_NAME,
    AUTHORIZATION,
    BEARER,
    CURL,
    NAMES,
    NETRC,
    OPTION,
    SETTERS,
    USER_OPTION,
)
from vectr_hooks.core.secret_shapes import (
    ALNUM,
    BASE64,
    DASHED,
    DIGITS,
    LETTERS,
    LONGEST_VALUE,
    LOWER,
    SHORT,
    UPPER,
    WORD,
    beginnings,
    in_small_letters,
    is_password_text,
    is_stand_in,
    run,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from vectr_hooks.core.secret_shapes import Span

_USER_OPTIONS = (USER_OPTION, "--user", "--proxy-user")
_ENDS_COMMAND = frozenset("|;\n")
_OPENS_NAME = "\"'`(*-_"
_IN_GAPS = frozenset(" \t\r\n\\\"'`:=+")
_LONGEST_GAP = 12
_IN_HEADERS = DASHED | frozenset("._~+/=")
_NAME = DASHED | {"."}

# `key` names something secret behind one of these.
_SECRET_KEYS = (
    "access", "account", "admin", "api", "app", "auth", "client", "encryption", "hmac", "jwt", "license",
    "master", "private", "secret", "service", "shared", "sharedaccess", "signing", "storage", "webhook",
)  # fmt: skip
# And `token` does not, behind one of these.
_OPEN_TOKENS = (
    "bos", "cancel", "cancellation", "color", "continuation", "csrf", "cursor", "design", "eos", "mask",
    "next", "pad", "page", "public", "publickey", "resume", "sync", "unk", "xsrf",
)  # fmt: skip
_KEYS_OF_CHAINS = ("privatekey", "secretkey", "signingkey", "secret")
_PASSWORD_NAMES = ("password", "passwd", "passphrase", "pwd", "pass")
_LONGEST_NAME = 64
_LONGEST_TYPE = 40
_LONGEST_SETTER = 80
_QUOTES = frozenset("\"'`")
_BEFORE_USER = _QUOTES | frozenset(" =")
_ENDS_VALUE = "\"'`;,&|<>(){}[]\\"
_OPENS_CALL = frozenset("([{")
_IN_TYPES = _NAME | frozenset("[]|?<> ")
_ENDS_WORD = frozenset(";&\"'`\\")
_BEFORE_WORD = frozenset(":;?&\"'`")
_NOT_VALUES = ("$", "{", "<", "%", "/", "./", "../", "~", "0x", "[", "@", "(", "#", "*")
# Of these no value is made that was drawn by lot.
_SEQUENCES = ("12345678", "abcdefgh", "ABCDEFGH", "xxxxxxxx", "XXXXXXXX", "00000000", "your", "YOUR")
# What people write in place of a short password, and names of ways to keep one.
_STAND_INS = (
    "...", "123", "1pass", "abc", "admin", "argon", "bar", "base64", "changeme", "crypt", "demo", "dummy",
    "example", "fake", "foo", "hash", "hs256", "keepass", "local", "md5", "none", "null", "oauth", "passw",
    "pbkdf", "placeholder", "qwerty", "redacted", "sample", "secret", "sha", "string", "test", "todo",
    "token", "user", "utf", "varchar", "vault", "xxx", "your", "…",
)  # fmt: skip
_MARKED = frozenset("!@#$%^&*+=?~")


def by_name(text: str) -> "Iterator[Span]":
    """Where secrets stand that are known by what stands before them: from, up to, and of which kind."""
    lowered = in_small_letters(text)
    if BEARER in lowered:
        yield from _borne(text, lowered)
    if AUTHORIZATION in lowered:
        yield from _authorizing(text, lowered)
    if CURL in lowered:
        yield from _of_users(text, lowered)
    if NETRC in lowered:
        yield from _netrc(text)
    for name in NAMES:
        if name in lowered:
            yield from _assigned(text, lowered, name)


def _borne(text: str, lowered: str) -> "Iterator[Span]":
    """What follows `Bearer`, where it is no word."""
    for start in beginnings(lowered, BEARER, WORD):
        yield from _sent(text, _after_gap(text, start + len(BEARER)))


def _authorizing(text: str, lowered: str) -> "Iterator[Span]":
    """What follows `Authorization:`, behind the name of any scheme or of none."""
    for start in beginnings(lowered, AUTHORIZATION, frozenset()):
        place = _value_place(text, start + len(AUTHORIZATION))
        if place < 0:
            continue
        scheme = _after_gap(text, place)
        end = scheme + run(text[scheme : scheme + SHORT], 0, DASHED)
        yield from _sent(text, scheme)
        at = _after_gap(text, end)
        value = _sent_value(text, at)
        if lowered[scheme:end] == "basic" and _is_basic(value):
            yield at, _whole_end(text, at, value), "authorization header"
        elif at > end > scheme:
            yield from _sent(text, at)


def _after_gap(text: str, at: int) -> int:
    return at + run(text[at : at + _LONGEST_GAP], 0, _IN_GAPS)


def _sent(text: str, at: int) -> "Iterator[Span]":
    value = _sent_value(text, at)
    before = text[at - 1 : at]
    if before in _IN_GAPS and (_is_drawn(value) or _is_uuid(value, plain=True)):
        yield at, _whole_end(text, at, value), "authorization header"


def _sent_value(text: str, at: int) -> str:
    value = text[at : at + LONGEST_VALUE]
    return value[: run(value, 0, _IN_HEADERS)].rstrip(".")


def _of_users(text: str, lowered: str) -> "Iterator[Span]":
    """The password of `curl -u user:password`."""
    for option in _USER_OPTIONS:
        for start in beginnings(lowered, option, WORD | {"-"}):
            before = lowered[max(0, start - LONGEST_VALUE) : start].replace("\\\n", "").rpartition(CURL)
            if not before[1] or not _ENDS_COMMAND.isdisjoint(before[2]):
                continue
            at = start + len(option)
            at += run(text[at : at + _LONGEST_GAP], 0, _BEFORE_USER)
            user, colon, password = text[at : _word_end(text, at, "\"'`")].rstrip(".,;").partition(":")
            begin = at + len(user) + len(colon)
            told = is_password_text(user) and is_password_text(password) and not LETTERS.isdisjoint(password)
            if told and not is_stand_in(user, password):
                yield begin, begin + len(password), "password"


def _is_basic(value: str) -> bool:
    from binascii import a2b_base64

    try:
        user, colon, password = a2b_base64(value.encode()).partition(b":")
    except ValueError:
        return False
    return bool(user and colon and password) and password.decode("latin-1").isprintable()


def _netrc(text: str) -> "Iterator[Span]":
    """The password of `machine host login user password …`."""
    at = text.find(NETRC)
    while at >= 0:
        words = _words(text, at, 6)
        if len(words) == 6:
            told = [text[start:end] for start, end in words]
            host, password = told[1], told[5]
            if (told[2], told[4]) == ("login", "password") and "." in host and is_password_text(password):
                yield (*words[5], "password")
        at = text.find(NETRC, at + 1)


def _words(text: str, at: int, most: int) -> "list[tuple[int, int]]":
    """Where the first words from `at` on begin and end, within a bound."""
    found: "list[tuple[int, int]]" = []
    last = min(len(text), at + LONGEST_VALUE)
    while at < last and len(found) < most:
        while at < last and text[at].isspace():
            at += 1
        start = at
        while at < last and not text[at].isspace():
            at += 1
        if at > start:
            found.append((start, at))
    return found


def _assigned(text: str, lowered: str, name: str) -> "Iterator[Span]":
    """The value of something whose name ends in `name`, in any of the ways in which it is given one."""
    at = lowered.find(name)
    while at >= 0:
        end = at + len(name)
        place = _value_place(text, end)
        given = place < 0 and text.startswith(" ", end)
        if place >= 0 or given:
            whole, start = _whole_name(text, lowered, at, end)
            if given and _takes_value(lowered, start):
                place = _after_spaces(text, end)
            if place >= 0 and _names_secret(whole, name):
                yield from _value(text, start, end, place, whole, given)
        at = lowered.find(name, end)


def _takes_value(lowered: str, start: int) -> bool:
    """Whether the word after the name that begins at `start` is its value, as in `--token X`."""
    if lowered.startswith(OPTION, start):
        return True
    before = lowered[max(0, start - _LONGEST_SETTER) : start]
    # The address of a registry may stand before the name: `//registry.npmjs.org/:_authToken`.
    return (before.rstrip() if before.endswith((" ", "\t")) else before.rpartition(" ")[0]).endswith(SETTERS)


def _value_place(text: str, end: int) -> int:
    """Where the value begins that is assigned to the name that ends at `end`; -1 where none is."""
    at = end
    while at < len(text) and at - end < 12 and text[at] in AFTER_NAME:
        at += 1
    if text.startswith((":=", "=>"), at):
        at += 2
    elif text[at : at + 1] in (":", "=", ">") and text[at + 1 : at + 2] not in (":", "=", "~", ">"):
        at += 1
    else:
        return -1
    at = _after_spaces(text, at)
    if text[at : at + 1] not in _QUOTES:
        # A type stands between: `password: str = "…"`.
        then = text.find("=", at, at + _LONGEST_TYPE)
        if then > at and text[then - 1] == " " and _IN_TYPES.issuperset(text[at:then]):
            at = _after_spaces(text, then + 1)
    return at


def _after_spaces(text: str, at: int) -> int:
    most = at + 12
    while at < min(len(text), most) and text[at] in " \t":
        at += 1
    return at


def _whole_name(text: str, lowered: str, at: int, end: int) -> "tuple[str, int]":
    """The name that ends at `end`, in small letters and without what joins its words, and where it begins."""
    start = at
    while start > 0 and at - start < _LONGEST_NAME and text[start - 1] in _NAME:
        start -= 1
    words = lowered[start:end].replace("-", "_").replace(".", "_")
    if words == "key":
        # The words of this name may stand apart: `api key`.
        before = lowered[max(0, start - _LONGEST_NAME) : start].rpartition("\n")[2]
        first = (
            before.rstrip(" ")[-_LONGEST_NAME:].split(" ")[-1].lstrip(_OPENS_NAME)
            if before.endswith(" ")
            else ""
        )
        return first + words, start
    # A short name must be a word by itself: `pwd`, and neither `design` nor `bypass`.
    if lowered[at:end] in ("pwd", "sig", "auth") and start < at:
        joined = words[at - start - 1] == "_" or text[at].isupper() > text[at - 1].isupper()
        if not joined:
            return "", start
    return words.replace("_", ""), start


def _names_secret(whole: str, name: str) -> bool:
    if name == "key":
        return whole[: -len("key")].endswith(_SECRET_KEYS)
    if name == "token":
        return not whole[: -len("token")].endswith(_OPEN_TOKENS)
    return bool(whole)


def _value(text: str, name: int, name_end: int, at: int, whole: str, given: bool) -> "Iterator[Span]":
    """The value that begins at `at`, where it is a secret; the name is `text[name:name_end]`.

    `whole` is that name in one word, and `given` says that its value follows without a sign between.
    """
    # Of a literal in code, and of one that stands in a quoted text.
    if text[at : at + 1] in ("f", "b", "r", "u", "F") and text[at + 1 : at + 2] in _QUOTES:
        at += 1
    escaped = text[at : at + 1] == "\\" and text[at + 1 : at + 2] in _QUOTES
    at += escaped
    quoted = text[at : at + 1] in _QUOTES
    if quoted:
        end = text.find("\\" if escaped else text[at], at + 1, at + LONGEST_VALUE)
        at += 1
        plain = end > at
        if end < 0:
            end = min(len(text), at + LONGEST_VALUE)
    else:
        end = _word_end(text, at)
        plain = given or (text[at - 1] == "=" and at - 1 == name_end and _stands_alone(text, name, end))
    value = text[at:end] if quoted else text[at:end].rstrip(".:…")
    is_password = whole.endswith(_PASSWORD_NAMES)
    if whole.endswith(_KEYS_OF_CHAINS) and _is_chain_key(value):
        yield at, end, "assigned secret"
    if len(value.split()) != 1 or value.startswith(_NOT_VALUES) or text[end : end + 1] in _OPENS_CALL:
        return
    if text[name:name_end] == "auth":
        # Of a registry, in the settings of a container engine: the name alone says nothing.
        if quoted and _is_basic(value):
            yield at, end, "assigned secret"
        return
    if _is_drawn(value) or _is_uuid(value, plain) or (is_password and _is_chosen(value, plain, quoted)):
        yield at, _whole_end(text, at, value), "password" if is_password else "assigned secret"


def _is_chain_key(value: str) -> bool:
    """Whether `value` is a number of 256 bits, as the keys of block chains are written."""
    digits = value[len("0x") :].lower()
    return value.startswith("0x") and len(digits) == 64 and _is_drawn_part(digits)


def _whole_end(text: str, at: int, value: str) -> int:
    """The end of a secret of which only the beginning, `value`, was looked at where it is very long."""
    end = at + len(value)
    return run(text, end, _IN_HEADERS) if len(value) + 2 >= LONGEST_VALUE else end


def _word_end(text: str, at: int, stops: str = _ENDS_VALUE) -> int:
    near = text[at : at + LONGEST_VALUE]
    word = "" if near[:1].isspace() else near.split(None, 1)[0] if near else ""
    for stop in stops:
        word = word.partition(stop)[0]
    return at + len(word)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is a word as in a shell, an environment file, or an address."""
    before, after = text[start - 1] if start else " ", text[end] if end < len(text) else " "
    return (before.isspace() or before in _BEFORE_WORD) and (after.isspace() or after in _ENDS_WORD)


def _is_drawn(value: str) -> bool:
    """Whether `value` holds a stretch that was drawn by lot: long, and unlike words that were joined."""
    if len(value) < SHORT or any(sequence in value for sequence in _SEQUENCES) or "(" in value:
        return False
    # As some services make them: 40 characters in which nothing else can be relied on.
    if len(value) == 40 and BASE64.issuperset(value) and _changes(value) >= 14 and _mixed(value):
        return True
    plain = value.replace("+", "").replace("%2B", "").replace("%2F", "").rstrip("=")
    return any(_is_drawn_part(part) for part in _parts(plain))


def _parts(value: str) -> "list[str]":
    for separator in "-.:/~!@#$%^&*,?=|":
        value = value.replace(separator, "_")
    return value.split("_")


def _is_drawn_part(part: str) -> bool:
    length = len(part)
    if length < SHORT or not ALNUM.issuperset(part) or len(set(part)) < 8:
        return False
    digits = sum(character in DIGITS for character in part)
    if LOWER.isdisjoint(part) or UPPER.isdisjoint(part):
        return length >= 20 and digits * 6 >= length and digits < length
    # Capitals and digits stand in words too, but not so often.
    changes = _changes(part)
    return changes * 100 >= length * (45 if digits else 52) and (digits > 0 or length >= 20)


def _changes(text: str) -> int:
    """How many stretches of one sort of character `text` has."""
    sorts = [0 if c in DIGITS else 1 if c in LOWER else 2 if c in UPPER else 3 for c in text]
    return 1 + sum(one != other for one, other in zip(sorts, sorts[1:]))


def _mixed(text: str) -> bool:
    return not (LOWER.isdisjoint(text) or UPPER.isdisjoint(text) or DIGITS.isdisjoint(text))


def _is_uuid(value: str, plain: bool) -> bool:
    shape = [len(part) for part in value.split("-")]
    return plain and shape == [8, 4, 4, 4, 12] and len(set(value)) >= 8


def _is_chosen(value: str, plain: bool, quoted: bool) -> bool:
    """Whether `value` looks like a password that a person chose, and like nothing else."""
    lowered = value.lower()
    if not 6 <= len(value) <= 64 or len(set(value)) < 5 or any(word in lowered for word in _STAND_INS):
        return False
    if any(opening in value for opening in ("{", "<", "$(", "(")) or LETTERS.isdisjoint(value):
        return False
    marked = not _MARKED.isdisjoint(value)
    if len(value) >= 8 and marked and _mixed(value):
        return True
    if not plain or DIGITS.isdisjoint(value) or (not quoted and "." in value):
        return False
    # A constant's or a variable's name, a version, a path.
    return "_" not in value and "/" not in value and not value.startswith("-")
