import os

import pytest

from katachi.interfaces.warm_steps import use_records
from katachi.records import replay, sampling, scan
from katachi.records.dataset import GameSet, open_games
from katachi.records.sampling import BoardSampler, MoveSampler, SampleSettings
from katachi.rules.ruleset import Rules

KERNELS = [
    scan.scan_games,
    replay.replay_rows,
    replay.identify_games,
    sampling.fill_boards,
    sampling.fill_moves,
]


def compiled_forms() -> list[int]:
    return [len(getattr(kernel, "signatures", ())) for kernel in KERNELS]


@pytest.fixture
def warm() -> None:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        pytest.skip("nothing is compiled without JIT")
    use_records()


def test_nothing_is_left_to_compile_after_the_warm_up(warm: None, gnugo_games: GameSet) -> None:
    before = compiled_forms()
    games = open_games(gnugo_games[0].source.file, use_cache=False).shuffle(seed=1)[::2]
    games.replay(Rules())
    for sampler in (BoardSampler, MoveSampler):
        sampler(games, SampleSettings(negatives=1, recent=1), 1).sample(0, 4)
    assert compiled_forms() == before


def test_every_kernel_is_compiled_by_the_warm_up(warm: None) -> None:
    assert all(compiled_forms())
