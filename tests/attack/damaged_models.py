"""Models of every kind, and what can be wrong with their files."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import load, save

from katachi.evaluators.linear import Linear
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.opening_net import OpeningNet
from katachi.evaluators.rlgo import RlgoEvaluator, count_weights
from katachi.evaluators.territory import Territory
from katachi.features.crbm import CrbmFeatures
from katachi.features.opening_inputs import RAW, OpeningInputs
from katachi.features.templates import template_map
from katachi.features.territory_inputs import InputSettings
from katachi.files.model_folder import CONFIG_FILE, LARGEST_CONFIG, WEIGHTS_FILE
from katachi.nets.crbm_form import CrbmForm
from tests.evaluators.rlgo_files import file_bytes, random_weights
from tests.evaluators.shape_models import random_model
from tests.evaluators.territory_models import random_territory
from tests.features.test_crbm import features_of

Change = Callable[[bytes], bytes]
Damage = tuple[Change, str]
"""What is done to a file, and what the line says of it."""
MARK = "this-file-would-be-made-by-code-in-a-model"
PICKLE = f"cos\nsystem\n(S'touch {MARK}'\ntR.".encode()
CONFIG, WEIGHTS = "is not a model's config", "is not a whole safetensors file"
UNFIT = "does not fit its config"


def crbm() -> CrbmFeatures:
    return features_of(CrbmForm(kernels=2))


class Kind(NamedTuple):
    """A kind of model."""

    save: Callable[[Path], object]
    load: Callable[[Path], object]
    files: tuple[str, ...] = (CONFIG_FILE, WEIGHTS_FILE)
    player: str = ""
    """The player that is made of it, if any."""


INSIDE = tuple(f"features1/{name}" for name in (CONFIG_FILE, WEIGHTS_FILE))
TABLES = InputSettings(("stones", "propensity:large"))
KINDS = {
    "shape": Kind(
        lambda path: random_model("1x1-2x2:LI+LD,4x3:LI").save(path, "a card"),
        LocalShape.load,
        player="shape",
    ),
    "territory": Kind(
        lambda path: random_territory(TABLES).save(path, ""), Territory.load, player="territory"
    ),
    "crbm": Kind(lambda path: crbm().save(path, ""), CrbmFeatures.load),
    "linear": Kind(
        lambda path: Linear([template_map(1), crbm()], 5).save(path, ""),
        Linear.load,
        (CONFIG_FILE, WEIGHTS_FILE, *INSIDE),
        "linear",
    ),
    "opening": Kind(
        lambda path: OpeningNet(OpeningInputs(RAW, 5)).save(path, ""),
        OpeningNet.load,
        player="opening",
    ),
    "rlgo": Kind(
        lambda path: path.write_bytes(file_bytes(random_weights(3))),
        RlgoEvaluator.load,
        ("",),
        "rlgo",
    ),
}
FOLDERS = [name for name in KINDS if name != "rlgo"]


def config_with(**changes: Any) -> Change:
    """The config with some of its fields changed."""
    return lambda data: json.dumps(json.loads(data) | changes).encode()


def inputs_with(**changes: Any) -> Change:
    """The config with some fields of its inputs changed."""
    return lambda data: config_with(inputs=json.loads(data)["inputs"] | changes)(data)


def tensors_with(change: Callable[[dict[str, Any], str], object]) -> Change:
    """The weights with some of the arrays changed; the last of them is named."""

    def changed(data: bytes) -> bytes:
        tensors = dict(load(data))
        change(tensors, max(tensors))
        return save(tensors)

    return changed


def header_with(**changes: Any) -> Change:
    """The weights with a changed header: the fields of the last array."""

    def changed(data: bytes) -> bytes:
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8 : 8 + length])
        header[max(header.keys() - {"__metadata__"})].update(changes)
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + data[8 + length :]

    return changed


def not_a_number(tensors: dict[str, Any], last: str) -> None:
    name = next(name for name in [last, *tensors] if tensors[name].dtype.kind == "f")
    tensors[name] = tensors[name].copy()
    tensors[name].flat[-1] = np.nan


ANY_CONFIG: dict[str, Damage] = {
    "empty": (lambda _: b"", CONFIG),
    "no JSON": (lambda _: b"size = 5", CONFIG),
    "a list": (lambda _: b"[1, 2]", CONFIG),
    "cut": (lambda data: data[:-9], CONFIG),
    "bytes": (lambda _: bytes(range(256)), CONFIG),
    "another encoding": (lambda _: b'{"kind": "\xff\xfe"}', CONFIG),
    "deep": (lambda _: b'{"kind":' + b"[" * 200_000, CONFIG),
    "a pickle": (lambda _: PICKLE, CONFIG),
    "huge": (lambda data: data + b" " * LARGEST_CONFIG, "bytes long, more than"),
    "another kind": (config_with(kind="dag rnn"), "holds a model of kind 'dag rnn'"),
    "no kind": (config_with(kind=None), CONFIG),
    "a newer version": (config_with(version=2), "this katachi reads version 1"),
    "an older version": (config_with(version=0), "holds version 0"),
    "an unknown field": (config_with(code=f"open('{MARK}', 'w')"), "unknown field `code`"),
    "a field missing": (lambda _: b'{"kind": "KIND", "version": 1}', "missing required field"),
}
ANY_WEIGHTS: dict[str, Damage] = {
    "empty": (lambda _: b"", WEIGHTS),
    "one byte": (lambda _: b"\0", WEIGHTS),
    "zeros": (lambda data: b"\0" * len(data), WEIGHTS),
    "a pickle": (lambda _: PICKLE, WEIGHTS),
    "a numpy file": (lambda _: b"\x93NUMPY\x01\x00", WEIGHTS),
    "cut in its length": (lambda data: data[:5], WEIGHTS),
    "cut in its header": (lambda data: data[:30], WEIGHTS),
    "cut in its weights": (lambda data: data[:-1], WEIGHTS),
    "longer": (lambda data: data + b"\0\0\0\0", WEIGHTS),
    "a huge header": (lambda data: struct.pack("<Q", 2**63) + data[8:], WEIGHTS),
    "a header beyond the end": (lambda data: struct.pack("<Q", len(data)) + data[8:], WEIGHTS),
    "no arrays": (lambda _: struct.pack("<Q", 2) + b"{}", UNFIT),
    "a header of noise": (lambda _: struct.pack("<Q", 100) + b"\xff" * 100, WEIGHTS),
    "a deep header": (lambda _: struct.pack("<Q", 50_000) + b"[" * 50_000, WEIGHTS),
    "one missing": (tensors_with(lambda t, last: t.pop(last)), UNFIT),
    "one more": (tensors_with(lambda t, _: t.update(code=np.zeros(3))), UNFIT),
    "a thousand more": (
        tensors_with(lambda t, _: t.update({f"{n}" * 30: np.zeros(1) for n in range(1000)})),
        UNFIT,
    ),
    "fewer": (tensors_with(lambda t, last: t.update({last: t[last][1:]})), UNFIT),
    "in rows": (tensors_with(lambda t, last: t.update({last: t[last][None]})), UNFIT),
    "another type": (
        tensors_with(lambda t, last: t.update({last: t[last] != 0})),
        UNFIT,
    ),
    "an unknown type": (header_with(dtype="PICKLE"), WEIGHTS),
    "a type that numpy lacks": (header_with(dtype="BF16"), WEIGHTS),
    "offsets beyond the end": (header_with(data_offsets=[0, 10**15]), WEIGHTS),
    "offsets that go back": (header_with(data_offsets=[8, 4]), WEIGHTS),
    "a huge shape": (header_with(shape=[2**62, 2**62]), WEIGHTS),
    "a shape below zero": (header_with(shape=[-1]), WEIGHTS),
}
NOT_NUMBERS: dict[str, Damage] = {
    "not numbers": (tensors_with(not_a_number), "weights that are not numbers")
}

GOOD = file_bytes(random_weights(3))
COUNT = count_weights(3)
VERSION, NAMES, NUMBER, BODY = GOOD.split(b"\n", 3)


def number_is(count: bytes) -> Change:
    return lambda data: data.replace(NUMBER, b"NumSaved = " + count, 1)


def weight_is(value: float) -> Damage:
    weights = random_weights(3)
    weights[4] = value
    return lambda _: file_bytes(weights), f"weight 5 of {COUNT} is {value:g}, it must lie within"


OWN: dict[tuple[str, str], dict[str, Damage]] = {
    ("shape", CONFIG_FILE): {
        "an unknown set": (config_with(sets=["7x7:LI"]), "no shape set '7x7:LI'"),
        "a hostile set": (config_with(sets=["\n" * 3 + "x" * 300]), "no shape set"),
        "no sets": (config_with(sets=[]), "shape set"),
        "sets that do not fit": (config_with(size=3), "does not fit a 3x3 board"),
        "another size": (config_with(size=6), UNFIT),
        "a huge size": (config_with(size=10**12), "not playable"),
        "a size that is a word": (config_with(size="5"), CONFIG),
        "other sets": (config_with(sets=["2x2:LD"]), UNFIT),
        "no bins": (config_with(bins=0), "out of range"),
        "too many bins": (config_with(bins=2**40), "out of range"),
        "huge bins": (config_with(bins=2**30), UNFIT),
        "another unit": (config_with(unit=1.0), "out of range"),
    },
    ("territory", CONFIG_FILE): {
        "no units": (config_with(hidden=0), CONFIG),
        "too many units": (config_with(states=10**9), CONFIG),
        "too many layers": (config_with(layers=10**9), CONFIG),
        "huge layers": (config_with(layers=64, hidden=4096, states=4096), UNFIT),
        "an unknown input": (inputs_with(inputs=["luck"]), "no input 'luck': there are stones"),
        "too many moves": (inputs_with(inputs=["recent:" + "9" * 5000]), "no input 'recent:99"),
        "an input twice": (inputs_with(inputs=["stones", "stones"]), "each of them once"),
        "no inputs": (inputs_with(inputs=[]), "a net needs inputs"),
        "other inputs": (inputs_with(inputs=["stones", "propensity"]), UNFIT),
        "another kernel": (inputs_with(influence_kernel="x"), CONFIG),
        "a large cap": (inputs_with(eye_cap=10**18), "caps of inputs are 1 to 1000"),
        "no cap": (inputs_with(edge_cap=0), "caps of inputs are 1 to 1000"),
        "a net of two outputs": (config_with(outputs=2), "a net of 2 outputs: use 1 or 3"),
        "a temperature of no size": (config_with(temperatures={"x": 1.0}), "holds no temperature"),
        "one of a large size": (config_with(temperatures={"9" * 5000: 1.0}), "no temperature"),
        "one below zero": (config_with(temperatures={"9": -1.0}), "holds no temperature"),
        "one that is no number": (config_with(temperatures={"9": None}), CONFIG),
        "a huge table": (config_with(large_bits=28), UNFIT),
        "too large a table": (config_with(large_bits=60), CONFIG),
    },
    ("territory", WEIGHTS_FILE): NOT_NUMBERS
    | {
        "a full table": (
            tensors_with(lambda t, _: t.update({"large.key": np.ones_like(t["large.key"])})),
            "no table of large patterns",
        ),
    },
    ("crbm", CONFIG_FILE): {
        "unknown inputs": (config_with(inputs=["luck"]), "no inputs luck"),
        "no layers": (config_with(layers=[]), CONFIG),
        "a huge layer": (config_with(layers=[{"kernels": 4096}]), UNFIT),
        "pooled, but not tied": (config_with(is_pooled=True), "pooled"),
    },
    ("crbm", WEIGHTS_FILE): NOT_NUMBERS,
    ("linear", CONFIG_FILE): {
        "no features": (config_with(features=[]), UNFIT),
        "unknown features": (config_with(features=["luck"]), "no features 'luck'"),
        "features that are nowhere": (config_with(features=["crbm"]), "cannot read"),
        "huge features": (config_with(features=["templates:3x3"] * 9000, size=25), UNFIT),
        "too small a board": (config_with(size=2), "do not fit on a 2x2 board"),
        "a huge board": (config_with(size=10**12), "not playable"),
    },
    ("linear", WEIGHTS_FILE): NOT_NUMBERS,
    ("linear", INSIDE[1]): NOT_NUMBERS,
    ("opening", CONFIG_FILE): {
        "another unit": (config_with(unit=1.0), "in units of 1.0"),
        "another size": (inputs_with(size=6), UNFIT),
        "unknown inputs": (inputs_with(kinds=["stars"]), "no inputs 'stars'"),
        "a huge board": (inputs_with(size=99), CONFIG),
    },
    ("opening", WEIGHTS_FILE): NOT_NUMBERS,
    ("rlgo", ""): {
        "empty": (lambda _: b"", "line 1 is missing, it must be 'Version = 2'"),
        "zeros": (lambda data: b"\0" * len(data), "line 1 is '"),
        "letters": (lambda _: b"A" * 5000, "line 1 is 'AAAAAAAAAAA'..., it must be 'Version = 2'"),
        "a pickle": (lambda _: PICKLE, "line 1 is 'cos"),
        "another encoding": (lambda _: b"\xff\xfe\n" * 4, "line 1 is '\N{REPLACEMENT CHARACTER}"),
        "other line ends": (lambda data: data.replace(b"\n", b"\r\n", 3), r"'Version = 2\r\n'"),
        "another version": (lambda data: data.replace(b"= 2", b"= 3", 1), r"'Version = 3\n', it"),
        "one line": (lambda _: VERSION + b"\n", "line 2 is missing, it must be 'FeatureSet = ("),
        "other shapes": (lambda data: data.replace(b"3x3-LD", b"3x3-XY", 1), "line 2 is 'Feature"),
        "another field": (lambda data: data.replace(b"NumSaved", b"Saved", 1), "'Saved = "),
        "a count below zero": (number_is(b"-1"), "it must be 'NumSaved = NUMBER'"),
        "a broken count": (number_is(b"1e3"), "it must be 'NumSaved = NUMBER'"),
        "no count": (number_is(b""), "it must be 'NumSaved = NUMBER'"),
        "a long count": (number_is(b"9" * 30), "it must be 'NumSaved = NUMBER'"),
        "another count": (number_is(b"7"), "holds 7 weights: no board from 3x3 to 25x25"),
        "a huge count": (number_is(b"999999999"), "(9x9 has 63303)"),
        "cut in its count": (lambda data: data[: -len(BODY) - 1], f"'NumSaved = {COUNT}', it"),
        "no weights": (lambda data: data[: -len(BODY)], f"need {4 * COUNT} bytes, there are only"),
        "cut": (lambda data: data[:-1], f"there are only {4 * COUNT - 1}"),
        "longer": (lambda data: data + b"\0", f"need {4 * COUNT} bytes, there are more"),
        "not numbers": weight_is(float("nan")),
        "infinite": weight_is(float("-inf")),
        "too heavy": weight_is(1e20),
    },
}


GENERAL = {CONFIG_FILE: ANY_CONFIG, WEIGHTS_FILE: ANY_WEIGHTS}
CASES = {
    f"{kind}-{file}-{name}": (kind, file, damage)
    for kind, about in KINDS.items()
    for file in about.files
    for name, damage in (GENERAL.get(Path(file).name, {}) | OWN.get((kind, file), {})).items()
}
