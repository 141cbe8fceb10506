"""The one error a user can act on."""


class VectrHooksError(Exception):
    """What is wrong and, in `hint`, what is allowed or what to do about it.

    `field` names the part of a note that is meant, where it is one: `title`, `body`, `tags`, …
    """

    def __init__(self, message: str, hint: str = "", field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field
