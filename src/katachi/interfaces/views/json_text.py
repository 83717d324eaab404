"""Answers in JSON, one a line."""

import sys
from typing import Any

import msgspec


def encode_json(data: Any) -> bytes:
    """Plain data, or a struct, as one line; halves of characters, as bytes that are not UTF-8 are
    read, are written out."""
    try:
        return msgspec.json.encode(data) + b"\n"
    except UnicodeEncodeError:
        return msgspec.json.encode(_as_text(msgspec.to_builtins(data))) + b"\n"


def _as_text(data: Any) -> Any:
    """The same data with whole characters only."""
    if isinstance(data, str):
        return data.encode(errors="backslashreplace").decode()
    if isinstance(data, dict):
        return {_as_text(key): _as_text(value) for key, value in data.items()}
    return [_as_text(each) for each in data] if isinstance(data, (list, tuple)) else data


def write_json(data: Any) -> None:
    """Writes data as one line to standard output."""
    sys.stdout.write(encode_json(data).decode())
