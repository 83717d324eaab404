"""A player of several parts gives each move to the one whose part it is."""

import pytest

from katachi.interfaces.gtp import EngineOptions
from katachi.players.kinds import split_phases
from katachi.players.phases import Limits, Part, PhasesPlayer, join_players
from katachi.players.protocol import Analyst, Choice
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, vertex_from_point
from tests.checks import check_player
from tests.interfaces.gtp.conversation import talk


class Passer:
    """Passes, and counts how often it was asked and closed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked = 0
        self.closed = 0

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        self.asked += 1
        return Choice(PASS)

    def close(self) -> None:
        self.closed += 1


def passers(*limits: Limits) -> tuple[PhasesPlayer, list[Passer]]:
    players = [Passer(str(number)) for number in range(len(limits))]
    parts = [Part(each, player) for each, player in zip(limits, players, strict=True)]
    return join_players("several", parts), players


def game_of(size: int, moves: int) -> Game:
    game = Game(size)
    for number in range(moves):
        game.play(1 + number % 2, int(game.legal_moves(1 + number % 2)[0]))
    return game


@pytest.mark.parametrize(
    ("limits", "size", "moves", "is_first"),
    [
        (Limits(move=3), 5, 2, True),
        (Limits(move=3), 5, 3, False),
        (Limits(percent=20), 5, 4, True),
        (Limits(percent=20), 5, 5, False),
        (Limits(size=5), 5, 9, True),
        (Limits(size=5), 6, 0, False),
        (Limits(size=9, move=3), 9, 2, True),
        (Limits(size=9, move=3), 9, 3, False),
        (Limits(size=9, move=3), 10, 0, False),
    ],
)
def test_the_first_player_moves_while_its_limits_hold(
    limits: Limits, size: int, moves: int, is_first: bool
) -> None:
    player, both = passers(limits, Limits())
    player.choose(game_of(size, moves), BLACK)
    assert [each.asked for each in both] == [int(is_first), int(not is_first)]


def test_passes_are_moves_but_fill_nothing() -> None:
    game = Game(5)
    game.play(BLACK, PASS)
    game.play(WHITE, PASS)
    assert not Limits(move=2).hold(game)
    assert Limits(percent=1).hold(game)


def test_every_player_is_closed() -> None:
    player, both = passers(Limits(move=1), Limits())
    player.close()
    assert [each.closed for each in both] == [1, 1]


def test_names_say_who_plays_which_part() -> None:
    assert split_phases("20:territory:moves9,9x9/40%:search:2:alp,shape") == [
        ({"move": 20}, "territory:moves9"),
        ({"size": 9, "percent": 40}, "search:2:alp"),
        ({}, "shape"),
    ]


def test_moves_are_those_of_the_players_of_the_parts() -> None:
    game, name = Game(5), "phases:4:alp,influence"
    player = make_player(name, 7)
    first, second = make_player("alp", 7), make_player("influence", 7)
    for number in range(8):
        color = 1 + number % 2
        chosen = player.choose(game, color)
        assert chosen == (first if number < 4 else second).choose(game, color)
        assert chosen.point is not None
        game.play(color, chosen.point)


def test_the_player_keeps_the_contract() -> None:
    name = "phases:5x5/10:alp,50%:random,influence"
    check_player(lambda _: make_player(name), sizes=(2, 3, 5, 7))


def test_it_plays_for_a_gtp_client() -> None:
    name = "phases:1:alp,influence"
    talked = talk("genmove b\ngenmove w\nname\nquit\n", EngineOptions(name, seed=1, size=5))
    assert all(reply.is_success for reply in talked.replies)
    game = Game(5)
    expected = []
    for color, part in ((BLACK, "alp"), (WHITE, "influence")):
        point = make_player(part, 1).choose(game, color).point
        assert point is not None
        game.play(color, point)
        expected.append(vertex_from_point(point, 5))
    assert [reply.text for reply in talked.replies[:2]] == expected


def test_a_bad_name_is_reported_to_a_gtp_client_in_one_line() -> None:
    talked = talk("genmove b\nquit\n", EngineOptions("phases:20:alp", seed=1, size=5))
    assert not talked.replies[0].is_success
    assert talked.replies[0].text.startswith("no player 'phases:20:alp': in phases:LIMIT:PLAYER")


def test_it_analyses_where_all_its_players_do() -> None:
    player = make_player("phases:4:alp,influence")
    assert isinstance(player, Analyst)
    alp = make_player("alp")
    assert isinstance(alp, Analyst)
    assert player.analyse(Game(5), BLACK).candidates == alp.analyse(Game(5), BLACK).candidates
    assert not isinstance(make_player("phases:4:alp,playouts:1"), Analyst)
