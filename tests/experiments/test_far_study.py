"""Runs on a machine that has neither the journal's folder nor the data are the same."""

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.experiments.far_study import MOST_FOLDERS, FarFiles, FarStudy, drop_old
from katachi.experiments.runner import Runner, Task
from katachi.workers import ProcessPool
from tests.experiments.studies import Toy, ToySettings, toy_study


class FarPool(ProcessPool):
    """As if on another machine."""

    sees_files = False


def read(_: ToySettings, task: Task) -> Toy:
    """The length of a file, once for each run: the folder keeps what runs need from each other."""
    (task.folder / "kept").touch()
    return Toy(len(task.require_file("games.sgf").read_bytes()), task.seed)


def test_files_come_with_the_study_and_the_journal_stays_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, data = tmp_path / "cache", tmp_path / "data"
    monkeypatch.setattr("katachi.experiments.runner.cluster_cache", lambda: cache)
    data.mkdir()
    (data / "games.sgf").write_bytes(b"(;)")
    runner = Runner(tmp_path / "work", FarPool(), data=data)
    runner.require_file("games.sgf")
    found = runner.measure_all(replace(toy_study(ToySettings(runs=1)), measure=read))
    assert [toy.value for _, runs in found for toy in runs] == [3, 3, 3]
    (fetched,) = cache.rglob("games.sgf")
    assert fetched.read_bytes() == b"(;)"


def test_without_the_journals_folder_a_run_has_one_in_the_cache(tmp_path: Path) -> None:
    data = tmp_path / "games.sgf"
    data.write_bytes(b"(;)")
    study = replace(toy_study(ToySettings(runs=1)), measure=read)
    study = study.at(tmp_path / "not here", tmp_path / "nor here")
    with closing(FarStudy(study, FarFiles.of([data], ProcessPool()), tmp_path / "cache")) as far:
        measured = msgspec.json.decode(far.work(study.tasks[0]).data, type=Toy)
    assert measured.value == 3
    assert (tmp_path / "cache" / study.key / "kept").exists()


def test_few_folders_are_kept_and_none_in_use_is_dropped(tmp_path: Path) -> None:
    study = toy_study(ToySettings())
    none = FarFiles.of([], ProcessPool())
    with closing(FarStudy(study, none, tmp_path)):
        os.utime(tmp_path / study.key, (1, 1))
        for number in range(MOST_FOLDERS + 2):
            folder = tmp_path / f"old{number}"
            folder.mkdir()
            (folder / "lock").touch()
            os.utime(folder, (number + 2, number + 2))
        drop_old(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [study.key, *(f"old{number}" for number in range(2, MOST_FOLDERS + 2))]
    )


def test_a_machine_without_room_says_so(tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"a file, no folder")
    with pytest.raises(KatachiError, match="no room for the files of toy"):
        FarStudy(toy_study(ToySettings()), FarFiles.of([], ProcessPool()), tmp_path / "cache")
