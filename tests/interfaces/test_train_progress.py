"""What a training run shows fits into 80 columns and leaves nothing unsaid."""

import pytest
from rich.console import RenderableType

from katachi.interfaces.cli.train_progress import _agents, _head, describe_test, rate_words
from katachi.interfaces.console import Console
from katachi.learning.run import Progress
from katachi.learning.shape_metrics import Measurement, measured

HISTORY = [measured(10_000 * number, 9, 10_000, 1000, [886, 912]) for number in range(40)]


def shown(renderable: RenderableType, width: int) -> list[str]:
    """The lines of a terminal."""
    console = Console(width=width, force_terminal=True, color_system=None)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get().splitlines()


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("goal", [20_000, 10_000_000])
def test_a_run_takes_one_line_and_each_agent_another(width: int, goal: int) -> None:
    step: Progress[Measurement] = Progress(goal // 2, goal, 12_345.0, None)
    [head] = shown(_head(step, 19, 5025.0, width), width)
    assert head.rstrip().endswith("1:23:45 left")
    agents = shown(_agents(HISTORY, width), width)
    assert [line.split("  ")[0] for line in agents] == ["agent 1", "agent 2"]
    assert all("Elo " in line and "█" in line for line in agents)


@pytest.mark.parametrize(
    ("wins", "words"), [(990, "no Elo above 95%"), (3, "no Elo below 5%"), (500, "Elo 850 (")]
)
def test_where_there_is_no_elo_it_is_said_why(wins: int, words: str) -> None:
    test = measured(100, 5, 100, 1000, [wins])
    assert rate_words(test, 0)[1].startswith(words)
    assert words in describe_test(test)
