"""The work of `katachi review`: a game judged move by move, printed, drawn and annotated."""

from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table as Grid

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.files.atomic import write_atomically
from katachi.interfaces.cli.games import find_game, title_of
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, counted, grid_of, write_json
from katachi.pictures.drawing import write_picture
from katachi.pictures.review import (
    Mistake,
    color_name,
    loss_text,
    mean_loss,
    mistake_title,
    picture_of_review,
    reason_for,
    score_curve,
    value_text,
)
from katachi.pictures.review_notes import annotated_review, move_entry
from katachi.players.reviewing import reviewer_named
from katachi.records.conversion import game_from_record
from katachi.records.dataset import open_games
from katachi.records.record import GameRecord
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.search.review import (
    SMALLEST_MISTAKE,
    GameReview,
    ReviewedMove,
    Reviewer,
    before_first_move,
)
from katachi.search.tree_limits import TreeLimits

CURVE_WIDTH = 80
SHAPE_LEGEND = (
    "shapes, row / row: X Black, O White, . empty; percent: what each changes in the mover's "
    "chance to win, by itself"
)


class ReviewOptions(NamedTuple):
    """What is reviewed, by whom, and where it goes."""

    player: str
    game: int
    """Counted from 1."""
    top: int
    """Mistakes of each side."""
    svg: Path | None
    sgf: Path | None
    is_json: bool
    limits: TreeLimits | None = None
    """Of the tree that is searched, if any."""


def review_file(file: Path, options: ReviewOptions) -> None:
    """Reviews a game of a file, and prints or writes what was asked for; raises KatachiError."""
    player, game, top, svg, sgf, is_json, limits = options
    announce_cold_start()
    reviewer = reviewer_named(player, limits)
    record = find_game(open_games(file), file, game)
    replayed = game_from_record(record)
    found = _review(reviewer, replayed)
    mistakes = [_mistake(reviewer.evaluator, record, move) for move in found.all_mistakes(top)]
    title, source = f"Review of {file.name}", f"{title_of(record)}; as {player} sees it"
    if svg:
        write_picture(picture_of_review(title, source, found, mistakes), svg, None)
    if sgf:
        write_atomically(sgf, annotated_review(record, source, found, mistakes))
    if is_json:
        write_json(_to_builtins(player, replayed, found, mistakes))
        return
    console = Console()
    _show(console, (title, source), found, mistakes)
    for path in filter(None, (svg, sgf)):
        console.print(f"written: {path}", soft_wrap=True)


def _review(reviewer: Reviewer, game: Game) -> GameReview:
    """The whole game, with a bar while it takes."""
    if not game.moves:
        raise KatachiError("the game has no moves to review")
    moves = []
    with counted(len(game.moves), "moves") as tell:
        start = reviewer.judge_start(before_first_move(game))
        for move in reviewer.review_moves(game):
            moves.append(move)
            tell(1)
    return GameReview(start, moves)


def _mistake(evaluator: Evaluator, record: GameRecord, move: ReviewedMove) -> Mistake:
    before = game_from_record(record, move.number - 1)
    return Mistake(move, before, reason_for(evaluator, before, move))


def _show(
    console: Console, heading: tuple[str, str], review: GameReview, mistakes: list[Mistake]
) -> None:
    title, source = heading
    console.print(title, style="bold")
    console.print(source, style="dim")
    console.print()
    _show_curve(console, review)
    console.print()
    console.print(_summary(review))
    for color in (BLACK, WHITE):
        console.print()
        console.print(f"{color_name(color)}'s largest mistakes", style="bold")
        chosen = [mistake for mistake in mistakes if mistake.move.color == color]
        if not chosen:
            console.print("none")
        for mistake in sorted(chosen, key=lambda each: -each.move.loss):
            _show_mistake(console, review, mistake)
    if mistakes and not review.is_in_points:
        console.print()
        console.print(SHAPE_LEGEND, style="dim")


def _show_curve(console: Console, review: GameReview) -> None:
    judged = [review.start, *(move.played for move in review.moves)]
    if review.is_in_points:
        values = [each.lead or 0.0 for each in judged]
        largest = max(abs(value) for value in values)
        labels = (f"B+{largest:.0f}", "even", f"W+{largest:.0f}")
        console.print("Black's lead in points, from the first move to the last", style="bold")
    else:
        values = [each.win_rate - 0.5 for each in judged]
        largest = max(abs(value) for value in values)
        labels = (f"{0.5 + largest:.0%}", "50%", f"{0.5 - largest:.0%}")
        console.print("Black's chance to win, from the first move to the last", style="bold")
    width = min(console.width, CURVE_WIDTH)
    for line in score_curve(values, labels, width, is_ascii=console.is_ascii):
        console.print(line)


def _summary(review: GameReview) -> Grid:
    unit = review.is_in_points
    least = loss_text(SMALLEST_MISTAKE[unit], is_in_points=unit)
    rows = []
    for color in (BLACK, WHITE):
        moves = review.by(color)
        mean = loss_text(mean_loss(moves), is_in_points=unit)
        first = sum(move.rank == 1 for move in moves)
        best = f"{first} time{'s' * (first != 1)}"
        bad = sum(move.loss >= SMALLEST_MISTAKE[unit] for move in moves)
        rows.append((color_name(color), str(len(moves)), mean, best, str(bad)))
    head = ("", "moves", "mean loss", "best move played", f"lost {least} or more")
    return grid_of(head, rows)


def _show_mistake(console: Console, review: GameReview, mistake: Mistake) -> None:
    move = mistake.move
    console.print(mistake_title(review, move, mistake.game.size))
    after = f"{value_text(move.played)}; after the better move {value_text(move.best)}"
    for line in (after, *mistake.reason.lines):
        console.print(f"  {line}")


def _to_builtins(
    player: str, game: Game, review: GameReview, mistakes: list[Mistake]
) -> dict[str, Any]:
    return {
        "player": player,
        "size": game.size,
        "komi": game.komi,
        "unit": "points" if review.is_in_points else "chance",
        "start": {"win_rate": review.start.win_rate, "lead": review.start.lead},
        "moves": [move_entry(move, game.size) for move in review.moves],
        "mistakes": [
            {"number": mistake.move.number, "why": mistake.reason.lines} for mistake in mistakes
        ],
    }
