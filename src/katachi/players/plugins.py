"""Players and evaluators that other people wrote: `python:MODULE:NAME`, or installed by a name.

NAME is a player (it has `choose`), an evaluator (it has `evaluate`), or a class or function that
makes one, with the seed if it takes an argument `seed`.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.protocol import (
    Abilities,
    Colors,
    Evaluation,
    Evaluator,
    Floats,
    abilities_of,
)
from katachi.files.plugin_names import PLUGIN
from katachi.files.plugin_waiting import PatientCalls, PluginHang
from katachi.files.plugins import Plugin, PluginFailure
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Choice, FailureKind, Player, PlayerFailure
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.state import SIZE, BoardState

_evaluators: dict[str, "PluginEvaluator"] = {}
"""Those made so far, by their settings: threads and games share them."""


def _make(plugin: Plugin, seed: int) -> Any:
    """The player or evaluator; raises PluginFailure for anything else."""
    made = plugin.thing
    if isinstance(made, type) or not (hasattr(made, "choose") or hasattr(made, "evaluate")):
        if not callable(made):
            raise plugin.nonsense(None, "this must be a player or an evaluator", made)
        made = plugin.call(made, "failed", **({"seed": seed} if _takes_seed(made) else {}))
    if not (hasattr(made, "choose") or hasattr(made, "evaluate")):
        text = "it must make a player (with choose) or an evaluator (with evaluate)"
        raise plugin.nonsense(plugin.thing, text, made)
    return made


def _takes_seed(function: Callable[..., Any]) -> bool:
    try:
        return "seed" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


class PluginEvaluator:
    """An evaluator of somebody else's, whose answers are checked."""

    def __init__(self, plugin: Plugin, inner: Any) -> None:
        """Judges as `inner` does: `evaluate` answers an `Evaluation`, or the values alone."""
        self.name = plugin.name
        self._plugin, self._inner = plugin, inner
        self.calls = PatientCalls(plugin)

    @property
    def abilities(self) -> Abilities:
        """Whether it judges positions, and its scores of moves, where it has `abilities` that say
        so; what else an evaluator of ours can do is not asked of it."""
        own = abilities_of(self._inner)
        if not isinstance(own, Abilities):
            raise self._plugin.nonsense(type(self._inner), "abilities must be Abilities", own)
        return Abilities(bool(own.values), None if own.moves is None else self._move_scores)

    def _move_scores(self, states: BoardState, colors: Colors) -> Floats:
        """[B, size * size], as `Abilities.moves`; raises PluginFailure for anything else."""
        moves = abilities_of(self._inner).moves
        said = self.calls.call(moves, states, colors)
        shape = (len(states.words), int(states.words.flat[SIZE]) ** 2)
        found = _numbers(said, shape, is_chance=False)
        if found is None:
            rows, points = shape
            raise self._plugin.nonsense(moves, f"moves must give {rows} x {points} logits", said)
        return np.asarray(found)

    def evaluate(self, states: BoardState) -> Evaluation:
        """Its values of B positions; raises PluginFailure where it fails or answers nonsense."""
        evaluate = self._inner.evaluate
        said = self.calls.call(evaluate, states)
        given = said if isinstance(said, Evaluation) else Evaluation(said)
        count, size = len(states.words), int(states.words.flat[SIZE])
        value = _numbers(given.value, (count,))
        owners = _numbers(given.ownership, (count, size * size))
        logit = _numbers(given.logit, (count,), is_chance=False)
        if value is None or (owners is None and given.ownership is not None):
            raise self._plugin.nonsense(
                evaluate, f"evaluate must give {count} chances from 0 to 1", said
            )
        if logit is None and given.logit is not None:
            raise self._plugin.nonsense(evaluate, f"evaluate must give {count} logits", said)
        return Evaluation(value, None if owners is None else owners.astype(np.float32), logit)


def _numbers(said: Any, shape: tuple[int, ...], *, is_chance: bool = True) -> Any:
    """The numbers of an answer as an array; None where they are none, or of another shape."""
    try:
        found = np.array(said, np.float64)
    except (TypeError, ValueError):
        return None
    if said is None or found.shape != shape or not np.isfinite(found).all():
        return None
    if is_chance and ((found < 0).any() or (found > 1).any()):
        return None
    return found


class PluginJudge(EvaluatingPlayer):
    """Looks one move ahead with an evaluator of somebody else's; its failure is an answer."""

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """Its choice."""
        try:
            return super().choose(game, color, seconds)
        except PluginFailure as failure:
            return failed_choice(failure)


class PluginPlayer:
    """A player of somebody else's, whose answers are checked."""

    def __init__(self, name: str, plugin: Plugin, inner: Any) -> None:
        """Plays as `inner` does: `choose` answers a Choice, a point, or a text such as "D4",
        "pass" or "resign"."""
        self.name = name
        self._plugin, self._inner = plugin, inner
        self.calls = PatientCalls(plugin)

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """Its choice in a copy of the game; a failure where it fails, answers nonsense or a move
        that is not legal, or gives no answer in time."""
        choose = self._inner.choose
        try:
            said = self.calls.call(choose, game.copy(), color, seconds, seconds=seconds or 0.0)
        except PluginFailure as failure:
            return failed_choice(failure)
        try:
            choice = _choice(said, game.size)
        except (KatachiError, TypeError, ValueError):
            text = 'choose must give a Choice, a point or a text such as "D4"'
            return failed_choice(self._plugin.nonsense(choose, text, said), FailureKind.GARBAGE)
        if choice.point is None or game.is_legal(color, choice.point):
            return choice
        illegal = self._plugin.nonsense(choose, "choose must give a legal move", said)
        return failed_choice(illegal, FailureKind.ILLEGAL)

    def close(self) -> None:
        """Ends what it has started, if it can."""
        close = getattr(self._inner, "close", None)
        if close is not None:
            self._plugin.call(close, "failed to close")


def failed_choice(failure: PluginFailure, kind: FailureKind = FailureKind.CRASH) -> Choice:
    """The failure as a player's answer."""
    kind = FailureKind.HANG if isinstance(failure, PluginHang) else kind
    return Choice(None, failure=PlayerFailure(kind, str(failure)))


def _choice(said: Any, size: int) -> Choice:
    """An answer as a choice; raises KatachiError, TypeError or ValueError for nonsense."""
    rate = None
    if isinstance(said, Choice):
        said, rate = said.point, said.win_rate
    if isinstance(said, str):
        is_resigning = said.strip().lower() == "resign"
        return Choice(None if is_resigning else point_from_vertex(said, size))
    if said is None:
        return Choice(None)
    if isinstance(said, bool | float) or int(said) != said or int(said) < PASS:
        raise TypeError
    is_rate = isinstance(rate, float) and 0.0 <= rate <= 1.0
    return Choice(int(said), rate if is_rate else None)


def make_plugin_player(name: str, setting: str, seed: int) -> Player:
    """The player of a plug-in; raises PluginFailure."""
    known = _evaluators.get(setting)
    if known is None:
        plugin = Plugin(setting)
        made = _make(plugin, seed)
        if hasattr(made, "choose"):
            return PluginPlayer(name, plugin, made)
        known = _evaluators.setdefault(setting, PluginEvaluator(plugin, made))
    return PluginJudge(name, known, seed)


def make_plugin_evaluator(setting: str) -> Evaluator:
    """The evaluator of a plug-in; raises PluginFailure, also where it is a player."""
    player = make_plugin_player(f"{PLUGIN}:{setting}", setting, 0)
    if isinstance(player, PluginJudge):
        return player.evaluator
    player.close()
    raise PluginFailure(f"{PLUGIN}:{setting} is a player, and judges no positions")
