"""Working memory that threads do not share, so that they can share an evaluator."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerThread(Generic[T]):
    """One object a thread, made when that thread first asks for it.

    Copies, and those that come back from a pickle, begin with nothing made.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        """`make` is called in each thread; a method of the owner would keep the owner alive."""
        self._make = make
        self._local = threading.local()

    def get(self) -> T:
        """This thread's own."""
        try:
            return self._local.value  # type: ignore[no-any-return]
        except AttributeError:
            self._local.value = value = self._make()
            return value

    def __reduce__(self) -> tuple[type["PerThread[T]"], tuple[Callable[[], T]]]:
        """What is made is left behind: it is memory, not knowledge."""
        return PerThread, (self._make,)
