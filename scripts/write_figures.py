"""Writes the tables of the README from the files in `results/`; nothing there is typed by hand.

    python scripts/write_figures.py [--check]

A place in the README begins with `<!-- figures: NAME -->` and ends with `<!-- end -->`; between
them goes the table of `results/NAME.jsonl` (of a ladder: `results/NAME.json`),
or a line that says it is not measured yet where there is no such file. With --check nothing is
written, and the exit status says whether the README is what the results say.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from katachi.arena.report import (
    cross_table,
    markdown_table,
    notes,
    ranking_table,
    read_report,
)

ROOT = Path(__file__).resolve().parents[1]
NOT_MEASURED = "*Not measured yet.*\n"
PLACE = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

Row = dict[str, Any]


def read_results(name: str) -> list[Row]:
    """The measurements of one benchmark; none where it was not run. A file that does not hold
    measurements ends the program with one line."""
    path = ROOT / "results" / f"{name}.jsonl"
    if not path.exists():
        sys.stderr.write(f"results/{name}.jsonl is missing: its table says so\n")
        return []
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except ValueError as error:
        sys.exit(f"results/{name}.jsonl holds no measurements: {error}")


def number(value: float | None) -> str:
    """A figure as a person writes it: three digits that count; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(name: str) -> str:
    """The Markdown table of one benchmark, and what it was measured with."""
    rows = read_results(name)
    if not rows:
        return NOT_MEASURED
    lines = ["| | ours | peer | ratio (over rounds) |", "|---|---:|---:|---:|"]
    for row in rows:
        ratio = number(row["ratio"])
        if row.get("interval"):
            low, high = row["interval"]
            ratio += f" ({number(low)} to {number(high)})"
        unit = row["unit"]
        lines.append(
            f"| {row['name']} | {number(row['ours'])} {unit} | {number(row['peer'])} | {ratio} |"
        )
    versions = rows[0]["versions"]
    listed = ", ".join(f"{key} {value}" for key, value in versions.items())
    machine = rows[0].get("machine", "")
    return "\n".join([*lines, "", f"*{machine}; {listed}*", ""])


def ladder_table(path: Path) -> str:
    """The ranking, the cross table and the notes of a ladder's report."""
    report = read_report(path)
    tables = [markdown_table(ranking_table(report)), markdown_table(cross_table(report))]
    return "\n".join([*tables, *(f"- {note}" for note in notes(report)), ""])


def figures(name: str) -> str:
    """What belongs in the place of that name."""
    ladder = ROOT / "results" / f"{name}.json"
    return ladder_table(ladder) if ladder.exists() else table(name)


def filled(text: str) -> str:
    """The README with every table as the results say."""
    return PLACE.sub(lambda match: match[1] + figures(match[2]) + match[3], text)


def main() -> int:
    """Writes or checks the README."""
    readme = ROOT / "README.md"
    before = readme.read_text(encoding="utf-8")
    after = filled(before)
    if "--check" in sys.argv:
        if before != after:
            sys.stderr.write("README.md is not what results/ says: run `make figures`\n")
        return int(before != after)
    readme.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
