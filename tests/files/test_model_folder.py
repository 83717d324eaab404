"""Model folders are whole or refused, whenever writing them was stopped, and have checksums."""

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear
from katachi.evaluators.local_shape import LocalShape
from katachi.features.crbm import CrbmFeatures
from katachi.files.model_folder import read_shared, seal_model
from katachi.files.shipped_folders import MODELS
from tests.evaluators.test_local_shape import model

Change = Callable[[bytes], bytes]
MARK = "this-file-would-be-made-by-code-in-a-model"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A whole model; the present folder is empty."""
    model("1x1-2x2:LI+LD,4x3:LI", 5).save(tmp_path / "model", "a card")
    (tmp_path / "model" / "checksums.json").unlink()  # as an earlier katachi wrote it
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "model"


def complaint(folder: Path) -> str:
    """Why a model is refused, in one line of a length that can be read."""
    with pytest.raises(KatachiError) as caught:
        LocalShape.load(folder)
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 1000
    assert list(Path().iterdir()) == []
    return line


def test_the_card_may_be_missing(folder: Path) -> None:
    (folder / "README.md").unlink()
    LocalShape.load(folder)


def test_a_model_killed_while_it_is_written_is_whole_or_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old weights are never read with a new config, nor the other way round, not even where the
    old model has no checksums."""
    old = other = LocalShape.load(folder)
    for moment in range(4):
        other = model("1x1-2x2:LI+LD,4x3:LI", 5, seed=2 + moment)
        other.training = {"made": moment}
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", dying(moment))
            with pytest.raises(KeyboardInterrupt):
                other.save(folder, "another card")
        if moment == 0:  # nothing of the old model was deleted
            assert np.array_equal(LocalShape.load(folder).weights, old.weights)
        elif moment < 3:
            assert "does not match its checksum" in complaint(folder)
        else:  # the card alone is missing
            assert np.array_equal(LocalShape.load(folder).weights, other.weights)
    other.save(folder, "another card")
    assert np.array_equal(LocalShape.load(folder).weights, other.weights)
    assert len(list(folder.iterdir())) == 4


def dying(moment: int) -> Callable[[Path, Path], Path]:
    """Gives so many files their names, and none after them."""
    left, replace = [moment], Path.replace

    def rename(temporary: Path, path: Path) -> Path:
        if left[0] == 0:
            raise KeyboardInterrupt
        left[0] -= 1
        return replace(temporary, path)

    return rename


def test_every_shipped_model_has_its_checksums() -> None:
    for config in MODELS.rglob("config.json"):
        folder = config.parent
        checksums = json.loads((folder / "checksums.json").read_text())
        for name in ("config.json", "weights.safetensors"):
            assert checksums.pop(name) == sha256((folder / name).read_bytes()).hexdigest(), folder
        inside = {f"{each.parent.name}/checksums.json" for each in folder.glob("*/config.json")}
        assert set(checksums) == inside


def test_no_shipped_file_is_large() -> None:
    for path in MODELS.rglob("*.safetensors"):
        assert path.stat().st_size < 4_000_000, path


@pytest.mark.parametrize(
    ("digest", "words"),
    [
        ("../../secret", "is not the checksum of shared tables"),
        ("0" * 64, r"cannot read .*shared-0{12}\.safetensors: No such file"),
    ],
)
def test_tables_that_are_not_here_are_one_clear_line(digest: str, words: str) -> None:
    with pytest.raises(KatachiError, match=words):
        read_shared(digest, {})


def test_features_that_were_exchanged_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(MODELS / "linear9", folder)
    inside = CrbmFeatures.load(folder / "features0")
    inside.layers[0].arrays["weight"][:] = 0
    inside.save(folder / "features0", "whole, but not what the weights were learned for")
    with pytest.raises(KatachiError, match=r"features0/checksums\.json does not match its"):
        Linear.load(folder)
    seal_model(folder)
    Linear.load(folder)


def test_a_model_without_checksums_is_read_and_the_log_says_so(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        LocalShape.load(folder)
    assert f"{folder} has no checksums: damage to it would not be noticed" in caplog.messages
    seal_model(folder)
    caplog.clear()
    LocalShape.load(folder)
    assert not caplog.messages


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"config.json": "0"}', '{"../../a/checksums.json": "", "b": ""}']
)
def test_checksums_that_are_none_are_one_clear_line(text: str, folder: Path) -> None:
    (folder / "checksums.json").write_text(text)
    assert f"{folder} is damaged: checksums.json " in complaint(folder)
