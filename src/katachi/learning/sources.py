"""Sources of games: agents that adapt to each other, play themselves or others, and records.

The agents play epsilon-greedily with the random numbers of `katachi.td.shape_games`, so that
equal seeds give equal games here and there.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

from katachi.errors import IllegalMove, KatachiError
from katachi.features.units import Logits
from katachi.learning.loop import Trajectory
from katachi.players.protocol import Player
from katachi.rules.area import count_filled_area
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points
from katachi.rules.random_play import (
    index_from_random,
    is_exploring,
    list_sensible_moves,
    next_random,
    random_states,
    sample_best,
)
from katachi.rules.state import PLY, BoardState, Words
from katachi.search.afterstates import afterstates

if TYPE_CHECKING:
    from katachi.records.dataset import GameSet


class Judge(Protocol):
    """Whatever an agent plays by."""

    def predict(self, states: BoardState) -> Logits:
        """[B, K], as whoever moved last sees each position."""
        ...


@runtime_checkable
class MoveJudge(Protocol):
    """An agent that has a fast way from a position to all that moves lead to."""

    def predict_moves(self, board: Words, color: int, moves: Points) -> Logits | None:
        """[M]: the sum of what `predict` says of the position after each legal move; None where
        these must be set up."""
        ...


class GameTerms(NamedTuple):
    """How the games of a source are played: positional superko, no suicide, area scoring."""

    size: int
    komi: float
    epsilon: float
    """Share of random moves."""
    limit: int
    """A game ends after so many moves."""
    seed: int


class Stream:
    """The random numbers of one game."""

    def __init__(self, seed: int, number: int) -> None:
        self._state = np.uint64(random_states(seed, number, 1)[0])

    def draw(self) -> np.uint64:
        """The next one."""
        self._state = np.uint64(next_random(self._state))
        return self._state


class Memory:
    """A game under way, and the positions that either player made."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._after: dict[int, list[BoardState]] = {BLACK: [], WHITE: []}

    def play(self, color: int, point: int) -> None:
        """Plays a move and remembers what it led to."""
        self.game.play(color, point)
        state = self.game.state
        ply = int(state.words[PLY])
        words = state.words.copy()
        words[PLY] = 0
        self._after[color].append(BoardState(words, state.hashes[ply : ply + 1].copy(), state.keys))

    def trajectory(self, agent: int, color: int, margin: float) -> Trajectory:
        """The game as the agent who had `color` has lived it; `margin` is Black's."""
        own = self._after[color]
        words = np.array([state.words for state in own], np.uint16)
        hashes = np.array([state.hashes for state in own], np.uint64)
        won = margin if color == BLACK else -margin
        states = BoardState(words, hashes, self.game.state.keys)
        return Trajectory(agent, states, float(0.5 + 0.5 * np.sign(won)))


def choose_exploring(agent: Judge, game: Game, color: int, epsilon: float, stream: Stream) -> int:
    """An epsilon-greedy move among those that fill no own eye; PASS where there is none."""
    points = np.zeros(game.size * game.size, np.uint16)
    count = list_sensible_moves(game.state, color, game.rules.ko.value, points)
    if count == 0:
        return PASS
    explores = is_exploring(stream.draw(), epsilon)
    random = stream.draw()
    if explores:
        return int(points[index_from_random(random, count)])
    return int(points[sample_best(_move_values(agent, game, color, points[:count]), count, random)])


def _move_values(agent: Judge, game: Game, color: int, points: Points) -> Logits:
    """[M] what an agent thinks of its moves."""
    if isinstance(agent, MoveJudge):
        known = agent.predict_moves(game.words, color, points)
        if known is not None:
            return known
    return np.asarray(agent.predict(afterstates(game, color, points).states).sum(axis=1))


class Seat(NamedTuple):
    """Who plays a colour, and how much by chance."""

    agent: Judge
    epsilon: float


def _play_agents(black: Seat, white: Seat, terms: GameTerms, number: int) -> Memory:
    """A game between agents, both of whom explore."""
    memory, stream = Memory(Game(terms.size, terms.komi)), Stream(terms.seed, number)
    game = memory.game
    while not game.is_over and len(game.moves) < terms.limit:
        agent, epsilon = black if game.to_play == BLACK else white
        color = game.to_play
        memory.play(color, choose_exploring(agent, game, color, epsilon, stream))
    return memory


class AgentGames:
    """Games between two agents, colours changing after each, from the sides of those who learn."""

    def __init__(self, seats: tuple[Seat, Seat], learners: Sequence[int], terms: GameTerms) -> None:
        """The agents of the first seats learn, under these numbers."""
        self._seats = seats
        self._learners = learners
        self._terms = terms

    def take(self, number: int) -> list[Trajectory]:
        """Game `number` as those have lived it who learn, Black first."""
        black, white = number % 2, 1 - number % 2
        memory = _play_agents(self._seats[black], self._seats[white], self._terms, number)
        margin = self.margin(memory.game)
        return [
            memory.trajectory(self._learners[who], color, margin)
            for who, color in ((black, BLACK), (white, WHITE))
            if who < len(self._learners)
        ]

    def margin(self, game: Game) -> float:
        """By how much Black has won a game that was played out; below 0, White."""
        return float(count_filled_area(game.words) - self._terms.komi)


def play_each_other(agents: Sequence[Judge], terms: GameTerms) -> AgentGames:
    """Two agents adapt to each other, or one plays both colours; all learn."""
    first, second = (Seat(agents[each], terms.epsilon) for each in (0, -1))
    return AgentGames((first, second), (0, len(agents) - 1), terms)


def play_frozen(agent: Judge, frozen: Seat, terms: GameTerms) -> AgentGames:
    """One agent learns against another, its own copy perhaps, that stays as it is."""
    return AgentGames((Seat(agent, terms.epsilon), frozen), (0,), terms)


class RecordedGames:
    """Recorded games that somebody won, again and again, each time in another order; both players
    teach the one agent."""

    def __init__(self, games: "GameSet", seed: int) -> None:
        """Raises KatachiError where nobody won any of them, and for boards of several sizes."""
        from katachi.records.dataset import GameSet, common_size

        decided = np.array([record.result.is_decided for record in games], bool)
        self._games = GameSet(games.columns, games.rows[decided])
        self._seed = seed
        if len(self._games) == 0:
            raise KatachiError("none of the games has a winner: there is nothing to learn from")
        self.size = common_size(self._games)

    def __len__(self) -> int:
        """Games in one round."""
        return len(self._games)

    def take(self, number: int) -> list[Trajectory]:
        """Both sides of game `number`."""
        from katachi.records.conversion import game_from_record

        round_, place = divmod(number, len(self._games))
        order = np.random.default_rng((self._seed % (1 << 64), round_))
        record = self._games[int(order.permutation(len(self._games))[place])]
        memory = Memory(game_from_record(record, 0))
        for point, color in zip(record.moves.tolist(), record.colors.tolist(), strict=True):
            memory.play(color, point)
        margin = 1.0 if record.result.winner == BLACK else -1.0
        return [memory.trajectory(0, color, margin) for color in (BLACK, WHITE)]


MakeOpponent = Callable[[int], Player]
"""The opponent for a seed: a fresh one where it draws random numbers, so that its games depend on
the seed alone. An external program answers for its own chance."""


class AgainstOpponent:
    """One agent learns from games against somebody who does not, colours changing after each."""

    def __init__(self, agent: Judge, make_opponent: MakeOpponent, terms: GameTerms) -> None:
        self._agent = agent
        self._make_opponent = make_opponent
        self._terms = terms

    def take(self, number: int) -> list[Trajectory]:
        """The agent's side of game `number`; raises KatachiError where the opponent fails."""
        terms = self._terms
        own = BLACK if number % 2 == 0 else WHITE
        player = self._make_opponent(int(random_states(terms.seed, number, 1)[0]))
        memory, stream = Memory(Game(terms.size, terms.komi)), Stream(terms.seed, number)
        game = memory.game
        while not game.is_over and len(game.moves) < terms.limit:
            color = game.to_play
            if color == own:
                point = choose_exploring(self._agent, game, color, terms.epsilon, stream)
                memory.play(color, point)
            elif not _answer(player, memory):
                return [memory.trajectory(0, own, 1.0 if own == BLACK else -1.0)]
        return [memory.trajectory(0, own, game.area_score())]


def _answer(player: Player, memory: Memory) -> bool:
    """Lets the opponent move; False where it resigns."""
    color = memory.game.to_play
    choice = player.choose(memory.game, color)
    if choice.failure is not None:
        raise choice.failure
    if choice.point is None:
        return False
    try:
        memory.play(color, choice.point)
    except IllegalMove as error:
        raise KatachiError(f"{player.name}: {error}") from None
    return True
