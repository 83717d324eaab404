"""What the arena itself costs.

    python benchmarks/arena.py [--json]

First two instant players in this process: they play prepared random games move by move, so all the
time is the arena's (clock off, legality, record, outcome); the peer is the bare board, the same
moves played on a Game. Then GNU Go level 0 against itself through GTP: CPU time of this process as
a share of the wall time of the games.
"""

import time
from collections.abc import Sequence

from _report import Measurement, measured_versions, read_options, show

from katachi.arena.game import play_game
from katachi.arena.match import MatchSettings
from katachi.arena.settings import GameSettings
from katachi.arena.workers import play_here
from katachi.batch.cpu import play_games
from katachi.players.names import find_program
from katachi.players.protocol import Choice
from katachi.rules.game import Game

ROUNDS = 5
GAMES = 300
PROGRAM_GAMES = 20


class Prepared:
    """An instant player: its next move is looked up."""

    name = "prepared"

    def __init__(self, points: Sequence[int]) -> None:
        self.points = points

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The move of the list."""
        return Choice(self.points[len(game.moves)])

    def close(self) -> None:
        """Nothing to end."""


def replay(points: Sequence[int]) -> None:
    """The moves on a bare board."""
    game = Game(9)
    for point in points:
        game.play(game.to_play, point)


def instant(versions: dict[str, str]) -> None:
    """Games a second of two instant players, against the bare board."""
    prepared = play_games(9, GAMES, seed=1)
    lists = [prepared.records[i, : prepared.lengths[i]].tolist() for i in range(GAMES)]
    settings = GameSettings(9, opening_moves=0)
    ours, peers = [], []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for points in lists:
            player = Prepared(points)
            play_game(player, player, settings)
        middle = time.process_time()
        for points in lists:
            replay(points)
        ours.append(GAMES / (middle - begin))
        peers.append(GAMES / (time.process_time() - middle))
    ratios = [a / b for a, b in zip(ours, peers, strict=True)]
    said = {"size": 9, "games": GAMES, "moves": sum(map(len, lists)), "seed": 1, "clock": "CPU"}
    title = "arena, two instant players in process, 9x9"
    best = max(ours) / max(peers)
    show(
        Measurement(title, max(ours), max(peers), best, said, interval=(min(ratios), max(ratios))),
        versions,
    )


def through_gtp(versions: dict[str, str]) -> None:
    """CPU seconds of the controller in a hundred wall seconds of GNU Go level 0 games."""
    if find_program("gnugo") is None:
        return
    command = "gtp:gnugo --mode gtp --level 0 --chinese-rules"
    match = MatchSettings(command, command, PROGRAM_GAMES, GameSettings(9))
    tasks = [match.task(number) for number in range(PROGRAM_GAMES)]
    begin, cpu = time.perf_counter(), time.process_time()
    moves = sum(len(finished.outcome.record.moves) for finished in play_here(tasks))
    wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
    said = {"size": 9, "games": PROGRAM_GAMES, "moves": moves, "wall_seconds": round(wall, 2)}
    title = "arena, controller's share of GNU Go level 0 games"
    show(Measurement(title, 100 * cpu / wall, 100.0, cpu / wall, said, unit="%"), versions)


def main() -> None:
    """Both, one after the other."""
    read_options()
    versions = measured_versions()
    instant(versions)
    through_gtp(versions)


if __name__ == "__main__":
    main()
