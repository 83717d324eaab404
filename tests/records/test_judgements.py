"""Judgements of openings: what a dead band makes of them, and files that do not match."""

import gzip
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.records.judgements import (
    DeadBand,
    Judgement,
    judge_openings,
    read_judgements,
    write_judgements,
)
from tests.opening_games import random_openings

LEADS = [(2.1, 1.0), (2.0, 0.0), (0.0, 0.0), (-2.0, 0.0), (-2.5, -1.0)]


def judged(index: int, lead: float, moves: int = 6) -> Judgement:
    return Judgement(index, moves, 6.5, black_lead=lead)


@pytest.mark.parametrize(("lead", "z"), LEADS)
def test_a_lead_within_the_band_is_even(lead: float, z: float) -> None:
    assert judged(0, lead).value(DeadBand(2.0)) == z


@pytest.mark.parametrize(("chance", "z"), [(0.56, 1.0), (0.55, 0.0), (0.45, 0.0), (0.4, -1.0)])
def test_without_a_lead_the_chance_decides(chance: float, z: float) -> None:
    assert Judgement(0, 6, 6.5, black_winrate=chance).value(DeadBand()) == z


@pytest.mark.parametrize("name", ["judged.jsonl", "judged.jsonl.gz"])
def test_a_file_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    band = DeadBand(3.0)
    judgements = [judged(0, 1.5), Judgement(1, 6, 7.5, 4.0, 0.7, "gnugo", band, 1.0)]
    write_judgements(tmp_path / name, judgements)
    assert read_judgements(tmp_path / name) == judgements


def test_openings_are_judged_after_their_last_move() -> None:
    openings = random_openings(3, 6)
    judgements = [judged(0, 5.0), judged(2, -5.0), judged(1, 9.0, moves=4)]
    found = judge_openings(openings, judgements)
    assert [(each.game, each.judgement) for each in found] == [(0, 1.0), (2, -1.0)]
    assert judge_openings(openings, judgements, band=DeadBand(6.0))[0].judgement == 0.0


def test_judgements_that_do_not_match_are_reported_in_one_line() -> None:
    openings = random_openings(3, 6)
    with pytest.raises(KatachiError, match="they judge game 8, the collection has 3"):
        judge_openings(openings, [judged(7, 1.0)])
    with pytest.raises(KatachiError, match=r"none is after move 6 with komi 7 .*move 6 komi 6.5"):
        judge_openings(openings, [judged(1, 1.0)], komi=7.0)
    with pytest.raises(KatachiError, match=r"none is after move 6 .*there is nothing"):
        judge_openings(openings, [])


BROKEN = {
    "no JSON": b'{"index": 1',
    "nothing judged": b'{"index": 1, "moves": 50, "komi": 6.5}',
    "no chance": b'{"index": 1, "moves": 50, "komi": 6.5, "black_winrate": 1.2}',
    "no game": b'{"index": -1, "moves": 50, "komi": 6.5, "black_lead": 1}',
    "words": b'{"index": "a", "moves": 50, "komi": 6.5, "black_lead": 1}',
    "no text": b"\xff\xfe",
}


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_refused_with_the_line(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "judged.jsonl"
    path.write_bytes(b'{"index": 0, "moves": 50, "komi": 6.5, "black_lead": 1}\n' + line)
    with pytest.raises(KatachiError, match=r"judged.jsonl line 2 is no judgement"):
        read_judgements(path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match="cannot read"):
        read_judgements(tmp_path / "missing.jsonl")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b"x" * 1000)[:20])
    with pytest.raises(KatachiError, match="cannot read"):
        read_judgements(tmp_path / "cut.jsonl.gz")
