"""`katachi evaluate`: how well a player's evaluator predicts the moves and territory of games."""

import math
import re
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from cyclopts import Parameter
from rich.table import Table as Grid

from katachi.errors import KatachiError
from katachi.interfaces.cli.games import require_games
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, counted, grid_of, working, write_json
from katachi.measure.prediction import BoardReport, PredictionSettings, measure_board
from katachi.measure.prediction_scores import MoveReport, MoveScores, OwnershipReport
from katachi.players.kinds import COLDEST, HOTTEST
from katachi.players.roster import make_evaluator
from katachi.records.dataset import GameSet, open_games
from katachi.records.selection import GameFilter
from katachi.search.analysis import CONTINUATIONS
from katachi.search.recorded_moves import MoveRange
from katachi.statistics import Estimate

PARTS = ("0-20 %", "20-40 %", "40-60 %", "60-80 %", "80-100 %")
"""The fifths of a game."""
LIST_LENGTHS = (1, 2, 3, 5, 10, 20, 30, 50)
"""Lengths of the lists of best moves in the table."""


class Evaluated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `--json` prints."""

    player: str
    moves: str
    files: list[str]
    not_read: int
    """Games of the files that could not be read."""
    boards: list[BoardReport]
    """By rising size."""


def evaluate(
    player: str,
    *files: Path,
    moves: Annotated[str | None, Parameter(name=["--moves", "-m"])] = None,
    size: int | None = None,
    rank: str | None = None,
    limit: int | None = None,
    temperature: float | None = None,
    seed: int = 0,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Measure how well a player's evaluator predicts the moves and the territory of games.

    Moves: every legal move is judged by the position after it and gets a chance in proportion to
    exp(value / temperature), where the value is the points the mover will own or, of an evaluator
    that knows no ownership, the log-odds of its chance to win. A net that predicts moves says
    its own logits instead. Reported are the mean natural logarithm of the played move's chance, and
    how often it is among the best moves. The temperature is the model's own, or fitted to a fifth
    of the games (200 at most), which are then not measured.

    Territory: where the final ownership is known, cross-entropy (nats a point), the share of points
    whose owner was called likelier, and the calibration error. Neutral points do not count. An
    evaluator that knows no ownership is given the mean owner over 64 random continuations.

    Intervals hold 95 % and take games, not moves, as independent.

    Parameters
    ----------
    player
        Whose evaluator: random, alp, influence, shape[:MODEL], territory[:MODEL], selfplay,
        linear:MODEL, crbm[:MODEL], opening[:MODEL], rlgo:FILE or python:MODULE:NAME.
    files
        SGF files, compressed collections (.sgf.gz) or folders of them.
    moves
        Which moves, such as 18-22, counted from 1; by default all. Positions are those before them.
    size
        Only games on boards of this size.
    rank
        Only games whose players are both at least this strong, such as 9k.
    limit
        At most so many games, sampled by the seed.
    temperature
        The temperature, instead of the model's own or a fitted one.
    seed
        Another seed, other games to fit the temperature to.
    json
        Print JSON instead: `player`, `moves`, `files`, `not_read` (games) and `boards`, a list with
        an object for each size: `size`, `games`, `temperature` (`value`, `source`: given, model,
        other games or same games, `games` it was fitted to), `moves`, `ownership` and
        `final_ownership` (games by how it is known: marked, counted, playouts, unsettled). `moves`
        and `ownership`, or null, have `all` and `fifths`, a list of five of the same form or null.
        Those of `moves`: `games`, `moves`, `log_probability`, `uniform`, `top1`; beside them `top`,
        the share of moves among the best 1 to 50. Those of `ownership`: `games`, `positions`,
        `points`, `cross_entropy`, `right`; beside them `source` (evaluator or playouts),
        `calibration_error` and `calibration`, a list of `points`, `chance`, `black`. An estimate is
        `value`, `low` and `high`, the latter two null for a single game.
    """
    wanted = parse_moves(moves)
    _check_numbers(limit, temperature, seed)
    announce_cold_start()
    with working("reading the games"):
        evaluator = make_evaluator(player)
        games = open_games(*files)
    chosen = _choose_games(games, GameFilter(size=size, weakest_rank=rank), wanted)
    if limit is not None:
        chosen = chosen.shuffle(seed)[:limit]
    settings = PredictionSettings(moves=wanted, temperature=temperature, seed=seed)
    reports = []
    with counted(len(chosen), "games") as tell:
        for board in np.unique(chosen.info["size"]).tolist():
            part = chosen.filter(GameFilter(size=board))
            reports.append(measure_board(evaluator, part, settings, tell))
    names = [str(file) for file in files]
    report = Evaluated(player, str(wanted), names, len(games.rejections), reports)
    if json:
        write_json(report)
    else:
        _show(Console(), report)


def parse_moves(text: str | None) -> MoveRange:
    """The moves that `18-22`, `18-` or `18` names; raises KatachiError for anything else."""
    if text is None:
        return MoveRange()
    match = re.fullmatch(r"\s*(\d{1,6})\s*(-?)\s*(\d{1,6})?\s*", text, re.ASCII)
    if match is None or (match[3] and not match[2]):
        raise KatachiError(f"--moves {text}: write A-B, such as 18-22")
    first = int(match[1])
    return MoveRange(first, int(match[3]) if match[3] else None if match[2] else first)


def _check_numbers(limit: int | None, temperature: float | None, seed: int) -> None:
    if seed < 0:
        raise KatachiError(f"--seed {seed}: use 0 or more")
    if limit is not None and limit < 1:
        raise KatachiError(f"--limit {limit}: at least one game is needed")
    if temperature is not None and not COLDEST <= temperature <= HOTTEST:
        raise KatachiError(
            f"--temperature {temperature}: use a number above 0, from {COLDEST:g} to {HOTTEST:g}"
        )


def _choose_games(games: GameSet, condition: GameFilter, moves: MoveRange) -> GameSet:
    """The games that are wanted; raises KatachiError with the reason where there are none."""
    require_games(games)
    chosen = games.filter(condition)
    if len(chosen) == 0:
        raise KatachiError(f"none of the {len(games)} games has that size and rank")
    long_enough = chosen.filter(GameFilter(min_moves=moves.first))
    if len(long_enough) == 0:
        longest = int(chosen.columns.moves.lengths[chosen.rows].max())
        raise KatachiError(f"no moves {moves}: the longest of these games has {longest}")
    return long_enough


def _show(console: Console, report: Evaluated) -> None:
    for number, board in enumerate(report.boards):
        if number:
            console.print()
        console.print(_title(report, board), style="bold", soft_wrap=True)
        console.print(_temperature_line(board), soft_wrap=True)
        if board.moves is None:
            console.print("no stone was played in these moves", style="yellow")
        else:
            console.print(_moves_grid(board.moves))
            console.print(_top_grid(board.moves))
        _show_ownership(console, report.player, board)
    if report.not_read:
        console.print(f"not read: {report.not_read:,} games", style="yellow")


def _title(report: Evaluated, board: BoardReport) -> str:
    moves = "all moves" if report.moves == "1-" else f"moves {report.moves}"
    return f"{report.player} on {board.games:,} games {board.size}x{board.size}, {moves}"


def _temperature_line(board: BoardReport) -> str:
    known = board.temperature
    words = {
        "given": "as given",
        "model": "the model's own",
        "other games": f"fitted to {known.games:,} other games",
        "same games": "fitted to the same games, for there are too few: chances look too good",
    }
    return f"temperature {known.value:.4g}, {words[known.source]}"


def _moves_grid(report: MoveReport) -> Grid:
    head = ("of the game", "moves", "ln p", "95 %", "one in", "uniform", "best", "95 %")
    parts = zip(("all", *PARTS), (report.all, *report.fifths), strict=True)
    return grid_of(head, [(name, *_move_cells(found)) for name, found in parts if found])


def _move_cells(scores: MoveScores) -> list[str]:
    log = scores.log_probability
    return [
        f"{scores.moves:,}",
        f"{log.value:.3f}",
        _around(log),
        f"{math.exp(-log.value):.1f}",
        f"{scores.uniform:.3f}",
        f"{scores.top1.value:.1%}",
        _range(scores.top1),
    ]


def _around(estimate: Estimate) -> str:
    """How far an interval reaches to both sides."""
    return "" if estimate.high is None else f"±{estimate.high - estimate.value:.3f}"


def _range(share: Estimate) -> str:
    """An interval in percent."""
    if share.low is None or share.high is None:
        return ""
    return f"{100 * share.low:.1f}-{share.high:.1%}"


def _top_grid(report: MoveReport) -> Grid:
    shares = [f"{report.top[length - 1]:.1%}" for length in LIST_LENGTHS]
    return grid_of(("among best", *map(str, LIST_LENGTHS)), [("", *shares)])


def _show_ownership(console: Console, player: str, board: BoardReport) -> None:
    known = ", ".join(f"{n:,} {how}" for how, n in board.final_ownership.items() if n)
    console.print(f"final ownership of the games: {known or 'of none'}", soft_wrap=True)
    report = board.ownership
    if report is None:
        return
    if report.source == "playouts":
        line = f"{player} knows no ownership: {CONTINUATIONS} random continuations instead"
        console.print(line, style="yellow", soft_wrap=True)
    console.print(_ownership_grid(report))
    console.print(f"calibration error {report.calibration_error:.1%}")


def _ownership_grid(report: OwnershipReport) -> Grid:
    head = ("of the game", "positions", "nats a point", "95 %", "points right", "95 %")
    rows = []
    for name, scores in zip(("all", *PARTS), (report.all, *report.fifths), strict=True):
        if scores is not None:
            loss, right = scores.cross_entropy, scores.right
            cells = [f"{loss.value:.3f}", _around(loss), f"{right.value:.1%}", _range(right)]
            rows.append((name, f"{scores.positions:,}", *cells))
    return grid_of(head, rows)
