"""Openings: styles, mirror images, what is refused."""

from pathlib import Path

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.records.dataset import open_games, set_of_records
from katachi.records.openings import (
    LONGEST_OPENING,
    Style,
    all_symmetries,
    judge_by_result,
    openings_of,
    style_of,
)
from katachi.records.record import GameRecord, GameTexts
from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.symmetry import SYMMETRIES, point_tables
from tests.opening_games import random_opening

STYLES = [
    ("two stars on one side", "Q16 D4 Q4 D16", Style.TWO_STAR),
    ("two stars in opposite corners", "Q16 D16 D4 Q4", Style.MISC),
    ("two stars, then the star between", "Q16 D4 Q4 D16 Q10 F3", Style.THREE_STAR),
    ("three stars in another order", "Q10 D4 Q4 D16 C3 F3 Q16 K3", Style.THREE_STAR),
    ("the third star too late", "Q16 D4 Q4 D16 C3 F3 F17 K3 Q10 K4", Style.TWO_STAR),
    ("low Chinese", "Q16 D4 Q3 D16 R9 F3", Style.CHINESE),
    ("high Chinese", "Q16 D4 Q3 D16 Q9 F3", Style.CHINESE),
    ("Chinese with the 3-4 stone turned away", "Q16 D4 R4 D16 R9 F3", Style.MISC),
    ("Chinese seen from the wrong corner", "Q16 D4 Q3 D16 R11 F3", Style.MISC),
    ("Shusaku", "R16 D17 Q3 D3 C4 F3", Style.SHUSAKU),
    ("Shusaku, one stone turned", "R16 D16 R4 D3 D17 F3", Style.MISC),
    ("a 3-3 point", "R17 D4 Q4 D16", Style.MISC),
]


def moves_of(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint16]]:
    return np.array([point_from_vertex(vertex, 19) for vertex in text.split()], np.uint16)


@pytest.mark.parametrize(("words", "moves", "style"), STYLES, ids=[each[0] for each in STYLES])
def test_a_style_is_recognised_whichever_way_the_board_lies(
    words: str, moves: str, style: Style
) -> None:
    assert words
    for table in point_tables(19):
        assert style_of(table[moves_of(moves)], 19) is style


def test_other_boards_have_no_styles() -> None:
    assert style_of(np.array([132, 528, 144], np.uint16), 13) is Style.MISC


def record(count: int, colors: list[int] | None = None, **more: object) -> GameRecord:
    opening = random_opening(1, count, 9)
    played = colors or [1 + ply % 2 for ply in range(count)]
    return GameRecord(size=9, moves=opening.moves, colors=np.array(played, np.uint8), **more)  # type: ignore[arg-type]


def test_an_opening_is_the_beginning_of_its_game() -> None:
    games = set_of_records([record(8, texts=GameTexts(result="W+R"), komi=5.5)])
    (opening,) = openings_of(games, 6)
    assert np.array_equal(opening.moves, games[0].moves[:6])
    assert (opening.komi, opening.winner, opening.game, opening.judgement) == (5.5, WHITE, 0, None)
    assert [each.judgement for each in judge_by_result([opening])] == [-1.0]
    assert len(opening.cut(4)) == 4
    states = opening.states()
    assert states.words.shape[0] == 7
    assert np.array_equal(states.words[-1], opening.play().words)


def test_mirror_images_are_games_on_a_turned_board() -> None:
    opening = random_opening(2, 12)
    for copy, table in zip(all_symmetries([opening]), point_tables(5), strict=True):
        assert np.array_equal(copy.moves, table[opening.moves])
        copy.play()
    assert len(all_symmetries([opening])) == SYMMETRIES
    with pytest.raises(ValueError, match="turned once"):
        all_symmetries([opening])[1].turned(2)


def test_what_is_no_opening_is_refused_in_one_line() -> None:
    with pytest.raises(KatachiError, match=r"game 1 has 4 moves, an opening of 5 needs 5"):
        openings_of(set_of_records([record(4)]), 5)
    with pytest.raises(KatachiError, match="do not move in turn, Black first"):
        openings_of(set_of_records([record(3, [BLACK, BLACK, WHITE])]), 3)
    stones = np.array([33], np.uint16)
    with pytest.raises(KatachiError, match="begins with setup stones"):
        openings_of(set_of_records([record(3, setup_black=stones)]), 3)
    passes = record(4)
    passes.moves[1:3] = PASS
    with pytest.raises(KatachiError, match="game 1 has two passes in a row"):
        openings_of(set_of_records([passes]), 4)
    with pytest.raises(KatachiError, match="no games are left"):
        openings_of(set_of_records([record(3)])[:0], 3)
    with pytest.raises(KatachiError, match=f"0 moves: use 1 to {LONGEST_OPENING}"):
        openings_of(set_of_records([record(3)]), 0)
    with pytest.raises(KatachiError, match="opening 3 has 4 moves, an opening of 9"):
        random_opening(2, 4).cut(9)


@pytest.mark.slow
def test_the_styles_of_a_labelled_collection(games_folder: Path) -> None:
    file = games_folder / "fuseki19.sgf.gz"
    if not file.exists():
        pytest.skip("needs a collection of labelled openings")
    games = open_games(file)
    for opening, game in zip(openings_of(games, 50), games, strict=True):
        assert opening.style.value == game.texts.style
