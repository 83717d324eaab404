"""Writes the tables of the README and the docs, and the pictures of `results/`, from the data in
`results/`; nothing there is typed or drawn by hand.

    python scripts/write_figures.py [--check]

A place on a page begins with `<!-- figures: NAME -->` and ends with `<!-- end -->`. Between them go
the tables of `results/NAME.json`, which an experiment or a ladder has left, or else the table of a
benchmark, `results/NAME.jsonl`, or a line that says it is not measured yet where there is no such
file. `<!-- figures: NAME claims -->` asks for a part of an experiment only: table, claims, their
summary without rules, shapes or notes. `<!-- figures: scorecard S1 -->` is all claims of a paper,
`<!-- figures: future-work -->` what the papers leave open. Claims are judged again from the rows of
their results, so a rule that has changed changes them, too. Beside each `results/NAME.json` its
picture is drawn as `results/NAME.svg`. Under each table stands the command that makes it. With
--check nothing is written, and the exit status says whether every page and picture is what the
results say.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import msgspec

from katachi.arena.report import (
    cross_table,
    markdown_table,
    notes,
    ranking_table,
    read_report,
)
from katachi.arena.report_picture import svg_from_report
from katachi.errors import KatachiError
from katachi.experiments import scorecard
from katachi.experiments.catalogue import CATALOGUE, load_experiment
from katachi.experiments.results import (
    WHOLE,
    Part,
    Result,
    markdown_from_result,
    read_result,
    text_from_result,
)

ROOT = Path(__file__).resolve().parents[1]
NOT_MEASURED = "*Not measured yet.*\n"
PLACE = re.compile(r"(<!-- figures: ([\w-]+)(?: (\w+))? -->\n).*?(<!-- end -->)", re.DOTALL)
SCORECARD, FUTURE_WORK = "scorecard", "future-work"
PARTS = {part.value: part for part in Part}

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
    command = made_by(benchmark_command(name))
    if not rows:
        return f"{NOT_MEASURED}\n{command}" if command else NOT_MEASURED
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
    return "\n".join([*lines, "", f"*{machine}; {listed}*", *(["", command] if command else [""])])


def ladder_table(path: Path) -> str:
    """The ranking, the cross table and the notes of a ladder's report."""
    report = read_report(path)
    tables = [markdown_table(ranking_table(report)), markdown_table(cross_table(report))]
    command = made_by(ladder_command(path))
    words = [
        *tables,
        *(f"- {note}" for note in notes(report)),
        *(["", command] if command else [""]),
    ]
    return "\n".join(words)


def experiment_tables(path: Path, part: str | None) -> str:
    """The tables of an experiment's result, or one part of it."""
    if part is not None and part not in PARTS:
        raise KatachiError(f"no part {part!r} of {path.name}: choose {', '.join(PARTS)}")
    result = judged_result(path)
    text = markdown_from_result(result, WHOLE if part is None else [PARTS[part]])
    return f"{text}\n{made_by(experiment_command(path.stem, result))}"


def made_by(command: str) -> str:
    """The line under a table."""
    return f"Command: `{command}`\n" if command else ""


def experiment_command(name: str, result: Result | None) -> str:
    """What does an experiment as its result was done; as it stands where there is none."""
    return scorecard.command_for(name, result) if name in CATALOGUE else ""


def benchmark_command(name: str) -> str:
    """What measures a benchmark; nothing where there is no such program."""
    is_there = (ROOT / "benchmarks" / f"{name}.py").exists()
    return f"python benchmarks/{name}.py" if is_there else experiment_command(name, None)


def ladder_command(path: Path) -> str:
    """What plays a ladder; nothing where its list of players is not kept."""
    roster = f"ladders/{path.stem.replace('ladder', 'house')}.toml"
    is_there = (ROOT / roster).exists()
    return f"katachi ladder run {roster} --database {path.stem}.db" if is_there else ""


def judged_result(path: Path) -> Result:
    """A result with its claims judged by the rules of today."""
    result = read_result(path)
    if path.stem not in CATALOGUE:
        return result
    claims = load_experiment(path.stem).judge(result)
    return msgspec.structs.replace(result, claims=claims)


def is_ladder(path: Path) -> bool:
    """Whether a file in JSON is the report of a ladder."""
    try:
        data = json.loads(path.read_bytes())
    except ValueError as error:
        raise KatachiError(f"results/{path.name} holds no results: {error}") from None
    return isinstance(data, dict) and "ranking" in data


def experiment_results() -> dict[str, Result]:
    """Every result of an experiment by its ID."""
    paths = {name: ROOT / "results" / f"{name}.json" for name in CATALOGUE}
    return {name: judged_result(path) for name, path in paths.items() if path.exists()}


def overview(name: str, part: str | None) -> str:
    """A table over all results."""
    if name == FUTURE_WORK:
        return scorecard.markdown_of_future_work(experiment_results())
    if part not in scorecard.PLACES:
        raise KatachiError(f"no paper {part!r}: choose {', '.join(scorecard.PLACES)}")
    return scorecard.markdown_of_paper(part, experiment_results())


def figures(name: str, part: str | None) -> str:
    """What belongs in the place of that name; ends the program where results are out of form."""
    if name in (SCORECARD, FUTURE_WORK):
        try:
            return overview(name, part)
        except KatachiError as error:
            sys.exit(str(error))
    path = ROOT / "results" / f"{name}.json"
    if not path.exists():
        return table(name)
    try:
        return ladder_table(path) if is_ladder(path) else experiment_tables(path, part)
    except KatachiError as error:
        sys.exit(str(error))


def filled(text: str) -> str:
    """A page with every table as the results say."""
    return PLACE.sub(lambda match: match[1] + figures(match[2], match[3]) + match[4], text)


def pages() -> list[Path]:
    """Where there may be tables."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def picture_of(path: Path) -> str | None:
    """The picture of a result, None of one that no experiment of ours draws."""
    if is_ladder(path):
        return svg_from_report(read_report(path))
    if path.stem not in CATALOGUE:
        return None
    title = f"{path.stem}: {CATALOGUE[path.stem].title}"
    return load_experiment(path.stem).draw(read_result(path), title)


def made_of(path: Path) -> dict[Path, str]:
    """What belongs to a file of results: itself with its claims as judged, and its picture."""
    text = picture_of(path)
    made = {} if text is None else {path.with_suffix(".svg"): text}
    if path.stem in CATALOGUE and not is_ladder(path):
        made[path] = text_from_result(judged_result(path))
    return made


def wrong_results() -> dict[Path, str]:
    """What each file of results and each picture should be that is not what its rows say; ends the
    program where results are out of form."""
    made: dict[Path, str] = {}
    for path in sorted((ROOT / "results").glob("*.json")):
        try:
            made |= made_of(path)
        except KatachiError as error:
            sys.exit(str(error))
    return {p: t for p, t in made.items() if not p.exists() or p.read_text("utf-8") != t}


def main() -> int:
    """Writes or checks every page and picture."""
    texts = {page: page.read_text(encoding="utf-8") for page in pages()}
    wrong = {page: after for page, text in texts.items() if (after := filled(text)) != text}
    wrong |= wrong_results()
    for page, after in wrong.items():
        name = page.relative_to(ROOT).as_posix()
        if "--check" in sys.argv:
            sys.stderr.write(f"{name} is not what results/ says: run `make figures`\n")
        else:
            page.write_text(after, encoding="utf-8")
    return int("--check" in sys.argv and bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
