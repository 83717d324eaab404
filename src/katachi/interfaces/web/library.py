"""What models have learned, on the page: shapes, filters and openings."""

from collections import Counter, defaultdict
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Meta, Struct

from katachi.errors import KatachiError
from katachi.evaluators.linear import KIND as LINEAR
from katachi.evaluators.linear import Linear
from katachi.evaluators.local_shape import KIND as LOCAL_SHAPE
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shipped import load_opening
from katachi.features.board_channels import GROUPS, STONES
from katachi.features.crbm import KIND as CRBM
from katachi.features.crbm import CrbmFeatures
from katachi.features.filter_shapes import filter_plots, shapes_in
from katachi.files.shipped_folders import (
    find_model,
    model_names,
    read_heading,
    read_model,
)
from katachi.interfaces.web.messages import Id, Vertex, position_of
from katachi.interfaces.web.operations import (
    Answers,
    Context,
    Request,
    RequestError,
    Result,
    operation,
)
from katachi.interfaces.web.run_shelf import PREFIX, find_paths, find_run, identity_of, title_of
from katachi.interfaces.web.shape_shelf import ShapeShelf, Wanted
from katachi.pictures.filters import CHANNEL_NAMES
from katachi.records.opening_book import Book, open_book
from katachi.records.opening_tree import Node, OpeningTree, position_keys
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex, vertex_from_point
from katachi.search.opening_lines import move_values

KEPT = 4
"""Models whose shapes are kept in memory."""
Row = Annotated[list[Annotated[int, Meta(ge=-1, le=2)]], Meta(max_length=19)]


class Pattern(Struct, forbid_unknown_fields=True):
    """Stones to find: 0 empty, 1 and 2 the two colours, -1 anything."""

    cells: Annotated[list[Row], Meta(max_length=19)]


class ShapesRequest(Request):
    """Which shapes of which model."""

    model: Id = "shape9"
    order: Literal["gain", "value", "count"] = "gain"
    set: Id | None = None
    sign: Literal["both", "good", "bad"] = "both"
    pattern: Pattern | None = None
    offset: Annotated[int, Meta(ge=0, le=10_000_000)] = 0
    count: Annotated[int, Meta(ge=1, le=60)] = 24


class FiltersRequest(Request):
    """Which model's filters."""

    model: Id = "crbm9"


class FoundModel(NamedTuple):
    """A model that the page may ask for."""

    name: str
    folder: Path
    about: str
    size: int | None


def find_models(context: Context, *kinds: str) -> dict[str, FoundModel]:
    """The models of these kinds by name: shipped ones, and those of finished runs as `run:ID`."""
    found = {}
    for name in model_names():
        model = read_model(name)
        if model.heading.kind in kinds:
            found[name] = FoundModel(name, model.folder, "comes with katachi", model.heading.size)
    for path in find_paths(context.folder):
        try:
            model = read_model(str(path))
        except KatachiError:
            continue  # a run that is not finished
        if model.heading.kind in kinds:
            name = f"{PREFIX}:{identity_of(path)}"
            found[name] = FoundModel(name, model.folder, title_of(path), model.heading.size)
    return found


def folder_of(context: Context, name: str, *kinds: str) -> Path:
    """Where the model of a name lies; raises RequestError for another name or kind."""
    prefix, _, identity = name.partition(":")
    try:
        if prefix == PREFIX:
            folder = find_model(str(find_run(identity, context.folder)))
        elif name in model_names():
            folder = find_model(name)
        else:
            raise KatachiError(f"no model {name!r}")
        kind = read_heading(folder).kind
    except KatachiError as error:
        raise RequestError("model", error) from None
    if kind not in kinds:
        raise RequestError("model", f"{name} is a model of {kind}, not of {' or '.join(kinds)}")
    return folder


def _choices(context: Context, *kinds: str) -> list[dict[str, Any]]:
    models = find_models(context, *kinds).values()
    return [{"name": each.name, "about": each.about, "size": each.size} for each in models]


def _stamp(folder: Path) -> tuple[int, ...]:
    """Another one for each model that a folder has held."""
    return tuple(
        (folder / name).stat().st_mtime_ns for name in ("config.json", "weights.safetensors")
    )


@lru_cache(maxsize=KEPT)
def _shelf(folder: Path, _: tuple[int, ...]) -> ShapeShelf:
    return ShapeShelf(LocalShape.load(folder))


@operation("shapes", ShapesRequest)
def shapes(request: ShapesRequest, context: Context) -> Answers:
    """Shapes of a model, ordered, searched and paged."""
    folder = folder_of(context, request.model, LOCAL_SHAPE)
    shelf = _shelf(folder, _stamp(folder))
    yield None
    cells = None if request.pattern is None else request.pattern.cells
    try:
        page = slice(request.offset, request.offset + request.count)
        wanted = Wanted(request.order, request.sign, request.set, cells, page)
        query = wanted.query(shelf.model)
    except KatachiError as error:
        field = "set" if request.pattern is None else "pattern"
        raise RequestError(field, error) from None
    for _ in shelf.prepare(query):
        yield None
    total, found = shelf.find(query)
    model = shelf.model
    names = {each.name: each.is_hashed for each in model.sets}
    yield Result(
        {
            "model": request.model,
            "models": _choices(context, LOCAL_SHAPE),
            "size": model.size,
            "order": query.order,
            "sets": list(names),
            "hashed": [name for name, is_hashed in names.items() if is_hashed],
            "total": total,
            "shapes": found,
        }
    )


@lru_cache(maxsize=KEPT)
def _filters(folder: Path, _: tuple[int, ...]) -> dict[str, Any]:
    """The filters of a model's folder, those that matter most first; raises KatachiError where a
    linear model has none."""
    features, added = _features_of(folder)
    weight = features.layers[0].arrays["weight"].astype(np.float64)
    strength = np.abs(weight).sum(axis=(1, 2, 3))
    order = np.argsort(-np.abs(strength if added is None else added), kind="stable")
    plots = filter_plots(features.layers[0].arrays["weight"])
    stones = np.array([1, 2, 0])[plots]  # by channel: black, white, empty
    return {
        "channels": list(CHANNEL_NAMES),
        "side": weight.shape[2],
        "filters": [
            {
                "number": number + 1,
                "weight": None if added is None else round(float(added[number]), 4),
                "strength": round(float(strength[number]), 3),
                "names": shapes_in(plots[number]),
                "stones": stones[number].tolist(),
                "maps": weight[number, : GROUPS[STONES]].round(3).tolist(),
            }
            for number in order.tolist()
        ],
    }


def _features_of(folder: Path) -> tuple[CrbmFeatures, npt.NDArray[np.float64] | None]:
    """(an RBM, [K] what a linear model adds where each filter is on, the mean over the board)."""
    if read_heading(folder).kind == CRBM:
        return CrbmFeatures.load(folder), None
    for part in Linear.load(folder).parts:
        if isinstance(part.map, CrbmFeatures):
            form, theta = part.map.layers[0].form, np.asarray(part.theta, np.float64)
            if len(part.map.layers) > 1 or part.map.is_pooled:
                return part.map, None
            by_turn = theta.reshape(-1, form.kernels, form.maps // form.kernels)
            return part.map, by_turn.mean(axis=(0, 2))
    raise KatachiError("this linear model has features of another kind: it has no filters")


@operation("filters", FiltersRequest)
def filters(request: FiltersRequest, context: Context) -> Answers:
    """The filters of an RBM, those that matter most first."""
    folder = folder_of(context, request.model, CRBM, LINEAR)
    try:
        found = _filters(folder, _stamp(folder))
    except KatachiError as error:
        raise RequestError("model", error) from None
    yield Result({"model": request.model, "models": _choices(context, CRBM, LINEAR)} | found)


OPENING_MOVES = 60
"""Moves of an opening that can be walked."""


class OpeningRequest(Request):
    """Moves from the empty board on."""

    moves: Annotated[list[Vertex], Meta(max_length=OPENING_MOVES)] = []  # noqa: RUF012 (msgspec copies it)


class OpeningBook(NamedTuple):
    """The openings that come with katachi, joined into a tree."""

    tree: OpeningTree
    styles: dict[int, Counter[str]]
    """By position: how many openings of each style come there."""


@cache
def opening_book() -> OpeningBook:
    """The book; read once."""
    openings = open_book((), Book())
    tree = OpeningTree(openings)
    styles: dict[int, Counter[str]] = defaultdict(Counter)
    for each, keys in zip(openings, position_keys(openings, is_joined=True), strict=True):
        for key in set(keys.tolist()):
            styles[key][each.style.value] += 1
    return OpeningBook(tree, dict(styles))


@operation("opening", OpeningRequest)
def opening(request: OpeningRequest, _context: Context) -> Answers:
    """A position of the opening tree: what was played there, and what it led to."""
    book = opening_book()
    yield None
    tree = book.tree
    game = Game(tree.size)
    for number, vertex in enumerate(request.moves, 1):
        try:
            game.play(game.to_play, point_from_vertex(vertex, tree.size))
        except KatachiError as error:
            raise RequestError("moves", f"move {number}: {error}") from None
    node = tree.node_of(game)
    net = load_opening()
    styles = book.styles.get(node.key, Counter[str]()) if node else Counter[str]()
    yield Result(
        {
            "size": tree.size,
            "title": f"{tree.root.count:,} openings of GNU Go, {len(tree.openings[0])} moves each",
            "position": position_of(game),
            "games": node.count if node else 0,
            "value": float(net.evaluate(game.states).value[0]),
            "children": [] if node is None else _children(tree, node, game),
            "names": [{"name": name, "games": n} for name, n in styles.most_common()],
        }
        | _led_to(node)
    )


def _children(tree: OpeningTree, node: Node, game: Game) -> list[dict[str, Any]]:
    """What was played in a position, most played first."""
    found = list(tree.moves_from(game))
    points = np.array([point for point, _ in found], np.uint16)
    net = load_opening()
    values = (move_values(net, game, points) + 1.0) / 2.0 if found else np.zeros(0)
    return [
        {
            "vertex": vertex_from_point(point, game.size),
            "games": node.children[child.key],
            "share": node.children[child.key] / node.count,
            "value": value,
        }
        | _led_to(child)
        for (point, child), value in zip(found, values.tolist(), strict=True)
    ]


def _led_to(node: Node | None) -> dict[str, float | None]:
    """What became of the games that reached a position."""
    if node is None:
        return {"black_wins": None, "judged": None}
    decided = node.black_wins + node.white_wins
    wins = node.black_wins / decided if decided else None
    return {"black_wins": wins, "judged": node.mean_judgement}
