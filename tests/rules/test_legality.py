"""Ko, superko, suicide and eyes, one diagram each."""

import pytest

from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.ruleset import KoRule, Rules

pytestmark = pytest.mark.kernel

POSITIONAL = Rules(KoRule.POSITIONAL)
SITUATIONAL = Rules(KoRule.SITUATIONAL)
SIMPLE = Rules(KoRule.SIMPLE)
SUICIDE = Rules(KoRule.POSITIONAL, suicide=True)
SIMPLE_SUICIDE = Rules(KoRule.SIMPLE, suicide=True)


def game_from(diagram: str, rules: Rules = POSITIONAL) -> Game:
    board = Board.from_diagram(diagram)
    game = Game(board.size, rules=rules)
    game.place_setup(board.points_of_color(BLACK), board.points_of_color(WHITE))
    return game


def play(game: Game, moves: str) -> Game:
    """Plays "b C3 w D4 ..." ."""
    words = moves.split()
    for color, vertex in zip(words[::2], words[1::2], strict=True):
        game.play(BLACK if color == "b" else WHITE, point_from_vertex(vertex, game.size))
    return game


def judge(game: Game, move: str) -> str:
    color, vertex = move.split()
    point = point_from_vertex(vertex, game.size)
    return game.judge(BLACK if color == "b" else WHITE, point)


KO = """
. O X .
O . O X
. O X .
. . . .
"""


@pytest.mark.parametrize("rules", [SIMPLE, POSITIONAL, SITUATIONAL])
def test_a_ko_is_not_retaken_at_once(rules: Rules) -> None:
    game = play(game_from(KO, rules), "b B3")
    assert game.captures == (1, 0)
    assert judge(game, "w C3") == "ko"


@pytest.mark.parametrize("rules", [SIMPLE, POSITIONAL, SITUATIONAL])
def test_a_ko_is_retaken_after_a_threat_and_its_answer(rules: Rules) -> None:
    game = play(game_from(KO, rules), "b B3 w D1 b A1")
    assert judge(game, "w C3") == "legal"


@pytest.mark.parametrize(
    ("rules", "verdict"), [(SIMPLE, "legal"), (POSITIONAL, "superko"), (SITUATIONAL, "superko")]
)
def test_after_two_passes_a_ko_is_open_only_under_simple_ko(rules: Rules, verdict: str) -> None:
    game = play(game_from(KO, rules), "b B3 w pass b pass")
    assert judge(game, "w C3") == verdict


def test_a_position_with_another_player_to_move_is_a_repetition_only_by_position() -> None:
    """After Black's own pass the retake leaves White, not Black, to move."""
    verdicts = []
    for rules in (POSITIONAL, SITUATIONAL):
        game = play(game_from(KO, rules), "b A1 b B3 b pass")
        verdicts.append(judge(game, "w C3"))
    assert verdicts == ["superko", "legal"]


def test_who_took_the_ko_may_fill_it() -> None:
    game = play(game_from(KO), "b B3")
    assert judge(game, "b C3") == "legal"


def test_taking_two_stones_is_no_ko() -> None:
    game = game_from(
        """
        . X O O .
        X . X X O
        . X O O .
        . . . . .
        . . . . .
        """
    )
    play(game, "w B4")
    assert game.captures == (0, 2)
    assert judge(game, "b C4") == "legal"


def test_a_snapback_is_no_ko() -> None:
    game = game_from(
        """
        . O X .
        O X X .
        . O X .
        . . . .
        """
    )
    play(game, "w A4 b D1")
    assert judge(game, "w A2") == "legal"


def test_a_stone_without_liberties_may_not_be_played() -> None:
    game = game_from(
        """
        . X .
        X . .
        . . .
        """
    )
    assert judge(game, "w A3") == "suicide"
    assert judge(game, "b A3") == "legal"


TWO_STONE_SUICIDE = """
. O X .
X X X .
. . . .
. . . .
"""


def test_suicide_of_two_stones_is_allowed_by_the_suicide_rules_only() -> None:
    verdicts = [judge(game_from(TWO_STONE_SUICIDE, r), "w A4") for r in (POSITIONAL, SIMPLE)]
    assert verdicts == ["suicide", "suicide"]
    verdicts = [judge(game_from(TWO_STONE_SUICIDE, r), "w A4") for r in (SUICIDE, SIMPLE_SUICIDE)]
    assert verdicts == ["legal", "legal"]


def test_suicide_takes_the_whole_block_off() -> None:
    game = play(game_from(TWO_STONE_SUICIDE, SUICIDE), "w A4")
    assert game.captures == (2, 0)
    assert not (game.colors == WHITE).any()


CORNER = """
. X . .
X . . .
. . . .
. . . .
"""


@pytest.mark.parametrize(
    ("rules", "verdict"),
    [
        (SIMPLE_SUICIDE, "suicide"),
        (SUICIDE, "superko"),
        (Rules(KoRule.SITUATIONAL, suicide=True), "legal"),
    ],
)
def test_suicide_of_one_stone_only_passes_the_turn(rules: Rules, verdict: str) -> None:
    game = play(game_from(CORNER, rules), "b D1")
    assert judge(game, "w A4") == verdict


def test_one_move_captures_blocks_on_all_sides() -> None:
    game = game_from(
        """
        . . X . .
        . X O X .
        X O . O X
        . X O X .
        . . X . .
        """
    )
    play(game, "b C3")
    assert game.captures == (4, 0)


def test_capturing_comes_before_suicide() -> None:
    game = game_from(
        """
        . X O .
        X X O .
        O O O .
        . . . .
        """
    )
    assert judge(game, "w A4") == "legal"
    play(game, "w A4")
    assert game.captures == (0, 3)


def test_what_stands_on_a_point_makes_it_occupied() -> None:
    game = play(Game(5), "b C3")
    assert judge(game, "w C3") == judge(game, "b C3") == "occupied"


def test_a_pass_is_always_legal() -> None:
    assert Game(5).judge(WHITE, PASS) == "legal"


@pytest.mark.parametrize("point", [-1, 1, 31, 32, 38, 10_000])
def test_a_point_beside_the_board_is_off_the_board(point: int) -> None:
    assert Game(5).judge(BLACK, point) == "off board"


IN_THE_CORNER = """
. X .
X {} .
. . .
"""
AT_THE_EDGE = """
X . X .
{} X {} .
. . . .
. . . .
"""


@pytest.mark.parametrize(("stone", "is_eye"), [(".", True), ("X", True), ("O", False)])
def test_a_corner_eye_bears_no_enemy_on_its_diagonal(stone: str, is_eye: bool) -> None:
    board = Board.from_diagram(IN_THE_CORNER.format(stone))
    assert board.is_eye(point_from_vertex("A3", 3), BLACK) == is_eye


@pytest.mark.parametrize(
    ("stones", "is_eye"), [("..", True), ("XX", True), ("O.", False), ("XO", False), ("OO", False)]
)
def test_an_eye_at_the_edge_bears_no_enemy_on_its_diagonals(stones: str, is_eye: bool) -> None:
    board = Board.from_diagram(AT_THE_EDGE.format(*stones))
    assert board.is_eye(point_from_vertex("B4", 4), BLACK) == is_eye


@pytest.mark.parametrize("stone", [".", "O"])
def test_an_eye_needs_own_stones_on_every_side(stone: str) -> None:
    board = Board.from_diagram(f". X . .\nX . {stone} .\n. X . .\n. . . .")
    assert not board.is_eye(point_from_vertex("B3", 4), BLACK)


def test_an_eye_of_one_color_is_none_of_the_other() -> None:
    board = Board.from_diagram(IN_THE_CORNER.format("."))
    assert not board.is_eye(point_from_vertex("A3", 3), WHITE)


DIAGONALS = """
{} X {}
X . X
{} X {}
"""


@pytest.mark.parametrize("stones", ["....", "X.X.", "O...", "XXXO", ".O.X", "OO..", "O..O", "OOOX"])
def test_one_enemy_diagonal_is_no_harm_away_from_the_edge(stones: str) -> None:
    inner = DIAGONALS.format(*stones).split()
    rows = [" ".join([".", *inner[3 * row : 3 * row + 3], "."]) for row in range(3)]
    board = Board.from_diagram("\n".join([". . . . .", *rows, ". . . . ."]))
    assert board.is_eye(point_from_vertex("C3", 5), BLACK) == (stones.count("O") < 2)
