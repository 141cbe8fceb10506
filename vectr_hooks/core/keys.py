"""The index keys an event can hit: no clause can hold at it unless one of its own is among them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from vectr_hooks.core.model import Facts

ANY_PATH = "p*"
JOINED = "&"


def event_keys(facts: "Facts") -> "list[str]":
    """Every key that `facts` answer to, each once, in an order that depends on nothing else."""
    keys = ["*"]
    keys += ["@" + moment for moment in facts.moments]
    for _, path in facts.targets:
        keys += path_keys(path)
    first_words = [words[0] for words in facts.commands if words]
    if first_words:
        keys += ["$" + word for word in first_words]
        keys.append("$*")
    # A needle is the key of a clause about nothing else; joined with other conditions it may also come from
    # the turn's prompt.
    keys += sorted(facts.fresh)
    keys += [JOINED + needle for needle in sorted(facts.needles)]
    if facts.tool:
        keys += ["t" + facts.tool, "t*"]
    if facts.subagent:
        keys += ["a" + facts.subagent, "a*"]
    return list(dict.fromkeys(keys))


def path_keys(path: str) -> "list[str]":
    """Every key that a pattern covering `path` can have.

    That is each leading folder (`=src/db`), each component (`/db`), each extension of one (`.py`), and the
    key of every path.
    """
    parts = [part for part in path.split("/") if part]
    keys = ["=" + "/".join(parts[: count + 1]) for count in range(len(parts))]
    keys += ["/" + part for part in parts]
    keys += [extension(part) for part in parts if "." in part]
    keys.append(ANY_PATH)
    return list(dict.fromkeys(keys))


def extension(name: str) -> str:
    """The last dot of `name` and what follows it; '' without one."""
    dot = name.rfind(".")
    return name[dot:] if dot >= 0 else ""
