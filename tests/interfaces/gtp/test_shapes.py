"""A Go client hears which shapes a move changes, if the player knows shapes."""

import re

from katachi.evaluators.shape_reading import ShapeReader, read_move
from katachi.features.units import UNIT
from katachi.interfaces.gtp import EngineOptions
from katachi.players.evaluating import EvaluatingPlayer
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex
from tests.evaluators.shape_models import random_model
from tests.interfaces.gtp.conversation import ask

MODEL = random_model("1x1-2x2:LI,2x1:LI:liberty", size=9)


def options(size: int = 9) -> EngineOptions:
    return EngineOptions(
        size=size, make_player=lambda name, seed: EvaluatingPlayer(name, MODEL, seed)
    )


def test_explain_tells_the_shapes_that_a_move_changes() -> None:
    first, *lines = ask("play b E5", "katachi-explain E6", options=options()).splitlines()
    assert re.fullmatch(r"= white E6: win rate .* rank \d+ of 80", first)
    game = Game(9)
    game.play(BLACK, point_from_vertex("E5", 9))
    reading = read_move(ShapeReader(MODEL), game, WHITE, point_from_vertex("E6", 9))
    before, after = reading.before * UNIT, reading.after * UNIT
    assert lines[0].startswith(f"log-odds {before:+.4f} to {after:+.4f}")
    units = [
        int(n.replace(",", "")) for n in re.findall(r"\(([+-][\d,]+) units\)", "\n".join(lines))
    ]
    assert units[0] + units[1] == units[2] == reading.difference
    assert all(line and line.isascii() for line in lines)


def test_features_tell_the_shapes_around_a_point() -> None:
    first, second, *lines = ask("play b E5", "katachi-features E5", options=options()).splitlines()
    assert first == "= black block of 1, liberties 4"
    assert re.fullmatch(r"[+-]\d\.\d{4} in 13 shapes around it, as black sees it", second)
    assert len(lines) == 8
    form = r"[+-]\d\.\d{4} \dx\d:LI(:liberty)? [#o.0-2a-c/]+: [D-F][4-6](-[D-F][4-6])?"
    assert all(re.fullmatch(form, line) for line in lines)
    values = [abs(float(line.split()[0])) for line in lines]
    assert values == sorted(values, reverse=True)


def test_on_another_board_nothing_is_said_of_shapes() -> None:
    assert "\n" not in ask("katachi-features C3", options=options(size=5))
