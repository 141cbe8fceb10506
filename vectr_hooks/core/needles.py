"""What is looked for in texts, so that facts need not hold them.

A needle is the value that a trigger gives, behind the letter of its sort; it is also the key of its clause.
"""

KEYWORD = "w"
SYMBOL = "s"
OUTPUT = "o"
#: that of a note which is compared with prompts in meaning; no text holds it
MEANING = "~"
#: a symbol that stands in the file a tool targets
FILE_SYMBOL = "f"
#: a command that is run by a line which is not known whole; no trigger looks for it in a text
COMMAND = "c"


def is_pattern(value: str) -> bool:
    """Tell whether an output value is a regular expression, written `/like this/`."""
    return len(value) > 2 and value[0] == value[-1] == "/"
