"""`katachi shapes`: what a model has learned, shape by shape."""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from cyclopts import Parameter
from rich.text import Text

from katachi.errors import KatachiError
from katachi.evaluators import shape_ranking
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.named_models import NamedModel, load_models
from katachi.evaluators.shape_reading import ShapeReader
from katachi.features.shape_sets import Family, ShapeSet, parse_sets
from katachi.features.units import UNIT
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, counted, working, write_json
from katachi.pictures.drawing import write_picture
from katachi.pictures.shape_text import (
    Symbols,
    choose_symbols,
    shape_code,
    shape_lines,
    side_by_side,
)
from katachi.pictures.shapes import (
    ModelRankings,
    legend_lines,
    page_of_rankings,
    ranking_heading,
    shape_caption,
    text_legend,
)
from katachi.rules.game import Game
from katachi.td.shape_self_play import self_play

TITLES = {
    shape_ranking.Order.GAIN: "what their last stone gains",
    shape_ranking.Order.WEIGHT: "weight",
    shape_ranking.Order.SUM: "what they add to an empty board",
    shape_ranking.Order.WINS: "games won",
    shape_ranking.Order.IMPACT: "impact",
}
MOST_SHOWN = 1000
MOST_GAMES = 10_000


def shapes(
    *models: str,
    sets: Annotated[str | None, Parameter(name=["--set", "--sets"])] = None,
    count: int = 10,
    least_seen: int | None = None,
    by: Literal["gain", "weight", "sum", "wins", "impact"] = "gain",
    games: Path | None = None,
    self_play: int = 300,
    svg: Path | None = None,
    png: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Show the best and worst shapes of each set: what it gains to make them.

    A shape is shown as it stands after a move: the marked stone was just played. Its number is how
    much the model's value grows by that stone, all sets together, on an otherwise empty board, in
    log-odds of winning: +1.1 turns an even chance into 75 %. Where a set is hashed or counts
    liberties, games are looked at.

    Parameters
    ----------
    models
        A model's folder, a run's, or a shipped model; of two models both are shown.
    sets
        Only these sets, such as 3x3:LI or 1x1-2x2:LI+LD.
    count
        How many of the best, and of the worst.
    least_seen
        Leave out shapes seen less often; by default one in 100,000 of what their set has seen.
    by
        gain: what the stone just played adds to the value; sum: what the whole shape adds to an
        empty board; weight: the set's own weight alone; wins: the share of games that the player
        who made the shape won; impact: weight times how often seen.
    games
        Games to count wins in, and to see hashed and liberty shapes: an SGF file, a collection or
        a folder.
    self_play
        Without --games, how many games the model plays with itself for that.
    svg
        Draw the shapes as an SVG picture in this file.
    png
        The same as a PNG; this needs matplotlib.
    json
        Print JSON instead.
    """
    wanted = _wanted(count, least_seen, shape_ranking.Order(by))
    if not 1 <= self_play <= MOST_GAMES:
        raise KatachiError(f"{self_play} games of self-play: use 1 to {MOST_GAMES}")
    announce_cold_start()
    loaded = load_models(models)
    chosen = [_choose_sets(each, sets) for each in loaded]
    pages = []
    for each, numbers in zip(loaded, chosen, strict=True):
        rankings = _rank(each.model, numbers, wanted, _Games(games, self_play))
        by_name = {ranking.shape_set.name: ranking for ranking in rankings}
        pages.append(ModelRankings(each, by_name, _comparable(each, loaded)))
    title = f"The best and worst local shapes by {TITLES[wanted.order]}"
    write_picture(page_of_rankings(title, pages), svg, png)
    if json:
        write_json([_to_builtins(page) for page in pages])
    else:
        _show(Console(), pages)


def _wanted(count: int, least_seen: int | None, order: shape_ranking.Order) -> shape_ranking.Wanted:
    if not 1 <= count <= MOST_SHOWN:
        raise KatachiError(f"a count of {count}: use 1 to {MOST_SHOWN}")
    if least_seen is not None and least_seen < 0:
        raise KatachiError(f"seen at least {least_seen} times: use 0 or more")
    return shape_ranking.Wanted(count, least_seen, order)


def _choose_sets(source: NamedModel, text: str | None) -> list[int]:
    """The numbers of the sets asked for; raises KatachiError for one that the model lacks."""
    known = source.model.sets
    wanted: tuple[ShapeSet, ...] = known if text is None else parse_sets(text)
    for each in wanted:
        if each not in known:
            names = ", ".join(one.name for one in known)
            raise KatachiError(f"{source.name} has no set {each.name}: it has {names}")
    return [known.index(each) for each in wanted]


def _comparable(source: NamedModel, models: list[NamedModel]) -> NamedModel | None:
    """The other model, if its weights stand for the same shapes."""

    def form(model: LocalShape) -> tuple[object, ...]:
        return model.sets, model.size, model.bins

    others = [other for other in models if other is not source]
    return next((other for other in others if form(other.model) == form(source.model)), None)


class _Games(NamedTuple):
    """Where games come from, if any are needed."""

    file: Path | None
    self_play: int
    """Of games of a model with itself, where there is no file."""

    def play(self, model: LocalShape) -> Iterator[tuple[Game, int]]:
        """Games and who won them, counted as they come."""
        count, games = self.self_play, self_play(model, self.self_play)
        if self.file is not None:
            with working("reading the games"):
                count, games = _recorded_games(model, self.file)
        with counted(count, "games looked at") as tell:
            for each in games:
                yield each
                tell(1)


def _rank(
    model: LocalShape, numbers: list[int], wanted: shape_ranking.Wanted, games: _Games
) -> list[shape_ranking.SetRanking]:
    """The shapes of these sets in order; games are played or read once for all that need them."""
    is_hashed = any(model.sets[number].is_hashed for number in numbers)
    sightings = shape_ranking.Sightings(ShapeReader(model)) if is_hashed else None
    counted = [number for number in numbers if _needs_moves(model.sets[number], wanted.order)]
    counts = {number: shape_ranking.MoveCounts(model, number) for number in counted}
    if sightings or counts:
        for game, winner in games.play(model):
            if sightings:
                sightings.add_game(game)
            for each in counts.values():
                each.add_game(game, winner)
    return [
        shape_ranking.rank_set(model, each, wanted, sightings, counts.get(each)) for each in numbers
    ]


def _needs_moves(shape_set: ShapeSet, order: shape_ranking.Order) -> bool:
    is_liberty = shape_set.family is Family.LIBERTY
    return order is shape_ranking.Order.WINS or (order is shape_ranking.Order.GAIN and is_liberty)


def _recorded_games(
    model: LocalShape, file: Path
) -> tuple[int, Generator[tuple[Game, int], None, None]]:
    """How many games of a file are on the model's board, and those."""
    from katachi.records.conversion import game_from_record
    from katachi.records.dataset import open_games

    records = [record for record in open_games(file) if record.size == model.size]
    if not records:
        raise KatachiError(f"{file} holds no games on a {model.size}x{model.size} board")
    games = ((game_from_record(record), record.result.winner) for record in records)
    return len(records), games


def _show(console: Console, pages: list[ModelRankings]) -> None:
    symbols = choose_symbols(is_ascii=console.options.ascii_only)
    for page in pages:
        console.print(f"{page.source.name}: {page.source.summary}", style="bold", soft_wrap=True)
    for line in (*text_legend(pages, symbols), *legend_lines(pages)):
        console.print(line, style="dim", soft_wrap=True)
    for name in dict.fromkeys(name for page in pages for name in page.rankings):
        for page in pages:
            console.print()
            title = f"{page.source.name}   " if len(pages) > 1 else ""
            heading = ranking_heading(name, page.rankings.get(name))
            console.print(title + heading, style="bold", soft_wrap=True)
            if name in page.rankings:
                _show_ranking(console, page, page.rankings[name], symbols)


def _show_ranking(
    console: Console, page: ModelRankings, ranking: shape_ranking.SetRanking, symbols: Symbols
) -> None:
    for word, ranked in (("best", ranking.best), ("worst", ranking.worst)):
        if ranked:
            diagrams = [_diagram(each, page, symbols) for each in ranked]
            lines = side_by_side(diagrams, console.width)
            console.print(Text("\n".join([word, *lines])), soft_wrap=True)


def _diagram(ranked: shape_ranking.RankedShape, page: ModelRankings, symbols: Symbols) -> list[str]:
    size = page.source.model.size
    return [*shape_caption(ranked, page), *shape_lines(ranked.shape, size, symbols, ranked.mark)]


def _to_builtins(page: ModelRankings) -> dict[str, Any]:
    model = page.source.model
    return {
        "model": page.source.name,
        "size": model.size,
        "cascade": page.source.is_cascade,
        "unit": UNIT,
        "sets": [
            {
                "set": name,
                "by": ranking.order.value,
                "weights": ranking.weights,
                "considered": ranking.considered,
                "least_seen": ranking.least_seen,
                "best": [_entry(ranked, page) for ranked in ranking.best],
                "worst": [_entry(ranked, page) for ranked in ranking.worst],
            }
            for name, ranking in page.rankings.items()
        ],
    }


def _entry(ranked: shape_ranking.RankedShape, page: ModelRankings) -> dict[str, Any]:
    shape = ranked.shape
    entry: dict[str, Any] = {
        "shape": shape_code(shape),
        "value": ranked.units * UNIT,
        "units": ranked.units,
        "seen": ranked.seen,
        "weight": ranked.weight,
    }
    if ranked.mark is not None:
        order = page.rankings[shape.shape_set.name].order
        is_share = order is shape_ranking.Order.WINS
        entry |= {
            "played": ranked.mark,
            order.value: ranked.score if is_share else ranked.score * UNIT,
        }
        entry |= {"moves": ranked.games} if is_share else {}
    if shape.has_location:
        entry["place"] = [shape.window.row + 1, shape.window.col + 1]
    if ranked.share is not None:
        entry["bin_share"] = ranked.share
    if page.other is not None:
        entry["value_in_other"] = int(page.other.model.weights[ranked.weight]) * UNIT
    return entry
