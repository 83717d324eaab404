"""The tables of README and docs are those of the results, or say that there are none."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from katachi.experiments.catalogue import load_experiment
from katachi.experiments.changes import change_settings
from katachi.experiments.protocol import Claim, Quantity, Row, Settings, Table, Verdict
from katachi.experiments.results import make_result, read_result, write_result
from katachi.experiments.runner import Runner

SCRIPT = Path(__file__).parents[1] / "scripts" / "write_figures.py"
EMPTY = "# House\n\n<!-- figures: speed -->\n<!-- end -->\n\nEnd.\n"
ROW = {
    "name": "9x9",
    "ours": 230415.0,
    "peer": 8788.0,
    "ratio": 26.2,
    "unit": "games/s",
    "interval": [26.0, 26.4],
    "versions": {"python": "3.13.0"},
    "machine": "a machine",
}


@pytest.fixture
def figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, at work in a folder of its own."""
    spec = importlib.util.spec_from_file_location("write_figures", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "ROOT", tmp_path)
    # The tables of these tests are too small for the pictures of the experiments they name.
    monkeypatch.setattr(script, "picture_of", lambda _: None)
    (tmp_path / "README.md").write_text(EMPTY)
    (tmp_path / "results").mkdir()
    return script


def run(script: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["write_figures.py", *arguments])
    return int(script.main())


def test_a_table_is_written_once_and_then_passes_the_check(
    figures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [ROW, ROW | {"name": "alone", "peer": None, "ratio": None, "interval": None}]
    (tmp_path / "results" / "speed.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert run(figures, monkeypatch, "--check") == 1
    assert run(figures, monkeypatch) == 0
    text = (tmp_path / "README.md").read_text()
    assert "| 9x9 | 230,415 games/s | 8,788 | 26.2 (26 to 26.4) |" in text
    assert "| alone | 230,415 games/s | - | - |" in text
    assert "*a machine; python 3.13.0*" in text
    assert run(figures, monkeypatch, "--check") == 0
    assert (tmp_path / "README.md").read_text() == text


def test_a_missing_file_of_results_is_one_line_and_a_table_that_says_so(
    figures: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(figures, monkeypatch) == 0
    assert capsys.readouterr().err == "results/speed.jsonl is missing: its table says so\n"
    assert "*Not measured yet.*" in (tmp_path / "README.md").read_text()
    assert run(figures, monkeypatch, "--check") == 0


def test_results_out_of_form_end_the_program_with_one_line(
    figures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results" / "speed.jsonl").write_text("{")
    with pytest.raises(SystemExit, match=r"results/speed\.jsonl holds no measurements"):
        run(figures, monkeypatch)
    assert (tmp_path / "README.md").read_text() == EMPTY


def test_pictures_are_drawn_again_from_their_results(
    figures: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(figures, "picture_of", lambda path: f"<svg>{path.stem}</svg>")
    (tmp_path / "README.md").write_text("no tables\n")
    (tmp_path / "results" / "S9-F1.json").write_text("{}")
    assert run(figures, monkeypatch, "--check") == 1
    assert "results/S9-F1.svg is not what results/ says" in capsys.readouterr().err
    assert run(figures, monkeypatch) == 0
    assert (tmp_path / "results" / "S9-F1.svg").read_text() == "<svg>S9-F1</svg>"
    assert run(figures, monkeypatch, "--check") == 0


def test_claims_are_judged_again_from_their_rows(
    figures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "README.md").write_text("no tables\n")
    experiment = load_experiment("S3-5")
    table = experiment.run(experiment.settings, 1, Runner(tmp_path))
    judged = experiment.judge(table)
    for claims in (judged, [CLAIM]):
        made = make_result(
            ("S3-5", "Counts"), experiment.settings, 1, table.with_claims(claims), Runner(tmp_path)
        )
        write_result(made, "", tmp_path / "results", "S3-5")
        run(figures, monkeypatch)
        assert read_result(tmp_path / "results" / "S3-5.json").claims == judged
        assert run(figures, monkeypatch, "--check") == 0


def test_under_a_table_stands_the_command_that_makes_it(
    figures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("S3-5", "S1-F6", "speed")
    places = "".join(f"<!-- figures: {name} -->\n<!-- end -->\n" for name in names)
    (tmp_path / "README.md").write_text(places)
    experiment = load_experiment("S3-5")
    table = experiment.run(experiment.settings, 1, Runner(tmp_path))
    settings = change_settings(experiment.settings, ["size=13"])
    made = make_result(("S3-5", "Counts"), settings, 2, table, Runner(tmp_path))
    write_result(made, "", tmp_path / "results", "S3-5")
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "speed.py").touch()
    run(figures, monkeypatch)
    lines = (tmp_path / "README.md").read_text().splitlines()
    commands = [line for line in lines if line.startswith("Command")]
    assert commands == [
        "Command: `katachi experiment run S3-5 --set size=13 --seed 2`",
        "Command: `katachi experiment run S1-F6`",
        "Command: `python benchmarks/speed.py`",
    ]


PAGE = """# Sets

<!-- figures: S9-F1 claims -->
<!-- end -->

<!-- figures: S9-F1 -->
<!-- end -->
"""


CLAIM = Claim(paper="2x2 does best", ours="2x2:LI", n=12, rule="as it is", verdict=Verdict.YES)


def write_experiment(folder: Path) -> None:
    table = Table(
        quantities=[Quantity("wins", "%", 1)],
        rows=[Row(key={"set": "2x2:LI"}, quantity="wins", ours=81.0, low=79.5, high=82.5, n=12)],
        claims=[CLAIM],
        notes=["A note."],
    )
    result = make_result(("S9-F1", "Sets"), Settings(runs=12), 1, table, Runner(folder))
    write_result(result, "<svg/>", folder, "S9-F1")


def test_an_experiment_has_its_place_in_the_docs_whole_or_in_part(
    figures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "docs" / "s1" / "sets.md"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE)
    (tmp_path / "README.md").write_text("no tables\n")
    write_experiment(tmp_path / "results")
    assert run(figures, monkeypatch, "--check") == 1
    assert run(figures, monkeypatch) == 0
    text = page.read_text()
    assert text.count("| 2x2 does best | 2x2:LI | - | 12 | as it is | yes |") == 2
    assert text.count("| 2x2:LI | 81.0 (79.5 to 82.5) |") == 1
    assert text.count("- A note.") == 1
    assert (tmp_path / "README.md").read_text() == "no tables\n"
    assert run(figures, monkeypatch, "--check") == 0


@pytest.mark.parametrize(
    ("text", "part", "words"),
    [
        ("{", "", "holds no results"),
        ("{}", "", "is not the result of an experiment"),
        (
            None,
            " claim",
            "no part 'claim' of S9-F1.json: choose table, summary, claims, shapes, notes",
        ),
    ],
)
def test_experiments_out_of_form_end_the_program_with_one_line(
    figures: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str | None,
    part: str,
    words: str,
) -> None:
    (tmp_path / "README.md").write_text(f"<!-- figures: S9-F1{part} -->\n<!-- end -->\n")
    write_experiment(tmp_path / "results")
    if text is not None:
        (tmp_path / "results" / "S9-F1.json").write_text(text)
    with pytest.raises(SystemExit, match=words):
        run(figures, monkeypatch)
