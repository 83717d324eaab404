"""Errors whose text is one clear line for the person who caused them."""


class KatachiError(Exception):
    """Base of every error that a command reports as one line and a non-zero exit."""


class IllegalMove(KatachiError):
    """A move the rules forbid; `reason` is a word: occupied, suicide, ko, superko or off board."""

    def __init__(self, reason: str, move: str) -> None:
        super().__init__(f"illegal move {move}: {reason}")
        self.reason = reason
