"""Rosters: what they say, and what is said about bad ones."""

import sys
from pathlib import Path

import pytest

from katachi import __version__
from katachi.arena.roster import Roster, describe_player, enter_players, read_roster
from katachi.arena.schedule import ScheduleKind
from katachi.errors import KatachiError
from katachi.players.clock import TimeSystem
from katachi.rules.ruleset import KoRule

HOUSE = Path(__file__).parents[2] / "ladders" / "house9.toml"
ROGUE = Path(__file__).parents[1] / "players" / "rogue.py"
TWO = """
[[player]]
name = "random"
spec = "random"
[[player]]
name = "alp"
spec = "alp"
"""


def roster_of(folder: Path, text: str) -> Roster:
    path = folder / "roster.toml"
    path.write_text(text, encoding="utf-8")
    return read_roster(path)


def test_a_roster_is_read(tmp_path: Path) -> None:
    text = """
    [ladder]
    size = 7
    komi = 9
    rules = "tromp-taylor"
    time = { main = 10, increment = 0.5 }
    opening_moves = 2
    schedule = "closeness"
    games = 30
    seed = 5
    [[player]]
    name = "random"
    spec = "random"
    anchor = -170
    [[player]]
    name = "alp"
    spec = "alp"
    optional = true
    [[pair]]
    players = ["random", "alp"]
    games = 50
    """
    roster = roster_of(tmp_path, text)
    settings = roster.settings
    assert (settings.size, settings.komi, settings.opening_moves) == (7, 9.0, 2)
    assert (settings.rules.ko, settings.rules.suicide) == (KoRule.POSITIONAL, True)
    assert settings.time.system is TimeSystem.FISCHER
    assert (settings.time.main, settings.time.increment) == (10.0, 0.5)
    assert (roster.kind, roster.games, roster.seed) == (ScheduleKind.CLOSENESS, 30, 5)
    assert [(player.name, player.anchor) for player in roster.players] == [
        ("random", -170.0),
        ("alp", None),
    ]
    schedule = roster.schedule()
    assert schedule.extra == {("alp", "random"): 50}
    assert schedule.anchors == {"random"}


def test_what_is_not_said_has_its_default(tmp_path: Path) -> None:
    roster = roster_of(tmp_path, TWO)
    assert (roster.settings.size, roster.settings.komi) == (9, 7.5)
    assert (roster.kind, roster.games) == (ScheduleKind.NEIGHBOURS, 200)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[ladder]\nsise = 9\n" + TWO, "[ladder]: unknown key 'sise'"),
        ('[ladder]\nsize = "nine"\n' + TWO, "[ladder] size: Expected 'int', got 'str'"),
        ("[ladder]\nsize = 1\n" + TWO, "[ladder]: board size 1 is not playable"),
        ("[ladder]\nkomi = nan\n" + TWO, "[ladder]: komi nan is not playable"),
        ("[ladder]\ngames = 0\n" + TWO, "[ladder] games: 0 games, use 1 to 1,000,000"),
        ("[ladder]\ntime = { main = -1 }\n" + TWO, "[ladder]: a clock of -1 + 0 seconds"),
        ("[ladder]\ntime = { minutes = 1 }\n" + TWO, "[ladder] time: unknown key 'minutes'"),
        ('[ladder]\nrules = "klingon"\n' + TWO, "[ladder]: no ruleset 'klingon'"),
        ('[ladder]\nschedule = "swiss"\n' + TWO, "[ladder] schedule: Invalid enum value 'swiss'"),
        ("[ladder]\nprior_draws = nan\n" + TWO, "[ladder] prior_draws: nan"),
        ("ladder = 3\n" + TWO, "[ladder]: Expected 'object', got 'int'"),
        ("[players]\n" + TWO, "unknown key 'players': use [ladder]"),
        ("player = 3", "'player' is written [[player]]"),
        ("", "needs two [[player]]s or more"),
        (TWO + TWO, "[[player]] 3 name: there are two players 'random'"),
        (TWO + '[[player]]\nname = "x"\n', "[[player]] 3: Object missing required field 'spec'"),
        (TWO + '[[player]]\nname = ""\nspec = "alp"\n', "[[player]] 3 name: '' is no name"),
        (TWO + '[[player]]\nname = "a\\nb"\nspec = "alp"\n', "[[player]] 3 name: 'a\\nb' is no"),
        (TWO + '[[player]]\nname = "a#1"\nspec = "alp"\n', "holds a '#'"),
        (TWO + "anchor = inf\n", "the anchor of alp is inf"),
        (TWO + "ancor = 850\n", "[[player]] 2: unknown key 'ancor'"),
        (TWO + '[[pair]]\nplayers = ["alp", "x"]\ngames = 3', "[[pair]] 1 players: no player 'x'"),
        (TWO + '[[pair]]\nplayers = ["alp", "alp"]\ngames = 3', "'alp' does not play itself"),
        (TWO + '[[pair]]\nplayers = ["alp", "random"]\ngames = -3', "[[pair]] 1 games: -3 games"),
        (TWO + '[[pair]]\nplayers = ["alp"]\ngames = 3', "[[pair]] 1 players: "),
        ("[ladder", "is not TOML"),
        ("\x00", "is not TOML"),
        ("a = " + "[" * 100_000, "too many brackets"),
        ("a = " + "9" * 5000, "is not TOML"),
        ("[ladder]\ntime = { main = inf }\n" + TWO, "[ladder]: a clock of inf + 0 seconds"),
    ],
)
def test_bad_rosters_are_reported_with_file_and_key(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(KatachiError) as error:
        roster_of(tmp_path, text)
    assert words in str(error.value)
    assert "roster.toml" in str(error.value)
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match="No such file"):
        read_roster(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xff")
    with pytest.raises(KatachiError, match="is not TOML"):
        read_roster(tmp_path / "latin.toml")


def test_a_house_ladder_is_known_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_roster("house9") == read_roster(HOUSE)
    (tmp_path / "house9").write_text(TWO)
    assert len(read_roster("house9").players) == 2
    with pytest.raises(KatachiError, match="house10: No such file"):
        read_roster("house10")


def test_the_house_ladder_is_as_agreed() -> None:
    roster = read_roster(HOUSE)
    anchors = {player.name: player.anchor for player in roster.players if player.anchor}
    assert (roster.settings.size, roster.settings.komi) == (9, 7.5)
    assert anchors == {"random": -170.0, "alp": 850.0}
    assert (roster.kind, roster.games) == (ScheduleKind.NEIGHBOURS, 200)
    names = {player.name for player in roster.players}
    assert all(player.name == player.spec for player in roster.players)  # as a person types it
    assert names >= {"random", "influence", "crbm", "alp", "shape", "territory", "territory:paper9"}
    assert names >= {"gnugo:0", "gnugo:1", "gnugo:5", "gnugo:10"}


def test_optional_programs_that_are_missing_are_left_out(tmp_path: Path) -> None:
    text = TWO + '[[player]]\nname = "pachi"\nspec = "gtp:no-such-program"\noptional = true\n'
    text += '[[pair]]\nplayers = ["alp", "pachi"]\ngames = 3\n'
    roster, contestants, absent = enter_players(roster_of(tmp_path, text))
    assert [contestant.name for contestant in contestants] == ["random", "alp"]
    assert [player.name for player in roster.players] == ["random", "alp"]
    assert absent == ["pachi is left out: no program 'no-such-program' on the PATH"]
    assert roster.schedule().extra == {}


def test_optional_players_whose_file_is_missing_are_left_out(tmp_path: Path) -> None:
    text = TWO + '[[player]]\nname = "rlgo"\nspec = "rlgo:no-such-file.w"\noptional = true\n'
    roster, _, absent = enter_players(roster_of(tmp_path, text))
    assert "rlgo" not in {player.name for player in roster.players}
    assert len(absent) == 1
    assert "no-such-file.w" in absent[0]


def test_a_missing_player_that_is_not_optional_is_reported(tmp_path: Path) -> None:
    text = TWO + '[[player]]\nname = "pachi"\nspec = "gtp:no-such-program"\n'
    with pytest.raises(KatachiError, match=r"roster.toml: player 'pachi': no program"):
        enter_players(roster_of(tmp_path, text))
    text = TWO + '[[player]]\nname = "x"\nspec = "nobody"\noptional = true\n'
    with pytest.raises(KatachiError, match=r"player 'x': no player 'nobody'"):
        enter_players(roster_of(tmp_path, text))


@pytest.mark.parametrize("manner", ["cat", "true"])
def test_a_program_that_does_not_speak_gtp_is_reported_before_any_game(
    tmp_path: Path, manner: str
) -> None:
    text = TWO + f'[[player]]\nname = "x"\nspec = "gtp:{manner}"\n'
    with pytest.raises(KatachiError, match=r"roster.toml: player 'x'") as error:
        enter_players(roster_of(tmp_path, text))
    assert "\n" not in str(error.value)
    _, contestants, absent = enter_players(roster_of(tmp_path, text + "optional = true"))
    assert len(contestants) == 2
    assert absent[0].startswith(f"x is left out: '{manner}': ")


def test_two_optional_players_may_both_be_missing(tmp_path: Path) -> None:
    text = "".join(
        f'[[player]]\nname = "{name}"\nspec = "gtp:no-{name}"\noptional = true\n' for name in "ab"
    )
    with pytest.raises(KatachiError, match="fewer than two"):
        enter_players(roster_of(tmp_path, text))


def test_our_players_are_described_with_our_version() -> None:
    assert describe_player("alp") == {"spec": "alp", "katachi": __version__}


def test_programs_are_described_with_their_own_version(gnugo: str) -> None:
    spec = f"gtp:{gnugo} --mode gtp --level 0"
    assert describe_player(spec) == {"spec": spec, "name": "GNU Go", "version": "3.8"}


def test_our_engine_is_described_through_gtp() -> None:
    spec = f"gtp:{sys.executable} -m katachi gtp"
    assert describe_player(spec) == {"spec": spec, "name": "katachi", "version": __version__}


def test_a_model_for_another_board_is_reported_before_any_game(tmp_path: Path) -> None:
    text = TWO + '[[player]]\nname = "x"\nspec = "shape5"\n'
    with pytest.raises(KatachiError, match="player 'x': shape5 is for 5x5 boards, not 9x9"):
        enter_players(roster_of(tmp_path, text))


def test_gnu_go_may_be_optional_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("katachi.players.names.find_program", lambda _: None)
    text = TWO + '[[player]]\nname = "g"\nspec = "gnugo:0"\noptional = true\n'
    _, _, absent = enter_players(roster_of(tmp_path, text))
    assert absent == ["g is left out: GNU Go is not installed (apt-get install gnugo)"]
