"""`katachi review`: a whole game, its course, its mistakes and what was better."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from katachi.errors import KatachiError
from katachi.interfaces.cli import tell_person
from katachi.players.kinds import DEFAULT_PLAYER
from katachi.players.names import check_player_name, tree_limits

MOST_SHOWN = 1000


def review(
    file: Path,
    *,
    player: Annotated[str, Parameter(name=["--player", "-p"])] = DEFAULT_PLAYER,
    game: Annotated[int, Parameter(name=["--game", "-g"])] = 1,
    top: int = 3,
    svg: Path | None = None,
    sgf: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
    threads: int | None = None,
    memory: int | None = None,
    device: str | None = None,
) -> None:
    """Review a whole game: who was ahead when, the largest mistakes, and what was better.

    Every move is compared with the best one: both are judged by the position after them. What a
    move loses is points where the player knows who will own what, else chance to win.

    Parameters
    ----------
    file
        An SGF file, a compressed collection or a folder.
    player
        Whose evaluator to ask: territory[:MODEL], shape[:MODEL], linear:MODEL, crbm, rlgo:FILE,
        alp or influence; or tree[:VISITS][:PLAYER], who searches every position.
    game
        Which game of the file, counted from 1.
    top
        How many mistakes of each side to show.
    svg
        Draw the course of the game and its largest mistakes as an SVG picture in this file.
    sgf
        Write the game with comments, win rates and better moves to this SGF file.
    json
        Print JSON instead: `player`, `size`, `komi`, `unit` (of losses: points or chance), `start`
        and `moves`: `number`, `color`, `vertex`, `win_rate` and `lead` (Black's, after the move;
        null where not known), `loss`, `rank`, `best` (`vertex`, `win_rate`, `lead`); of a tree
        player, of both moves, `visits`, how often the search of the position before tried them, and
        `line`, the moves it expects next; `mistakes`, the numbers of the moves that lost most, with
        `why`.
    threads
        Threads that grow the tree of a tree player; 1 by default.
    memory
        MiB of memory for the tree of a tree player; 256 by default.
    device
        Where a tree player's net is computed, or its random games are played: cpu (by default),
        or cuda or cuda:N, a GPU.
    """
    if not 0 <= top <= MOST_SHOWN:
        raise KatachiError(f"--top {top}: use 0 to {MOST_SHOWN}")
    if sgf is not None and sgf.resolve() == file.resolve():
        raise KatachiError(f"--sgf {sgf}: the game itself is there, choose another file")
    check_player_name(player)
    limits = tree_limits(player, threads, memory, device)
    tell_person(f"reading {file}, and asking {player} about every move")
    from katachi.interfaces.cli.review_page import ReviewOptions, review_file

    review_file(file, ReviewOptions(player, game, top, svg, sgf, json, limits))
