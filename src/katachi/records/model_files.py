"""Models on disk: a folder with `config.json`, `weights.safetensors` and a card for people.

Neither file can hold code. A model is read whole or refused with one line. safetensors is loaded
when a model is, so that learning needs no more than the kernels do.
"""

import json
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.records.atomic import write_atomically
from katachi.rules.errors import KatachiError

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "weights.safetensors"
CARD_FILE = "README.md"
LARGEST_CONFIG = 1_000_000
LARGEST_WEIGHTS = 2_000_000_000
LONGEST_LIST = 300
"""Letters of what a file holds, and should hold, that a message tells."""

Tensors = dict[str, npt.NDArray[np.generic]]
Config = TypeVar("Config", bound=msgspec.Struct)


class Heading(msgspec.Struct):
    """What every model's config begins with."""

    kind: str
    version: int


def read_config(folder: Path, kind: str, version: int, form: type[Config]) -> Config:
    """The config of a model of this kind and version; raises KatachiError for any other."""
    data = _read(folder / CONFIG_FILE, LARGEST_CONFIG)
    try:
        heading = msgspec.json.decode(data, type=Heading)
        if heading.kind != kind:
            raise KatachiError(f"{folder} holds a model of kind {heading.kind!r}, not {kind!r}")
        if heading.version != version:
            raise KatachiError(
                f"{folder} holds version {heading.version} of a {kind} model; this katachi reads "
                f"version {version}"
            )
        return msgspec.json.decode(data, type=form)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise KatachiError(f"{folder / CONFIG_FILE} is not a model's config: {error}") from None


def read_tensors(folder: Path, expected: dict[str, tuple[str, tuple[int, ...]]]) -> Tensors:
    """The weights of a model, which must be exactly the expected names, types and shapes."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    path = folder / WEIGHTS_FILE
    try:
        tensors: Tensors = load(_read(path, LARGEST_WEIGHTS))
    except (SafetensorError, ValueError, KeyError, OverflowError) as error:
        raise KatachiError(f"{path} is not a whole safetensors file: {error}") from None
    found = {name: (str(tensor.dtype), tensor.shape) for name, tensor in tensors.items()}
    if found != expected:
        held, needed = (
            str(dict(sorted(each.items())))[:LONGEST_LIST] for each in (found, expected)
        )
        raise KatachiError(f"{path} does not fit its config: {held} where {needed} is needed")
    return tensors


def write_model(folder: Path, config: msgspec.Struct, tensors: Tensors, card: str) -> None:
    """Writes a model: weights first, the config last, each of them whole or not at all."""
    from safetensors.numpy import save

    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONFIG_FILE).unlink(missing_ok=True)
    write_atomically(folder / WEIGHTS_FILE, save(tensors), is_durable=True)
    write_atomically(folder / CARD_FILE, card.encode())
    text = json.dumps(msgspec.to_builtins(config), indent=2) + "\n"
    write_atomically(folder / CONFIG_FILE, text.encode(), is_durable=True)


def _read(path: Path, limit: int) -> bytes:
    try:
        size = path.stat().st_size
        if size > limit:
            raise KatachiError(f"{path} is {size} bytes long, more than a model's {limit}")
        return path.read_bytes()
    except OSError as error:
        raise KatachiError(f"cannot read {path}: {error.strerror}") from None
