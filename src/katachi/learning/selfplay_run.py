"""A run that learns from search.

| file | holds |
|---|---|
| `games/` | the games of the newest generations, a file each |
| `timing.jsonl` | the seconds that go with the metrics |
| `curve.svg` | the rates of wins, and what they make in Elo, as a picture |
"""

from typing import Any

import msgspec

from katachi.evaluators.territory import Territory
from katachi.files.atomic import write_atomically
from katachi.learning.generation_ratings import rate_generations
from katachi.learning.material import Material, digest_of_arrays
from katachi.learning.run import Place, Run, RunConfig
from katachi.learning.run_folder import TIMING
from katachi.learning.selfplay_ladder import Playing
from katachi.learning.selfplay_settings import (
    SelfPlayMeasurement,
    SelfPlayPlan,
    SelfPlaySettings,
    check_plan,
    load_start,
)
from katachi.learning.selfplay_training import SelfPlayTrainer, make_fitter
from katachi.pictures.charts import Curves, Line, Spot, draw_panels
from katachi.workers import pool_of

SelfPlayConfig = RunConfig[SelfPlaySettings, SelfPlayPlan]
GAMES_FOLDER, CURVE_FILE = "games", "curve.svg"
RATES = {"tree": "a small tree search", "net": "the net alone", "previous": "v the one before"}
"""The matches of a generation, and how a picture calls them."""


class GenerationTiming(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long it took to get to a test. A line of `timing.jsonl`."""

    generations: int
    seconds: float
    """Spent on playing and learning so far, tests left out."""
    games_per_second: float
    """Of all generations."""


class SelfPlayRun(Run[SelfPlayConfig, SelfPlayTrainer, SelfPlayMeasurement]):
    """A run that learns from search."""

    kind = "training of self-play"

    @classmethod
    def checked(cls, config: SelfPlayConfig, place: Place) -> SelfPlayConfig:
        """The config; raises KatachiError for what cannot be played or learned."""
        pool_of(place.workers)
        check_plan(config.settings, config.plan)
        make_fitter(config.settings, load_start(config.plan), place.device)
        return config

    def make_learner(self, place: Place) -> SelfPlayTrainer:
        """A net that has learned nothing yet."""
        folder = self.folder.path / GAMES_FOLDER
        playing = Playing(pool_of(place.workers))
        config = self.config
        return SelfPlayTrainer(config.settings, config.plan, folder, playing, place.device)

    @property
    def goal(self) -> int:
        """Generations in all."""
        return self.config.settings.generations

    def material(self) -> Material:
        """A digest of the model that it began with."""
        start = load_start(self.config.plan)
        return (
            {} if start is None else {"the weights it began with": digest_of_arrays(start.arrays)}
        )

    def keep(self, metrics: SelfPlayMeasurement) -> None:
        """Notes a test and how long it took to get there."""
        super().keep(metrics)
        seconds = round(self.learner.seconds, 3)
        speed = round(metrics.games_played / (seconds or 1), 1)
        self.folder.add_line(TIMING, GenerationTiming(metrics.generations, seconds, speed))

    def save(self) -> None:
        """Writes a checkpoint and the curve; raises OSError."""
        self.folder.settle(TIMING)
        super().save()
        self._draw()

    def _draw(self) -> None:
        picture = draw_curve(self.metrics, self.config.settings)
        write_atomically(self.folder.path / CURVE_FILE, picture.encode())

    def restore(self) -> None:
        """Goes on from the newest whole checkpoint."""
        super().restore()
        self.folder.keep_lines(TIMING, len(self.metrics))
        self._draw()

    def close(self) -> None:
        """Ends the processes that play, and lets another process go on in the folder."""
        try:
            self.learner.close()
        finally:
            super().close()

    def card(self, model: Territory, last: SelfPlayMeasurement) -> str:
        """What the model says about itself: Markdown."""
        settings, plan = self.config.settings, self.config.plan
        begun = f"began with {plan.start}" if plan.start else "began with random weights"
        command = self.config.command
        return self.config.card(
            f"Learned from search, {settings.size}x{settings.size}",
            "Who will own each point, and where each side moves next, by a plain convolutional net "
            "that learned from its own games by tree search.",
            [
                f"inputs: {', '.join(model.inputs.inputs)}",
                f"weights: {model.weight_count:,}; {begun}",
                f"learned from: {last.games_played:,} games against itself in "
                f"{last.generations:,} generations, komi {settings.komi:g}, seed {settings.seed}",
                match_words(last),
                *([f"made by: `{command}`"] if command else []),
            ],
        )

    def facts(self) -> dict[str, Any]:
        """How many games it has played."""
        return {"games": {"self": self.learner.games}}


def match_words(last: SelfPlayMeasurement) -> str:
    """What the matches of a generation said."""

    def rate(value: float, low: float, high: float) -> str:
        return f"{value:.0%} ({low:.0%} to {high:.0%})"

    tree = rate(last.win_rate_tree, last.win_rate_low_tree, last.win_rate_high_tree)
    net = rate(last.win_rate_net, last.win_rate_low_net, last.win_rate_high_net)
    return f"{last.match_games} games v {last.opponent}: tree {tree}, net alone {net}"


def draw_curve(tests: list[SelfPlayMeasurement], settings: SelfPlaySettings) -> str:
    """The rates of wins and the ratings by generation: SVG."""
    series = [
        [
            Spot(float(test.generations), *(100 * each for each in rate_of(test, name)))
            for test in tests
        ]
        for name in RATES
    ]
    opponent = tests[-1].opponent if tests else "an opponent"
    lines = (Line(50.0, "equal"),)
    ratings = [
        Spot(float(test.generations), rating.elo, *rating.interval)
        for test, rating in zip(tests, rate_generations(tests), strict=True)
        if rating is not None
    ]
    anchor = tests[0].opponent if tests else opponent
    panels = [
        Curves(f"games won against {opponent}", "%", "generations", series, 100.0, lines),
        Curves(f"{RATES['tree']}, {anchor} being 0", "Elo", "generations", [ratings]),
    ]
    text = f"{settings.size}x{settings.size}, komi {settings.komi:g}, seed {settings.seed}"
    return draw_panels("Learning from search", text, list(RATES.values()), panels)


def rate_of(test: SelfPlayMeasurement, name: str) -> tuple[float, float, float]:
    """(rate, low, high) of one match of a generation."""
    fields = (f"win_rate_{name}", f"win_rate_low_{name}", f"win_rate_high_{name}")
    value, low, high = (float(getattr(test, each)) for each in fields)
    return value, low, high
