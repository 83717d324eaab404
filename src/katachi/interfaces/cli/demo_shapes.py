"""The best and worst shapes of what the demo's agents have learned, as small boards."""

from rich.text import Text

from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_ranking import RankedShape, Wanted, rank_set
from katachi.features.shape_tracker import UNIT
from katachi.interfaces.console import Console
from katachi.interfaces.shape_text import Symbols, beside_each_other, choose_symbols, shape_lines

COUNT = 10
BEST = (
    "The best: each such shape on the board after its own move raises its chance to win; +1.00 "
    "turns even chances into about 73 %."
)
WORST = "The worst: what it has learned to avoid, or to be afraid of when it is there."


def show_shapes(console: Console, model: LocalShape) -> None:
    """Shows the shapes of the largest set whose weights each stand for one shape."""
    numbers = [number for number, each in enumerate(model.sets) if not each.is_hashed]
    if not numbers:
        console.print("\nThese sets are hashed: `katachi shapes` shows what is in them.")
        return
    number = max(numbers, key=lambda each: model.sets[each].template.cells)
    ranking = rank_set(model, number, Wanted(COUNT))
    symbols = choose_symbols(is_ascii=console.options.ascii_only)
    name = model.sets[number].template.name
    console.print(f"\nWhat it has learned: {name} shapes, worth in logits", style="bold")
    console.print(symbols.legend, style="dim", soft_wrap=True)
    for sentence, shapes in ((BEST, ranking.best), (WORST, ranking.worst)):
        console.print(f"\n{sentence}")
        plates = [_plate(each, model.size, symbols) for each in shapes]
        console.print(Text("\n".join(beside_each_other(plates, console.width))), soft_wrap=True)


def _plate(ranked: RankedShape, size: int, symbols: Symbols) -> list[str]:
    return [f"{ranked.units * UNIT:+.2f}", *shape_lines(ranked.shape, size, symbols)]
