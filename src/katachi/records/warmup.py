"""Compiling the kernels of this room before they are needed."""

from katachi.records.bulk import BulkReader, settle_games
from katachi.records.dataset import GameSet
from katachi.records.sampling import BoardSampler, MoveSampler, SampleSettings

_GAME = b"(;GM[1]SZ[5]AB[aa];B[cc];W[dd];TB[bb]TW[ee])"


def warm_kernels() -> None:
    """Reads, replays and samples one small game, so that every kernel is compiled and kept."""
    reader = BulkReader()
    reader.read_file(_GAME, "")
    columns, _ = settle_games(reader.columns())
    games = GameSet(columns)
    games.replay()
    BoardSampler(games, SampleSettings(), 1).sample(0, 1)
    MoveSampler(games, SampleSettings(), 1).sample(0, 1)
