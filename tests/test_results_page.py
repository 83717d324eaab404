"""The page on results: its lines of code run, and it names every field."""

import re
from pathlib import Path

import msgspec
import pytest

from katachi.experiments.curves import Curve
from katachi.experiments.protocol import Row
from katachi.experiments.results import Result

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "results_format.md").read_text(encoding="utf-8")
SAID = {"pandas": r"key\.template", "best": r"'location': .*\} \d+", "read_result": r"Shape sets"}


@pytest.mark.parametrize("word", SAID)
def test_the_code_on_the_page_runs(
    word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if word == "pandas":
        pytest.importorskip("pandas")
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    code = next(block for block in blocks if word in block)
    monkeypatch.chdir(ROOT)
    exec(code, {})  # noqa: S102 (our own page)
    assert re.search(SAID[word], capsys.readouterr().out)


def test_every_field_is_explained() -> None:
    for form in (Result, Row, Curve):
        for field in msgspec.structs.fields(form):
            assert f"`{field.encode_name}`" in PAGE, field.encode_name
