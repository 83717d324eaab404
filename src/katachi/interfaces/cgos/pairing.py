"""Who plays whom in a round, and with which colour."""

import random
from collections.abc import Sequence
from typing import NamedTuple

FEW_PLAYERS = 5
"""With fewer, everyone may meet everyone."""
WIDEST_NOISE = 3000.0
NARROWEST_NOISE = 500.0
_PLACES = 4


class Standing(NamedTuple):
    """A player who waits for a game."""

    name: str
    elo: float
    blacks: int = 0
    """Games played with Black so far."""
    whites: int = 0


class Pairing(NamedTuple):
    """One game of a round."""

    white: str
    black: str


def noise_range(ratings: Sequence[float]) -> float:
    """How far chance may move a player among these: half as much again as the widest gap across
    four places, so that nobody is alone."""
    if len(ratings) < FEW_PLAYERS:
        return WIDEST_NOISE
    ranked = sorted(ratings)
    gaps = (high - low for low, high in zip(ranked, ranked[_PLACES:], strict=False))
    return max(NARROWEST_NOISE, 1.5 * max(gaps))


def pair_players(waiting: Sequence[Standing], chance: random.Random) -> list[Pairing]:
    """The games of a round; of an odd number, one player sits out."""
    noise = noise_range([player.elo for player in waiting])
    ranked = sorted(waiting, key=lambda player: player.elo + chance.uniform(0, noise))
    pairs = zip(ranked[::2], ranked[1::2], strict=False)
    return [_give_colors(one, other, chance) for one, other in pairs]


def _give_colors(one: Standing, other: Standing, chance: random.Random) -> Pairing:
    """Black to whoever has had it less often; where that is equal, by lot."""
    surplus = (one.blacks - one.whites) - (other.blacks - other.whites)
    if surplus > 0 or (surplus == 0 and chance.random() < 0.5):
        return Pairing(white=one.name, black=other.name)
    return Pairing(white=other.name, black=one.name)
