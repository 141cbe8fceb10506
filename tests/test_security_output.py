"""What others wrote never reaches a screen or a model with a secret in it, or with what a terminal obeys."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.hook.session import Session
from tests.playback import Playback
from tests.secret_samples import PLACED, TOKENS
from vectr_hooks import output
from vectr_hooks.cli import program
from vectr_hooks.core.secrets import find_secret

SECRET = next(secret for what, secret, _ in TOKENS if what == "GitHub personal")
SHOWN = "[redacted: GitHub token]"
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066\u200b\U000e0041\ufeff\u2028\r"
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029\ufeff\U000e0000-\U000e007f]"
)

COMMANDS = [
    ("show", "1"),
    ("show", "1", "--json"),
    ("show", "1", "--body"),
    ("list",),
    ("list", "--json"),
    ("list", "--triggers"),
    ("recall",),
    ("recall", "--full"),
    ("recall", "canary", "--full"),
    ("recall", "--json"),
    ("audit",),
    ("audit", "--json"),
    ("audit", "why", "1", "1"),
    ("audit", "why", "1", "1", "--json"),
    ("try", "--edit", "src/db/x"),
    ("try", "--edit", "src/db/x", "--raw"),
    ("try", "--edit", "src/db/x", "--json"),
    ("resume",),
    ("resume", "--json"),
    ("pin", "1"),
    ("unpin", "1", "--json"),
]


@pytest.fixture
def planted(
    project: Path, store_path: Path, write: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A store into which a program other than ours wrote a secret, and what a terminal obeys, everywhere."""
    write("The canary goes first.", kind="gotcha", trigger=[{"path": "src/db/**"}], tags=["deploy"])
    session = Playback(project, store_path)
    session.prompt("go on")
    session.edit(str(project / "src/db/lock.py"))
    told = f" {SECRET} {HOSTILE}"
    with sqlite3.connect(store_path) as con:
        con.execute(
            "UPDATE revision SET title = title || ?1, body = body || ?1, author = ?1, tags = json_array(?1),"
            " anchors = json_array(?1), session = ?1, text = text || ?1, line = line || ?1",
            (told,),
        )
        con.execute("UPDATE event SET session = ?1, remark = ?1, name = name || ?1", (told,))
        con.execute("UPDATE event SET facts = json_set(facts, '$.branch', ?1, '$.command', ?1)", (told,))
        con.execute("UPDATE outcome SET reason = ?1", (told,))
    con.close()
    monkeypatch.chdir(project)
    return store_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments, catch_exceptions=False)


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_command_shows_a_secret_or_sends_a_terminal_anything_it_obeys(
    planted: Path, arguments: tuple[str, ...]
) -> None:
    done = run(*arguments)
    shown = done.stdout + done.stderr
    assert SECRET not in shown
    # These give the exact bytes, unless a terminal is to show them.
    if "--body" not in arguments and (arguments[0] != "try" or "--json" in arguments):
        assert not OBEYED.search(shown), ascii(shown)
    if arguments[0] in ("show", "list", "try") or arguments == ("recall", "--full"):
        assert SHOWN in shown
    if "--json" in arguments:
        for line in (
            [done.stdout] if arguments[0] != "audit" or "why" in arguments else done.stdout.splitlines()
        ):
            assert json.loads(line)["version"]


def test_case_25_no_hook_tells_a_secret_that_others_wrote_into_the_store(
    planted: Path, project: Path
) -> None:
    told = Session(project, "session-2").before_edit("src/db/x").context
    assert told.count(SHOWN) == 1
    assert SECRET not in told


def test_every_form_is_redacted_in_what_a_hook_delivers(
    project: Path, store_path: Path, write: Callable[..., int]
) -> None:
    write("The canary goes first.", kind="gotcha", trigger=[{"path": "src/db/**"}])
    forms = [secret for _, secret, _ in TOKENS]
    forms += [before + secret + after for _, before, secret, after, _ in PLACED]
    with sqlite3.connect(store_path) as con:
        (text,) = con.execute("SELECT text FROM revision").fetchone()
        for number, form in enumerate(forms):
            con.execute("UPDATE revision SET text = ?", (f"{text}\n{form}",))
            con.commit()
            played = Playback(project, store_path, session=f"session-{number}")
            told = played.edit(str(project / "src/db/x"))
            played.connection.close()
            assert "[redacted: " in told, form
            assert not find_secret(told), form
    con.close()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (
            "plain\n\ttext · é 日本 👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3",
            "plain\n\ttext · é 日本 👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3",
        ),
        ("\u3000\xa0", "\u3000\xa0"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\rb", "a\\x0db"),
        ("\x9b31m\x85", "\\x9b31m\\x85"),
        ("\u202euser\u2066", "\\u202euser\\u2066"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("a\u200db", "a\\u200db"),
        ("\U000e0041", "\\U000e0041"),
        ("a\u2028b", "a\\u2028b"),
        (f"x {SECRET}", f"x {SHOWN}"),
        (f"\x1b{SECRET}", f"\\x1b{SHOWN}"),
    ],
)
def test_a_screen_shows_everything_that_is_there(text: str, seen: str) -> None:
    assert output.visible(text) == seen
    assert output.visible(seen) == seen


def test_json_gives_the_values_as_they_are_in_characters_that_a_terminal_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output.json_result({"a": f"{HOSTILE}é", "b": [{"c": ("x", SECRET, 1, None)}]})
    printed = capsys.readouterr().out
    assert not OBEYED.search(printed)
    assert json.loads(printed) == {"version": 1, "a": f"{HOSTILE}é", "b": [{"c": ["x", SHOWN, 1, None]}]}


def test_exact_bytes_are_for_pipes_and_not_for_terminals(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    output.verbatim("a\x1b[2Jb\n")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    output.verbatim("a\x1b[2Jb\n")
    assert capfdbinary.readouterr().out == b"a\x1b[2Jb\na\\x1b[2Jb\n"


def test_an_error_shows_what_it_names_and_no_more(
    project: Path, store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    for arguments in (
        ("remember", "x", "--kind", f"k{HOSTILE}"),
        ("remember", "x", "--path", f"../{HOSTILE}"),
        ("remember", "x", "--trigger", f"missing{HOSTILE}"),
        ("import", f"missing{HOSTILE}{SECRET}"),
        ("list", "--project", f"/nowhere{HOSTILE}"),
        ("recall", f"nothing{HOSTILE}{SECRET}"),
    ):
        done = run(*arguments)
        assert not OBEYED.search(done.stdout + done.stderr), (arguments, ascii(done.stderr))
        assert SECRET not in done.stdout + done.stderr
