"""Dead stones and final scores."""

from pathlib import Path

import numpy as np
import pytest

from katachi.players.gtp_program import GtpProgram
from katachi.records.conversion import game_from_record
from katachi.records.dataset import open_games
from katachi.rules.benson import settled_owners
from katachi.rules.board import Board
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.diagram import colors_from_diagram
from katachi.rules.point import vertex_from_point
from katachi.rules.scoring import dead_stones, final_status

GNUGO_GAMES = Path(__file__).parents[1] / "data" / "gnugo9.sgf"


def owners_of(diagram: str) -> str:
    """Settled owners of a position, as a diagram."""
    board = Board.from_diagram(diagram)
    symbols = np.array([".", "X", "O"])[settled_owners(board.words)]
    return "\n".join("".join(row) for row in symbols.reshape(board.size, board.size))


@pytest.mark.parametrize(
    ("position", "settled"),
    [
        (
            """
            . X . X .
            X X X X X
            . . . . .
            . . . . .
            . . . . .
            """,
            """
            X X X X X
            X X X X X
            . . . . .
            . . . . .
            . . . . .
            """,
        ),
        (
            # one eye is not enough
            """
            . X . . .
            X X . . .
            . . . . .
            . . . . .
            . . . . .
            """,
            """
            . . . . .
            . . . . .
            . . . . .
            . . . . .
            . . . . .
            """,
        ),
        (
            # a white stone in a black eye is settled for Black
            """
            . X O . X
            X X X X X
            . . . . .
            . . . . .
            . . . . .
            """,
            """
            X X X X X
            X X X X X
            . . . . .
            . . . . .
            . . . . .
            """,
        ),
        (
            # two blocks live together by sharing both eyes
            """
            . X O O O
            X . X O .
            O X . X O
            . O X X O
            O . O O O
            """,
            """
            . . . . .
            . . . . .
            . . . . .
            . . . . .
            . . . . .
            """,
        ),
    ],
)
def test_unconditional_life_is_found(position: str, settled: str) -> None:
    expected, size = colors_from_diagram(settled)
    symbols = np.array([".", "X", "O"])[expected].reshape(size, size)
    assert owners_of(position) == "\n".join("".join(row) for row in symbols)


def test_a_settled_point_stays_settled_however_the_game_goes_on() -> None:
    """Benson's theorem, by play: the owner always passes, the other side plays at random."""
    board = Board.from_diagram(
        """
        . X . X . .
        X X X X X .
        . . . . X X
        . . . X X .
        . . . X . X
        . . . X X .
        """
    )
    settled = settled_owners(board.words)
    assert (settled == BLACK).sum() > 10
    rng = np.random.default_rng(0)
    from katachi.rules.game import Game
    from katachi.rules.point import points_of

    for _ in range(50):
        game = Game(6)
        game.place_setup(board.points_of_color(BLACK), [])
        for _ in range(60):
            moves = game.legal_moves(WHITE)
            if len(moves) == 0:
                break
            game.play(WHITE, int(rng.choice(moves)))
        stones = np.isin(points_of(6), board.points_of_color(BLACK)) & (settled == BLACK)
        assert (game.colors[stones] == BLACK).all()


def test_dead_stones_are_lifted_and_their_points_counted() -> None:
    board = Board.from_diagram(
        """
        . X . O O . .
        X X X X O O .
        . O . X O . O
        . . X X O O O
        X X X X O . .
        . . X O O . X
        . X X O . . .
        """
    )
    status = final_status(board.words)
    assert [vertex_from_point(p, 7) for p in status.dead] == ["B5", "G2"]
    assert (status.owners == EMPTY).sum() == 1


def test_neutral_points_belong_to_nobody() -> None:
    board = Board.from_diagram(
        """
        . X . . O .
        X X . . O O
        . X . . O .
        X X . . O O
        . X . . O .
        X X . . O O
        """
    )
    grid = final_status(board.words).owners.reshape(6, 6)
    assert (grid[:, :2] == BLACK).all()
    assert (grid[:, 4:] == WHITE).all()
    assert (grid[:, 2:4] == EMPTY).sum() >= 6


def test_the_verdict_depends_on_the_seed_only() -> None:
    board = Board.from_diagram("X.O\n.XO\nX.O")
    assert dead_stones(board.words, seed=3) == dead_stones(board.words, seed=3)


def test_finished_games_of_the_shipped_set_are_scored_as_marked() -> None:
    games = open_games(GNUGO_GAMES, use_cache=False)
    exact = 0
    for record in games:
        game = game_from_record(record)
        owners = final_status(game.words).owners
        marked = {1: BLACK, -1: WHITE, 0: EMPTY}
        assert record.ownership is not None
        exact += owners.tolist() == [marked[int(mark)] for mark in record.ownership]
    assert exact >= 0.9 * len(games)


@pytest.mark.gnugo
def test_gnugo_names_the_same_dead_stones(gnugo: str) -> None:
    """GNU Go's own final_status_list, asked of games that it did not mark for us."""
    games = open_games(GNUGO_GAMES, use_cache=False)
    program = GtpProgram(f"{gnugo} --mode gtp --level 1 --chinese-rules")
    agreed = stones = 0
    for record in list(games)[:12]:
        game = game_from_record(record)
        program.send(f"boardsize {game.size}")
        program.send("clear_board")
        for move in game.moves:
            color = "black" if move.color == BLACK else "white"
            program.send(f"play {color} {vertex_from_point(move.point, game.size)}")
        theirs = set(program.send("final_status_list dead").split())
        ours = {vertex_from_point(p, game.size) for p in dead_stones(game.words)}
        board = game.board
        stones += len(board.points_of_color(BLACK)) + len(board.points_of_color(WHITE))
        agreed -= len(ours ^ theirs)
    program.close()
    assert (stones + agreed) / stones >= 0.97
