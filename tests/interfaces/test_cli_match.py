"""`katachi match` as a person reads it."""

from pathlib import Path

import pytest

from katachi.interfaces.cli import match as command
from katachi.interfaces.cli.match import elo_difference_text, match
from katachi.statistics import Tally


@pytest.mark.parametrize(
    ("tally", "words"),
    [
        (Tally(wins=50, losses=50), "+0 (-68 to +68)"),
        (Tally(wins=3, losses=1), "+191 (-147 to +528)"),
        (Tally(wins=20), "above +287"),
        (Tally(losses=20), "below -287"),
    ],
)
def test_a_score_is_reported_as_a_difference_in_elo(tally: Tally, words: str) -> None:
    assert elo_difference_text(tally) == words


def test_the_summary_tells_elo_and_the_score_by_colour(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    match("alp", "random", games=4, size=5, out=tmp_path / "m")
    lines = capsys.readouterr().out.splitlines()
    [shown] = [line for line in lines if line.startswith("Elo difference")]
    assert "; as Black " in shown
    assert shown.endswith(" of 2")
    assert max(map(len, lines[:-1])) <= 80


def test_an_interrupted_match_says_that_its_games_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    match("alp", "random", games=2, size=5, out=tmp_path / "m")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_play", interrupt)
    with pytest.raises(SystemExit):
        match("alp", "random", games=9, size=5, out=tmp_path / "m")
    shown = capsys.readouterr().err.splitlines()[-1]
    assert shown == (
        f"katachi: interrupted; 2 games are kept in {tmp_path / 'm'}: the same command goes on"
    )
