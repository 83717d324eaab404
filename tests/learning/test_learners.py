"""One test for every learner: what it must do, and that a killed run ends as one never stopped."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.learning.learner import Metrics, Tensors
from katachi.learning.material import RunPlan
from katachi.learning.run import Place, Run, RunConfig
from katachi.learning.run_folder import RunFolder
from tests.learning.territory_games import GAMES
from tests.learning.test_run_material import LEARNERS, quickly

__all__ = ["quickly"]


# A fifth learner, through public names: the mean of what a die shows.


class DieSettings(msgspec.Struct, frozen=True):
    """How it learns."""

    steps: int = 6
    seed: int = 1


class DieMetrics(Metrics, frozen=True):
    """What it thinks."""

    throws: int
    mean: float


class DieModel:
    """A number."""

    def __init__(self, mean: float) -> None:
        self.mean = mean
        self.training: dict[str, Any] = {}

    def save(self, folder: Path, card: str) -> None:
        """Writes the number and the card."""
        folder.mkdir(exist_ok=True)
        (folder / "README.md").write_text(f"{card}{self.mean}")


class DieLearner:
    """Adds up throws."""

    def __init__(self, seed: int) -> None:
        self.done, self.total, self._seed = 0, 0, seed

    def learn(self, count: int) -> None:
        """Throws the die so often."""
        for number in range(self.done, self.done + count):
            self.total += int(np.random.default_rng((self._seed, number)).integers(1, 7))
        self.done += count

    def measure(self) -> DieMetrics:
        """The mean so far."""
        return DieMetrics(self.done, self.total / max(self.done, 1))

    def state(self) -> Tensors:
        """Throws and their sum."""
        return {"die": np.array([self.done, self.total])}

    def load_state(self, tensors: Tensors) -> None:
        """Goes on from there."""
        if "die" not in tensors:
            raise KatachiError("the checkpoint is of something else")
        self.done, self.total = (int(each) for each in tensors["die"].tolist())

    def model(self) -> DieModel:
        """The mean."""
        return DieModel(self.total / max(self.done, 1))


class DieRun(Run[RunConfig[DieSettings, RunPlan], DieLearner, DieMetrics]):
    """A run that learns a die."""

    kind = "training of a die"

    def make_learner(self, place: Place) -> DieLearner:
        """A learner that has seen nothing."""
        return DieLearner(self.config.settings.seed)


def begin_die(path: Path, games: Path, seed: int) -> Any:
    return DieRun.begin(path, RunConfig(DieSettings(seed=seed), RunPlan(measure_every=2)))


ALL: dict[str, tuple[Callable[[Path, Path, int], Any], type[Run[Any, Any, Any]]]]
ALL = LEARNERS | {"die": (begin_die, DieRun)}


@pytest.fixture
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A run of each kind that has begun."""
    made = ALL[request.param][0](tmp_path / "run", GAMES, 1)
    yield made
    made.close()


def same(one: Tensors, other: Tensors) -> bool:
    """Whether two states are equal, but for the seconds that a curriculum tells."""
    names = one.keys() - {"state"}
    return one.keys() == other.keys() and all(np.array_equal(one[n], other[n]) for n in names)


@pytest.mark.parametrize("run", ALL, indirect=True)
def test_a_learner_keeps_its_promises(run: Any, tmp_path: Path) -> None:
    first, name = run.learner, run.kind
    begin = next(each[0] for each in ALL.values() if each[1].kind == name)
    again = begin(tmp_path / "again", GAMES, 1)
    second = again.learner
    assert first.done == second.done == 0
    first.learn(0)
    first.learn(4)
    second.learn(1)
    kept = second.state()
    second.learn(3)
    assert first.done == second.done == 4
    assert same(first.state(), second.state())  # however calls divide the units
    before = first.state()
    assert first.measure().done == first.measure().done == 4
    assert same(first.state(), before)  # measuring teaches nothing
    second.load_state({name: tensor.copy() for name, tensor in kept.items()})
    assert second.done == 1
    second.learn(3)
    assert same(first.state(), second.state())
    with pytest.raises(KatachiError):
        second.load_state({"nothing": np.zeros(1)})
    first.model().save(tmp_path / "model", "a card")
    assert any((tmp_path / "model").iterdir())
    again.close()


@pytest.mark.parametrize(
    "run", [name for name in LEARNERS if LEARNERS[name][1].old_metrics], indirect=True
)
def test_metrics_of_an_earlier_version_are_read_and_renamed(run: Any) -> None:
    run.learner.learn(2)
    run.keep(run.learner.measure())
    run.save()
    run.close()
    file = run.folder.path / "metrics.jsonl"
    written, old = file.read_bytes(), {new: name for name, new in run.old_metrics.items()}
    numbers = {old.get(name, name): each for name, each in json.loads(written).items()}
    assert set(numbers) >= set(run.old_metrics)
    file.write_text(json.dumps(numbers) + "\n")
    again = type(run).resume(run.folder.path)
    again.close()
    assert again.metrics == run.metrics
    assert file.read_bytes() == written


class Killed(BaseException):
    """The end of a process, as far as a test can play it."""


class Killer:
    """Ends the process at one of the moments when a file changes: before that, or after."""

    def __init__(self, at: int, *, is_after: bool) -> None:
        self.left = at
        self.is_after = is_after

    def around(self, change: Callable[..., Any]) -> Callable[..., Any]:
        """The same change of a file, or the end of the process."""

        def changed(*args: Any, **kwargs: Any) -> Any:
            self.left -= 1
            if self.left == 0 and not self.is_after:
                raise Killed
            done = change(*args, **kwargs)
            if self.left == 0:
                raise Killed
            return done

        return changed


def go(run: Any) -> None:
    """Lets a run go on to its end."""
    try:
        for _ in run.run(checkpoint_seconds=0.0):
            pass
        run.finish()
    finally:
        run.close()


def kept(folder: Path) -> dict[str, bytes]:
    """What two runs of equal settings have in common, byte for byte, when they are finished."""
    files = [folder / "metrics.jsonl", *folder.glob("*/weights.safetensors")]
    files += [*folder.glob("*/README.md"), *folder.glob("*.svg"), *folder.glob("samples/*.sgf")]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=[pytest.mark.slow] if n in ("territory", "crbm", "selfplay") else [])
        for n in ALL
    ],
)
def test_a_run_killed_at_any_change_of_a_file_goes_on_to_the_same_end(
    name: str, is_after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, kind = ALL[name]
    go(begin(tmp_path / "whole", GAMES, 1))
    moment = 0
    for moment in range(1 + is_after, 1000, 2):
        folder, killer = tmp_path / str(moment), Killer(moment, is_after=is_after)
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", killer.around(Path.replace))
            patch.setattr(RunFolder, "add_line", killer.around(RunFolder.add_line))
            with contextlib.suppress(Killed):
                go(begin(folder, GAMES, 1))
        if killer.left > 0:
            break  # the run has ended before its killer came
        go(kind.resume(folder) if RunFolder(folder).exists else begin(folder, GAMES, 1))
        assert kept(folder) == kept(tmp_path / "whole")
    assert moment > 6
