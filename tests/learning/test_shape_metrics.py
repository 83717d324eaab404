"""What a test says, and the picture of all of them."""

import re
from xml.etree import ElementTree as ET

import msgspec
import pytest

from katachi.learning.shape_metrics import ALP_ELO, Measurement, estimate_elo, measured
from katachi.pictures.learning_curve import MOST_POINTS, svg_from_measurements, thin_out
from katachi.statistics import expected_score, wilson


def measurements(count: int, agents: int = 2) -> list[Measurement]:
    """A run in which the board grows after half of the tests."""
    return [
        measured(500 * n, 5 + (2 * n > count), 500 * n, 100, [n % 101] * agents)
        for n in range(1, count + 1)
    ]


def test_a_measurement_is_a_line_of_json_and_back() -> None:
    (line,) = measurements(1)
    assert msgspec.json.decode(msgspec.json.encode(line), type=Measurement) == line
    assert line.rates == [0.01, 0.01]
    assert line.intervals[0] == pytest.approx(wilson(1, 100), abs=1e-6)


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5, 0.8, 0.95])
def test_elo_is_what_the_rate_says_of_somebody_anchored_where_alp_is(rate: float) -> None:
    interval = wilson(100 * rate, 100)
    elo = estimate_elo(rate, interval)
    assert elo is not None
    assert expected_score(elo.value - ALP_ELO) == pytest.approx(rate)
    assert expected_score(elo.low - ALP_ELO) == pytest.approx(interval[0])
    assert expected_score(elo.high - ALP_ELO) == pytest.approx(interval[1])


@pytest.mark.parametrize("rate", [0.0, 0.04, 0.96, 1.0])
def test_a_saturated_rate_tells_no_elo(rate: float) -> None:
    assert estimate_elo(rate, wilson(100 * rate, 100)) is None


@pytest.mark.parametrize("count", [0, 1, 2, 37, 5000])
@pytest.mark.parametrize("agents", [1, 2])
def test_the_curve_is_a_picture_with_a_band_and_a_line_for_each_agent(
    count: int, agents: int
) -> None:
    svg = svg_from_measurements(measurements(count, agents), "a <title>", "settings & such")
    root = ET.fromstring(svg)
    drawn = 0 if count == 0 else agents
    assert root[0].text == "a <title>"
    assert len(root.findall("{*}polygon")) == drawn
    assert len(root.findall("{*}polyline")) == drawn
    assert len(svg) < 200_000
    assert ("6x6" in svg) == (count > 1)
    numbers = [float(n) for line in root.findall("{*}polyline") for n in _numbers(line)]
    assert all(0 <= number <= 760 for number in numbers)


def _numbers(line: ET.Element) -> list[str]:
    return re.findall(r"[-\d.]+", line.attrib["points"])


def test_thinning_keeps_the_last_test() -> None:
    for count in (1, MOST_POINTS, MOST_POINTS + 1, 5000):
        tests = measurements(count)
        assert thin_out(tests)[-1] == tests[-1]
        assert len(thin_out(tests)) <= MOST_POINTS
