"""`katachi openings cross`: evaluators play openings against each other, and somebody judges."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Annotated, NamedTuple

from cyclopts import Parameter
from rich.table import Table as Grid

from katachi.arena.opening_judges import make_judge
from katachi.arena.opening_play import cross_play, play_opening
from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console
from katachi.interfaces.counting import counted
from katachi.interfaces.views.json_text import write_json
from katachi.players.roster import make_evaluator
from katachi.records.judgements import DeadBand
from katachi.records.openings import LONGEST_OPENING
from katachi.rules.ruleset import check_komi
from katachi.statistics import wilson

MOST_ROUNDS = 10_000


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class CrossPlay:
    """What is played, and who judges."""

    moves: int = 50
    """Of an opening, both colours' together, from the empty board."""
    size: int = 19
    """Lines of the board."""
    by: str = "gnugo"
    """Who judges: gnugo by its estimate of the score, a program that knows estimate_score as
    gtp:COMMAND, or a player with an opinion of positions."""
    komi: float = 6.5
    """The judge's."""
    band: float = 2.0
    """Points ahead, less than which is even."""
    rounds: int = 10
    """How often each pair plays with each colour."""
    seed: int = 1
    """Draws one of equal moves."""


_CROSS_PLAY = CrossPlay()


class Cell(NamedTuple):
    """What became of one player as Black against another."""

    black: str
    white: str
    points: float
    """Black's: 1 for an opening that is good for Black, one half for an even one."""
    openings: int
    """That differ; the same one played again tells nothing new."""
    low: float
    high: float
    """Wilson's 95 % interval of the share of points."""


def cross(
    *players: str,
    terms: CrossPlay = _CROSS_PLAY,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Let players' evaluators play openings against each other, each with both colours.

    Equal moves are drawn again in each round. Openings that come out the same count once.

    Parameters
    ----------
    players
        Two or more whose evaluators look one move ahead: opening[:MODEL], shape, influence, alp ...
    json
        Print JSON instead: a list, each with `black`, `white`, `points`, `openings`, `low`, `high`.
    """
    announce_cold_start()
    _check(players, terms)
    evaluators = {name: make_evaluator(name) for name in players}
    cells = _play_rounds(evaluators, terms)
    if json:
        told = [cell._asdict() for cell in cells]
        write_json(told)
        return
    console = Console()
    heading = f"Points of Black (row) against White after {terms.moves} moves, by {terms.by}"
    console.print(heading, style="bold", soft_wrap=True)
    console.print(_grid(list(players), cells))


def _check(players: tuple[str, ...], terms: CrossPlay) -> None:
    if len(players) < 2 or len(set(players)) < len(players):
        raise KatachiError("name two or more players, each once")
    if not 1 <= terms.moves <= LONGEST_OPENING or not 1 <= terms.rounds <= MOST_ROUNDS:
        raise KatachiError(
            f"{terms.moves} moves, {terms.rounds} rounds: use 1 to {LONGEST_OPENING}, and 1 to "
            f"{MOST_ROUNDS:,}"
        )
    check_komi(terms.komi)
    if not 0.0 <= terms.band < math.inf:
        raise KatachiError(f"band {terms.band:g}: use 0 points or more")


def _play_rounds(evaluators: dict[str, Evaluator], terms: CrossPlay) -> list[Cell]:
    """All pairs, in the order of the players; shows progress."""
    play = partial(play_opening, size=terms.size, moves=terms.moves, komi=terms.komi)
    found: dict[tuple[str, str], dict[object, float]] = {}
    judge = make_judge(terms.by, DeadBand(lead=terms.band))
    try:
        with counted(terms.rounds, "rounds played") as tell:
            for number in range(terms.rounds):
                told = cross_play(evaluators, judge, partial(play, seed=terms.seed + number))
                for pair, (game, judgement) in told.items():
                    points = 0.5 + (judgement.z or 0.0) / 2
                    found.setdefault(pair, {})[tuple(game.moves)] = points
                tell(1)
    finally:
        judge.close()
    return [_cell(*pair, list(told.values())) for pair, told in found.items()]


def _cell(black: str, white: str, points: list[float]) -> Cell:
    return Cell(black, white, sum(points), len(points), *wilson(sum(points), len(points)))


def _grid(names: list[str], cells: list[Cell]) -> Grid:
    grid = Grid(box=None, pad_edge=False)
    grid.add_column("")
    for name in names:
        grid.add_column(f"v {name}", justify="right")
    told = {
        (cell.black, cell.white): f"{cell.points:g} of {cell.openings} "
        f"({100 * cell.low:.0f} to {100 * cell.high:.0f} %)"
        for cell in cells
    }
    for black in names:
        grid.add_row(black, *(told[black, white] for white in names))
    return grid
