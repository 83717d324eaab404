"""Random games as records, with every position as the oracle sees it."""

import random
from dataclasses import dataclass, field

import numpy as np

from katachi.records.record import GameRecord
from katachi.rules.game import Game
from katachi.rules.point import PASS
from tests.oracle.games import stones_of
from tests.oracle.go import Stones


@dataclass
class RecordedGame:
    """A game of random moves."""

    size: int
    seed: int
    length: int
    positions: list[Stones] = field(default_factory=list)

    def __post_init__(self) -> None:
        source = random.Random(self.seed)
        self.game = Game(self.size)
        self.positions.append(stones_of(self.game))
        for _ in range(self.length):
            moves = self.game.legal_moves(self.game.to_play).tolist()
            is_pass = not moves or source.random() < 0.03
            self.game.play(self.game.to_play, PASS if is_pass else source.choice(moves))
            self.positions.append(stones_of(self.game))

    @property
    def record(self) -> GameRecord:
        """The same game as records hold it."""
        points = np.array([point for _, point in self.game.moves], np.uint16)
        colors = np.array([color for color, _ in self.game.moves], np.uint8)
        return GameRecord(size=self.size, moves=points, colors=colors)
