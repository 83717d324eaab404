"""The games that come with the package."""

import os
from pathlib import Path

COLLECTIONS = Path(__file__).parents[1] / "collections"
OPENINGS = COLLECTIONS / "openings19.sgf"
"""Openings of GNU Go against itself at 19x19, 50 moves each."""
JUDGED_OPENINGS = COLLECTIONS / "openings19_judged.jsonl"
"""GNU Go's own estimate of the score in them."""
GNUGO = COLLECTIONS / "gnugo9_1000.sgf.gz"
"""1,000 games of GNU Go against itself at 9x9."""


def place_of_games(place: Path) -> Path:
    """The place itself; where there is none and it is the name of games that come with the package,
    the place of these."""
    shipped = COLLECTIONS / place.name
    is_name = place.parent == Path() and not os.path.exists(place)  # which takes any text
    return shipped if is_name and os.path.isfile(shipped) else place
