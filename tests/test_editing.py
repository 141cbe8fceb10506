"""Who may read the files that an author edits."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from vectr_hooks.editing import Desk


def test_the_files_are_their_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        desk = Desk(str(tmp_path), {"6.md": "The lock comes first.\n"})
    finally:
        os.umask(before)
    assert stat.S_IMODE(desk.file("6.md").stat().st_mode) == 0o600
    assert desk.texts() == {"6.md": "The lock comes first.\n"}
