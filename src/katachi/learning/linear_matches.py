"""How good linear evaluators are: matches between them, and how well they predict winners."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.feature_blocks import WindowBlock
from katachi.evaluators.linear import Linear
from katachi.features.units import UNIT
from katachi.learning.sources import RecordedGames
from katachi.records.dataset import GameSet
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.random_play import random_states
from katachi.rules.scoring import final_status
from katachi.rules.state import PASSES, SIZE
from katachi.td.linear_games import LinearGame, new_linear_game, play_linear_game


class LinearScore(NamedTuple):
    """How a match between two models ended, as the first sees it."""

    wins: int
    losses: int
    draws: int
    undecided: int
    """Games that were stopped at the limit of moves."""

    @property
    def decided(self) -> int:
        """Games with a winner."""
        return self.wins + self.losses


class LinearTerms(NamedTuple):
    """How a match is played; the paper's values."""

    games: int = 400
    epsilon: float = 0.1
    """Share of random moves of both."""
    komi: float = 5.5
    limit: int = 100
    """Moves after which a game has no winner."""
    seed: int = 1
    has_pass: bool = False
    """Whether a pass is a move like any other, and own eyes may be filled; else nobody passes who
    has a move that fills none."""


def settled_margin(game: Game) -> float:
    """By how much Black has won, dead stones lifted as random continuations find them."""
    owners = final_status(game.words).owners
    return float((owners == BLACK).sum() - (owners == WHITE).sum()) - game.komi


def play_linear_match(
    first: Linear,
    second: Linear,
    terms: LinearTerms,
    count: Callable[[Game], float] = settled_margin,
) -> LinearScore:
    """A match between two models of one window map each, colours alternating; area counts. Where a
    pass is a move boards are not filled, and `count` says by how much Black has won."""
    parts = [each.parts[0] for each in (first, second)]
    sides = [each.weights for each in parts if isinstance(each, WindowBlock)]
    if len(sides) < 2 or len(first.parts) > 1 or len(second.parts) > 1:
        raise KatachiError("only models of one window map each can play such a match")
    windows = max(len(each.codes) for each in sides)
    game = new_linear_game(first.size, windows, terms.limit, has_pass=terms.has_pass)
    epsilons = np.full(2, terms.epsilon)
    counts = {"wins": 0, "losses": 0, "draws": 0, "undecided": 0}
    for number in range(terms.games):
        is_black = number % 2 == 0
        seats = sides if is_black else sides[::-1]
        random = random_states(terms.seed, number, 1)[0]
        plies, area = play_linear_game(game, seats[0], seats[1], epsilons, random)
        if not has_ended(game):
            counts["undecided"] += 1
            continue
        margin = count(_replayed(game, plies, terms)) if terms.has_pass else area - terms.komi
        won = margin if is_black else -margin
        counts["wins" if won > 0 else "losses" if won < 0 else "draws"] += 1
    return LinearScore(**counts)


def _replayed(game: LinearGame, plies: int, terms: LinearTerms) -> Game:
    """The game just played, for whoever counts it."""
    again = Game(int(game.state.words[SIZE]), terms.komi)
    for ply, point in enumerate(game.record[:plies].tolist()):
        again.play(BLACK if ply % 2 == 0 else WHITE, point)
    return again


def has_ended(game: LinearGame) -> bool:
    """Whether the last game ended by two passes."""
    return bool(game.state.words[PASSES] >= 2)


class LinearError(NamedTuple):
    """How well values predict winners."""

    squared: float
    """Mean of (V - outcome) squared, a position."""
    right: float
    """Share of positions whose winner is predicted."""
    positions: int


def mean_error(model: Linear, games: GameSet) -> LinearError:
    """How the values of all positions of recorded games agree with who won."""
    source = RecordedGames(games, 0)
    squares, right, count = 0.0, 0, 0
    for number in range(len(source)):
        for _, states, outcome in source.take(number):
            if len(states.words) == 0:
                continue
            logits = model.predict(states).sum(axis=1) * UNIT
            values = 1.0 / (1.0 + np.exp(-logits.clip(-700.0, 700.0)))
            squares += float(((values - outcome) ** 2).sum())
            right += int(((values > 0.5) == (outcome > 0.5)).sum())
            count += len(values)
    return LinearError(squares / count, right / count, count)
