"""Learning from search: what is kept of games, and that it teaches."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from katachi.errors import KatachiError
from katachi.evaluators.territory import Tables, Territory
from katachi.features.territory_inputs import InputSettings, exchanged_planes, plan_inputs
from katachi.learning.run import Place
from katachi.learning.run_view import RunView
from katachi.learning.selfplay_games import (
    GameBuffer,
    GamesTask,
    NetWeights,
    PlayedGames,
    join_games,
    part_seed,
    play_part,
    replay,
    split_evenly,
)
from katachi.learning.selfplay_ladder import MatchTask, Playing, divide_match
from katachi.learning.selfplay_run import SelfPlayConfig, SelfPlayRun
from katachi.learning.selfplay_settings import (
    INPUTS,
    SelfPlayPlan,
    SelfPlaySettings,
    game_plan,
    load_start,
    match_terms,
)
from katachi.learning.selfplay_training import SelfPlayTrainer, make_fitter
from katachi.nets.search_fitting import TorchKernel, turned
from katachi.players.roster import make_player
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex
from katachi.rules.positions import positions_of_stones
from katachi.rules.symmetry import SYMMETRIES, apply_to_grid
from katachi.search.tree_leaves import judge_of
from katachi.workers import ProcessPool, Shared
from tests.learning.test_run_material import TINY_GAMES, TINY_TEST

SETTINGS = msgspec.structs.replace(TINY_GAMES, size=4, full_share=1.0)


def weights_of(settings: SelfPlaySettings) -> NetWeights:
    fitter = make_fitter(settings, None, "cpu")
    return NetWeights(InputSettings(INPUTS), fitter.mean_arrays(), Tables())


@pytest.fixture(scope="module")
def played() -> PlayedGames:
    return play_part(GamesTask(Shared(weights_of(SETTINGS)), game_plan(SETTINGS), 3, seed=5))


def test_a_part_plays_its_games_to_the_end_and_they_can_be_replayed(played: PlayedGames) -> None:
    assert len(played.lengths) == len(played.owners) == 3
    assert played.lengths.sum() == len(played.moves)
    found = replay(played, SETTINGS.size)
    assert len(found.words) == len(played.ply) > 0
    ends = np.cumsum(played.lengths)
    for row, (number, ply) in enumerate(zip(played.game, played.ply, strict=True)):
        game = Game(SETTINGS.size)
        first = ends[number] - played.lengths[number]
        for move in played.moves[first : first + ply]:
            game.play(game.to_play, int(move))
        assert found.colors[row] == game.to_play
        assert np.array_equal(found.free[row], game.colors.reshape(-1) == 0)
        assert not found.policy[row, :-1][~found.free[row]].any()
        assert set(np.unique(found.owners[row])) <= {0.0, 0.5, 1.0}


def test_joined_parts_keep_their_games(played: PlayedGames) -> None:
    both = join_games([played, played])
    count = len(replay(played, SETTINGS.size).words)
    again = replay(both, SETTINGS.size).words
    assert np.array_equal(again[:count], again[count:])


def test_seeds_and_parts_are_fixed() -> None:
    assert split_evenly(7, 3) == [3, 2, 2]
    assert split_evenly(1, 3) == [1]
    assert part_seed(1, 2, 3) == part_seed(1, 2, 3) != part_seed(1, 3, 2)
    plan = SelfPlayPlan(opening_moves=2)
    net = weights_of(SETTINGS)
    task = MatchTask(Shared(net), 2, "alp", match_terms(SETTINGS, plan), 9, 1)
    parts = divide_match(task, 2)
    assert [part.games for part in parts] == [6, 4]
    assert len({part.seed for part in parts}) == 2


def test_the_buffer_keeps_the_newest_positions_and_drops_old_files(
    played: PlayedGames, tmp_path: Path
) -> None:
    count = len(played.ply)
    buffer = GameBuffer(tmp_path, count + 2)
    for generation in range(1, 7):
        buffer.write(generation, played)
        buffer.drop_old(generation)
    assert buffer.window(6) == [(6, count), (5, 2)]
    kept = sorted(int(file.stem) for file in tmp_path.iterdir())
    assert kept == [3, 4, 5, 6]  # what the two checkpoints before this one learn from, too
    buffer.path(5).unlink()
    with pytest.raises(KatachiError, match=r"000005\.safetensors is missing"):
        buffer.window(6)
    buffer.path(6).write_bytes(b"no tensors")
    with pytest.raises(KatachiError, match="no whole checkpoint"):
        buffer.read(6)


def test_torch_judges_like_the_kernel(played: PlayedGames) -> None:
    net = weights_of(SETTINGS)
    found = replay(played, SETTINGS.size)
    other = net.model(SETTINGS.size)
    other.compute_by(TorchKernel(net.arrays, "cpu"))
    states = positions_of_stones(found.words)
    mine, theirs = (
        judge_of(model, 0.5)(states, found.colors) for model in (net.model(SETTINGS.size), other)
    )
    np.testing.assert_allclose(mine.values, theirs.values, atol=1e-5)
    np.testing.assert_allclose(mine.scores, theirs.scores, atol=1e-4)
    with pytest.raises(ValueError, match="no device 'gpu'"):
        TorchKernel(net.arrays, "gpu")


def test_planes_of_exchanged_colours_are_exchanged_planes() -> None:
    inputs = InputSettings(INPUTS)
    boards = [Game(4), Game(4)]
    for game, first in zip(boards, (1, 2), strict=True):
        for number, move in enumerate(("A1", "B2", "C2", "D4", "B3")):
            game.play(first if number % 2 == 0 else 3 - first, point_from_vertex(move, 4))
    model = Territory(inputs, weights_of(SETTINGS).arrays)
    plain, swapped = (model.planes(game.states.words)[0] for game in boards)
    sources, signs = exchanged_planes(inputs)
    assert np.array_equal(plain[sources] * signs[:, None, None], swapped)
    assert len(sources) == plan_inputs(inputs, 4).planes


@pytest.mark.parametrize("symmetry", range(SYMMETRIES))
def test_boards_are_turned_as_everywhere(symmetry: int) -> None:
    grid = np.arange(18).reshape(2, 3, 3)
    assert np.array_equal(
        turned(torch.from_numpy(grid), symmetry).numpy(), apply_to_grid(grid, symmetry)
    )


def test_losses_are_below_those_of_nothing_learned_and_the_model_plays_on_every_board(
    tmp_path: Path,
) -> None:
    settings = msgspec.structs.replace(
        TINY_GAMES, width=16, new_games=12, at_once=12, visits=16, steps=40, batch=32, rate=0.01
    )
    trainer = SelfPlayTrainer(settings, TINY_TEST, tmp_path / "games", Playing(ProcessPool()))
    trainer.learn(2)
    last = trainer.measure()
    assert last.train_ownership_loss < 0.8 * np.log(2)
    assert last.train_policy_loss < 0.8 * np.log(9)
    assert last.games_played == 24
    trainer.model().save(tmp_path / "model", "a card")
    for name, size in (("tree:4:territory", 3), ("territory", 7)):
        player = make_player(f"{name}:{tmp_path / 'model'}")
        game = Game(size)
        assert player.choose(game, game.to_play).point is not None


@pytest.mark.slow
def test_it_does_not_matter_how_many_processes_play(tmp_path: Path) -> None:
    states = []
    for workers in (1, 2):
        config = SelfPlayConfig(TINY_GAMES, TINY_TEST)
        run = SelfPlayRun.begin(tmp_path / str(workers), config, Place(workers=workers))
        for _ in run.run():
            pass
        states.append((run.learner.state(), run.metrics))
        run.close()
    (one, metrics), (other, others) = states
    assert metrics == others
    assert same_but_time(one, other)


def same_but_time(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    """Whether two states are equal, but for the seconds that they took."""
    return one.keys() == other.keys() and all(
        np.array_equal(one[name], other[name]) for name in one if name != "state"
    )


def test_a_run_that_was_stopped_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    config = SelfPlayConfig(TINY_GAMES, TINY_TEST)
    whole = SelfPlayRun.begin(tmp_path / "whole", config)
    for _ in whole.run():
        pass
    whole.close()
    stopped = SelfPlayRun.begin(tmp_path / "stopped", config)
    for _ in stopped.run():
        if stopped.metrics:
            break
    assert len(stopped.metrics) == 1
    stopped.close()
    again = SelfPlayRun.resume(tmp_path / "stopped")
    assert len(again.metrics) == 1
    for _ in again.run():
        pass
    again.close()
    assert again.metrics == whole.metrics
    assert same_but_time(again.learner.state(), whole.learner.state())


def test_a_run_goes_on_from_a_model_and_shows_its_curves(tmp_path: Path) -> None:
    first = SelfPlayRun.begin(tmp_path / "first", SelfPlayConfig(TINY_GAMES, TINY_TEST))
    for _ in first.run():
        pass
    model = first.finish()
    first.close()
    plan = msgspec.structs.replace(TINY_TEST, start=str(model))
    other = msgspec.structs.replace(TINY_GAMES, width=7)
    again = SelfPlayRun.begin(tmp_path / "again", SelfPlayConfig(other, plan))
    start = Territory.load(model)
    assert {name: a.tolist() for name, a in again.learner.model().arrays.items()} == {
        name: a.tolist() for name, a in start.arrays.items()
    }
    again.close()
    view = RunView(tmp_path / "first")
    assert (view.learner, view.size, view.goal, view.done) == ("self-play", 3, 2, 2)
    assert view.is_finished
    assert view.rating() is None
    shown = {each.name: each for each in view.columns()}
    assert shown["win_rate_tree"].low == "win_rate_low_tree"
    assert {"win_rate_net", "win_rate_previous", "train_policy_loss", "speed"} <= shown.keys()
    assert (tmp_path / "first" / "curve.svg").read_text().startswith("<svg")


def test_a_model_that_judges_or_moves_only_is_no_beginning() -> None:
    with pytest.raises(KatachiError, match="moves9 cannot learn from search: it needs"):
        load_start(SelfPlayPlan(start="moves9"))
    assert load_start(SelfPlayPlan(start="owners9")) is not None
