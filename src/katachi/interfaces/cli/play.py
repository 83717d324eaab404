"""`katachi play`: a game in the terminal."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from katachi.errors import KatachiError
from katachi.interfaces.cli import INTERRUPTED, tell, tell_person
from katachi.players.kinds import DEFAULT_PLAYER

if TYPE_CHECKING:
    from katachi.interfaces.play.table import GameFile, Table
    from katachi.records.record import GameRecord
    from katachi.rules.game import Game

SIZE, KOMI, HANDICAP_KOMI = 9, 7.5, 0.5
LONGEST_THOUGHT = 3600.0


def play(
    player: str = DEFAULT_PLAYER,
    *,
    size: int | None = None,
    color: Literal["black", "white"] | None = None,
    komi: float | None = None,
    handicap: int | None = None,
    seed: int = 0,
    time: float = 1.0,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    resume: Path | None = None,
) -> int:
    """Play a game in the terminal against any player.

    Type a move such as D4, or choose a point with the arrow keys and press Enter. Other words are
    pass, undo, hint, score, save, resign and quit; help lists them. Two passes end the game: dead
    stones are found by random games, shown, and the area is counted. Undo then goes on playing.

    Parameters
    ----------
    player
        Whom to play against: any player by name.
    size
        Board size; 9 by default.
    color
        Your colour: black (by default) or white.
    komi
        Points for White: 7.5 by default, 0.5 with a handicap.
    handicap
        Stones that Black has on the board before White begins: 2 or more.
    seed
        Another seed, other choices among equal moves.
    time
        Seconds that the player may think about a move.
    out
        Write the game to this SGF file after every move. Without it the game is written when it
        ends or you leave, to a file named after the time.
    resume
        Go on with the game in this SGF file.
    """
    _check(size, time, (size, komi, handicap), resume)
    from katachi.interfaces.cold_start import announce_cold_start
    from katachi.players.names import check_player_name

    check_player_name(player)
    tell_person(f"{player} sits down at the board ...")
    announce_cold_start()
    from katachi.interfaces.play.table import GameFile, Table, person_in, read_record
    from katachi.players.roster import make_player
    from katachi.rules.color import BLACK, WHITE

    record = read_record(resume) if resume else None
    game, stones = _resumed(record) if record else _new_game(size or SIZE, komi, handicap or 0)
    file = GameFile(_file_of(out, resume))
    person = {"black": BLACK, "white": WHITE, None: person_in(record) if record else BLACK}[color]
    opponent = make_player(player, seed)
    try:
        return _sit(Table(opponent, game, person, time, stones), file, player)
    finally:
        opponent.close()


def _check(
    size: int | None, time: float, fixed: tuple[float | None, ...], resume: Path | None
) -> None:
    from katachi.rules.size import check_size

    if not 0 < time <= LONGEST_THOUGHT:
        raise KatachiError(f"--time {time:g}: use seconds above 0, {LONGEST_THOUGHT:g} at most")
    if size is not None:
        check_size(size)
    if resume is not None and fixed != (None, None, None):
        raise KatachiError("--size, --komi and --handicap are those of the resumed game")


def _new_game(size: int, komi: float | None, handicap: int) -> "tuple[Game, int]":
    """A new game with its handicap stones, and how many there are."""
    from katachi.interfaces.gtp.core import free_places
    from katachi.rules.color import WHITE
    from katachi.rules.game import Game
    from katachi.rules.point import point_from_row_col
    from katachi.rules.ruleset import check_komi

    most = size * size // 4
    if handicap and not 2 <= handicap <= most:
        raise KatachiError(f"--handicap {handicap}: use 0, or 2 to {most} stones on this board")
    usual = HANDICAP_KOMI if handicap else KOMI
    game = Game(size, check_komi(usual if komi is None else komi))
    if handicap:
        game.place_setup([point_from_row_col(*p) for p in free_places(size, handicap)], [])
        game.first_to_play = WHITE
    return game, handicap


def _resumed(record: "GameRecord") -> "tuple[Game, int]":
    from katachi.interfaces.play.table import resumed_game

    return resumed_game(record), record.handicap


def _file_of(out: Path | None, resume: Path | None) -> Path | None:
    """Where the game is kept; None to choose a name later."""
    from katachi.interfaces.play.table import holds_only_a_game, require_new

    if out is None:
        return resume if resume and holds_only_a_game(resume) else None
    if out != resume:
        require_new(out)
    return out


def _sit(table: "Table", file: "GameFile", name: str) -> int:
    """Plays the game; however it is left, it is kept, and where is said."""
    from katachi.arena.stop_signals import leave_on_signals
    from katachi.interfaces.console import Console
    from katachi.interfaces.play.desks import open_desk
    from katachi.interfaces.play.sitting import Adviser, Sitting
    from katachi.players.roster import make_evaluator

    leave_on_signals()
    console = Console()
    sitting = Sitting(table, file, Adviser(name, make_evaluator), console)
    is_interrupted = False
    try:
        with open_desk(console, table.game.size) as desk:
            sitting.run(desk)
    except KeyboardInterrupt:
        is_interrupted = True
        console.print()
    except BaseException:
        _leave(table, file)
        raise
    _leave(table, file)
    return INTERRUPTED if is_interrupted else 0


def _leave(table: "Table", file: "GameFile") -> None:
    """Writes the game, if a move was made, and says where; where it cannot be written, its SGF is
    printed."""
    if not table.game.moves:
        return
    try:
        path = file.save(table)
    except KatachiError as error:
        from katachi.records.sgf import write_game

        tell(f"{error}; this is the game:")
        sys.stdout.write(write_game(table.record()).decode() + "\n")
        return
    name = shlex.quote(str(path))
    then = "review {}" if table.is_over else "play --resume {}"
    tell(f"the game is saved as {path}; next: katachi {then.format(name)}")
