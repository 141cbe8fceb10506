"""What a Claude Code settings file says beside the entries of hooks: of plugins, and of the environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vectr_hooks.registration.hook_entries import NOTHING, document, members

PLUGIN = "vectr-hooks@"


def plugin_choices(text: str) -> dict[str, bool]:
    """The plugins that these settings switch on (True) or off."""
    plugins = members(document(text).last("enabledPlugins"))
    return {name: value.kind == "true" for name, value in plugins.items() if value.kind in ("true", "false")}


def enabled_plugins(choices: Iterable[tuple[str, Mapping[str, bool]]]) -> dict[str, str]:
    """The plugins in force, each with the place that enables it.

    `choices` gives the nearest scope first: the first place that names a plugin decides, also against it.
    """
    decided: dict[str, tuple[str, bool]] = {}
    for place, chosen in choices:
        for name, on in chosen.items():
            decided.setdefault(name, (place, on))
    return {name: place for name, (place, on) in decided.items() if on}


def is_plugin(name: str) -> bool:
    """Whether this is our plugin, which registers the same hooks itself."""
    return name.startswith(PLUGIN)


def is_set(text: str, name: str) -> bool:
    """Whether these settings say `true` to the top-level key `name`."""
    return members(document(text)).get(name, NOTHING).kind == "true"


def names(text: str, key: str) -> tuple[str, ...]:
    """The strings in the list that these settings have under the top-level key `key`."""
    children = members(document(text)).get(key, NOTHING).children
    return tuple(child.node.string for child in children if child.node.kind == "string")


def disables_hooks(text: str) -> bool:
    return is_set(text, "disableAllHooks")


def variable(text: str, name: str) -> str:
    """What these settings set the environment variable `name` to for all that the client starts, or ''."""
    return members(members(document(text)).get("env")).get(name, NOTHING).string
