import pytest

from katachi.errors import IllegalMove, KatachiError
from katachi.records.conversion import game_from_record, record_from_game, text_from_rules
from katachi.records.dataset import GameSet
from katachi.records.header import allows_suicide
from katachi.records.record import GameRecord, GameTexts
from katachi.records.result import Ending, Result
from katachi.records.sgf import read_games, write_game
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.ruleset import RULESETS, KoRule, Rules


def read_one(text: bytes) -> GameRecord:
    (record,) = read_games(text)
    return record


def test_a_record_becomes_a_game_that_can_be_played_on() -> None:
    game = game_from_record(read_one(b"(;SZ[9]KM[6.5];B[ee];W[cc])"))
    game.play(BLACK, point_from_vertex("G3", 9))
    assert (len(game.moves), game.komi, game.to_play) == (3, 6.5, WHITE)


def test_a_game_can_be_stopped_at_any_move(gnugo_games: GameSet) -> None:
    record = gnugo_games[0]
    assert len(game_from_record(record, 10).moves) == 10
    assert len(game_from_record(record, 0).moves) == 0


@pytest.mark.parametrize("move", [-1, 3])
def test_a_move_that_was_not_played_is_refused(move: int) -> None:
    with pytest.raises(KatachiError, match=rf"there is no move {move}: the game has 2 moves"):
        game_from_record(read_one(b"(;SZ[9];B[ee];W[cc])"), move)


def test_stricter_rules_refuse_what_they_forbid() -> None:
    record = read_one(b"(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[];B[];W[bb])")
    with pytest.raises(IllegalMove, match="superko"):
        game_from_record(record, rules=Rules())


def test_setup_and_first_player_are_kept() -> None:
    game = game_from_record(read_one(b"(;SZ[9]HA[2]AB[cc][gg])"))
    assert game.to_play == WHITE
    assert sum(game.colors == BLACK) == 2


def test_a_game_and_its_record_tell_the_same(gnugo_games: GameSet) -> None:
    record = gnugo_games[5]
    again = record_from_game(game_from_record(record))
    assert again.moves.tolist() == record.moves.tolist()
    assert again.colors.tolist() == record.colors.tolist()


@pytest.mark.parametrize("rules", set(RULESETS.values()))
def test_the_text_of_the_rules_tells_whether_suicide_is_allowed(rules: Rules) -> None:
    assert text_from_rules(rules)
    assert allows_suicide(text_from_rules(rules)) == rules.suicide


def test_rules_without_a_name_have_no_text() -> None:
    assert text_from_rules(Rules(KoRule.SIMPLE, suicide=True)) == ""


def test_a_played_game_can_be_written_and_read() -> None:
    game = Game(9, 5.5)
    game.place_setup([point_from_vertex("C3", 9)], [point_from_vertex("G7", 9)])
    game.play(BLACK, point_from_vertex("E5", 9))
    game.play(WHITE, PASS)
    result = Result(WHITE, Ending.COUNT, 4.5)
    record = record_from_game(game, GameTexts(black="Ann"), result, handicap=0)
    assert read_one(write_game(record)) == record
