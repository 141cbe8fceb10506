"""What a repository, an archive or a file may bring to have other notes told, or to make us do its work."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hook.session import Session
from vectr_hooks.authoring import watched_paths
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import UnreadableNote, read_note
from vectr_hooks.importing import read_file
from vectr_hooks.project import init_project
from vectr_hooks.store.workspace import locate
from vectr_hooks.yaml_values import YamlError, read_value

ID = "0123456789abcdef" * 2


@pytest.fixture
def other(home: Path) -> Path:
    """Another project of the same person, with a store."""
    folder = home / "other"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    init_project(str(folder))
    return folder


def id_of(folder: Path) -> str:
    place = locate(str(folder), "/")
    return place.id if place else ""


def test_a_link_to_the_id_of_another_project_is_none(home: Path, other: Path) -> None:
    brought = home / "brought"
    (brought / ".vectr").mkdir(parents=True)
    (brought / ".vectr/id").symlink_to("../../other/.git/vectr-hooks")
    assert id_of(other)
    assert id_of(brought) == ""
    (brought / ".git").mkdir()
    assert id_of(brought) == ""
    (brought / ".git/vectr-hooks").symlink_to(other / ".git/vectr-hooks")
    assert id_of(brought) == ""


def test_a_link_to_another_projects_folder_of_ours_is_none(home: Path) -> None:
    for name in ("plain", "brought"):
        (home / name).mkdir()
    init_project(str(home / "plain"))
    (home / "brought/.vectr").symlink_to(home / "plain/.vectr")
    assert id_of(home / "plain")
    assert id_of(home / "brought") == ""


def test_a_link_to_another_projects_id_delivers_none_of_its_notes(
    project: Path, store_path: Path, home: Path, write: Callable[..., int]
) -> None:
    write("The other project's rule.", kind="directive")
    brought = home / "brought"
    (brought / ".vectr").mkdir(parents=True)
    (brought / ".vectr/id").symlink_to(project / ".git/vectr-hooks")
    assert Session(project).start().context
    assert Session(brought, "session-2").start().stdout == b""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 32,
        bytes(range(256)) * 16,
        b"../../../../etc/passwd",
        b"..".ljust(32, b"/"),
        b"0123456789ABCDEF" * 2,
        b"0123456789abcdef" * 4,
        b"0123456789abcdef" * (1 << 16),
        "0123456789abcde\u0660".encode() * 2,
        b" " + ID.encode()[:31],
    ],
    ids=repr,
)
def test_an_id_file_of_another_form_names_no_store(home: Path, content: bytes) -> None:
    folder = home / "brought"
    (folder / ".vectr").mkdir(parents=True)
    (folder / ".vectr/id").write_bytes(content)
    assert id_of(folder) == ""


def test_an_id_file_that_is_a_folder_or_a_device_names_no_store(home: Path) -> None:
    folder = home / "brought"
    (folder / ".vectr/id").mkdir(parents=True)
    assert id_of(folder) == ""
    (folder / ".vectr/id").rmdir()
    (folder / ".vectr/id").symlink_to("/dev/zero")
    assert id_of(folder) == ""


def test_the_id_that_git_does_not_carry_wins_over_one_that_a_repository_brings(
    project: Path, other: Path
) -> None:
    init_project(str(project))
    own = id_of(project)
    (project / ".vectr").mkdir()
    (project / ".vectr/id").write_text(id_of(other) + "\n")
    assert id_of(project) == own


@pytest.mark.parametrize(
    "pointer",
    [
        "gitdir: /nonexistent",
        "gitdir: ../../../../../../..",
        "gitdir: ",
        "gitdir: \0",
        "x" * 5000,
        "gitdir: /dev/zero",
    ],
)
def test_a_git_file_that_points_nowhere_leads_to_no_store(home: Path, pointer: str) -> None:
    folder = home / "brought"
    folder.mkdir()
    (folder / ".git").write_text(pointer)
    assert id_of(folder) == ""


def test_only_files_inside_the_workspace_are_watched(project: Path, home: Path) -> None:
    (home / "secret.txt").write_text("x")
    (project / "inside.txt").write_text("x")
    (project / "out").symlink_to(home)
    (project / "link.txt").symlink_to(home / "secret.txt")
    named = [
        "inside.txt",
        "link.txt",
        "out/secret.txt",
        "../secret.txt",
        str(home / "secret.txt"),
        "/etc/hostname",
    ]
    body = "It is in `link.txt`, `out/secret.txt`, `../secret.txt`, `/etc/hostname` and `inside.txt`."
    assert [watched.path for watched in watched_paths(str(project), named, body)] == ["inside.txt"]


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "~/x", "C:/x"])
def test_a_path_trigger_names_nothing_outside(write: Callable[..., int], project: Path, path: str) -> None:
    """It is refused, or it is a pattern that no file outside the workspace is ever compared with."""
    try:
        write("Lock.", trigger=[{"path": path}])
    except VectrHooksError:
        return
    for target in ("/etc/passwd", str(project.parent / "x"), str(Path.home() / "x")):
        payload = Session(project).payload("PreToolUse.Edit", tool_input={"file_path": target})
        assert Session(project).send(payload).stdout == b""


@pytest.mark.parametrize("anchor", ["../x", "a/../../x", "/etc/passwd"])
def test_an_anchor_outside_the_workspace_is_refused(write: Callable[..., int], anchor: str) -> None:
    with pytest.raises(VectrHooksError, match="outside the workspace"):
        write("Lock.", anchors=[anchor])


def test_a_file_to_import_that_would_never_end_is_refused(project: Path) -> None:
    os.mkfifo(project / "pipe.md")
    (project / "zero.md").symlink_to("/dev/zero")
    for name in ("pipe.md", "zero.md"):
        with pytest.raises(UnreadableNote):
            read_file(str(project / name))


BOMBS = {
    "aliases": "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]",
    "a Python object": "title: !!python/object/apply:os.system [id]",
    "a Python name": "title: !!python/name:os.system",
    "a Python tuple": "tags: !!python/tuple [a]",
    "a set": "tags: !!set {a, b}",
    "bytes": "title: !!binary aGk=",
    "a tag of one's own": "title: !evil x",
    "a key twice": "title: a\ntitle: b",
    "a key twice, quoted": 'title: a\n"title": b',
    "a merged key": "<<: {title: a}",
    "a key that is a list": "? [a]\n: b",
    "deep lists": "a: " + "[" * 30_000,
    "deep mappings": "a: " + "{a: " * 10_000,
    "deep blocks": "".join(" " * depth + "a:\n" for depth in range(300)),
    "a long number": "pinned: " + "9" * 60_000,
    "a long hexadecimal number": "pinned: 0x" + "f" * 30_000,
    "a long number in a trigger": "trigger:\n - path: 0x" + "f" * 30_000,
    "a long number of turns": "trigger:\n - path: x\ncooldown: 0x" + "f" * 30_000,
    "a number to the base of sixty": "pinned: " + "1:" * 20_000 + "1",
    "a number that is none": "trigger:\n - path: x\ncooldown: .nan",
    "no date": "trigger:\n - path: x\nexpires: 0000-00-00",
    "another version": "%YAML 9.9\n---\ntitle: x",
    "two documents": "title: x\n...\ntitle: y",
}


@pytest.mark.parametrize("name", BOMBS)
def test_front_matter_that_hides_or_explodes_is_refused_with_its_line(name: str) -> None:
    with pytest.raises(UnreadableNote) as refused:
        read_note(f"---\n{BOMBS[name]}\n---\n\nbody\n", "note.md")
    assert all(problem.line > 0 and len(problem.message) < 300 for problem in refused.value.problems)


@pytest.mark.parametrize(
    "text", ["[" * 1_000_000, "- " * 500_000, "1:" * 50_000 + "1", "&a " * 300_000, '"' + "a" * 1_000_000]
)
def test_a_megabyte_of_yaml_is_refused(text: str) -> None:
    with pytest.raises(YamlError):
        read_value(text)


@pytest.mark.parametrize(
    "value", [[{"path": "x"}] * 20_000, {"path": ["x"] * 100_000}, {"keyword": "x" * 1_000_000}]
)
def test_a_trigger_of_any_size_is_taken_or_refused_as_ours(value: object) -> None:
    try:
        parse_trigger(value)
    except VectrHooksError as error:
        message = error.message
    else:
        message = ""
    assert len(message) < 500


SQL = [
    "'); DROP TABLE note;--",
    '" OR 1=1 --',
    "?1",
    ":x",
    "%s",
    "\\'; DELETE FROM revision",
    "NULL",
    "x'00'",
]
FTS = [
    'a" OR NEAR(b c, 2)', "title:x", "NEAR(", "*", '"', '""', "a AND", "OR", "NOT", "^a", "a*", "-a",
    "{title body}:x", "(((", "a + b", "\\", ";", "' OR 1", "col:*", "\u0000", "\ud7ff", "日本語 OR", "",
]  # fmt: skip


@pytest.mark.parametrize("text", SQL + [text for text in FTS if text and "\0" not in text])
def test_every_field_holds_any_text_as_it_is(
    write: Callable[..., int], rows: Callable[[str], list[sqlite3.Row]], text: str
) -> None:
    tag = "".join(text.split()).replace(",", "") or "x"
    note = write(f"Body {text}", title=f"Title {text}", tags=[tag], anchors=[f"s{text}"], session=text)
    (row,) = rows(f"SELECT title, body, tags, session FROM revision WHERE note = {note}")
    assert (row["title"], row["body"], row["session"]) == (f"Title {text}".strip(), f"Body {text}", text)
    assert rows("SELECT count(*) FROM note")[0][0] == 1


@pytest.mark.parametrize("query", FTS + SQL)
def test_no_query_reaches_the_query_language(
    store: sqlite3.Connection, write: Callable[..., int], query: str
) -> None:
    from vectr_hooks.store.recall import search

    write("Deploys go through the canary first.")
    assert all(note.id == 1 for note, _ in search(store, query, 10, (), ()))
    assert len(search(store, f"canary {query}", 10, (), ())) == 1
