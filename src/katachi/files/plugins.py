"""Code of other people: `python:MODULE:NAME`, loaded and called so that failures name it.

Whatever goes wrong in such code is one line that names its own file and line. It is run where
somebody has named it: on the command line, or by installing a package. A file that is merely data,
such as a model, may name code, too, but runs none: `allow` and `is_allowed` keep the two apart.
"""

import importlib
import importlib.util
import inspect
import os
import sys
import threading
import traceback
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from katachi.errors import KatachiError
from katachi.files.plain_text import shorten
from katachi.files.plugin_names import PLUGIN, split_plugin

_OURS = str(Path(__file__).parents[1])
_LONGEST_SAID = 80
_loading = threading.Lock()
_allowed: set[str] = set()
"""Plug-ins that a person has named in this process, as MODULE:NAME."""


def allow(setting: str) -> None:
    """Notes that a person has named this plug-in: a model may now name it, too."""
    _allowed.add(setting)


def is_allowed(setting: str) -> bool:
    """Whether a person has named this plug-in in this process."""
    return setting in _allowed


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


def _place_of(error: BaseException) -> str:
    """Where in code that is not ours an error came up, as ` (FILE, line N)`; empty for nowhere."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({error.filename}, line {error.lineno})"
    return place_of_frames(traceback.extract_tb(error.__traceback__))


def place_of_frames(frames: traceback.StackSummary) -> str:
    """The innermost frame whose code is not ours, as ` (FILE, line N)`; empty for none."""
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


def plugin_file(setting: str) -> Path | None:
    """The file of a plug-in's module; None where it has none."""
    path = Path(Plugin(setting).file)
    return path if path.is_file() else None
