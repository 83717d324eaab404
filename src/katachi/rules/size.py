"""Which boards can be played on."""

from katachi.errors import KatachiError
from katachi.rules.limits import MAX_SIZE, MIN_SIZE

__all__ = ["MAX_SIZE", "MIN_SIZE", "check_size"]


def check_size(size: int) -> int:
    """`size` itself; raises KatachiError when no board of that size can be played on."""
    if size not in range(MIN_SIZE, MAX_SIZE + 1):
        raise KatachiError(f"board size {size} is not playable: use {MIN_SIZE} to {MAX_SIZE}")
    return size
