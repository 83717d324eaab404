"""Players and evaluators that other people wrote: `python:MODULE:NAME`, or installed by a name.

NAME is a player (it has `choose`), an evaluator (it has `evaluate`), or a class or function that
makes one, with the seed if it takes an argument `seed`. Whatever goes wrong in such code is one
line that names its own file and line.
"""

import importlib
import importlib.util
import inspect
import os
import sys
import threading
import traceback
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import ModuleType
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
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.plugin_names import PLUGIN, split_plugin
from katachi.players.protocol import Choice, FailureKind, Player, PlayerFailure, shorten
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.state import SIZE, BoardState

_OURS = str(Path(__file__).parents[1])
_LONGEST_SAID = 80
_loading = threading.Lock()
_evaluators: dict[str, "PluginEvaluator"] = {}
"""Those made so far, by their settings: threads and games share them."""


class PluginFailure(KatachiError):
    """Code of others failed or answered nonsense; the text says which, where and how."""


class Plugin:
    """One thing of somebody else's, and how to call it so that failures name it."""

    def __init__(self, setting: str) -> None:
        """Loads it; raises PluginFailure where that fails or there is no such thing."""
        self.name = f"{PLUGIN}:{setting}"
        parts = split_plugin(setting)
        assert parts is not None, "names are checked before players are made"
        self.module = self.call(_load, "cannot be loaded", parts[0])
        self.thing: Any = self.module
        for word in parts[1].split("."):
            if not hasattr(self.thing, word):
                raise PluginFailure(f"{self.name}: there is no {word!r} in {self.file}")
            self.thing = getattr(self.thing, word)

    @property
    def file(self) -> str:
        """The file of its module."""
        return str(getattr(self.module, "__file__", None) or self.module.__name__)

    def call(self, function: Any, what: str, *given: Any, **named: Any) -> Any:
        """What a function of its answers; raises PluginFailure, in one line, where it fails."""
        try:
            return function(*given, **named)
        except PluginFailure:
            raise
        except (Exception, SystemExit) as error:
            said = shorten(f"{type(error).__name__}: {error}", 2 * _LONGEST_SAID)
            text = f"{self.name} {what}: {said}"
            raise PluginFailure(text + _place_of(error)) from None

    def nonsense(self, method: object, text: str, said: object) -> PluginFailure:
        """What to say of an answer that is none."""
        shown = shorten(repr(said), _LONGEST_SAID)
        return PluginFailure(f"{self.name}: {text}, not {shown}{_definition_of(method)}")

    def make(self, seed: int) -> Any:
        """The player or evaluator; raises PluginFailure for anything else."""
        made = self.thing
        if isinstance(made, type) or not (hasattr(made, "choose") or hasattr(made, "evaluate")):
            if not callable(made):
                raise self.nonsense(None, "this must be a player or an evaluator", made)
            made = self.call(made, "failed", **({"seed": seed} if _takes_seed(made) else {}))
        if not (hasattr(made, "choose") or hasattr(made, "evaluate")):
            text = "it must make a player (with choose) or an evaluator (with evaluate)"
            raise self.nonsense(self.thing, text, made)
        return made


def _load(module: str) -> ModuleType:
    """A module by name, also of the present folder, or by file."""
    with _loading:
        if module.endswith(".py"):
            return _load_file(Path(module).resolve())
        here = os.getcwd()
        if here not in sys.path and "" not in sys.path:
            sys.path.append(here)
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise
            text = f"there is no module {error.name!r}: install it, or start in its folder"
            raise PluginFailure(f"{PLUGIN}:{module}: {text}") from None


def _load_file(path: Path) -> ModuleType:
    name = f"katachi_plugin_{sha256(str(path).encode()).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    if not path.is_file():
        raise PluginFailure(f"{PLUGIN}:{path.name}: there is no file {path}")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _takes_seed(function: Callable[..., Any]) -> bool:
    try:
        return "seed" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _place_of(error: BaseException) -> str:
    """Where in code that is not ours an error came up, as ` (FILE, line N)`; empty for nowhere."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({error.filename}, line {error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        is_ours = frame.filename.startswith((_OURS, "<"))
        if not is_ours and not _is_library(frame.filename):
            return f" ({frame.filename}, line {frame.lineno})"
    return ""


def _is_library(file: str) -> bool:
    """Whether a file is of Python itself, or of a library that the code has called."""
    own = os.path.dirname(os.__file__)
    return file.startswith((own, os.path.dirname(np.__file__)))


def _definition_of(thing: object) -> str:
    """Where something is defined, as ` (FILE, line N)`; empty where that is not known."""
    try:
        lines = inspect.getsourcelines(thing)  # type: ignore[arg-type]
        return f" ({inspect.getsourcefile(thing)}, line {lines[1]})"  # type: ignore[arg-type]
    except (OSError, TypeError):
        return ""


class PluginEvaluator:
    """An evaluator of somebody else's, whose answers are checked."""

    def __init__(self, plugin: Plugin, inner: Any) -> None:
        """Judges as `inner` does: `evaluate` answers an `Evaluation`, or the values alone."""
        self.name = plugin.name
        self._plugin, self._inner = plugin, inner

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
        said = self._plugin.call(moves, "failed", states, colors)
        shape = (len(states.words), int(states.words.flat[SIZE]) ** 2)
        found = _numbers(said, shape, is_chance=False)
        if found is None:
            rows, points = shape
            raise self._plugin.nonsense(moves, f"moves must give {rows} x {points} logits", said)
        return np.asarray(found)

    def evaluate(self, states: BoardState) -> Evaluation:
        """Its values of B positions; raises PluginFailure where it fails or answers nonsense."""
        evaluate = self._inner.evaluate
        said = self._plugin.call(evaluate, "failed", states)
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
            return _failed(FailureKind.CRASH, failure)


class PluginPlayer:
    """A player of somebody else's, whose answers are checked."""

    def __init__(self, name: str, plugin: Plugin, inner: Any) -> None:
        """Plays as `inner` does: `choose` answers a Choice, a point, or a text such as "D4",
        "pass" or "resign"."""
        self.name = name
        self._plugin, self._inner = plugin, inner

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """Its choice in a copy of the game; a failure where it fails or answers nonsense."""
        choose = self._inner.choose
        try:
            said = self._plugin.call(choose, "failed", game.copy(), color, seconds)
        except PluginFailure as failure:
            return _failed(FailureKind.CRASH, failure)
        try:
            return _choice(said, game.size)
        except (KatachiError, TypeError, ValueError):
            text = 'choose must give a Choice, a point or a text such as "D4"'
            return _failed(FailureKind.GARBAGE, self._plugin.nonsense(choose, text, said))

    def close(self) -> None:
        """Ends what it has started, if it can."""
        close = getattr(self._inner, "close", None)
        if close is not None:
            self._plugin.call(close, "failed to close")


def _failed(kind: FailureKind, failure: PluginFailure) -> Choice:
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
        made = plugin.make(seed)
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


def plugin_file(setting: str) -> Path | None:
    """The file of a plug-in's module; None where it has none."""
    path = Path(Plugin(setting).file)
    return path if path.is_file() else None
