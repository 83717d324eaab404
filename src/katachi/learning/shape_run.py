"""A run that learns local shape: what it adds to every run.

| file | holds |
|---|---|
| `timing.jsonl` | the seconds that go with the metrics |
| `samples/` | games to look at, as SGF |
| `curve.svg` | the rate of wins as a picture |
| `opponent/` | a model that was learned against, as it was |
| `agent-1/`, `agent-2/` | the models, when the run is finished |
| `mean/` | the mean of two models whose weights were averaged |
| `result.json` | the last test and what each board took; written last |
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from katachi.arena.database import time_now
from katachi.arena.game import play_game
from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.files.atomic import write_atomically
from katachi.learning.curriculum import Curriculum, Stage, count_agents
from katachi.learning.material import Material
from katachi.learning.opponents import Opponent
from katachi.learning.run import CHECKPOINT_SECONDS, Place, Progress, Run
from katachi.learning.run_folder import TIMING, RunFolder, read_json
from katachi.learning.shape_config import ShapeConfig, model_card, step_words, training_notes
from katachi.learning.shape_metrics import Measurement, Timing
from katachi.learning.shape_training import (
    ShapeTrainer,
    SourceKind,
    TrainingSettings,
    check_settings,
    mean_of,
)
from katachi.pictures.learning_curve import svg_from_measurements
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.roster import make_player
from katachi.records.sgf import write_game
from katachi.rules.ruleset import check_komi
from katachi.td.shape_memory import MOVES_A_POINT


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a finished run ended."""

    final: Measurement
    stages: list[Stage]
    """What each board took."""
    seconds: float
    """Spent on learning, tests left out."""
    mean: Measurement | None = None
    """The last test of the agents' mean, where there is one."""


class ShapeRun(Run[ShapeConfig, Curriculum, Measurement]):
    """A run that learns local shape. It can be stopped after any game, and made longer."""

    kind = "training of local shape"
    saves_between = True
    measures_last = False
    opponent: Opponent | None

    @classmethod
    def checked(cls, config: ShapeConfig, place: Place) -> ShapeConfig:  # noqa: ARG003
        """The config, whose agent is one alone where it learns against somebody; raises
        KatachiError for what makes no sense."""
        settings, plan = config.settings, config.plan
        check_settings(settings)
        check_komi(settings.komi)
        plan.check()
        if config.opponent is not None:
            settings = msgspec.structs.replace(settings, source=SourceKind.SELF)
        if plan.grow_to is not None and plan.grow_to < settings.size:
            raise KatachiError(
                f"a {settings.size}x{settings.size} board cannot grow to {plan.grow_to}"
            )
        if 0 < settings.horizon < plan.games:
            raise KatachiError(
                f"a horizon of {settings.horizon:,} games in a run of {plan.games:,}: weights "
                "are averaged up to it, and later games would not change them"
            )
        begun = config.begun or time_now()
        return msgspec.structs.replace(config, settings=settings, begun=begun)

    def make_learner(self, place: Place) -> Curriculum:  # noqa: ARG002 (it needs no device)
        """Agents that have learned nothing yet."""
        self.opponent = _find_opponent(self.folder, self.config)
        source = None if self.opponent is None else self.opponent.source
        trainer = ShapeTrainer(self.config.settings, make_source=source)
        return Curriculum(trainer, self.config.plan)

    def start(self) -> None:
        """Gives the agents the weights of the model to start from."""
        if self.config.start is None:
            return
        trainer = self.learner.trainer
        for agent, model in zip(
            trainer.agents, _first_agents(self.config.start, self.config.settings), strict=True
        ):
            agent.weights[:] = model.weights
            agent.seen[:] = model.seen

    def material(self) -> Material:
        """A digest of the model behind the opponent."""
        return {} if self.opponent is None else self.opponent.material()

    @property
    def goal(self) -> int:
        """Games in all."""
        return self.config.plan.games

    @property
    def measure_every(self) -> int:
        """Games from one test to the next."""
        return self.config.plan.test_every

    learns_up_to_tests = False
    """Whether all games up to the next test are learned from at once."""

    def _next_piece(self) -> int:
        return self.measure_every if self.learns_up_to_tests else super()._next_piece()

    def run(
        self,
        should_stop: Callable[[], bool] = lambda: False,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> Iterator[Progress[Measurement]]:
        """The same, once what it needs is compiled."""
        self.learner.warm_up()
        return super().run(should_stop, checkpoint_seconds)

    def keep(self, metrics: Measurement) -> None:
        """Notes a test, how long it took to get there, and now and then a game."""
        learner = self.learner
        before = self.metrics[-1].games if self.metrics else 0
        seconds = learner.seconds - self._seconds
        self._seconds = learner.seconds
        super().keep(metrics)
        speed = (learner.done - before) / (seconds or 1)
        self.folder.add_line(
            TIMING, Timing(learner.done, round(learner.seconds, 3), round(speed, 1))
        )
        if is_sampled(len(self.metrics)):
            write_samples(self.folder.path / "samples", learner.trainer, learner.done)

    def save(self) -> None:
        """Writes a checkpoint and the curve; raises OSError."""
        frozen = None if self.opponent is None else self.opponent.frozen
        if frozen is not None and not self.folder.exists:
            frozen.save(self.folder.path / "opponent", "The opponent of this run, as it was.\n")
        self.folder.settle(TIMING)
        super().save()
        self._draw()

    def restore(self) -> None:
        """Goes on from the newest whole checkpoint."""
        super().restore()
        self.folder.keep_lines(TIMING, len(self.metrics))
        self._seconds = self.learner.seconds

    _seconds = 0.0
    """Spent on learning when the last test was made."""

    def _draw(self) -> None:
        settings, largest = self.config.settings, self.config.plan.grow_to
        title = f"{settings.sets} against the average liberties player"
        boards = f"{settings.size}x{settings.size}"
        boards += "" if largest is None else f" to {largest}x{largest}"
        subtitle = (
            f"{boards}, komi {settings.komi:g}, {step_words(settings)}, exploration "
            f"{settings.epsilon:g}, seed {settings.seed}"
        )
        picture = svg_from_measurements(self.metrics, title, subtitle)
        write_atomically(self.folder.path / "curve.svg", picture.encode())

    def finish(self) -> Path:
        """Makes the last test and writes the models; the result is written last, so that a run
        killed meanwhile finishes again."""
        learner = self.learner
        agents = learner.trainer.final_agents()
        final = learner.test(learner.plan.final_games, agents)
        write_samples(self.folder.path / "samples", learner.trainer, learner.done)
        for number, agent in enumerate(agents):
            self._write_model(f"agent-{number + 1}", agent, number, final)
        seconds, mean = round(learner.seconds, 3), self._write_mean(agents)
        self.folder.write("result.json", Result(final, learner.stages, seconds, mean))
        return self.folder.path

    def _write_mean(self, agents: list[LocalShape]) -> Measurement | None:
        """Tests and writes the mean of averaged agents; None where there is no such thing."""
        if len(agents) < 2 or not self.learner.trainer.has_averaged:
            return None
        mean = mean_of(agents)
        test = self.learner.test(self.learner.plan.final_games, [mean])
        self._write_model("mean", mean, 0, test)
        return test

    def _write_model(self, name: str, model: LocalShape, number: int, test: Measurement) -> None:
        trainer = self.learner.trainer
        samples = trainer.samples if trainer.has_averaged else 0
        model.training = training_notes(self.config, test, samples)
        model.save(self.folder.path / name, model_card(model, number, self.config, test))

    def close(self) -> None:
        """Ends an opponent's program and lets another process go on in the folder."""
        try:
            if self.opponent is not None:
                self.opponent.close()
        finally:
            super().close()


def read_config(path: Path) -> ShapeConfig:
    """What the run of a folder was asked for; raises KatachiError where there is none."""
    return RunFolder(path).read_config(ShapeRun.kind, 1, ShapeConfig)


def read_result(path: Path) -> Result | None:
    """How the run of a folder ended; None while it is not finished."""
    file = path / "result.json"
    return read_json(file, Result) if file.exists() else None


def run_whole(path: Path, config: ShapeConfig) -> None:
    """Begins a run and lets it learn to its end."""
    run = ShapeRun.begin(path, config)
    try:
        for _ in run.run():
            pass
        run.finish()
    finally:
        run.close()


def extend_run(path: Path, games: int, command: str) -> ShapeRun:
    """The run of a folder with so many games in all, by this command; raises KatachiError where
    there is no run, for fewer games, and where nothing would be learned from the games added."""
    extended = _extended(path, read_config(path), games, command)
    run = ShapeRun.resume(path)
    if games != run.goal:  # last: what cannot go on stays as it was
        run.config = extended
        run.learner.plan = extended.plan
        (path / "result.json").unlink(missing_ok=True)
        run.folder.write("config.json", extended)
    return run


def _extended(path: Path, config: ShapeConfig, games: int, command: str) -> ShapeConfig:
    """The config with a larger number of games."""
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


def _find_opponent(folder: RunFolder, config: ShapeConfig) -> Opponent | None:
    """Whom a run learns against: a frozen model as it was when the run began."""
    name, size = config.opponent, config.settings.size
    if name is None:
        return None
    kept = folder.path / "opponent"
    if folder.exists:
        return Opponent(name, LocalShape.load(kept) if kept.is_dir() else None)
    opponent = Opponent.find(name)
    frozen = opponent.frozen
    if frozen is not None and frozen.size != size:
        raise KatachiError(f"{name} is for {frozen.size}x{frozen.size} boards, not {size}x{size}")
    return opponent


def _first_agents(start: str, settings: TrainingSettings) -> list[LocalShape]:
    """The agents to start from, laid out for the run's board and sets."""
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


def is_sampled(test: int) -> bool:
    """Whether games are kept at the test of this number, from 1: at 1, 2, 4, 8 and so on, so that
    early steps are seen closely and a long run does not fill the disk."""
    return test & (test - 1) == 0


def write_samples(folder: Path, trainer: ShapeTrainer, games: int) -> None:
    """Writes a game of the agents with each other, and one of the first against ALP, with what
    the agents thought of each position; raises OSError. The weights are not changed."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = trainer.settings
    points = settings.size * settings.size
    limit = MOVES_A_POINT * points
    terms = GameSettings(settings.size, settings.komi, opening_moves=0, move_limit=limit)
    seed = settings.seed + games
    first, last = (
        EvaluatingPlayer(f"agent {number}", agent, seed + number)
        for number, agent in ((1, trainer.agents[0]), (len(trainer.agents), trainer.agents[-1]))
    )
    for name, white in (("agents", last), ("alp", make_player("alp", seed))):
        outcome = play_game(first, white, terms)
        path = folder / f"{games:09}-{name}.sgf"
        write_atomically(path, write_game(outcome.record, outcome.evaluations))
