"""A training run: a course of learning kept in a folder. Kill it at any moment and go on later; it
ends with the same weights and the same metrics as one that was never stopped."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from katachi.arena.database import time_now
from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.files.atomic import write_atomically
from katachi.files.provenance import commit_of_tree, versions
from katachi.learning.checkpoints import count_agents
from katachi.learning.course import Course, Plan
from katachi.learning.loop_training import LoopTrainer
from katachi.learning.material import check_material
from katachi.learning.model_cards import model_card, step_words, training_notes
from katachi.learning.opponents import Opponent
from katachi.learning.progress import Measurement, Timing
from katachi.learning.run_folder import FORMAT, KIND, Result, RunConfig, RunFolder
from katachi.learning.samples import is_sampled, write_samples
from katachi.learning.shape_training import (
    ShapeTrainer,
    SourceKind,
    TrainingSettings,
    check_settings,
    mean_of,
)
from katachi.pictures.learning_curve import svg_from_measurements
from katachi.rules.ruleset import check_komi

PIECE_SECONDS = 0.2
"""Learning goes in pieces of about this length: between them a run can be stopped."""
LONGEST_PIECE = 1 << 20
CHECKPOINT_SECONDS = 30.0


class Progress(NamedTuple):
    """Where a run stands."""

    games: int
    goal: int
    size: int
    games_per_second: float
    """Over the last pieces."""
    measurement: Measurement | None
    """What a test said just now, where there was one."""


class TrainingRun:
    """A run that goes on in its folder. Close it, so that another process may."""

    def __init__(self, folder: RunFolder, config: RunConfig, course: Course) -> None:
        """Use `begin_run` or `resume_run`."""
        self.folder = folder
        self.config = config
        self.course = course
        self.measurements: list[Measurement] = []
        self.opponent: Opponent | None = None
        self._last = (course.games, course.seconds)
        self._pieces: deque[tuple[int, float]] = deque(maxlen=8)

    def run(
        self,
        should_stop: Callable[[], bool] = lambda: False,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> Iterator[Progress]:
        """Learns until the plan is fulfilled or `should_stop` says so, telling how it goes; in
        the end, and every so often, all is saved. An opponent that fails ends the run with its
        KatachiError, all games before it kept."""
        self.course.warm_up()
        due = time.monotonic() + checkpoint_seconds
        try:
            while not self.course.is_finished and not should_stop():
                yield self._advance()
                if time.monotonic() >= due:
                    self.save()
                    due = time.monotonic() + checkpoint_seconds
        except KatachiError:
            self.save()
            raise
        self.save()

    def _advance(self) -> Progress:
        course = self.course
        games, seconds = course.games, course.seconds
        measurement = course.advance(self._next_piece())
        self._pieces.append((course.games - games, course.seconds - seconds))
        if measurement is not None:
            self._keep(measurement)
        return Progress(course.games, course.plan.games, course.size, self.speed, measurement)

    @property
    def speed(self) -> float:
        """Games a second over the last pieces; 0 before the first."""
        seconds = sum(piece[1] for piece in self._pieces)
        return sum(piece[0] for piece in self._pieces) / seconds if seconds else 0.0

    def _next_piece(self) -> int:
        """How many games to learn from next: one at first, for nobody knows how long it takes."""
        if not self._pieces:
            return 1
        games, seconds = self._pieces[-1]
        fitting = games * PIECE_SECONDS / max(seconds, 1e-6)
        return max(1, min(int(fitting), 4 * games, LONGEST_PIECE))

    def _keep(self, measurement: Measurement) -> None:
        course = self.course
        games, seconds = course.games - self._last[0], course.seconds - self._last[1]
        self._last = (course.games, course.seconds)
        timing = Timing(course.games, round(course.seconds, 3), round(games / (seconds or 1), 1))
        self.measurements.append(measurement)
        self.folder.add_measurement(measurement, timing)
        if is_sampled(len(self.measurements)):
            write_samples(self.folder.path / "samples", course.trainer, course.games)

    def save(self) -> None:
        """Writes a checkpoint and the curve; raises OSError."""
        self.folder.settle_metrics()
        self.folder.checkpoints.write(self.course, len(self.measurements))
        self._draw()

    def _draw(self) -> None:
        settings, largest = self.config.settings, self.config.plan.grow_to
        title = f"{settings.sets} against the average liberties player"
        boards = f"{settings.size}x{settings.size}"
        boards += "" if largest is None else f" to {largest}x{largest}"
        subtitle = (
            f"{boards}, komi {settings.komi:g}, {step_words(settings)}, exploration "
            f"{settings.epsilon:g}, seed {settings.seed}"
        )
        picture = svg_from_measurements(self.measurements, title, subtitle)
        write_atomically(self.folder.path / "curve.svg", picture.encode())

    def finish(self) -> Result:
        """Makes the last test and writes the models; the result is written last, so that a run
        killed meanwhile finishes again."""
        course = self.course
        agents = course.trainer.final_agents()
        final = course.test(course.plan.final_games, agents)
        write_samples(self.folder.path / "samples", course.trainer, course.games)
        for number, agent in enumerate(agents):
            self._write_model(f"agent-{number + 1}", agent, number, final)
        result = Result(final, course.stages, round(course.seconds, 3), self._write_mean(agents))
        self.folder.write_result(result)
        return result

    def _write_mean(self, agents: list[LocalShape]) -> Measurement | None:
        """Tests and writes the mean of averaged agents; None where there is no such thing."""
        course = self.course
        if len(agents) < 2 or not course.trainer.has_averaged:
            return None
        mean = mean_of(agents)
        test = course.test(course.plan.final_games, [mean])
        self._write_model("mean", mean, 0, test)
        return test

    def _write_model(self, name: str, model: LocalShape, number: int, test: Measurement) -> None:
        trainer = self.course.trainer
        samples = trainer.samples if trainer.has_averaged else 0
        model.training = training_notes(self.config, test, samples)
        model.save(self.folder.path / name, model_card(model, number, self.config, test))

    def close(self) -> None:
        """Ends an opponent's program and lets another process go on in the folder."""
        if self.opponent is not None:
            self.opponent.close()
        self.folder.release()


class RunRequest(NamedTuple):
    """What to train, and how long."""

    settings: TrainingSettings
    plan: Plan
    opponent: str | None = None
    """A player's name or a model's folder, to learn against."""
    start: str | None = None
    """A model's folder, or a finished run's, to start from."""
    command: str = ""
    """As it was typed."""
    preset: str | None = None
    """The name of the settings that options changed."""


def begin_run(path: Path, request: RunRequest) -> TrainingRun:
    """A new run in a folder that holds none; raises KatachiError, with nothing written, where the
    request makes no sense."""
    folder = RunFolder(path)
    folder.check_free()  # before models are read; it is asked again when the run is begun
    settings = _settled(request)
    if 0 < settings.horizon < request.plan.games:
        raise KatachiError(
            f"a horizon of {settings.horizon:,} games in a run of {request.plan.games:,}: weights "
            "are averaged up to it, and later games would not change them"
        )
    opponent = _find_opponent(request.opponent, settings.size)
    agents = _first_agents(request.start, settings)
    trainer = _make_trainer(settings, opponent, agents, 0)
    config = RunConfig(
        settings,
        request.plan,
        request.opponent,
        request.start,
        versions(),
        commit_of_tree(),
        time_now(),
        request.command,
        {} if opponent is None else opponent.material(),
        preset=request.preset or msgspec.UNSET,
    )
    run = TrainingRun(folder, config, Course(trainer, request.plan))
    run.opponent = opponent
    with folder.begun(config):
        if opponent is not None and opponent.frozen is not None:
            opponent.frozen.save(path / "opponent", "The opponent of this run, as it was.\n")
        run.save()
    return run


def resume_run(path: Path, games: int | None = None, command: str = "") -> TrainingRun:
    """The run of a folder where its newest checkpoint stands; with `games` its plan is changed to
    so many, by this command. Raises KatachiError where there is no run, or it cannot go on."""
    folder = RunFolder(path)
    with folder.resumed(KIND, FORMAT, RunConfig) as begun:
        config = begun if games is None else _extended(path, begun, games, command)
        settings = _settled(RunRequest(config.settings, config.plan, config.opponent))
        standing, agents, sums = folder.checkpoints.read_newest(settings)
        opponent = _reopen_opponent(path, config)
        if opponent is not None:
            check_material(path, config.material, opponent.material())
        here = msgspec.structs.replace(settings, size=standing.stages[-1].size)
        trainer = _make_trainer(here, opponent, agents, standing.stages[-1].games)
        if sums is not None:
            trainer.sums, trainer.samples = sums, standing.samples
        course = Course(trainer, config.plan, standing.stages, standing.next_size)
        run = TrainingRun(folder, config, course)
        run.opponent = opponent
        run.measurements = folder.keep_measurements(standing.measurements)
        if config is not begun:  # last: what cannot go on stays as it was
            folder.drop_result()
            folder.write_config(config)
    return run


def _extended(path: Path, config: RunConfig, games: int, command: str) -> RunConfig:
    """The config with a larger number of games; raises KatachiError for a smaller one, and where
    nothing would be learned from the games added."""
    if games == config.plan.games:
        return config
    if games < config.plan.games:
        raise KatachiError(f"{path} is a run of {config.plan.games:,} games: not fewer")
    horizon = config.settings.horizon
    if 0 < horizon < games:
        raise KatachiError(
            f"{path} averages its weights up to game {horizon:,}, and later games would not change "
            f"them: begin another run with --start {path}, or this one again with more --games"
        )
    plan = msgspec.structs.replace(config.plan, games=games)
    plan.check()
    commands = " && ".join(each for each in (config.command, command) if each)
    return msgspec.structs.replace(config, plan=plan, command=commands)


def _settled(request: RunRequest) -> TrainingSettings:
    """The settings, checked; an agent that learns against somebody is one alone."""
    settings = request.settings
    check_settings(settings)
    check_komi(settings.komi)
    request.plan.check()
    if request.opponent is not None:
        settings = msgspec.structs.replace(settings, source=SourceKind.SELF)
    largest = request.plan.grow_to
    if largest is not None and largest < settings.size:
        raise KatachiError(f"a {settings.size}x{settings.size} board cannot grow to {largest}")
    return settings


def _make_trainer(
    settings: TrainingSettings,
    opponent: Opponent | None,
    agents: list[LocalShape] | None,
    games: int,
) -> ShapeTrainer:
    if opponent is None:
        return ShapeTrainer(settings, agents, games)
    return LoopTrainer(settings, agents, games, opponent.source)


def _find_opponent(name: str | None, size: int) -> Opponent | None:
    if name is None:
        return None
    opponent = Opponent.find(name)
    frozen = opponent.frozen
    if frozen is not None and frozen.size != size:
        raise KatachiError(f"{name} is for {frozen.size}x{frozen.size} boards, not {size}x{size}")
    return opponent


def _reopen_opponent(path: Path, config: RunConfig) -> Opponent | None:
    """The opponent of a run: a frozen model as it was when the run began."""
    if config.opponent is None:
        return None
    kept = path / "opponent"
    return Opponent(config.opponent, LocalShape.load(kept) if kept.is_dir() else None)


def _first_agents(start: str | None, settings: TrainingSettings) -> list[LocalShape] | None:
    """The agents to start from, laid out for the run's board and sets; None for new ones."""
    if start is None:
        return None
    agents = load_agents(Path(start), count_agents(settings))
    size, sets = settings.size, parse_sets(settings.sets)
    fitting = [agent if agent.size == size else agent.resized(size) for agent in agents]
    return [agent.extended(sets, settings.bins) for agent in fitting]


def load_agents(folder: Path, count: int) -> list[LocalShape]:
    """So many agents: those of a finished run, or copies of one model; raises KatachiError."""
    folders = [folder / f"agent-{number + 1}" for number in range(count)]
    if not folders[0].is_dir():
        if RunFolder(folder).is_run:
            raise KatachiError(f"{folder} is a run that is not finished: it has no models yet")
        folders = [folder] * count
    return [LocalShape.load(each) for each in folders]
