"""Our entries in the text of a settings file of a host: adding, replacing, finding, removing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import json_edit
from vectr_hooks.registration.command_line import is_hook_command
from vectr_hooks.registration.json_text import BOM, Kind, Node, parse

# Far above the hook's own deadline; without it a host would wait for a hook that hangs, some for ten minutes.
TIMEOUT_SECONDS = 10


@dataclass(frozen=True)
class Form:
    """How a host writes the hooks of an event."""

    reader: str = "Claude Code"
    """The host, as people call it."""
    grouped: bool = True
    """`{"hooks": {EVENT: [{"hooks": [ENTRY]}]}}`, or else `{"hooks": {EVENT: [ENTRY]}}`."""
    command: str = "command"
    """The key of the command in an entry."""
    more: Mapping[str, object] = field(
        default_factory=lambda: {"type": "command", "timeout": TIMEOUT_SECONDS}
    )
    """What else an entry says; `type` stands before the command."""
    version: int = 0
    """What the document's `version` has to be; 0 for none."""

    @property
    def example(self) -> str:
        entry = f'{{"{self.command}": ...}}'
        return (
            f'{{"hooks": {{EVENT: [{{"hooks": [{entry}]}}]}}}}'
            if self.grouped
            else (f'{{"hooks": {{EVENT: [{entry}]}}}}')
        )

    def item(self, command: str) -> dict[str, object]:
        """What stands in the list of an event."""
        kind = {key: value for key, value in self.more.items() if key == "type"}
        entry = {**kind, self.command: command, **self.more}
        return {"hooks": [entry]} if self.grouped else entry


CLAUDE = Form()


class Entry(NamedTuple):
    """One command of a hook in a settings file, and where it is."""

    event: str
    group: int
    hook: int
    command: str


def plan(text: str | None, commands: Mapping[str, str], form: Form = CLAUDE) -> str:
    """The settings with `commands` registered, one for each event; `None` means there is no file yet.

    Entries of ours that are there already, of whatever place or release, get the new command in their place
    and keep what else somebody wrote into them. Everything else keeps its bytes. Raises VectrHooksError,
    naming line and column or the path in the document, for what the host itself would not read.
    """
    if text is None or is_blank(text):
        bom = BOM if text and text.startswith(BOM) else ""
        version = {"version": form.version} if form.version else {}
        hooks = {event: [form.item(command)] for event, command in commands.items()}
        return bom + json_edit.new_document({**version, "hooks": hooks})
    _check_shapes(text, commands, form)
    kept: dict[str, Entry] = {}
    for entry in entries(text, form):
        if entry.event in commands:
            kept.setdefault(entry.event, entry)
    text = _remove_where(text, None, form, lambda entry: entry != kept.get(entry.event))
    for event, command in commands.items():
        if event not in kept:
            text = _add(text, event, command, form)
        elif kept[event].command != command:
            text = json_edit.replace(text, _command_node(text, kept[event], form), json_edit.string(command))
    root = parse(text)
    if form.version and root.last("version") is None:
        text = json_edit.append(text, root, form.version, "version")
    return text


def remove(text: str, original: str | None = None, form: Form = CLAUDE) -> str:
    """The settings without our entries.

    What our entries leave empty goes too: groups, arrays of events, `hooks`. `original`, the text before
    `plan`, tells which of these were there before and come back as they were. Without it these cannot: an
    empty or `null` container, white space between empty brackets, an empty file, and no file (`{}` stays).
    """
    rest = _remove_where(text, original, form, lambda entry: True)
    if original is not None and is_blank(original) and is_empty(rest, form):
        return original
    return rest


def entries(text: str, form: Form = CLAUDE) -> Iterator[Entry]:
    """Our entries in order."""
    return (entry for entry in all_entries(text, form) if is_hook_command(entry.command))


def all_entries(text: str, form: Form = CLAUDE) -> Iterator[Entry]:
    """Every command of a hook, in order; what has not the shape of a hook is passed over."""
    for event, listed in members(document(text, form).last("hooks")).items():
        lists = [members(group.node).get("hooks", NOTHING) for group in listed.children]
        for g, hooks in enumerate(lists if form.grouped else [listed]):
            for h, hook in enumerate(hooks.children):
                command = members(hook.node).get(form.command, NOTHING).string
                if command:
                    yield Entry(event, g, h, command)


def is_empty(text: str, form: Form = CLAUDE) -> bool:
    """Whether these settings are an object without members, but for what its form demands."""
    root = document(text, form)
    said = {"version"} if form.version else set()
    return root.kind == "object" and all(child.key in said for child in root.children)


def is_blank(text: str) -> bool:
    return not text.removeprefix(BOM).strip(" \t\r\n")


NOTHING = Node("null", 0, 0)
_NAMES = {"object": "an object", "array": "a list", "string": "a string", "number": "a number"}


def document(text: str, form: Form = CLAUDE) -> Node:
    try:
        return parse(text)
    except VectrHooksError as error:
        # Some of the others read comments and the like, which are not edited.
        hint = (
            f"{form.reader} itself ignores such a file" if form is CLAUDE else "write it as plain JSON first"
        )
        raise VectrHooksError(error.message, hint) from None


def members(node: Node | None) -> dict[str, Node]:
    """The members of an object as a reader takes them: the last of each key. None for anything else."""
    return {child.key: child.node for child in node.children} if node and node.kind == "object" else {}


def _check_shapes(text: str, events: Iterable[str], form: Form) -> None:
    def check(node: Node, kind: Kind, path: str, or_null: bool = False) -> None:
        if node.kind != kind and not (or_null and node.kind == "null"):
            raise VectrHooksError(
                f"{path} is {_NAMES.get(node.kind, node.kind)}, not {_NAMES[kind]}",
                hint=f"{form.reader} reads {form.example}",
            )

    root = document(text, form)
    check(root, "object", "the document")
    hooks = root.last("hooks") or NOTHING
    check(hooks, "object", "hooks", or_null=True)
    for event in events:
        listed = hooks.last(event) or NOTHING
        check(listed, "array", f"hooks.{event}", or_null=True)
        for at, child in enumerate(listed.children):
            check(child.node, "object", f"hooks.{event}[{at}]")
            if form.grouped:
                items = child.node.last("hooks") or NOTHING
                check(items, "array", f"hooks.{event}[{at}].hooks")
                for h, item in enumerate(items.children):
                    check(item.node, "object", f"hooks.{event}[{at}].hooks[{h}]")


def _add(text: str, event: str, command: str, form: Form) -> str:
    root = parse(text)
    hooks = root.last("hooks")
    if hooks is None:
        return json_edit.append(text, root, {event: [form.item(command)]}, "hooks")
    if hooks.kind == "null":
        return _add(json_edit.replace(text, hooks, "{}"), event, command, form)
    listed = hooks.last(event)
    if listed is None:
        return json_edit.append(text, hooks, [form.item(command)], event)
    if listed.kind == "null":
        return _add(json_edit.replace(text, listed, "[]"), event, command, form)
    return json_edit.append(text, listed, form.item(command))


def _command_node(text: str, entry: Entry, form: Form) -> Node:
    listed = members(members(parse(text))["hooks"])[entry.event]
    items = members(listed.children[entry.group].node)["hooks"] if form.grouped else listed
    return members(items.children[entry.hook].node)[form.command]


def _remove_where(text: str, original: str | None, form: Form, chosen: Callable[[Entry], bool]) -> str:
    while entry := next(filter(chosen, entries(text, form)), None):
        text = _remove_entry(text, entry, original, form)
    return text


def _remove_entry(text: str, entry: Entry, original: str | None, form: Form) -> str:
    """Take out one entry with everything around it that would be left empty and was not there before."""
    root = parse(text)
    hooks = members(root)["hooks"]
    listed = members(hooks)[entry.event]
    if form.grouped:
        items = members(listed.children[entry.group].node)["hooks"]
        if len(items.children) > 1:
            return json_edit.remove(text, items, entry.hook)
    if len(listed.children) > 1:
        return json_edit.remove(text, listed, entry.group if form.grouped else entry.hook)
    before = parse(original) if original is not None and not is_blank(original) else NOTHING
    hooks_before = before.last("hooks")
    listed_before = hooks_before.last(entry.event) if hooks_before else None
    if listed_before or hooks.count(entry.event) > 1:
        return json_edit.replace(text, listed, _as_it_was(listed_before, original, "[]"))
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
