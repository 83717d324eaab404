"""Models on disk: a folder with `config.json`, `weights.safetensors`, `checksums.json` and a card.

No file can hold code. A model is read whole, as it was written, or refused with one line; one that
an earlier katachi wrote has no checksums and is read without. safetensors is loaded when a model
is, so that learning needs no more than the kernels do. Tables that several shipped models have in
common lie in one file beside their folders.
"""

import json
import logging
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import msgspec
import numpy as np

from katachi.errors import KatachiError
from katachi.files import packing
from katachi.files.atomic import atomic_file, write_atomically
from katachi.files.shipped_folders import MODELS

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "weights.safetensors"
CARD_FILE = "README.md"
CHECKSUMS_FILE = "checksums.json"
"""SHA-256 of config and weights, and of the checksums of models in folders inside."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_INSIDE = re.compile(rf"\w+/{re.escape(CHECKSUMS_FILE)}")
VERSION = 1
"""Of the files of every kind of model."""
LARGEST_CONFIG = 1_000_000
LARGEST_WEIGHTS = 2_000_000_000
LONGEST_LIST = 300
"""Letters of what a file holds, and should hold, that a message tells."""

_log = logging.getLogger(__name__)

Tensors = packing.Tensors
Config = TypeVar("Config", bound=msgspec.Struct)
Forms = Mapping[str, tuple[str, tuple[int, ...]]]
"""The type and shape of each array, by its name."""


class Heading(msgspec.Struct):
    """What every model's config begins with."""

    kind: str
    version: int


class StoredModel(ABC):
    """A model that is kept in a folder of its own; each kind says what lies there."""

    kind: ClassVar[str]
    form: ClassVar[type[Any]]
    """What `config.json` of this kind says: a struct with `training`, `kind` and `version`."""
    training: dict[str, Any]
    """How it was made: command, settings, seed, versions, commit."""

    @property
    @abstractmethod
    def tensors(self) -> Tensors:
        """What it has learned, by name."""

    @abstractmethod
    def config(self, folder: Path) -> msgspec.Struct:
        """What `config.json` is to say; what lies in folders inside is written there."""

    @classmethod
    @abstractmethod
    def of_config(cls, config: Any, folder: Path) -> Self:
        """The model that a config means, with the weights of a folder; raises KatachiError."""

    def save(self, folder: Path, card: str) -> None:
        """Writes the model's folder; raises OSError."""
        write_model(folder, self.config(folder), self.tensors, card)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The model of a folder; raises KatachiError, saying what is wrong, and loads nothing."""
        config = read_config(folder, cls.kind, VERSION, cls.form)
        model = cls.of_config(config, folder)
        model.training = config.training
        return model


def read_config(folder: Path, kind: str, version: int, form: type[Config]) -> Config:
    """The config of a model of this kind and version; raises KatachiError for any other."""
    data = _read_checked(folder, CONFIG_FILE, LARGEST_CONFIG)
    for name in _read_checksums(folder) or {}:
        if name not in (CONFIG_FILE, WEIGHTS_FILE):
            _read_checked(folder, name, LARGEST_CONFIG)
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


def read_tensors(folder: Path, expected: Forms) -> Tensors:
    """The weights of a model, which must be exactly the expected names, types and shapes, and all
    of them numbers; they may be kept in fewer bits (`katachi.files.packing`)."""
    data = _read_checked(folder, WEIGHTS_FILE, LARGEST_WEIGHTS)
    return _tensors_in(data, folder / WEIGHTS_FILE, expected)


def read_shared(digest: str, expected: Forms) -> Tensors:
    """Arrays that several shipped models have in common, from the file with this SHA-256; raises
    KatachiError as `read_tensors` does."""
    if not _DIGEST.fullmatch(digest):
        raise KatachiError(f"{digest[:LONGEST_LIST]!r} is not the checksum of shared tables")
    path = shared_file(digest)
    data = _read(path, LARGEST_WEIGHTS)
    if sha256(data).hexdigest() != digest:
        raise KatachiError(f"{path} is damaged: it does not match its checksum")
    return _tensors_in(data, path, expected)


def shared_file(digest: str) -> Path:
    """Where arrays lie that several shipped models have in common."""
    return MODELS / f"shared-{digest[:12]}.safetensors"


def _tensors_in(data: bytes, path: Path, expected: Forms) -> Tensors:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        tensors: Tensors = load(data)
    except (SafetensorError, ValueError, KeyError, OverflowError) as error:
        raise KatachiError(f"{path} is not a whole safetensors file: {error}") from None
    tensors = packing.unpacked(tensors, {name: dtype for name, (dtype, _) in expected.items()})
    found = {name: (str(tensor.dtype), tensor.shape) for name, tensor in tensors.items()}
    if found != expected:
        held, needed = (
            str(dict(sorted(each.items())))[:LONGEST_LIST] for each in (found, expected)
        )
        raise KatachiError(f"{path} does not fit its config: {held} where {needed} is needed")
    floats = (tensor for tensor in tensors.values() if tensor.dtype.kind == "f")
    if not all(np.isfinite(tensor).all() for tensor in floats):
        raise KatachiError(f"{path.parent} holds weights that are not numbers")
    return tensors


def write_model(folder: Path, config: msgspec.Struct, tensors: Tensors, card: str) -> None:
    """Writes a model, in place of one that may be there; raises OSError.

    All of it is on the disk before a file changes its name, the checksums first: whenever this is
    stopped, the folder holds the old model, or the new one, or is refused.
    """
    from safetensors.numpy import save

    text = json.dumps(msgspec.to_builtins(config), indent=2) + "\n"
    files = {CARD_FILE: card.encode(), CONFIG_FILE: text.encode(), WEIGHTS_FILE: save(tensors)}
    folder.mkdir(parents=True, exist_ok=True)
    files[CHECKSUMS_FILE] = _checksums(folder, files)
    with ExitStack() as stack:  # which ends what was begun last first
        for name, data in files.items():
            stream = stack.enter_context(atomic_file(folder / name))
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())


def seal_model(folder: Path) -> None:
    """Writes the checksums of a model as it lies there, and of the models inside; raises OSError.
    For whoever has changed a model on purpose."""
    for inside in sorted(folder.glob(f"*/{CONFIG_FILE}")):
        seal_model(inside.parent)
    files = {name: (folder / name).read_bytes() for name in (CONFIG_FILE, WEIGHTS_FILE)}
    write_atomically(folder / CHECKSUMS_FILE, _checksums(folder, files), is_durable=True)


def _checksums(folder: Path, files: dict[str, bytes]) -> bytes:
    """What the file of checksums of a folder with these files holds."""
    known = {name: sha256(files[name]).hexdigest() for name in (CONFIG_FILE, WEIGHTS_FILE)}
    for path in sorted(folder.glob(f"*/{CHECKSUMS_FILE}")):
        known[path.relative_to(folder).as_posix()] = sha256(path.read_bytes()).hexdigest()
    return (json.dumps(known, indent=2) + "\n").encode()


def _read_checksums(folder: Path) -> dict[str, str] | None:
    """The checksums of a model's files by their names; None for a model that has none."""
    path = folder / CHECKSUMS_FILE
    if not path.exists():
        _log.info("%s has no checksums: damage to it would not be noticed", folder)
        return None
    try:
        found = msgspec.json.decode(_read(path, LARGEST_CONFIG), type=dict[str, str])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise KatachiError(f"{folder} is damaged: {CHECKSUMS_FILE} cannot be read") from None
    inside = [name for name in found if name not in (CONFIG_FILE, WEIGHTS_FILE)]
    is_known = all(_INSIDE.fullmatch(name) for name in inside)
    if not is_known or len(found) != len(inside) + 2:
        raise KatachiError(f"{folder} is damaged: {CHECKSUMS_FILE} names other files than it has")
    return found


def _read_checked(folder: Path, name: str, limit: int) -> bytes:
    """The bytes of a file of a model, which are those its checksum was made of; raises KatachiError
    where they are not."""
    data = _read(folder / name, limit)
    checksums = _read_checksums(folder)
    if checksums is not None and sha256(data).hexdigest() != checksums[name]:
        raise KatachiError(f"{folder} is damaged: {name} does not match its checksum")
    return data


def _read(path: Path, limit: int) -> bytes:
    try:
        size = path.stat().st_size
        if not path.is_file():  # a pipe would keep us waiting for as long as nobody writes
            raise KatachiError(f"cannot read {path}: not a file")
        if size > limit:
            raise KatachiError(f"{path} is {size} bytes long, more than a model's {limit}")
        return path.read_bytes()
    except OSError as error:
        raise KatachiError(f"cannot read {path}: {error.strerror}") from None
