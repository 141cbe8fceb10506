"""Who stands behind a note: in which order, and in which words."""

from __future__ import annotations

HUMAN, USER_STATED, TEAM, AGENT, AUTO = "human", "user-stated", "team", "agent", "auto"

#: as a header says it, those with most authority first
IN_WORDS = {
    HUMAN: "recorded by the user",
    USER_STATED: "said by the user",
    TEAM: "from the repository, trusted",
    AGENT: "recorded by an agent, not reviewed",
    AUTO: "captured automatically, verify",
}


def outranks(one: str, other: str) -> bool:
    """Whether a note of provenance `one` has more authority than one of `other`."""
    order = list(IN_WORDS)
    return order.index(one) < order.index(other)


def at_most(provenance: str, most: str) -> str:
    """`provenance`, or `most` where that has less authority."""
    return most if outranks(provenance, most) else provenance
