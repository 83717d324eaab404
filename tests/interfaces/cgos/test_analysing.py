"""What goes with our moves."""

import json

import numpy as np
import numpy.typing as npt
import pytest

from katachi.evaluators.protocol import Abilities, Evaluation
from katachi.interfaces.cgos.playing import Commentator, analysis_text, can_comment, short_text
from katachi.interfaces.cgos.thinking import Thinker
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Choice, Player
from katachi.players.roster import make_player
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.state import BoardState
from tests.interfaces.cgos.playground import run
from tests.interfaces.cgos.recorded import Reader

CENTRE = point_from_vertex("C3", 5)


class Oracle:
    """Says where the next move will be, and counts the positions it is asked to judge."""

    name = "oracle"

    def __init__(self) -> None:
        self.judged = 0
        self.abilities = Abilities(moves=self.move_scores)

    def evaluate(self, states: BoardState) -> Evaluation:
        count = len(states.words)
        self.judged += count
        return Evaluation(np.full(count, 0.5), np.full((count, 361), 0.5))

    def move_scores(
        self, positions: BoardState, _colors: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        return np.tile(np.arange(361.0), (len(positions.words), 1))


@pytest.mark.parametrize("vertex", ["A19", "T1", "K10"])
def test_only_likely_moves_of_a_large_board_are_judged(vertex: str) -> None:
    oracle, game = Oracle(), Game(19)
    player = EvaluatingPlayer("oracle", oracle)
    point = point_from_vertex(vertex, 19)
    record = json.loads(analysis_text(player, game, BLACK, point, ""))
    assert vertex in [move["move"] for move in record["moves"]]
    assert oracle.judged < 20


def test_a_player_that_says_only_its_chances_sends_these() -> None:
    text = short_text(Choice(CENTRE, 0.25), 5, "reader, 0.1 s")
    record = json.loads(text)
    assert record["winrate"] == record["moves"][0]["winrate"] == 0.25
    assert record["moves"][0]["move"] == "C3"
    assert record["comment"] == "reader, 0.1 s"
    assert "\n" not in text
    assert short_text(Choice(None, 0.25), 5, "") == short_text(Choice(CENTRE), 5, "") == ""
    assert json.loads(short_text(Choice(PASS, 1.5), 5, ""))["winrate"] == 1.0


def move_and_text(player: Player, *, with_analysis: bool = True) -> tuple[int | None, str]:
    async def think() -> tuple[int | None, str]:
        thinker = Thinker(lambda: player, lambda _text: None, with_analysis=with_analysis)
        return await thinker.choose(Game(5), BLACK, 5.0)

    return run(think())


@pytest.mark.parametrize("name", ["playouts:8", "search:1:influence"])
def test_searching_players_send_what_they_found(name: str) -> None:
    point, text = move_and_text(make_player(name, 1))
    assert point is not None
    record = json.loads(text)
    assert 0 <= record["winrate"] <= 1
    assert len(record["moves"]) == 1


def test_nothing_is_sent_where_nothing_is_wanted() -> None:
    assert move_and_text(Reader("C3"), with_analysis=False) == (CENTRE, "")
    assert not can_comment(make_player("gtp:cat"))


def test_an_analysis_that_does_not_fit_is_left_out_until_it_may_fit_again() -> None:
    commentator = Commentator()
    assert commentator.can_afford(19, 0.1)
    commentator.note(19, 0.2)
    assert commentator.can_afford(19, 0.3)
    assert commentator.can_afford(9, 0.1)
    tries = 1
    while not commentator.can_afford(19, 0.1):
        tries += 1
    assert 5 < tries < 10
