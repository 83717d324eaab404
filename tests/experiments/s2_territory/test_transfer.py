"""S2-transfer: games of the large board are added to those of the small one, and held out ones are
measured."""

import gzip
import shutil
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory import material
from katachi.experiments.s2_territory.learned_moves import (
    GAMES,
    UPDATES,
    WEIGHTS,
    judge_equal,
)
from katachi.experiments.s2_territory.predicted_moves import LOG
from katachi.experiments.s2_territory.transfer import (
    CONVOLUTION,
    QUICK,
    SWEEPS,
    TransferSettings,
    counts_of,
    draw,
    judge,
    mix_games,
    open_both,
    run,
    training_of,
)
from katachi.learning.territory_feed import SampledBatch
from katachi.learning.territory_training import make_fitter
from katachi.records.shipped_games import OPENINGS
from tests.experiments.studies import row_named


@pytest.fixture
def files(data: Path) -> tuple[Path, Path]:
    return data / material.SCORED9, data / "pro19.sgf.gz"


def test_both_nets_have_about_as_many_weights() -> None:
    pytest.importorskip("torch")
    settings = TransferSettings()
    fitters = [make_fitter(training_of(settings, net, 1), "cpu") for net in (SWEEPS, CONVOLUTION)]
    counts = [sum(each.size for each in fitter.weights().values()) for fitter in fitters]
    assert counts == [5963, 5932]


def test_games_are_added_and_few_of_them_are_seen_seldom(files: tuple[Path, Path]) -> None:
    none, some = (mix_games(QUICK, files, added) for added in (0, 3))
    assert (len(none.games.train), none.share) == (12, 0.0)
    assert sorted(some.games.train.info["size"].tolist()) == [9] * 12 + [19] * 3
    assert some.share == QUICK.most_share
    long = mix_games(TransferSettings(games=12), files, 3)
    assert long.share == pytest.approx(10 * 3 * 84 / (5000 * 64))
    learned = set(some.games.train.info["identity"].tolist())
    assert not learned & set(open_both(*files).validation.info["identity"].tolist())


def test_more_games_than_there_are_is_all_of_them(files: tuple[Path, Path]) -> None:
    there = counts_of(TransferSettings(), files)
    assert there[0] == 0
    assert 3 <= there[-1] <= 6
    with pytest.raises(KatachiError, match="has no game of size 13 to learn from"):
        counts_of(TransferSettings(size=13), files)


def test_a_board_size_has_its_share_of_the_batches(files: tuple[Path, Path]) -> None:
    pytest.importorskip("torch")
    games = mix_games(QUICK, files, 3).games
    trainer = material.new_trainer(training_of(QUICK, SWEEPS, 1), games)
    for share, sizes in ((1.0, {19}), (0.0, {9}), (0.5, {9, 19})):
        found = set()
        trainer.share_batches({9: 1.0 - share, 19: share})
        for step in range(12):
            batch = trainer.feed.sample_batch(step)
            assert not isinstance(batch, SampledBatch)
            found.add(batch.planes.shape[-1])
        assert found == sizes


@pytest.mark.parametrize(("convolution", "verdict"), [(9, Verdict.YES), (10, Verdict.NO)])
def test_games_are_equal_pair_by_pair(convolution: int, verdict: Verdict) -> None:
    pairs = [[{"net": net, "added": n} for net in (SWEEPS, CONVOLUTION)] for n in (0, 3)]
    games = [[9, convolution], [12, 12]]
    rows = [
        quantity.row(key, value)
        for pair, counts in zip(pairs, games, strict=True)
        for key, count in zip(pair, counts, strict=True)
        for quantity, value in ((WEIGHTS, 5900), (GAMES, count), (UPDATES, 4))
    ]
    claim = judge_equal(Table(quantities=[WEIGHTS, GAMES, UPDATES], rows=rows), pairs)
    assert claim.verdict is verdict
    assert "games are equal within each pair of nets" in claim.rule
    assert claim.ours.endswith("; 12 games (pair by pair)")


@pytest.mark.slow
def test_a_quick_study_tells_and_shows_both_curves(tmp_path: Path, data: Path) -> None:
    pytest.importorskip("torch")
    # Enough games for some to be held out.
    (tmp_path / "pro19.sgf.gz").write_bytes(gzip.compress(OPENINGS.read_bytes()))
    shutil.copy(data / material.SCORED9, tmp_path)
    table = run(QUICK, 1, Runner(tmp_path / "work", data=tmp_path))
    assert table.values("added") == [0, 3]
    assert row_named(table, "convolution, 3 games of 19x19", GAMES.name).ours == 15
    first = row_named(table, "sweeps, 0 games of 19x19: 19x19", LOG.name)
    assert first.paper == -2.7
    assert first.low is not None
    claims = judge(table)
    assert len(claims) == 4 + 1 + 2 + 1
    assert claims[-1].verdict is Verdict.NO
    assert draw(table, "S2-transfer").count("<polyline") == 2 * 4
