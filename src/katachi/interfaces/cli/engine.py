"""`katachi gtp` and `katachi gui-config`."""

import os
import shutil
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from katachi.errors import KatachiError
from katachi.interfaces.cold_start import tell
from katachi.interfaces.gtp.session import Compat, EngineOptions
from katachi.players import finish_settings
from katachi.players.kinds import DEFAULT_PLAYER, TREE, split_name

DEFAULT_SIZE = 19


def gtp(
    *,
    player: str = DEFAULT_PLAYER,
    seed: int = 0,
    time: Annotated[float, Parameter(name=["--time", "--seconds"])] = 5.0,
    size: int | None = None,
    komi: float = 7.5,
    compat: Literal["none", "lizzie"] = "none",
    resign: str = finish_settings.text_from_chance(finish_settings.RESIGN_CHANCE),
    passes: Annotated[bool, Parameter(name="--pass", negative="--no-pass")] = True,
    counting: Literal["agreed", "all-alive", "japanese"] = "agreed",
    threads: int | None = None,
    memory: int | None = None,
    device: str | None = None,
    ponder: Annotated[bool, Parameter(negative="")] = False,
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
        Seconds for one move, as long as the client sets no clock.
    size
        Board size before the first boardsize command; by default 19, or the one the player is
        for.
    komi
        Komi before the first komi command.
    compat
        Give name and version the form a client demands.
    resign
        Resign when the chance to win is below this, say 0.05, for three moves; never or 0: never.
    passes
        Answer a pass when ahead, and pass when nothing is left to gain; without, pass only when
        there is no sensible move.
    counting
        How games are counted: agreed (area, dead stones taken off), all-alive (area, all stones
        alive: matches and servers) or japanese (territory, dead stones taken off).
    threads
        Threads that grow the tree of a tree player; 1 by default.
    memory
        MiB of memory for the tree of a tree player; 256 by default.
    device
        Where a tree player's net is computed, or its random games are played: cpu (by default),
        or cuda or cuda:N, a GPU.
    ponder
        Let a tree player think on while its opponent does.
    """
    from katachi.interfaces.gtp import run_engine
    from katachi.interfaces.views.player_lines import chosen_models
    from katachi.players.names import board_of, check_board, check_player_name, tree_limits
    from katachi.rules.size import check_size

    check_player_name(player)
    if ponder and split_name(player)[0] != TREE:
        raise KatachiError(f"{player} cannot ponder: --ponder can be used with tree[:PLAYER]")
    limits = tree_limits(player, threads, memory, device)
    size = board_of(player) or DEFAULT_SIZE if size is None else check_size(size)
    check_board(player, size)
    if device is not None:
        from katachi.players.roster import make_player

        make_player(player, seed, limits).close()  # a GPU that is not there is told of at once
    for line in chosen_models(player):
        tell(line)
    finish = finish_settings.FinishSettings(
        passes, finish_settings.chance_from_text(resign), finish_settings.Counting(counting)
    )
    options = EngineOptions(player, seed, time, size, komi, Compat(compat), finish=finish)
    return run_engine(replace(options, limits=limits, ponders=ponder))


def analysis(
    *,
    player: str = DEFAULT_PLAYER,
    seed: int = 0,
    threads: int | None = None,
    memory: int | None = None,
    device: str | None = None,
) -> None:
    """Answer analysis queries in KataGo's JSON form, one a line: what KaTrain speaks.

    A tree player searches as far as `maxVisits` and `maxTime` of a query say, or until `terminate`
    or `terminate_all` ends it: what it has found by then is the answer, or `noResults`. Visits of
    others are pseudo-visits, as in `katachi gtp`. Players that know no owners send no score, which
    KaTrain needs: give it `territory`.

    Parameters
    ----------
    player
        A player by name; it must be one of ours.
    seed
        Equal seeds give equal answers.
    threads
        Threads that grow the tree of a tree player; 1 by default.
    memory
        MiB of memory for the tree of a tree player; 256 by default.
    device
        Where a tree player's net is computed, or its random games are played: cpu (by default),
        or cuda or cuda:N, a GPU.
    """
    from katachi.interfaces.cold_start import announce_cold_start
    from katachi.interfaces.json_analysis import answer_lines
    from katachi.interfaces.json_queries import read_lines
    from katachi.interfaces.views.player_lines import chosen_models
    from katachi.players.names import check_player_name, tree_limits
    from katachi.players.protocol import Analyst
    from katachi.players.roster import make_player

    check_player_name(player)
    analyst = make_player(player, seed, tree_limits(player, threads, memory, device))
    if not isinstance(analyst, Analyst):
        raise KatachiError(f"player {player!r} plays but gives no analysis")
    for line in chosen_models(player):
        tell(line)
    announce_cold_start()
    # Not by sys.stdin, whose lock a thread that still reads would keep from the end of Python.
    for answer in answer_lines(read_lines(partial(os.read, 0)), analyst):
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


_ENTRIES = {
    "sabaki": "Preferences > Engines > Add\n  path:      {path}\n  arguments: {gtp}",
    "gogui": "Program > New Program\n  command: {program} {gtp}",
    "katrain": (
        "General & Engine Settings (F8) > Custom command\n  exec {program} {analysis}\n"
        "  (with `exec`, KaTrain can end the engine when you change the command)"
    ),
    "lizzie": "Settings > Engine command line\n  {program} {gtp} --compat lizzie",
    "q5go": "Settings > Computer Go > Add\n  executable: {path}\n  arguments:  {gtp}",
    "qgo": (
        "plays only with engines whose path ends in gnugo, so make a script:\n"
        "  echo '#!/bin/sh' > katachi-gnugo; chmod +x katachi-gnugo\n"
        "  echo 'exec {program} {gtp}' >> katachi-gnugo\n"
        "  Preferences > Computer Go\n  executable: {folder}/katachi-gnugo"
    ),
}


def gui_config(client: str | None = None, *, player: str = DEFAULT_PLAYER) -> None:
    """Print the entry to paste into a Go client.

    Parameters
    ----------
    client
        sabaki, gogui, katrain, lizzie, q5go or qgo; all of them by default.
    player
        The player the client should start.
    """
    from katachi.players.names import check_player_name, is_program

    check_player_name(player)
    chosen = list(_ENTRIES) if client is None else [client.lower()]
    if chosen[0] not in _ENTRIES:
        raise KatachiError(f"no client {client!r}: choose from {', '.join(_ENTRIES)}")
    if is_program(player):
        if chosen == ["katrain"]:
            raise KatachiError("KaTrain needs a player that gives analysis: choose one of ours")
        chosen = [name for name in chosen if name != "katrain"]
    words = _texts_of_entries(player)
    sys.stdout.write(f"player: {_strength(player)}\n\n")
    for name in chosen:
        sys.stdout.write(f"{name}:\n  {_ENTRIES[name].format(**words)}\n\n")
    sys.stdout.write(_ADVICE)


_ADVICE = (
    "Run `katachi warmup` once before the first start, or the first move takes a\n"
    "minute. `katachi players` lists other players, for --player.\n"
)


def _strength(player: str) -> str:
    from katachi.interfaces.views.player_lines import rating_text

    rating = rating_text(player)
    return f"{player} ({rating} on the house ladder)" if rating else player


def _texts_of_entries(player: str) -> dict[str, str]:
    """What stands in the entries: paths that hold wherever a client is started."""
    beside = Path(sys.executable).with_name("katachi")
    path = str(beside if beside.exists() else shutil.which("katachi") or "katachi")
    name = _quoted(_rooted(player))
    return {
        "path": path,
        "program": _quoted(path),
        "folder": str(Path.cwd()),
        "gtp": f"gtp --player {name}",
        "analysis": f"analysis --player {name}",
    }


def _rooted(player: str) -> str:
    """A player's name with the full path of a model's folder."""
    from katachi.players.kinds import model_of

    model = model_of(player)
    if not (model and Path(model).is_dir()):
        return player
    return player.replace(model, str(Path(model).resolve()), 1)


def _quoted(word: str) -> str:
    """A word as clients split command lines: in double quotes where it has blanks."""
    return f'"{word}"' if " " in word else word
