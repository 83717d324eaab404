"""Names, order and sizes of shape sets are the paper's."""

from itertools import product

import pytest

from katachi.errors import KatachiError
from katachi.features.shape_sets import (
    BINS,
    TEMPLATES,
    Family,
    Location,
    ShapeSet,
    Template,
    check_sets,
    count_nominal,
    count_windows,
    is_as_general,
    parse_sets,
    sets_up_to,
)
from tests.oracle.shapes import rectangles

LI, LD = Location.INDEPENDENT, Location.DEPENDENT
EVERY_SET = [ShapeSet(*parts) for parts in product(TEMPLATES, Location, Family)]

READ = [
    ("2x2:LI", ["2x2:LI"]),
    ("2x2:li", ["2x2:LI"]),
    ("2×2:LI", ["2x2:LI"]),  # noqa: RUF001
    ("1x1-2x2:LI", ["1x1:LI", "2x1:LI", "2x2:LI"]),
    ("2x1:LI+LD", ["2x1:LI", "2x1:LD"]),
    ("2x1:LD+LI", ["2x1:LD", "2x1:LI"]),
    ("3x3:LD:liberty", ["3x3:LD:liberty"]),
    ("3x3:LD:Shape", ["3x3:LD"]),
    ("1x1:LI, 5x5:LD", ["1x1:LI", "5x5:LD"]),
    ("2x2:LI,1x1-2x2:LI", ["2x2:LI", "1x1:LI", "2x1:LI"]),
    ("1x1:LI,1x1:LI:liberty", ["1x1:LI", "1x1:LI:liberty"]),
]


@pytest.mark.parametrize(("text", "names"), READ, ids=[text for text, _ in READ])
def test_a_text_names_its_sets_in_order_each_once(text: str, names: list[str]) -> None:
    assert [each.name for each in parse_sets(text)] == names


@pytest.mark.parametrize("each", EVERY_SET, ids=[each.name for each in EVERY_SET])
def test_a_sets_name_names_it(each: ShapeSet) -> None:
    assert parse_sets(each.name) == (each,)


UNREADABLE = [
    "",
    ",",
    "2x2",
    "2x2:",
    ":LI",
    "2x2:XX",
    "2x2:LI+",
    "2x2:LI,",
    "1x2:LI",
    "6x6:LI",
    "3x3-2x2:LI",
    "1x1-:LD+",
    "-2x2:LI",
    "1x1-2x2-3x3:LI",
    "2x2:LI:eye",
    "2x2:LI:liberty:more",
    "2x2:LI 3x3:LI",
]


@pytest.mark.parametrize("text", UNREADABLE)
def test_any_other_text_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(KatachiError) as failure:
        parse_sets(text)
    assert "\n" not in str(failure.value)
    assert "2x2:LI" in str(failure.value)


def test_sets_must_fit_the_board() -> None:
    check_sets(parse_sets("1x1-4x4:LI"), 4)
    with pytest.raises(KatachiError, match="5x4:LD does not fit a 4x4 board"):
        check_sets(parse_sets("1x1-5x5:LD"), 4)
    with pytest.raises(KatachiError, match="no shape sets"):
        check_sets((), 5)
    with pytest.raises(KatachiError):
        check_sets(parse_sets("1x1:LI"), 26)


def test_the_larger_half_of_the_templates_and_all_liberty_sets_are_hashed() -> None:
    exact = {"1x1", "2x1", "2x2", "3x2", "3x3"}
    for each in EVERY_SET:
        assert each.is_hashed == (each.family is Family.LIBERTY or each.template.name not in exact)


@pytest.mark.parametrize("size", [1, 4, 5, 6, 9, 19])
@pytest.mark.parametrize("template", TEMPLATES, ids=[t.name for t in TEMPLATES])
def test_windows_are_the_rectangles_of_the_board(template: Template, size: int) -> None:
    assert count_windows(template, size) == len(rectangles(*template, size))


def test_figure_3_counts_windows_and_nominal_weights() -> None:
    assert [count_windows(t, 5) for t in TEMPLATES] == [25, 40, 16, 24, 9, 12, 4, 4, 1]
    independent = [3, 9, 81, 729, 19683, *[BINS] * 4]
    assert [count_nominal(ShapeSet(t, LI), 5) for t in TEMPLATES] == independent
    dependent = [27, 54, 324, 2916, 78732, *[BINS] * 4]
    assert [count_nominal(ShapeSet(t, LD), 5) for t in TEMPLATES] == dependent


def test_the_nominal_weights_of_the_final_agents() -> None:
    small = TEMPLATES[:5]
    assert sum(count_nominal(ShapeSet(t, LI), 9) for t in small) == 20_505
    assert sum(count_nominal(ShapeSet(t, LD), 9) for t in small) == 328_143
    assert count_nominal(ShapeSet(small[0], LI, Family.LIBERTY), 9, bins=7) == 7


def test_a_set_is_more_general_when_its_template_its_place_and_its_family_are() -> None:
    for general, specific in product(EVERY_SET, repeat=2):
        fits = TEMPLATES.index(general.template) <= TEMPLATES.index(specific.template)
        moves = general.location is LI or specific.location is LD
        looks = general.family is Family.SHAPE or specific.family is Family.LIBERTY
        assert is_as_general(general, specific) == (fits and moves and looks)


def test_generality_is_a_partial_order() -> None:
    for one, other in product(EVERY_SET, repeat=2):
        assert (is_as_general(one, other) and is_as_general(other, one)) == (one == other)
        for third in EVERY_SET:
            if is_as_general(one, other) and is_as_general(other, third):
                assert is_as_general(one, third)


@pytest.mark.parametrize("specific", EVERY_SET, ids=[each.name for each in EVERY_SET])
def test_the_sets_up_to_one_are_those_as_general_from_small_to_large(specific: ShapeSet) -> None:
    found = sets_up_to(specific)
    assert set(found) == {each for each in EVERY_SET if is_as_general(each, specific)}
    assert len(found) == len(set(found))
    sizes = [each.template.cells for each in found]
    assert sizes == sorted(sizes)
    assert found[-1] == specific
