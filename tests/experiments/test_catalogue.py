"""Every experiment can be found, is complete, and needs no more than it says."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.experiments.catalogue import CATALOGUE, find_id, load_experiment, needs_files
from katachi.experiments.changes import plain_settings
from katachi.experiments.protocol import Settings
from katachi.experiments.results import Result, read_result
from katachi.experiments.running import Order, carry_out, choose_settings, prove_writable

BARE = ("rich", "cyclopts", "sgfmill", "safetensors", "scipy", "torch", "matplotlib")
"""What a machine need not have for the learning experiments."""
RESULTS = Path(__file__).parents[2] / "results"


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_entry_is_an_experiment(name: str) -> None:
    experiment = load_experiment(name)
    for settings in (experiment.settings, experiment.quick):
        assert isinstance(settings, Settings)
        data = msgspec.json.encode(settings)
        assert msgspec.json.decode(data, type=type(settings)) == settings
    assert type(experiment.quick) is type(experiment.settings)


def is_standard(name: str, result: Result) -> bool:
    """Whether a result was made with the settings of today, whatever its number of runs."""
    now = plain_settings(load_experiment(name).settings)
    return bool(now | {"runs": 0} == result.settings | {"runs": 0})


ON_A_GPU = {"S1-F4", "S1-F4-9", "X-visits9"}
"""Results whose time is a GPU's; the catalogue has a processor's."""


def test_expected_minutes_are_near_those_of_the_results() -> None:
    for name in CATALOGUE:
        path = RESULTS / f"{name}.json"
        if path.exists():
            result = read_result(path)
            if name in ON_A_GPU or not is_standard(
                name, result
            ):  # it says nothing of how long it takes now
                continue
            whole = result.seconds / 60 * load_experiment(name).settings.runs / result.runs
            assert whole / 2.5 <= CATALOGUE[name].minutes <= 2.5 * max(whole, 1), name


# S1-strength leaves out what it has no files for.
@pytest.mark.parametrize(
    "name", [name for name in CATALOGUE if needs_files(name) and name != "S1-strength"]
)
def test_what_needs_files_says_so_before_anything_is_done(name: str, tmp_path: Path) -> None:
    order = Order(name, is_quick=True, work=tmp_path, out=tmp_path, data=tmp_path)
    if name == "S1-F4-9":
        order = replace(order, changes=("opponent=",))
    with pytest.raises(KatachiError, match=r"^no .* in .*: give another folder with --data$"):
        carry_out(order, lambda _: None, lambda _: None)


def test_an_id_may_be_written_in_any_case() -> None:
    assert find_id("s1-GROW") == "S1-grow"
    with pytest.raises(KatachiError, match="no experiment 'S9': choose S1-F3, S1-F4"):
        find_id("S9")


def test_runs_may_be_chosen_where_there_are_runs() -> None:
    study = load_experiment("S1-F4")
    assert choose_settings(study, Order("S1-F4", runs=12)).runs == 12
    assert choose_settings(study, Order("S1-F4")).runs == 50
    with pytest.raises(KatachiError, match="0 runs"):
        choose_settings(study, Order("S1-F4", runs=0))
    with pytest.raises(KatachiError, match="S1-F3 is one measurement"):
        choose_settings(load_experiment("S1-F3"), Order("s1-f3", runs=2))


def test_an_unwritable_folder_is_found_before_anything_is_done(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(KatachiError, match="cannot write into"):
        prove_writable(tmp_path / "file" / "folder")
    order = Order("S1-F4", is_quick=True, work=tmp_path / "work", out=tmp_path / "file")
    with pytest.raises(KatachiError, match="cannot write into"):
        carry_out(order, lambda _: None, lambda _: None)
    assert not list((tmp_path / "work").iterdir())


def test_learning_experiments_run_where_little_is_installed(tmp_path: Path) -> None:
    """All by one process: a start takes seconds."""
    names = ("S1-F3", "S1-F4", "S1-grow", "S1-cascade", "S1-ablation")
    code = f"""
import sys
from pathlib import Path
for missing in {BARE}:
    sys.modules[missing] = None
from katachi.experiments.results import read_result
from katachi.experiments.running import Order, carry_out
folder = Path({str(tmp_path)!r})
for name in {names}:
    order = Order(name, is_quick=True, workers=1, work=folder, out=folder)
    carry_out(order, lambda _: None, print)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert all((tmp_path / f"{name}.quick.json").exists() for name in names)
