"""The plugin that this repository is: what its manifests say, and that they agree with the package."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

import vectr_hooks
from vectr_hooks.registration.claude_settings import is_plugin
from vectr_hooks.registration.command_line import ENTRY_FILES

FOLDER = Path(__file__).resolve().parents[1] / ".claude-plugin"
# What a directory of plugins takes for an icon.
LEAST_PIXELS, MOST_PIXELS, MOST_BYTES = 512, 2048, 2 << 20


def manifest(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((FOLDER / name).read_text("utf-8"))
    return document


PLUGIN = manifest("plugin.json")
(LISTED,) = manifest("marketplace.json")["plugins"]


def test_the_version_is_that_of_the_package_and_stands_nowhere_else() -> None:
    assert PLUGIN["version"] == vectr_hooks.__version__
    assert "version" not in LISTED


def test_the_marketplace_lists_the_plugin_under_the_name_that_install_looks_for() -> None:
    assert LISTED["name"] == PLUGIN["name"]
    assert LISTED["source"] == "./"
    assert is_plugin(f"{PLUGIN['name']}@{manifest('marketplace.json')['name']}")


@pytest.mark.parametrize("described", [PLUGIN, LISTED], ids=["plugin.json", "marketplace.json"])
def test_the_description_says_at_which_events_something_runs_and_what_becomes_of_prompts(
    described: dict[str, str],
) -> None:
    for event in ENTRY_FILES:
        assert event in described["description"]
    assert "Prompts are matched locally and not stored." in described["description"]
    assert "No network." in described["description"]


def test_what_is_found_by_its_place_is_not_listed_as_well() -> None:
    assert not {"hooks", "skills", "commands", "agents"} & {*PLUGIN, *LISTED}


def test_the_icon_is_a_square_png_of_a_size_that_directories_take() -> None:
    content = (FOLDER / "icon.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    assert LEAST_PIXELS <= width == height <= MOST_PIXELS
    assert len(content) < MOST_BYTES
