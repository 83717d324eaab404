"""Plays the openings that come with the package: GNU Go 3.8 against itself, 19x19, 50 moves.

    python scripts/make_openings.py FILE [--games 100] [--seed 20261115]

Black's first stones follow a style sampled by the seed, in one of the ways the board may lie; what
comes then, and all of White's moves, are GNU Go's at level 1. One game a line.
"""

import argparse
from pathlib import Path

import numpy as np

from katachi.files.atomic import write_atomically
from katachi.players.gtp_program import GtpProgram
from katachi.records.openings import Style, style_of
from katachi.records.record import GameRecord, GameTexts
from katachi.records.sgf import write_game
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, vertex_from_point
from katachi.rules.symmetry import point_tables

SIZE, KOMI, MOVES = 19, 6.5, 50
FIRST_STONES: dict[Style, tuple[tuple[str, ...], ...]] = {
    Style.TWO_STAR: (("Q16", "Q4"), ("Q16", "D16")),
    Style.THREE_STAR: (("Q16", "Q4", "Q10"),),
    Style.CHINESE: (("Q16", "Q3", "R9"), ("Q16", "Q3", "Q9")),
    Style.SHUSAKU: (("R16", "D17", "Q3"), ("Q17", "R4", "C16")),
    Style.MISC: (("Q17",), ("R16", "Q4"), ("Q16", "D4"), ("Q16", "R4", "O3"), ("R4", "C16")),
}


def play_opening(program: GtpProgram, random: np.random.Generator) -> Game:
    """One opening; the program has the board for itself."""
    style = list(Style)[int(random.integers(len(Style)))]
    choices = FIRST_STONES[style]
    vertices = choices[int(random.integers(len(choices)))]
    table = point_tables(SIZE)[int(random.integers(8))]
    planned = [int(table[point_from_vertex(vertex, SIZE)]) for vertex in vertices]
    program.send("clear_board")
    program.send(f"set_random_seed {int(random.integers(1 << 30))}")
    game = Game(SIZE, KOMI)
    while len(game.moves) < MOVES:
        color = game.to_play
        point = planned.pop(0) if color == BLACK and planned else PASS
        if point != PASS and game.is_legal(color, point):
            program.send(f"play {COLOR_NAMES[color]} {vertex_from_point(point, SIZE)}")
        else:
            point = point_from_vertex(program.send(f"genmove {COLOR_NAMES[color]}"), SIZE)
        game.play(color, point)
    return game


def record_of(game: Game) -> GameRecord:
    """The opening as a record; GN is its style."""
    moves = np.array([move.point for move in game.moves], np.uint16)
    colors = np.array([BLACK, WHITE] * (len(moves) // 2), np.uint8)
    texts = GameTexts(black="GNU Go 3.8", white="GNU Go 3.8", style=style_of(moves, SIZE).value)
    return GameRecord(size=SIZE, moves=moves, colors=colors, komi=KOMI, texts=texts)


def main() -> None:
    """Plays the openings and writes them all, or nothing."""
    parser = argparse.ArgumentParser(description="Openings of GNU Go against itself.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20261115)
    given = parser.parse_args()
    random = np.random.default_rng(given.seed)
    program = GtpProgram("gnugo --mode gtp --level 1")
    program.send(f"boardsize {SIZE}")
    program.send(f"komi {KOMI}")
    try:
        records = [record_of(play_opening(program, random)) for _ in range(given.games)]
    finally:
        program.close()
    lines = [b"".join(write_game(record).split(b"\n")) for record in records]
    write_atomically(given.file, b"\n".join(lines) + b"\n")


if __name__ == "__main__":
    main()
