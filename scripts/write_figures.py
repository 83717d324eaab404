"""Writes the tables of the README from the files in `results/`; nothing there is typed by hand.

    python scripts/write_figures.py [--check]

A place in the README begins with `<!-- figures: NAME -->` and ends with `<!-- end -->`; between
them goes the table of `results/NAME.jsonl`. With --check nothing is written, and the exit status
says whether the README is what the results say.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PLACE = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

Row = dict[str, Any]


def read_results(name: str) -> list[Row]:
    """The measurements of one benchmark."""
    text = (ROOT / "results" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def number(value: float) -> str:
    """A figure as a person writes it: three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(name: str) -> str:
    """The Markdown table of one benchmark, and what it was measured with."""
    rows = read_results(name)
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


def filled(text: str) -> str:
    """The README with every table as the results say."""
    return PLACE.sub(lambda match: match[1] + table(match[2]) + match[3], text)


def main() -> int:
    """Writes or checks the README."""
    readme = ROOT / "README.md"
    before = readme.read_text(encoding="utf-8")
    after = filled(before)
    if "--check" in sys.argv:
        return int(before != after)
    readme.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
