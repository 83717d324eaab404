"""What a person at the board may ask: good moves, and who is ahead."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.chances import with_komi
from katachi.evaluators.protocol import Evaluator
from katachi.players.kinds import DEFAULT_PLAYER
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.game import Game
from katachi.rules.point import Points, points_of, vertex_from_point
from katachi.rules.ruleset import Rules
from katachi.search.afterstates import sensible_moves
from katachi.search.analysis import (
    black_ownership,
    evaluate_moves,
    foretold_scores,
    mover_logits,
    says_moves,
)

ADVISER = DEFAULT_PLAYER
"""Who is asked where the player has no opinion of positions, or knows no owners."""
HINTS = 3
LIKELY = 0.7
"""From this chance on a point is drawn as somebody's."""


class Advice(NamedTuple):
    """An answer in words, and what it puts on the board."""

    lines: list[str]
    labels: dict[int, str]
    owners: dict[int, int]


def lead_words(lead: float) -> str:
    """Black's lead in points, in words."""
    if abs(lead) < 0.05:
        return "even"
    return f"{'Black' if lead > 0 else 'White'} leads by {abs(lead):.1f}"


class Adviser:
    """Hints by the player's evaluator where it has one, scores by one that knows owners."""

    def __init__(self, player: str, make: Callable[[str], Evaluator]) -> None:
        """`make` gives evaluators by name and is called when the first question comes."""
        self._player = player
        self._make = make
        self._known: dict[str, Evaluator] = {}

    def _evaluator(self, name: str) -> Evaluator:
        if name not in self._known:
            self._known[name] = self._make(name)
        return self._known[name]

    def _own(self) -> tuple[str, Evaluator]:
        try:
            return self._player, self._evaluator(self._player)
        except KatachiError:
            return ADVISER, self._evaluator(ADVISER)

    def hint(self, game: Game, color: int) -> Advice:
        """The best moves of `color`, at most three, best first."""
        strict = game.copy()
        strict.rules = Rules()
        points = sensible_moves(strict, color)
        if len(points) == 0:
            return Advice(["pass: there is no other move that helps"], {}, {})
        name, evaluator = self._own()
        keys = foretold_scores(evaluator, strict, color, points)
        if keys is None:
            keys = mover_logits(evaluator, strict, color, points)
        best = points[np.argsort(-keys, kind="stable")[:HINTS]]
        names = [vertex_from_point(point, game.size) for point in best.tolist()]
        after = _words_after(evaluator, strict, color, best)
        pairs = enumerate(zip(names, after, strict=True), 1)
        lines = [f"{number}  {vertex}  {words}".rstrip() for number, (vertex, words) in pairs]
        labels = {point: str(number) for number, point in enumerate(best.tolist(), 1)}
        return Advice([f"{name} likes:", *lines], labels, {})

    def score(self, game: Game) -> Advice:
        """Who is ahead by how much, komi counted, and whose the points will be."""
        name, evaluator = self._own()
        evaluation = evaluator.evaluate(game.states)
        if evaluation.ownership is None:
            name, evaluation = ADVISER, self._evaluator(ADVISER).evaluate(game.states)
        chances = black_ownership(game.states, evaluation)[0]
        lead = float((2.0 * chances - 1.0).sum()) - game.komi
        rate = float(with_komi(evaluation, game.komi).value[0])
        owners = {
            int(point): BLACK if chance > LIKELY else WHITE
            for point, chance in zip(points_of(game.size), chances.tolist(), strict=True)
            if not 1 - LIKELY <= chance <= LIKELY
        }
        ahead = f"Black wins {rate:.0%}" if rate >= 0.5 else f"White wins {1 - rate:.0%}"
        return Advice(
            [f"{name} estimates, komi {game.komi:g} counted:", f"{lead_words(lead)}; {ahead}"],
            {},
            owners,
        )


def _words_after(evaluator: Evaluator, game: Game, color: int, points: Points) -> list[str]:
    """What each move leads to; nothing of an evaluator that knows moves alone."""
    evaluation = evaluate_moves(evaluator, game, color, points)
    if evaluation.ownership is not None:
        leads = (2.0 * evaluation.ownership - 1.0).sum(axis=1) - game.komi
        return [lead_words(lead) for lead in leads.tolist()]
    if says_moves(evaluator):
        return [""] * len(points)
    rates = evaluation.value if color == BLACK else 1.0 - evaluation.value
    return [f"{COLOR_NAMES[color].capitalize()} wins {rate:.0%}" for rate in rates.tolist()]
