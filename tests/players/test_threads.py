"""Players and evaluators in several threads answer as they do alone."""

import copy
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from katachi.evaluators.linear import Linear
from katachi.evaluators.scratch import PerThread
from katachi.features.shape_map import ShapeMap
from katachi.features.shape_sets import parse_sets
from katachi.players.kinds import PLAYER_NAMES
from katachi.players.protocol import Analyst, Player
from katachi.players.roster import JUDGING, make_evaluator, make_player
from katachi.rules.game import Game
from katachi.rules.state import BoardState
from katachi.search.afterstates import afterstates, sensible_moves
from tests.evaluators.rlgo_files import write_file
from tests.evaluators.shape_models import random_model
from tests.evaluators.territory_models import random_territory
from tests.oracle.games import play_random_move

THREADS = 4
KINDS = {
    "random": ("", 5, 40),
    "alp": ("", 9, 40),
    "influence": ("", 9, 40),
    "playouts": (":4", 5, 20),
    "shape": (":shape9", 9, 40),
    "rlgo": (":{rlgo}", 5, 40),
    "territory": (":{territory}", 9, 10),
    "selfplay": ("", 9, 2),
    "linear": (":linear9", 9, 40),
    "crbm": ("", 9, 40),
    "python": (":katachi.evaluators.simple:AverageLiberties", 5, 40),
    "gibbs": (":{liberty}", 5, 30),
    "search": (":2:shape", 5, 10),
    "tree": (":20:{territory}", 9, 2),
    "rated": (":900", 5, 4),
    "dyna": (":6:shape", 5, 6),
    "phases": (":20:shape:shape9,crbm", 9, 30),
    "opening": ("", 19, 2),
}
"""What follows a player's name, the board and in how many positions it is asked."""


@pytest.fixture(autouse=True)
def _impatient_threads() -> Iterator[None]:
    """Threads take turns as often as they can, so that what they share shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Models of our own by what they are for."""
    folder: Path = tmp_path_factory.mktemp("models")
    random_territory().save(folder / "territory", "")
    random_model().save(folder / "liberty", "")
    return {
        "rlgo": str(write_file(folder / "rlgo", 5)),
        "territory": str(folder / "territory"),
        "liberty": f"shape:{folder / 'liberty'}",
    }


def games_of(size: int, count: int, seed: int) -> list[Game]:
    """Random games of many lengths."""
    source = random.Random(seed)
    games = []
    for number in range(count):
        game = Game(size)
        for _ in range(size * size * number // count):
            play_random_move(game, source)
        games.append(game)
    return games


def in_threads(work: Callable[[int], Any]) -> list[Any]:
    """What each of the threads' work gives; all begin at once."""
    barrier = Barrier(THREADS)

    def begin(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def answers(player: Player, games: list[Game]) -> list[Any]:
    """The player's choice in each position, and what it thinks of all moves."""
    found: list[Any] = []
    for game in games:
        found.append(player.choose(game, game.to_play))
        if isinstance(player, Analyst):
            analysis = player.analyse(game, game.to_play)
            found.append((analysis.candidates, analysis.win_rate, analysis.ownership.tolist()))
    return found


def test_every_kind_of_player_is_asked() -> None:
    assert {*KINDS, "gnugo"} == set(PLAYER_NAMES)  # a program has a process of its own


@pytest.mark.parametrize("kind", KINDS)
def test_a_player_a_thread_answers_as_it_does_alone(kind: str, files: dict[str, str]) -> None:
    setting, size, count = KINDS[kind]
    name = kind + setting.format(**files)

    def work(number: int) -> list[Any]:
        return answers(make_player(name, number), games_of(size, count, number))

    together = in_threads(work)
    assert together == [work(number) for number in range(THREADS)]


def batch_of(games: list[Game]) -> BoardState:
    """The positions after all moves of some games, as one batch."""
    parts = [afterstates(game, game.to_play, sensible_moves(game, game.to_play)) for game in games]
    words = np.concatenate([part.states.words for part in parts])
    hashes = np.concatenate([part.states.hashes for part in parts])
    return BoardState(words, hashes, parts[0].states.keys)


@pytest.mark.parametrize("kind", JUDGING)
def test_threads_share_an_evaluator(kind: str, files: dict[str, str]) -> None:
    setting, size, count = KINDS[kind]
    evaluator = make_evaluator(kind + setting.format(**files))
    check_shared(lambda batch: list(evaluator.evaluate(batch)), size, min(count, 8))


def test_threads_share_shapes_of_every_board_size() -> None:
    evaluator = make_evaluator("shape")
    for size in (4, 5, 6):
        check_shared(lambda batch: [evaluator.evaluate(batch).value], size, 6)


def test_threads_share_a_linear_evaluator_over_shape_sets() -> None:
    model = Linear([ShapeMap(parse_sets("1x1-3x3:LI"), 100)], 9)
    count = len(model.parts[0].theta)
    model.parts[0].restore(np.arange(count, dtype=np.int32) * 4096)
    check_shared(lambda batch: [model.predict(batch)], 9, 8)


def check_shared(judge: Callable[[BoardState], list[Any]], size: int, count: int) -> None:
    """Threads that judge positions of their own find what one of them finds alone."""
    batches = [batch_of(games_of(size, count, number)) for number in range(THREADS)]
    alone = [judge(batch) for batch in batches]
    times = 10 if size <= 9 and count > 2 else 2  # fewer where a batch takes long
    together = in_threads(lambda number: [judge(batches[number]) for _ in range(times)])
    for number, found in enumerate(together):
        for each in found:
            for one, other in zip(each, alone[number], strict=True):
                np.testing.assert_array_equal(one, other)


def test_each_thread_has_memory_of_its_own_and_keeps_it() -> None:
    memory: PerThread[list[int]] = PerThread(list)
    mine = memory.get()
    assert memory.get() is mine
    others = in_threads(lambda _: memory.get())
    assert len({id(each) for each in [mine, *others]}) == THREADS + 1


def from_pickle(model: Any) -> Any:
    return pickle.loads(pickle.dumps(model))  # noqa: S301  (our own)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, from_pickle])
def test_a_copied_model_judges_as_the_first(again: Callable[[Any], Any]) -> None:
    model = random_model()
    batch = batch_of(games_of(5, 4, 1))
    before = model.predict(batch)
    np.testing.assert_array_equal(again(model).predict(batch), before)
