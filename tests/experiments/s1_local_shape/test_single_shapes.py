"""S1-F6: every shape that the paper names has a weight, and its sentences are judged one by one."""

from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape.cascade import diagram_of
from katachi.experiments.s1_local_shape.single_shapes import (
    BESIDE,
    BY_SUM,
    BY_WEIGHT,
    CORNER,
    CUT,
    EYES,
    IN_CORNER,
    LABELS,
    QUICK,
    SEEN,
    SHAPES,
    SURROUNDED,
    TIMES,
    TWO_IN_CORNER,
    WEIGHT,
    Found,
    Named,
    draw,
    judge,
    rows_of,
    run,
    weights_of,
)
from katachi.features.shape_contents import shape_of_weight
from katachi.features.shape_sets import parse_sets
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex
from katachi.rules.positions import positions_of
from katachi.rules.state import PLY

MODEL = LocalShape(parse_sets("1x1-3x3:LI+LD"), 5)


def diagrams_of(each: Named) -> list[str]:
    found = weights_of(MODEL, each)
    return [diagram_of(shape_of_weight(MODEL.sets, 5, MODEL.bins, at)) for at in found]


def test_every_named_shape_has_a_weight_in_its_set() -> None:
    assert all(weights_of(MODEL, each) for each in SHAPES)
    with pytest.raises(KatachiError, match=r"no shape XX\.@1,1 in 2x1:LD at 5x5"):
        weights_of(MODEL, TWO_IN_CORNER._replace(diagrams=("XX.@1,1",)))


def test_all_shapes_of_a_kind_are_found() -> None:
    assert sorted(diagrams_of(IN_CORNER)) == ["X.@1,1", "XO@1,1", "XX@1,1"]
    assert sorted(diagrams_of(CUT)) == sorted(CUT.diagrams)
    assert [len(diagrams_of(each)) for each in EYES] == [3, 3, 27]


def test_a_corner_shape_is_found_however_it_is_turned() -> None:
    edge = EYES[2]
    assert edge.is_one(".X./XXX/..O@1,1")
    assert edge.is_one(".X./XX./.XO@1,1")
    assert not edge.is_one(".X./XXX/..O@1,2")
    assert not SURROUNDED.is_one("X.@1,1")


def test_the_corner_is_the_first_point_of_a_shape_there() -> None:
    """A stone beside an empty corner uses the weight of `.X@1,1`, one in the corner does not."""
    model = LocalShape(parse_sets("2x1:LD"), 5)
    model.weights[weights_of(model, SURROUNDED)] = 1
    for vertex, uses in (("B1", 1), ("A2", 1), ("A1", 0)):
        game = Game(5)
        game.play(BLACK, point_from_vertex(vertex, 5))
        words = game.words.copy()[None]
        words[:, PLY] = 0
        assert int(model.predict(positions_of(words, BLACK)).sum()) == uses, vertex


def found_of(**logits: float) -> Found:
    """Weights of the shapes by name, 0.5 for the others; all were seen."""
    named = {"corner": CORNER, "beside": BESIDE, "two": TWO_IN_CORNER, "stones": IN_CORNER}
    known = {named[name]: value for name, value in logits.items()}
    return Found([known.get(each, 0.5) for each in SHAPES], [9] * len(SHAPES))


def table_of(*pairs: Found) -> Table:
    return Table(quantities=[WEIGHT, SEEN, TIMES], rows=rows_of({}, pairs), labels=LABELS)


def near(value: float, step: float, **others: float) -> Table:
    """Two pairs, one a little more and one a little less."""
    pairs = (found_of(corner=-0.1, two=value + each, **others) for each in (step, -step))
    return table_of(*pairs)


@pytest.mark.parametrize(
    ("two", "step", "verdict"),
    [(-0.2, 0.001, Verdict.YES), (-0.02, 0.001, Verdict.NO), (-0.2, 0.1, Verdict.UNDECIDED)],
)
def test_two_stones_in_the_corner_are_twice_as_bad_or_not(
    two: float, step: float, verdict: Verdict
) -> None:
    table = near(two, step, beside=0.0, stones=-0.3)
    *_, by_weight, by_sum = judge(table)
    assert by_weight.verdict is verdict
    assert by_weight.rule.startswith("yes if the whole 95 % interval lies within 1.5 to 2.5 times")
    assert table.row(TIMES, **BY_WEIGHT).ours == pytest.approx(two / -0.1)
    assert table.row(TIMES, **BY_SUM).ours == pytest.approx(1 + two / -0.1)
    assert "with the weights of each stone" in by_sum.paper


def test_nothing_is_twice_as_bad_as_what_is_not_bad() -> None:
    claims = judge(table_of(found_of(corner=0.1), found_of(corner=0.2)))
    assert [claim.verdict for claim in claims[-2:]] == [Verdict.UNDECIDED] * 2


def test_signs_are_judged_by_what_the_paper_says() -> None:
    table = table_of(*(found_of(corner=-0.1 + e, stones=0.2 + e) for e in (0.001, -0.001)))
    verdicts = {claim.paper: claim.verdict for claim in judge(table)}
    assert verdicts["2x1: playing stones in the corner is bad"] is Verdict.NO
    assert verdicts["one stone in the corner is bad"] is Verdict.YES
    assert verdicts["1x1: each intersection has a value of its own"] is Verdict.YES
    eyes = [
        verdict
        for text, verdict in verdicts.items()
        if text.startswith("3x3: in the corner, two eyes")
    ]
    assert len(eyes) == 3
    assert len(verdicts) == 12


def test_a_shape_that_was_never_met_is_not_judged() -> None:
    never = [0 if each is CUT else 9 for each in SHAPES]
    table = table_of(*(Found([0.0] * len(SHAPES), never) for _ in range(2)))
    assert table.find(WEIGHT, CUT.key) is None
    assert table.row(SEEN, **CUT.key).ours == 0
    assert not any("cutting" in claim.paper for claim in judge(table))


def test_a_quick_study_says_what_each_shape_is_worth(tmp_path: Path) -> None:
    table = run(QUICK, 1, Runner(tmp_path))
    assert len(table.rows_of(SEEN)) == len(SHAPES)
    assert judge(table)[0].paper == "1x1: a stone has a basic value"
    assert "a stone in the corner: X@1,1, 1x1:LD" in draw(table, "S1-F6")
