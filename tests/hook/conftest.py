"""A session of whole processes in a workspace with a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hook.session import Session


@pytest.fixture
def session(project: Path, store_path: Path) -> Session:
    return Session(project)
