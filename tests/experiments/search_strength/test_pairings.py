"""Matches in which the time of a move is the question."""

import time
from pathlib import Path

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.experiments import matches
from katachi.experiments.catalogue import load_experiment
from katachi.experiments.protocol import Table
from katachi.experiments.runner import Runner
from katachi.experiments.search_strength import pairings, visits9
from katachi.experiments.search_strength.pairings import (
    LOST_BY_TIME,
    OWN_TIME,
    SCORE,
    PacedPlayer,
    Pairing,
    PairingSettings,
)
from katachi.nets.fitting import has_card
from katachi.players.protocol import Choice
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.search.tree_limits import CPU, GPU, TreeLimits

TINY = PairingSettings(size=5, block=2, pairings=())


class Dawdler:
    """Thinks for as long as it was told to, or else a hundredth of a second, and passes."""

    name = "dawdler"

    def __init__(self, win_rate: float | None = None) -> None:
        self.told: list[float | None] = []
        self.win_rate = win_rate

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        self.told.append(seconds)
        time.sleep(0.01)
        return Choice(PASS, self.win_rate)

    def close(self) -> None:
        """Nothing was started."""


def played(settings: PairingSettings, folder: Path) -> Table:
    return pairings.run("X-test", settings, 1, Runner(folder))


def test_a_player_is_told_its_pace_and_its_time_is_summed() -> None:
    dawdler = Dawdler()
    player = PacedPlayer(dawdler, lambda: 0.25)
    assert player.mean == pairings.FIRST_GUESS
    player.choose(Game(5), BLACK, 7.0)
    assert dawdler.told == [0.25]
    assert player.moves == 1
    assert player.mean == player.seconds >= 0.01


def test_without_a_pace_the_clock_decides() -> None:
    dawdler = Dawdler()
    PacedPlayer(dawdler, lambda: None).choose(Game(5), BLACK, 7.0)
    assert dawdler.told == [7.0]


def test_equal_time_is_the_opponents_mean_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [Dawdler(), Dawdler()]
    queue = iter(made)
    monkeypatch.setattr(pairings, "make_player", lambda *_: next(queue))
    first, second = pairings.seat(Pairing("a", "b", 2, share=3.0), 1, TreeLimits())
    first.choose(Game(5), BLACK)
    second.choose(Game(5), BLACK)
    before = first.seconds
    first.choose(Game(5), BLACK)
    assert made[0].told == [3 * pairings.FIRST_GUESS, 2 * 3 * second.mean - before]
    assert made[1].told == [None]


def test_who_took_too_long_has_less_for_the_next_move(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [Dawdler(), Dawdler()]
    queue = iter(made)
    monkeypatch.setattr(pairings, "make_player", lambda *_: next(queue))
    first, second = pairings.seat(Pairing("a", "b", 2, share=1.0), 1, TreeLimits())
    second.choose(Game(5), BLACK)
    first.seconds = 100.0
    first.choose(Game(5), BLACK)
    first.seconds = 0.0
    first.moves = 100
    first.choose(Game(5), BLACK)
    assert made[0].told == [pairings.LEAST * second.mean, pairings.MOST * second.mean]


def test_who_is_sure_to_win_thinks_a_tenth_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [Dawdler(), Dawdler()]
    queue = iter(made)
    monkeypatch.setattr(pairings, "make_player", lambda *_: next(queue))
    first, _ = pairings.seat(Pairing("a", "b", 2, seconds=5.0, sure=0.9), 1, TreeLimits())
    for win_rate in (None, 0.9, 0.91, 0.3):
        first.win_rate = win_rate
        first.choose(Game(5), BLACK)
    assert made[0].told == [5.0, 5.0, 0.5, 5.0]


@pytest.mark.parametrize(
    "pairing",
    [
        Pairing("alp", "random", 2, sure=0.9),
        Pairing("alp", "random", 2, share=1.0, sure=0.9),
        Pairing("alp", "random", 2, seconds=5.0, share=1.0, sure=0.9),
    ],
)
def test_who_is_sure_to_win_has_seconds_a_move_to_save(pairing: Pairing, tmp_path: Path) -> None:
    settings = msgspec.structs.replace(TINY, pairings=(Pairing("alp", "random", 2), pairing))
    with pytest.raises(KatachiError, match=r"^alp v random: who thinks less when it is sure"):
        played(settings, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_new_game_is_not_yet_won(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = [Dawdler(win_rate=1.0), Dawdler()]
    queue = iter(made)
    monkeypatch.setattr(pairings, "make_player", lambda *_: next(queue))
    monkeypatch.setattr(matches, "fingerprint_players", lambda _: "none")
    settings = msgspec.structs.replace(
        TINY, pairings=(Pairing("a", "b", 2, seconds=5.0, sure=0.9),), opening_moves=0
    )
    table = played(settings, tmp_path)
    assert made[0].told == [5.0, 5.0]
    assert (
        table.notes[-1]
        == "a thinks a tenth as long while it gives itself a chance of more than 90 %."
    )


def test_a_note_says_once_what_each_share_of_time_is_of() -> None:
    shares = [Pairing("a", "b", 1, share=share) for share in (10.0, 1.0, 10.0, 0.0)]
    notes = pairings.notes_for(msgspec.structs.replace(TINY, pairings=tuple(shares)))
    of = "by the mean that the opponent took in its block of games."
    assert [note for note in notes if of in note] == [
        f"10 times the time: {of}",
        f"Equal time: {of}",
    ]


@pytest.mark.parametrize(
    ("pairing", "words"),
    [
        (Pairing("a", "b", 1), "no clock"),
        (Pairing("a", "b", 1, seconds=0.5), "0.5 s a move"),
        (Pairing("a", "b", 1, seconds=5.0, sure=0.95), "up to 5 s a move"),
        (Pairing("a", "b", 1, share=1.0), "equal time"),
        (Pairing("a", "b", 1, share=10.0), "10 times the time"),
    ],
)
def test_the_time_is_said_in_words(pairing: Pairing, words: str) -> None:
    assert pairing.pace == words


def test_more_games_and_other_pairings_keep_those_that_were_played(tmp_path: Path) -> None:
    two = msgspec.structs.replace(TINY, pairings=(Pairing("alp", "random", 2),))
    more = (Pairing("alp", "random", 4), Pairing("random", "alp", 2))
    played(two, tmp_path)
    journal = next(tmp_path.glob("*.jsonl"))
    kept = journal.read_text()
    table = played(msgspec.structs.replace(TINY, pairings=more), tmp_path)
    assert journal.read_text().startswith(kept)
    assert [row.n for row in table.rows_of(SCORE)] == [4, 2]
    assert len(table.rows_of(OWN_TIME)) == 2


def test_games_on_a_clock_say_how_many_were_lost_by_it(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(
        TINY, clock=60.0, pairings=(Pairing("tree:8:alp", "alp", 2),)
    )
    (row,) = played(settings, tmp_path).rows_of(LOST_BY_TIME)
    assert (row.ours, row.n) == (0, 2)


def test_visits_are_rated_and_one_visit_is_nothing(tmp_path: Path) -> None:
    experiment = load_experiment("X-visits9")
    table = experiment.run(experiment.quick, 1, Runner(tmp_path))
    rows = table.rows_of(visits9.ELO)
    assert [row.key["visits"] for row in rows] == [1, 2, 4]
    assert rows[0].ours == 0
    assert "<svg" in experiment.draw(table, "title")


def test_processes_that_share_a_device_play_the_same_games() -> None:
    settings = load_experiment("X-visits9").quick
    assert isinstance(settings, visits9.VisitSettings)
    tasks = visits9.study_of(settings, 1).at(Path(), None).tasks
    together = visits9.measure_together(settings, tasks, CPU)
    found = {task.name: score for pair in together for task, score in pair}
    assert found == {task.name: visits9.measure(settings, task) for task in tasks}


def test_what_needs_a_gpu_says_so_where_there_is_none(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    settings = load_experiment("X-gpu19").settings
    assert isinstance(settings, pairings.GpuPairingSettings)
    assert settings.limits.device == GPU
    small = msgspec.structs.replace(
        settings, size=9, pairings=(Pairing("tree:2:territory:selfplay9", "alp", 2),)
    )
    if not has_card():
        with pytest.raises(KatachiError, match="cuda"):
            pairings.run("X-gpu19", small, 1, Runner(tmp_path))
    assert any("on a GPU" in note for note in pairings.notes_for(settings))


@pytest.mark.parametrize("net", ["alp", "territory:territory9"])
def test_who_is_no_convolution_is_not_computed_on_a_gpu(net: str) -> None:
    settings = visits9.VisitSettings(net=net, visits=(1, 2), games=2, block=2)
    tasks = visits9.study_of(settings, 1).at(Path(), None).tasks
    with pytest.raises(KatachiError, match=f"{net} is no convolution"):
        next(visits9.measure_together(settings, tasks))


def test_visits_that_do_not_rise_are_refused(tmp_path: Path) -> None:
    settings = visits9.VisitSettings(net="alp", visits=(4, 2), games=2, block=2)
    with pytest.raises(KatachiError, match="do not rise"):
        visits9.run(settings, 1, Runner(tmp_path))


def test_trees_that_no_memory_holds_are_refused(tmp_path: Path) -> None:
    trees = visits9.VisitSettings(net="alp", size=19, visits=(1, 100_000), block=100)
    with pytest.raises(KatachiError, match=r"^100 games at once of 100,000 visits take 6\d GB"):
        visits9.run(trees, 1, Runner(tmp_path))
    boards = visits9.VisitSettings(net="alp", visits=(1, 2), block=1_000_000)
    with pytest.raises(KatachiError, match=r"^1,000,000 games at once of 2 visits take [\d,]+ GB"):
        visits9.run(boards, 1, Runner(tmp_path))


def test_visits_of_a_net_that_judges_no_position_are_refused(tmp_path: Path) -> None:
    settings = visits9.VisitSettings(net="territory:moves9", visits=(1, 2), games=2, block=2)
    with pytest.raises(KatachiError, match="moves9 predicts moves and judges no position"):
        visits9.run(settings, 1, Runner(tmp_path))


@pytest.mark.parametrize(
    "name",
    [
        "X-net9",
        "X-tree9",
        "X-tree9-10x",
        "X-shape9",
        "X-shape9-2s",
        "X-tree19",
        "X-gpu19",
        "X-threads9",
        "X-clock9",
    ],
)
def test_every_match_runs_in_small(name: str, tmp_path: Path) -> None:
    experiment = load_experiment(name)
    table = experiment.run(experiment.quick, 1, Runner(tmp_path))
    assert table.rows_of(SCORE)
    assert "<svg" in experiment.draw(table, "title")
