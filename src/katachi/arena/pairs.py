"""Games between two players in this process, each opening twice with colours exchanged."""

from collections.abc import Callable

from katachi.arena.game import play_game
from katachi.arena.openings import sample_opening
from katachi.arena.outcome import score_of
from katachi.arena.settings import GameSettings
from katachi.players.protocol import Player
from katachi.rules.color import BLACK, WHITE


def seat_seed(seed: int, seat: int) -> int:
    """The seed of the first or second player: were it the same, the random moves of one would
    follow those of the other."""
    return seed if seat == 0 else hash((seed, seat))


def play_games(
    seats: Callable[[int], tuple[Player, Player]], terms: GameSettings, games: int, seed: int
) -> list[float]:
    """Points of the first player in each of so many games against the second; `seats` gives both
    for a game by its number. Each opening is played twice, colours exchanged."""
    points = []
    for number in range(games):
        color = BLACK if number % 2 == 0 else WHITE
        black, white = seats(number) if color == BLACK else reversed(seats(number))
        opening = sample_opening(terms, seed, number // 2)
        points.append(score_of(play_game(black, white, terms, opening), color))
    return points
