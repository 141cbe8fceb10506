"""Takes the words of forgotten notes out of what was kept of commands and texts.

An agent stores a note by a command, and commands are kept: in the audit, and for the handoff.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from functools import cached_property

from vectr_hooks.core.model import Facts
from vectr_hooks.core.shell import simple_commands
from vectr_hooks.store.audit import FORGOTTEN, is_partial
from vectr_hooks.store.command_facts import programs_among, those_run
from vectr_hooks.store.work import EDITED

#: what stands for the words in a text: as where a secret was, which makes it one that is not known whole
IN_TEXT = "[redacted: forgotten]"

# So many characters in a row that a text has in common with a note are the note's.
_RUN = 16
_SHORTEST = 4
# A plain word that is shorter, such as `push`, says nothing of where it is from.
_TELLING_WORD = 8
# Of a longer note the beginning is looked for: more is never kept of a text.
_LONGEST = 1 << 16

_Without = Callable[[str, str], str]


def forget_words(con: sqlite3.Connection, texts: Iterable[str]) -> None:
    """Take `texts`, those of notes that are deleted, out of the kept command lines and texts.

    What the command lines decided for the other notes is recorded instead.
    """
    without = _remover([text.strip()[:_LONGEST] for text in texts])
    _forget_in_events(con, without)
    for event, name, text in con.execute("SELECT event, name, text FROM event_text").fetchall():
        left = without(text, IN_TEXT)
        if left != text:
            con.execute("UPDATE event_text SET text = ? WHERE event = ? AND name = ?", (left, event, name))
    # The names of edited files are the workspace's own, whatever note has them too.
    lines = con.execute("SELECT session, what, value FROM work WHERE what <> ?", (EDITED,)).fetchall()
    for session, what, line in lines:
        left = without(line, FORGOTTEN)
        if left != line:
            con.execute(
                "UPDATE OR REPLACE work SET value = ? WHERE session = ? AND what = ? AND value = ?",
                (left, session, what, line),
            )


def _forget_in_events(con: sqlite3.Connection, without: _Without) -> None:
    asked = _Asked(con)
    rows = con.execute(
        "SELECT id, json_extract(facts, '$.command'), json_extract(facts, '$.work.failed'),"
        " json_extract(facts, '$.work.passed') FROM event WHERE json_valid(facts)"
    ).fetchall()
    for id, *lines in rows:
        for place, line in zip(("$.command", "$.work.failed", "$.work.passed"), lines, strict=True):
            left = without(line, FORGOTTEN) if isinstance(line, str) else line
            if left == line:
                continue
            con.execute("UPDATE event SET facts = json_set(facts, ?, ?) WHERE id = ?", (place, left, id))
            # Of one that was not whole before, it is recorded already.
            if place == "$.command" and not is_partial(line):
                _record_decided(con, id, asked, line, without)


def _record_decided(con: sqlite3.Connection, event: int, asked: _Asked, line: str, without: _Without) -> None:
    """Record for `event` what its whole command line, `line`, fulfilled."""
    facts = Facts(commands=simple_commands(line))
    names = [without(name, FORGOTTEN) for name in programs_among(facts, asked.programs.__contains__)]
    con.execute(
        "UPDATE event SET facts = json_set(facts, '$.held', json(?), '$.programs', json(?)) WHERE id = ?",
        (json.dumps(those_run(facts, asked.commands)), json.dumps(names), event),
    )


class _Asked:
    """The commands that triggers ask for, those of all revisions that are still there."""

    def __init__(self, con: sqlite3.Connection) -> None:
        self._connection = con

    @cached_property
    def commands(self) -> frozenset[str]:
        rows = self._connection.execute(
            "SELECT DISTINCT part.atom FROM revision,"
            " json_tree(CASE WHEN json_valid(trigger) THEN trigger ELSE '{}' END) AS part"
            " WHERE part.type = 'text' AND part.path LIKE '%.command'"
        )
        return frozenset(command for (command,) in rows)

    @cached_property
    def programs(self) -> frozenset[str]:
        return frozenset(command.split(" ")[0] for command in self.commands)


def _remover(texts: Iterable[str]) -> _Without:
    """What takes from a line every run of characters that one of `texts` has, or a whole short one."""
    runs: set[str] = set()
    short = []
    for text in texts:
        if len(text) >= _RUN:
            runs.update(text[at : at + _RUN] for at in range(len(text) - _RUN + 1))
        elif len(text) >= _SHORTEST:
            short.append(text)

    def without(line: str, instead: str) -> str:
        kept, at, end = [], 0, 0
        # `end` is where what is taken out ends.
        for start in range(len(line) - _RUN + 1):
            if line[start : start + _RUN] in runs:
                if start > end or not end:
                    kept += [line[at:start], instead]
                at = end = start + _RUN
        left = "".join([*kept, line[at:]])
        if "vectr" in line:
            for text in short:
                if text in left and (_is_telling(text) or _is_handed_over(text, line)):
                    left = left.replace(text, instead)
        return left

    return without


def _is_telling(text: str) -> bool:
    return len(text) >= _TELLING_WORD or not (text.isascii() and text.isalpha())


def _is_handed_over(word: str, line: str) -> bool:
    """Whether `line` gives `word` to a command of ours."""
    return any(
        "vectr" in " ".join(words[:-1]) and any(word in given for given in words)
        for words in simple_commands(line)
    )
