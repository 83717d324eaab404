"""Between which numbers a setting of an experiment must lie, as types of its fields."""

from typing import Annotated

from msgspec import Meta

from katachi.rules.limits import MAX_SIZE, MIN_SIZE
from katachi.rules.ruleset import LARGEST_KOMI

MOST = 10**9
"""Of anything that is counted; far more than anybody waits for."""
LARGEST = 1e6

Count = Annotated[int, Meta(ge=1, le=MOST)]
Amount = Annotated[int, Meta(ge=0, le=MOST)]
"""A count that may be 0."""
BoardSize = Annotated[int, Meta(ge=MIN_SIZE, le=MAX_SIZE)]
Komi = Annotated[float, Meta(ge=-LARGEST_KOMI, le=LARGEST_KOMI)]
Rate = Annotated[float, Meta(gt=0, le=LARGEST)]
NotNegative = Annotated[float, Meta(ge=0, le=LARGEST)]
Share = Annotated[float, Meta(ge=0, le=1)]
