"""Linear evaluators that learn by temporal differences: from records, from themselves, from a
frozen copy."""

from enum import Enum
from typing import Annotated, NamedTuple

import msgspec
import numpy as np

from katachi.evaluators.errors import ErrorRule
from katachi.evaluators.linear import Linear
from katachi.evaluators.linear_parts import WindowPart
from katachi.evaluators.window_worths import WindowWeights
from katachi.features.shape_tracker import UNIT
from katachi.learning.loop import Source, UpdateRule, learn_game
from katachi.learning.sources import AgainstFrozen, GameTerms, RecordedGames, Seat, SelfPlay
from katachi.records.dataset import GameSet
from katachi.rules.errors import KatachiError
from katachi.rules.random_play import random_states
from katachi.rules.state import PASSES
from katachi.search.linear_games import (
    LinearGame,
    learn_linear_game,
    new_linear_game,
    play_linear_game,
)
from katachi.search.shape_games import MOVES_A_POINT

Positive = Annotated[float, msgspec.Meta(gt=0)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Teacher(Enum):
    """Where the games come from."""

    RECORDS = "records"
    """Recorded games: both players teach."""
    SELF = "self"
    """Games of the learner against itself: both sides teach."""
    FROZEN = "frozen"
    """Games against a copy of the learner that stays as it began."""


class LinearSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a linear evaluator learns; the paper's values where it states them."""

    features: tuple[str, ...] = ("templates:2x2",)
    """Feature maps by name."""
    size: int = 9
    teacher: Teacher = Teacher.RECORDS
    games: Annotated[int, msgspec.Meta(ge=1)] = 1000
    """Games to learn from in all; records are gone through again when they are used up."""
    alpha: Positive = 0.001
    """Step size, which the paper does not state."""
    lam: Share = 0.0
    is_squared: bool = True
    """Whether the error carries the factor V(1 - V)."""
    epsilon: Share = 0.1
    """Share of random moves where the learner plays."""
    final_epsilon: Share | None = None
    """Where that share falls to, in a straight line over all games; it stays without one."""
    frozen_epsilon: Share = 0.1
    """Share of random moves of a frozen copy."""
    komi: float = 5.5
    seed: int = 1


class LinearTrainer:
    """A model and how many games it has learned from. A game depends on its number and on the
    weights alone, so a trainer that is set up anew with both goes on the same."""

    def __init__(
        self, settings: LinearSettings, model: Linear, games: GameSet | None = None
    ) -> None:
        """Learns into `model`; records need their games. Raises KatachiError for games on another
        board than the model's."""
        if model.size != settings.size:
            raise KatachiError(f"the model is for size {model.size}, not {settings.size}")
        self.settings = settings
        self.model = model
        self.frozen = model.copied()
        self.games = 0
        self.wins = 0.0
        """Of the learner against its frozen copy since this was last set to zero."""
        self._records = None if games is None else RecordedGames(games, settings.seed)
        if settings.teacher is Teacher.RECORDS:
            self._check_records()
        self._rule = ErrorRule(settings.lam, settings.is_squared)
        self._fused = _fused_tables(self.model, self.frozen, settings)

    def _check_records(self) -> None:
        if self._records is None:
            raise KatachiError("no recorded games to learn from")
        size = self._records.size
        if size != self.settings.size:
            raise KatachiError(f"the games are of size {size}, not {self.settings.size}")

    def train(self, count: int) -> None:
        """Learns from so many more games."""
        for _ in range(count):
            if self._fused is not None:
                self._learn_fused(self._fused)
            else:
                self._learn_plain()
            self.games += 1

    def epsilon(self) -> float:
        """The learner's share of random moves in the next game."""
        begin, end = self.settings.epsilon, self.settings.final_epsilon
        if end is None:
            return begin
        return begin + (end - begin) * min(1.0, self.games / self.settings.games)

    def update_rule(self) -> UpdateRule:
        """How far the weights move for what a game has shown."""
        parts = len(self.model.parts)
        rates = np.full(parts, self.settings.alpha)
        return UpdateRule(self._rule, np.ones((parts, parts), np.uint8), rates, UNIT)

    def source(self) -> Source:
        """Where the next game comes from."""
        if self.settings.teacher is Teacher.RECORDS:
            assert self._records is not None
            return self._records
        limit = MOVES_A_POINT * self.settings.size**2
        settings = self.settings
        terms = GameTerms(settings.size, settings.komi, self.epsilon(), limit, settings.seed)
        if settings.teacher is Teacher.SELF:
            return SelfPlay(self.model, terms)
        return AgainstFrozen(self.model, Seat(self.frozen, settings.frozen_epsilon), terms)

    def _learn_plain(self) -> None:
        trajectories = self.source().take(self.games)
        learn_game([self.model], trajectories, self.update_rule())
        if self.settings.teacher is Teacher.FROZEN:
            self.wins += trajectories[0].outcome

    def _learn_fused(self, fused: "FusedTables") -> None:
        """One game by the kernel; the weights become what `_learn_plain` makes of them."""
        settings, number = self.settings, self.games
        is_self = settings.teacher is Teacher.SELF
        is_black = number % 2 == 0
        other = fused.learner if is_self else fused.frozen
        seats = (fused.learner, other) if is_black or is_self else (other, fused.learner)
        share = self.epsilon()
        rest = share if is_self else settings.frozen_epsilon
        epsilons = np.array([share, rest] if is_black or is_self else [rest, share])
        random = random_states(settings.seed, number, 1)[0]
        plies, area = play_linear_game(fused.game, *seats, epsilons, random)
        learns = np.array([is_self or is_black, is_self or not is_black], np.uint8)
        margin = area - settings.komi
        fused.game.rates[0] = settings.alpha
        learn_linear_game(fused.game, fused.learner, learns, plies, margin, self._rule)
        self.wins += 0.5 + 0.5 * float(np.sign(margin if is_black else -margin))


class FusedTables(NamedTuple):
    """What the kernel needs."""

    game: LinearGame
    learner: WindowWeights
    frozen: WindowWeights


def _fused_tables(model: Linear, frozen: Linear, settings: LinearSettings) -> FusedTables | None:
    """None where the games are records, or the features are not of one kind of window."""
    mine, other = model.parts[0], frozen.parts[0]
    if settings.teacher is Teacher.RECORDS or len(model.parts) > 1:
        return None
    if not isinstance(mine, WindowPart) or not isinstance(other, WindowPart):
        return None
    windows = len(mine.weights.codes)
    game = new_linear_game(settings.size, windows, MOVES_A_POINT * settings.size**2)
    return FusedTables(game, mine.weights, other.weights)


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


def play_linear_match(first: Linear, second: Linear, terms: LinearTerms) -> LinearScore:
    """A match between two models of one window map each, colours alternating; area counts."""
    parts = [each.parts[0] for each in (first, second)]
    sides = [each.weights for each in parts if isinstance(each, WindowPart)]
    if len(sides) < 2 or len(first.parts) > 1 or len(second.parts) > 1:
        raise KatachiError("only models of one window map each can play such a match")
    game = new_linear_game(first.size, max(len(each.codes) for each in sides), terms.limit)
    epsilons = np.full(2, terms.epsilon)
    counts = {"wins": 0, "losses": 0, "draws": 0, "undecided": 0}
    for number in range(terms.games):
        is_black = number % 2 == 0
        seats = sides if is_black else sides[::-1]
        random = random_states(terms.seed, number, 1)[0]
        _, area = play_linear_game(game, seats[0], seats[1], epsilons, random)
        margin = (area - terms.komi) * (1 if is_black else -1)
        if not has_ended(game):
            counts["undecided"] += 1
        else:
            counts["wins" if margin > 0 else "losses" if margin < 0 else "draws"] += 1
    return LinearScore(**counts)


def has_ended(game: LinearGame) -> bool:
    """Whether the last game ended by two passes."""
    return bool(game.state.words[PASSES] >= 2)


def mean_error(model: Linear, games: GameSet) -> "LinearError":
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


class LinearError(NamedTuple):
    """How well values foretell winners."""

    squared: float
    """Mean of (V - outcome) squared, a position."""
    right: float
    """Share of positions whose winner is foretold."""
    positions: int
