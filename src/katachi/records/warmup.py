"""Compiling the kernels of this room before they are needed."""

from katachi.records.bulk import BulkReader, settle_games
from katachi.records.dataset import GameSet
from katachi.records.positions import PositionSettings, positions

_GAME = b"(;GM[1]SZ[5]AB[aa];B[cc];W[dd];TB[bb]TW[ee])"


def warm_kernels() -> None:
    """Reads, replays and streams one small game, so that every kernel is compiled and kept."""
    reader = BulkReader()
    reader.read_file(_GAME, "")
    columns, _ = settle_games(reader.columns())
    games = GameSet(columns)
    games.replay()
    for _batch in positions(games, PositionSettings(owners=True)):
        pass
