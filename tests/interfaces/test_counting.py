"""Whatever takes long says within a second that it is under way, and what is quick says nothing."""

import io
import time
from collections.abc import Iterator
from typing import Any

import pytest

from katachi.interfaces import console
from katachi.interfaces.cli.training import measurements
from katachi.interfaces.console import Console
from katachi.learning.learner import Metrics
from katachi.learning.run import Place, Progress, Run


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundredths of a second stand for seconds."""
    monkeypatch.setattr(console, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(console, "LINE_SECONDS", 0.1)


def test_what_is_done_at_once_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with console.working("reading the games"), console.counted(2, "games") as tell:
        tell(2)
    assert capsys.readouterr() == ("", "")


def test_what_takes_long_says_so_before_its_first_result(
    hurried: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with console.working("reading the games"):
        time.sleep(0.05)
    assert capsys.readouterr().err == "katachi: reading the games\n"
    with console.counted(1000, "games", 30) as tell:
        time.sleep(0.05)
        assert capsys.readouterr().err == "katachi: 30 of 1,000 games\n"
        time.sleep(0.1)
        tell(1)
    assert capsys.readouterr().err == "katachi: 31 of 1,000 games\n"


class Measured(Metrics, frozen=True):
    """What every measurement says."""

    units: int


class SlowRun(Run[Any, Any, Measured]):
    """A run of ten pieces before it measures anything."""

    def __init__(self) -> None:
        pass

    def make_learner(self, place: Place) -> Any:
        """Nobody learns."""

    @property
    def goal(self) -> int:
        return 40

    @property
    def done(self) -> int:
        return 20

    def run(
        self, should_stop: object = None, checkpoint_seconds: object = None
    ) -> Iterator[Progress[Measured]]:
        for done in range(21, 30):
            yield Progress(done, 40, 1.0, None)
        yield Progress(30, 40, 1.0, Measured(30))


def test_batches_are_counted_on_the_terminal_before_the_first_measurement() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    run = measurements(SlowRun(), lambda: False, "batches", console)
    assert next(run).done == 30
    time.sleep(0.2)
    assert "20/40" in screen.getvalue()
    assert "30/40" in screen.getvalue()
    assert "batches" in screen.getvalue()
    assert list(run) == []
