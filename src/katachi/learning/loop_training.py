"""Local shape learned through the plain loop: any source of games, one step at a time."""

from collections.abc import Callable

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.units import UNIT
from katachi.learning.loop import Source, UpdateRule, learn_game
from katachi.learning.shape_training import (
    Rates,
    ShapeTrainer,
    SourceKind,
    TrainingSettings,
)
from katachi.learning.sources import CoadaptivePair, GameTerms, SelfPlay
from katachi.td.shape_games import MOVES_A_POINT

MakeSource = Callable[[TrainingSettings, list[LocalShape]], Source]


def terms_of(settings: TrainingSettings) -> GameTerms:
    """How these settings let games be played."""
    limit = MOVES_A_POINT * settings.size * settings.size
    return GameTerms(settings.size, settings.komi, settings.epsilon, limit, settings.seed)


def agents_at_play(settings: TrainingSettings, agents: list[LocalShape]) -> Source:
    """The agents among themselves."""
    if settings.source is SourceKind.SELF:
        return SelfPlay(agents[0], terms_of(settings))
    return CoadaptivePair(agents, terms_of(settings))


class LoopTrainer(ShapeTrainer):
    """A trainer for any source. Of agents at play it learns what the fused kernel does, slowly, to
    the last bit unless a weight reaches its bound: that one is held there after each position, in
    the kernel after all positions of a shape."""

    def __init__(
        self,
        settings: TrainingSettings,
        agents: list[LocalShape] | None = None,
        games: int = 0,
        make_source: MakeSource = agents_at_play,
    ) -> None:
        super().__init__(settings, agents, games)
        if settings.workers != 1:
            raise KatachiError(f"{settings.workers} workers: this source has games for one only")
        self._make_source = make_source
        self._source = make_source(settings, self.agents)

    def _learn(self, count: int, rates: Rates) -> int:
        """Learns from `count` more games at these rates; returns the number of positions."""
        rule = UpdateRule(self._learner.rule, self._tables.general, rates, UNIT)
        positions = 0
        for _ in range(count):
            trajectories = self._source.take(self.games)
            learn_game(self.agents, trajectories, rule)
            self.games += 1
            positions += sum(len(each.states.words) for each in trajectories)
        return positions

    def grown(self, size: int) -> "LoopTrainer":
        """The same agents on a board of another size, no game played there yet."""
        grown = super().grown(size)
        return LoopTrainer(grown.settings, grown.agents, make_source=self._make_source)
