"""At a resume, what the conversation lost is deliverable again; what it may still have is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from tests.hosts.transcript import Lines, attachment, boundary, entry, of_session, prompt, reply, write
from tests.playback import Playback
from vectr_hooks import arrival
from vectr_hooks.arrival import Emitted, recognise, written_time
from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED, PROMPT, SESSION_BEGINS, Occurrence, checksum
from vectr_hooks.hosts import claude
from vectr_hooks.hosts.claude_contexts import Context


class Recorded:
    """A session whose client writes down what it is told, as the real one does."""

    def __init__(self, playback: Playback, folder: Path) -> None:
        self.playback = playback
        self.path = folder / "session-1.jsonl"
        self.lines: Lines = []
        self.names = 0
        self.last: str | None = None

    def add(self, line: Callable[[str, str | None], bytes]) -> str:
        self.names += 1
        name = str(self.names)
        self.lines.append(of_session(self.playback.session, line(name, self.last)))
        self.last = name
        write(self.path, self.lines)
        return name

    def note(self, event: str, text: str) -> None:
        at = written_time(self.playback.now_ms)
        self.add(lambda name, before: attachment(name, before, event, text, timestamp=at))

    def start(self, source: str = "startup", noted: bool = True) -> str:
        text = self._answer(Occurrence(SESSION_BEGINS, "SessionStart", source))
        if text and noted:
            self.note("SessionStart", text)
        return text

    def prompt(self, words: str, noted: bool = True) -> str:
        self.playback.prompts += 1
        id = f"prompt-{self.playback.prompts}"
        self.add(lambda name, before: prompt(name, before, words))
        event = Occurrence(PROMPT, "UserPromptSubmit", prompt=words, prompt_id=id, identity=f"prompt:{id}")
        text = self._answer(event)
        if text and noted:
            self.note("UserPromptSubmit", text)
        at = written_time(self.playback.now_ms + 1)
        self.add(lambda name, before: reply(name, before or "", f"m-{name}", timestamp=at))
        return text

    def compact(self, noted: bool = True) -> str:
        self._answer(Occurrence(COMPACTION_ANNOUNCED, "PreCompact", "manual"))
        at = written_time(self.playback.now_ms)
        self.add(lambda name, before: boundary(name, before or "", timestamp=at))
        return self.start("compact", noted)

    def rewind(self, to: str | None) -> None:
        self.last = to

    def _answer(self, event: Occurrence) -> str:
        event.transcript = str(self.path)
        return self.playback.answer(event)

    def lost(self) -> int:
        return len(self.playback.rows("SELECT 1 FROM delivery WHERE lost > 0"))


@pytest.fixture
def session(project: Path, store_path: Path, tmp_path: Path, write: Callable[..., int]) -> Recorded:
    write("Rule.", kind="directive")
    write("Canary.", trigger=[{"keyword": "deploy"}])
    return Recorded(Playback(project, store_path), tmp_path / "client")


def test_what_was_rewound_comes_again_once(session: Recorded) -> None:
    session.start()
    session.prompt("Hello")
    here = session.last
    assert "Canary." in session.prompt("deploy")
    session.rewind(here)
    # Without a resume nothing tells that it is gone.
    assert session.prompt("deploy again") == ""
    assert session.start("resume") == ""
    assert session.lost() == 1
    assert "Canary." in session.prompt("deploy once more")
    assert session.prompt("deploy") == ""
    assert session.start("resume") == ""
    assert session.lost() == 1


def test_a_rule_that_was_rewound_comes_with_the_resume_itself(session: Recorded) -> None:
    session.start()
    session.rewind(None)
    session.prompt("Hello")
    assert "Rule." in session.start("resume")
    session.prompt("Hello")
    assert session.start("resume") == ""


def test_what_arrived_stands(session: Recorded) -> None:
    session.start()
    session.prompt("deploy")
    session.compact()
    session.prompt("deploy")
    for _ in range(3):
        assert session.start("resume") == ""
        assert session.prompt("deploy") == ""
    assert session.lost() == 0


def test_what_the_client_never_noted_is_lost(session: Recorded) -> None:
    session.start()
    assert session.prompt("deploy", noted=False)
    session.prompt("Hello")
    assert session.start("resume") == ""
    assert "Canary." in session.prompt("deploy")


def test_what_the_client_may_have_noted_otherwise_stands(session: Recorded) -> None:
    session.start()
    text = session.prompt("deploy", noted=False)
    session.note("UserPromptSubmit", f"{text}\nand more")
    session.prompt("Hello")
    session.start("resume")
    assert session.prompt("deploy") == ""


def test_what_the_client_has_not_got_to_stands(session: Recorded) -> None:
    session.start()
    session.prompt("Hello")
    session.playback.prompt("deploy")
    session.start("resume")
    assert session.prompt("deploy") == ""


def test_without_a_record_everything_stands(session: Recorded) -> None:
    session.start()
    session.prompt("deploy")
    for content in (None, b"", b"\x00\xff{", b"{}\n" * 1000):
        session.path.unlink() if content is None else session.path.write_bytes(content)
        session._answer(Occurrence(SESSION_BEGINS, "SessionStart", "resume"))
        assert session.lost() == 0


def test_what_a_compaction_kept_of_the_epoch_before_stands(session: Recorded) -> None:
    session.start()
    session.prompt("Hello")
    words, id = "deploy", "prompt-9"
    session.add(lambda name, before: prompt(name, before, words))
    event = Occurrence(PROMPT, "UserPromptSubmit", prompt=words, prompt_id=id, identity="prompt:9")
    session.note("UserPromptSubmit", session._answer(event))
    session._answer(Occurrence(COMPACTION_ANNOUNCED, "PreCompact", "auto", prompt_id=id))
    at = written_time(session.playback.now_ms)
    session.add(lambda name, before: boundary(name, before or "", "auto", timestamp=at))
    text = session._answer(Occurrence(SESSION_BEGINS, "SessionStart", "compact", prompt_id=id))
    assert "Canary." not in text
    session.note("SessionStart", text)
    session.prompt("Hello")
    session.start("resume")
    assert session.prompt("deploy") == ""


def test_feedback_to_the_user_does_not_hide_an_arrival(session: Recorded) -> None:
    session.playback.connection.execute("INSERT INTO setting (at, key, value) VALUES (1, 'feedback', 'true')")
    session.start()
    session.prompt("deploy")
    session.prompt("Hello")
    assert session.start("resume") == ""
    assert session.lost() == 0


def test_a_fork_gets_what_its_parent_lost(session: Recorded) -> None:
    session.start()
    session.prompt("Hello")
    here = session.last
    session.prompt("deploy")
    session.rewind(here)
    session.prompt("Hello")
    fork = Occurrence(SESSION_BEGINS, "SessionStart", "fork", session="session-2")
    fork.transcript = str(session.path.with_name("session-2.jsonl"))
    assert session.playback.answer(fork) == ""
    event = Occurrence(PROMPT, "UserPromptSubmit", prompt="deploy", prompt_id="f", session="session-2")
    assert "Canary." in session.playback.answer(event)


def test_an_unlike_event_of_the_client_changes_nothing(session: Recorded) -> None:
    session.start()
    session.prompt("deploy")
    said = {"type": "hook_additional_context", "content": None, "hookEvent": 7}
    session.add(lambda name, before: entry(name, before, type="attachment", attachment=said))
    session.prompt("Hello")
    assert session.start("resume") == ""
    assert json.loads(session.lines[0])["attachment"]["content"]
    assert session.lost() == 0


def resume(session: Recorded, transcript: Path) -> str:
    event = Occurrence(SESSION_BEGINS, "SessionStart", "resume")
    event.transcript = str(transcript)
    return session.playback.answer(event)


@pytest.mark.parametrize("named", ["another", ""])
def test_the_record_of_another_session_takes_nothing_back(
    session: Recorded, tmp_path: Path, named: str
) -> None:
    session.start()
    session.prompt("deploy")
    at = written_time(session.playback.now_ms + 10**6)
    lines = [prompt("91", None, timestamp=at), reply("92", "91", "m", timestamp=at)]
    other = write(tmp_path / "other.jsonl", [of_session(named, line) if named else line for line in lines])
    assert resume(session, Path(other)) == ""
    assert session.lost() == 0
    write(Path(other), [of_session("session-1", line) for line in lines])
    assert "Rule." in resume(session, Path(other))


def test_a_record_that_another_program_wrote_anew_is_read_as_well(session: Recorded) -> None:
    session.start()
    session.prompt("Hello")
    here = session.last
    session.prompt("deploy")
    session.rewind(here)
    session.prompt("Hello")
    session.path.write_bytes(
        b"".join(json.dumps(json.loads(line)).encode() + b"\n" for line in session.lines)
    )
    assert resume(session, session.path) == ""
    assert session.lost() == 1


def test_after_a_compaction_that_no_hook_saw_what_came_before_its_last_prompt_is_lost(
    session: Recorded,
) -> None:
    session.start()
    session.prompt("Hello")
    session.prompt("deploy")
    session.playback.now_ms += 10_000
    at = written_time(session.playback.now_ms)
    session.add(lambda name, before: boundary(name, before or "", timestamp=at))
    session.playback.now_ms += 10_000
    session.prompt("Hello")
    assert "Rule." in session.start("resume")
    # The compaction may have kept the turn that it was in.
    assert session.prompt("deploy") == ""
    assert session.lost() == 1


def errors(session: Recorded) -> list[tuple[object, ...]]:
    return session.playback.rows("SELECT event, message FROM error")


def test_a_record_that_takes_too_long_takes_nothing_back_and_the_resume_is_answered(
    session: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrival, "MOST_MS", -1)
    session.start()
    session.rewind(None)
    session.prompt("Hello")
    assert session.start("resume") == ""
    assert session.lost() == 0
    assert [event for event, _ in errors(session)] == ["SessionStart"]
    monkeypatch.setattr(arrival, "MOST_MS", 60_000)
    assert "Rule." in session.start("resume")


def test_what_goes_wrong_in_reading_the_record_does_not_keep_the_resume_from_its_answer(
    session: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.start()
    session.prompt("Hello")
    monkeypatch.setattr("vectr_hooks.hosts.claude_contexts.MOST_BYTES", "no number")
    assert session.start("resume") == ""
    assert errors(session) == [("SessionStart", "TypeError: not compared with the client's record")]


def test_each_text_is_answered_once_whatever_the_number_of_events(session: Recorded) -> None:
    class Host:
        """Counts what is answered."""

        NAME, EVENTS = claude.NAME, claude.EVENTS
        answered = 0

        @classmethod
        def answer(cls, *arguments: object) -> bytes:
            cls.answered += 1
            return claude.answer(*arguments)  # type: ignore[arg-type]

    connection = session.playback.connection
    emitted, found = [], []
    for number in range(40):
        event = Occurrence("", "PostToolUse")
        told = f"1 notes, 5 tokens: #{number}" if number % 2 else ""
        output = claude.answer(connection, event, f"[#{number} text]", told)
        emitted.append(Emitted(number, 0, "PostToolUse", len(output), checksum(output), 5, [number]))
        found.append(Context(number, "PostToolUse", f"[#{number} text]", "", True, False))
    found += [
        Context(100 + number, "PostToolUse", f"lint {number} is quite well", "", True, False)
        for number in range(200)
    ]
    seen: list[Context] = []

    def pace(contexts: Iterable[Context]) -> Iterator[Context]:
        for context in contexts:
            seen.append(context)
            yield context

    became = recognise(connection, Host, emitted, found, pace)  # type: ignore[arg-type]
    assert {event: context.line for event, context in became.items()} == {n: n for n in range(40)}
    # Each once; where the user was told as well, the sizes of the message, and texts of just that size.
    assert Host.answered <= len(found) + 20 * (2 + 2 * 40)
    assert len(seen) <= len(found) + 20 * 40
