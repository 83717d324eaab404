"""Models and training runs are players by their folders and names."""

from pathlib import Path

import pytest

from katachi.arena.roster import describe_player
from katachi.errors import KatachiError
from katachi.files.shipped_folders import find_model
from katachi.interfaces.views.player_lines import chosen_models, play_lines
from katachi.learning.opponents import Opponent
from katachi.players.kinds import split_name
from katachi.players.names import board_of, check_board, check_player_name, tree_limits
from katachi.players.phases import PhasesPlayer
from katachi.players.roster import files_of, make_player
from katachi.players.tree import TreePlayer
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.search.tree_limits import TreeLimits
from tests.evaluators.rlgo_files import write_file
from tests.evaluators.territory_models import random_territory
from tests.players.finished_runs import write_config, write_shape_run


@pytest.mark.parametrize(
    ("name", "player"),
    [
        ("owners9", "territory"),
        ("shape9", "shape"),
        ("linear9", "linear"),
        ("opening19", "opening"),
    ],
)
def test_a_shipped_model_is_a_player_by_its_name_alone(name: str, player: str) -> None:
    assert split_name(name) == (player, name)
    check_player_name(name)
    assert files_of(name) == files_of(f"{player}:{name}")


@pytest.mark.parametrize(
    "name", ["gibbs:0.5:{}", "search:2:{}", "tree:2:{}", "phases:4:{},alp", "opening::4:{}"]
)
def test_a_model_can_stand_inside_another_player(name: str) -> None:
    check_player_name(name.format("shape9"))


@pytest.mark.parametrize(
    ("wins", "mean", "best"),
    [
        ((5, 7), None, "agent-2"),
        ((7, 5), None, "agent-1"),
        ((7, 7), None, "agent-1"),
        ((5, 7), 6, "agent-2"),
        ((5, 7), 7, "mean"),
    ],
)
def test_a_run_plays_by_its_best_model(
    tmp_path: Path, wins: tuple[int, int], mean: int | None, best: str
) -> None:
    folder = write_shape_run(tmp_path / "run", wins, mean)
    assert find_model(str(folder)) == folder / best
    assert chosen_models(f"search:2:{folder}", "alp") == [
        f"{folder} is a training run: its best model, {best}, plays"
    ]
    assert chosen_models(f"shape:{folder / best}", "owners9", "territory") == []


def test_a_run_plays_under_every_name_it_has(tmp_path: Path) -> None:
    folder = write_shape_run(tmp_path / "run")
    by_hand = make_player(f"shape:{folder / 'agent-2'}", 1).choose(Game(5), BLACK)
    for name in (str(folder), f"shape:{folder}", str(folder / "agent-2")):
        player = make_player(name, 1)
        assert player.name == name
        assert player.choose(Game(5), BLACK) == by_hand
    weights = describe_player(f"shape:{folder / 'agent-2'}")["weights"]
    assert describe_player(str(folder))["weights"] == weights


def test_a_run_of_territory_plays_by_its_model(tmp_path: Path) -> None:
    folder = write_config(tmp_path / "run", "training of territory")
    random_territory().save(folder / "model", "")
    assert split_name(str(folder)) == ("territory", str(folder))
    assert make_player(str(folder)).choose(Game(5), BLACK).point


def test_a_run_is_somebody_to_learn_against(tmp_path: Path) -> None:
    opponent = Opponent.find(str(write_shape_run(tmp_path / "run")))
    assert opponent.frozen is not None
    assert opponent.frozen.size == 5
    assert Opponent.find("shape9").frozen is None
    random_territory().save(tmp_path / "net", "")
    assert Opponent.find(str(tmp_path / "net")).frozen is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("territory:shape9", "shape9 holds a model of kind 'local shape', not 'territory': its"),
        ("shape:owners9", "'territory', not 'local shape': its player is territory:owners9"),
        ("search:2:shape:owners9", "owners9 holds a model of kind 'territory'"),
        ("tree:9:territory:moves9", "moves9 predicts moves and judges no position: search by"),
        ("search:territory:moves19", "moves19 predicts moves and judges no position: search by"),
        ("phases:4:alp,tree:moves9", "moves9 predicts moves and judges no position: search by"),
        ("crbm9", "crbm9 holds a model of kind 'crbm', which no player has"),
        ("linear:crbm9", "crbm9 holds a model of kind 'crbm', not 'linear'"),
        ("shape:shap9", "no model 'shap9': did you mean shape9 or"),
        ("{unfinished}", "unfinished is a training run that is not finished: it has no model yet"),
        ("shape:{unfinished}", "is a training run that is not finished"),
        ("{empty}", "empty is a folder that holds no model and no training run"),
        ("shape:{empty}", "empty holds no model: config.json: No such file"),
        ("shape:{broken}", "broken/config.json is not a model's config"),
    ],
)
def test_what_is_no_player_is_named_in_the_error(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "empty").mkdir()
    write_config(tmp_path / "unfinished", "training of local shape")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{]")
    places = {each: tmp_path / each for each in ("empty", "unfinished", "broken")}
    with pytest.raises(KatachiError) as caught:
        check_player_name(name.format(**places))
    assert words in str(caught.value)


def test_a_folder_without_a_model_hides_no_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("shape9", "alp"):
        (tmp_path / name).mkdir()
        check_player_name(name)


def test_boards_that_a_model_is_not_for_are_known_before_it_is_loaded(tmp_path: Path) -> None:
    weights = write_file(tmp_path / "w", 3)
    for name, size in (
        *(("shape:shape9", 9), ("linear9", 9), ("search:2:shape5", 5), (f"rlgo:{weights}", 3)),
        *(("phases:4:alp,shape5", 5), ("opening::4:shape9", 9), ("dyna:9:shape:shape9", 9)),
    ):
        assert board_of(name) == size
        check_board(name, size)
        with pytest.raises(KatachiError, match=rf"is for {size}x{size} boards, not 13x13"):
            check_board(name, 13)
    for name in ("alp", "shape", "territory", "phases:5x5:shape5,alp", "opening:opening19:alp"):
        assert board_of(name) is None
        check_board(name, 13)


def test_the_lines_to_paste_name_a_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, word in (("my run", "'my run'"), ("shape", "./shape")):
        write_shape_run(tmp_path / folder)
        assert play_lines(Path(folder)) == [
            f"play it:   katachi gtp --player {word}",
            f"match it:  katachi match {word} alp",
        ]
        check_player_name(word.strip("'"))
    assert play_lines(find_model("crbm9")) == []


@pytest.mark.parametrize("name", ["tree", "tree:50", "tree:50:alp", "phases:20:alp,tree:alp"])
def test_threads_and_memory_are_for_every_player_that_grows_a_tree(name: str) -> None:
    assert tree_limits(name, 2, 512) == TreeLimits(threads=2, memory=512 << 20)
    assert tree_limits(name, None, 32) == TreeLimits(memory=32 << 20)
    assert tree_limits(name, None, None) is None


@pytest.mark.parametrize(
    ("name", "threads", "memory", "reason"),
    [
        ("alp", 2, None, "alp grows no tree: --threads can be used with tree[:PLAYER]"),
        ("alp", 2, 9, "alp grows no tree: --threads and --memory can be used with tree[:PLAYER]"),
        ("tree", 0, None, "cannot search by 0 threads: use 1 to 64"),
        ("tree", 65, None, "cannot search by 65 threads: use 1 to 64"),
        ("tree", None, 0, "--memory 0: use 1 to 65536 MiB"),
        ("tree", None, -1, "--memory -1: use 1 to 65536 MiB"),
        ("tree", None, 10**12, "--memory 1000000000000: use 1 to 65536 MiB"),
    ],
)
def test_senseless_threads_and_memory_are_one_clear_line(
    name: str, threads: int | None, memory: int | None, reason: str
) -> None:
    with pytest.raises(KatachiError) as caught:
        tree_limits(name, threads, memory)
    assert str(caught.value) == reason


def test_limits_reach_the_trees_inside_other_players() -> None:
    limits = TreeLimits(threads=2, memory=16 << 20)
    whole = make_player("phases:20:tree:5:alp,opening::2:tree:5:alp", 1, limits)
    assert isinstance(whole, PhasesPlayer)
    first, last = (part.player for part in whole.parts)
    assert isinstance(last, PhasesPlayer)
    for tree in (first, last.parts[-1].player):
        assert isinstance(tree, TreePlayer)
        assert tree.searcher.limits == limits
