"""Random games played by oracle and kernel side by side, and the bridge between the two."""

import random
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import strategies as st

from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_row_col
from katachi.rules.ruleset import KoRule, Rules
from tests.oracle.go import (
    BLACK,
    OracleGame,
    Spot,
    Stones,
    is_eye,
    neighbors_of,
    region_of,
    spots_of,
)

EVERY_RULES = [Rules(ko, suicide) for ko in KoRule for suicide in (False, True)]
RULES_IDS = [f"{r.ko.name.lower()}-{'suicide' if r.suicide else 'plain'}" for r in EVERY_RULES]
USUAL_RULES = Rules(), Rules(KoRule.SITUATIONAL, suicide=True)
SOME_RULES = [
    pytest.param(rules, id=name, marks=[] if rules in USUAL_RULES else [pytest.mark.slow])
    for rules, name in zip(EVERY_RULES, RULES_IDS, strict=True)
]
"""All of them; only the first ones by default, the others in the longer suite."""

sizes = st.integers(2, 25)
every_rules = st.sampled_from(EVERY_RULES)


def point_of(spot: Spot | None) -> int:
    """katachi's point for the oracle's spot; None is the pass."""
    return PASS if spot is None else point_from_row_col(*spot)


def stones_of(game: Game) -> Stones:
    """The oracle's stones for katachi's position."""
    colors = game.colors.tolist()
    return {spot: c for spot, c in zip(spots_of(game.size), colors, strict=True) if c}


def colors_of_stones(stones: Stones, size: int) -> list[int]:
    """Colours row by row of the oracle's position."""
    return [stones.get(spot, 0) for spot in spots_of(size)]


def oracle_for(game: Game) -> OracleGame:
    """An oracle with the rules and the position of a game, and no history."""
    return OracleGame(game.size, game.rules.ko.name, game.rules.suicide, stones_of(game))


@dataclass
class Duel:
    """One game in both implementations, and what happened in it."""

    size: int
    rules: Rules
    random: random.Random
    seen: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.game = Game(self.size, rules=self.rules)
        self.oracle = OracleGame(self.size, self.rules.ko.name, self.rules.suicide)
        self.color = BLACK
        # Games without eye filling live longer and have kos; the others end in large captures.
        self.spares_eyes = self.random.random() < 0.7

    @property
    def is_over(self) -> bool:
        """Whether two passes ended it, or it got long (a simple ko can last for ever)."""
        return self.oracle.is_over or len(self.oracle.moves) >= 3 * self.size**2 + 20

    def draw_spot(self, color: int) -> Spot | None:
        """A legal move by the oracle's word, seldom a pass; refusals are counted on the way."""
        if self.random.random() < 0.02:
            return None
        empties = [s for s in spots_of(self.size) if s not in self.oracle.stones]
        self.random.shuffle(empties)
        for spot in empties:
            verdict = self.oracle.verdict(color, spot)
            assert self.game.judge(color, point_of(spot)) == verdict, (color, spot, verdict)
            self.seen[verdict] += 1
            if verdict == "legal" and not self._is_spared(spot, color):
                return spot
        return None

    def _is_spared(self, spot: Spot, color: int) -> bool:
        return self.spares_eyes and is_eye(self.oracle.stones, self.size, spot, color)

    def play(self) -> None:
        """One move in both, of the colour whose turn it is or, one time in ten, of the other."""
        color = self.color if self.random.random() < 0.9 else 3 - self.color
        spot = self.draw_spot(color)
        merged = self._own_blocks_beside(spot, color)
        outcome = self.oracle.play(color, spot)
        self.game.play(color, point_of(spot))
        self.seen["moves"] += 1
        self.seen["passes"] += spot is None
        self.seen["colour twice in a row"] += color != self.color
        self.seen["captures"] += len(outcome.captured) > 0
        self.seen["captures of several blocks"] += len(outcome.captured) > 1
        self.seen["captures of three or more blocks"] += len(outcome.captured) > 2
        self.seen["suicides"] += len(outcome.suicide) > 0
        self.seen["suicides of several stones"] += len(outcome.suicide) > 1
        self.seen["joins of several blocks"] += merged > 1
        self.color = 3 - color

    def _own_blocks_beside(self, spot: Spot | None, color: int) -> int:
        if spot is None:
            return 0
        stones = self.oracle.stones
        own = [n for n in neighbors_of(spot, self.size) if stones.get(n) == color]
        return len({min(region_of(stones, self.size, n)) for n in own})


@st.composite
def random_games(draw: st.DrawFn, max_size: int = 9, longest: int = 120) -> Game:
    """A game of random legal moves of any colour: (size, rules) and the moves shrink."""
    game = Game(draw(st.integers(2, max_size)), rules=draw(every_rules))
    seed = draw(st.integers(0, 2**32 - 1))
    length = draw(st.integers(0, longest))
    source = random.Random(seed)
    for _ in range(length):
        play_random_move(game, source)
    return game


def play_random_move(game: Game, source: random.Random) -> None:
    """Plays a random legal move, now and then a pass or the other colour's."""
    color = game.to_play if source.random() < 0.9 else 3 - game.to_play
    moves = game.legal_moves(color).tolist()
    is_pass = not moves or source.random() < 0.02
    game.play(color, PASS if is_pass else source.choice(moves))
