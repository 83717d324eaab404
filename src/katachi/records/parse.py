"""A game record from the main line of an SGF tree, through sgfmill."""

import re
from typing import Any

import numpy as np
from sgfmill import sgf, sgf_grammar, sgf_properties

from katachi.errors import KatachiError
from katachi.records import record
from katachi.records.result import result_from_text
from katachi.records.tree import BrokenTree, MainLine
from katachi.rules.color import BLACK, WHITE
from katachi.rules.limits import LONGEST_GAME
from katachi.rules.point import PASS, point_from_row_col, vertex_from_point
from katachi.rules.size import check_size

TEXT_PROPERTIES = {
    "RE": "result",
    "PB": "black",
    "BR": "black_rank",
    "PW": "white",
    "WR": "white_rank",
    "DT": "date",
    "RU": "rules",
    "EV": "event",
    "GN": "style",
}
NO_GAME = "no game found"
MAX_KOMI = 10_000.0
MAX_HANDICAP = 255
MAX_POINTS_NAMED = 500_000
"""Of all setup stones and marks together: a rectangle of a few letters is a whole board."""

_ROOT_ONLY = ("GM", "FF", "SZ", "CA")
_SIZE = re.compile(rb"\s*(\d{1,9})\s*(?::\s*(\d{1,9})\s*)?")
_COLOR_BY_PROPERTY = {"B": BLACK, "W": WHITE}


def parse_main_line(
    text: bytes, source: record.Source
) -> tuple[record.GameRecord, record.Ownership | None]:
    """The record in a tree without branches, in UTF-8, and its final territory marks.

    The marks are [size * size], +1 in TB, -1 in TW, 0 elsewhere, or None where no node behind the
    last move has any; the record's ownership is still None. Whether moves are legal is not checked.
    Raises RecordError.
    """
    try:
        return _MainLineReader(_open_game(text)).read(source)
    except (ValueError, KatachiError) as error:
        reason = str(error) or "not well formed"
        raise record.RecordError(record.Rejection(source, reason)) from None


def record_from_tree(
    tree: MainLine | BrokenTree, source: record.Source
) -> tuple[record.GameRecord, record.Ownership | None]:
    """`parse_main_line` of a tree; raises RecordError for a broken one too."""
    if isinstance(tree, BrokenTree):
        raise record.RecordError(record.Rejection(source, tree.reason))
    return parse_main_line(tree.text, source)


def komi_from_text(text: str) -> float | None:
    """The komi a KM text states, with a point or a comma; None when it states none."""
    try:
        komi = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    if "_" in text:
        # Python reads 6_5 as 65.
        return None
    return komi if -MAX_KOMI <= komi <= MAX_KOMI else None


def handicap_from_text(text: str) -> int:
    """The number of handicap stones an HA text states; 0 when it states none."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 3):
        return 0
    return min(int(digits), MAX_HANDICAP)


def _open_game(text: bytes) -> Any:
    """sgfmill's game, once its root is known to be of a board that can be played on."""
    coarse = sgf_grammar.parse_sgf_game(text)
    root = coarse.sequence[0]
    if root.get("GM", [b"1"])[0].strip() not in (b"1", b""):
        raise ValueError("not a game of Go")
    root["SZ"] = [str(_size_from_values(root.get("SZ", [b"19"]))).encode()]
    return sgf.Sgf_game.from_coarse_game_tree(coarse, override_encoding="UTF-8")


def _size_from_values(values: list[bytes]) -> int:
    if len(values) > 1:
        raise ValueError("SZ states more than one size")
    match = _SIZE.fullmatch(values[0])
    if match is None or int(match[2] or match[1]) != int(match[1]):
        shown = values[0][:20].decode("utf-8", "replace")
        raise ValueError(f"SZ[{shown}] is not the size of a square board")
    return check_size(int(match[1]))


class _MainLineReader:
    """Collects setup, moves and marks while it walks the nodes of one game."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.size: int = game.get_size()
        self.setup: dict[int, int] = {}
        self.moves: list[int] = []
        self.colors: list[int] = []
        self.first_to_play: int | None = None
        self.marks: record.Ownership | None = None
        self._named = 0

    def read(self, source: record.Source) -> tuple[record.GameRecord, record.Ownership | None]:
        for number, node in enumerate(self.game.main_sequence_iter()):
            if number:
                _refuse_root_properties(node, number)
            self._read_setup(node)
            self._read_move(node)
            self._read_marks(node)
        return self._record(source), self.marks

    def _record(self, source: record.Source) -> record.GameRecord:
        root = self.game.get_root()
        texts = {name: _text(root, key) for key, name in TEXT_PROPERTIES.items()}
        handicap = handicap_from_text(_text(root, "HA"))
        return record.GameRecord(
            size=self.size,
            moves=np.array(self.moves, np.uint16),
            colors=np.array(self.colors, np.uint8),
            setup_black=self._setup_points(BLACK),
            setup_white=self._setup_points(WHITE),
            first_to_play=self._first_to_play(handicap),
            komi=komi_from_text(_text(root, "KM")),
            handicap=handicap,
            result=result_from_text(texts["result"]),
            texts=record.GameTexts(**texts),
            source=source,
        )

    def _first_to_play(self, handicap: int) -> int:
        if self.colors:
            return self.colors[0]
        return self.first_to_play or first_player(handicap)

    def _setup_points(self, color: int) -> Any:
        points = sorted(point for point, owner in self.setup.items() if owner == color)
        return np.array(points, np.uint16)

    def _read_setup(self, node: Any) -> None:
        if node.has_property("PL") and not self.moves:
            self.first_to_play = {"b": BLACK, "w": WHITE}[node.get("PL")]
        if not node.has_setup_stones():
            return
        if self.moves:
            raise ValueError(f"setup stones after move {len(self.moves)}")
        self._count_points(node, "AB", "AW", "AE")
        try:
            black, white, empty = node.get_setup_stones()
        except ValueError:
            raise ValueError("setup stones that are off the board") from None
        for place in sorted((black & white) | (black & empty) | (white & empty)):
            vertex = vertex_from_point(self._point(place), self.size)
            raise ValueError(f"{vertex} is set up in two ways at once")
        self.setup.update((self._point(place), BLACK) for place in black)
        self.setup.update((self._point(place), WHITE) for place in white)
        for place in empty:
            self.setup.pop(self._point(place), None)

    def _read_move(self, node: Any) -> None:
        for name, color in _COLOR_BY_PROPERTY.items():
            if node.has_property(name):
                self._add_move(color, name, node)

    def _add_move(self, color: int, name: str, node: Any) -> None:
        number = len(self.moves) + 1
        if number > LONGEST_GAME:
            raise ValueError(record.TOO_LONG)
        values = node.get_raw_list(name)
        if len(values) > 1 or (node.has_property("B") and node.has_property("W")):
            raise ValueError(f"two moves in one node at move {number}")
        try:
            place = sgf_properties.interpret_go_point(values[0].strip(), self.size)
        except ValueError:
            shown = values[0][:20].decode("utf-8", "replace")
            raise ValueError(f"move {number} {name}[{shown}] is off the board") from None
        self.moves.append(PASS if place is None else self._point(place))
        self.colors.append(color)
        self.marks = None

    def _read_marks(self, node: Any) -> None:
        if not (node.has_property("TB") or node.has_property("TW")):
            return
        self._count_points(node, "TB", "TW")
        marks = np.zeros((self.size, self.size), np.int8)
        for name, owner in (("TB", 1), ("TW", -1)):
            for row, col in self._territory(node, name):
                if marks[self.size - 1 - row, col] == -owner:
                    raise ValueError("a point is marked as territory of both players")
                marks[self.size - 1 - row, col] = owner
        self.marks = marks.reshape(-1)

    def _territory(self, node: Any, name: str) -> Any:
        try:
            return node.get(name) if node.has_property(name) else ()
        except ValueError:
            raise ValueError(f"{name} marks a point that is off the board") from None

    def _count_points(self, node: Any, *names: str) -> None:
        """Raises ValueError once more points were named than any game has, before they are made."""
        values = (
            value for name in names if node.has_property(name) for value in node.get_raw_list(name)
        )
        self._named += sum(_points_in(value, self.size) for value in values)
        if self._named > MAX_POINTS_NAMED:
            raise ValueError("more setup stones and marks than any game has")

    def _point(self, place: tuple[int, int]) -> int:
        row, col = place
        return point_from_row_col(self.size - 1 - row, col)


def _points_in(value: bytes, size: int) -> int:
    """How many points a value such as aa or aa:ss names, at most."""
    if b":" not in value:
        return 1
    is_plain = len(value) == len(b"aa:ss")
    return (abs(value[3] - value[0]) + 1) * (abs(value[4] - value[1]) + 1) if is_plain else size**2


def first_player(handicap: int) -> int:
    """Who is to move first in a record without moves that does not say so itself."""
    return WHITE if handicap > 1 else BLACK


def _refuse_root_properties(node: Any, number: int) -> None:
    for name in _ROOT_ONLY:
        if node.has_property(name):
            raise ValueError(f"a second game begins in node {number}: {name} belongs in the root")


def _text(node: Any, name: str) -> str:
    """A property's first value as one line of text, "" where there is none."""
    if not node.has_property(name):
        return ""
    raw = sgf_grammar.simpletext_value(node.get_raw_list(name)[0])
    return " ".join(raw.decode("utf-8", "replace").split("\n")).strip()
