"""Reads a setting that a person gave into the text the store keeps."""

from __future__ import annotations

from vectr_hooks.core.nearest import allowed_hint
from vectr_hooks.core.settings import DEFAULTS, largest
from vectr_hooks.errors import VectrHooksError

_ON = ("true", "on", "yes")
_OFF = ("false", "off", "no")
_LONGEST_NAME = 200


def refuse_unknown(key: str) -> None:
    if key not in DEFAULTS:
        raise VectrHooksError(f"unknown setting `{key}`", allowed_hint(key, DEFAULTS))


def parse_value(key: str, value: object) -> str:
    """The stored text of `value`, which may be a command-line word or a plain YAML value."""
    refuse_unknown(key)
    if isinstance(DEFAULTS[key], str):
        return _name(key, value)
    text = str(value).strip().lower() if isinstance(value, (str, bool, int)) else ""
    if isinstance(DEFAULTS[key], bool):
        return _switch(key, text, value)
    return _number(key, text, value)


def _name(key: str, value: object) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if not text or len(text) > _LONGEST_NAME or not text.isprintable() or any(c.isspace() for c in text):
        raise VectrHooksError(
            f"`{key}` is a name, not {str(value)[:60]!r}",
            f"`vectr-hooks config unset {key}` gives its default back",
        )
    return text


def _switch(key: str, text: str, given: object) -> str:
    if text in _ON:
        return "true"
    if text in _OFF:
        return "false"
    raise VectrHooksError(f"`{key}` is a switch, not {given!r}", f"allowed: {', '.join(_ON + _OFF)}")


def _number(key: str, text: str, given: object) -> str:
    digits = text.lstrip("0") or text[-1:]
    if not (digits.isascii() and digits.isdigit()):
        raise VectrHooksError(
            f"`{key}` is a whole number, not negative: {given!r} is not", f"the default is {DEFAULTS[key]}"
        )
    if len(digits) > 10 or int(digits) > largest(key):
        raise VectrHooksError(
            f"`{key}` is at most {largest(key)}: {given!r} is more", f"the default is {DEFAULTS[key]}"
        )
    return digits
