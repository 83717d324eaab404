"""What an experiment leaves behind: `ID.json` with everything, `ID.svg`, and tables for people."""

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from katachi.errors import KatachiError
from katachi.experiments.protocol import Claim, Quantity, Row, Settings, Table, text_from_number
from katachi.experiments.runner import Runner
from katachi.files.atomic import write_atomically
from katachi.files.provenance import commit_of_tree

FORMAT = 3
HEAD_OF_CLAIMS = ["the paper says", "ours", "95 % interval", "n", "rule", "verdict"]


class Result(Table, frozen=True, kw_only=True):
    """A table and all that is needed to make it again."""

    format: int = FORMAT
    id: str
    title: str
    settings: dict[str, Any]
    seed: int
    runs: int
    seconds: float
    """Of all runs together, each counted on its own processor."""
    machine: str
    versions: dict[str, str]
    """Of what the runs were done with; several are parted by a slash."""
    commit: str

    @property
    def processor(self) -> str:
        """What its time is counted in: that of a GPU that did all runs at once, or of cores."""
        return "GPU" if "device" in self.versions else "core"


def make_result(
    heading: tuple[str, str], settings: Settings, seed: int, table: Table, runner: Runner
) -> Result:
    """The result of an experiment with this (ID, title)."""
    made = {name: " / ".join(values) for name, values in runner.made.items()}
    return Result(
        **msgspec.structs.asdict(table),
        id=heading[0],
        title=heading[1],
        settings=msgspec.to_builtins(settings),
        seed=seed,
        runs=settings.runs,
        seconds=round(runner.seconds, 1),
        machine=made.pop("machine", ""),
        versions=made,
        commit=commit_of_tree(),
    )


def write_result(result: Result, picture: str, folder: Path, name: str) -> None:
    """Writes NAME.json and NAME.svg into a folder, each whole or not at all; raises OSError."""
    write_atomically(folder / f"{name}.svg", picture.encode())
    write_atomically(folder / f"{name}.json", text_from_result(result).encode())


def text_from_result(result: Result) -> str:
    """What NAME.json holds."""
    return msgspec.json.format(msgspec.json.encode(result), indent=1).decode() + "\n"


def read_result(path: str | Path) -> Result:
    """A result from its JSON file; raises KatachiError if it is none of a known format."""
    try:
        data = msgspec.json.decode(Path(path).read_bytes())
        known = _upgraded(data) if isinstance(data, dict) else data
        result = msgspec.convert(known, Result)
    except OSError as error:
        raise KatachiError(f"{path}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise KatachiError(f"{path} is not the result of an experiment: {error}") from None
    if result.format != FORMAT:
        raise KatachiError(f"{path} has format {result.format}, but this katachi reads {FORMAT}")
    return result


def _upgraded(data: dict[str, Any]) -> dict[str, Any]:
    """A result of format 1, whose rows knew their settings in words only, or of format 2, whose
    claims had no rules, as one of format 3. Such claims are left out: they are judged again."""
    form = data.get("format")
    if form not in (1, 2) or not isinstance(data.get("rows"), list):
        return data
    rows = data["rows"]
    if form == 1:
        rows = [{"key": {"setting": row.pop("setting", None)}} | row for row in rows]
    return data | {"format": FORMAT, "rows": rows, "claims": []}


def text_from_row(row: Row, digits: int) -> str:
    """A number with its interval and remark."""
    if row.ours is None:
        return row.remark or "-"
    text = text_from_number(row.ours, digits)
    if row.low is not None and row.high is not None:
        low, high = (text_from_number(end, digits) for end in (row.low, row.high))
        text += f" ({low} to {high})"
    return f"{text}, {row.remark}" if row.remark else text


class Grid(NamedTuple):
    """Words of a table whose lines all have the same columns."""

    head: list[str]
    rows: list[list[str]]


def grids_of(table: Table) -> list[Grid]:
    """A table in words, a line a setting; settings with the same quantities stand together."""
    lines: dict[str, dict[str, Row]] = {}
    for row in table.rows:
        lines.setdefault(table.label(row), {})[row.quantity] = row
    groups: dict[tuple[Quantity, ...], list[str]] = {}
    for label, known in lines.items():
        shown = tuple(quantity for quantity in table.quantities if quantity.name in known)
        groups.setdefault(shown, []).append(label)
    return [
        _grid(quantities, {label: lines[label] for label in labels})
        for quantities, labels in groups.items()
    ]


def _grid(quantities: tuple[Quantity, ...], lines: dict[str, dict[str, Row]]) -> Grid:
    head = ["setting"]
    rows = [[label] for label in lines]
    for quantity in quantities:
        column = [line[quantity.name] for line in lines.values()]
        has_paper = any(row.paper is not None for row in column)
        unit = f", {quantity.unit}" if quantity.unit else ""
        head += [quantity.name + unit, *(["paper"] if has_paper else [])]
        for words, row in zip(rows, column, strict=True):
            words.append(text_from_row(row, quantity.digits))
            if has_paper:
                words.append(text_from_number(row.paper, quantity.digits))
    return Grid(head, rows)


def notes_of(result: Result) -> list[str]:
    """What a reader of the table must know, a line each."""
    versions = ", ".join(f"{name} {value}" for name, value in result.versions.items())
    made = [part for part in (result.machine, versions) if part]
    hours = f"{result.seconds / 3600:.1f} {result.processor} hours"
    runs = f"{result.runs} runs of each setting" if result.runs > 1 else "one run"
    last = "; ".join([*made, f"commit {result.commit}", f"seed {result.seed}", runs, hours])
    return [*result.notes, f"{last}."]


class Part(Enum):
    """A part of a result as people read it."""

    TABLE = "table"
    SUMMARY = "summary"
    """Claims without their rules."""
    CLAIMS = "claims"
    SHAPES = "shapes"
    NOTES = "notes"


WHOLE = (Part.TABLE, Part.CLAIMS, Part.SHAPES, Part.NOTES)
HEAD_OF_SUMMARY = ["the paper says", "ours", "95 % interval", "verdict"]


def markdown_from_result(result: Result, parts: Iterable[Part] = WHOLE) -> str:
    """The parts that there are, as Markdown."""
    writers = {
        Part.TABLE: lambda: [markdown_table(*grid) for grid in grids_of(result)],
        Part.SUMMARY: lambda: _markdown_claims(result.claims, HEAD_OF_SUMMARY),
        Part.CLAIMS: lambda: _markdown_claims(result.claims, HEAD_OF_CLAIMS),
        Part.SHAPES: lambda: _markdown_shapes(result.shapes),
        Part.NOTES: lambda: ["".join(f"- {note}\n" for note in notes_of(result))],
    }
    return "\n".join(text for part in parts for text in writers[part]())


def words_of_claim(claim: Claim, head: list[str]) -> list[str]:
    """The line of a claim in a table with these columns, of `HEAD_OF_CLAIMS`."""
    cells = [claim.paper, claim.ours, claim.interval, f"{claim.n:,}", claim.rule]
    named = dict(zip(HEAD_OF_CLAIMS, [*cells, claim.verdict.value], strict=True))
    return [named[column] for column in head]


def _markdown_claims(claims: list[Claim], head: list[str]) -> list[str]:
    rows = [words_of_claim(claim, head) for claim in claims]
    return [markdown_table(head, rows, is_words=True)] if rows else []


def _markdown_shapes(shapes: dict[str, list[str]]) -> list[str]:
    return [f"{title}:\n\n```\n" + "\n".join(lines) + "\n```\n" for title, lines in shapes.items()]


def markdown_table(head: list[str], rows: list[list[str]], *, is_words: bool = False) -> str:
    """A table as Markdown, numbers to the right unless its cells are words."""
    marks = ["---", *["---" if is_words else "---:"] * (len(head) - 1)]
    lines = [head, marks, *([_escape(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _escape(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
