"""Every secret here is put together from pieces, so that no scanner takes this file for a leak."""

import base64
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.secret_samples import PLACED, TOKENS
from vectr_hooks.core.secret_forms import may_hold_secret
from vectr_hooks.core.secret_shapes import by_shape
from vectr_hooks.core.secret_values import by_name
from vectr_hooks.core.secrets import find_secret, redact

TEXTS = Path(__file__).parents[1] / "texts"
SENTENCES = (TEXTS / "ordinary_sentences.txt").read_text("utf-8").splitlines()
CODE = (TEXTS / "ordinary_code.txt").read_text("utf-8").split("%%\n")

MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"
LONG = MIXED * 6
PEM = "-----" + "BEGIN {0}-----"
END = "-----" + "END {0}-----"
KEY_LINES = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7\n"


def pem(label, body):
    return f"{PEM.format(label)}\n{body}{END.format(label)}"


def joined(*pieces):
    return "".join(pieces)


SECRETS = [
    (joined("AK", "IA", "IOSFODNN7EXAMPLE"), "AWS access key id"),
    (joined("AS", "IA", "ABCDEFGHIJKLMNOP"), "AWS access key id"),
    *((joined("gh", letter, "_", LONG[:36]), "GitHub token") for letter in "pousr"),
    (joined("github", "_pat_", LONG[:22], "_", LONG[:59]), "GitHub token"),
    (joined("gl", "pat-", "aB3-dE6_gH9jK2mN5pQ8"), "GitLab token"),
    (joined("xo", "xb-", "123456789012-123456789012-", MIXED), "Slack token"),
    (joined("xo", "xp-", "123456789012-", MIXED), "Slack token"),
    (joined("sk", "-ant-", "api03-", LONG[:40], "-", LONG[:40], "_AA"), "Anthropic API key"),
    (joined("sk", "-", LONG[:48]), "API key"),
    (joined("sk", "-proj-", LONG[:60], "-", LONG[:60]), "API key"),
    (joined("sk", "_live_", LONG[:24]), "Stripe key"),
    (joined("np", "m_", LONG[:36]), "npm token"),
    (joined("py", "pi-", "AgEIcHlwaS5vcmc", LONG[:60]), "PyPI token"),
    (joined("h", "f_", LONG[:34]), "Hugging Face token"),
    (joined("AI", "za", LONG[:35]), "Google API key"),
    (joined("ey", "JhbGciOiJIUzI1NiJ9", ".", "ey", "JzdWIiOiIxMjM0In0", ".", LONG[:43]), "JSON web token"),
    (pem("PRIVATE KEY", KEY_LINES), "private key"),
    (pem("RSA PRIVATE KEY", KEY_LINES), "private key"),
    (pem("OPENSSH PRIVATE KEY", "abc\n"), "private key"),
    (pem("PGP PRIVATE KEY BLOCK", "\nlQOYBF\n=abcd\n"), "private key"),
    (pem("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\n\n" + KEY_LINES), "private key"),
    (pem("EC PRIVATE KEY", KEY_LINES).replace("\n", "\\n"), "private key"),
    (pem("EC PRIVATE KEY", KEY_LINES).replace("\n", "\r\n"), "private key"),
]

PASSWORDS = [
    ("https://user:", "pass", "@host"),
    ("https://user:", "pass1", "@host"),
    ("https://deploy:", "kestrel", "@host"),
    ("https://admin:", "Adm1n", "@host/"),
    ("postgres://app:", "kestrel7", "@localhost/app"),
    ("https://app:", "kestrel", "@not-localhost.dev"),
    ("postgres://admin:", "hunter2", "@db.example.com:5432/app"),
    ("redis://:", "s3cret", "@localhost"),
    ("jdbc:mysql://root:", "p@ss", "@[::1]/x"),
    ("amqp+ssl://u:", "a:b", "@h"),
    ("mongodb://u:", "%21x", "@h1,h2/db"),
]

ORDINARY = [
    "",
    "pip install sk-learn",
    "the class sk-loading-indicator-container-wrapper-2 of the spinner",
    "sk-internationalization-settings-panel-header",
    "AKIA",
    "an AKIA prefix, ASIA too",
    joined("AK", "IA", "IOSFODNN7EXAMPL"),
    joined("AK", "IA", "IOSFODNN7EXAMPLES"),
    joined("AK", "IA", "iosfodnn7example"),
    joined("x", "AK", "IA", "IOSFODNN7EXAMPLE"),
    joined("gh", "p_", LONG[:35]),
    joined("_gh", "p", LONG),
    "github_pat_ starts a fine-grained token",
    "github_pat_of_a_user_who_writes_very_long_names_in_small_letters_only_really",
    "glpat-your-token-goes-here-please",
    "xoxb-your-bot-token-goes-here-please",
    "sk-ant-your-key-goes-here-and-nowhere-else",
    "npm_config_registry and npm_package_name_of_the_workspace_we_build_in",
    "hf_hub_download(repo_id)",
    "AIzawa lives here",
    "pypi-AgE",
    "eyJ.eyJ.sig",
    joined("ey", "JhbGciOiJIUzI1NiJ9", ".", "ey", "JzdWIiOiIxMjM0In0"),
    "https://host/@x",
    "https://host:8080/@scope/package",
    "https://host/a:b@c",
    "https://host?next=a:b@c",
    "postgres://user@host",
    "ssh://git@github.com:22/x",
    "git@github.com:x",
    "docker://alpine:3.18@sha256:abc",
    "https://${USER}:${PASSWORD}@host",
    "https://user:$PASSWORD@host",
    "https://user:{password}@host",
    "https://user:<password>@host",
    "https://user:***@host",
    "https://user:%(password)s@host",
    "https://user:@host",
    "https://user:pass@example.com/x",
    "postgres://postgres:postgres@localhost:5432/app",
    "postgres://app:kestrel@127.0.0.1/app",
    "redis://:kestrel@localhost",
    "amqp://guest:guest@rabbit:5672",
    "curl -u user:password https://a.test",
    "curl -u $NAME:$WORD https://a.test",
    'curl -u "{name}:{word}" https://a.test',
    "curl https://a.test | docker run -u 1000:1000 img; id -u app:kestrel1",
    "mysql --password PASSWORD, or --password-file db1.txt",
    "deploy --token TOKEN2 --api-key YOUR_KEY1",
    "setenv API_TOKEN mytoken1",
    "Authorization: Bearer <token>, Authorization: token $TOKEN",
    "authorization: internationalization-settings-panel",
    '"auth": "required", "auth": "oauth2-client-credentials"',
    "the api key: see internationalization-settings",
    "patterns.of.internationalization.settings.panels",
    "SECRET_KEY = 'django-insecure-change-me'",
    "storageKey: 0x" + "a1b2c3d4e5f60718" * 4,
    "https://discord.com/api/v10/webhooks/{id}/{token}",
    "https://user:pw@",
    "://user:pw@host",
    "//user:pw@host",
    "user:pw@host",
    "C://",
    joined("-----", "BEGIN PUBLIC KEY-----\n", KEY_LINES),
    joined("-----", "BEGIN CERTIFICATE-----\n", KEY_LINES),
    joined("files that start with `", "-----", "BEGIN PRIVATE KEY-----` are refused"),
    joined("-----", "BEGIN PRIVATE KEY-----\nis the first line of such a file"),
    joined("> -----", "BEGIN PRIVATE KEY-----\n> is the first line of such a file"),
    joined("- `-----", "BEGIN PRIVATE KEY-----`\n- internationalization of the settings"),
    joined("-----", "BEGIN PRIVATE KEY-----` / `-----", "END PRIVATE KEY-----`"),
    joined("-----", "BEGIN PRIVATE KEY-----"),
    joined("-----", "BEGIN PRIVATE KEY"),
]


@pytest.mark.parametrize(("secret", "kind"), SECRETS)
@pytest.mark.parametrize("around", ["{}", "key={}", "the key '{}', rotated", "表 {} 表", "\n{}\n"])
def test_a_secret_is_found_and_only_it_is_redacted(secret, kind, around):
    assert find_secret(around.format(secret)) == kind
    assert redact(around.format(secret)) == around.format(f"[redacted: {kind}]")


@pytest.mark.parametrize(("before", "password", "after"), PASSWORDS)
def test_of_a_url_only_the_password_is_redacted(before, password, after):
    text = f"connect to {before}{password}{after} first"
    assert find_secret(text) == "password in a URL"
    assert redact(text) == f"connect to {before}[redacted: password in a URL]{after} first"


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_holds_no_secret(text):
    assert find_secret(text) == ""
    assert redact(text) == text


@pytest.mark.parametrize(
    "around", ["{}", "key={}", "the key '{}', rotated", "It is {}. Rotate it.", "表 {} 表"]
)
@pytest.mark.parametrize(
    ("secret", "kind"), [sample[1:] for sample in TOKENS], ids=[what for what, *_ in TOKENS]
)
def test_a_token_of_a_service_is_found_wherever_a_word_may_stand(secret, kind, around):
    assert redact(around.format(secret)) == around.format(f"[redacted: {kind}]")


@pytest.mark.parametrize(
    ("before", "secret", "after", "kind"),
    [sample[1:] for sample in PLACED],
    ids=[what for what, *_ in PLACED],
)
def test_what_stands_where_secrets_stand_is_found_and_only_it_is_redacted(before, secret, after, kind):
    assert find_secret(before + secret + after) == kind
    assert redact(before + secret + after) == f"{before}[redacted: {kind}]{after}"


@pytest.mark.parametrize("text", SENTENCES + CODE)
def test_a_note_about_secrets_holds_none(text):
    assert redact(text) == text


def test_the_ordinary_texts_are_many():
    assert len(SENTENCES) >= 300
    assert len(CODE) >= 20


def test_nothing_that_programs_draw_by_lot_is_a_secret_by_itself():
    """Digests, identifiers and encoded bytes, as they stand in notes about builds and data."""
    lot = random.Random(7)
    for _ in range(2000):
        size = lot.choice((4, 8, 16, 20, 32, 64))
        digest = lot.randbytes(size).hex()
        encoded = base64.b64encode(lot.randbytes(lot.randrange(8, 120))).decode()
        for text in (
            f"commit {digest}",
            f"sha256:{digest}",
            f"image@sha256:{digest}",
            f"{digest[:8]}-{digest[:4]}-4{digest[:3]}-a{digest[1:4]}-{digest[:12]}",
            f"app.{digest[:8]}.min.css",
            f"data:image/png;base64,{encoded}",
            f"sha512-{encoded}",
            encoded,
            encoded.replace("+", "-").replace("/", "_"),
        ):
            assert redact(text) == text


@pytest.mark.parametrize(
    "text", [*(secret for _, secret, _ in TOKENS), *(b + s + a for _, b, s, a, _ in PLACED)]
)
def test_the_quick_look_passes_no_secret_by(text):
    assert may_hold_secret(text)
    assert may_hold_secret(f"a line\nand {text}\n")


def test_the_quick_look_spares_most_texts_the_long_one():
    plain = [
        text
        for text in SENTENCES
        if not any(word in text.lower() for word in ("pass", "key", "token", "secr"))
    ]
    assert sum(map(may_hold_secret, plain)) < len(plain) / 3


pieces = st.sampled_from(
    [secret for secret, _ in SECRETS]
    + ["".join(p) for p in PASSWORDS]
    + ORDINARY
    + [" ", "\n", "x", "-", "@", ":"]
)
assigned = st.text(alphabet="abZ019 =:'\"<>-_.\n", max_size=80).map("password{}".format)


@given(assigned)
def test_whatever_is_assigned_redacting_it_once_is_enough(text):
    once = redact(text)
    assert redact(once) == once


@given(st.lists(pieces, max_size=4).map("".join) | assigned)
def test_the_quick_look_passes_nothing_by_that_the_long_one_finds(text):
    if [*by_shape(text), *by_name(text)]:
        assert may_hold_secret(text)


@pytest.mark.parametrize("opening", ["api_key=", 'token: "', "Authorization: Bearer ", "secret: "])
def test_a_secret_of_any_length_is_redacted_whole(opening):
    assert redact(f"{opening}{MIXED * 100} next").startswith(f"{opening}[redacted: ")
    assert redact(f"{opening}{MIXED * 100} next").endswith("] next")


def test_every_secret_of_a_text_is_redacted_and_the_first_is_named():
    text = " and ".join(secret for secret, _ in SECRETS)
    assert redact(text) == " and ".join(f"[redacted: {kind}]" for _, kind in SECRETS)
    assert find_secret(text) == SECRETS[0][1]


def test_a_token_used_as_a_password_is_one_secret():
    token = joined("gh", "p_", LONG[:36])
    assert redact(f"https://x:{token}@github.com/a") == "https://x:[redacted: GitHub token]@github.com/a"


def test_a_private_key_that_was_cut_off_is_redacted_to_the_end():
    text = joined("key: ", PEM.format("RSA PRIVATE KEY"), "\n", KEY_LINES)
    assert redact(text) == "key: [redacted: private key]"


@given(st.lists(pieces, max_size=6).map("".join))
def test_redacted_text_holds_no_secret_and_stays_as_it_is(text):
    once = redact(text)
    assert find_secret(once) == ""
    assert redact(once) == once
    assert (once == text) == (find_secret(text) == "")


@pytest.mark.parametrize(
    "piece",
    [
        "sk-",
        "-sk-",
        "AKIA",
        " AKIA",
        "eyJ",
        "eyJ.",
        "://",
        "a://b:c@",
        "a://",
        "xoxb-1",
        "ghp_",
        "@:",
        " ",
        "-----" + "BEGIN PRIVATE KEY-----",
        "-----" + "BEGIN PRIVATE KEY-----\n",
        "a",
        "-----" + "BEGIN A",
        "token=",
        "token:",
        "token='",
        'password="a',
        "api_key = ",
        "secret: a1",
        "a_token",
        "machine a login b password ",
        "bearer ",
        "bearer a1",
        ".atlasv1.",
        "1:AA",
        "hooks.slack.com/services/",
        "PuTTY-User-Key-File-",
        "key-0",
        "SG.",
        "Q~",
        "curl -u a:b1 ",
        "curl -u",
        "--token ",
        "--password a",
        "setenv token ",
        "authorization: ",
        "authorization: a b ",
        "bearer\n",
        "api key: ",
        '"auth":"',
        "-----" + "BEGIN PRIVATE KEY-----\n> 1",
        "-----" + "begin private key-----\n",
        "pat" + "a" * 40,
        "django-insecure-",
        "\uff50",
    ],
)
def test_time_grows_with_the_length_of_the_text_only(piece):
    def seconds(size):
        text = piece * (size // len(piece))
        best = min(_timed(text) for _ in range(2))
        return best

    small, large = seconds(5_000), seconds(40_000)
    assert large < 24 * small + 0.05


def _timed(text):
    start = time.process_time()
    find_secret(text)
    return time.process_time() - start
