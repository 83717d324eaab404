"""`katachi play`: a game in the terminal."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from katachi.errors import KatachiError
from katachi.interfaces.cli import INTERRUPTED, tell_person
from katachi.interfaces.cold_start import announce_cold_start
from katachi.players.kinds import DEFAULT_PLAYER
from katachi.players.names import check_player_name, tree_limits
from katachi.rules.color import BLACK, WHITE
from katachi.rules.size import check_size

SIZE = 9
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
    threads: int | None = None,
    memory: int | None = None,
    device: str | None = None,
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
    threads
        Threads that grow the tree of a tree player; 1 by default.
    memory
        MiB of memory for the tree of a tree player; 256 by default.
    device
        Where a tree player's net is computed, or its random games are played: cpu (by default),
        or cuda or cuda:N, a GPU.
    """
    _check(size, time, (size, komi, handicap), resume)
    check_player_name(player)
    limits = tree_limits(player, threads, memory, device)
    tell_person(f"{player} sits down at the board ...")
    announce_cold_start()
    from katachi.interfaces.play import sitting, table
    from katachi.players.roster import make_player

    record = table.read_record(resume) if resume else None
    stones = record.handicap if record else handicap or 0
    game = table.resumed_game(record) if record else table.new_game(size or SIZE, komi, stones)
    file = table.GameFile(table.file_of(out, resume))
    colors = {"black": BLACK, "white": WHITE, None: table.person_in(record) if record else BLACK}
    opponent = make_player(player, seed, limits)
    try:
        seat = table.Table(opponent, game, colors[color], time, stones)
        is_interrupted = sitting.sit(seat, file, player)
        for line in table.report_result(seat):
            tell_person(line)
        return INTERRUPTED if is_interrupted else 0
    finally:
        opponent.close()


def _check(
    size: int | None, time: float, fixed: tuple[float | None, ...], resume: Path | None
) -> None:
    if not 0 < time <= LONGEST_THOUGHT:
        raise KatachiError(f"--time {time:g}: use seconds above 0, {LONGEST_THOUGHT:g} at most")
    if size is not None:
        check_size(size)
    if resume is not None and fixed != (None, None, None):
        raise KatachiError("--size, --komi and --handicap are those of the resumed game")
