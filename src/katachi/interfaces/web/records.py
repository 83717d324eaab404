"""Operations on game records: reading files with variations, writing them, and examples."""

import binascii
from base64 import b64decode
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import islice
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from katachi.errors import KatachiError
from katachi.interfaces.cli.games import title_of
from katachi.interfaces.web.messages import (
    COLORS,
    LARGEST,
    ColorName,
    GameRequest,
    Id,
    Vertex,
    Vertices,
    game_from_message,
    points_from_vertices,
    vertices_of,
)
from katachi.interfaces.web.operations import (
    Answers,
    Context,
    Lane,
    Request,
    RequestError,
    Result,
    operation,
)
from katachi.interfaces.web.playing import status_without
from katachi.records.conversion import DEFAULT_KOMI, record_from_game, text_from_rules
from katachi.records.record import GameRecord, GameTexts, Rejection
from katachi.records.result import result_from_text
from katachi.records.sgf import read_games, write_game
from katachi.records.shipped_games import OPENINGS
from katachi.records.variations import GameTree, Limits, TreeNode, read_trees, write_tree
from katachi.rules.color import COLOR_NAMES
from katachi.rules.point import point_from_vertex, vertex_from_point
from katachi.rules.ruleset import Rules

LARGEST_FILE = 2 << 20
LIMITS = Limits()
EXAMPLES = {
    "chinese": (1, "A Chinese opening, GNU Go against itself, 19x19"),
    "three-star": (2, "A three-star opening, GNU Go against itself, 19x19"),
    "shusaku": (5, "A Shusaku opening, GNU Go against itself, 19x19"),
}
"""By id: which game of the collection, counted from 1, and its title."""


class ReadRequest(Request):
    """The text of an SGF file."""

    text: str
    base64: bool = False


@operation("sgf_read", ReadRequest)
def sgf_read(request: ReadRequest, _context: Context) -> Answers:
    """The games of an SGF file with their variations."""
    data = _file(request)
    games, skipped = [], []
    try:
        for found in read_trees(data, LIMITS, is_utf8=not request.base64):
            if isinstance(found, Rejection):
                skipped.append(f"game {found.source.number}: {found.reason}")
            elif found.record.size > LARGEST:
                size = found.record.size
                skipped.append(f"game {found.record.source.number}: a {size}x{size} board")
            else:
                games.append(game_entry(found))
            yield None
    except KatachiError as error:
        raise RequestError("text", error) from None
    if not games:
        raise RequestError("text", f"no game can be read: {skipped[0]}")
    yield Result({"games": games, "skipped": skipped})


def _file(request: ReadRequest) -> bytes:
    """The bytes of the file; raises RequestError."""
    try:
        data = b64decode(request.text, validate=True) if request.base64 else request.text.encode()
    except (binascii.Error, ValueError):
        what = "base64" if request.base64 else "whole characters"
        raise RequestError("text", f"the file is not sent as {what}") from None
    if len(data) > LARGEST_FILE:
        raise RequestError("text", f"files of more than {LARGEST_FILE >> 20} MiB are not read")
    return data


def game_entry(tree: GameTree) -> dict[str, Any]:
    """A game as it is sent."""
    record, size = tree.record, tree.record.size
    texts = record.texts
    return {
        "title": title_of(record),
        "size": size,
        "komi": DEFAULT_KOMI if record.komi is None else record.komi,
        "handicap": record.handicap,
        "players": {
            "black": f"{texts.black} {texts.black_rank}".strip(),
            "white": f"{texts.white} {texts.white_rank}".strip(),
        },
        "result": texts.result,
        "date": texts.date,
        "first": COLOR_NAMES[record.first_to_play],
        "setup": {
            "black": vertices_of(record.setup_black, size),
            "white": vertices_of(record.setup_white, size),
        },
        "comment": tree.comment,
        "nodes": [_node_entry(node, size) for node in tree.nodes],
        "notes": tree.notes,
    }


def _node_entry(node: TreeNode, size: int) -> dict[str, Any]:
    return {
        "parent": node.parent,
        "color": COLOR_NAMES[node.color],
        "vertex": vertex_from_point(node.point, size),
        "comment": node.comment,
    }


def entry_of_record(record: GameRecord) -> dict[str, Any]:
    """A game without variations as it is sent."""
    pairs = zip(record.moves.tolist(), record.colors.tolist(), strict=True)
    nodes = [TreeNode(number - 1, color, point) for number, (point, color) in enumerate(pairs)]
    return game_entry(GameTree(record, "", nodes, []))


class Players(msgspec.Struct, forbid_unknown_fields=True):
    """Who played."""

    black: Annotated[str, Meta(max_length=200)] = ""
    white: Annotated[str, Meta(max_length=200)] = ""


class NodeMessage(msgspec.Struct, forbid_unknown_fields=True):
    """A move of a tree."""

    parent: Annotated[int, Meta(ge=-1, le=LIMITS.nodes)]
    color: ColorName
    vertex: Vertex
    comment: Annotated[str, Meta(max_length=20_000)] = ""


class WriteRequest(GameRequest):
    """A game to write, with what is known of it."""

    players: Players = msgspec.field(default_factory=Players)
    result: Annotated[str, Meta(max_length=40)] | None = None
    dead: Vertices | None = None
    nodes: Annotated[list[NodeMessage], Meta(max_length=LIMITS.nodes)] | None = None


@operation("sgf_write", WriteRequest)
def sgf_write(request: WriteRequest, _context: Context) -> Answers:
    """A game, or a tree of variations, as an SGF file."""
    record = record_of(request)
    if request.nodes is None:
        text = write_game(record)
    else:
        try:
            text = write_tree(record, _nodes(request.nodes, record.size))
        except KatachiError as error:
            raise RequestError("nodes", error) from None
    yield Result({"text": text.decode()})


def record_of(request: WriteRequest) -> GameRecord:
    """The record of a request's game; with owners where its dead stones are named."""
    game = game_from_message(request.game)
    players = request.players
    texts = GameTexts(
        black=players.black,
        white=players.white,
        date=date.today().isoformat(),
        rules=text_from_rules(Rules()),
    )
    result = result_from_text(request.result or "")
    record = record_from_game(game, texts, result, request.game.handicap)
    if request.dead is None:
        return record
    dead = points_from_vertices(request.dead, game.size, "dead")
    owners = np.array([0, 1, -1], np.int8)[status_without(game, dead).owners]
    return replace(record, ownership=owners)


def _nodes(messages: list[NodeMessage], size: int) -> list[TreeNode]:
    return [
        TreeNode(
            each.parent, COLORS[each.color], point_from_vertex(each.vertex, size), each.comment
        )
        for each in messages
    ]


@cache
def _openings() -> list[GameRecord]:
    return list(islice(read_games(OPENINGS), max(number for number, _ in EXAMPLES.values())))


def examples_offered() -> list[dict[str, str]]:
    """The example games of the list, as they are sent; none is read yet."""
    return [{"id": name, "title": title} for name, (_, title) in EXAMPLES.items()]


class ExampleRequest(Request):
    """Which example."""

    id: Id


@operation("example", ExampleRequest, lane=Lane.QUICK)
def example(request: ExampleRequest, _context: Context) -> Answers:
    """One of the games that come with the package."""
    if request.id not in EXAMPLES:
        raise RequestError("id", f"no example {request.id!r}: choose from {', '.join(EXAMPLES)}")
    number, title = EXAMPLES[request.id]
    yield Result({**entry_of_record(_openings()[number - 1]), "title": title})
