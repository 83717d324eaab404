"""Games that models learned from are never measured; what is missing is one line."""

import gzip
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.evaluators.territory import Territory
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.cost import untrained
from katachi.experiments.s2_territory.material import (
    SCORED9,
    check_share,
    describe_model,
    files_learned,
    find_models,
    fingerprint,
    open_parts,
    open_unseen,
)
from katachi.records.dataset import GameSet
from katachi.records.shipped_games import GNUGO


def identities(games: GameSet) -> list[int]:
    return sorted(games.info["identity"].tolist())


def taught(folder: Path, plan: dict[str, object]) -> Territory:
    """A model that says what it learned from."""
    made = untrained(2)
    made.training = {"plan": plan, "games": {"train": 54}}
    made.save(folder, "")
    return made


def test_held_out_games_are_those_of_training(data: Path) -> None:
    parts = open_parts(data / SCORED9)
    unseen = open_unseen(data / SCORED9, 9, frozenset([SCORED9]))
    assert unseen.learned is not None
    assert len(parts.validation) > 0
    assert identities(unseen.measured) == identities(parts.validation)
    assert identities(unseen.learned) == identities(parts.train)
    limited = open_parts(data / SCORED9, 12)
    assert len(limited.train) == 12
    assert identities(limited.validation) == identities(parts.validation)


def test_all_games_of_a_file_that_nobody_learned_from_are_measured(data: Path) -> None:
    unseen = open_unseen(data / SCORED9, 9, frozenset(["other.sgf.gz"]))
    assert (len(unseen.measured), unseen.learned) == (60, None)


def test_games_are_known_in_a_file_of_another_name(data: Path, tmp_path: Path) -> None:
    """A file that is inside another one: its games were learned from, whatever it is called."""
    text = gzip.decompress((data / SCORED9).read_bytes()).decode()
    inside = text[: text.index("(;", len(text) // 2)]
    (tmp_path / "whole.sgf").write_text(text)
    (tmp_path / "inside.sgf").write_text(inside)
    unseen = open_unseen(tmp_path / "inside.sgf", 9, frozenset(["whole.sgf"]))
    held_out = set(identities(open_parts(data / SCORED9).validation))
    assert set(identities(unseen.measured)) < held_out
    assert unseen.learned is not None
    assert not held_out & set(identities(unseen.learned))
    assert len(unseen.measured) + len(unseen.learned) == inside.count("(;")
    more = open_unseen(tmp_path / "whole.sgf", 9, frozenset(["inside.sgf"]))
    assert more.learned is not None
    assert identities(more.learned) == identities(unseen.learned)  # the rest nobody has seen


def test_a_model_says_what_it_learned_from(tmp_path: Path, model: str) -> None:
    taught(tmp_path / "pupil", {"games": ["a.sgf.gz", "b.sgf.gz"], "validation": 0.1})
    pupil = str(tmp_path / "pupil")
    assert files_learned([pupil, model]) == {"a.sgf.gz", "b.sgf.gz"}
    assert "pupil: 5,801 weights, learned from 54 games of a.sgf.gz" in describe_model(pupil)
    assert describe_model(model).startswith("newborn: 5,801 weights; inputs stones")
    check_share(pupil)


def test_a_model_that_held_out_less_is_refused(tmp_path: Path) -> None:
    taught(tmp_path / "greedy", {"games": ["a.sgf.gz"], "validation": 0.01})
    with pytest.raises(KatachiError, match="greedy held out too few"):
        check_share(str(tmp_path / "greedy"))


def test_a_missing_file_or_model_is_one_clear_line(bench: Runner, model: str) -> None:
    with pytest.raises(KatachiError, match=r"^pro9\.sgf\.gz is needed: .* --data$"):
        Runner(bench.folder).require_file("pro9.sgf.gz")
    with pytest.raises(KatachiError, match=r"^no pro9\.sgf\.gz in .*--data$"):
        bench.require_file("pro9.sgf.gz")
    found, notes = find_models(["nowhere9", model], bench)
    assert found == [model]
    assert notes == ["The model nowhere9 is not here, and not measured."]


def test_games_that_come_with_the_package_need_no_folder(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    assert runner.require_file(GNUGO.name) == GNUGO
    runner.data = tmp_path
    assert runner.require_file(GNUGO.name) == GNUGO
    mine = tmp_path / GNUGO.name
    mine.write_bytes(b"mine")
    assert runner.require_file(GNUGO.name) == mine


def test_a_fingerprint_knows_games_and_weights(tmp_path: Path, data: Path, model: str) -> None:
    taught(tmp_path / "pupil", {})
    games, other = data / SCORED9, tmp_path / "other.gz"
    other.write_bytes(gzip.compress(b"other games"))
    prints = [
        fingerprint([games]),
        fingerprint([other]),
        fingerprint([games], [model]),
        fingerprint([games], [str(tmp_path / "pupil")]),
    ]
    assert len(set(prints)) == 4
    assert fingerprint([games], [model]) == prints[2]
