"""The first words between our server and whoever connects."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from katachi.errors import KatachiError
from katachi.interfaces.cgos.store import Store, is_right_password, new_secret
from katachi.interfaces.cgos.wire import (
    ANALYSIS,
    LONGEST_LINE,
    LineStream,
    is_name,
    is_password,
)

LONGEST_GREETING = 1000
"""Bytes of a line before the login."""
_HASHES_AT_ONCE = 2


class LoginError(KatachiError):
    """A login that is refused; the text is told to the client."""


@dataclass(frozen=True)
class Guest:
    """Who has logged in."""

    name: str
    takes_analysis: bool = False
    is_viewer: bool = False


class Login:
    """Greets, registers and recognises players."""

    def __init__(self, store: Store, first_rating: Callable[[], float]) -> None:
        """`first_rating` is where a new player starts."""
        self._store = store
        self._first_rating = first_rating
        # Hashing is slow on purpose; a crowd at the door must not take all processors.
        self._turns = asyncio.Semaphore(_HASHES_AT_ONCE)

    async def welcome(self, stream: LineStream) -> Guest | None:
        """Who it is, or None for one who left; raises LoginError for one who may not enter."""
        stream.longest = LONGEST_GREETING
        answers: list[str] = []
        for question in (f"protocol {ANALYSIS}", "username", "password"):
            stream.send(question)
            line = await stream.read_line()
            if line is None or line == "quit":
                return None
            answers.append(line)
            _check_answer(question, line)
            if len(answers) == 1 and line.startswith("v1"):
                return Guest("", is_viewer=True)
        await self._recognise(answers[1], answers[2].split())
        stream.longest = LONGEST_LINE
        return Guest(answers[1], ANALYSIS in answers[0].split())

    async def _recognise(self, name: str, passwords: list[str]) -> None:
        """Registers a new name; otherwise checks the password, and changes it if there are two."""
        async with self._turns:
            secret = self._store.secret(name)
            if secret is None:
                made = await asyncio.to_thread(new_secret, passwords[-1])
                self._store.register(name, made, self._first_rating())
                secret = self._store.secret(name)
                if secret == made:
                    return
            if secret is None or not await asyncio.to_thread(
                is_right_password, passwords[0], secret
            ):
                raise LoginError("the password does not match")
            if len(passwords) == 2:
                made = await asyncio.to_thread(new_secret, passwords[1])
                self._store.change_secret(name, made)


def _check_answer(question: str, line: str) -> None:
    if question.startswith("protocol"):
        if not line.startswith(("e1", "v1")):
            raise LoginError("only e1 (engines) and v1 (viewers) are known here")
    elif question == "username":
        if not is_name(line):
            raise LoginError(
                "a name is 3 to 18 of letters, digits, _ . and -, not beginning with a digit"
            )
    elif not 1 <= len(line.split()) <= 2 or not all(map(is_password, line.split())):
        raise LoginError("a password is 3 to 16 of letters, digits, _ . and -")
