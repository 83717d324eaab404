"""Cross play: evaluators play the first moves against each other, and somebody else judges."""

from collections.abc import Callable, Sequence

from katachi.arena.opening_judges import OpeningJudge
from katachi.evaluators.protocol import Evaluator
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Player
from katachi.records.judgements import Judgement
from katachi.rules.game import Game
from katachi.rules.point import PASS


def play_opening(
    black: Evaluator, white: Evaluator, *, size: int, moves: int, komi: float, seed: int
) -> Game:
    """So many moves from the empty board: each side plays the legal move, own eyes left open,
    whose position its evaluator likes best; ties are broken by the seed."""
    players = [
        EvaluatingPlayer(evaluator.name, evaluator, 2 * seed + side)
        for side, evaluator in enumerate((black, white))
    ]
    return play_moves(players, Game(size, komi), moves)


def play_moves(players: Sequence[Player], game: Game, moves: int) -> Game:
    """The game, after both players, Black first, have made so many moves together; a player that
    resigns passes."""
    while len(game.moves) < moves and not game.is_over:
        color = game.to_play
        point = players[len(game.moves) % 2].choose(game, color).point
        game.play(color, PASS if point is None else point)
    return game


def cross_play(
    evaluators: dict[str, Evaluator],
    judge: OpeningJudge,
    play: Callable[[Evaluator, Evaluator], Game],
) -> dict[tuple[str, str], tuple[Game, Judgement]]:
    """What the judge says of an opening of each evaluator as Black against each as White, itself
    among them, by (black, white)."""
    found = {}
    for black, first in evaluators.items():
        for white, second in evaluators.items():
            game = play(first, second)
            found[black, white] = game, judge.judge(game)
    return found
