"""The best and worst shapes of what the demo's agents have learned, as small boards."""

from rich.text import Text

from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_ranking import Order, RankedShape, Wanted, rank_set
from katachi.features.shape_tables import layout_of
from katachi.features.units import UNIT
from katachi.interfaces.console import Console
from katachi.pictures.shape_text import Symbols, beside_each_other, choose_symbols, shape_lines

COUNT = 10
OFTEN = 1e-4
"""The share of all that a set has seen that a shape must be to be shown."""
HEADING = "What it has learned: where to put a stone"
MEANING = (
    "The number is what the marked stone adds to its value when it is played there,\n"
    "on an otherwise empty board, all shapes of the board together: log-odds of\n"
    "winning, +1.1 turns an even chance into 75 %."
)
BEST = "Best of the moves it has often made:"
WORST = "Worst:"


def show_shapes(console: Console, model: LocalShape) -> None:
    """Shows the shapes of the largest set whose weights each stand for one shape."""
    numbers = [number for number, each in enumerate(model.sets) if not each.is_hashed]
    if not numbers:
        console.print("\nThese sets are hashed: `katachi shapes` shows what is in them.")
        return
    number = max(numbers, key=lambda each: model.sets[each].template.cells)
    ranking = rank_set(model, number, _wanted(model, number))
    symbols = choose_symbols(is_ascii=console.options.ascii_only)
    console.print(f"\n{HEADING} ({model.sets[number].template.name} shapes)", style="bold")
    console.print(f"{symbols.legend}   {symbols.played_legend}\n{MEANING}", style="dim")
    for sentence, shapes in ((BEST, ranking.best), (WORST, ranking.worst)):
        console.print(f"\n{sentence}")
        plates = [_plate(each, model.size, symbols) for each in shapes]
        console.print(Text("\n".join(beside_each_other(plates, console.width))), soft_wrap=True)


def _wanted(model: LocalShape, number: int) -> Wanted:
    """Shapes that were not just met by chance."""
    layout = layout_of(model.sets, model.size, model.bins)[number]
    seen = int(model.seen[layout.first : layout.end].sum())
    return Wanted(COUNT, max(1, int(OFTEN * seen)), Order.GAIN)


def _plate(ranked: RankedShape, size: int, symbols: Symbols) -> list[str]:
    lines = shape_lines(ranked.shape, size, symbols, ranked.mark)
    return [f"{ranked.score * UNIT:+.2f}", *lines]
