"""The stages from candidates to one outcome each."""

from vectr_hooks.core.conditions import judge
from vectr_hooks.core.model import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vectr_hooks.core.budget import Limits, Packed, Piece
    from vectr_hooks.core.ledger import Ledger
    from vectr_hooks.core.model import Candidate, Facts

ORIGINS = {
    "pinned": "pinned",
    "written": "written in this session",
    "working set": "used earlier in this session",
    "older working set": "used earlier in this session",
    "recall": "much in common with the prompt",
}


def decide(
    candidates: "Iterable[Candidate]", facts: "Facts", ledger: "Ledger", settings: "Mapping[str, int]"
) -> "list[Decision]":
    """Give every candidate its outcome, in order of precedence, up to the budget.

    `settings` holds each kind's full-text cap in tokens; 0 means that only an index line is ever delivered,
    as of a kind that is none, which only a damaged store has.
    What is left to the budget has the status `matched` and the fullest form still open to it: `full`,
    `index`, or `full` with the reason `whole or nothing` when its index line was already printed.
    """
    ordered = sorted(candidates, key=lambda candidate: candidate.precedence)
    return [_decide(candidate, facts, ledger, settings) for candidate in ordered]


def _decide(
    candidate: "Candidate", facts: "Facts", ledger: "Ledger", settings: "Mapping[str, int]"
) -> Decision:
    if candidate.not_before > facts.today:
        return Decision(candidate, "out of scope", "not before " + candidate.not_before)
    if candidate.expires and candidate.expires < facts.today:
        return Decision(candidate, "expired", "expired " + candidate.expires)
    days = settings.get("expire." + candidate.kind)
    if days:
        from vectr_hooks.core.ages import is_older

        if is_older(candidate.at, facts.today, days):
            return Decision(candidate, "expired", "older than " + str(days) + " days")
    if candidate.scope != "workspace" and candidate.scope_value != getattr(facts, candidate.scope):
        return Decision(candidate, "out of scope", candidate.scope + " " + candidate.scope_value)
    verdicts = [(clause.number, judge(clause, facts)) for clause in candidate.clauses]
    clauses = tuple(number for number, verdict in verdicts if verdict)
    if not clauses and candidate.origin == "trigger":
        failed = sorted({verdict.failed for _, verdict in verdicts})
        return Decision(candidate, "unmatched", ", ".join(failed) or "no clause")
    from vectr_hooks.core.ledger import weigh

    ruling = weigh(candidate, clauses, ledger, facts.moments)
    why = next((verdict.why for _, verdict in verdicts if verdict), "") or ORIGINS[candidate.origin]
    if ruling.reason:
        return Decision(candidate, "suppressed", ruling.reason, clauses=clauses, why=why)
    line_only = candidate.origin in ("older working set", "recall") and not clauses
    whole = ruling.full and not line_only and candidate.cost <= settings.get("cap." + candidate.kind, 0)
    if not whole and not ruling.line:
        return Decision(candidate, "suppressed", "ledger: index line already in this epoch", clauses=clauses)
    reason = "" if ruling.line else "whole or nothing"
    return Decision(candidate, "matched", reason, "full" if whole else "index", clauses, why)


def matched(decisions: "Iterable[Decision]") -> "list[Decision]":
    return [decision for decision in decisions if decision.status == "matched"]


def withhold(decisions: "Sequence[Decision]", reasons: "Mapping[int, str]") -> "list[Decision]":
    """Hold back the notes in `reasons`, which say of each why it is no longer what a person trusted."""
    return [
        Decision(
            d.candidate, "held back", "withheld: " + reasons[d.candidate.note], clauses=d.clauses, why=d.why
        )
        if d.status == "matched" and d.candidate.note in reasons
        else d
        for d in decisions
    ]


def limit_recall(
    decisions: "Sequence[Decision]",
    facts: "Facts",
    texts: "Mapping[int, tuple[str, str]]",
    settings: "Mapping[str, int]",
) -> "list[Decision]":
    """Hold back those of the recalled notes that are beyond their number or their tokens, best ones first."""
    from vectr_hooks.core.budget import tokens

    recalled = {d.candidate.note: d for d in matched(decisions) if d.candidate.origin == "recall"}
    left, spendable = settings["recall.notes"], settings["recall.tokens"]
    kept = set()
    for note in facts.recalled:
        cost = tokens(texts[note][1] + "\n") if note in recalled else 0
        if note in recalled and left and cost <= spendable:
            kept.add(recalled[note])
            left -= 1
            spendable -= cost
    return [
        Decision(
            d.candidate, "held back", "recall: enough others had more in common", clauses=d.clauses, why=d.why
        )
        if d in recalled.values() and d not in kept
        else d
        for d in decisions
    ]


def deliver(
    decisions: "Sequence[Decision]",
    texts: "Mapping[int, tuple[str, str]]",
    marks: "Mapping[int, Sequence[str]]",
    limits: "Limits",
) -> "tuple[list[Decision], Packed]":
    """Settle the `matched` ones of `decisions` within `limits`; return all decisions and what is printed.

    `texts` gives each matched note's rendered text and index line, `marks` what its header adds.
    """
    from vectr_hooks.core.budget import pack
    from vectr_hooks.core.render import held_line

    waiting = matched(decisions)
    packed = pack([_piece(decision, texts, marks) for decision in waiting], limits, held_line)
    settled = {
        decision: Decision(
            decision.candidate,
            "delivered" if form else "held back",
            "" if form else "budget",
            form,
            decision.clauses,
            decision.why,
            cost,
        )
        for decision, form, cost in zip(waiting, packed.forms, packed.costs)
    }
    return [settled.get(decision, decision) for decision in decisions], packed


def _piece(
    decision: Decision, texts: "Mapping[int, tuple[str, str]]", marks: "Mapping[int, Sequence[str]]"
) -> "Piece":
    from vectr_hooks.core.budget import Piece
    from vectr_hooks.core.render import fill

    note = decision.candidate.note
    text, line = texts[note]
    full = fill(text, decision.why, marks.get(note, ())) if decision.form == "full" else ""
    return Piece(note, full, "" if decision.reason else line)
