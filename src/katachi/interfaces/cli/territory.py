"""`katachi territory`: who will own what, and what a move changes."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.columns import Columns

from katachi.interfaces.cli.games import find_move
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console
from katachi.interfaces.views.json_text import write_json
from katachi.interfaces.views.territory_text import legend_of, render_territory
from katachi.pictures.marks import write_picture
from katachi.pictures.territory import picture_of_territory
from katachi.players.roster import make_evaluator
from katachi.rules.color import COLOR_NAMES
from katachi.rules.point import vertex_from_point
from katachi.search.territory_views import (
    TerritoryReading,
    TerritoryView,
    read_territory,
    source_line,
)


def territory(
    file: Path,
    *,
    move: Annotated[int | None, Parameter(name=["--move", "-m"])] = None,
    game: Annotated[int, Parameter(name=["--game", "-g"])] = 1,
    player: Annotated[str, Parameter(name=["--player", "-p"])] = "territory",
    svg: Path | None = None,
    png: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Draw who will own each point: now, after a move, after a pass instead, and the difference.

    Parameters
    ----------
    file
        An SGF file, a compressed collection or a folder.
    move
        The number of the move, counted from 1; by default the last one that is no pass. "Now" is
        the position before it.
    game
        Which game of the file, counted from 1.
    player
        Whose evaluator to ask: territory[:MODEL], random, alp, influence, shape[:MODEL] or
        rlgo:FILE. One that knows no ownership shows the mean owner over random continuations.
    svg
        Draw the boards as an SVG picture in this file.
    png
        The same as a PNG; this needs matplotlib.
    json
        Print JSON instead: `player`, `source` (evaluator or playouts), `size`, `komi`,
        `move`, `color`, `vertex`, and `now`, `after_move`, `after_pass` and `difference` (after the
        move less after a pass), each with `points`, the sum, and `ownership`, rows from the top of
        the chance that Black will own the point.
    """
    announce_cold_start()
    evaluator = make_evaluator(player)
    number, color, point, position = find_move(file, game, move)
    reading = read_territory(evaluator, position, color, point)
    vertex = vertex_from_point(point, position.size)
    title = f"Move {number} of {file.name}: {COLOR_NAMES[color].capitalize()} {vertex}"
    source = source_line(player, reading)
    write_picture(picture_of_territory(title, source, reading), svg, png)
    if json:
        told = {
            "player": player,
            "source": "evaluator" if reading.is_known else "playouts",
            "size": position.size,
            "komi": position.komi,
            "move": number,
            "color": COLOR_NAMES[color],
            "vertex": vertex,
            **_views(reading),
        }
        write_json(told)
    else:
        _show(Console(), title, source, reading)


def _show(console: Console, title: str, source: str, reading: TerritoryReading) -> None:
    console.print(title, style="bold")
    console.print(source, style="dim", soft_wrap=True)
    console.print(legend_of(console), style="dim")
    console.print()
    boards = [render_territory(console, view) for view in reading.views]
    console.print(Columns(boards, padding=(0, 4)))


def _views(reading: TerritoryReading) -> dict[str, Any]:
    names = ("now", "after_move", "after_pass", "difference")
    return {name: _entry(view) for name, view in zip(names, reading.views, strict=True)}


def _entry(view: TerritoryView) -> dict[str, Any]:
    size = view.game.size
    return {"points": view.points, "ownership": view.chances.reshape(size, size).tolist()}
