"""The real client, at each version that is tested."""

from __future__ import annotations

import pytest

from .client import Client, installed_client
from .npm import ProgramUnavailable

VERSIONS = ("2.1.197", "2.1.332")


@pytest.fixture(scope="session", params=VERSIONS)
def client(request: pytest.FixtureRequest) -> Client:
    try:
        return installed_client(request.param)
    except ProgramUnavailable as why:
        pytest.skip(str(why))
