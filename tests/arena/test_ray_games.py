"""Games of a cluster are those of one process."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from katachi.arena.match import MatchFolder, MatchSettings, play_match
from katachi.arena.settings import GameSettings
from katachi.arena.workers import GameTask, play_tasks
from katachi.errors import KatachiError
from katachi.ray_pool import RayPool
from katachi.workers import Pool

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SETTINGS = MatchSettings("alp", "random", 6, GameSettings(5, opening_moves=2))


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    ray = pytest.importorskip("ray")
    yield RayPool(2)
    ray.shutdown()


def games_of(folder: Path, workers: int | Pool) -> list[dict[str, object]]:
    with MatchFolder(folder, SETTINGS) as match:
        list(play_match(match, workers))
    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    return sorted(({**line, "seconds": 0} for line in lines), key=lambda line: line["number"])


def test_a_match_is_the_same_on_ray(tmp_path: Path, pool: Pool) -> None:
    assert games_of(tmp_path / "ray", pool) == games_of(tmp_path / "here", 1)
    for name in ("000001.sgf", "000006.sgf"):
        one, other = (tmp_path / folder / "games" / name for folder in ("ray", "here"))
        assert one.read_bytes() == other.read_bytes()


def test_a_program_that_a_machine_lacks_is_named_with_the_machine(pool: Pool) -> None:
    task = GameTask(0, "gtp:no-such-program", "random", SETTINGS.game)
    with pytest.raises(KatachiError, match=r"on \S+: no program .no-such-program."):
        list(play_tasks([task], pool))
