"""The one error a user can act on."""


class VectrHooksError(Exception):
    """What is wrong and, in `hint`, what is allowed or what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
