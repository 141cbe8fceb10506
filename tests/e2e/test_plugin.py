"""The plugin as the real client takes it: checked, installed from this folder, and never heard twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from .client import Client
from .lab import PACKAGE_ROOT, Lab
from .messages_api import occurrences, says

pytestmark = pytest.mark.e2e

RULE = "A release is cut from a tag."
KEYWORD = "Deploys go through the canary."


def test_the_client_finds_nothing_to_warn_of(client: Client, tmp_path: Path) -> None:
    with Lab(client, tmp_path / "lab") as lab:
        said = lab.run([str(client.program), "plugin", "validate", str(PACKAGE_ROOT)])
    assert "Validation passed" in said
    assert "warning" not in said.lower()


@pytest.mark.parametrize("registered", [False, True], ids=["plugin", "plugin and settings"])
def test_installed_from_this_folder_it_delivers_once(
    client: Client, tmp_path: Path, registered: bool
) -> None:
    with Lab(client, tmp_path / "lab") as lab:
        lab.vectr_hooks("install" if registered else "init")
        lab.remember(RULE, "--kind", "directive")
        lab.remember(KEYWORD, "--keyword", "deploy")
        lab.run([str(client.program), "plugin", "marketplace", "add", str(PACKAGE_ROOT)])
        lab.run([str(client.program), "plugin", "install", "vectr-hooks@vectr-hooks"])
        turn = lab.ask("deploy it", says("done"))
        request = turn.requests[-1]
        assert [occurrences(request, text) for text in (RULE, KEYWORD)] == [1, 1]
