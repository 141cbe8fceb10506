"""What secrets look like, as one table of constants, and whether a text can hold any."""

# (prefix, alphabet of what follows, fewest and most of it, of which unbroken by `-`, `_` and `.`, kind).
# Most is 0 where there is no bound. The unbroken part tells a key from a long hyphenated name; 0 where there
# is nothing to confuse it with. The alphabets are those of `core/secret_shapes.py`. A longer prefix stands
# before a shorter one that it begins with.
TOKENS = (
    ("AKCp", "alnum", 60, 0, 0, "Artifactory key"),
    ("AGE-SECRET-KEY-1", "alnum", 40, 0, 0, "age secret key"),
    ("AIza", "dashed", 35, 0, 0, "Google API key"),
    ("ATATT3", "base64url", 60, 0, 20, "Atlassian token"),
    ("ATBB", "alnum", 28, 0, 0, "Bitbucket token"),
    ("ATCTT3", "base64url", 60, 0, 20, "Atlassian token"),
    ("CCIPAT_", "word", 40, 0, 20, "CircleCI token"),
    ("CFPAT-", "dashed", 40, 0, 8, "Contentful token"),
    ("CLOJARS_", "hex", 60, 0, 0, "Clojars token"),
    ("EAAAE", "dashed", 59, 59, 8, "Square token"),
    ("EAAAl", "dashed", 59, 59, 8, "Square token"),
    ("GOCSPX-", "dashed", 24, 0, 8, "Google client secret"),
    ("HRKU-", "dashed", 32, 0, 8, "Heroku token"),
    ("LTAI", "alnum", 16, 20, 0, "Alibaba Cloud key id"),
    ("NRAK-", "alnum", 27, 0, 0, "New Relic key"),
    ("PMAK-", "dashed", 50, 0, 20, "Postman key"),
    ("SG.", "dotted", 50, 0, 20, "SendGrid key"),
    ("aio_", "alnum", 28, 28, 0, "Adafruit key"),
    ("bkua_", "hex", 40, 40, 0, "Buildkite token"),
    ("dapi", "hex", 32, 32, 0, "Databricks token"),
    ("django-insecure-", "django", 50, 50, 0, "Django key"),
    ("dckr_oat_", "dashed", 24, 0, 8, "Docker token"),
    ("dckr_pat_", "dashed", 24, 0, 8, "Docker token"),
    ("doo_v1_", "hex", 64, 64, 0, "DigitalOcean token"),
    ("dop_v1_", "hex", 64, 64, 0, "DigitalOcean token"),
    ("dor_v1_", "hex", 64, 64, 0, "DigitalOcean token"),
    ("dp.ct.", "dotted", 40, 0, 20, "Doppler token"),
    ("dp.pt.", "dotted", 40, 0, 20, "Doppler token"),
    ("dp.sa.", "dotted", 40, 0, 20, "Doppler token"),
    ("dp.scim.", "dotted", 40, 0, 20, "Doppler token"),
    ("dp.st.", "dotted", 40, 0, 20, "Doppler token"),
    ("figd_", "dashed", 36, 0, 8, "Figma token"),
    ("dt0c01.", "dotted", 80, 0, 20, "Dynatrace token"),
    ("dt0s01.", "dotted", 80, 0, 20, "Dynatrace token"),
    ("dt0s02.", "dotted", 80, 0, 20, "Dynatrace token"),
    ("fm2_", "base64", 80, 0, 0, "Fly.io token"),
    ("fo1_", "dashed", 40, 0, 12, "Fly.io token"),
    ("ghp_", "alnum", 36, 0, 0, "GitHub token"),
    ("gho_", "alnum", 36, 0, 0, "GitHub token"),
    ("ghu_", "alnum", 36, 0, 0, "GitHub token"),
    ("ghs_", "alnum", 36, 0, 0, "GitHub token"),
    ("ghr_", "alnum", 36, 0, 0, "GitHub token"),
    ("github_pat_", "word", 60, 0, 20, "GitHub token"),
    ("glagent-", "dotted", 20, 0, 8, "GitLab token"),
    ("glc_eyJ", "base64", 40, 0, 0, "Grafana token"),
    ("glcbt-", "dotted", 20, 0, 8, "GitLab token"),
    ("gldt-", "dotted", 20, 0, 8, "GitLab token"),
    ("glft-", "dotted", 20, 0, 8, "GitLab token"),
    ("glimt-", "dotted", 20, 0, 8, "GitLab token"),
    ("gloas-", "dotted", 20, 0, 8, "GitLab token"),
    ("glpat-", "dotted", 20, 0, 8, "GitLab token"),
    ("glptt-", "dotted", 20, 0, 8, "GitLab token"),
    ("glrt-", "dotted", 20, 0, 8, "GitLab token"),
    ("glsa_", "word", 40, 0, 20, "Grafana token"),
    ("gsk_", "alnum", 40, 0, 0, "Groq API key"),
    ("hf_", "alnum", 34, 0, 0, "Hugging Face token"),
    ("hvb.", "dashed", 24, 0, 16, "Vault token"),
    ("hvr.", "dashed", 24, 0, 16, "Vault token"),
    ("hvs.", "dashed", 24, 0, 16, "Vault token"),
    ("key-", "hex", 32, 32, 0, "Mailgun key"),
    ("lin_api_", "alnum", 32, 0, 0, "Linear API key"),
    ("lin_oauth_", "alnum", 32, 0, 0, "Linear API key"),
    ("lsv2_pt_", "word", 40, 0, 20, "LangSmith key"),
    ("lsv2_sk_", "word", 40, 0, 20, "LangSmith key"),
    ("nfp_", "alnum", 36, 0, 0, "Netlify token"),
    ("npm_", "alnum", 36, 0, 0, "npm token"),
    ("ntn_", "alnum", 40, 0, 0, "Notion token"),
    ("nvapi-", "dashed", 40, 0, 12, "NVIDIA API key"),
    ("ops_eyJ", "base64url", 100, 0, 0, "1Password token"),
    ("phx_", "dashed", 36, 0, 12, "PostHog key"),
    ("pnu_", "alnum", 36, 0, 0, "Prefect token"),
    ("pplx-", "alnum", 40, 0, 0, "Perplexity API key"),
    ("pscale_oauth_", "dotted", 32, 0, 12, "PlanetScale token"),
    ("pscale_pw_", "dotted", 32, 0, 12, "PlanetScale token"),
    ("pscale_tkn_", "dotted", 32, 0, 12, "PlanetScale token"),
    ("pul-", "hex", 40, 40, 0, "Pulumi token"),
    ("pypi-AgE", "dashed", 50, 0, 0, "PyPI token"),
    ("r8_", "alnum", 37, 0, 0, "Replicate token"),
    ("rdme_", "alnum", 64, 0, 0, "ReadMe key"),
    ("rk_live_", "alnum", 24, 0, 0, "Stripe key"),
    ("rk_test_", "alnum", 24, 0, 0, "Stripe key"),
    ("rubygems_", "hex", 48, 48, 0, "RubyGems key"),
    ("sb_secret_", "dashed", 24, 0, 12, "Supabase key"),
    ("sbp_", "hex", 40, 40, 0, "Supabase key"),
    ("secret_", "alnum", 43, 43, 0, "Notion token"),
    ("shpat_", "hex", 32, 32, 0, "Shopify token"),
    ("shpca_", "hex", 32, 32, 0, "Shopify token"),
    ("shppa_", "hex", 32, 32, 0, "Shopify token"),
    ("shpss_", "hex", 32, 32, 0, "Shopify token"),
    ("shippo_live_", "hex", 40, 40, 0, "Shippo key"),
    ("sk-ant-", "dashed", 32, 0, 20, "Anthropic API key"),
    ("sk-lf-", "dashed", 36, 36, 8, "Langfuse key"),
    ("sk-", "dashed", 32, 0, 20, "API key"),
    ("sk_live_", "alnum", 24, 0, 0, "Stripe key"),
    ("sk_test_", "alnum", 24, 0, 0, "Stripe key"),
    ("sl.", "dashed", 100, 0, 20, "Dropbox token"),
    ("sntrys_", "base64", 40, 0, 0, "Sentry token"),
    ("sntryu_", "hex", 64, 64, 0, "Sentry token"),
    ("sq0atp-", "dashed", 22, 22, 8, "Square token"),
    ("sq0csp-", "dashed", 43, 43, 8, "Square token"),
    ("tfp_", "dashed", 40, 0, 12, "Typeform token"),
    ("tskey-", "dashed", 24, 0, 12, "Tailscale key"),
    ("tvly-", "dashed", 24, 0, 16, "Tavily API key"),
    ("whsec_", "base64", 32, 0, 0, "webhook secret"),
    ("xai-", "alnum", 60, 0, 0, "xAI API key"),
    ("xapp-", "dashed", 20, 0, 10, "Slack token"),
    ("xkeysib-", "dashed", 64, 0, 32, "Brevo key"),
    ("xoxa-", "dashed", 20, 0, 10, "Slack token"),
    ("xoxb-", "dashed", 20, 0, 10, "Slack token"),
    ("xoxc-", "dashed", 20, 0, 10, "Slack token"),
    ("xoxd-", "base64url", 20, 0, 10, "Slack token"),
    ("xoxe-", "dashed", 20, 0, 10, "Slack token"),
    ("xoxe.", "dotted", 40, 0, 10, "Slack token"),
    ("xoxp-", "dashed", 20, 0, 10, "Slack token"),
    ("xoxr-", "dashed", 20, 0, 10, "Slack token"),
    ("xoxs-", "dashed", 20, 0, 10, "Slack token"),
    ("ya29.", "dashed", 30, 0, 16, "Google access token"),
    ("1//0", "dashed", 40, 0, 16, "Google refresh token"),
    # Two capitals, then small hexadecimal digits: nothing else is written so.
    ("AC", "hex", 32, 32, 0, "Twilio account and token"),
    ("SK", "hex", 32, 32, 0, "Twilio key"),
)

# The same, of which the prefix begins words too: nothing so long does.
LONG_TOKENS = (("pat", "dotted", 79, 79, 64, "Airtable token"),)

# (mark, alphabet of what is before it, fewest and most of that, the same for what follows, kind): where the
# service's own sign stands in the middle.
INFIXES = (
    (".atlasv1.", "alnum", 14, 14, "dashed", 50, 90, "Terraform token"),
    (":AA", "digits", 8, 10, "dashed", 33, 33, "Telegram bot token"),
    ("-us", "hex", 32, 32, "digits", 1, 2, "Mailchimp key"),
    ("Q~", "entra", 4, 4, "entra", 31, 34, "Microsoft client secret"),
)

# Addresses that whoever knows them may post to; what follows, by at least so many characters, is the secret.
WEBHOOKS = (
    ("hooks.slack.com/services/", 30, "Slack webhook"),
    ("hooks.slack.com/workflows/", 30, "Slack webhook"),
    ("hooks.slack.com/triggers/", 30, "Slack webhook"),
    ("hooks.slack-gov.com/services/", 30, "Slack webhook"),
    ("hooks.slack-gov.com/workflows/", 30, "Slack webhook"),
    ("hooks.slack-gov.com/triggers/", 30, "Slack webhook"),
    *(
        (f"{host}/api/{version}webhooks/", 60, "Discord webhook")
        for host in ("discord.com", "discordapp.com")
        for version in ("", "v6/", "v7/", "v8/", "v9/", "v10/", "v11/")
    ),
    (".webhook.office.com/webhookb2/", 60, "Teams webhook"),
    ("outlook.office.com/webhook/", 60, "Teams webhook"),
)

# Where plain letters stand drawn in another way: letter-like, encircled, wide, mathematical.
ORNATE = (("\u2100", "\u214f"), ("\u2460", "\u24ff"), ("\uff01", "\uff5e"), ("\U0001d400", "\U0001d7ff"))

AWS_PREFIXES = ("AKIA", "ASIA")
# In small letters: some write them so.
KEY_HEADERS = ("-----begin ", "---- begin ")
PUTTY_HEADER = "PuTTY-User-Key-File-"
WEB_TOKEN = "eyJ"
URL = "://"

# How the names end of what holds a secret, and what may stand between a name and its value. `key` alone names
# nothing secret: see `core/secret_values.py`.
NAMES = (
    "password", "passwd", "passphrase", "pwd", "_pass", "secret", "token", "key", "auth", "credential",
    "credentials", "sig",
)  # fmt: skip
AFTER_NAME = "\"'`\\])* \t"
ASSIGNS = (":", "=", ">")
BEARER = "bearer"
AUTHORIZATION = "authorization"
NETRC = "machine "
# After these a name is followed by its value without a sign between; and so is every option.
SETTERS = ("setenv", "configure set", "config set")
OPTION = "--"
CURL = "curl"
USER_OPTION = "-u"

# Of those forms that are one long word; of those that are not, marks that are quickly looked for.
_IN_WORDS = (
    *(row[0] for row in TOKENS),
    *(row[0] for row in INFIXES),
    *(row[0] for row in WEBHOOKS),
    *AWS_PREFIXES,
    WEB_TOKEN,
    PUTTY_HEADER,
)
_SHORTEST_WORD = 16
_LONGEST_WORD = 80
_IN_TEXT = (*KEY_HEADERS, NETRC, *SETTERS)
_ASSIGNED = (*NAMES, AUTHORIZATION)
_LONGEST_ENDING = 26


def may_hold_secret(text: str) -> bool:
    """Say whether `text` holds the beginning of any form here; False for most texts, and quickly."""
    text = folded(text)
    if URL in text:
        return True
    lowered = text.lower()
    for mark in _IN_TEXT:
        if mark in lowered:
            return True
    if CURL in lowered and USER_OPTION in lowered:
        return True
    # Most of a text are short words, so that little is left to look for many marks in.
    long = [word for word in text.split() if len(word) >= _SHORTEST_WORD]
    if long:
        words = " ".join(long)
        for mark in _IN_WORDS:
            if mark in words:
                return True
        if BEARER in lowered:
            return True
        for word in long:
            if len(word) >= _LONGEST_WORD and any(row[0] in word for row in LONG_TOKENS):
                return True
    for after in lowered.split(OPTION)[1:]:
        if after.split(" ", 1)[0].endswith(NAMES):
            return True
    for assigns in ASSIGNS[1:]:
        lowered = lowered.replace(assigns, ASSIGNS[0])
    for before in lowered.split(ASSIGNS[0])[:-1]:
        if before[-_LONGEST_ENDING:].rstrip(AFTER_NAME).endswith(_ASSIGNED):
            return True
    return False


def folded(text: str) -> str:
    """`text` with the plain letter in place of each one that is drawn like it, wide or ornate; as long."""
    if text.isascii():
        return text
    ornate = [c for c in set(text) if c >= ORNATE[0][0] and any(first <= c <= last for first, last in ORNATE)]
    if not ornate:
        return text
    from unicodedata import normalize

    plain = {ord(c): normalize("NFKC", c) for c in ornate}
    return text.translate({code: c for code, c in plain.items() if len(c) == 1 and c.isascii()})
