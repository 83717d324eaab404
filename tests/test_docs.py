"""The pages say what is there: their programs run, and every public name is on them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import katachi
from katachi import envs

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "words"),
    [("api.md", "3 moves, White to play, komi 7.5"), ("environments.md", "(1000, 6, 9, 9)")],
)
def test_the_programs_of_a_page_run(tmp_path: Path, page: str, words: str) -> None:
    program = "\n".join(re.findall(r"```python\n(.*?)```", text_of(page), re.DOTALL))
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert words in done.stdout


def test_every_public_name_is_in_the_reference() -> None:
    text = text_of("reference.md")
    named = set(re.findall(r"katachi\.(\w+)", text))
    assert set(katachi.__all__) - {"__version__"} <= named
    found = set(re.findall(r"^::: katachi\.envs\.(\w+)$", text, re.MULTILINE))
    assert found == {name for name in envs.__all__ if name.islower()}


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mkdocs")
    pytest.importorskip("material")
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")  # the theme's, as in the Makefile
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert "Black's chance" in (tmp_path / "docs" / "reference" / "index.html").read_text("utf-8")
    for page in DOCS.glob("*.md"):
        assert f'href="docs/{page.stem}/"' in (tmp_path / "index.html").read_text("utf-8"), page
