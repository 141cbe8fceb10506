"""Made-up secrets of every form, put together from pieces so that no scanner takes this file for a leak."""

from __future__ import annotations

import base64
import random
import string

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
DASHED = ALNUM + "-_"

_drawn = random.Random(20260117)


def drawn(length: int, alphabet: str = ALNUM) -> str:
    """Characters drawn by lot, the same at every run; with a letter and a digit at least."""
    body = "".join(_drawn.choice(alphabet) for _ in range(length - 2))
    letters = [c for c in alphabet if c.isalpha()] or alphabet
    return _drawn.choice(letters) + body + _drawn.choice([c for c in alphabet if c.isdigit()] or alphabet)


def header(label: str, end: bool = False) -> str:
    return f"-----{'END' if end else 'BEGIN'} {label}-----"


def key_file(label: str) -> str:
    lines = "\n".join(base64.b64encode(_drawn.randbytes(48)).decode() for _ in range(3))
    return f"{header(label)}\n{lines}\n{header(label, end=True)}"


def uuid() -> str:
    return "-".join(drawn(length, HEX) for length in (8, 4, 4, 4, 12))


def base64_of(size: int) -> str:
    return base64.b64encode(_drawn.randbytes(size)).decode()


# (what it is, the secret, the kind we call it); each is found wherever a word may stand
TOKENS: list[tuple[str, str, str]] = [
    ("AWS key id", "AK" + "IA" + drawn(16, string.ascii_uppercase + "234567"), "AWS access key id"),
    ("AWS session key id", "AS" + "IA" + drawn(16, string.ascii_uppercase + "234567"), "AWS access key id"),
    ("GitHub personal", "gh" + "p_" + drawn(36), "GitHub token"),
    ("GitHub fine-grained", "github" + "_pat_" + drawn(22) + "_" + drawn(59), "GitHub token"),
    ("GitHub OAuth", "gh" + "o_" + drawn(36), "GitHub token"),
    ("GitLab personal", "gl" + "pat-" + drawn(20), "GitLab token"),
    ("GitLab runner", "gl" + "rt-" + drawn(20), "GitLab token"),
    ("GitLab deploy", "gl" + "dt-" + drawn(20), "GitLab token"),
    ("Slack bot", "xo" + "xb-" + "123456789012-1234567890123-" + drawn(24), "Slack token"),
    ("Slack app", "xa" + "pp-1-" + "A0123456789-1234567890123-" + drawn(64, HEX), "Slack token"),
    ("Anthropic", "sk" + "-ant-" + "api03-" + drawn(93) + "AA", "Anthropic API key"),
    ("OpenAI", "sk" + "-" + drawn(48), "API key"),
    ("OpenAI project", "sk" + "-proj-" + drawn(74) + "-" + drawn(73), "API key"),
    ("OpenRouter", "sk" + "-or-v1-" + drawn(64, HEX), "API key"),
    ("Langfuse", "sk" + "-lf-" + uuid(), "Langfuse key"),
    ("Stripe live", "sk" + "_live_" + drawn(24), "Stripe key"),
    ("Stripe test", "sk" + "_test_" + drawn(24), "Stripe key"),
    ("Stripe restricted", "rk" + "_live_" + drawn(24), "Stripe key"),
    ("Stripe webhook", "wh" + "sec_" + drawn(32), "webhook secret"),
    ("npm", "np" + "m_" + drawn(36), "npm token"),
    ("PyPI", "py" + "pi-" + "AgEIcHlwaS5vcmc" + drawn(120), "PyPI token"),
    ("Hugging Face", "h" + "f_" + drawn(34), "Hugging Face token"),
    ("Google API", "AI" + "za" + drawn(35), "Google API key"),
    ("Google access", "ya" + "29." + drawn(120), "Google access token"),
    ("Google client", "GOC" + "SPX-" + drawn(28), "Google client secret"),
    ("Google refresh", "1/" + "/0" + drawn(80), "Google refresh token"),
    ("SendGrid", "S" + "G." + drawn(22) + "." + drawn(43), "SendGrid key"),
    ("DigitalOcean", "do" + "p_v1_" + drawn(64, HEX), "DigitalOcean token"),
    ("DigitalOcean OAuth", "do" + "o_v1_" + drawn(64, HEX), "DigitalOcean token"),
    ("Shopify", "sh" + "pat_" + drawn(32, HEX), "Shopify token"),
    ("Shopify shared", "sh" + "pss_" + drawn(32, HEX), "Shopify token"),
    ("Databricks", "da" + "pi" + drawn(32, HEX), "Databricks token"),
    ("Heroku", "HR" + "KU-" + uuid(), "Heroku token"),
    ("Linear", "lin" + "_api_" + drawn(40), "Linear API key"),
    ("Notion", "nt" + "n_" + drawn(46), "Notion token"),
    ("Notion, older", "secr" + "et_" + drawn(43), "Notion token"),
    ("Doppler", "dp" + ".pt." + drawn(43), "Doppler token"),
    ("Doppler service", "dp" + ".st.dev." + drawn(43), "Doppler token"),
    ("Vault", "hv" + "s." + drawn(90), "Vault token"),
    ("Vault, short", "hv" + "s." + drawn(24), "Vault token"),
    ("Terraform", drawn(14) + ".atlas" + "v1." + drawn(67), "Terraform token"),
    ("age", "AGE-" + "SECRET-KEY-1" + drawn(58, string.ascii_uppercase + "234567"), "age secret key"),
    ("Groq", "gs" + "k_" + drawn(52), "Groq API key"),
    ("Replicate", "r8" + "_" + drawn(37), "Replicate token"),
    ("xAI", "xa" + "i-" + drawn(80), "xAI API key"),
    ("Perplexity", "pp" + "lx-" + drawn(48), "Perplexity API key"),
    ("NVIDIA", "nv" + "api-" + drawn(64), "NVIDIA API key"),
    ("Tavily", "tv" + "ly-" + drawn(32), "Tavily API key"),
    ("LangSmith", "lsv2" + "_pt_" + drawn(32, HEX) + "_" + drawn(10, HEX), "LangSmith key"),
    ("Telegram", "7123456789" + ":A" + "A" + drawn(33), "Telegram bot token"),
    ("Twilio key", "S" + "K" + drawn(32, HEX), "Twilio key"),
    ("Twilio account", "A" + "C" + drawn(32, HEX), "Twilio account and token"),
    ("Mailgun", "ke" + "y-" + drawn(32, HEX), "Mailgun key"),
    ("Mailchimp", drawn(32, HEX) + "-u" + "s14", "Mailchimp key"),
    ("Brevo", "xkey" + "sib-" + drawn(64, HEX) + "-" + drawn(16), "Brevo key"),
    ("Square", "sq0" + "atp-" + drawn(22), "Square token"),
    ("Square secret", "sq0" + "csp-" + drawn(43), "Square token"),
    ("Square access", "EAAA" + "E" + drawn(59), "Square token"),
    ("New Relic", "NR" + "AK-" + drawn(27, string.ascii_uppercase + string.digits), "New Relic key"),
    ("Sentry", "sntr" + "yu_" + drawn(64, HEX), "Sentry token"),
    ("Grafana", "gl" + "sa_" + drawn(32) + "_" + drawn(8, HEX), "Grafana token"),
    ("PlanetScale", "pscale" + "_tkn_" + drawn(43), "PlanetScale token"),
    ("Supabase", "sb" + "p_" + drawn(40, HEX), "Supabase key"),
    ("Netlify", "nf" + "p_" + drawn(36), "Netlify token"),
    ("Fly.io", "fm" + "2_" + drawn(120), "Fly.io token"),
    ("Docker", "dckr" + "_pat_" + drawn(27), "Docker token"),
    ("Figma", "fig" + "d_" + drawn(40), "Figma token"),
    ("Atlassian", "ATA" + "TT3xFfGF0" + drawn(170) + "=" + drawn(8), "Atlassian token"),
    ("RubyGems", "ruby" + "gems_" + drawn(48, HEX), "RubyGems key"),
    ("Pulumi", "pu" + "l-" + drawn(40, HEX), "Pulumi token"),
    ("Tailscale", "ts" + "key-auth-" + drawn(12) + "CNTRL-" + drawn(32), "Tailscale key"),
    ("Alibaba", "LT" + "AI" + drawn(20), "Alibaba Cloud key id"),
    ("Buildkite", "bk" + "ua_" + drawn(40, HEX), "Buildkite token"),
    ("Microsoft client", drawn(3) + "8" + "Q~" + drawn(34), "Microsoft client secret"),
    (
        "JWT",
        "ey" + "JhbGciOiJIUzI1NiJ9" + ".ey" + "JzdWIiOiIxMjM0In0." + drawn(43),
        "JSON web token",
    ),
    ("RSA key", key_file("RSA PRIVATE KEY"), "private key"),
    ("SSH key", key_file("OPENSSH PRIVATE KEY"), "private key"),
    ("EC key", key_file("EC PRIVATE KEY"), "private key"),
    ("PGP key", key_file("PGP PRIVATE KEY BLOCK").replace("\n", "\n\n", 1), "private key"),
    (
        "PuTTY key",
        "PuTTY-User-Key" + "-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 1\nAAAA\n"
        f"Private-Lines: 1\n{base64_of(36)}\nPrivate-MAC: {drawn(64, HEX)}",
        "private key",
    ),
]

_AWS_SECRET = drawn(13) + "/" + drawn(12) + "+" + drawn(13)
_TWILIO = drawn(32, HEX)
_URL = "https:" + "//"

# (what it is, what stands before it, the secret, what stands after it, the kind)
PLACED: list[tuple[str, str, str, str, str]] = [
    ("AWS secret, environment", "AWS_SECRET_ACCESS" + "_KEY=", _AWS_SECRET, "", "assigned secret"),
    ("AWS secret, JSON", '{"Secret' + 'AccessKey": "', _AWS_SECRET, '"}', "assigned secret"),
    ("AWS secret, file", "aws_secret_access" + "_key = ", _AWS_SECRET, "\n", "assigned secret"),
    ("AWS secret, YAML", "  secret" + "_key: ", _AWS_SECRET, "\n  region: eu-west-1", "assigned secret"),
    ("bearer", "Authorization: Bear" + "er ", drawn(40), "", "authorization header"),
    (
        "bearer in curl",
        "-H 'authorization: bear" + "er ",
        drawn(24),
        "' https://a.test",
        "authorization header",
    ),
    (
        "basic",
        "Authorization: Bas" + "ic ",
        base64.b64encode(b"deploy:" + drawn(12).encode()).decode(),
        "",
        "authorization header",
    ),
    (
        "Slack webhook",
        _URL + "hooks.slack" + ".com/services/",
        f"T{drawn(8).upper()}/B{drawn(8).upper()}/{drawn(24)}",
        "",
        "Slack webhook",
    ),
    (
        "Discord webhook",
        _URL + "discord" + ".com/api/webhooks/",
        f"123456789012345678/{drawn(68)}",
        " posts there",
        "Discord webhook",
    ),
    (
        "Teams webhook",
        _URL + "acme.webhook" + ".office.com/webhookb2/",
        f"{uuid()}@{uuid()}/IncomingWebhook/{drawn(32, HEX)}/{uuid()}",
        ".",
        "Teams webhook",
    ),
    (
        "Azure storage",
        "DefaultEndpointsProtocol=https;AccountName=acme;Account" + "Key=",
        base64_of(64),
        ";EndpointSuffix=core.windows.net",
        "assigned secret",
    ),
    ("Azure bus", "SharedAccess" + "Key=", base64_of(32), "", "assigned secret"),
    ("Twilio pair", "TWILIO_AUTH" + "_TOKEN=", _TWILIO, "", "assigned secret"),
    ("npmrc", "//registry.npmjs.org/:_auth" + "Token=", uuid(), "", "assigned secret"),
    ("npmrc, older", "_au" + "th=", base64_of(24), "", "assigned secret"),
    ("netrc", "machine api.acme.dev login bot pass" + "word ", drawn(12), "", "password"),
    ("netrc in lines", "machine api.acme.dev\n  login bot\n  pass" + "word ", "hunter2x", "\n", "password"),
    ("Heroku by name", "HEROKU_API" + "_KEY=", uuid(), "", "assigned secret"),
    ("password, Python", "pass" + 'word = "', "hunter2", '"', "password"),
    ("password, typed", "pass" + 'word: str = "', "Gr4nite-lake", '"', "password"),
    ("password, JavaScript", "const dbPass" + "word = '", "w1nter&Moon", "';", "password"),
    ("password, Go", "pass" + 'wd := "', "kestrel77!", '"', "password"),
    ("password, JSON", '{"pass' + 'word": "', "kestrel77", '", "port": 5432}', "password"),
    ("password, quoted JSON", '"{\\"pass' + 'word\\": \\"', "kestrel77", '\\"}"', "password"),
    ("password, environment", "export PG" + "PASSWORD=", "kestrel77", "\npsql", "password"),
    ("password, option", "mysql --pass" + "word=", "kestrel77", " -h db", "password"),
    ("password, connection", "host=db user=app pass" + "word=", "kestrel77", " dbname=app", "password"),
    ("password, YAML", "pass" + "word: ", "Xk9#mP2$vL5q", "\n", "password"),
    ("password, XML", "<pass" + "word>", "Xk9#mP2$vL5q", "</password>", "password"),
    ("API key, YAML", "api" + "_key: ", drawn(32), "\n", "assigned secret"),
    ("API key, JavaScript", "apiKey: '", drawn(24), "',", "assigned secret"),
    ("API key, Ruby", ":api" + "_key => '", drawn(40, HEX), "'", "assigned secret"),
    ("API key, address", _URL + "api.test/v1?api" + "_key=", drawn(32), "&q=x", "assigned secret"),
    ("client secret", '"client' + '_secret": "', drawn(40), '"', "assigned secret"),
    ("Rails key", "secret_key" + "_base" + "=x\nmaster_key=", drawn(32, HEX), "", "assigned secret"),
    ("JWT key", "JWT_SEC" + "RET='", drawn(48), "'", "assigned secret"),
    ("Datadog", "DD_API" + "_KEY=", drawn(32, HEX), "", "assigned secret"),
    ("token in a table", "| token | `x` |\n| deploy-tok" + "en: ", drawn(40), " |", "assigned secret"),
    (
        "service account",
        '"private' + '_key": "',
        key_file("PRIVATE KEY").replace("\n", "\\n"),
        '\\n"',
        "private key",
    ),
    ("password in a URL", "postgres:" + "//app:", "kestrel", "@db.test/app", "password in a URL"),
]

_KEY = key_file("RSA PRIVATE KEY").split("\n")
_SMALL = [line.lower() if line.startswith("-") else line for line in _KEY]
_DJANGO = "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)"
_PAIR = base64.b64encode(b"deploy:" + drawn(12).encode()).decode()

TOKENS += [
    ("Artifactory", "AK" + "Cp8" + drawn(68), "Artifactory key"),
    ("Postman", "PM" + "AK-" + drawn(24, HEX) + "-" + drawn(34, HEX), "Postman key"),
    ("Dynatrace", "dt" + "0c01." + drawn(24).upper() + "." + drawn(64).upper(), "Dynatrace token"),
    ("Airtable", "pa" + "t" + drawn(14) + "." + drawn(64, HEX), "Airtable token"),
    ("GitLab, routable", "gl" + "pat-" + drawn(27) + ".01." + drawn(9).lower(), "GitLab token"),
    ("GitHub, wide", "".join(chr(ord(c) + 0xFEE0) for c in "gh" + "p_" + drawn(36)), "GitHub token"),
    ("GitHub, one letter wide", "gh\uff50_" + drawn(36), "GitHub token"),
    ("RSA key, header in small letters", "\n".join(_SMALL), "private key"),
    ("RSA key, quoted", "\n> ".join(_KEY), "private key"),
    ("RSA key, in a comment", "\n# ".join(_KEY), "private key"),
    ("RSA key, in a comment of C", "\n // ".join(_KEY), "private key"),
    ("RSA key, in a table", " |\n| ".join(_KEY), "private key"),
    ("RSA key, in a list", "\n  - ".join(_KEY), "private key"),
    ("RSA key, in a difference", "\n+".join(_KEY), "private key"),
    ("RSA key, numbered", "\n    12\t".join(_KEY), "private key"),
    ("RSA key, numbered with arrows", "\n     2\u2192".join(_KEY), "private key"),
    ("RSA key, put together", '\\n" +\n    "'.join(_KEY), "private key"),
    ("RSA key, in an array", '",\n    "'.join(_KEY), "private key"),
]

PLACED += [
    ("API key, in words", "The api" + " key: ", drawn(32), "", "assigned secret"),
    ("private key, in words", "private" + " key: ", drawn(64, HEX), "\n", "assigned secret"),
    ("key of a chain", "PRIVATE" + "_KEY=", "0x" + drawn(64, HEX), "", "assigned secret"),
    ("token scheme", "Authorization: tok" + "en ", drawn(40, HEX), "", "authorization header"),
    ("ApiKey scheme", "Authorization: Api" + "Key ", drawn(40), "'", "authorization header"),
    ("no scheme", '"Authorization": "', drawn(40), '"', "authorization header"),
    ("bearer of a UUID", "Authorization: Bear" + "er ", uuid(), "", "authorization header"),
    ("bearer on the next line", "Authorization: Bear" + "er\n  ", drawn(40), "\n", "authorization header"),
    ("bearer, put together", "'Bear" + "er ' + '", drawn(40), "'", "authorization header"),
    ("token option", "deploy --tok" + "en ", drawn(32), " --now", "assigned secret"),
    ("API key option", "deploy --api" + "-key '", drawn(32), "'", "assigned secret"),
    ("password option", "psql --pass" + "word ", "kestrel77", " -h db", "password"),
    (
        "AWS command",
        "aws configure set aws_secret_access" + "_key ",
        drawn(40),
        " --profile x",
        "assigned secret",
    ),
    (
        "npm command",
        "npm config set //registry.npmjs.org/:_auth" + "Token ",
        uuid(),
        "",
        "assigned secret",
    ),
    ("C shell", "setenv API" + "_TOKEN ", drawn(32), "\n", "assigned secret"),
    ("curl", "curl -s -u deploy:", "kestrel77", " " + _URL + "a.test", "password"),
    ("curl, long", "curl \\\n  --user 'deploy:", "kestrel", "' " + _URL + "a.test", "password"),
    ("Django", "SECRET_KEY = '", "django-" + "insecure-" + drawn(50, _DJANGO), "'", "Django key"),
    (
        "Discord webhook, versioned",
        _URL + "discord" + ".com/api/v10/webhooks/",
        f"123456789012345678/{drawn(68)}",
        "",
        "Discord webhook",
    ),
    (
        "Slack webhook, of authorities",
        _URL + "hooks.slack" + "-gov.com/services/",
        f"T{drawn(8).upper()}/B{drawn(8).upper()}/{drawn(24)}",
        "",
        "Slack webhook",
    ),
    ("docker", '{"auths": {"r.test": {"au' + 'th": "', _PAIR, '"}}}', "assigned secret"),
    ("docker, quoted", '{\\"au' + 'th\\":\\"', _PAIR, '\\"}', "assigned secret"),
]
