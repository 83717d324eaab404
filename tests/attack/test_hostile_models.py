"""Model files of every kind that are cut short, made up, of another kind or hostile: one clear
line, nothing loaded, nothing executed."""

import json
import os
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.rlgo import RlgoEvaluator, count_weights
from katachi.files import model_folder
from katachi.files.model_folder import WEIGHTS_FILE
from katachi.players.roster import make_player
from katachi.rules.size import MAX_SIZE
from tests.attack.damaged_models import CASES, FOLDERS, KINDS, PICKLE
from tests.evaluators.rlgo_files import SETS


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole model of each kind, without checksums, as an earlier katachi wrote them: whoever
    means harm makes them fit."""
    folder = tmp_path_factory.mktemp("models")
    for name, kind in KINDS.items():
        kind.save(folder / name)
    for file in folder.rglob("checksums.json"):
        file.unlink()
    return folder


@pytest.fixture
def copy(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Makes a copy of the model of a kind; the present folder is empty."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def made(kind: str) -> Path:
        path = tmp_path / kind
        return Path((shutil.copytree if kind in FOLDERS else shutil.copy)(models / kind, path))

    return made


def complaint(load_model: Callable[[Any], object], path: Path | str) -> str:
    """Why a model is refused, in one line of a length that can be read."""
    with pytest.raises(KatachiError) as caught:
        load_model(path)
    line = str(caught.value)
    assert line.isprintable()
    assert len(line) < len(str(path)) + 1000
    assert list(Path().iterdir()) == []
    return line


@pytest.mark.parametrize("name", CASES)
def test_a_damaged_model_is_one_clear_line(name: str, copy: Callable[[str], Path]) -> None:
    kind, file, damage = CASES[name]
    path = copy(kind)
    damaged = path / file if file else path
    whole = damaged.read_bytes()
    data = damage[0](whole)
    if b"KIND" in data:
        data = data.replace(b"KIND", json.loads(whole)["kind"].encode())
    damaged.write_bytes(data)
    is_huge = "huge" in name
    if is_huge:
        tracemalloc.start()
    line = complaint(KINDS[kind].load, path)
    assert damage[1] in line
    assert str(path) in line or "config" not in damage[1]
    if is_huge:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 30_000_000


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.player])
def test_a_player_of_a_damaged_model_is_not_made(kind: str, copy: Callable[[str], Path]) -> None:
    path = copy(kind)
    damaged = path / WEIGHTS_FILE if kind in FOLDERS else path
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert str(path) in complaint(make_player, f"{KINDS[kind].player}:{path}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_cut_anywhere_is_refused(kind: str, copy: Callable[[str], Path]) -> None:
    path = copy(kind)
    for name in KINDS[kind].files:
        file = path / name if name else path
        whole = file.read_bytes()
        end = len(whole.rstrip()) if name.endswith(".json") else len(whole)
        for length in {*range(0, min(end, 700), 13), *range(0, end, end // 20)}:
            file.write_bytes(whole[:length])
            complaint(KINDS[kind].load, path)
        file.write_bytes(whole)
    KINDS[kind].load(path)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_missing_is_named(kind: str, copy: Callable[[str], Path]) -> None:
    path, load_model = copy(kind), KINDS[kind].load
    for name in KINDS[kind].files:
        file = path / name if name else path
        whole = file.read_bytes()
        file.unlink()
        assert complaint(load_model, path) == f"cannot read {file}: No such file or directory"
        os.mkfifo(file)  # which nobody will ever write into
        assert complaint(load_model, path) == f"cannot read {file}: not a file"
        file.unlink()
        file.write_bytes(whole)
    assert complaint(load_model, path / "nowhere").startswith("cannot read ")
    assert complaint(load_model, path / ("long" * 100)).endswith(
        (" name too long", "Not a directory")
    )


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_model_of_another_kind_is_refused(kind: str, copy: Callable[[str], Path]) -> None:
    path = copy(kind)
    for other in FOLDERS:
        if other != kind:
            assert "holds a model of kind" in complaint(KINDS[other].load, path)


@pytest.mark.parametrize("kind", FOLDERS)
def test_other_files_of_a_folder_are_not_read(kind: str, copy: Callable[[str], Path]) -> None:
    path = copy(kind)
    for name in ("weights.pkl", "weights.npy", "data.pt", "__init__.py", "sitecustomize.py"):
        (path / name).write_bytes(PICKLE)
    (path / "features0").mkdir(exist_ok=True)
    (path / "features0" / "config.json").write_bytes(PICKLE)
    KINDS[kind].load(path)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("kind", FOLDERS)
def test_one_flipped_bit_anywhere_is_refused(kind: str, copy: Callable[[str], Path]) -> None:
    path = copy(kind)
    model_folder.seal_model(path)
    for file in path.rglob("*"):
        if file.suffix not in (".json", ".safetensors"):
            continue
        whole = file.read_bytes()
        for place in np.linspace(0, len(whole) - 1, 12).astype(int):
            data = bytearray(whole)
            data[place] ^= 1
            file.write_bytes(data)
            assert " is damaged: " in complaint(KINDS[kind].load, path)
        file.write_bytes(whole)
    KINDS[kind].load(path)


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_huge_file_is_not_read(
    kind: str, copy: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copy(kind)
    monkeypatch.setattr(model_folder, "LARGEST_WEIGHTS", 100)
    assert "bytes long, more than a model's 100" in complaint(KINDS[kind].load, path)


def test_a_huge_file_of_rlgo_costs_no_memory(copy: Callable[[str], Path]) -> None:
    path, largest = copy("rlgo"), count_weights(MAX_SIZE)
    for count in (largest, 999_999_999):
        path.write_bytes(f"Version = 2\nFeatureSet = {SETS}\nNumSaved = {count}\n".encode())
        os.truncate(path, 1 << 30)
        tracemalloc.start()
        complaint(RlgoEvaluator.load, path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 10 * 4 * largest
