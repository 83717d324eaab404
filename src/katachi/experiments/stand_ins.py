"""Small files of games in place of those that experiments ask for and the package has not: a quick
run for which no folder is given takes them.

The openings that were judged come with the package; all other games are of random moves, so that
such a run shows that everything works, and nothing else.
"""

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np

from katachi.files.atomic import write_atomically
from katachi.records.conversion import record_from_game
from katachi.records.result import result_from_score
from katachi.records.sgf import write_game
from katachi.records.shipped_games import JUDGED_OPENINGS, OPENINGS
from katachi.rules.area import area_owners
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game

RANDOM = {
    "ogs9_scored": (9, 60, 50),
    "ogs9_other": (9, 40, 50),
    "gnugo9_1000": (9, 60, 50),
    "pro9": (9, 40, 50),
    "pro13": (13, 20, 45),
    "pro19": (19, 60, 90),
}
"""Board size, number of games and moves of each, by name of the file."""
SHIPPED = {"fuseki19.sgf.gz": OPENINGS, "fuseki19_judged.jsonl.gz": JUDGED_OPENINGS}
UNJUDGED = {"fuseki19.sgf.gz": (19, 30, 60)}
"""The same as `RANDOM` of games that follow those of a file."""
NOTE = "no folder of games is given: games of random moves stand in for them"


def write_stand_ins(folder: Path) -> Path:
    """The folder, with every file in it that was not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, (name, games) in enumerate(RANDOM.items()):
        path = folder / f"{name}.sgf.gz"
        if not path.exists():
            write_atomically(path, gzip.compress(_random_games(games, seed), 1, mtime=0))
    for file, shipped in SHIPPED.items():
        if not (folder / file).exists():
            more = _random_games(UNJUDGED[file], 0) if file in UNJUDGED else b""
            whole = shipped.read_bytes() + more
            write_atomically(folder / file, gzip.compress(whole, 1, mtime=0))
    return folder


def _random_games(games: tuple[int, int, int], seed: int) -> bytes:
    size, count, moves = games
    source = np.random.default_rng(seed)
    return b"\n".join(_random_game(size, moves, source) for _ in range(count))


def _random_game(size: int, moves: int, source: np.random.Generator) -> bytes:
    """A game of random moves as SGF in one line, counted as it stands, with its owners marked."""
    game = Game(size)
    for _ in range(moves):
        color = game.to_play
        game.play(color, int(source.choice(game.legal_moves(color))))
    record = record_from_game(game, result=result_from_score(game.area_score()))
    colors = area_owners(game.words)
    owners = (colors == BLACK).astype(np.int8) - (colors == WHITE).astype(np.int8)
    return write_game(replace(record, ownership=owners)).replace(b"\n", b"")
