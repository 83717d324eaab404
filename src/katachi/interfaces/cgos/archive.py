"""Finished games of our server as SGF files."""

from pathlib import Path

from sgfmill import sgf

from katachi.files.atomic import write_atomically
from katachi.interfaces.cgos.table import Table, Verdict, comment_of
from katachi.interfaces.cgos.wire import bare_name
from katachi.records.conversion import record_from_game, text_from_rules
from katachi.records.record import GameTexts
from katachi.records.result import Ending, Result
from katachi.records.sgf import write_game
from katachi.rules.color import EMPTY
from katachi.rules.ruleset import Rules

_ENDINGS = {"Resign": Ending.RESIGN, "Time": Ending.TIME, "Illegal": Ending.FORFEIT}


def sgf_from_table(table: Table, verdict: Verdict) -> bytes:
    """The game as SGF: each move with the time left (BL, WL), its analysis (CC) and comment (C)."""
    setup = table.setup
    texts = GameTexts(
        black=bare_name(setup.black),
        black_rank=_rank(setup.black),
        white=bare_name(setup.white),
        white_rank=_rank(setup.white),
        date=table.started[:10],
        rules=text_from_rules(Rules()),
        event=f"game {setup.game_id}",
    )
    data = write_game(record_from_game(table.game, texts, _result(verdict)))
    game = sgf.Sgf_game.from_bytes(data)
    game.get_root().set("TM", setup.milliseconds / 1000)
    if verdict.reason:
        game.get_root().set("C", f"{verdict.text}: {verdict.reason}")
    for node, played in zip(game.get_main_sequence()[1:], table.moves, strict=True):
        color, _ = node.get_move()
        node.set("BL" if color == "b" else "WL", played.milliseconds / 1000)
        if played.analysis:
            node.set("CC", played.analysis)
        if comment := comment_of(played.analysis):
            node.set("C", comment)
    return bytes(game.serialise())


def _rank(player: str) -> str:
    """The rating of `name(rating)`."""
    return player.partition("(")[2].rstrip(")")


def _result(verdict: Verdict) -> Result:
    if verdict.winner == EMPTY:
        return Result(EMPTY, Ending.VOID if not verdict.counts else Ending.COUNT, 0.0)
    how = verdict.text.partition("+")[2]
    if how in _ENDINGS:
        return Result(verdict.winner, _ENDINGS[how])
    return Result(verdict.winner, Ending.COUNT, float(how))


def archive_path(folder: Path, table: Table) -> Path:
    """Where a game belongs: a folder for each day."""
    number = table.setup.game_id
    return folder / "sgf" / table.started[:10] / f"{number}.sgf"


def write_archive(path: Path, data: bytes) -> None:
    """Writes the whole file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data, is_durable=True)
