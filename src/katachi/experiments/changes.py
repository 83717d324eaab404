"""Settings of an experiment as a person changes them: `games=2000`, `machine.layer.kernels=50`.

A name leads through records by dots, through lists by numbers from 0 (`pairings.0.games`), and
through what has names by these. A list of plain values is written `1,2,3`, or like anything larger
in JSON; `null` is none.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from hashlib import sha256
from math import isfinite
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import inspect

from katachi.errors import KatachiError
from katachi.experiments.bounds import LARGEST, MOST
from katachi.experiments.protocol import Settings

S = TypeVar("S", bound=Settings)
Data = Any
"""Settings as plain values: what stands in a result's file."""

LISTS = (inspect.VarTupleType, inspect.ListType)
LONGEST_NAME = 100
ENDS = {"ge": "{} or more", "gt": "above {}", "le": "{} at most", "lt": "below {}"}
TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


class Setting(NamedTuple):
    """Something that can be changed."""

    name: str
    """Where a list or names are in between, with N or NAME in their places."""
    kind: str
    """What may stand there, in words."""
    default: str
    """As it would be written; empty of what has parts or may differ from part to part."""
    owner: type[msgspec.Struct]
    """The record that declares it."""
    field: str


def settings_in(settings: Settings) -> list[Setting]:
    """Everything that can be changed, parts of parts after their wholes."""
    return list(_settings_in(inspect.type_info(type(settings)), plain_settings(settings), ""))


def _settings_in(kind: inspect.Type, data: Data, prefix: str) -> Iterator[Setting]:
    kind = _without_none(kind)
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            name = prefix + field.encode_name
            value = data[field.encode_name] if data is not None else None
            default = "" if isinstance(field.type, inspect.StructType) else _shown(value)
            yield Setting(name, words_of(field.type), default, kind.cls, field.name)
            yield from _settings_in(field.type, value, f"{name}.")
    elif (item := _item_of(kind)) is not None:
        values = list(data.values() if isinstance(data, dict) else data or ())
        step = "NAME" if isinstance(kind, inspect.DictType) else "N"
        parts = _settings_in(item, values[0] if values else None, f"{prefix}{step}.")
        yield from (each._replace(default="") for each in parts)


def change_settings(settings: S, changes: Sequence[str]) -> S:
    """The settings with each `NAME=VALUE`; raises KatachiError, saying what would be right."""
    form = type(settings)
    for change in changes:
        name, is_change, text = change.partition("=")
        if not is_change:
            raise KatachiError(f"{change!r} is no change: write NAME=VALUE, such as runs=3")
        data = plain_settings(settings)
        kind = _put(inspect.type_info(form), data, name, text)
        try:
            settings = msgspec.convert(data, form)
        except msgspec.ValidationError as error:
            raise _refusal(change, kind, str(error)) from None
    return settings


def _put(kind: inspect.Type, data: Data, name: str, text: str) -> inspect.Type:
    """Writes a value into plain settings; returns what may stand there."""
    *path, last = name.split(".")
    for at, step in enumerate(path):
        kind, key = _step(kind, data, ".".join(path[:at]), step)
        data = data[key]
    kind, key = _step(kind, data, ".".join(path), last)
    data[key] = _value(f"{name}={text}", kind, text)
    return kind


def _step(kind: inspect.Type, data: Data, where: str, step: str) -> tuple[inspect.Type, Any]:
    """(what may stand in a part of settings, its key there); raises KatachiError."""
    kind = _without_none(kind)
    if isinstance(kind, inspect.StructType) and data is not None:
        for field in kind.fields:
            if field.encode_name == step:
                return field.type, step
    item = _item_of(kind)
    keys = _keys_of(data)
    if item is not None and step in map(str, keys):
        return item, int(step) if isinstance(data, list) else step
    asked, prefix = (f"{where}.{step}", f"{where}.") if where else (step, "")
    choice = ", ".join(f"{prefix}{key}" for key in keys)
    raise KatachiError(
        f"no setting {asked!r}: " + (f"choose {choice}" if choice else f"{where} has no parts")
    )


def _keys_of(data: Data) -> list[Any]:
    """By what the parts of plain settings are found; nothing where there are none."""
    return (
        list(range(len(data)))
        if isinstance(data, list)
        else list(data if isinstance(data, dict) else ())
    )


def _value(change: str, kind: inspect.Type, text: str) -> Data:
    """What a text stands for, where that is not checked yet; raises KatachiError."""
    if _has_none(kind) and text.lower() in ("null", "none"):
        return None
    kind = _without_none(kind)
    item = _item_of(kind)
    try:
        if (
            item is not None
            and isinstance(kind, LISTS)
            and _is_plain(item)
            and not text.startswith("[")
        ):
            return [_value(change, item, part.strip()) for part in text.split(",") if part]
        if isinstance(kind, inspect.IntType):
            return int(text)
        if isinstance(kind, inspect.FloatType):
            return _finite(float(text))
        if isinstance(kind, inspect.BoolType):
            return TRUTHS[text.lower()]
        if isinstance(kind, (inspect.StrType, inspect.EnumType)):
            return text
        return msgspec.json.decode(text)
    except (ValueError, KeyError) as error:
        raise _refusal(change, kind, str(error)) from None


def _finite(number: float) -> float:
    if not isfinite(number):
        raise ValueError(number)
    return number


def _refusal(change: str, kind: inspect.Type, why: str) -> KatachiError:
    words = words_of(kind) if _is_plain(kind) else f"{words_of(kind)} ({why})"
    return KatachiError(f"{change}: use {words}")


def _is_plain(kind: inspect.Type) -> bool:
    return _item_of(kind) is None and not isinstance(kind, inspect.StructType)


def words_of(kind: inspect.Type) -> str:
    """What may stand there: `a whole number from 2 to 25`."""
    if _has_none(kind):
        return f"{words_of(_without_none(kind))}, or null"
    if isinstance(kind, inspect.IntType):
        return f"a whole number{_range_of(kind)}"
    if isinstance(kind, inspect.FloatType):
        return f"a number{_range_of(kind)}"
    if isinstance(kind, inspect.BoolType):
        return "true or false"
    if isinstance(kind, inspect.EnumType):
        return "one of " + ", ".join(str(each.value) for each in kind.cls)
    return "a text" if isinstance(kind, inspect.StrType) else _words_of_parts(kind)


def _words_of_parts(kind: inspect.Type) -> str:
    item = _item_of(kind)
    if item is None:
        return "a record in JSON" if isinstance(kind, inspect.StructType) else "a value"
    if isinstance(kind, inspect.DictType):
        return f"names in JSON, each with {words_of(item).removesuffix(' in JSON')}"
    words = words_of(item).removeprefix("a ")
    return f"a list, each {words}" if _is_plain(item) else "a list of records in JSON"


def _range_of(kind: inspect.IntType | inspect.FloatType) -> str:
    ends = {name: getattr(kind, name) for name in ENDS if getattr(kind, name) is not None}
    shown = {name: f"{end:.10g}" for name, end in ends.items() if end not in (MOST, LARGEST)}
    if shown.keys() == {"ge", "le"}:
        return f" from {shown['ge']} to {shown['le']}"
    words = " and ".join(ENDS[name].format(end) for name, end in shown.items())
    return f", {words}" if words else ""


def _has_none(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.UnionType) and kind.includes_none


def _without_none(kind: inspect.Type) -> inspect.Type:
    if isinstance(kind, inspect.UnionType):
        return next(each for each in kind.types if not isinstance(each, inspect.NoneType))
    return kind


def _item_of(kind: inspect.Type) -> inspect.Type | None:
    """What the parts of a list, or of what has names, may be; None of anything else."""
    if isinstance(kind, inspect.DictType):
        return kind.value_type
    return kind.item_type if isinstance(kind, LISTS) else None


def plain_settings(settings: Settings) -> Data:
    """Settings as plain values, lists and names, as a result has them."""
    return msgspec.json.decode(msgspec.json.encode(settings))


def differences(old: Data, new: Data, prefix: str = "") -> dict[str, tuple[Data, Data]]:
    """(before, after) of everything in which plain settings differ, by its name; what only one of
    them has is left out."""
    if _is_alike(old, new):
        keys = list(range(len(old))) if isinstance(old, list) else [k for k in old if k in new]
        found: dict[str, tuple[Data, Data]] = {}
        for key in keys:
            found |= differences(old[key], new[key], f"{prefix}.{key}" if prefix else str(key))
        return found
    return {} if old == new else {prefix: (old, new)}


def _is_alike(old: Data, new: Data) -> bool:
    """Whether two parts of settings are compared part by part."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(isinstance(each, dict) for each in old)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return False
    return not any("." in key for key in old)  # whose parts have no paths


def note_of_changes(before: Settings, after: Settings) -> list[str]:
    """What a reader of the result must know; nothing where all is as it was."""
    found = differences(plain_settings(before), plain_settings(after))
    words = [f"{name} {_shown(new)} for {_shown(old)}" for name, (old, new) in found.items()]
    return [f"Changed settings: {'; '.join(words)}."] if words else []


def command_of(name: str, standard: Settings, settings: Data, *, seed: int, has_data: bool) -> str:
    """The command that does an experiment with plain settings such as a result has."""
    changed = differences(plain_settings(standard), settings)
    words = ["katachi", "experiment", "run", name]
    if "runs" in changed:
        words += ["--runs", str(changed.pop("runs")[1])]
    for setting, (_, value) in changed.items():
        words += ["--set", shlex.quote(f"{setting}={_text_of(value)}")]
    words += ["--seed", str(seed)] if seed != 1 else []
    return " ".join([*words, *(["--data", "FOLDER"] if has_data else [])])


def name_of_changes(changes: Sequence[str]) -> str:
    """A part of a file's name that differs for different changes; empty without any."""
    text = ".".join(re.sub(r"[^\w+.-]+", "-", change) for change in changes)
    if len(text) <= LONGEST_NAME:
        return text
    return f"{text[:LONGEST_NAME]}-{sha256(' '.join(changes).encode()).hexdigest()[:8]}"


def _text_of(value: Data) -> str:
    """A value as `change_settings` reads it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not any(isinstance(each, (dict, list)) for each in value):
        return ",".join(map(str, value))
    return msgspec.json.encode(value).decode()


def _shown(value: Data) -> str:
    """A value in a few words."""
    if value in ("", None, [], {}):
        return "-"
    parts = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)) and any(isinstance(each, (dict, list)) for each in parts):
        return ", ".join(value) if isinstance(value, dict) else f"{len(value)} records"
    return _text_of(value)
