"""A book of openings: which games are looked at, and who judged them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from katachi.errors import KatachiError
from katachi.records.dataset import open_games
from katachi.records.judgements import DeadBand, check_numbers, judge_openings, read_judgements
from katachi.records.openings import Opening, Style, judge_by_result, openings_of
from katachi.records.shipped_games import JUDGED_OPENINGS, OPENINGS
from katachi.rules.color import BLACK, WHITE


@dataclass(frozen=True, kw_only=True)
class Book:
    """Which openings are looked at."""

    length: int = 50
    """Moves of an opening; all games need as many."""
    style: Style | None = None
    """Only openings of this style: two-star, three-star, chinese, shusaku or misc."""
    winner: Literal["black", "white"] | None = None
    """Only those of games that this colour won."""
    judgements: str | None = None
    """A file of judgements, one JSON object a line; the openings that come with katachi have
    theirs."""
    by_result: bool = False
    """Judge openings by who won the game instead."""
    komi: float = 6.5
    """Judgements with this komi are used."""
    band: float = 2.0
    """Points ahead, less than which is even."""
    chance_band: float = 0.05
    """How far from one half a chance is even, where a judge tells no points."""

    def dead_band(self) -> DeadBand:
        """What counts as even; raises KatachiError for numbers that cannot be."""
        if not 0.0 <= self.band < math.inf or not 0.0 <= self.chance_band <= 0.5:
            raise KatachiError(
                f"band {self.band:g}, chance band {self.chance_band:g}: use 0 points or more, and "
                "0 to 0.5"
            )
        return DeadBand(self.band, self.chance_band)


def open_book(files: Sequence[Path], book: Book) -> list[Opening]:
    """The openings of files, or of the collection that comes with the package, as they are asked
    for; raises KatachiError, saying what is wrong, where there are none."""
    games = open_games(*(files or (OPENINGS,)))
    openings = openings_of(games, book.length)
    judgements = book.judgements or (None if files else JUDGED_OPENINGS)
    if judgements is not None:
        check_numbers(games)
    if book.by_result:
        openings = judge_by_result(openings)
    elif judgements is not None:
        read = read_judgements(Path(judgements))
        openings = judge_openings(openings, read, komi=book.komi, band=book.dead_band())
    return choose_openings(openings, book)


def choose_openings(openings: Sequence[Opening], book: Book) -> list[Opening]:
    """Those of the style and winner that are asked for; raises KatachiError where there is none."""
    chosen = [each for each in openings if _is_wanted(each, book)]
    if not chosen:
        raise KatachiError("no opening is left: ask for another style or winner, or other games")
    return chosen


def _is_wanted(opening: Opening, book: Book) -> bool:
    winner = {"black": BLACK, "white": WHITE, None: opening.winner}[book.winner]
    return opening.style == (book.style or opening.style) and opening.winner == winner
