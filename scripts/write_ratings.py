"""Writes the table by which `rated:R` plays from the results of the experiment X-levels9.

    python scripts/write_ratings.py [--check]

Measured ratings are made to rise with the level, by pooling neighbours that do not (isotonic
regression, weighted by their information). With --check nothing is written, and the exit status
says whether the table is what the results say.
"""

import json
import sys
from pathlib import Path

from katachi.experiments.protocol import Row
from katachi.experiments.results import read_result
from katachi.players.rating_table import TABLE_FILE

RESULT = Path(__file__).resolve().parents[1] / "results" / "X-levels9.json"
LEAST_STEP = 1.0
"""Points between neighbours that were pooled, so that one rating has one way to play."""


def rising(values: list[float], weights: list[float]) -> list[float]:
    """The nearest values that do not fall, by pooling neighbours."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            (one, first, count), (other, second, more) = pools[-2:]
            both = first + second
            pools[-2:] = [((one * first + other * second) / both, both, count + more)]
    return [value for value, _, count in pools for _ in range(count)]


def table_of(rows: list[Row]) -> str:
    """The text of the table."""
    weights = [1.0 / ((row.high or 1.0) - (row.low or 0.0)) ** 2 for row in rows]
    ratings = rising([row.ours or 0.0 for row in rows], weights)
    spread = [rating + LEAST_STEP * ratings[:at].count(rating) for at, rating in enumerate(ratings)]
    found = [
        {"rating": round(rating, 1), **row.key} for rating, row in zip(spread, rows, strict=True)
    ]
    lines = ",\n  ".join(json.dumps(row) for row in found)
    return f'{{\n "from": "X-levels9",\n "rows": [\n  {lines}\n ]\n}}\n'


def main() -> None:
    """Writes the table, or compares it."""
    text = table_of(read_result(RESULT).rows)
    if "--check" not in sys.argv[1:]:
        TABLE_FILE.write_text(text, encoding="utf-8")
    elif TABLE_FILE.read_text(encoding="utf-8") != text:
        sys.exit(f"{TABLE_FILE.name} is not what results/X-levels9.json says: run without --check")


if __name__ == "__main__":
    main()
