"""S3-1, S3-2, S3-3 and S3-td in small: every row is there, and pictures tell it."""

import gzip
from pathlib import Path

import msgspec
import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear
from katachi.experiments.curves import curves_of
from katachi.experiments.protocol import Row, Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s3_learned_features import (
    bootstrap,
    convergence,
    deeper_play,
    leak,
    learned_maps,
    match,
    tree_priors,
    winners,
)
from katachi.features.templates import template_map
from katachi.features.units import UNIT
from katachi.measure.winners import Stage, winner_boards
from katachi.records.dataset import open_games, set_of_records
from katachi.records.sgf import read_games
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from tests.experiments.studies import row_named
from tests.interfaces.test_cli import GAMES

pytest.importorskip("torch")
pytest.importorskip("sklearn")


@pytest.fixture
def bench(tmp_path: Path) -> Runner:
    data = tmp_path / "data"
    data.mkdir()
    for name in ("gnugo9_1000", "pro9"):
        (data / f"{name}.sgf.gz").write_bytes(gzip.compress(GAMES.read_bytes()))
    return Runner(tmp_path / "work", data=data)


def test_a_match_tells_both_ways_to_count(bench: Runner) -> None:
    table = match.run(match.QUICK, 1, bench)
    assert row_named(table, "main", match.PASSING.name).paper == pytest.approx(85.71, abs=0.01)
    for quantity in (match.PLAYED_OUT, match.UNDECIDED, match.ERROR_CRBM):
        assert row_named(table, "main", quantity.name).n == 2
    assert row_named(table, "main", match.PLAYED_OUT.name).remark == "8 games"
    assert "played out" in match.draw(table, "S3-1")


@pytest.mark.parametrize(("is_many", "verdict"), [(True, Verdict.YES), (False, Verdict.UNDECIDED)])
def test_what_was_learned_is_judged_over_several_trainings(
    *, is_many: bool, verdict: Verdict
) -> None:
    ways = match.WON if is_many else match.WON[1:]
    shares = {match.MAIN: [90.0, 91.0, 89.0], match.DRAWN: [70.0, 71.0, 69.0]}
    rows = [way.mean({"variant": name}, some) for way in ways for name, some in shares.items()]
    errors = [
        quantity.row({"variant": name}, 0.2)
        for quantity in (match.ERROR_CRBM, match.ERROR_TEMPLATES)
        for name in shares
    ]
    claims = match.judge(Table(quantities=[*ways], rows=[*rows, *errors]))
    learned = [claim for claim in claims if "features that it learned" in claim.paper]
    assert [claim.verdict for claim in learned] == [verdict] * len(ways)


def test_a_bootstrap_tells_every_run(bench: Runner) -> None:
    settings = msgspec.structs.replace(bootstrap.QUICK, games=101)
    table = bootstrap.run(settings, 1, bench)
    for kind in (bootstrap.LEARNS, bootstrap.STAYS):
        for run in (1, 2):
            assert row_named(table, f"{kind}, run {run}", bootstrap.LAST.name).n == 101
    assert row_named(table, "learns, median", bootstrap.GAMES.name).paper == 110
    snapshots = table.rows_of(bootstrap.SNAPSHOT)
    assert [(row.key["after"], row.n, row.remark) for row in snapshots] == [(5, 2, "8 games")]
    assert "the paper: 110" in bootstrap.draw(table, "S3-2")
    assert [curve.at for curve in curves_of(table)] == [[100, 101]] * 2


@pytest.mark.parametrize(
    ("outcomes", "needed"),
    [([1.0] * 59 + [0.0] * 41, None), ([0.0] * 41 + [1.0] * 60, 101), ([1.0] * 100, 100)],
)
def test_consistently_is_sixty_of_the_last_hundred(
    outcomes: list[float], needed: int | None
) -> None:
    assert bootstrap.games_needed(outcomes) == needed


def test_winners_are_classified_by_every_feature_set(bench: Runner) -> None:
    table = winners.run(winners.QUICK, 1, bench)
    for stage in ("middle", "final"):
        for name in (winners.MAJORITY, winners.TEMPLATES, winners.MULTINOMIAL, winners.BOTH):
            assert row_named(table, f"professionals, {stage}, {name}", winners.RIGHT.name).n == 40
        for name in winners.BASELINES:
            assert row_named(table, f"professionals, {stage}, {name}", winners.RIGHT.name).n == 40
    assert row_named(table, winners.TEMPLATES, winners.FEATURES.name).ours == 5184
    assert {claim.rule for claim in winners.judge(table)} == {winners.LEAK}
    assert "professionals, middle" in winners.draw(table, "S3-3")


def test_sets_are_judged_on_counted_games_and_beside_stones() -> None:
    def rows(people: str, right: dict[str, int]) -> list[Row]:
        return [
            winners.RIGHT.share({"people": people, "stage": "final", "set": name}, count, 1000)
            for name, count in right.items()
        ]

    kinds = (winners.TEMPLATES, winners.MULTINOMIAL, winners.BOTH, winners.STONES_ALONE)
    leaky = rows("all", dict(zip(kinds, (500, 900, 500, 500), strict=True)))
    fair = rows(f"some{winners.COUNTED}", dict(zip(kinds, (500, 600, 500, 700), strict=True)))
    claims = winners.judge(Table(quantities=[winners.RIGHT], rows=[*leaky, *fair]))
    assert [claim.verdict for claim in claims] == [Verdict.NO, Verdict.NO]
    assert "CRBM multinomial tells 60.0 %, this 70.0 %" in claims[1].ours


def test_winners_by_area_stones_and_the_last_mover() -> None:
    texts = (
        "RE[B+R]KM[0.5];B[ca];W[ii];B[cb];W[];B[ac];W[];B[bc]",  # three corner points and a wall
        "RE[W+3.5]KM[5.5];B[aa];W[bb];B[];W[]",
    )
    records = [record for text in texts * 5 for record in read_games(f"(;SZ[9]{text})".encode())]
    games = set_of_records(records)
    boards = winner_boards(games, Stage.FINAL)
    assert winners.lead_in_stones(boards)[:2].tolist() == [3.0, 0.0]
    assert winners.lead_in_area(boards)[:2].tolist() == [6.5, -5.5]
    assert winners.last_mover(boards)[:2].tolist() == [1.0, -1.0]
    assert winners.right_by(winners.last_mover(boards), boards.black_won) == 10


def test_who_gave_up_is_seen_by_the_last_stone(bench: Runner) -> None:
    table = leak.run(leak.QUICK, 1, bench)
    counts = [row.n for row in table.rows_of(leak.LAST)]
    assert sum(counts) == 40
    assert "who has more stones won" in leak.draw(table, "S3-leak")


@pytest.mark.parametrize(
    ("text", "ending", "last", "more"),
    [
        ("RE[B+R];B[aa];W[bb];B[cc]", leak.GIVEN_UP, 1.0, 1.0),
        ("RE[W+3.5];B[aa];W[bb];B[];W[]", leak.COUNTED, 1.0, 0.5),
        ("RE[W+T];B[aa]", leak.GIVEN_UP, 0.0, 0.0),
        ("RE[W+T];B[]", leak.GIVEN_UP, 0.5, 0.5),
    ],
)
def test_signs_of_the_winner(text: str, ending: str, last: float, more: float) -> None:
    (record,) = read_games(f"(;SZ[9]{text})".encode())
    assert leak.ending_of(record) == ending
    assert (leak.last_mover_won(record), leak.more_stones_won(record)) == (last, more)


def test_learning_by_play_is_tested_as_it_goes(bench: Runner) -> None:
    steps: dict[str, tuple[float, ...]] = {
        convergence.CRBM: (0.1,),
        convergence.SCALED: (0.1,),
        convergence.TEMPLATES: (0.01, 0.1),
    }
    settings = msgspec.structs.replace(convergence.QUICK, steps=steps)
    table = convergence.run(settings, 1, bench)
    for name in steps:
        for games in settings.games:
            assert row_named(table, f"{name}, {games} games", convergence.AGAINST_ALP.name).n == 2
    assert row_named(table, "templates 2x2, step 0.01", convergence.BY_STEP.name).n == 2
    assert row_named(table, "CRBM", convergence.AGAINST_2X2.name).n == 2
    assert len(convergence.judge(table)) == 2
    assert "thousand games" in convergence.draw(table, "S3-td")


def test_centred_and_scaled_features_rank_moves_as_plain_ones(bench: Runner) -> None:
    assert bench.data is not None
    paths = (bench.data / "gnugo9_1000.sgf.gz",)
    rbm = learned_maps.learned_map(bench.folder, paths, convergence.QUICK.machine)
    scaled = learned_maps.scaled_map(rbm, paths)
    states = winner_boards(open_games(*paths)[:20], Stage.MIDDLE).states
    features = scaled.map.transform(states)
    assert abs(features.mean()) < 0.5 * features.std()
    assert 16 < (features**2).sum(axis=1).mean() < 256
    model = Linear([scaled.map], 9)
    theta = np.random.default_rng(1).normal(size=model.weight_count)
    model.take_weights({"theta0": theta})
    plain = convergence.unscaled(model, rbm, scaled.scale)
    difference = (model.predict(states) - plain.predict(states)) * UNIT
    assert difference.std() < 1e-3


def test_deeper_machines_play(bench: Runner) -> None:
    table = deeper_play.run(deeper_play.QUICK, 1, bench)
    assert row_named(table, deeper_play.TWO, deeper_play.FEATURES.name).ours == 25 * 4
    assert row_named(table, deeper_play.WITH_EDGE, deeper_play.WON.name).n == 2
    assert [claim.paper for claim in deeper_play.judge(table)] == [
        deeper_play.CLAIMS[name] for name in (deeper_play.TWO, deeper_play.WITH_EDGE)
    ]
    assert ">two layers<" in deeper_play.draw(table, "S3-play")


def test_features_of_two_by_two_are_as_long_as_their_windows(bench: Runner) -> None:
    assert bench.data is not None
    paths = (bench.data / "gnugo9_1000.sgf.gz",)
    assert learned_maps.squared_length(template_map(2), paths) == deeper_play.LENGTH


def test_tree_search_is_measured_with_and_without_features(bench: Runner) -> None:
    few = msgspec.structs.replace(tree_priors.QUICK, runs=1, games=1)
    table = tree_priors.run(few, 1, bench)
    assert [(row.key["features"], row.key["use"]) for row in table.rows] == list(tree_priors.ARMS)
    assert len(tree_priors.judge(table)) == 5
    assert "priors and values" in tree_priors.draw(table, "S3-tree")


def test_without_priors_all_moves_are_equally_likely() -> None:
    game, sides = Game(9), np.array([BLACK], np.int64)
    model = Linear([template_map(2)], 9)
    model.take_weights({"theta0": np.random.default_rng(1).normal(size=model.weight_count)})
    with_priors, without = (
        tree_priors.judge_by((has, 0.0))(model, 5.5, 1)(game.states, sides) for has in (True, False)
    )
    assert len(np.unique(with_priors.scores)) > 10
    assert not without.scores.any()
    assert with_priors.values == pytest.approx(without.values)


def test_games_that_are_not_there_are_reported(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(match.QUICK, file="nowhere.sgf.gz")
    with pytest.raises(KatachiError, match=r"nowhere\.sgf\.gz is needed: give the folder"):
        match.run(settings, 1, Runner(tmp_path))
