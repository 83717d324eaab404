"""Who plays the games of learning from search, and how strong each generation is: matches against
the one before and against a program."""

from collections.abc import Generator, Sequence
from typing import NamedTuple

from katachi.arena.pairs import play_games
from katachi.arena.settings import GameSettings
from katachi.evaluators.territory import Territory
from katachi.learning.selfplay_games import (
    GamesTask,
    NetWeights,
    PlayedGames,
    part_seed,
    play_part,
    split_evenly,
)
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.names import find_program
from katachi.players.protocol import Player
from katachi.players.roster import make_player
from katachi.players.tree import TreePlayer
from katachi.search.tree_search import TreeSearch
from katachi.workers import Pool, Shared, Terms

ATTEMPTS = 2
"""How often games are begun whose process died under them."""
GNUGO, GNUGO_PROGRAM, WITHOUT_GNUGO = "gnugo:0", "gnugo", "alp"


class MatchTask(NamedTuple):
    """Games of a net to be played by one process."""

    net: Shared[NetWeights]
    visits: int
    """Of a move; 0 for the net alone."""
    opponent: Shared[NetWeights] | str
    """A net, which searches as much, or a player by name."""
    terms: GameSettings
    games: int
    seed: int


def default_opponent() -> str:
    """GNU Go at its lowest level, where it is installed."""
    return GNUGO if find_program(GNUGO_PROGRAM) is not None else WITHOUT_GNUGO


def divide_match(task: MatchTask, parts: int) -> list[MatchTask]:
    """A match in parts, each of whole pairs of games, whose seeds are fixed."""
    pairs = split_evenly(-(-task.games // 2), parts)
    return [
        task._replace(games=2 * count, seed=part_seed(task.seed, number))
        for number, count in enumerate(pairs)
    ]


def play_match(task: MatchTask) -> float:
    """The points of the net."""
    size = task.terms.size
    own = _player_of(task.net.get().model(size), task.visits, task.seed)
    other_seed = part_seed(task.seed, 1)
    if isinstance(task.opponent, str):
        other = make_player(task.opponent, other_seed)
    else:
        other = _player_of(task.opponent.get().model(size), task.visits, other_seed)
    try:
        return sum(play_games(lambda _: (own, other), task.terms, task.games, task.seed))
    finally:
        own.close()
        other.close()


def _player_of(model: Territory, visits: int, seed: int) -> Player:
    if visits == 0:
        return EvaluatingPlayer("net", model, seed)
    return TreePlayer("tree", TreeSearch(model), seed, visits)


Task = GamesTask | MatchTask
Answer = PlayedGames | float


class PlayingWorker:
    """Plays the games of one process. Tasks have numbers, for they may be done in any order."""

    def work(self, task: tuple[int, Task]) -> tuple[int, Answer]:
        """Games for learning, or the points of a match."""
        number, games = task
        return number, play_part(games) if isinstance(games, GamesTask) else play_match(games)

    def close(self) -> None:
        """Each task ends what it has started."""


class Playing:
    """Those who play, kept from one generation to the next."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._waiting: list[tuple[int, Task]] = []
        self._going: Generator[tuple[tuple[int, Task], tuple[int, Answer]], None, None] | None
        self._going = None

    def play(self, tasks: Sequence[Task]) -> list[Answer]:
        """What came of each task, in their order."""
        self._waiting = list(enumerate(tasks))
        if self._going is None:
            terms = Terms[tuple[int, Task]](lambda _: "some games", attempts=ATTEMPTS)
            self._going = self.pool.work(self._take, PlayingWorker, terms)
        answers: dict[int, Answer] = {}
        try:
            while len(answers) < len(tasks):
                number, answer = next(self._going)[1]
                answers[number] = answer
        except BaseException:
            self.close()
            raise
        return [answers[number] for number in range(len(tasks))]

    def _take(self) -> tuple[int, Task] | None:
        return self._waiting.pop(0) if self._waiting else None

    def close(self) -> None:
        """Ends the processes."""
        if self._going is not None:
            self._going.close()
        self._going = None
