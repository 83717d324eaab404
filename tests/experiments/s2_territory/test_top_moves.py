"""S2-F2b: shares of moves among the best rise to all of them."""

import msgspec
import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.experiments.protocol import Table
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.top_moves import (
    QUICK,
    TopSettings,
    draw,
    judge,
    quantity_of,
    run,
    shares_within,
)
from katachi.measure.prediction_scores import MoveOutcomes, Place, top_shares
from katachi.statistics import Estimate
from tests.experiments.studies import row_named


def test_shares_are_those_of_the_evaluation() -> None:
    source = np.random.default_rng(1)
    place = Place(np.repeat(np.arange(10), 4), np.zeros(40, np.int64))
    better, equal = source.integers(0, 40, 40), source.integers(1, 4, 40)
    outcomes = MoveOutcomes(place, np.zeros(40), np.full(40, 60), better, equal)
    shares = shares_within([outcomes], (1, 2, 3))
    assert [each.value for each in shares.shares] == pytest.approx(top_shares(outcomes, 3).tolist())
    assert (shares.moves, shares.games) == (40, 10)


def test_a_quick_study_tells_and_shows_every_phase(bench: Runner, model: str) -> None:
    table = run(msgspec.structs.replace(QUICK, model=model), 1, bench)
    row = row_named(table, "best 30", "80 stones")
    assert (row.paper, row.n) == (50.0, 2)
    for phase in ("20 stones", "80 stones"):
        shares = [row_named(table, f"best {length}", phase).ours or 0.0 for length in QUICK.lengths]
        assert shares == sorted(shares)
    (claim,) = judge(table)
    assert claim.ours.endswith(" %, by newborn")
    picture = draw(table, "S2-F2b")
    assert ">20 stones<" in picture
    assert picture.count("<polyline") == 2


def test_a_claim_names_the_net_and_how_it_ranks_moves() -> None:
    share = Estimate(80.0, 75.0, 85.0)
    row = quantity_of(80).estimate({"best": 30}, share, 80, 50.0)
    notes = ["Not as it stands: fewer games.", "moves9: 5,963 weights; inputs stones."]
    table = Table(quantities=[quantity_of(80)], rows=[row], notes=notes)
    assert judge(table)[0].ours == "80.0 %, by moves9, which has an output for moves"


def test_a_model_that_is_not_there_is_one_clear_line(bench: Runner) -> None:
    with pytest.raises(KatachiError, match=r"^no model 'nowhere9'"):
        run(TopSettings(model="nowhere9"), 1, bench)
