"""Model folders that are cut short, made up, of another kind or hostile: one clear line, nothing
loaded, nothing executed."""

import json
import shutil
import struct
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load, save

from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear
from katachi.evaluators.local_shape import VERSION, LocalShape
from katachi.evaluators.opening_net import OpeningNet
from katachi.evaluators.territory import Territory
from katachi.features.crbm import CrbmFeatures
from katachi.files import model_folder as model_files
from katachi.files.model_folder import LARGEST_CONFIG, seal_model
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


def config_with(**changes: Any) -> Change:
    """The config with some of its fields changed."""
    return lambda data: json.dumps(json.loads(data) | changes).encode()


CONFIGS: dict[str, tuple[Change, str]] = {
    "empty": (lambda _: b"", "is not a model's config"),
    "no JSON": (lambda _: b"size = 5", "is not a model's config"),
    "a list": (lambda _: b"[1, 2]", "is not a model's config"),
    "cut": (lambda data: data[:-9], "is not a model's config"),
    "bytes": (lambda _: bytes(range(256)), "is not a model's config"),
    "text in another encoding": (lambda _: b'{"kind": "\xff\xfe"}', "is not a model's config"),
    "deep": (lambda _: b'{"kind":' + b"[" * 200_000, "is not a model's config"),
    "a pickle": (lambda _: f"cos\nsystem\n(S'touch {MARK}'\ntR.".encode(), "is not a model's"),
    "a huge file": (lambda data: data + b" " * LARGEST_CONFIG, "bytes long, more than"),
    "another kind": (config_with(kind="dag rnn"), "holds a model of kind 'dag rnn'"),
    "no kind": (config_with(kind=None), "is not a model's config"),
    "a newer version": (config_with(version=VERSION + 1), f"this katachi reads version {VERSION}"),
    "an older version": (config_with(version=0), "holds version 0"),
    "an unknown field": (config_with(code=f"open('{MARK}', 'w')"), "unknown field `code`"),
    "an unknown set": (config_with(sets=["7x7:LI"]), "no shape set '7x7:LI'"),
    "a hostile set": (config_with(sets=["\n" * 3 + "x" * 300]), "no shape set"),
    "no sets": (config_with(sets=[]), "shape set"),
    "sets that do not fit": (config_with(size=3), "does not fit a 3x3 board"),
    "another size": (config_with(size=6), "does not fit its config"),
    "no size": (config_with(size=10**12), "not playable"),
    "a size that is a word": (config_with(size="5"), "is not a model's config"),
    "other sets": (config_with(sets=["2x2:LD"]), "does not fit its config"),
    "no bins": (config_with(bins=0), "out of range"),
    "too many bins": (config_with(bins=2**40), "out of range"),
    "other bins": (config_with(bins=2**30), "does not fit its config"),
    "another unit": (config_with(unit=1.0), "out of range"),
}


@pytest.mark.parametrize(("change", "words"), CONFIGS.values(), ids=CONFIGS.keys())
def test_a_config_that_makes_no_sense_is_one_clear_line(
    change: Change, words: str, folder: Path
) -> None:
    file = folder / "config.json"
    file.write_bytes(change(file.read_bytes()))
    assert words in complaint(folder)


def tensors_with(change: Callable[[dict[str, Any]], object]) -> Change:
    """The weights with some of the arrays changed."""

    def changed(data: bytes) -> bytes:
        tensors = dict(load(data))
        change(tensors)
        return save(tensors)

    return changed


def header_with(change: Callable[[dict[str, Any]], object]) -> Change:
    """The weights with a changed header."""

    def changed(data: bytes) -> bytes:
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8 : 8 + length])
        change(header)
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + data[8 + length :]

    return changed


def named(count: int) -> dict[str, Any]:
    """Many arrays with long names."""
    return {f"{n}" * 30: np.zeros(1, np.int8) for n in range(count)}


WEIGHTS: dict[str, Change] = {
    "empty": lambda _: b"",
    "one byte": lambda _: b"\0",
    "zeros": lambda data: b"\0" * len(data),
    "a pickle": lambda _: f"cos\nsystem\n(S'touch {MARK}'\ntR.".encode(),
    "a numpy file": lambda _: b"\x93NUMPY\x01\x00",
    "cut in its length": lambda data: data[:5],
    "cut in its header": lambda data: data[:30],
    "cut in its weights": lambda data: data[:-1],
    "longer": lambda data: data + b"\0\0\0\0",
    "a header that never ends": lambda data: struct.pack("<Q", 2**63) + data[8:],
    "a header longer than the file": lambda data: struct.pack("<Q", len(data)) + data[8:],
    "no header": lambda _: struct.pack("<Q", 2) + b"{}",
    "a header of noise": lambda _: struct.pack("<Q", 100) + b"\xff" * 100,
    "a deep header": lambda _: struct.pack("<Q", 50_000) + b"[" * 50_000,
    "no weights": tensors_with(lambda t: t.pop("weights")),
    "no counts": tensors_with(lambda t: t.pop("seen")),
    "one array more": tensors_with(lambda t: t.update(code=np.zeros(3))),
    "a thousand more": tensors_with(lambda t: t.update(named(1000))),
    "fewer weights": tensors_with(lambda t: t.update(weights=t["weights"][1:])),
    "weights of another type": tensors_with(lambda t: t.update(weights=t["weights"] * 1.0)),
    "weights in rows": tensors_with(lambda t: t.update(weights=t["weights"][None])),
    "an unknown type": header_with(lambda h: h["weights"].update(dtype="PICKLE")),
    "a type that numpy lacks": header_with(lambda h: h["weights"].update(dtype="BF16")),
    "offsets beyond the end": header_with(lambda h: h["weights"].update(data_offsets=[0, 10**15])),
    "offsets that overlap": header_with(
        lambda h: h["weights"].update(data_offsets=h["seen"]["data_offsets"])
    ),
    "offsets that go back": header_with(lambda h: h["weights"].update(data_offsets=[8, 4])),
    "a shape beyond all numbers": header_with(lambda h: h["weights"].update(shape=[2**62, 2**62])),
    "a shape below zero": header_with(lambda h: h["weights"].update(shape=[-1])),
}


@pytest.mark.parametrize("change", WEIGHTS.values(), ids=WEIGHTS.keys())
def test_weights_that_are_none_are_one_clear_line(change: Change, folder: Path) -> None:
    file = folder / "weights.safetensors"
    file.write_bytes(change(file.read_bytes()))
    assert "weights.safetensors" in complaint(folder)


@pytest.mark.parametrize("end", range(0, 700, 13))
def test_a_file_cut_anywhere_is_refused(end: int, folder: Path) -> None:
    for name in ("config.json", "weights.safetensors"):
        data = (folder / name).read_bytes()
        if name == "config.json" and end >= len(data.rstrip()):
            continue
        (folder / name).write_bytes(data[:end])
        complaint(folder)
        (folder / name).write_bytes(data)
    LocalShape.load(folder)


@pytest.mark.parametrize("name", ["config.json", "weights.safetensors"])
def test_a_missing_file_is_named(name: str, folder: Path) -> None:
    (folder / name).unlink()
    assert complaint(folder) == f"cannot read {folder / name}: No such file or directory"


def test_a_folder_that_is_none_is_one_clear_line(folder: Path) -> None:
    assert complaint(folder / "nowhere").startswith("cannot read ")
    assert complaint(folder / "config.json").endswith("Not a directory")


def test_the_card_may_be_missing(folder: Path) -> None:
    (folder / "README.md").unlink()
    LocalShape.load(folder)


def test_a_huge_file_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "LARGEST_WEIGHTS", 100)
    assert "bytes long, more than a model's 100" in complaint(folder)


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


def flipped(file: Path, place: float) -> None:
    """One bit of a file, at a share of its length, is another one."""
    data = bytearray(file.read_bytes())
    data[int(place * (len(data) - 1))] ^= 1
    file.write_bytes(data)


KINDS: dict[str, Callable[[Path], object]] = {
    "shape5": LocalShape.load,
    "small19": Territory.load,
    "linear9": Linear.load,
    "crbm9": CrbmFeatures.load,
    "opening19": OpeningNet.load,
}


@pytest.mark.parametrize("name", KINDS)
def test_one_flipped_bit_anywhere_in_a_model_is_refused(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(MODELS / name, folder)
    files = [file for file in folder.rglob("*") if file.suffix in (".json", ".safetensors")]
    assert len(files) == (6 if name == "linear9" else 3)
    for file in files:
        whole = file.read_bytes()
        for place in np.linspace(0, 1, 12):
            flipped(file, place)
            with pytest.raises(KatachiError, match=r"^[^\n]* is damaged: [^\n]*$"):
                KINDS[name](folder)
            file.write_bytes(whole)
    KINDS[name](folder)


def test_every_shipped_model_has_its_checksums() -> None:
    for config in MODELS.rglob("config.json"):
        folder = config.parent
        checksums = json.loads((folder / "checksums.json").read_text())
        for name in ("config.json", "weights.safetensors"):
            assert checksums.pop(name) == sha256((folder / name).read_bytes()).hexdigest(), folder
        inside = {f"{each.parent.name}/checksums.json" for each in folder.glob("*/config.json")}
        assert set(checksums) == inside


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
