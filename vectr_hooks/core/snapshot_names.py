"""What a snapshot may be called: nothing that could be taken for the number of one."""

from __future__ import annotations

from vectr_hooks.core.secrets import find_secret
from vectr_hooks.errors import VectrHooksError

LONGEST = 80

_ALLOWED = (
    f"a name is one line of at most {LONGEST} characters with a letter in it that begins with neither # nor"
    " -, such as before-the-merge"
)


def read_name(text: str) -> str:
    """The name that `text` gives, without the white space around it; refuses what is none."""
    name = text.strip()
    if not name:
        raise VectrHooksError("the snapshot has no name", _ALLOWED)
    if len(name) > LONGEST:
        raise VectrHooksError(f"the name has {len(name)} characters", _ALLOWED)
    if not name.isprintable():
        raise VectrHooksError("the name has characters that cannot be seen", _ALLOWED)
    if name[0] in "#-" or not any(map(str.isalpha, name)):
        raise VectrHooksError(f"`{name}` could be taken for a number or an option", _ALLOWED)
    kind = find_secret(name)
    if kind:
        raise VectrHooksError(f"the name holds a secret ({kind})", "name the snapshot without it")
    return name
