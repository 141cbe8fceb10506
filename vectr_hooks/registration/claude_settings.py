"""Our entries in the text of a Claude Code settings file: adding, replacing, finding, removing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import json_edit
from vectr_hooks.registration.command_line import is_hook_command
from vectr_hooks.registration.json_text import BOM, Kind, Node, parse

# Far above the hook's own deadline; without it the client would wait ten minutes for a hook that hangs.
TIMEOUT_SECONDS = 10
PLUGIN = "vectr-hooks@"


class Entry(NamedTuple):
    """One command of a hook in a settings file, and where it is."""

    event: str
    group: int
    hook: int
    command: str


def plan(text: str | None, commands: Mapping[str, str]) -> str:
    """The settings with `commands` registered, one for each event; `None` means there is no file yet.

    Entries of ours that are there already, of whatever place or release, get the new command in their place
    and keep what else somebody wrote into them. Everything else keeps its bytes. Raises VectrHooksError,
    naming line and column or the path in the document, for what the client itself would not read.
    """
    if text is None or is_blank(text):
        bom = BOM if text and text.startswith(BOM) else ""
        return bom + json_edit.new_document({"hooks": {event: [_group(c)] for event, c in commands.items()}})
    _check_shapes(text, commands)
    kept: dict[str, Entry] = {}
    for entry in entries(text):
        if entry.event in commands:
            kept.setdefault(entry.event, entry)
    text = _remove_where(text, None, lambda entry: entry != kept.get(entry.event))
    for event, command in commands.items():
        if event not in kept:
            text = _add(text, event, command)
        elif kept[event].command != command:
            text = json_edit.replace(text, _command_node(text, kept[event]), json_edit.string(command))
    return text


def remove(text: str, original: str | None = None) -> str:
    """The settings without our entries.

    What our entries leave empty goes too: groups, arrays of events, `hooks`. `original`, the text before
    `plan`, tells which of these were there before and come back as they were. Without it these cannot: an
    empty or `null` container, white space between empty brackets, an empty file, and no file (`{}` stays).
    """
    rest = _remove_where(text, original, lambda entry: True)
    if original is not None and is_blank(original) and is_empty(rest):
        return original
    return rest


def entries(text: str) -> Iterator[Entry]:
    """Our entries in order."""
    return (entry for entry in all_entries(text) if is_hook_command(entry.command))


def all_entries(text: str) -> Iterator[Entry]:
    """Every command of a hook, in order; what has not the shape of a hook is passed over."""
    for event, groups in _members(_document(text).last("hooks")).items():
        for g, group in enumerate(groups.children):
            for h, hook in enumerate(_members(group.node).get("hooks", NOTHING).children):
                command = _members(hook.node).get("command", NOTHING).string
                if command:
                    yield Entry(event, g, h, command)


def plugin_choices(text: str) -> dict[str, bool]:
    """The plugins that these settings switch on (True) or off."""
    plugins = _members(_document(text).last("enabledPlugins"))
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
    return _members(_document(text)).get(name, NOTHING).kind == "true"


def names(text: str, key: str) -> tuple[str, ...]:
    """The strings in the list that these settings have under the top-level key `key`."""
    children = _members(_document(text)).get(key, NOTHING).children
    return tuple(child.node.string for child in children if child.node.kind == "string")


def disables_hooks(text: str) -> bool:
    return is_set(text, "disableAllHooks")


def variable(text: str, name: str) -> str:
    """What these settings set the environment variable `name` to for all that the client starts, or ''."""
    return _members(_members(_document(text)).get("env")).get(name, NOTHING).string


def is_empty(text: str) -> bool:
    """Whether these settings are an object without members."""
    root = _document(text)
    return root.kind == "object" and not root.children


def is_blank(text: str) -> bool:
    return not text.removeprefix(BOM).strip(" \t\r\n")


NOTHING = Node("null", 0, 0)
_NAMES = {"object": "an object", "array": "a list", "string": "a string", "number": "a number"}


def _document(text: str) -> Node:
    try:
        return parse(text)
    except VectrHooksError as error:
        raise VectrHooksError(error.message, hint="Claude Code itself ignores such a file") from None


def _members(node: Node | None) -> dict[str, Node]:
    """The members of an object as a reader takes them: the last of each key. None for anything else."""
    return {child.key: child.node for child in node.children} if node and node.kind == "object" else {}


def _check_shapes(text: str, events: Iterable[str]) -> None:
    root = _document(text)
    _check(root, "object", "the document")
    hooks = root.last("hooks") or NOTHING
    _check(hooks, "object", "hooks", or_null=True)
    for event in events:
        groups = hooks.last(event) or NOTHING
        _check(groups, "array", f"hooks.{event}", or_null=True)
        for g, group in enumerate(groups.children):
            _check(group.node, "object", f"hooks.{event}[{g}]")
            items = group.node.last("hooks") or NOTHING
            _check(items, "array", f"hooks.{event}[{g}].hooks")
            for h, item in enumerate(items.children):
                _check(item.node, "object", f"hooks.{event}[{g}].hooks[{h}]")


def _check(node: Node, kind: Kind, path: str, or_null: bool = False) -> None:
    if node.kind != kind and not (or_null and node.kind == "null"):
        raise VectrHooksError(
            f"{path} is {_NAMES.get(node.kind, node.kind)}, not {_NAMES[kind]}",
            hint='Claude Code reads {"hooks": {EVENT: [{"hooks": [{"type": "command", ...}]}]}}',
        )


def _group(command: str) -> dict[str, object]:
    return {"hooks": [{"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}]}


def _add(text: str, event: str, command: str) -> str:
    root = parse(text)
    hooks = root.last("hooks")
    if hooks is None:
        return json_edit.append(text, root, {event: [_group(command)]}, "hooks")
    if hooks.kind == "null":
        return _add(json_edit.replace(text, hooks, "{}"), event, command)
    groups = hooks.last(event)
    if groups is None:
        return json_edit.append(text, hooks, [_group(command)], event)
    if groups.kind == "null":
        return _add(json_edit.replace(text, groups, "[]"), event, command)
    return json_edit.append(text, groups, _group(command))


def _command_node(text: str, entry: Entry) -> Node:
    groups = _members(_members(parse(text))["hooks"])[entry.event]
    items = _members(groups.children[entry.group].node)["hooks"]
    return _members(items.children[entry.hook].node)["command"]


def _remove_where(text: str, original: str | None, chosen: Callable[[Entry], bool]) -> str:
    while entry := next(filter(chosen, entries(text)), None):
        text = _remove_entry(text, entry, original)
    return text


def _remove_entry(text: str, entry: Entry, original: str | None) -> str:
    """Take out one entry with everything around it that would be left empty and was not there before."""
    root = parse(text)
    hooks = _members(root)["hooks"]
    groups = _members(hooks)[entry.event]
    items = _members(groups.children[entry.group].node)["hooks"]
    if len(items.children) > 1:
        return json_edit.remove(text, items, entry.hook)
    if len(groups.children) > 1:
        return json_edit.remove(text, groups, entry.group)
    before = parse(original) if original is not None and not is_blank(original) else NOTHING
    hooks_before = before.last("hooks")
    groups_before = hooks_before.last(entry.event) if hooks_before else None
    if groups_before or hooks.count(entry.event) > 1:
        return json_edit.replace(text, groups, _as_it_was(groups_before, original, "[]"))
    if len(hooks.children) > 1:
        return json_edit.remove(text, hooks, hooks.last_index(entry.event))
    if hooks_before or root.count("hooks") > 1:
        return json_edit.replace(text, hooks, _as_it_was(hooks_before, original, "{}"))
    if len(root.children) > 1:
        return json_edit.remove(text, root, root.last_index("hooks"))
    return json_edit.replace(text, root, _as_it_was(before, original, "{}"))


def _as_it_was(before: Node | None, original: str | None, empty: str) -> str:
    # What was not empty then has been emptied by somebody since.
    if not before or before is NOTHING or original is None or before.children:
        return empty
    return original[before.start : before.end]
