"""`katachi explain`: which shapes a move changes, and by how much."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.table import Table as Grid
from rich.text import Text

from katachi.arena.marks import write_picture
from katachi.evaluators.shape_reading import MoveReading, ShapeChange
from katachi.features.shape_sets import Family
from katachi.features.shape_tracker import UNIT
from katachi.interfaces.board_text import render_board
from katachi.interfaces.cli.games import find_position
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console
from katachi.interfaces.json_text import write_json
from katachi.interfaces.models import load_models
from katachi.interfaces.move_picture import picture_of_moves
from katachi.interfaces.move_shapes import (
    ExplainedMove,
    Explanation,
    chance,
    count_text,
    explain_position,
    move_title,
    sum_lines,
    value_line,
)
from katachi.interfaces.shape_text import (
    Symbols,
    beside_each_other,
    choose_symbols,
    logit_text,
    shape_code,
    shape_lines,
    window_text,
)
from katachi.rules.color import COLOR_NAMES
from katachi.rules.errors import KatachiError
from katachi.rules.point import vertex_from_point

MOST_SHOWN = 1000


def explain(
    model: str,
    file: Path,
    *,
    move: Annotated[int, Parameter(name=["--move", "-m"])],
    game: Annotated[int, Parameter(name=["--game", "-g"])] = 1,
    best: int = 3,
    count: int = 6,
    beside: str | None = None,
    svg: Path | None = None,
    png: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Say which shapes the move that was played changes, and the moves the model likes best.

    Both positions, before and after a move, are seen with the eyes of the player who moves. A shape
    that has come adds its weight, one that has gone takes it away: together they are exactly the
    difference in logit.

    Parameters
    ----------
    model
        A model's folder, a run's, or a shipped model.
    file
        An SGF file, a compressed collection or a folder.
    move
        The number of the move, counted from 1.
    game
        Which game of the file, counted from 1.
    best
        How many of the model's best moves to explain as well.
    count
        How many of the largest changes to show.
    beside
        Another model to see the same moves with.
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
    record, position = find_position(file, game, move)
    for each in models:
        if each.model.size != position.size:
            sizes = f"{each.model.size}x{each.model.size} boards"
            raise KatachiError(
                f"{each.name} is for {sizes}, the game is {position.size}x{position.size}"
            )
    color, point = int(record.colors[move - 1]), int(record.moves[move - 1])
    explanations = [explain_position(each, position, color, point, best) for each in models]
    title = f"Move {move} of {file.name}: {COLOR_NAMES[color].capitalize()} "
    title += vertex_from_point(point, position.size)
    write_picture(picture_of_moves(title, explanations, count), svg, png)
    if json:
        told = [_to_builtins(explanation, move) for explanation in explanations]
        write_json(told)
    else:
        _show(Console(), title, explanations, count)


def _show(console: Console, title: str, explanations: list[Explanation], count: int) -> None:
    symbols = choose_symbols(is_ascii=console.options.ascii_only)
    first = explanations[0]
    after = first.game.copy()
    played = first.moves[0].reading
    after.play(played.color, played.point)
    console.print(title, style="bold")
    console.print(render_board(console, after))
    for line in _legend(explanations, symbols):
        console.print(line, style="dim", soft_wrap=True)
    for explanation in explanations:
        console.print()
        source = explanation.source
        console.print(f"{source.name}: {source.summary}", style="bold", soft_wrap=True)
        console.print(_moves_table(explanation))
        for move in explanation.moves:
            _show_move(console, explanation, move, symbols, count)


def _legend(explanations: list[Explanation], symbols: Symbols) -> list[str]:
    sets = [each for explanation in explanations for each in explanation.source.model.sets]
    numbers = [symbols.liberty_legend] if any(s.family is Family.LIBERTY for s in sets) else []
    meaning = "shapes are seen by the player who moves; values are that player's, in logits"
    return [symbols.legend, *numbers, meaning]


def _moves_table(explanation: Explanation) -> Grid:
    """The change of each set by each move."""
    grid = Grid(box=None, pad_edge=False)
    grid.add_column("change of logit")
    for move in explanation.moves:
        name = vertex_from_point(move.reading.point, explanation.game.size)
        grid.add_column(f"{name} played" if move.is_played else name, justify="right")
    for number, name in enumerate(explanation.set_names):
        grid.add_row(name, *(logit_text(m.reading.by_set[number]) for m in explanation.moves))
    grid.add_row("together", *(logit_text(m.reading.difference) for m in explanation.moves))
    return grid


def _show_move(
    console: Console,
    explanation: Explanation,
    move: ExplainedMove,
    symbols: Symbols,
    count: int,
) -> None:
    size, reading = explanation.game.size, move.reading
    told = reading.changes[:count]
    console.print()
    console.print(move_title(move, size, explanation.candidates), style="bold")
    plates = [_plate(change, size, symbols) for change in told]
    lines = [value_line(reading), *beside_each_other(plates, console.width)]
    console.print(Text("\n".join(lines + sum_lines(reading, told))), soft_wrap=True)


def _plate(change: ShapeChange, size: int, symbols: Symbols) -> list[str]:
    places = window_text(change.windows[0], size) + (" ..." if len(change.windows) > 1 else "")
    return [
        f"{logit_text(change.change)}",
        count_text(change),
        f"{logit_text(change.units)} each",
        f"{change.shape.shape_set.name}",
        places,
        *shape_lines(change.shape, size, symbols),
    ]


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
