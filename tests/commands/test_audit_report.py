"""`audit report`: one page that holds what the audit holds, and nothing that could act."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.commands.conftest import Hook, Run
from vectr_hooks.project import Project

Stored = Callable[..., int]


class Page(HTMLParser):
    """What a page is made of: its tags with their attributes, and its text outside of style and script."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._within = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._within = tag

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within not in ("style", "script"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture
def page(run: Run) -> Callable[[], Page]:
    def write() -> Page:
        done = run("audit", "report", "--html", "-")
        assert done.exit_code == 0, done.stderr
        return Page(done.stdout)

    return write


def play(hook: Hook, place: Project, session: str = "s1") -> None:
    edit = {"tool_name": "Edit", "tool_input": {"file_path": os.path.join(place.root, "src/x.py")}}
    hook("SessionStart", session=session, source="startup")
    hook("UserPromptSubmit", session=session, prompt="please deploy", prompt_id="p1")
    hook("PreToolUse", session=session, prompt_id="p1", tool_use_id="t1", **edit)
    hook("PreCompact", session=session, trigger="manual")
    hook("SessionStart", session=session, source="compact")


def test_it_shows_notes_sessions_compactions_moments_and_latency(
    page: Callable[[], Page], stored: Stored, hook: Hook, place: Project
) -> None:
    stored("The rule.", "--kind", "directive")
    stored("Deploys go through the canary.", "--keyword", "deploy")
    play(hook, place)
    text = page().text
    for shown in (
        "events 5 sessions 1 compactions 1 deliveries 4",
        "session-start",
        "post-compaction",
        "p50",
        "The rule",
        "Deploys go through the canary",
        "5 events · 1 turn · 1 compaction",
        "Nothing was held back",
    ):
        assert shown in text
    assert "please deploy" not in text


def test_what_did_not_fit_is_listed(
    page: Callable[[], Page], run: Run, stored: Stored, hook: Hook, place: Project
) -> None:
    for number in range(3):
        stored(f"Rule {number}. " + "word " * 40, "--kind", "directive")
    run("config", "set", "budget.boundary", "60")
    run("config", "set", "budget.boundary_index", "0")
    play(hook, place)
    text = page().text
    assert re.search(r"Held back id title times last why then [0-9]+ Rule", text)


def test_an_empty_store_has_a_page(page: Callable[[], Page]) -> None:
    text = page().text
    assert "No event was recorded yet" in text
    assert "No notes yet" in text


HOSTILE = (
    "<script>alert(1)</script>",
    "</title></style><img src=x onerror=alert(1)>",
    "\"'><svg onload=alert(1)>",
    "{{ 7 * 7 }} {% raw %}",
    "&lt;b&gt; javascript:alert(1)",
    "\u202egnp.exe \u200b\x1b[31mred",
)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_text(
    page: Callable[[], Page], stored: Stored, hook: Hook, place: Project, hostile: str
) -> None:
    stored(f"Fact. {hostile}", "--title", f"Title {hostile}", "--kind", "directive")
    hook("SessionStart", session=f"s {hostile}", source=hostile)
    hook("SubagentStart", session=f"s {hostile}", agent_id=hostile, agent_type=hostile)
    shown = page()
    assert [attributes for tag, attributes in shown.tags if tag == "script"] == [{}]
    assert not any(name.startswith("on") for _, attributes in shown.tags for name in attributes)
    assert {tag for tag, _ in shown.tags}.isdisjoint({"img", "iframe", "object", "a", "form", "base"})
    for character in "\u202e\u200b\x1b":
        assert character not in shown.text
    if hostile.isprintable():
        assert f"Title {hostile}" in shown.text


def test_it_needs_nothing_from_elsewhere(run: Run, stored: Stored, hook: Hook, place: Project) -> None:
    stored("See https://example.org/a for it.", "--kind", "directive")
    play(hook, place)
    done = run("audit", "report", "--html", "-")
    for tag, attributes in Page(done.stdout).tags:
        links = [attributes.get(name) for name in ("href", "src", "srcset", "action", "xlink:href")]
        assert [link for link in links if link and link != "data:,"] == [], tag
    assert "url(" not in done.stdout
    assert "@import" not in done.stdout
    assert "default-src 'none'" in done.stdout


def test_a_secret_planted_in_a_title_is_not_on_the_page(
    page: Callable[[], Page], stored: Stored, hook: Hook, place: Project
) -> None:
    import sqlite3
    from contextlib import closing

    stored("The rule.", "--kind", "directive")
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    with closing(sqlite3.connect(place.store_path)) as con, con:
        con.execute("UPDATE revision SET title = ?", (f"Use {secret}",))
    play(hook, place)
    text = page().text
    assert secret not in text
    assert "[redacted: GitHub token]" in text


def test_a_file_is_written_once_and_replaced_only_by_force(
    run: Run, stored: Stored, hook: Hook, place: Project, tmp_path: Path
) -> None:
    play(hook, place)
    path = tmp_path / "page.html"
    done = run("audit", "report", "--html", str(path), "--json")
    fields = json.loads(done.stdout)
    assert (fields["path"], fields["bytes"], fields["events"]) == (str(path), path.stat().st_size, 5)
    path.write_text("mine", encoding="utf-8")
    again = run("audit", "report", "--html", str(path))
    assert (again.exit_code, path.read_text(encoding="utf-8")) == (1, "mine")
    assert "--overwrite" in again.stderr
    assert run("audit", "report", "--html", str(path), "--overwrite").exit_code == 0
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    nowhere = run("audit", "report", "--html", str(tmp_path / "none/page.html"))
    assert (nowhere.exit_code, "cannot be written" in nowhere.stderr) == (1, True)


def test_the_same_store_gives_the_same_page(run: Run, stored: Stored, hook: Hook, place: Project) -> None:
    stored("The rule.", "--kind", "directive")
    play(hook, place)
    first = run("audit", "report", "--html", "-").stdout
    assert run("audit", "report", "--html", "-").stdout == first
