"""Reading files of games into columns, quickly."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from katachi.records import scan
from katachi.records.columns import Columns, ColumnsBuilder
from katachi.records.files import RawFile, read_chunks
from katachi.records.header import Header, header_from_record, header_from_root, info_from_header
from katachi.records.parse import NO_GAME, first_player, record_from_tree
from katachi.records.record import (
    GameRecord,
    Ownership,
    RecordError,
    Rejection,
    Source,
    check_arrays,
)
from katachi.records.replay import complete_owners, explain_illegal, identities_of
from katachi.records.stones import COLOR_UNIT, Codes, codes_from_moves
from katachi.records.tree import BrokenTree, MainLine, TreeBuffer
from katachi.rules.legality import LEGAL

_SCAN_BYTES = 1 << 23
_NO_MARKS = np.empty(0, np.int8)


def settle_games(columns: Columns) -> tuple[Columns, list[Rejection]]:
    """Replays all games, completes owners and identities, and parts off games with illegal moves.

    Takes columns whose owners are still bare marks, and writes into them.
    """
    replay = complete_owners(columns)
    columns.info["identity"] = identities_of(columns)
    rejections = []
    for row in np.flatnonzero(replay.verdicts).tolist():
        info = columns.info[row]
        source = Source(columns.files[info["file"]], int(info["number"]))
        verdict, index = int(replay.verdicts[row]), int(replay.illegal_at[row])
        rejections.append(Rejection(source, explain_illegal(columns, row, verdict, index)))
    if rejections:
        columns = columns.take(np.flatnonzero(replay.verdicts == LEGAL))
    return columns, rejections


def add_record(builder: ColumnsBuilder, record: GameRecord, marks: Ownership | None) -> None:
    """Adds a record of the builder's last file, with its bare territory marks; raises RecordError
    for one whose arrays do not fit its board."""
    check_arrays(record, marks)
    header = header_from_record(record)
    place = (len(builder.files) - 1, record.source.number, 0)
    info = (*info_from_header(header, record.size, record.first_to_play), *place)
    codes = codes_from_moves(record.moves, record.colors)
    builder.add(info, codes, header.setup, _NO_MARKS if marks is None else marks, header.texts)


def settled_columns(records: Iterable[tuple[GameRecord, Ownership | None]]) -> Columns:
    """Records with their bare territory marks as columns; raises RecordError for an illegal
    move."""
    builder = ColumnsBuilder()
    for record, marks in records:
        builder.files.append(record.source.file)
        add_record(builder, record, marks)
    columns, rejections = settle_games(builder.columns())
    if rejections:
        raise RecordError(rejections[0])
    return columns


class BulkReader:
    """Reads files one after another; whether moves are legal is not checked here.

    Games go to `columns`, with the territory marks (+1, -1, 0) in place of owners; what cannot be
    read goes to `rejections`.
    """

    def __init__(self) -> None:
        self.rejections: list[Rejection] = []
        self._builder = ColumnsBuilder()
        self._scanned = scan.new_scanned(_SCAN_BYTES)
        self._number = 0

    def columns(self) -> Columns:
        """All games read so far."""
        return self._builder.columns()

    def read_file(self, source: str | Path | bytes | RawFile, name: str) -> None:
        """Adds the games of one file; raises CannotOpen."""
        self._builder.files.append(name)
        self._number = 0
        buffer = TreeBuffer(read_chunks(source))
        while True:
            self._read_plain(buffer)
            tree = buffer.next_tree()
            if tree is None:
                break
            self._read_tree(tree)
        if self._number == 0:
            self._read_tree(BrokenTree(NO_GAME))

    def refuse_file(self, name: str, reason: str) -> None:
        """Adds a file of which nothing can be read."""
        self._builder.files.append(name)
        self.rejections.append(Rejection(Source(name, 1), reason))

    def _read_plain(self, buffer: TreeBuffer) -> None:
        """Takes all games at the buffer's position that are written plainly."""
        if buffer.position >= len(buffer.data):
            buffer.read_more()
        count = 1
        while count and buffer.is_between_games:
            count = self._scan(buffer)

    def _scan(self, buffer: TreeBuffer) -> int:
        scanned = self._scanned
        scanned.cursor[:] = 0
        scanned.cursor[scan.POSITION] = buffer.position
        scan.scan_games(np.frombuffer(buffer.data, np.uint8), scanned)
        count = int(scanned.cursor[scan.GAMES])
        if count:
            self._add_scanned(buffer, scanned)
            buffer.skip_trees(int(scanned.cursor[scan.POSITION]))
        return count

    def _add_scanned(self, buffer: TreeBuffer, scanned: scan.Scanned) -> None:
        data = buffer.data
        moves = scanned.moves[: scanned.cursor[scan.MOVES]].copy()
        marks = scanned.marks[: scanned.cursor[scan.MARKS]].copy()
        move_start = mark_start = 0
        for game in scanned.games[: scanned.cursor[scan.GAMES]].tolist():
            move_end, mark_end = game[scan.MOVES_END], game[scan.MARKS_END]
            root = data[game[scan.HEADER] : game[scan.BODY]]
            header = header_from_root(
                root, game[scan.SIZE], is_body_ascii=game[scan.IS_BODY_ASCII] == 1
            )
            if header is None:
                self._read_tree(MainLine(buffer.utf8_of(data[game[scan.START] : game[scan.END]])))
            else:
                lists = moves[move_start:move_end], marks[mark_start:mark_end]
                self._add_plain(header, game[scan.SIZE], *lists)
            move_start, mark_start = move_end, mark_end

    def _add_plain(self, header: Header, size: int, moves: Codes, marks: Ownership) -> None:
        self._number += 1
        first = int(moves[0]) // COLOR_UNIT if len(moves) else first_player(header.handicap)
        place = (len(self._builder.files) - 1, self._number, 0)
        info = (*info_from_header(header, size, first), *place)
        self._builder.add(info, moves, header.setup, marks, header.texts)

    def _read_tree(self, tree: MainLine | BrokenTree) -> None:
        source = Source(self._builder.files[-1], self._number + 1)
        try:
            record, marks = record_from_tree(tree, source)
        except RecordError as error:
            self._number += 1
            self.rejections.append(error.rejection)
            return
        self._number += 1
        add_record(self._builder, record, marks)
