"""Whether kernels are compiled, and saying so before they are."""

import sys
from collections.abc import Callable

from katachi.errors import KatachiError
from katachi.files.plain_text import one_line

EVERYTHING = "complete"
"""The part of the kernels that is all of them."""


def check_cache(part: str = EVERYTHING) -> bool:
    """Whether every kernel, or all of a part, is compiled already; raises KatachiError if the cache
    is neither complete nor writable, before anything is compiled in vain."""
    from katachi import _jit

    if _jit.is_warm() or _jit.is_warm(part):
        return True
    try:
        _jit.prepare_cache()
    except OSError as error:
        raise KatachiError(
            f"cannot keep compiled kernels in {_jit.cache_folder()}: {error.strerror}; free some "
            "space there or set XDG_CACHE_HOME to another folder"
        ) from None
    return False


def announce_cold_start(log: Callable[[str], None] | None = None) -> None:
    """One line, by default on standard error, when kernels are about to be compiled for the first
    time; raises KatachiError as `check_cache` does."""
    if not check_cache():
        (log or tell)(
            "first start, compiling kernels as they are needed "
            "(`katachi warmup` does it all at once)"
        )


def tell(text: object) -> None:
    """One line on standard error, by the program's name."""
    sys.stderr.write(f"katachi: {one_line(text)}\n")
    sys.stderr.flush()
