"""What each command answers."""

import json

import pytest

from katachi.interfaces.gtp import Compat, EngineOptions
from katachi.interfaces.gtp.engine import COMMANDS
from katachi.rules.point import PASS
from tests.interfaces.gtp.conversation import NINE, ask, talk
from tests.interfaces.gtp.scripted import options_for

PROMISED = """
boardsize
cgos-gameover
cgos-genmove_analyze
cgos-opponent_name
cgos-opponent_rating
clear_board
clear_cache
cputime
final_score
final_status_list
fixed_handicap
genmove
get_komi
gg-undo
gogui-analyze_commands
gogui-interrupt
gogui-play_sequence
gogui-rules_board
gogui-rules_board_gfx
gogui-rules_board_size
gogui-rules_captured_count
gogui-rules_final_result
gogui-rules_game_id
gogui-rules_legal_moves
gogui-rules_side_to_move
gogui-setup
gogui-setup_player
gogui-title
gogui-version
gomill-cpu_time
gomill-describe_engine
gomill-explain_last_move
kata-analyze
kata-genmove_analyze
kata-get-param
kata-get-params
kata-get-rules
kata-list-params
kata-list_time_settings
kata-raw-nn
kata-set-param
kata-set-params
kata-set-rule
kata-set-rules
kata-time_settings
katachi-explain
katachi-features
katachi-help
katachi-ownership
katachi-param
kgs-chat
kgs-game_over
kgs-genmove_cleanup
kgs-rules
kgs-time_settings
known_command
komi
list_commands
loadsgf
lz-analyze
lz-genmove_analyze
name
place_free_handicap
play
printsgf
protocol_version
quit
rectangular_boardsize
reg_genmove
set_free_handicap
set_position
showboard
stop
time_left
time_settings
undo
version
"""


def test_every_promised_command_is_listed_and_plain_analyze_is_not() -> None:
    assert ask("list_commands").removeprefix("= ").split("\n") == PROMISED.strip().split("\n")
    assert not {"analyze", "genmove_analyze"} & set(COMMANDS)


def test_every_command_says_what_it_does() -> None:
    for name in COMMANDS:
        assert len(ask(f"katachi-help {name}")) > 10
    assert "pseudo-visits" in ask("katachi-help")


@pytest.mark.parametrize(
    ("lines", "reply"),
    [
        ("protocol_version", "= 2"),
        ("name", "= katachi"),
        ("known_command play", "= true"),
        ("known_command analyze", "= false"),
        ("known_command", "= false"),
        ("frobnicate", "? unknown command"),
        ("NAME", "? unknown command"),
        ("boardsize 13", "="),
        ("boardsize 13 13", "="),
        ("boardsize 2", "="),
        ("boardsize 25", "="),
        ("boardsize 1", "? unacceptable size"),
        ("boardsize 26", "? unacceptable size"),
        ("boardsize -9", "? unacceptable size"),
        ("boardsize 99999999999999", "? unacceptable size"),
        ("boardsize 9 13", "? unacceptable size"),
        ("boardsize nine", "? boardsize not an integer"),
        ("boardsize", "? boardsize not an integer"),
        ("rectangular_boardsize 9 9", "="),
        ("rectangular_boardsize 9 19", "? unacceptable size"),
        ("komi 6.5|get_komi", "= 6.5"),
        ("komi -3|boardsize 13|get_komi", "= -3"),
        ("komi nan", "? komi not a float"),
        ("komi inf", "? komi not a float"),
        ("komi 1e999", "? komi not a float"),
        ("komi", "? komi not a float"),
        ("komi 1e300", "? unacceptable komi: at most 10000"),
        ("play b D4", "="),
        ("PlAy b D4", "? unknown command"),
        ("play BLACK d4|play b e4|play White PASS|play w resign", "="),
        ("play b D4|play w D4", "? illegal move"),
        ("play b", "? invalid color or coordinate"),
        ("play x D4", "? invalid color or coordinate"),
        ("play b I4", "? invalid color or coordinate"),
        ("play b K10", "? invalid color or coordinate"),
        ("play b A0", "? invalid color or coordinate"),
        ("play b A99999999999", "? invalid color or coordinate"),
        ("play b D4 w", "? invalid color or coordinate"),
        ("genmove", "? invalid color"),
        ("genmove green", "? invalid color"),
        ("undo", "? cannot undo"),
        ("play b D4|undo|undo", "? cannot undo"),
        ("play b D4|play w E5|gg-undo 2|play w D4", "="),
        ("play b D4|gg-undo 2", "? cannot undo"),
        ("gg-undo -1", "? cannot undo"),
        ("gg-undo x", "? cannot undo"),
        ("play b D4|gg-undo|play b D4", "="),
        ("set_position b D4 w E5|play w D4", "? illegal move"),
        ("set_position b D4 w E5|undo", "? cannot undo"),
        ("set_position b D4 w", "? syntax error"),
        ("set_position b D4 b D4", "? two setup stones on D4"),
        ("fixed_handicap 2", "= C3 G7"),
        ("fixed_handicap 9", "= C3 G7 C7 G3 C5 G5 E3 E7 E5"),
        ("boardsize 19|fixed_handicap 6", "= D4 Q16 D16 Q4 D10 Q10"),
        ("boardsize 13|fixed_handicap 5", "= D4 K10 D10 K4 G7"),
        ("boardsize 8|fixed_handicap 4", "= C3 F6 C6 F3"),
        ("boardsize 8|fixed_handicap 5", "? invalid handicap"),
        ("boardsize 5|fixed_handicap 2", "? invalid handicap"),
        ("fixed_handicap 1", "? invalid handicap"),
        ("fixed_handicap", "? invalid handicap"),
        ("play b D4|fixed_handicap 2", "? board not empty"),
        ("fixed_handicap 2|fixed_handicap 2", "? board not empty"),
        ("place_free_handicap 3", "= C3 G7 C7"),
        ("place_free_handicap 81", "? invalid handicap"),
        ("set_free_handicap D4 E5|gogui-rules_side_to_move", "= white"),
        ("set_free_handicap D4 D4", "? repeated vertex"),
        ("set_free_handicap D4", "? bad vertex list"),
        ("set_free_handicap D4 pass", "? bad vertex list"),
        ("set_free_handicap D4 Z99", "? bad vertex list"),
        ("play b D4|set_free_handicap D4 E5", "? board not empty"),
        ("time_settings 600 30 5|time_left b 100 3", "="),
        ("time_settings 600 30", "? not three integers"),
        ("time_settings -1 30 5", "? not three integers"),
        ("time_settings inf 30 5", "? not three integers"),
        ("time_left b", "? time and stones not two integers"),
        ("time_left green 1 1", "? invalid color"),
        ("kgs-time_settings none", "="),
        ("kgs-time_settings absolute 600", "="),
        ("kgs-time_settings byoyomi 600 30 5", "="),
        ("kgs-time_settings canadian 600 300 25", "="),
        ("kgs-time_settings byoyomi 600", "? syntax error"),
        ("kgs-time_settings", "? syntax error"),
        ("kata-time_settings fischer 60.5 5", "="),
        ("kata-time_settings fischer-capped 60 5 120 30", "="),
        ("kata-list_time_settings", "= none absolute byoyomi canadian fischer fischer-capped"),
        ("final_score", "= W+7.5"),
        ("komi 0|final_score", "= 0"),
        ("final_status_list", "? missing status"),
        ("final_status_list green", "? invalid status"),
        ("final_status_list seki", "="),
        ("kgs-rules chinese", "="),
        ("kgs-rules japanese", "? unsupported rules: use chinese, aga, new_zealand"),
        ("kata-set-rules chinese-ogs", "="),
        ("kata-set-rules {", "? syntax error"),
        ("kata-set-rule ko SITUATIONAL", "="),
        ("kata-set-rule scoring TERRITORY", "? cannot play the rule 'scoring' 'TERRITORY'"),
        ("kata-set-rules " + "{[" * 9000, "? syntax error"),
        ('kata-set-param maxTime 2.5|kata-get-params', '= {"maxTime":"2.5","maxVisits":"1000"}'),
        ('kata-set-params {"maxTime": 3}|kata-get-param maxTime', "= 3"),
        ("kata-get-param x", "? no parameter 'x'"),
        ("kata-list-params", "= maxTime maxVisits"),
        ("katachi-param seconds 0", "? syntax error"),
        ("katachi-param seconds 2|katachi-param",
         "= [string] seconds 2\n[bool] pass 1\n[string] resign 0.05\n"
         "[list/agreed/all-alive/japanese] counting agreed\n[label] player alp\n[label] seed 1"),
        ("gogui-play_sequence b D4 w E5|undo|undo", "="),
        ("gogui-play_sequence b D4 w D4", "? illegal move"),
        ("gogui-setup b D4 w E5|gogui-setup_player w|gogui-rules_side_to_move", "= white"),
        ("play b D4|gogui-setup_player w", "? the first player is set before the first move"),
        ("gogui-rules_game_id", "= Go"),
        ("gogui-rules_board_size", "= 9"),
        ("boardsize 2|play b A1|gogui-rules_board", "=\n. .\nX ."),
        ("boardsize 2|play b A1|gogui-rules_board_gfx", "=\nBLACK A1\nWHITE"),
        ("boardsize 2|play b A1|gogui-rules_legal_moves", "= A2 B2 B1 pass"),
        ("gogui-rules_final_result", "="),
        ("play b D4|play w pass|play b pass|gogui-rules_final_result", "= B+73.5"),
        ("play b A1|play w A2|play w B1|gogui-rules_captured_count", "= 0 1"),
        ("katachi-features pass", "? syntax error"),
        ("play b D4|play b D5|katachi-features D5", "= black block of 2, liberties 6"),
        ("play b A2|play b B1|play b B2|katachi-features A1",
         "= empty, eye of black; black legal, white suicide"),
        ("play b D4|katachi-explain D4", "? illegal move"),
        ("katachi-ownership before D4", "? syntax error"),
        ("kgs-game_over|cgos-gameover B+R|cgos-opponent_name gnu go|clear_cache|stop", "="),
    ],
)  # fmt: skip
def test_reply(lines: str, reply: str) -> None:
    assert ask(*lines.split("|")) == reply


def test_ids_are_echoed_as_written() -> None:
    sent = "1 name\n007 play b Z99\n99999999999 protocol_version\n5\n"
    ids = [(reply.id, reply.is_success) for reply in talk(sent).replies]
    assert ids == [("1", True), ("007", False), ("99999999999", True), ("5", False)]


def test_comments_blank_lines_returns_tabs_and_control_characters_do_not_disturb() -> None:
    sent = b"\r\n# interrupt\n  \n1\tname\r\n2 ver\x00sion # now\n3 play\tB\td4\n"
    assert [reply.id for reply in talk(sent).replies] == ["1", "2", "3"]


def test_an_over_long_line_is_refused_once_with_its_id() -> None:
    replies = talk(b"9 play b " + b"D4" * 50_000 + b"\n10 name\n").replies
    assert [(r.is_success, r.id, r.text) for r in replies] == [
        (False, "9", "line too long"),
        (True, "10", "katachi"),
    ]


def test_nothing_after_quit_is_answered() -> None:
    assert talk("quit\nname\n").texts == ["="]


def test_a_command_without_line_end_is_answered_at_the_end_of_input() -> None:
    assert talk("name").texts == ["= katachi"]


def test_a_sequence_that_fails_leaves_the_board_as_it_was() -> None:
    talked = talk("gogui-play_sequence b D4 w E5 b D4\ngogui-rules_legal_moves\n")
    assert not talked.replies[0].is_success
    assert len(talked.replies[1].text.split()) == 82


@pytest.mark.parametrize("count", [2, 9, 10, 40, 623])
@pytest.mark.parametrize("size", [5, 8, 19, 25])
def test_a_free_handicap_has_exactly_as_many_stones_as_asked(size: int, count: int) -> None:
    if count >= size * size:
        return
    reply = ask(f"boardsize {size}", f"place_free_handicap {count}")
    assert len(set(reply.removeprefix("= ").split())) == count


def test_rules_are_given_in_katago_words() -> None:
    reply = ask('kata-set-rules {"ko":"SIMPLE","suicide":true}', "kata-get-rules")
    rules = json.loads(reply.removeprefix("= "))
    assert (rules["ko"], rules["suicide"], rules["scoring"]) == ("SIMPLE", True, "AREA")


def test_the_board_shows_stones_turn_and_captures() -> None:
    board = ask("boardsize 5", "play w A1", "play b A2", "play b B1", "showboard")
    assert " 2 X . . . . 2\n 1 .(X). . . 1" in board
    assert "white to move" in board
    assert "black (X) has captured 1" in board


SETTLED = """
    . X O . .
    X X O O O
    . X O O X
    X X O O .
    . X O O .
"""


def position(diagram: str) -> list[str]:
    """The commands that set up a diagram."""
    rows = [line.split() for line in diagram.strip().splitlines()]
    stones = [
        f"{'b' if cell == 'X' else 'w'} {'ABCDEFGHJ'[col]}{len(rows) - row}"
        for row, cells in enumerate(rows)
        for col, cell in enumerate(cells)
        if cell != "."
    ]
    return [f"boardsize {len(rows)}", "set_position " + " ".join(stones)]


@pytest.mark.parametrize(
    ("command", "reply"),
    [
        ("final_score", "= W+12.5"),
        ("final_status_list dead", "= E3"),
        ("final_status_list alive",
         "= B5 A4 B4 B3 A2 B2 B1\nC5 C4 D4 E4 C3 D3 C2 D2 C1 D1"),
        ("final_status_list black_territory", "= A5 A3 A1"),
        ("final_status_list white_territory", "= D5 E5 E3 E2 E1"),
        ("final_status_list dame", "="),
    ],
)  # fmt: skip
def test_dead_stones_are_reported_and_lifted_from_the_score(command: str, reply: str) -> None:
    assert ask(*position(SETTLED), command) == reply


def test_cleanup_takes_dead_stones_before_it_passes() -> None:
    options = options_for(PASS)
    assert ask(*position(SETTLED), "genmove w", options=options) == "= pass"
    once = [*position(SETTLED), "kgs-genmove_cleanup w"]
    assert ask(*once, options=options) == "= E2"
    assert ask(*once, "kgs-genmove_cleanup w", options=options) == "= pass"


def test_lizzie_gets_the_name_and_version_it_demands() -> None:
    options = EngineOptions(compat=Compat.LIZZIE)
    assert ask("name", options=options).startswith("= KataGo")
    first, second, *_ = ask("version", options=options).removeprefix("= ").split(".")
    assert (first, int(second) >= 15) == ("0", True)


def test_the_engine_describes_itself_and_its_last_move() -> None:
    description = ask("gomill-describe_engine")
    for part in ("katachi", "alp", "seed 1", "5 s", "POSITIONAL", "pseudo-visits"):
        assert part in description
    assert "black" in ask("genmove b", "gomill-explain_last_move")
    assert float(ask("cputime").removeprefix("= ")) > 0


def test_equal_seeds_play_equal_games() -> None:
    moves = "genmove b\ngenmove w\n" * 20
    assert talk(moves).texts == talk(moves).texts


def test_a_resignation_is_reported_and_moves_no_stone() -> None:
    options = options_for(None, PASS)
    assert talk("genmove b\nundo\ngenmove b\nundo\n", options).texts == [
        "= resign",
        "? cannot undo",
        "= pass",
        "=",
    ]


def test_reg_genmove_plays_nothing() -> None:
    assert ask("reg_genmove b", "undo") == "? cannot undo"


def test_a_player_that_cannot_be_made_is_reported_in_each_reply_and_in_the_exit_status() -> None:
    talked = talk("name\ngenmove b\nname\n", EngineOptions(player="nobody"))
    assert talked.texts[0] == talked.texts[2] == "= katachi"
    assert talked.texts[1].startswith("? no player 'nobody'")
    assert talked.status == 1
    assert talk("genmove b\n", NINE).status == 0


def test_a_board_that_the_model_is_not_for_is_refused() -> None:
    options = EngineOptions(player="shape:shape9", size=9)
    talked = talk("boardsize 13\ngogui-rules_board_size\nboardsize 9\n", options)
    assert talked.texts[0] == "? unacceptable size: shape9 is for 9x9 boards, not 13x13"
    assert talked.texts[1:] == ["= 9", "="]
