"""The curve of the demo, and what its marks mean."""

import pytest

from katachi.interfaces.cli.demo import curve_legend, curve_lines


@pytest.mark.parametrize(("is_ascii", "marks"), [(False, "█•▔"), (True, "#o'")])
def test_every_mark_of_the_curve_is_explained(is_ascii: bool, marks: str) -> None:
    drawn = "".join(curve_lines([(0.0, 0.0), (0.3, 0.6), (1.0, 1.0)], 3, is_ascii=is_ascii))
    legend = curve_legend(is_ascii=is_ascii)
    assert len(legend) <= 80
    for mark in marks:
        assert mark in drawn
        assert f"{mark} " in legend
