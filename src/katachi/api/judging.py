"""Players and evaluators by name, and what they think of a position or of a whole game."""

from typing import NamedTuple

import numpy as np

from katachi.batch.playouts import play_out
from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.kinds import DEFAULT_PLAYER
from katachi.players.names import tree_limits
from katachi.players.protocol import Analyst, Player
from katachi.players.reviewing import reviewer_named
from katachi.players.roster import make_evaluator, make_player
from katachi.rules.game import Game
from katachi.rules.point import Points
from katachi.search.analysis import Analysis
from katachi.search.analysis import analyse as analyse_by
from katachi.search.review import EvaluatorReviewer, GameReview, Reviewer, before_first_move
from katachi.search.tree_limits import CPU

MOST_PLAYOUTS = 1_000_000_000


def load_player(
    player: str | Evaluator = DEFAULT_PLAYER, seed: int = 0, device: str | None = None
) -> Player:
    """The player of a name (`katachi players` lists them), a model's folder or a command line; or
    one that looks one move ahead with an evaluator of your own. Equal seeds give equal games. On
    the device "cuda" a GPU computes the net of a tree player, or else plays its random games.

    Raises KatachiError for a name of none, and for a device that is not there or of no use to it.

    >>> player = katachi.load_player("alp", seed=1)
    >>> game = katachi.Game(9)
    >>> choice = player.choose(game, game.to_play)
    >>> game.play(choice.point)
    """
    if isinstance(player, str):
        return make_player(player, seed, tree_limits(player, None, None, device))
    return EvaluatingPlayer(player.name, player, seed)


def load_evaluator(name: str = DEFAULT_PLAYER) -> Evaluator:
    """What the player of a name judges positions by; or the evaluator of a model's folder.

    Raises KatachiError for a name of none, or of a player without an opinion of positions.

    >>> game = katachi.Game(9)
    >>> evaluator = katachi.load_evaluator("influence")
    >>> float(evaluator.evaluate(game.states).value[0])
    0.5
    """
    return make_evaluator(name)


def analyse(
    evaluator: Evaluator | str,
    game: Game,
    color: int | None = None,
    points: Points | None = None,
) -> Analysis:
    """What an evaluator, or the player of a name, thinks of a position and of the moves of
    `color`, by default of the player to move: of these points only, where given.

    Raises KatachiError for a name of none, or of a player that does not say what it thinks.

    >>> found = katachi.analyse("alp", katachi.Game(5))
    >>> katachi.vertex_from_point(found.candidates[0].point, 5)
    'B4'
    """
    color = game.to_play if color is None else color
    if not isinstance(evaluator, str):
        return analyse_by(evaluator, game, color, points)
    player = make_player(evaluator)
    try:
        if not isinstance(player, Analyst):
            raise KatachiError(f"{evaluator} does not say what it thinks: choose another player")
        return player.analyse(game, color, points)
    finally:
        player.close()


def review(evaluator: Evaluator | str, game: Game) -> GameReview:
    """Each move of a game beside the best one, as an evaluator or the player of a name sees them.

    Raises KatachiError for a name of none, or of a player that judges no positions.

    >>> game = katachi.Game.from_sgf("(;SZ[5];B[cc];W[aa];B[cd])")
    >>> found = katachi.review("alp", game)
    >>> len(found.moves), found.is_in_points
    (3, False)
    """
    reviewer: Reviewer
    if isinstance(evaluator, str):
        reviewer = reviewer_named(evaluator)
    else:
        reviewer = EvaluatorReviewer(evaluator)
    start = reviewer.judge_start(before_first_move(game))
    return GameReview(start, list(reviewer.review_moves(game)))


class Playouts(NamedTuple):
    """Random games from one position."""

    games: int
    black_wins: float
    """A drawn game is half a win."""
    ownership: tuple[float, ...] = ()
    """Of each point, row by row: the mean owner, from -1 (White) to 1 (Black)."""

    @property
    def win_rate(self) -> float:
        """Black's share of them."""
        return self.black_wins / self.games


def playouts(game: Game, count: int = 1000, seed: int = 0, device: str = CPU) -> Playouts:
    """Plays `count` random games from a position, which is not changed, to their end.

    Moves are uniformly random but fill no own eye; the end is counted with the game's komi. On the
    device "cuda" a GPU plays the same games. Raises KatachiError for a number that makes no sense,
    and for a device that is not there.

    >>> found = katachi.playouts(katachi.Game(9, komi=7.5), 2000, seed=1)
    >>> found.games, 0.3 < found.win_rate < 0.5
    (2000, True)
    """
    if not 1 <= count <= MOST_PLAYOUTS:
        raise KatachiError(f"{count} playouts: use 1 to {MOST_PLAYOUTS:,}")
    terms = np.array([game.to_play], np.uint8), count, float(game.komi), seed
    if device == CPU:
        found = play_out(game.words[None], *terms)
    else:
        from katachi.batch import cuda_playouts

        cuda_playouts.check_card(device)
        found = cuda_playouts.play_out(game.words[None], *terms)
    owners = (found.owned[0] / count).tolist()
    return Playouts(count, int(found.wins[0]) / 2, tuple(owners))
