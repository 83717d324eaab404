"""The root of a plainly written game, read without sgfmill."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from katachi.records.columns import TEXT_NAMES, UNKNOWN_RANK, setup_codes
from katachi.records.parse import TEXT_PROPERTIES, handicap_from_text, komi_from_text
from katachi.records.properties import date_from_text, rank_from_text
from katachi.records.record import GameRecord
from katachi.records.result import result_from_text
from katachi.records.stones import COLOR_UNIT
from katachi.rules.color import BLACK
from katachi.rules.point import point_from_row_col
from katachi.rules.ruleset import RULESETS

_PROPERTY = re.compile(r"([A-Z]+)\[([^\]]*)\]((?:\s*\[[^\]]*\])*)")
_UTF8_NAMES = ("", "UTF-8", "utf-8", "UTF8", "utf8")
_PLAIN = {
    *TEXT_PROPERTIES,
    *("GM", "FF", "CA", "SZ", "AP", "ST", "KM", "HA", "AB", "TM"),
    *("OT", "PC", "RO", "SO", "US", "GC"),  # codespell:ignore ot
    *("C", "ON", "AN", "CP", "BT", "WT", "N"),
}
"""Properties of a root that are read here, or do not matter."""

_KEYS = {name: key for key, name in TEXT_PROPERTIES.items()}
_TEXT_KEYS = tuple(_KEYS[name] for name in TEXT_NAMES)
_NO_SETUP = np.empty(0, np.uint16)


@dataclass(frozen=True, slots=True)
class Header:
    """What a root says: komi (NaN where unknown), handicap, codes of setup stones, texts."""

    komi: float
    handicap: int
    setup: npt.NDArray[np.uint16]
    texts: list[str]


def header_from_root(root: bytes, size: int, *, is_body_ascii: bool) -> Header | None:
    """The header a root's properties state, or None where only sgfmill should read them.

    `root` are the bytes between the first `;` and the next, without escapes or control characters.
    """
    try:
        found = _PROPERTY.findall(root.decode("utf-8"))
    except UnicodeDecodeError:
        return None
    values = {name: first for name, first, _ in found}
    if len(values) < len(found) or not (values.keys() <= _PLAIN) or not _is_plain(values):
        return None
    if not is_body_ascii and not root.isascii():
        return None
    setup = _setup_codes(found, size) if "AB" in values else _NO_SETUP
    if setup is None:
        return None
    komi = _komi(values.get("KM", ""))
    handicap = handicap_from_text(values.get("HA", ""))
    return Header(komi, handicap, setup, [values.get(key, "").strip() for key in _TEXT_KEYS])


def _is_plain(values: dict[str, str]) -> bool:
    return values.get("CA", "") in _UTF8_NAMES and values.get("GM", "1") == "1"


def _setup_codes(found: list[tuple[str, str, str]], size: int) -> npt.NDArray[np.uint16] | None:
    text = next(f"[{first}]{rest}" for name, first, rest in found if name == "AB")
    names = "".join(text.split())[1:-1].split("][")
    if any(len(name) != 2 for name in names):
        return None
    places = {(ord(name[1]) - ord("a"), ord(name[0]) - ord("a")) for name in names}
    if not all(0 <= row < size and 0 <= col < size for row, col in places):
        return None
    codes = sorted(BLACK * COLOR_UNIT + point_from_row_col(row, col) for row, col in places)
    return np.array(codes, np.uint16)


@lru_cache(maxsize=4096)
def _komi(text: str) -> float:
    komi = komi_from_text(text)
    return float("nan") if komi is None else komi


def header_from_record(record: GameRecord) -> Header:
    """The same for a game that sgfmill read."""
    komi = float("nan") if record.komi is None else record.komi
    texts = [getattr(record.texts, name) for name in TEXT_NAMES]
    return Header(komi, record.handicap, setup_codes(record), texts)


def info_from_header(header: Header, size: int, first_to_play: int) -> tuple[Any, ...]:
    """The values of INFO in order, up to the date."""
    result, _, black_rank, _, white_rank, date, rules, *_ = header.texts
    winner, ending, margin = _result(result)
    ranks = _rank(black_rank), _rank(white_rank)
    known = (size, header.handicap, first_to_play, winner, ending, allows_suicide(rules), *ranks)
    return (*known, header.komi, margin, date_from_text(date))


@lru_cache(maxsize=4096)
def _rank(text: str) -> int:
    rank = rank_from_text(text)
    return UNKNOWN_RANK if rank is None else rank


@lru_cache(maxsize=4096)
def allows_suicide(rules: str) -> bool:
    """Whether the rules an RU text names are known to allow suicide."""
    name = "-".join(rules.lower().replace("_", " ").replace("-", " ").split())
    known = RULESETS.get({"nz": "new-zealand", "goe": "new-zealand"}.get(name, name))
    return known is not None and known.suicide


@lru_cache(maxsize=4096)
def _result(text: str) -> tuple[int, int, float]:
    result = result_from_text(text)
    margin = float("nan") if result.margin is None else result.margin
    return result.winner, int(result.ending), margin
