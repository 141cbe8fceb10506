"""Where Claude Code keeps a plugin that it has installed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

_LIST = "installed_plugins.json"


def find(plugin: str, environ: Mapping[str, str]) -> str:
    """The folder of `plugin`, named `name@marketplace`; '' where the client's own list does not tell."""
    try:
        with open(os.path.join(folder(environ), _LIST), encoding="utf-8") as file:
            document = json.load(file)
        plugins = document["plugins"][plugin]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return next((path for path in _paths(plugins) if os.path.isdir(path)), "")


def folder(environ: Mapping[str, str]) -> str:
    """The folder that Claude Code keeps all plugins in."""
    config = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    return os.path.join(config, "plugins")


def _paths(installed: object) -> Iterator[str]:
    """The folders in an entry of the list: of one installation, or of several in several scopes."""
    for each in installed if isinstance(installed, list) else [installed]:
        path = each.get("installPath") if isinstance(each, dict) else None
        if isinstance(path, str):
            yield path
