import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.core.kinds import KINDS, PRIORITIES
from vectr_hooks.core.render import MARKS_SLOT, WHY_SLOT
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.candidates import read
from vectr_hooks.store.create import create_store, open_store
from vectr_hooks.store.notes import (
    NoteDraft,
    WatchedPath,
    add_note,
    add_notes,
    all_notes,
    change_note,
    change_notes,
    forget,
    get_note,
)

TRIGGER = {
    "clauses": [
        {"path": ["src/db/**", "*.sql"], "event": "pre-edit", "unless": {"branch": "main"}},
        {"keyword": ["Deploy now", "rollout"]},
    ],
    "cooldown": 10,
    "expires": "2030-01-01",
}


def draft(**fields):
    return NoteDraft(
        **{
            "title": "A title",
            "body": "A body",
            "kind": "finding",
            "priority": "medium",
            "provenance": "human",
            **fields,
        }
    )


def render(id, draft):
    return f"[#{id}{WHY_SLOT}{MARKS_SLOT}]\n{draft.body}", f"#{id}: {draft.title}"


def add(con, now_ms=1, **fields):
    return add_note(con, draft(**fields), render, now_ms)


def rows(con, statement, *values):
    return [tuple(row) for row in con.execute(statement, values)]


def test_a_note_is_read_back_as_it_was_written(con):
    written = add(
        con,
        now_ms=7,
        body="line\r\n\ttab é 部署",
        kind="gotcha",
        tags=("a", "b"),
        anchors=("src/x.py", "Store.open"),
        trigger=parse_trigger(TRIGGER),
        author="reviewer",
        pinned=True,
        session="s1",
        watched=(WatchedPath("src/x.py", 12, 34), WatchedPath("y", -1, 0)),
    )
    assert get_note(con, written.id) == written
    assert (written.body, written.at, written.created, written.state) == (
        "line\r\n\ttab é 部署",
        7,
        7,
        "active",
    )
    assert written.trigger == parse_trigger(TRIGGER)
    assert written.watched == (WatchedPath("src/x.py", 12, 34), WatchedPath("y", -1, 0))


def test_the_rendered_texts_hold_the_id_and_the_cost_leaves_out_the_slots(con):
    note = add(con, body="b" * 35)
    assert note.text == f"[#{note.id}{WHY_SLOT}{MARKS_SLOT}]\n" + "b" * 35
    assert note.line == f"#{note.id}: A title"
    assert note.cost == 10  # "[#1]\n" and the body are 40 characters


@pytest.mark.parametrize("id", [0, -1, 2, 1 << 63, 1 << 70])
def test_an_id_that_is_no_note_is_none(con, id):
    add(con)
    assert get_note(con, id) is None
    with pytest.raises(VectrHooksError, match="no note"):
        change_note(con, id, 2, render, pinned=True)
    assert forget(con, [id]) == 0


def test_the_compiled_clauses_are_what_a_hook_reads(con):
    note = add(con, trigger=parse_trigger(TRIGGER))
    (candidate,) = read(con, [note.id], {})
    assert [(clause.conditions, clause.unless) for clause in candidate.clauses] == [
        ((("event", ("pre-edit",)), ("path", ("src/db/**", "*.sql"))), (("branch", ("main",)),)),
        ((("keyword", ("deploy now", "rollout")),), ()),
    ]
    assert (candidate.cooldown, candidate.expires, candidate.max_deliveries) == (10, "2030-01-01", None)
    assert {text for (text,) in rows(con, "SELECT text FROM needle")} == {"wdeploy now", "wrollout"}
    keys = {key for (key,) in rows(con, "SELECT key FROM trigger_key")}
    assert {"wdeploy now", "wrollout"} < keys


def test_a_note_without_a_trigger_has_the_default_of_its_kind(con):
    directive = add(con, kind="directive")
    finding = add(con, kind="finding")
    assert [clause.conditions for clause in directive.clauses] == [
        (("event", ("session-start", "post-compaction")),)
    ]
    assert rows(con, "SELECT DISTINCT note FROM trigger_key") == [(directive.id,)]
    assert finding.trigger is None
    assert finding.clauses == ()


def test_a_change_appends_a_revision_and_keeps_the_rest(con):
    before = add(
        con, now_ms=1, body="old words", trigger=parse_trigger(TRIGGER), watched=(WatchedPath("x", 1, 2),)
    )
    after = change_note(con, before.id, 5, render, body="new text", priority="high")
    assert (after.body, after.priority, after.at, after.created) == ("new text", "high", 5, 1)
    assert (after.title, after.trigger, after.watched) == (before.title, before.trigger, before.watched)
    assert after.revision > before.revision
    assert after.text.endswith("new text")
    bodies = rows(con, "SELECT body FROM revision WHERE note = ? ORDER BY id", before.id)
    assert bodies == [("old words",), ("new text",)]
    assert rows(con, "SELECT rowid FROM note_fts WHERE note_fts MATCH 'old'") == []


def test_a_pin_is_a_revision_and_moves_the_note_ahead(con):
    first = add(con, kind="directive", priority="high")
    second = add(con, kind="reference", priority="low")
    assert [note.id for note in all_notes(con)] == [first.id, second.id]
    pinned = change_note(con, second.id, 2, render, pinned=True)
    assert [note.id for note in all_notes(con)] == [second.id, first.id]
    assert pinned.text == second.text
    unpinned = change_note(con, second.id, 3, render, pinned=False)
    assert unpinned.revision > pinned.revision > second.revision
    assert [note.id for note in all_notes(con)] == [first.id, second.id]


def test_a_change_of_the_trigger_leaves_nothing_of_the_old_one(con):
    note = add(con, trigger=parse_trigger(TRIGGER))
    change_note(con, note.id, 2, render, trigger=parse_trigger({"command": "git push"}))
    assert rows(con, "SELECT name, value FROM clause_condition") == [("command", "git push")]
    assert rows(con, "SELECT key FROM trigger_key") == [("$git",)]
    assert rows(con, "SELECT * FROM needle") == []


def test_a_field_that_a_note_does_not_have_cannot_be_changed(con):
    note = add(con)
    with pytest.raises(TypeError):
        change_note(con, note.id, 2, render, colour="red")
    assert get_note(con, note.id) == note


def test_nothing_is_stored_when_rendering_fails(con):
    def broken(id, draft):
        raise RuntimeError("template")

    with pytest.raises(RuntimeError):
        add_note(con, draft(), broken, 1)
    assert not con.in_transaction
    assert [rows(con, f"SELECT * FROM {table}") for table in ("note", "revision", "note_fts")] == [[], [], []]


def test_ids_are_never_reused(con):
    first = add(con)
    forget(con, [first.id])
    assert add(con).id > first.id


def test_a_store_that_another_process_writes_is_refused_with_a_hint(con, store_path):
    con.execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(store_path, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(VectrHooksError, match="locked") as refused:
            add(con)
    finally:
        other.close()
    assert "another process" in refused.value.hint


def test_notes_that_are_added_together_are_what_they_are_one_by_one(con, tmp_path):
    drafts = [
        draft(title=f"t{n}", body=f"body {n}", trigger=parse_trigger(TRIGGER), pinned=n == 1, tags=("a",))
        for n in range(3)
    ]
    first = add(con)
    assert add_notes(con, drafts, render, 1) == [2, 3, 4]
    tables = ("note", "revision", "clause_condition", "trigger_key", "needle", "note_fts")
    together = {table: rows(con, f"SELECT * FROM {table}") for table in tables}
    path = str(tmp_path / "other" / "notes.db")
    create_store(path, "0123456789abcdef" * 2, "/", 0)
    with closing(open_store(path)) as other:
        add(other)
        for one in drafts:
            add_note(other, one, render, 1)
        assert together == {table: rows(other, f"SELECT * FROM {table}") for table in tables}
    assert get_note(con, first.id) == first


def test_notes_are_added_together_or_not_at_all(con):
    def render_two(id, draft):
        if id > 2:
            raise RuntimeError("template")
        return render(id, draft)

    with pytest.raises(RuntimeError, match="template"):
        add_notes(con, [draft(), draft(), draft()], render_two, 1)
    assert all_notes(con) == []
    assert add_notes(con, [], render, 1) == []


def test_notes_that_another_process_writes_meanwhile_keep_their_ids(con, store_path):
    def render_late(id, late):
        if id == 1:
            with closing(open_store(store_path)) as other:
                add_note(other, draft(title="first"), render, 1)
        return render(id, late)

    assert add_notes(con, [draft(title="second"), draft(title="third")], render_late, 1) == [2, 3]
    assert [
        (note.id, note.title, note.line) for note in sorted(all_notes(con), key=lambda note: note.id)
    ] == [
        (1, "first", "#1: first"),
        (2, "second", "#2: second"),
        (3, "third", "#3: third"),
    ]


def test_notes_are_changed_together_or_not_at_all(con):
    first, second = add(con), add(con)
    changes = {first.id: {"body": "a"}, second.id: {"body": "b"}}
    seen = {first.id: first.revision, second.id: second.revision}
    after = change_notes(con, changes, 2, render, seen)
    assert [note.body for note in after] == ["a", "b"]
    with pytest.raises(VectrHooksError, match="changed meanwhile"):
        change_notes(con, changes, 3, render, {first.id: after[0].revision, second.id: second.revision})
    with pytest.raises(VectrHooksError, match="no note"):
        change_notes(con, {first.id: {"body": "c"}, 99: {"body": "d"}}, 3, render)
    assert [get_note(con, note.id) for note in after] == after


def test_notes_written_at_once_by_several_processes_are_all_there(con, store_path):
    script = (
        "import sys; from vectr_hooks.store.create import open_store;"
        "from vectr_hooks.store.notes import NoteDraft, add_note\n"
        "con = open_store(sys.argv[1])\n"
        "for n in range(10):\n"
        "    draft = NoteDraft(title='t', body='b', kind='finding', priority='low', provenance='agent')\n"
        "    add_note(con, draft, lambda id, draft: (f'#{id}', 'line'), n)\n"
        "con.close()\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, store_path]) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    notes = all_notes(con)
    assert len(notes) == 40
    assert all(note.text == f"#{note.id}" for note in notes)


def contents(store_path):
    """The bytes of all files of the store."""
    found = b""
    for file in os.scandir(os.path.dirname(store_path)):
        with open(file.path, "rb") as opened:
            found += opened.read()
    return found


def test_what_is_forgotten_is_in_no_file_of_the_store_any_more(con, store_path):
    kept = add(con, title="kept title", body="keptbody " * 50)
    gone = add(
        con,
        title="secrettitle",
        body="secretbody " * 3000,
        tags=("secrettag",),
        anchors=("secretanchor/x",),
        author="secretauthor",
        session="secretsession",
        trigger=parse_trigger({"keyword": "secretkeyword", "path": "secretpath/**"}),
        watched=(WatchedPath("secretwatched", 1, 2),),
    )
    change_note(con, gone.id, 2, render, body="secretchange", trigger=None)
    assert forget(con, [gone.id]) == 1
    assert b"secret" not in contents(store_path)
    assert get_note(con, kept.id) == kept
    assert rows(con, "SELECT rowid FROM note_fts WHERE note_fts MATCH 'keptbody'") == [(kept.id,)]


def test_no_word_of_a_forgotten_note_stays_whatever_was_written_before_and_after(con, store_path):
    chance = random.Random(20)
    words = {}

    def write():
        word = f"{chance.getrandbits(64):016x}"
        size = chance.choice([1, 3, 40, 400])
        note = add(con, title=f"t {word}", body=f"{word} filler {chance.random()} " * size, tags=(word,))
        words[note.id] = {word}
        if chance.random() < 0.3:
            changed = f"{chance.getrandbits(64):016x}"
            change_note(con, note.id, 2, render, body=f"{changed} more " * size)
            words[note.id].add(changed)

    for _ in range(150):
        write()
    forgotten = chance.sample(sorted(words), 60)
    assert forget(con, forgotten[:40]) == 40
    for _ in range(20):
        write()
    assert forget(con, forgotten[40:]) == 20
    found = contents(store_path)
    gone = {word for id in forgotten for word in words[id]}
    kept = {word for id in words.keys() - set(forgotten) for word in words[id]}
    # The index leaves out what a word shares with the one before it, so the end of each is looked for.
    assert [word for word in gone if word[4:].encode() in found] == []
    assert all(word.encode() in found for word in kept)


def test_what_was_recorded_of_a_forgotten_note_keeps_numbers_and_no_needle(con):
    note = add(con, trigger=parse_trigger({"keyword": ["merger", "shared"]}))
    change_note(con, note.id, 2, render, trigger=parse_trigger({"keyword": ["takeover", "shared"]}))
    add(con, trigger=parse_trigger({"keyword": "shared"}))
    needles = ("wmerger", "wother", "wshared", "wtakeover")
    con.executemany("INSERT INTO turn_needle VALUES ('s', 't', ?)", [(text,) for text in needles])
    con.execute(
        "INSERT INTO event VALUES (1, 0, '', 's', '', 0, '', 'UserPromptSubmit', 0, 0, ?, '',"
        " 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
        ('{"tool":"x","needles":["wmerger","wother","wshared","wtakeover"],"fresh":["wmerger"],"slow":[]}',),
    )
    con.execute(
        "INSERT INTO outcome VALUES (1, 0, ?, 1, 'delivered', '', 'full', '0', 'trigger', 9)", (note.id,)
    )
    con.execute("INSERT INTO delivery VALUES ('s', '', 0, ?, 0, 1, '', 1, 'full', 1, 0)", (note.id,))
    forget(con, [note.id])
    assert rows(con, "SELECT text FROM turn_needle") == [("wother",), ("wshared",)]
    assert rows(con, "SELECT facts FROM event") == [
        ('{"tool":"x","needles":["wother","wshared"],"fresh":[],"slow":[]}',)
    ]
    assert rows(con, "SELECT note, cost FROM outcome") == [(note.id, 9)]
    assert rows(con, "SELECT note FROM delivery") == [(note.id,)]


def test_forgetting_counts_each_note_once(con):
    ids = [add(con).id for _ in range(3)]
    assert forget(con, [ids[0], ids[0], ids[1], 999]) == 2
    assert [note.id for note in all_notes(con)] == [ids[2]]
    assert forget(con, []) == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from(sorted(KINDS)), st.sampled_from(PRIORITIES)),
        min_size=1,
        max_size=6,
    )
)
def test_notes_come_in_precedence_pinned_kind_priority_then_newest(con, choices):
    forget(con, [note.id for note in all_notes(con)])
    for pinned, kind, priority in choices:
        add(con, pinned=pinned, kind=kind, priority=priority)
    kinds = list(KINDS)
    keys = [
        (not note.pinned, kinds.index(note.kind), PRIORITIES.index(note.priority), -note.revision)
        for note in all_notes(con)
    ]
    assert keys == sorted(keys)
    assert len(keys) == len(choices)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_every_text_is_kept_verbatim(con, text):
    note = add(con, body=text, title=text, tags=(text,), anchors=(text,))
    read_back = get_note(con, note.id)
    assert read_back is not None
    assert (read_back.body, read_back.title, read_back.tags, read_back.anchors) == (
        text,
        text,
        (text,),
        (text,),
    )
