"""`katachi gtp` and `katachi gui-config`."""

import shutil
import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from katachi.interfaces.gtp.options import Compat, EngineOptions
from katachi.rules.errors import KatachiError


def gtp(
    *,
    player: str = "alp",
    seed: int = 0,
    time: Annotated[float, Parameter(name=["--time", "--seconds"])] = 5.0,
    size: int = 19,
    komi: float = 7.5,
    compat: Literal["none", "lizzie"] = "none",
) -> int:
    """Speak the Go Text Protocol on standard input and output.

    Evaluators without search give pseudo-visits, so that clients draw their candidates: 1000
    shared out in proportion to the prior, at least 10 each. They count no playouts.

    Parameters
    ----------
    player
        A player by name, or gtp:COMMAND for another program.
    seed
        Equal seeds play equal games.
    time
        Seconds a move may take while no clock is set.
    size
        Board size before the first boardsize command.
    komi
        Komi before the first komi command.
    compat
        Give name and version the form a client demands.
    """
    from katachi.interfaces.gtp import run_engine
    from katachi.players.names import check_player_name
    from katachi.rules.size import check_size

    check_player_name(player)
    check_size(size)
    options = EngineOptions(player, seed, time, size, komi, Compat(compat))
    return run_engine(options)


def analysis(*, player: str = "alp", seed: int = 0) -> None:
    """Answer analysis queries in KataGo's JSON form, one a line: what KaTrain speaks.

    Visits are pseudo-visits, as in `katachi gtp`.

    Parameters
    ----------
    player
        A player by name; it must be one of ours.
    seed
        Equal seeds give equal answers.
    """
    from katachi.interfaces.cold_start import announce_cold_start
    from katachi.interfaces.json_analysis import answer_lines, read_lines
    from katachi.players.protocol import Analyst
    from katachi.players.roster import make_player

    analyst = make_player(player, seed)
    if not isinstance(analyst, Analyst):
        raise KatachiError(f"player {player!r} plays but gives no analysis")
    announce_cold_start()
    for line in answer_lines(read_lines(sys.stdin.buffer.readline), analyst):
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


_ENTRIES = {
    "sabaki": "Preferences > Engines > Add\n  path:      {path}\n  arguments: {gtp}",
    "gogui": "Program > New Program\n  command: {program} {gtp}",
    "katrain": "General & engine settings > override engine command\n  {program} {analysis}",
    "lizzie": "Settings > Engine command line\n  {program} {gtp} --compat lizzie",
    "q5go": "Settings > Computer Go > Add\n  executable: {path}\n  arguments:  {gtp}",
}


def gui_config(client: str | None = None, *, player: str = "alp") -> None:
    """Print the entry to paste into a Go client.

    Parameters
    ----------
    client
        sabaki, gogui, katrain, lizzie or q5go; all of them by default.
    player
        The player the client should start.
    """
    from katachi.players.names import PROGRAM_PREFIX, check_player_name

    check_player_name(player)
    chosen = list(_ENTRIES) if client is None else [client.lower()]
    if chosen[0] not in _ENTRIES:
        raise KatachiError(f"no client {client!r}: choose from {', '.join(_ENTRIES)}")
    if player.startswith(PROGRAM_PREFIX):
        if client == "katrain":
            raise KatachiError("KaTrain needs a player that gives analysis: choose one of ours")
        chosen = [name for name in chosen if name != "katrain"]
    beside = Path(sys.executable).with_name("katachi")
    path = str(beside if beside.exists() else shutil.which("katachi") or "katachi")
    words = {
        "path": path,
        "program": _quoted(path),
        "gtp": f"gtp --player {_quoted(player)}",
        "analysis": f"analysis --player {_quoted(player)}",
    }
    for name in chosen:
        sys.stdout.write(f"{name}:\n  {_ENTRIES[name].format(**words)}\n\n")


def _quoted(word: str) -> str:
    """A word as clients split command lines: in double quotes where it has blanks."""
    return f'"{word}"' if " " in word else word
