"""What the models of other hosts get to read: each program is run, against a scripted model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from vectr_hooks.registration import support

from .conftest import VERSIONS
from .hosts import codex, copilot, gemini, qwen
from .hosts.program import HostLab, Program, Turn
from .lab import PACKAGE_ROOT
from .messages_api import occurrences, says
from .npm import ProgramUnavailable

pytestmark = pytest.mark.e2e

PROGRAMS: tuple[Program, ...] = (codex.PROGRAM, gemini.PROGRAM, copilot.PROGRAM, qwen.PROGRAM)
# How often each delivery is repeated, in a session of its own.
RUNS = range(int(os.environ.get("VECTR_HOOKS_E2E_RUNS", "1")))

RULE = "A release is cut from a tag,\nand only after `make check` is green."
DEPLOYS = "The canary takes an hour,\nand nothing else is deployed meanwhile."
MADE = "The file made is written by the build alone."
TABLE = "The numbers of table.csv are those of March:\nApril is missing."
CARE = "A helper reports what it did not do."

# What each moment brings, and the request in which it stands first.
BROUGHT = {
    "session-start": (RULE, 0),
    "prompt-submit": (DEPLOYS, 0),
    "pre-tool": (MADE, 1),
    "post-tool": (TABLE, 2),
}


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda program: f"{program.host} {program.version}")
def program(request: pytest.FixtureRequest) -> Program:
    found: Program = request.param
    needs(found)
    return found


def needs(program: Program) -> None:
    try:
        program.installed()
    except ProgramUnavailable as why:
        pytest.skip(str(why))


@pytest.fixture(scope="module")
def lab(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostLab]:
    """The project with its notes, in which every test is a session of its own."""
    with HostLab(program, tmp_path_factory.mktemp("lab")) as prepared:
        prepared.install("project")
        write_notes(prepared)
        yield prepared


def write_notes(lab: HostLab) -> None:
    lab.remember(RULE, "--kind", "directive")
    lab.remember(DEPLOYS, "--keyword", "deploy")
    lab.remember(MADE, "--command", "touch made", "--event", "pre-run")
    lab.remember(TABLE, "--command", "cat table.csv", "--event", "post-run")
    lab.remember(CARE, "--event", "subagent-start", "--subagent", "*")
    lab.write("table.csv", "1,2\n")


def known(lab: HostLab, moment: str) -> str:
    return support.of(lab.program.host, moment)


@pytest.fixture(scope="module", params=RUNS, ids=lambda run: f"run {run}")
def first(lab: HostLab) -> Turn:
    """A new session, which works on a prompt with two commands."""
    runs = lab.program.runs
    return lab.ask("How do we deploy this?", runs("touch made"), runs("cat table.csv"), says("Like this."))


def test_the_support_table_calls_proved_what_is_run_here_and_names_its_version() -> None:
    proved = {
        host: known.version for host, known in support.SUPPORT.items() if support.PROVED in known.moments
    }
    assert proved.pop("claude") in VERSIONS
    assert proved == {program.host: program.version for program in PROGRAMS}


def test_each_note_arrives_whole_and_once_at_its_moment(lab: HostLab, first: Turn) -> None:
    assert len(first.requests) == 3
    for moment, (text, at) in BROUGHT.items():
        if known(lab, moment) == support.PROVED:
            assert first.copies(text) == [0] * at + [1] * (3 - at), moment
        else:
            assert known(lab, moment) == support.NO
            assert not any(first.copies(text)), moment
    assert not any(first.copies(CARE))


def test_a_resumed_session_has_what_it_was_given(lab: HostLab, first: Turn) -> None:
    [request] = lab.ask("And now?", says("So."), session=first.session).requests
    for moment, (text, _) in BROUGHT.items():
        if known(lab, moment) == support.PROVED:
            copies = occurrences(request, text)
            assert copies == 1 or (copies > 1 and moment in lab.program.doubled_by_resume), moment


def test_after_a_compaction_the_model_has_again_what_it_took(lab: HostLab, first: Turn) -> None:
    if known(lab, "post-compaction") != support.PROVED:
        pytest.skip(f"not proved for {lab.program.host}")
    before = len(lab.api.requests)
    runs = lab.program.runs
    replies = (runs("echo 1", lab.program.nearly_full), runs("echo 2"), runs("echo 3"), says("So."))
    lab.ask("And then?", *replies, session=first.session)
    requests = lab.api.requests[before:]
    [at] = [at for at, request in enumerate(requests) if request.makes_summary]
    after = [
        [occurrences(request, text) for text in (RULE, DEPLOYS, TABLE)] for request in requests[at + 1 :]
    ]
    # One that compacts amid its work says so to no hook whose answer the next request has.
    in_time = after[lab.program.late_by :]
    assert in_time == [[1, 1, 1]] * len(in_time), after
    assert in_time


def test_a_subagent_gets_its_own_note_and_the_main_conversation_does_not(lab: HostLab) -> None:
    if known(lab, "subagent-start") != support.PROVED:
        pytest.skip(f"not proved for {lab.program.host}")
    # The second is for the one that asks next, the third for the other.
    waits = lab.program.runs("sleep 1")
    turn = lab.ask("Let a helper look", lab.program.delegates("Look into it"), waits, waits)
    copies = turn.copies(CARE)
    assert set(copies) == {0, 1}
    assert copies[0] == 0


@pytest.mark.parametrize("registered", [False, True], ids=["plugin", "plugin and settings"])
def test_the_plugin_delivers_once(program: Program, tmp_path: Path, registered: bool) -> None:
    if not program.plugin_commands:
        pytest.skip(f"{program.host} takes no plugin of Claude Code's form")
    with HostLab(program, tmp_path / "lab") as lab:
        if registered:
            lab.install("user")
        else:
            lab.vectr_hooks("init")
        write_notes(lab)
        for command in program.plugin_commands:
            lab.start(*(word.format(folder=PACKAGE_ROOT) for word in command))
        program.trust(lab)
        runs = program.runs
        turn = lab.ask("How do we deploy this?", runs("touch made"), runs("cat table.csv"), says("So."))
        for moment, (text, at) in BROUGHT.items():
            if known(lab, moment) == support.PROVED:
                assert turn.copies(text) == [0] * at + [1] * (3 - at), moment


def test_as_much_as_a_hook_may_print_arrives_whole(program: Program, tmp_path: Path) -> None:
    texts = [f"Rule {number}: {'é' * 380}." for number in range(14)]
    with HostLab(program, tmp_path / "lab") as lab:
        lab.install("user")
        lab.vectr_hooks("config", "set", "budget.boundary", "100000")
        for text in texts:
            lab.remember(text, "--kind", "directive")
        turn = lab.ask("Hello", says("Hello."))
        copies = [occurrences(turn.requests[0], text) for text in texts]
        assert set(copies) == {0, 1}
        # In bytes: a host's limit is 10,000 for one output.
        read = [text for text in texts if occurrences(turn.requests[0], text)]
        assert 6_000 < len("".join(read).encode()) < 10_000


def test_codex_runs_no_hook_that_is_not_trusted_or_has_changed_since(tmp_path: Path) -> None:
    needs(codex.PROGRAM)
    with HostLab(codex.PROGRAM, tmp_path / "lab") as lab:
        lab.vectr_hooks("install", "--host", "codex")
        lab.remember(RULE, "--kind", "directive")

        def arrives() -> list[int]:
            return lab.ask("Hello", says("Hello.")).copies(RULE)

        assert arrives() == [0]
        codex.PROGRAM.trust(lab)
        assert arrives() == [1]
        settings = lab.project / ".codex" / "hooks.json"
        trusted = settings.read_text("utf-8")
        settings.write_text(trusted.replace("host.py codex", "host.py  codex"), encoding="utf-8")
        assert arrives() == [0]
        settings.write_text(trusted, encoding="utf-8")
        assert arrives() == [1]
        config = lab.home / ".codex" / "config.toml"
        distrusting = config.read_text("utf-8").replace(
            'trust_level = "trusted"', 'trust_level = "untrusted"'
        )
        config.write_text(distrusting, encoding="utf-8")
        assert arrives() == [0]


def test_in_a_folder_that_is_not_trusted_copilot_runs_no_hook_of_the_project(tmp_path: Path) -> None:
    needs(copilot.PROGRAM)
    with HostLab(copilot.PROGRAM, tmp_path / "lab") as lab:
        lab.vectr_hooks("install", "--host", "copilot")
        lab.remember(RULE, "--kind", "directive")
        lab.home_file(".copilot/config.json", "{}")
        assert lab.ask("Hello", says("Hello.")).copies(RULE) == [0]
        lab.vectr_hooks("install", "--host", "copilot", "--scope", "user", "--yes")
        assert lab.ask("Hello", says("Hello.")).copies(RULE) == [1]
