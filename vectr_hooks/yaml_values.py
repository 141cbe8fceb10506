"""Reads YAML into plain values that know their lines, and refuses what hides or repeats something."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

# Deeper than anything that is meant: a note's front matter has four levels.
_DEEPEST = 40
# Nearly always it was meant as a pattern: `path: **/*.py`.
_ALIAS = "a value that begins with `*` or `&` needs quotes; aliases are not taken"
_PREFIX = "tag:yaml.org,2002:"
_PLAIN = frozenset(_PREFIX + name for name in ("str", "int", "float", "bool", "null", "timestamp"))
# `<<` and `=` mean something else where YAML is extended; here they are texts.
_TEXTS = frozenset(_PREFIX + name for name in ("merge", "value"))
_COLLECTIONS = (None, "!", _PREFIX + "seq", _PREFIX + "map")
# No number that is meant is longer, and reading one takes time with the square of its length.
_NUMBERS = (_PREFIX + "int", _PREFIX + "float")
_LONGEST_NUMBER = 40


class YamlError(Exception):
    """What is no YAML that we take, and on which line of the text; 0 where that is not known."""

    def __init__(self, problem: str, line: int = 0, column: int = 0) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line
        self.column = column


@dataclass(frozen=True)
class Value:
    """A plain value, the line it starts on, and the values in it with the lines of theirs."""

    plain: Any
    line: int
    items: tuple[Value, ...] = ()
    """Of a list."""
    entries: dict[Any, tuple[int, Value]] = field(default_factory=dict)
    """Of a mapping: each key's line and value."""


def read_value(text: str) -> Value:
    """The one document in `text`; an empty text is None. Raises YamlError."""
    import yaml

    unprintable = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if unprintable:
        line = text.count("\n", 0, unprintable.start()) + 1
        raise YamlError(f"it holds the character {unprintable[0]!a}", line)
    # libyaml is ten times as fast, and not everywhere.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Reader(yaml.parse(text, Loader=loader)).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or str(error)
        if error.context and "alias" in error.context:
            problem = _ALIAS
        raise YamlError(problem, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0) from None
    except (yaml.YAMLError, UnicodeError, RecursionError) as error:
        raise YamlError(str(error)) from None


class _Reader:
    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events

    def document(self) -> Value:
        import yaml

        next(self._events)
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return Value(None, 1)
        value = self._value(next(self._events), 0)
        next(self._events)
        after = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise _refusal("a second document begins here", after)
        return value

    def _value(self, event: Any, depth: int) -> Value:
        import yaml

        if isinstance(event, yaml.AliasEvent) or event.anchor:
            raise _refusal(_ALIAS, event)
        if depth > _DEEPEST:
            raise _refusal("it is nested too deeply", event)
        if isinstance(event, yaml.ScalarEvent):
            return Value(_scalar(event), _line(event))
        if event.tag not in _COLLECTIONS:
            raise _refusal(f"the tag `{event.tag.removeprefix(_PREFIX)}` is not taken", event)
        if isinstance(event, yaml.SequenceStartEvent):
            items = tuple(self._value(item, depth + 1) for item in self._until(yaml.SequenceEndEvent))
            return Value([item.plain for item in items], _line(event), items=items)
        return self._mapping(event, depth)

    def _mapping(self, event: Any, depth: int) -> Value:
        import yaml

        entries: dict[Any, tuple[int, Value]] = {}
        for key in self._until(yaml.MappingEndEvent):
            name = self._value(key, depth + 1)
            if not isinstance(name.plain, Hashable):
                raise _refusal("a key is one word, not a list or a mapping", key)
            if name.plain in entries:
                raise _refusal(f"the key `{name.plain}` stands here twice", key)
            entries[name.plain] = (name.line, self._value(next(self._events), depth + 1))
        plain = {key: value.plain for key, (_, value) in entries.items()}
        return Value(plain, _line(event), entries=entries)

    def _until(self, end: type) -> Iterator[Any]:
        for event in self._events:
            if isinstance(event, end):
                return
            yield event


def _scalar(event: Any) -> object:
    import yaml

    constructor, resolver = _of_scalars()
    tag = event.tag
    if tag is None or tag == "!":
        tag = resolver.resolve(yaml.ScalarNode, event.value, event.implicit)
    if tag in _TEXTS:
        return event.value
    if tag not in _PLAIN:
        raise _refusal(f"the tag `{tag.removeprefix(_PREFIX)}` is not taken", event)
    if tag in _NUMBERS and len(event.value) > _LONGEST_NUMBER:
        raise _refusal(f"a number of {len(event.value):,} characters is not taken", event)
    try:
        return constructor.yaml_constructors[tag](constructor, yaml.ScalarNode(tag, event.value))
    # A date that is none, or a number that does not end.
    except (ValueError, KeyError, OverflowError) as error:
        raise _refusal(str(error), event) from None


@cache
def _of_scalars() -> tuple[Any, Any]:
    import yaml

    return yaml.constructor.SafeConstructor(), yaml.resolver.Resolver()


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1


def _refusal(problem: str, event: Any) -> YamlError:
    return YamlError(problem, _line(event), event.start_mark.column + 1)
