"""Games made up for the tests of what stores and counts them, and a program that is killed."""

import sys
from pathlib import Path

from katachi.arena.database import Contestant, Database, NewGame
from katachi.arena.outcome import Ending, Outcome
from katachi.records.record import GameRecord
from katachi.rules.color import BLACK

SETTINGS = {"size": 5, "komi": 7.5}
SGF = "(;FF[4]SZ[5];B[cc];W[bb])" * 200


def contestant(name: str, version: str = "1", anchor: float | None = None) -> Contestant:
    return Contestant(name, name, {"spec": name, "katachi": version}, anchor)


def new_game(
    black: int, white: int, number: int, winner: int = BLACK, ending: Ending = Ending.SCORE
) -> NewGame:
    margin = 3.5 if ending is Ending.SCORE else None
    outcome = Outcome(winner, ending, margin, "", GameRecord(size=5), seconds={1: 0.5, 2: 0.25})
    started = f"2007-08-{1 + number % 28:02}T12:00:00.000+00:00"
    return NewGame(black, white, number, number // 2, 2**63 + 1, outcome, SGF, started, SETTINGS)


def store_until_killed(path: Path, first: int) -> None:
    """Stores game after game, telling the number of each once it is stored."""
    with Database(path) as database:
        database.agree_on(SETTINGS)
        black, white = (database.enter(contestant(name)) for name in ("a", "b"))
        for number in range(first, first + 1_000_000):
            database.add_game(new_game(black, white, number))
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    store_until_killed(Path(sys.argv[1]), int(sys.argv[2]))
