"""Lines that cannot be played never reach a kernel."""

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.features.opening_inputs import RAW, OpeningInputs, encode_openings, unit_scales
from katachi.records.lines import check_lines
from katachi.records.opening_tree import OpeningTree
from katachi.records.openings import Opening, Style
from katachi.rules.point import PASS, points_of

POINTS = points_of(5)
BROKEN = {
    "the edge": [31],
    "a cell that no board has": [65535],
    "a point that is taken": [int(POINTS[3]), int(POINTS[3])],
    "the largest point of another board": [int(points_of(25)[-1])],
}


@pytest.mark.parametrize("moves", BROKEN.values(), ids=BROKEN.keys())
def test_a_move_that_cannot_be_played_is_refused(moves: list[int]) -> None:
    line = np.array(moves, np.uint16)
    with pytest.raises(KatachiError, match="cannot be played on 5x5"):
        check_lines(line[None], 5)
    opening = Opening(size=5, moves=line, style=Style.MISC)
    with pytest.raises(KatachiError, match="cannot be played"):
        OpeningTree([opening])
    inputs = OpeningInputs(RAW, 5)
    plies = np.arange(len(moves) + 1)
    with pytest.raises(KatachiError, match="cannot be played"):
        encode_openings(inputs, unit_scales(inputs), line[None], plies)


def test_passes_captures_and_suicide_of_several_stones_may_be_played() -> None:
    a, b, c, d, e = (int(POINTS[cell]) for cell in (0, 1, 2, 5, 6))
    for line in ([a, b, PASS, d], [a, c, b, d, PASS, e], [c, a, d, PASS, e, b]):
        check_lines(np.array([line], np.uint16), 5)
