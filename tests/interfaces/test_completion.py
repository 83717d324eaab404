"""The Tab key knows every command and option."""

import subprocess
from pathlib import Path

import pytest
from cyclopts.completion import detect

from katachi.errors import KatachiError
from katachi.interfaces.cli.completion import install_completion

TAB = """
source "$1"; COMP_WORDS=("${@:2}"); COMP_CWORD=$(($# - 2)); _katachi; echo "${COMPREPLY[@]}"
"""


def offered(script: Path, *words: str) -> list[str]:
    """What bash offers after these words."""
    command = ["bash", "-c", TAB, "bash", str(script), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_bash_completes_commands_and_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "katachi"
    install_completion(shell="bash", output=script)  # noqa: S604 (no shell is run)
    assert capsys.readouterr().out.startswith(str(script))
    assert offered(script, "katachi", "tra") == ["train"]
    assert offered(script, "katachi", "train", "ter") == ["territory"]
    assert offered(script, "katachi", "match", "--ope") == ["--openings"]


def test_an_unknown_shell_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise detect.ShellDetectionError

    monkeypatch.setattr(detect, "detect_shell", fail)
    with pytest.raises(KatachiError, match="say --shell bash"):
        install_completion()
