"""Agreement with GNU Go 3.8 on legal moves and captures in random games.

Its rules can be set to ours: simple ko, positional or situational superko; suicide forbidden, or
allowed (`--allow-suicide` leaves that of a single stone forbidden, as ours does under simple ko;
`--allow-all-suicide` is our suicide rule under superko). One difference was found: under superko
GNU Go never holds a suicide to be a repetition, so it allows some that we refuse.
"""

import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import pytest

from katachi.rules.board import Board
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.game import Game
from katachi.rules.legality import is_eye
from katachi.rules.point import (
    PASS,
    point_from_vertex,
    points_of,
    row_col_from_point,
    vertex_from_point,
)
from katachi.rules.ruleset import KoRule, Rules
from tests.oracle.games import EVERY_RULES, SOME_RULES, stones_of
from tests.oracle.go import play_stone

KO_OPTIONS = {
    KoRule.SIMPLE: "--simple-ko",
    KoRule.POSITIONAL: "--positional-superko",
    KoRule.SITUATIONAL: "--situational-superko",
}


def options_for(rules: Rules) -> list[str]:
    suicide = "--forbid-suicide"
    if rules.suicide:
        suicide = "--allow-suicide" if rules.ko == KoRule.SIMPLE else "--allow-all-suicide"
    return ["--chinese-rules", KO_OPTIONS[rules.ko], suicide]


class Gtp:
    """A conversation in GTP."""

    def __init__(self, commands: IO[str], answers: IO[str]) -> None:
        self.commands = commands
        self.answers = answers

    def ask(self, command: str) -> str:
        """The answer to a command, without its mark; fails when the program refuses."""
        self.commands.write(command + "\n")
        self.commands.flush()
        lines = []
        while (line := self.answers.readline()).strip():
            lines.append(line.strip())
        answer = " ".join(lines)
        assert answer.startswith("="), f"{command}: {answer}"
        return answer[1:].strip()


@contextmanager
def conversation(program: str, rules: Rules) -> Iterator[Gtp]:
    command = [program, "--mode", "gtp", *options_for(rules)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Gtp(process.stdin, process.stdout)
        finally:
            process.kill()


def legal_points(gtp: Gtp, game: Game, color: int) -> list[int]:
    vertices = gtp.ask(f"all_legal {COLOR_NAMES[color]}").split()
    return sorted(point_from_vertex(vertex, game.size) for vertex in vertices)


def repeats_by_suicide(game: Game, color: int, point: int) -> bool:
    """Whether a move is a suicide that our superko rule refuses."""
    spot = row_col_from_point(point)
    outcome = play_stone(stones_of(game), game.size, spot, color)
    return len(outcome.suicide) > 0 and game.judge(color, point) == "superko"


def compare_game(gtp: Gtp, game: Game, source: random.Random, plies: int) -> Counter[str]:
    """Plays random moves in both, comparing at every ply; the verdicts met on the way."""
    gtp.ask(f"boardsize {game.size}")
    gtp.ask("clear_board")
    met: Counter[str] = Counter()
    for _ in range(plies):
        for color in (BLACK, WHITE):
            ours = game.legal_moves(color).tolist()
            theirs = legal_points(gtp, game, color)
            differing = set(ours) ^ set(theirs)
            assert all(repeats_by_suicide(game, color, point) for point in differing)
            met.update(game.judge(color, int(point)) for point in points_of(game.size))
        play_in_both(gtp, game, source)
        captures = int(gtp.ask("captures black")), int(gtp.ask("captures white"))
        assert game.captures == captures
    return met


def play_in_both(gtp: Gtp, game: Game, source: random.Random) -> None:
    color = game.to_play
    moves = [p for p in game.legal_moves(color).tolist() if not is_eye(game.words, p, color)]
    point = source.choice(moves) if moves and source.random() < 0.98 else PASS
    game.play(color, point)
    gtp.ask(f"play {COLOR_NAMES[color]} {vertex_from_point(point, game.size)}")


PLIES = {2: (20, 12), 3: (15, 27), 4: (6, 48), 5: (4, 75), 7: (2, 147), 9: (1, 162), 19: (1, 300)}
"""How many games of how many plies are compared at each size."""


@pytest.mark.parametrize("rules", SOME_RULES)
def test_legal_moves_and_captures_agree_with_gnugo(gnugo: str, rules: Rules) -> None:
    source = random.Random(EVERY_RULES.index(rules))
    met: Counter[str] = Counter()
    with conversation(gnugo, rules) as gtp:
        for size, (games, plies) in PLIES.items():
            for _ in range(games):
                met += compare_game(gtp, Game(size, rules=rules), source, plies)
    assert met["ko"] > 0
    assert (met["superko"] > 0) == (rules.ko != KoRule.SIMPLE)
    assert (met["suicide"] > 0) == (not rules.suicide or rules.ko == KoRule.SIMPLE)


SETTLED = """
. X O . O O . O O
X X O O O O O O .
. X X X O O O O O
X X . X X O O . O
X X X X X X O O O
. X . X X X X O .
X X X X . X X O O
X . X X X X X X O
. X X X X . X X O
"""


def test_scores_agree_with_gnugo_on_a_settled_board(gnugo: str) -> None:
    board = Board.from_diagram(SETTLED)
    game = Game(9, komi=7.5)
    game.place_setup(board.points_of_color(BLACK), board.points_of_color(WHITE))
    with conversation(gnugo, game.rules) as gtp:
        gtp.ask("boardsize 9")
        gtp.ask("komi 7.5")
        for color in (BLACK, WHITE):
            for point in board.points_of_color(color):
                gtp.ask(f"play {COLOR_NAMES[color]} {vertex_from_point(point, 9)}")
        side, _, points = gtp.ask("final_score").partition("+")
    score = float(points) if side == "B" else -float(points)
    assert game.area_score() == score
