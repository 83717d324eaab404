"""A seeded random game written out ply by ply: board, legal moves, hash.

The stored copy shows when the rules, the hash keys or the random numbers change. After a change
that is meant, write it again with

    python -m tests.rules.playthrough > tests/data/playthrough_9x9.txt
"""

import numpy as np

from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.diagram import diagram_from_colors
from katachi.rules.game import Game
from katachi.rules.point import Points, vertex_from_point
from katachi.rules.random_play import play_random_game, random_states
from katachi.rules.ruleset import KoRule
from katachi.rules.state import new_states, state_of_game

SIZE = 9
SEED = 2007


def record_game() -> Points:
    """The moves of the seeded game under positional superko."""
    limit = 3 * SIZE * SIZE
    state = state_of_game(new_states(1, SIZE, limit + 2), 0)
    record = np.zeros(limit, np.uint16)
    random = random_states(SEED, 0, 1)[0]
    count, _ = play_random_game(state, BLACK, int(KoRule.POSITIONAL), record, random)
    return record[:count]


def describe_position(game: Game) -> str:
    """One ply's entry."""
    played = "start"
    if game.moves:
        color, point = game.moves[-1]
        played = f"{COLOR_NAMES[color]} {vertex_from_point(point, SIZE)}"
    black, white = (len(game.legal_moves(color)) for color in (BLACK, WHITE))
    facts = (
        f"ply {len(game.moves)}: {played}",
        f"legal moves: {black} black, {white} white",
        f"captures: {game.captures[0]} by black, {game.captures[1]} by white",
        f"score: {game.area_score()}",
        f"hash: {game.hash:016x}",
        diagram_from_colors(game.colors, SIZE, game.last_point),
    )
    return "\n".join(facts)


def write_playthrough() -> str:
    """The whole text."""
    game = Game(SIZE)
    entries = [describe_position(game)]
    for point in record_game().tolist():
        game.play(game.to_play, point)
        entries.append(describe_position(game))
    return "\n\n".join(entries) + "\n"


if __name__ == "__main__":
    print(write_playthrough(), end="")
