"""Analysis lines, read as strictly as the clients read them."""

import json
import re
from pathlib import Path

import pytest

from katachi.interfaces.gtp import EngineOptions
from katachi.interfaces.gtp.formats import cgos_ownership
from katachi.players.roster import make_player
from tests.evaluators.territory_models import random_territory
from tests.interfaces.gtp.conversation import ask, talk
from tests.interfaces.gtp.test_commands import SETTLED, position

VERTEX = r"(?:[A-HJ-Z][1-9][0-9]?|pass)"
INTEGER = r"\d+"
FLOAT = r"-?\d+\.\d+"
LZ_INFO = re.compile(
    rf"info move ({VERTEX}) visits ({INTEGER}) winrate ({INTEGER}) prior ({INTEGER}) "
    rf"lcb ({INTEGER}) order ({INTEGER}) pv ({VERTEX}(?: {VERTEX})*)"
)
KATA_INFO = re.compile(
    rf"info move (?P<move>{VERTEX}) visits (?P<visits>{INTEGER}) edgeVisits {INTEGER} "
    rf"utility {FLOAT} winrate (?P<winrate>{FLOAT}) "
    rf"(?:scoreMean {FLOAT} scoreStdev {FLOAT} scoreLead (?P<lead>{FLOAT}) scoreSelfplay {FLOAT} )?"
    rf"prior (?P<prior>{FLOAT}) lcb {FLOAT} utilityLcb {FLOAT} weight {INTEGER} "
    rf"order (?P<order>{INTEGER}) pv (?P<pv>{VERTEX})"
)
ROOT = re.compile(
    rf"rootInfo visits {INTEGER} utility {FLOAT} winrate ({FLOAT}) .*weight {INTEGER}"
)
OPENING = ["play b D4", "play w F6", "play b F5"]
FULL = ["boardsize 2", "play b A1", "play b B2"]


def infos(line: str, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """The parts of a line, cut before each `info` as Sabaki does."""
    moves = line.partition(" rootInfo")[0].partition(" ownership")[0]
    parts = re.split(r"\s(?=info )", moves)
    matches = [pattern.fullmatch(part) for part in parts]
    assert all(matches), line
    return [match for match in matches if match]


def analysis_line(*lines: str, options: EngineOptions | None = None) -> str:
    """The first line that the last of these commands streams."""
    reply = ask(*lines) if options is None else ask(*lines, options=options)
    head, line, *_ = reply.split("\n")
    assert head == "="
    return line


@pytest.mark.parametrize("player", ["alp", "influence", "random"])
@pytest.mark.parametrize("size", [2, 9, 19])
def test_lz_lines_are_integers_and_end_in_a_variation(player: str, size: int) -> None:
    options = EngineOptions(player=player, size=size)
    for number, match in enumerate(
        infos(analysis_line("lz-analyze b 10", options=options), LZ_INFO)
    ):
        move, visits, rate, prior, bound, order, variation = match.groups()
        assert variation.split()[0] == move
        assert int(visits) >= 10
        assert 0 <= int(rate) <= 10_000
        assert 0 <= int(prior) <= 10_000
        assert bound == rate
        assert int(order) == number


@pytest.mark.parametrize("player", ["alp", "influence", "random"])
@pytest.mark.parametrize("size", [2, 9, 19])
def test_kata_lines_are_floats_and_end_in_a_variation(player: str, size: int) -> None:
    options = EngineOptions(player=player, size=size)
    line = analysis_line("kata-analyze w interval 10", options=options)
    found = infos(line, KATA_INFO)
    rates = [float(match["winrate"]) for match in found]
    assert rates == sorted(rates, reverse=True)
    for number, match in enumerate(found):
        assert match["pv"] == match["move"]
        assert match["lead"] is None
        assert int(match["visits"]) >= 10
        assert 0 <= float(match["winrate"]) <= 1
        assert 0 <= float(match["prior"]) <= 1
        assert int(match["order"]) == number


@pytest.mark.parametrize("color", ["b", "w"])
def test_the_root_is_worth_its_best_move(color: str) -> None:
    for player in ("alp", "territory"):
        options = EngineOptions(player=player, size=9)
        line = analysis_line(*OPENING, f"kata-analyze {color} 10 rootInfo true", options=options)
        match = ROOT.search(line)
        assert match
        assert match[1] == infos(line, KATA_INFO)[0]["winrate"]


def test_who_knows_owners_sends_a_score_and_ownership_after_each_move() -> None:
    question = "kata-analyze b 10 ownership true movesOwnership true"
    options = EngineOptions(player="territory", size=9)
    line = analysis_line(*OPENING, question, options=options)
    parts = re.split(r"\s(?=info )", line.partition(" ownership ")[0])
    assert len(parts) > 5
    for part in parts:
        info, owned = part.split(" movesOwnership ")
        match = KATA_INFO.fullmatch(info)
        assert match
        assert (float(match["winrate"]) > 0.5) == (float(match["lead"]) > 0)
        assert len(owned.split()) == 81


def test_ownership_is_the_movers_row_by_row_from_the_top_left() -> None:
    for color, sign in (("b", 1), ("w", -1)):
        line = analysis_line(*position(SETTLED), f"kata-analyze {color} 10 ownership true")
        values = [sign * float(word) for word in line.split(" ownership ")[1].split()]
        assert len(values) == 25
        assert values[:3] == [1, 1, -1]
        assert all(-1 <= value <= 1 for value in values)


def test_a_position_without_moves_is_analysed_as_a_pass() -> None:
    for command, pattern in (("lz-analyze b 10", LZ_INFO), ("kata-analyze b 10", KATA_INFO)):
        found = infos(analysis_line(*FULL, command), pattern)
        assert [match[1] for match in found] == ["pass"]
    assert ask(*FULL, "kata-genmove_analyze b").endswith("\nplay pass")
    assert (
        json.loads(ask(*FULL, "cgos-genmove_analyze b").split("\n")[1])["moves"][0]["move"]
        == "pass"
    )
    assert "policyPass 1.000000" in ask(*FULL, "kata-raw-nn b 0")


@pytest.mark.parametrize(
    ("question", "moves"),
    [
        ("maxmoves 3", 3),
        ("maxmoves 0", 1),
        ("minmoves 40 maxmoves 5", 5),
        ("minmoves 1000", 78),
        ("allow b D5,E5,pass 10", 3),
        ("allow b D5 1 allow b E5 1", 2),
        ("allow b D4 1", 1),
        ("allow w D5 1 maxmoves 7", 7),
        ("avoid b D5 1 minmoves 1000", 77),
        ("avoid w D5 1 minmoves 1000", 78),
    ],
)
def test_the_number_of_moves_is_as_asked(question: str, moves: int) -> None:
    line = analysis_line(*OPENING, f"kata-analyze b 10 {question}")
    assert len(infos(line, KATA_INFO)) == moves


@pytest.mark.parametrize(("question", "moves"), [("", 10), ("minmoves 40", 40), ("maxmoves 4", 4)])
def test_of_many_moves_that_nothing_speaks_for_only_some_are_shown(
    question: str, moves: int
) -> None:
    options = EngineOptions(player="random", size=19)
    line = analysis_line(f"kata-analyze b 10 {question}", options=options)
    assert len(infos(line, KATA_INFO)) == moves


def test_avoided_moves_are_not_generated_either() -> None:
    best = infos(analysis_line(*OPENING, "lz-analyze w 10"), LZ_INFO)[0][1]
    allowed = ask(*OPENING, "lz-genmove_analyze w allow w J9 1")
    assert allowed.endswith("\nplay J9")
    avoided = ask(*OPENING, f"lz-genmove_analyze w avoid w {best} 1")
    assert not avoided.endswith(f"play {best}")


def test_a_move_chosen_under_restrictions_is_explained() -> None:
    generate = "kata-genmove_analyze w allow w J9 1"
    explanation = ask(*OPENING, "genmove b", generate, "gomill-explain_last_move")
    assert explanation.startswith("= white J9 by alp in ")
    assert "win rate" in explanation


@pytest.mark.parametrize(
    "question",
    [
        "b",
        "b 10",
        "10",
        "interval 10",
        "b interval 10 ownership true movesOwnership true",
        "",
        "w 0",
        "b 10.5",
        "2.5 ownership true",
        "b interval 0.5",
    ],
)
def test_the_forms_in_which_clients_ask(question: str) -> None:
    assert infos(analysis_line(f"kata-analyze {question}"), KATA_INFO)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("green 10", "? syntax error"),
        ("b 10 unheard true", "? syntax error"),
        ("b 10 ownership", "? syntax error"),
        ("b 10 ownership perhaps", "? syntax error"),
        ("b interval nan", "? syntax error"),
        ("b 1e999", "? syntax error"),
        ("b 10 avoid b Z99 1", "? invalid coordinate"),
        ("b 10 avoid green D4 1", "? invalid color"),
        ("b 10 maxmoves 99999999999999", "? syntax error"),
    ],
)
def test_a_question_out_of_form_is_refused(question: str, reply: str) -> None:
    assert ask(f"kata-analyze {question}") == reply


@pytest.mark.parametrize("command", ["lz-genmove_analyze", "kata-genmove_analyze"])
def test_a_generated_move_closes_its_analysis_and_is_played(command: str) -> None:
    talked = talk(f"{command} b 10\nundo\nundo\n")
    *_, line, play = talked.replies[0].text.split("\n")
    move = play.removeprefix("play ")
    assert move == line.split()[2]
    assert talked.texts[1:] == ["=", "? cannot undo"]


def test_a_search_shows_the_line_that_it_expects() -> None:
    options = EngineOptions(player="search:3:alp", size=5)
    (info,) = infos(analysis_line("lz-genmove_analyze b", options=options), LZ_INFO)
    assert len(info[7].split()) == 3


def test_the_json_of_cgos() -> None:
    head, line, play = ask(*OPENING, "cgos-genmove_analyze w").split("\n")
    record = json.loads(line)
    assert head == "="
    assert set(record) == {"winrate", "visits", "moves", "ownership"}
    assert play == f"play {record['moves'][0]['move']}"
    assert set(record["moves"][0]) == {"move", "winrate", "prior", "pv", "visits"}
    assert len(record["ownership"]) == 81
    assert cgos_ownership([-1, 0, 1]) == "Af+"


def test_raw_evaluations_are_whites_and_of_the_whole_board() -> None:
    lines = ask(*OPENING, "kata-raw-nn 0").removeprefix("= ").split("\n")
    assert lines[0] == "symmetry 0"
    values = dict(line.split() for line in lines if len(line.split()) == 2)
    assert float(values["whiteWin"]) + float(values["whiteLoss"]) == pytest.approx(1)
    start = lines.index("policy") + 1
    policy = [float(word) for line in lines[start : start + 9] for word in line.split()]
    assert len(policy) == 81
    assert sum(p for p in policy if p == p) + float(values["policyPass"]) == pytest.approx(
        1, abs=1e-3
    )
    start = lines.index("whiteOwnership") + 1
    assert [len(line.split()) for line in lines[start:]] == [9] * 9
    assert ask("kata-raw-nn all").count("symmetry ") == 8
    assert ask("kata-raw-nn 8") == "? syntax error"


def test_own_ownership_is_blacks_now_and_after_a_move() -> None:
    for question in ("", " after E2", " after pass"):
        rows = ask(*position(SETTLED), f"katachi-ownership{question}").split("\n")[1:]
        assert [len(row.split()) for row in rows] == [5] * 5
        assert rows[0].startswith("1.000 1.000 -1.000")
    talked = talk("play b D4\nkatachi-ownership after E5\nundo\nundo\n").texts
    assert talked[2:] == ["=", "? cannot undo"]


def test_a_move_is_explained() -> None:
    explanation = ask(*OPENING, "katachi-explain E5")
    assert re.fullmatch(r"= white E5: win rate \d+\.\d %, rank \d+ of 78", explanation)
    options = EngineOptions(player="territory", size=9)
    explanation = ask(*OPENING, "katachi-explain E5", options=options)
    assert re.search(r" %, [+-]\d+\.\d points, rank \d+ of 78$", explanation)


def test_a_net_that_predicts_moves_shows_and_explains_the_likeliest_move_first(
    tmp_path: Path,
) -> None:
    model = random_territory(outputs=3)
    model.knows_owners = False
    model.save(tmp_path / "model", "")
    player = make_player(f"territory:{tmp_path / 'model'}")
    options = EngineOptions(size=9, make_player=lambda _name, _seed: player)
    line, played = ask(*OPENING, "kata-genmove_analyze w 100", options=options).splitlines()[1:]
    shown = infos(line, KATA_INFO)
    assert played == f"play {shown[0]['move']}"
    priors = [float(each["prior"]) for each in shown]
    assert priors == sorted(priors, reverse=True)
    explanation = ask(*OPENING, f"katachi-explain {shown[0]['move']}", options=options)
    assert explanation.endswith("rank 1 of 78")
