"""Games read and replayed a second, against sgfmill, in one process and by CPU time.

    python benchmarks/records.py [--json] [--games FILE ...]

The peer parses each game with sgfmill and plays its main line on sgfmill's board. Ours does the
same and more: it also judges every move and reads what is known of the game. The first pass reads
the file and writes the binary copy, the second reads the copy; both replay every game. Without
--games the shipped collection is repeated to a file of a few thousand games; of large files the
peer reads a sample, evenly spread. Rounds take turns, and the best of each counts.
"""

import argparse
import gzip
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from _report import Measurement, measured_versions, show
from sgfmill import sgf, sgf_moves

from katachi.records.dataset import open_games

ROUNDS = 3
REPEATS = 100
PEER_GAMES = 300
SHIPPED = Path(__file__).parents[1] / "tests" / "data" / "gnugo9.sgf"


def read_lines(file: Path) -> list[bytes]:
    """The games of a collection of one game a line."""
    data = file.read_bytes()
    if file.suffix == ".gz":
        data = gzip.decompress(data)
    return data.splitlines()


def replay_with_sgfmill(lines: list[bytes]) -> None:
    """Parses and replays games the way sgfmill's users do."""
    for line in lines:
        board, plays = sgf_moves.get_setup_and_moves(sgf.Sgf_game.from_bytes(line))
        for colour, place in plays:
            if place is not None:
                board.play(place[0], place[1], colour)


def replay_with_katachi(file: Path, copies: Path) -> int:
    """Opens and replays a collection; the number of its games."""
    games = open_games(file, cache_folder=copies)
    if games.replay().verdicts.any() or games.rejections:
        raise SystemExit(f"{file} holds games that cannot be replayed")
    return len(games)


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds that some work takes."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def compare(file: Path, name: str, folder: Path, versions: dict[str, str]) -> None:
    """Prints the first and the second pass over one collection."""
    lines = read_lines(file)
    sample = lines[:: max(1, len(lines) // PEER_GAMES)]
    copies = folder / "copies"
    best = {"first pass": 0.0, "second pass": 0.0}
    peer = 0.0
    for _ in range(ROUNDS):
        shutil.rmtree(copies, ignore_errors=True)
        peer = max(peer, len(sample) / seconds(lambda: replay_with_sgfmill(sample)))
        for passing, before in best.items():
            rate = len(lines) / seconds(lambda: replay_with_katachi(file, copies))
            best[passing] = max(before, rate)
    settings = {"games": len(lines), "peer_games": len(sample), "rounds": ROUNDS}
    for passing, ours in best.items():
        title = f"games read and replayed, {name}, {passing}"
        show(Measurement(title, ours, peer, ours / peer, settings), versions)


def main() -> None:
    """Reads the command line and prints the measurements."""
    parser = argparse.ArgumentParser(description="Games read and replayed a second.")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--games", nargs="+", type=Path, metavar="FILE", help="one game a line")
    arguments = parser.parse_args()
    versions = measured_versions("sgfmill")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        replay_with_katachi(SHIPPED, folder / "warm")
        repeated = folder / "gnugo9.sgf"
        repeated.write_bytes(SHIPPED.read_bytes() * REPEATS)
        for file in arguments.games or [repeated]:
            compare(file, file.name.split(".")[0], folder, versions)


if __name__ == "__main__":
    main()
