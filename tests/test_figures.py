"""The README's tables are those of the results, or say that there are none."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

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
