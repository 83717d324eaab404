"""The scorecard has a line for every claim, and for what is not measured."""

from pathlib import Path

import msgspec

from katachi.experiments.catalogue import CATALOGUE, load_experiment
from katachi.experiments.changes import plain_settings
from katachi.experiments.protocol import Claim, Quantity, Table, Verdict
from katachi.experiments.results import Result, make_result
from katachi.experiments.runner import Runner
from katachi.experiments.scorecard import (
    ITEMS,
    PLACES,
    Shown,
    command_for,
    markdown_of_future_work,
    markdown_of_paper,
    minutes_of,
    number_shown,
)

CLAIMS = [
    Claim(paper="half", ours="0.6", low=0.5, high=0.7, rule="-", verdict=Verdict.YES),
    Claim(paper="more", ours="0.1", rule="-", verdict=Verdict.NO),
    Claim(paper="implied: it counts", ours="1", rule="-", verdict=Verdict.YES),
]
WINS = Quantity("wins", "%", 1)


def result(name: str, folder: Path) -> Result:
    rows = [WINS.share({"net": "rich"}, 30, 40)]
    table = Table(quantities=[WINS], rows=rows, claims=CLAIMS)
    runner = Runner(folder)
    runner.note(90.0, {})
    return make_result((name, "Title"), load_experiment(name).settings, 1, table, runner)


def test_every_claim_has_a_line_and_what_is_missing_one(tmp_path: Path) -> None:
    text = markdown_of_paper("S4", {"S4-T1": result("S4-T1", tmp_path)})
    lines = text.splitlines()
    assert lines[0] == (
        "What the paper says: 1 yes, 1 no, 0 undecided. What we added: 1 yes, 0 no, 0 undecided. "
        f"Not measured yet: {len(PLACES['S4']) - 1}."
    )
    command = "katachi experiment run S4-T1 --data FOLDER"
    assert f"| Table 1 | half | 0.6 | 0.5 to 0.7 | yes | `{command}` | 1.5 |" in text
    assert "|  | more | 0.1 | - | no |  |  |" in lines
    assert "not measured yet | - | - | `katachi experiment run S4-T2 --data FOLDER` | - |" in text


def test_numbers_of_future_work_come_from_results(tmp_path: Path) -> None:
    known = {"S4-T1": result("S4-T1", tmp_path)}
    shown = Shown("S4-T1", "wins", {"net": "rich"}, "rich")
    assert number_shown(shown, known) == "rich 75.0 (59.8 to 85.8) %"
    assert number_shown(shown._replace(key={"net": "raw"}), known) == ""
    assert number_shown(shown, {}) == ""
    assert "S2-combination: not measured yet" in markdown_of_future_work({})


def test_every_id_is_an_experiment_and_every_place_has_claims_or_a_reason() -> None:
    places = [place for paper in PLACES.values() for place in paper]
    named = {place.id for place in places if place.id} | {each for i in ITEMS for each in i.ids}
    assert named <= set(CATALOGUE)
    assert all(place.id or place.why for place in places)


def test_the_time_of_a_gpu_is_named_and_so_is_how_often_runs_were_repeated(tmp_path: Path) -> None:
    known = result("S1-F4", tmp_path)
    assert minutes_of(known) == "1.5"
    on_gpu = msgspec.structs.replace(known, versions={"device": "cuda"})
    assert minutes_of(on_gpu) == "1.5 (GPU)"
    settings = plain_settings(load_experiment("S1-F4").settings) | {"runs": 7}
    repeated = msgspec.structs.replace(known, settings=settings)
    assert command_for("S1-F4", repeated) == "katachi experiment run S1-F4 --runs 7"
