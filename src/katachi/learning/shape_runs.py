"""Many runs of local shape that differ in their seed alone, several at once.

Each is learned in a folder of its own where it is done, on whatever machine, and comes back whole
when it is finished: `OUT/seed-N`. What is there is not done again.
"""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from katachi.errors import KatachiError
from katachi.files.locking import locked
from katachi.learning.run import HERE
from katachi.learning.shape_config import ShapeConfig
from katachi.learning.shape_run import ShapeRun, read_config, run_whole
from katachi.workers import Pool, Terms

MOST_RUNS = 100_000
ATTEMPTS = 2
"""How often a run is begun whose process died under it."""
_LOCK = "lock"

Files = dict[str, bytes]
"""Contents of a folder, by their paths in it."""


class ShapeWorker:
    """Does the runs of one process."""

    def work(self, task: ShapeConfig) -> Files:
        """All files of a finished run."""
        with TemporaryDirectory(prefix="katachi-") as folder:
            path = Path(folder) / "run"
            run_whole(path, task)
            return _contents(path)

    def work_together(self, tasks: list[ShapeConfig]) -> Iterator[tuple[ShapeConfig, Files]]:
        """All files of each of these runs, which differ in their seeds alone, learned on a GPU."""
        from katachi.learning.shape_card_runs import AT_ONCE, runs_on_card

        for first in range(0, len(tasks), AT_ONCE):
            with TemporaryDirectory(prefix="katachi-") as folder:
                part = tasks[first : first + AT_ONCE]
                for task, path in runs_on_card(Path(folder), part):
                    yield task, _contents(path)

    def close(self) -> None:
        """Each run ends what it has started."""


def _contents(path: Path) -> Files:
    """What the folder of a run holds."""
    files = [file for file in sorted(path.rglob("*")) if file.is_file() and file.name != _LOCK]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


class ShapeRuns:
    """Runs with seeds from that of a config on, in one folder."""

    def __init__(self, out: Path, config: ShapeConfig, count: int) -> None:
        """Raises KatachiError for a number of runs or settings that make no sense, and where the
        folder holds runs of others."""
        if not 1 <= count <= MOST_RUNS:
            raise KatachiError(f"{count} runs: use 1 to {MOST_RUNS:,}")
        first = ShapeRun.checked(config, HERE)
        self.out = out
        seed = first.settings.seed
        configs = [_with_seed(first, seed + number) for number in range(count)]
        self.missing = [config for config in configs if not self._has(config)]

    def path_of(self, config: ShapeConfig) -> Path:
        """Where a run is when it is finished."""
        return self.out / f"seed-{config.settings.seed}"

    def _has(self, config: ShapeConfig) -> bool:
        path = self.path_of(config)
        if not path.exists():
            return False
        if _asked(read_config(path)) != _asked(config):
            raise KatachiError(f"{path} is a run of other settings: choose another folder")
        return True

    def learn(self, pool: Pool) -> Iterator[Path]:
        """Does what is missing, giving the folder of each run when it is there."""
        self.out.mkdir(parents=True, exist_ok=True)
        waiting = iter(self.missing)
        terms = Terms[ShapeConfig](lambda config: f"seed {config.settings.seed}", ATTEMPTS)
        with locked(self.out / _LOCK, f"the runs in {self.out}"):
            going = pool.work(lambda: next(waiting, None), ShapeWorker, terms)
            with closing(going):
                for config, files in going:
                    yield _write(self.path_of(config), files)


def _with_seed(config: ShapeConfig, seed: int) -> ShapeConfig:
    settings = msgspec.structs.replace(config.settings, seed=seed)
    return msgspec.structs.replace(config, settings=settings)


def _asked(config: ShapeConfig) -> tuple[object, ...]:
    """What decides what a run learns."""
    return config.settings, config.plan, config.opponent, config.start


def _write(path: Path, files: Files) -> Path:
    """A folder with these files, whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    for name, content in files.items():
        (part / name).parent.mkdir(parents=True, exist_ok=True)
        (part / name).write_bytes(content)
    return part.rename(path)
