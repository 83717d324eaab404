"""Files that a crash, a bad disk or another hand has torn: kept copies are made again, models are
refused, records say what is wrong."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from katachi.files.shipped_folders import MODELS, model_names
from tests.attack.katachi_commands import check_manners, run_katachi

pytestmark = pytest.mark.slow

GAMES = Path(__file__).parents[1] / "data" / "gnugo9.sgf"
PLAYERS = {"crbm9": "crbm", "linear9": "linear", "opening19": "opening"}
SHAPES = ("shape5", "shape9", "shape19", "cascade9", "liberty9")
MOVES = "boardsize 9\nclear_board\ngenmove b\nquit\n"


def tear(file: Path, chance: random.Random) -> None:
    """Cuts a file short, flips a bit of it, empties it or fills a part with zeros."""
    data = bytearray(file.read_bytes())
    at = chance.randrange(max(1, len(data)))
    manner = chance.randrange(4)
    if manner == 0:
        del data[at:]
    elif manner == 1 and data:
        data[at] ^= 1 << chance.randrange(8)
    elif manner == 2:
        data.clear()
    else:
        data[at : at + 512] = bytes(len(data[at : at + 512]))
    file.chmod(0o644)
    file.write_bytes(bytes(data))


@pytest.fixture(scope="module")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the user's cache that may be torn."""
    place = tmp_path_factory.mktemp("cache")
    shutil.copytree(user_cache_path("katachi"), place / "katachi")
    run_katachi("games", "stats", GAMES, cache=place)
    yield place
    shutil.rmtree(place)


@pytest.mark.parametrize("seed", range(6))
def test_a_torn_cache_costs_time_and_nothing_else(seed: int, warm_cache: Path) -> None:
    chance = random.Random(seed)
    for file in sorted(each for each in warm_cache.rglob("*") if each.is_file()):
        if chance.random() < 0.3:
            tear(file, chance)
    for command in (("gtp", "--player", "alp"), ("games", "stats", GAMES)):
        done = run_katachi(*command, text=MOVES, cache=warm_cache)
        check_manners(done)
        assert done.status == 0, done.errors
        assert done.output == run_katachi(*command, text=MOVES).output


@pytest.mark.parametrize("name", model_names())
def test_a_torn_model_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    player = PLAYERS.get(name) or ("shape" if name in SHAPES else "territory")
    for seed in range(4):
        chance = random.Random(f"{name} {seed}")
        copy = tmp_path / f"{name}-{seed}"
        shutil.copytree(MODELS / name, copy)
        files = [each for each in copy.iterdir() if each.suffix in (".json", ".safetensors")]
        tear(chance.choice(sorted(files)), chance)
        options = ("--games", 1, "--size", 9, "--out", tmp_path / f"m{seed}")
        done = run_katachi("match", f"{player}:{copy}", "random", *options)
        check_manners(done)
        assert done.status != 0, f"{copy} was played although it is torn"
