"""What a user who wants to know is told of a delivery."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def message(notes: "Sequence[int]", cost: int) -> str:
    """Say which `notes` an event delivered, for `cost` tokens."""
    return f"{len(notes)} notes, {cost} tokens: {' '.join(f'#{note}' for note in notes)}"
