"""Files that are replaced whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator


@contextlib.contextmanager
def replacing(path: str) -> Iterator[str]:
    """Give the path of a draft that takes the place of `path` when the block ends well, else is removed."""
    folder, name = os.path.split(path)
    # Hidden: what one that was killed leaves must not stand in the way of the next.
    draft = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.tmp")
    try:
        yield draft
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise
