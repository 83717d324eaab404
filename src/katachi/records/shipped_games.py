"""The games that come with the package."""

from pathlib import Path

COLLECTIONS = Path(__file__).parents[1] / "collections"
OPENINGS = COLLECTIONS / "openings19.sgf"
"""Openings of GNU Go against itself at 19x19, 50 moves each."""
JUDGED_OPENINGS = COLLECTIONS / "openings19_judged.jsonl"
"""GNU Go's own estimate of the score in them."""
