"""Every kind of use of kernels, one after another; then the kernels are named that were compiled
for more than one kind of arguments, or not by the warm-up.

Run as a program of its own, for tests call kernels in ways of their own.
"""

import gc
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from katachi import envs
from katachi._jit.linked import Kernel
from katachi.features.observation import observation_planes
from katachi.features.opening_inputs import RAW, RICH, OpeningInputs
from katachi.interfaces.warm_steps import EVERY_STEP
from katachi.learning.opening_training import OpeningTrainer, OpeningTraining, prepare
from katachi.learning.shape_training import Loss, ShapeTrainer, TrainingSettings
from katachi.learning.territory_training import TerritorySettings, TerritoryTrainer
from katachi.players.protocol import Analyst
from katachi.players.roster import make_player
from katachi.records.dataset import open_games
from katachi.records.opening_book import Book, open_book
from katachi.records.opening_tree import OpeningTree
from katachi.records.sampling import BoardSampler, MoveSampler, SampleSettings
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.ruleset import KoRule, Rules

GAMES = Path(__file__).parent / "data" / "gnugo9.sgf"

PLAYERS = {
    "random": (2, 5, 9, 19),
    "alp": (2, 5, 9, 19),
    "influence": (5, 19),
    "playouts:20": (5, 9),
    "shape": (5, 9, 13, 19),
    "shape:liberty9": (9,),
    "shape:cascade9": (9,),
    "search:2:shape": (5, 9),
    "search:2:alp": (5, 9),
    "search:2:shape:liberty9": (9,),
    "tree:20": (3, 9, 19),
    "tree:20:shape": (5, 9),
    "tree:8:influence": (9,),
    "dyna:20:shape": (5, 9),
    "territory": (3, 5, 9, 19),
    "territory:paper9": (9,),
    "territory:territory9": (9,),
    "territory:moves9": (9,),
    "territory:small19": (19,),
    "territory:moves19": (19,),
    "gibbs:territory": (9,),
    "crbm": (9,),
    "opening": (19, 9),
}

LEARNING = (
    TrainingSettings(size=2, sets="1x1:LI"),
    TrainingSettings(size=2, sets="2x2:LD"),
    TrainingSettings(size=5, sets="5x5:LI"),
    TrainingSettings(size=5, sets="1x1-3x3:LI+LD", loss=Loss.CROSS_ENTROPY),
    TrainingSettings(size=5, sets="1x1-2x2:LI", cascade=True, lam=0.5, horizon=6),
    TrainingSettings(size=3, sets="3x3:LI:liberty"),
    TrainingSettings(size=9, sets="1x1-2x2:LI,4x4:LI,1x1-3x3:LI:liberty"),
)


def _play(name: str, size: int) -> None:
    player, game = make_player(name), Game(size)
    for _ in range(3):
        game.play(game.to_play, player.choose(game, game.to_play).point or PASS)
    if isinstance(player, Analyst):
        player.analyse(game, game.to_play)


def _learn(settings: TrainingSettings) -> None:
    trainer = ShapeTrainer(settings)
    trainer.learn(3)
    trainer.test(2, trainer.final_agents())


def _read_records() -> None:
    games = open_games(GAMES, use_cache=False).shuffle(seed=1)[::2]
    games.replay()
    for sampler in (BoardSampler, MoveSampler):
        sampler(games, SampleSettings(negatives=1, recent=1), 1).sample(0, 4)


def _learn_openings() -> None:
    openings = open_book((), Book(length=10))[:8]
    OpeningTree(openings)
    for kinds in (RAW, RICH):
        trainer = OpeningTrainer(OpeningTraining(), prepare(openings, OpeningInputs(kinds), 5))
        trainer.learn_epoch(trainer.material.games)
        trainer.rmse(trainer.material.games)


def _learn_territory() -> None:
    if find_spec("torch") is None:
        return
    games = open_games(GAMES, use_cache=False)[:4]
    for predicts in (False, True):
        settings = TerritorySettings(predicts_moves=predicts, hidden=4, states=3, layers=2, batch=4)
        trainer = TerritoryTrainer(settings, games, games)
        trainer.learn(1)
        trainer.measure(1)


def _step_games() -> None:
    for rules in (Rules(), Rules(KoRule.SITUATIONAL, suicide=True)):
        games = envs.vector(9, 20, komi=7, rules=rules)
        games.reset(seed=1)
        for _ in range(5):
            games.step(games.sample_actions())
    games.step([3] * 20)
    observation_planes(Game(9))


def uses() -> Iterator[Callable[[], object]]:
    """The warm-up first, then what people do."""
    yield from EVERY_STEP
    for name, sizes in PLAYERS.items():
        for size in sizes:
            yield partial(_play, name, size)
    for settings in LEARNING:
        yield partial(_learn, settings)
    yield _read_records
    yield _learn_openings
    yield _learn_territory
    yield _step_games


def forms() -> dict[str, int]:
    """For how many kinds of arguments each kernel has been compiled for Python, by its name."""
    kernels = [each for each in gc.get_objects() if isinstance(each, Kernel)]
    return {
        f"{each.py_func.__module__}.{each.py_func.__qualname__}": len(each.signatures)
        for each in kernels
    }


if __name__ == "__main__":
    warm = len(EVERY_STEP)
    before: dict[str, int] = {}
    for number, use in enumerate(uses()):
        if number == warm:
            before = forms()
        use()
    after = forms()
    late = [name for name, count in after.items() if count > before.get(name, 0)]
    sys.stdout.write("".join(f"twice {name}\n" for name, count in after.items() if count > 1))
    sys.stdout.write("".join(f"late {name}\n" for name in late))
    sys.stdout.write(f"{sum(map(bool, after.values()))} kernels\n")
