"""Operations asked without a server."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from katachi.interfaces.web import ladders, library, runs, seeing
from katachi.interfaces.web.operations import OPERATIONS, Part, Result
from katachi.learning.curriculum import Plan
from katachi.learning.shape_config import ShapeConfig
from katachi.learning.shape_run import ShapeRun
from katachi.learning.shape_training import TrainingSettings

_MODULES = (ladders, library, runs, seeing)
"""They add their operations when they are imported."""


class Asking:
    """A page of its own in a folder; it is the context that operations are given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shared: dict[str, Any] = {}
        self.own: dict[str, Any] = {}

    def is_stopped(self) -> bool:
        return False

    def ask(self, name: str, **fields: Any) -> dict[str, Any]:
        """The result of an operation, as the page reads it."""
        found = self.steps(name, fields)
        assert isinstance(found[-1], Result)
        assert not any(isinstance(each, Result) for each in found[:-1])
        result: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(found[-1].fields))
        return result

    def steps(self, name: str, fields: dict[str, Any]) -> list[Part | Result | None]:
        """Everything that an operation answers."""
        known = OPERATIONS[name]
        answers: Any = known.handle(msgspec.convert(fields, known.request), self)
        return asyncio.run(_all_of(answers)) if known.is_async else list(answers)


async def _all_of(answers: AsyncIterator[Any]) -> list[Any]:
    return [each async for each in answers]


def make_run(path: Path, games: int = 40) -> Path:
    """A small run of local shape that is over."""
    settings = TrainingSettings(size=5, sets="1x1:LI", seed=3)
    plan = Plan(games=games, test_every=10, test_games=10, final_games=10)
    run = ShapeRun.begin(path, ShapeConfig(settings, plan))
    for _ in run.run():
        pass
    run.finish()
    run.close()
    return path
