"""The stored game plays again, ply by ply."""

from pathlib import Path

from tests.rules.playthrough import write_playthrough

STORED = Path(__file__).parents[1] / "data" / "playthrough_9x9.txt"


def test_the_seeded_game_is_the_stored_one() -> None:
    again = write_playthrough().split("\n\n")
    for entry, stored in zip(again, STORED.read_text().split("\n\n"), strict=True):
        assert entry == stored


def test_the_stored_game_has_captures_and_ends_with_two_passes() -> None:
    *_, before, last = STORED.read_text().split("\n\n")
    assert "pass" in before.splitlines()[0]
    assert "pass" in last.splitlines()[0]
    assert "captures: 0" not in last
