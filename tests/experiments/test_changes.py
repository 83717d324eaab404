"""Settings changed by words: what comes of them, and what is said where they are wrong."""

from pathlib import Path

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.experiments.catalogue import CATALOGUE, load_experiment
from katachi.experiments.changes import (
    change_settings,
    command_of,
    name_of_changes,
    note_of_changes,
    plain_settings,
    settings_in,
)
from katachi.experiments.results import read_result
from katachi.experiments.running import Order, carry_out, result_name
from katachi.interfaces.cli.options import field_texts


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_setting_has_a_meaning_and_can_be_set_to_what_it_is(name: str) -> None:
    settings = load_experiment(name).settings
    texts = {each.owner: field_texts(each.owner) for each in settings_in(settings)}
    assert all(texts[each.owner].get(each.field) for each in settings_in(settings))
    data = plain_settings(settings)
    changes = [f"{key}={msgspec.json.encode(data[key]).decode()}" for key in data]
    plain = [c if not c.endswith('"') else c.replace('"', "") for c in changes]
    assert change_settings(settings, plain) == settings


@pytest.mark.parametrize(
    ("name", "change", "data"),
    [
        ("S1-F4", "games=2000", {"games": 2000}),
        ("S1-F4", "templates=2x2,3x3", {"templates": ["2x2", "3x3"]}),
        ("S1-ablation", "alphas=[0.1,1]", {"alphas": [0.1, 1.0]}),
        ("S1-cascade", "sets=1x1-2x2:LI", {"sets": "1x1-2x2:LI"}),
        ("S1-grow", "cascade=no", {"cascade": False}),
        ("S1-F5", "main_seconds=60", {"main_seconds": 60.0}),
        ("S4-F3", "rich=null", {"rich": None}),
    ],
)
def test_a_change_is_read_by_what_may_stand_there(
    name: str, change: str, data: dict[str, object]
) -> None:
    settings = load_experiment(name).settings
    assert plain_settings(change_settings(settings, [change])) == plain_settings(settings) | data


def test_parts_of_parts_are_changed_by_their_paths() -> None:
    changed = plain_settings(
        change_settings(
            load_experiment("S3-1").settings, ["variants.main.machine.layer.kernels=50"]
        )
    )
    assert changed["variants"]["main"]["machine"]["layer"]["kernels"] == 50
    match = plain_settings(
        change_settings(load_experiment("X-shape9").settings, ["pairings.1.games=7"])
    )
    assert [each["games"] for each in match["pairings"]] == [20, 7, 20]


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("S1-F4", "games", "'games' is no change: write NAME=VALUE, such as runs=3"),
        ("S1-F4", "gamez=1", "no setting 'gamez': choose runs, size, komi, games, alpha"),
        ("S1-F4", "games=many", "games=many: use a whole number, 1 or more"),
        ("S1-F4", "games=0", "games=0: use a whole number, 1 or more"),
        ("S1-F4", "size=40", "size=40: use a whole number from 2 to 25"),
        ("S1-F4", "epsilon=nan", "epsilon=nan: use a number from 0 to 1"),
        ("S1-F4", "alpha=0", "alpha=0: use a number, above 0"),
        ("S1-grow", "cascade=maybe", "cascade=maybe: use true or false"),
        ("S1-F4", "games.half=1", "no setting 'games.half': games has no parts"),
        ("S1-ablation", "alphas=1,x", "alphas=1,x: use a number, above 0"),
        ("S1-ablation", "alphas=1,-1", "alphas=1,-1: use a list, each number, above 0 ("),
        (
            "X-shape9",
            "pairings.5.games=1",
            "no setting 'pairings.5': choose pairings.0, pairings.1",
        ),
        ("X-tree19", "pairings={", "pairings={: use a list of records in JSON ("),
        ("S2-width", "nets.0.kind=odd", "nets.0.kind=odd: use one of sweeps, convolution"),
    ],
)
def test_what_cannot_be_is_one_line_that_says_what_can(name: str, change: str, words: str) -> None:
    with pytest.raises(KatachiError) as caught:
        change_settings(load_experiment(name).settings, [change])
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)


def test_a_changed_run_has_its_own_file_and_says_what_was_changed(tmp_path: Path) -> None:
    order = Order("s3-5", work=tmp_path, out=tmp_path, changes=("size=13", "templates=2"))
    carry_out(order, lambda _: None, lambda _: None)
    assert not (tmp_path / "S3-5.json").exists()
    result = read_result(tmp_path / f"{result_name(order)}.json")
    assert result_name(order) == "S3-5.size-13.templates-2"
    assert result.settings["size"] == 13
    assert result.notes[0] == "Changed settings: size 13 for 9; templates 2 for 2,3."
    assert result.rows


def test_claims_and_pictures_that_lack_rows_are_left_out_or_plain(tmp_path: Path) -> None:
    changes = ("runs=1", "templates=1x1", "games=10", "test_every=5")
    order = Order("S1-F4", is_quick=True, work=tmp_path, out=tmp_path, changes=changes)
    result = carry_out(order, lambda _: None, lambda _: None)
    assert not result.claims  # they are about 2x2
    assert (tmp_path / f"{result_name(order)}.svg").read_text().startswith("<svg ")
    empty = Order("S2-P", work=tmp_path, out=tmp_path, changes=("nets=[]",))
    with pytest.raises(KatachiError, match=r"^nothing is left to measure with nets=\[\]$"):
        carry_out(empty, lambda _: None, lambda _: None)


def test_the_command_asks_for_what_a_result_was_made_with() -> None:
    standard = load_experiment("X-shape9").settings
    changes = ["pairings.1.games=7", "komi=5.5"]
    settings = plain_settings(change_settings(standard, changes))
    command = command_of("X-shape9", standard, settings, seed=2, has_data=False)
    assert command == (
        "katachi experiment run X-shape9 --set komi=5.5 --set pairings.1.games=7 --seed 2"
    )
    assert note_of_changes(standard, standard) == []


def test_long_changes_have_short_names_that_differ() -> None:
    names = {name_of_changes([f"templates={'1x1,' * 40}{last}"]) for last in ("2x2", "3x3")}
    assert len(names) == 2
    assert max(map(len, names)) < 120
