"""Draws the demo on a console: steps, what was injected and why not, the compaction, the audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from vectr_hooks.commands.demo_playback import Answer, Played, Survival, totals
from vectr_hooks.core.describe import arrival
from vectr_hooks.core.settings import DEFAULTS
from vectr_hooks.store.notes import Note

WIDEST = 104
INDENT = 4

ACCENT = "cyan"
GIVEN = "green"
COMPACTION = "magenta"
KIND_STYLES = {
    "directive": "bold red",
    "gotcha": "bold yellow",
    "operational": "bold blue",
    "finding": "bold green",
    "decision": "bold magenta",
}


class PipedConsole(Console):
    """A console that leaves a closed pipe to the program, which ends quietly then."""

    def on_broken_pipe(self) -> None:
        raise


class Screen:
    """A console, used up to a width at which text still reads well."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = min(console.width, WIDEST)

    def show(self, drawn: RenderableType, indent: int = 0) -> None:
        expand = isinstance(drawn, (Panel, Rule))
        self.console.print(Padding(drawn, (0, 0, 0, indent), expand=expand), width=self.width)

    def blank(self) -> None:
        self.console.print()

    def rule(self, title: str, style: str, characters: str = "─") -> None:
        self.show(Rule(Text(title, style=f"bold {style}"), style=style, characters=characters))

    def opening(self, notes: Iterable[Note], settings: dict[str, int]) -> None:
        self.blank()
        self.rule("vectr-hooks demo", ACCENT)
        self.blank()
        self.show(
            Text.assemble(
                "Two sessions of a coding agent, recorded and played again through the real hooks, each a "
                "process of its own, in a scratch project. ",
                ("What stands in a green frame is exactly what the model is given.", "bold"),
            )
        )
        self.blank()
        self.show(Text("The project's notes, and when each arrives", style="bold"))
        self.blank()
        self.show(_notes_table(notes))
        self.blank()
        for key, value in settings.items():
            self.show(
                Text(f"{key} is {value} here, not {DEFAULTS[key]}, so that it runs out once.", style="dim")
            )

    def session(self, title: str) -> None:
        self.blank()
        self.rule(title, ACCENT)

    def step(self, played: Played) -> None:
        self.head(played)
        if played.survival:
            self.compaction(played, played.survival)
            return
        if played.note:
            self.written(played.note)
        for answers in alike(played.answers):
            self.answers(answers)
        self.point(played.step.point)

    def head(self, played: Played) -> None:
        self.blank()
        what = Text.assemble((played.step.who, "bold"), " ", (played.step.did, "dim"))
        self.show(_hanging(Text(f"{played.number:>2}", style=f"bold {ACCENT}"), what))

    def written(self, note: Note) -> None:
        what = Text.assemble((note.kind, KIND_STYLES[note.kind]), f"  {note.title}\n", (_when(note), "dim"))
        self.show(_hanging(Text(f"#{note.id}", style="bold"), what), indent=INDENT)

    def answers(self, answers: Sequence[Answer]) -> None:
        """Show one answer, or several that brought nothing for the same reasons."""
        answer = answers[0]
        reasons = why_not(answer)
        if answer.text:
            self.show(_frame(answer), indent=INDENT)
        else:
            names = ", ".join(one.told.label for one in answers)
            times = " + ".join(f"{one.ms:.0f}" for one in answers)
            nothing = "nothing" if reasons else "nothing applies"
            self.show(Text.assemble((names, "blue"), f"  {nothing}", (f" · {times} ms", "dim")), INDENT)
        for reason in reasons:
            self.show(Text(f"  {reason}", style="yellow" if "held back" in reason else "dim"), indent=INDENT)

    def point(self, text: str) -> None:
        if text:
            self.show(_hanging(Text("↳", style=ACCENT), Text(text, style="italic")), indent=INDENT)

    def compaction(self, played: Played, survival: Survival) -> None:
        """Show what a compaction takes, and what comes back after it."""
        announced, begun = played.answers
        self.answers([announced])
        self.blank()
        self.rule("the conversation is compacted", COMPACTION, "━")
        self.blank()
        self.show(Text("All that is left of it in the model's context:", style="dim"), indent=INDENT)
        summary = Text(played.step.summary, style="italic dim")
        self.show(Panel(summary, title="the summary", title_align="left", border_style="dim"), indent=INDENT)
        self.blank()
        motto = Text(
            "The summary keeps a sentence; the notes come back word for word.", style=f"bold {COMPACTION}"
        )
        self.show(motto, indent=INDENT)
        self.blank()
        self.answers([begun])
        self.show(_verdict(survival), indent=INDENT)
        self.point(played.step.point)

    def closing(self, played: Sequence[Played], notes: Sequence[Note]) -> None:
        self.blank()
        self.rule("the audit", ACCENT)
        self.blank()
        self.show(Text("What became of every note, as the hooks recorded it", style="bold"))
        self.show(_audit_table(played, notes))
        self.show(_totals(played))

    def next_steps(self, commands: Iterable[tuple[str, str]]) -> None:
        self.blank()
        self.rule("next, in a project of yours", ACCENT)
        self.blank()
        for command, what in commands:
            lines = Text.assemble((f"  # {what}\n", "dim"), (f"  {command}", "bold"))
            # Never wrapped: they are there to be copied.
            self.console.print(lines, soft_wrap=True)


def alike(answers: Iterable[Answer]) -> Iterator[list[Answer]]:
    """Group neighbours that brought nothing for the same reasons."""
    for _, group in groupby(answers, key=lambda answer: (answer.text, why_not(answer))):
        yield list(group)


def why_not(answer: Answer) -> list[str]:
    """Why candidates were not delivered, as the audit says it, but for notes that are about other moments."""
    return [
        f"#{outcome.note} {outcome.status}: {outcome.reason.partition(': ')[2] or outcome.reason}"
        for outcome in answer.event.outcomes
        if outcome.status != "delivered" and outcome.reason not in ("event", "subagent")
    ]


def _hanging(mark: Text, text: Text) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_row(mark, text)
    return grid


def _notes_table(notes: Iterable[Note]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for note in notes:
        what = Text.assemble(note.title, "\n", (_when(note), "dim"))
        table.add_row(f"#{note.id}", Text(note.kind, style=KIND_STYLES[note.kind]), what)
    return table


def _when(note: Note) -> str:
    # What all but the rules have in common says nothing about one of them.
    return arrival(note.trigger, note).removeprefix("arrives ").removesuffix("; once per epoch")


def _frame(answer: Answer) -> Panel:
    whom = "the model"
    if answer.for_summary:
        whom = "the summary's author"
    elif answer.told.subagent:
        whom = f"the subagent, a {answer.told.subagent}"
    style = "dim" if answer.for_summary else GIVEN
    return Panel(
        Group(*_lines(answer.text)),
        title=Text.assemble((answer.told.label, "blue"), (f" → {whom}", "not dim")),
        title_align="left",
        subtitle=Text(f"{answer.tokens} tokens · {answer.ms:.0f} ms", style="dim"),
        subtitle_align="right",
        border_style=style,
        box=box.ROUNDED,
    )


def _lines(text: str) -> Iterator[Text]:
    """The lines of an injected text: unchanged, with the headers of the notes in the colour of their kind."""
    for line in text.splitlines():
        kind = line.partition(" ")[2].split(" ")[0].rstrip(":") if line.startswith(("[#", "#")) else ""
        style = KIND_STYLES.get(kind, "bold" if line.startswith("[handoff ") else "")
        yield Text(line, style=style, overflow="fold")


def _verdict(survival: Survival) -> Text:
    if survival.complete:
        return Text.assemble(
            ("✓ ", "bold green"),
            (f"{len(survival.whole)} notes", "bold"),
            " came back whole, each once",
            f"; {len(survival.lines)} by its title, as before." if survival.lines else ".",
        )
    lost = " ".join(f"#{id}" for id in survival.missing)
    return Text(f"✗ not as they were: {lost}", style="bold red")


def _audit_table(played: Sequence[Played], notes: Sequence[Note]) -> Table:
    outcomes = [outcome for one in played for answer in one.answers for outcome in answer.event.outcomes]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), collapse_padding=True)
    table.add_column("note", justify="right", style="bold", no_wrap=True)
    table.add_column("")
    for heading in ("delivered", "suppressed", "held back"):
        table.add_column(heading, justify="right", no_wrap=True)
    for note in notes:
        of_note = [outcome.status for outcome in outcomes if outcome.note == note.id]
        counts = [of_note.count(status) for status in ("delivered", "suppressed", "held back")]
        cells = [
            Text(str(n) if n else "·", style=style if n else "dim")
            for n, style in zip(counts, ("green", "", "yellow"), strict=True)
        ]
        table.add_row(f"#{note.id}", Text(note.title), *cells)
    return table


def _totals(played: Sequence[Played]) -> Text:
    sums = totals(played)
    return Text.assemble(
        (f"{sums.events}", "bold"),
        " hook processes, ",
        (f"{sums.median_ms:.0f} ms", "bold"),
        " each (median) · ",
        (f"{sums.injections}", "bold"),
        " injected something · ",
        (f"{sums.tokens:,}", "bold"),
        " tokens in all",
    )
