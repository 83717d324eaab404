"""A journal keeps whole lines, whatever happens to the file."""

from pathlib import Path

import msgspec
import pytest

from katachi.experiments.journal import Journal, Line


def line(run: int) -> Line:
    return Line("toy", "key", "a", run, 0.5, {"python": "3"}, msgspec.Raw(b'{"value":1}'))


def test_lines_come_back_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "deep" / "toy.jsonl")
    assert journal.read() == []
    for run in (1, 2, 3):
        journal.add(line(run))
    again = Journal(tmp_path / "deep" / "toy.jsonl")
    assert [each.run for each in again.read()] == [1, 2, 3]
    assert bytes(again.read()[0].measured) == b'{"value":1}'


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_line_cut_short_is_counted_and_the_next_one_is_whole(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "toy.jsonl"
    journal = Journal(path)
    journal.add(line(1))
    journal.add(line(2))
    path.write_bytes(path.read_bytes()[:-cut])
    again = Journal(path)
    again.add(line(3))
    runs = [each.run for each in again.read()]
    is_whole = cut == 1  # only the end of the line was lost
    assert runs == ([1, 2, 3] if is_whole else [1, 3])
    assert again.unreadable == (0 if is_whole else 1)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"run": 1}', '"a"', "\xff\xfe", "null", '{"experiment": 1}']
)
def test_what_is_no_line_is_passed_over(tmp_path: Path, text: str) -> None:
    path = tmp_path / "toy.jsonl"
    path.write_bytes(text.encode("latin-1") + b"\n\n")
    journal = Journal(path)
    journal.add(line(1))
    assert [each.run for each in journal.read()] == [1]
    assert journal.unreadable == 1
