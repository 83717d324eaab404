"""`katachi explain` and `katachi territory`: what a move changes, in shapes and in owners."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.columns import Columns
from rich.table import Table as Grid
from rich.text import Text

from katachi.errors import KatachiError
from katachi.evaluators.named_models import load_models
from katachi.evaluators.shape_reading import MoveReading, ShapeChange
from katachi.features.shape_sets import Family
from katachi.features.units import UNIT
from katachi.interfaces.cli.games import find_move
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, grid_of, write_json
from katachi.interfaces.views import board_text
from katachi.pictures.boards import picture_of_territory
from katachi.pictures.drawing import write_picture
from katachi.pictures.move_shapes import (
    ExplainedMove,
    Explanation,
    chance,
    count_text,
    explain_position,
    loss_line,
    move_title,
    share_of_chance,
    sum_lines,
    value_line,
)
from katachi.pictures.moves import picture_of_moves
from katachi.pictures.shape_text import (
    Symbols,
    logit_text,
    shape_code,
    shape_lines,
    side_by_side,
    symbols_for,
    window_text,
)
from katachi.players.roster import make_evaluator
from katachi.rules.color import COLOR_NAMES
from katachi.rules.point import vertex_from_point
from katachi.search import territory_views

MOST_SHOWN = 1000


def explain(
    model: str,
    file: Path,
    *,
    move: Annotated[int | None, Parameter(name=["--move", "-m"])] = None,
    game: Annotated[int, Parameter(name=["--game", "-g"])] = 1,
    best: int = 3,
    count: int = 6,
    beside: str | None = None,
    details: Annotated[bool, Parameter(negative="")] = False,
    svg: Path | None = None,
    png: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Say what the move that was played loses against the best one, and which shapes it changes.

    Both positions, before and after a move, are seen with the eyes of the player who moves. A new
    shape adds its weight, a removed one takes it away. The percent beside a shape are what it alone
    changes in the chance to win.

    Parameters
    ----------
    model
        A model's folder, a run's, or a shipped model.
    file
        An SGF file, a compressed collection or a folder.
    move
        The number of the move, counted from 1; by default the last one that is no pass.
    game
        Which game of the file, counted from 1.
    best
        How many of the model's best moves to explain as well.
    count
        How many of the largest changes to show.
    beside
        Another model to see the same moves with.
    details
        Show weights in log-odds (+1.1 is a chance of 75 %) and in the model's units, by set, and
        that they add up exactly.
    svg
        Draw the moves as an SVG picture in this file.
    png
        The same as a PNG; this needs matplotlib.
    json
        Print JSON instead.
    """
    for name, value, least in (("best", best, 0), ("count", count, 1)):
        if not least <= value <= MOST_SHOWN:
            raise KatachiError(f"--{name} {value}: use {least} to {MOST_SHOWN}")
    announce_cold_start()
    models = load_models([model] if beside is None else [model, beside])
    number, color, point, position = find_move(file, game, move)
    for each in models:
        if each.model.size != position.size:
            sizes = f"{each.model.size}x{each.model.size} boards"
            raise KatachiError(
                f"{each.name} is for {sizes}, the game is {position.size}x{position.size}"
            )
    explanations = [explain_position(each, position, color, point, best) for each in models]
    title = f"Move {number} of {file.name}: {COLOR_NAMES[color].capitalize()} "
    title += vertex_from_point(point, position.size)
    write_picture(picture_of_moves(title, explanations, count, details=details), svg, png)
    if json:
        shown = [_to_builtins(explanation, number) for explanation in explanations]
        write_json(shown)
    else:
        console = Console()
        symbols = symbols_for(color, is_ascii=board_text.has_letters(console))
        _Shown(console, symbols, count, details).show(title, explanations)


@dataclass(frozen=True)
class _Shown:
    """How explanations are printed."""

    console: Console
    symbols: Symbols
    count: int
    has_details: bool

    def show(self, title: str, explanations: list[Explanation]) -> None:
        """Prints the position after the played move, and what each model says of it."""
        first = explanations[0]
        after = first.game.copy()
        played = first.moves[0].reading
        after.play(played.color, played.point)
        self.console.print(title, style="bold")
        self.console.print(board_text.render_board(self.console, after))
        for line in self._legend(explanations):
            self.console.print(line, style="dim")
        for explanation in explanations:
            source = explanation.source
            self.console.print()
            self.console.print(f"{source.name}: {source.summary}", style="bold", soft_wrap=True)
            if self.has_details:
                self.console.print(_sets_table(explanation))
            for move in explanation.moves:
                self._show_move(explanation, move)

    def _legend(self, explanations: list[Explanation]) -> list[str]:
        sets = [each for explanation in explanations for each in explanation.source.model.sets]
        has_liberties = any(each.family is Family.LIBERTY for each in sets)
        numbers = [self.symbols.liberty_legend] if has_liberties else []
        meaning = "percent: what a shape alone changes in the mover's chance to win"
        if self.has_details:
            meaning = "values are the mover's, in log-odds: +1.1 is a chance of 75 %"
        return [self.symbols.legend, *numbers, meaning]

    def _show_move(self, explanation: Explanation, move: ExplainedMove) -> None:
        size, reading = explanation.game.size, move.reading
        shown = reading.changes[: self.count]
        diagrams = [self._diagram(change, reading, size) for change in shown]
        lines = [loss_line(explanation, move), *side_by_side(diagrams, self.console.width)]
        if self.has_details:
            lines = [lines[0], value_line(reading), *lines[1:], *sum_lines(reading, shown)]
        self.console.print()
        self.console.print(move_title(move, size, explanation.candidates), style="bold")
        self.console.print(Text("\n".join(lines)), soft_wrap=True)

    def _diagram(self, change: ShapeChange, reading: MoveReading, size: int) -> list[str]:
        places = window_text(change.windows[0], size) + (" ..." if len(change.windows) > 1 else "")
        if self.has_details:
            values = [logit_text(change.change), f"{logit_text(change.units)} each"]
            values.append(change.shape.shape_set.name)
        else:
            values = [f"{share_of_chance(change, reading):+.1%}"]
        drawn = shape_lines(change.shape, size, self.symbols)
        return [values[0], count_text(change), *values[1:], places, *drawn]


def _sets_table(explanation: Explanation) -> Grid:
    """The change of each set by each move."""
    moves = explanation.moves
    head = ["change of log-odds"]
    for move in moves:
        name = vertex_from_point(move.reading.point, explanation.game.size)
        head.append(f"{name} played" if move.is_played else name)
    rows = [
        (name, *(logit_text(move.reading.by_set[number]) for move in moves))
        for number, name in enumerate(explanation.set_names)
    ]
    together = ("together", *(logit_text(move.reading.difference) for move in moves))
    return grid_of(head, [*rows, together])


def _to_builtins(explanation: Explanation, number: int) -> dict[str, Any]:
    source = explanation.source
    return {
        "model": source.name,
        "size": source.model.size,
        "cascade": source.is_cascade,
        "unit": UNIT,
        "move": number,
        "candidates": explanation.candidates,
        "moves": [_move_entry(move, explanation) for move in explanation.moves],
    }


def _move_entry(move: ExplainedMove, explanation: Explanation) -> dict[str, Any]:
    reading, size = move.reading, explanation.game.size
    return {
        "color": COLOR_NAMES[reading.color],
        "vertex": vertex_from_point(reading.point, size),
        "played": move.is_played,
        "rank": move.rank,
        "loss": explanation.loss(move),
        **_values(reading),
        "by_set": dict(zip(explanation.set_names, reading.by_set, strict=True)),
        "changes": [_change_entry(change, size) for change in reading.changes],
        "heat": (reading.heat * UNIT).reshape(size, size).tolist(),
    }


def _values(reading: MoveReading) -> dict[str, Any]:
    return {
        "units_before": reading.before,
        "units_after": reading.after,
        "logit_before": reading.before * UNIT,
        "logit_after": reading.after * UNIT,
        "chance_before": chance(reading.before),
        "chance_after": chance(reading.after),
    }


def _change_entry(change: ShapeChange, size: int) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "set": change.shape.shape_set.name,
        "shape": shape_code(change.shape),
        "weight": change.weight,
        "more": change.more,
        "units_each": change.units,
        "units": change.change,
        "come": [window_text(window, size) for window in change.come],
        "gone": [window_text(window, size) for window in change.gone],
    }
    if change.shape.has_location:
        entry["place"] = [change.shape.window.row + 1, change.shape.window.col + 1]
    return entry


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
    reading = territory_views.read_territory(evaluator, position, color, point)
    vertex = vertex_from_point(point, position.size)
    title = f"Move {number} of {file.name}: {COLOR_NAMES[color].capitalize()} {vertex}"
    source = territory_views.source_line(player, reading)
    write_picture(picture_of_territory(title, source, reading), svg, png)
    if json:
        shown = {
            "player": player,
            "source": "evaluator" if reading.is_known else "playouts",
            "size": position.size,
            "komi": position.komi,
            "move": number,
            "color": COLOR_NAMES[color],
            "vertex": vertex,
            **_views(reading),
        }
        write_json(shown)
    else:
        _show(Console(), title, source, reading)


def _show(
    console: Console, title: str, source: str, reading: territory_views.TerritoryReading
) -> None:
    console.print(title, style="bold")
    console.print(source, style="dim", soft_wrap=True)
    console.print(board_text.legend_of(console), style="dim")
    console.print()
    boards = [board_text.render_territory(console, view) for view in reading.views]
    console.print(Columns(boards, padding=(0, 4)))


def _views(reading: territory_views.TerritoryReading) -> dict[str, Any]:
    names = ("now", "after_move", "after_pass", "difference")
    return {name: _entry(view) for name, view in zip(names, reading.views, strict=True)}


def _entry(view: territory_views.TerritoryView) -> dict[str, Any]:
    size = view.game.size
    return {"points": view.points, "ownership": view.chances.reshape(size, size).tolist()}
