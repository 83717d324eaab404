"""What an experiment is made of: settings, runs, and a table of the paper's numbers beside ours."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from string import Formatter
from typing import TYPE_CHECKING, Any

import msgspec

from katachi.experiments.bounds import Count
from katachi.statistics import Estimate, mean_of, wilson

if TYPE_CHECKING:
    from katachi.experiments.runner import Runner

Value = str | int | float
Key = dict[str, Any]
"""What a run or a row is about: the value, a `Value`, of each factor."""


Bounds = tuple[float | None, float | None]
"""Between which ends an interval must stay, where there are any."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an experiment is done with; each has its own, and the defaults are the paper's."""

    runs: Count = 1
    """Independent runs of each setting."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One number of ours, beside the paper's where it states one."""

    key: dict[str, Value]
    """The setting: the value of each factor. How it is written, the table says."""
    quantity: str
    ours: float | None
    """None where there is none, as the time of what never happened."""
    low: float | None = None
    high: float | None = None
    """95 % interval; the notes of the table say which."""
    n: int = 1
    """How many runs, or games, it comes from."""
    paper: float | None = None
    remark: str = ""

    @property
    def number(self) -> Estimate:
        """Ours with its interval; 0 where there is none."""
        return Estimate(self.ours or 0.0, self.low, self.high)

    def is_about(self, part: Key) -> bool:
        """Whether the key has these values, whatever its other factors are."""
        return all(self.key.get(factor) == value for factor, value in part.items())


class Quantity(msgspec.Struct, frozen=True):
    """A column of a table."""

    name: str
    unit: str = ""
    digits: int = 0
    """How many digits are shown after the point."""

    def row(self, key: Key, ours: float | None, n: int = 1, paper: float | None = None) -> Row:
        """A number of this quantity that has no interval."""
        return Row(key=key, quantity=self.name, ours=ours, n=n, paper=paper)

    def mean(
        self,
        key: Key,
        values: Sequence[float],
        bounds: Bounds = (None, None),
        paper: float | None = None,
        remark: str = "",
    ) -> Row:
        """The mean of at least one run, its interval between these bounds."""
        mean = mean_of(values, *bounds)
        return self._row(key, mean, len(values), paper=paper, remark=remark)

    def share(self, key: Key, score: float, count: int, paper: float | None = None) -> Row:
        """A share in percent with Wilson's interval; of nothing, none."""
        low, high = wilson(score, count)
        share = Estimate(100 * score / count if count else 0.0, 100 * low, 100 * high)
        row = self._row(key, share, count, paper=None if paper is None else round(paper, 2))
        return row if count else msgspec.structs.replace(row, ours=None)

    def score(self, key: Key, score: float, games: int, paper: float | None = None) -> Row:
        """Points out of games as a share that says how many games there were."""
        row = self.share(key, score, games, paper)
        return msgspec.structs.replace(row, remark=f"{games:,} games")

    def estimate(self, key: Key, estimate: Estimate, games: int, paper: float | None = None) -> Row:
        """A mean over so many games."""
        return self._row(key, estimate, games, 6, paper=paper)

    def _row(self, key: Key, number: Estimate, n: int, digits: int = 3, **others: Any) -> Row:
        ours, low, high = (
            None if each is None else round(each, digits)
            for each in (number.value, number.low, number.high)
        )
        return Row(key=key, quantity=self.name, ours=ours, low=low, high=high, n=n, **others)


class Verdict(Enum):
    """What a rule says to a claim."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"
    """Our numbers are not sure enough, or not of what the paper speaks of."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """What the paper says, what ours says to it, and by which rule the two are compared; made by
    the functions of `claims`."""

    paper: str
    ours: str
    low: float | None = None
    high: float | None = None
    """95 % interval of the number that is judged; none of a number without chance."""
    n: int = 1
    """How many runs, games or settings it comes from."""
    digits: int = 1
    """How many digits of the interval are shown after the point."""
    rule: str
    """When it holds and when it does not, in words."""
    verdict: Verdict

    @property
    def interval(self) -> str:
        """The interval in words; a dash where there is none."""
        if self.low is None or self.high is None:
            return "-"
        return " to ".join(text_from_number(end, self.digits) for end in (self.low, self.high))


def text_from_number(value: float | None, digits: int) -> str:
    """A number as a person writes it; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:,.{digits}f}".replace("-", "\N{MINUS SIGN}")


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an experiment."""

    quantities: list[Quantity]
    rows: list[Row]
    labels: tuple[str, ...] = ()
    """How keys are written: see `label_of`."""
    claims: list[Claim] = []
    notes: list[str] = []
    """What a reader must know: which intervals, and where we depart from the paper."""
    shapes: dict[str, list[str]] = {}
    """Diagrams, by what they show."""
    report: dict[str, Any] = {}
    """What a picture needs beyond the rows: the report of a ladder, or the reading of a
    game; and the learning curves (`curves`)."""

    def with_claims(self, claims: list[Claim]) -> "Table":
        """The same with what was found in its rows."""
        return msgspec.structs.replace(self, claims=claims)

    def label(self, row: Row) -> str:
        """What the setting of a row is called."""
        return label_of(self.labels, row.key)

    def rows_of(self, quantity: Quantity, **part: Value) -> list[Row]:
        """The rows of a quantity whose keys have these values."""
        return [row for row in self.rows if row.quantity == quantity.name and row.is_about(part)]

    def find(self, quantity: Quantity, key: Key) -> Row | None:
        """The number of one setting, where there is one."""
        return next((row for row in self.rows_of(quantity) if row.key == key), None)

    def row(self, quantity: Quantity, **key: Value) -> Row:
        """The number of one setting; raises KeyError."""
        found = self.find(quantity, key)
        if found is None:
            raise KeyError((quantity.name, key))
        return found

    def values(self, factor: str, **part: Value) -> list[Value]:
        """The values of a factor in the rows whose keys have these values, in their order."""
        rows = [row for row in self.rows if factor in row.key and row.is_about(part)]
        return list(dict.fromkeys(row.key[factor] for row in rows))


def label_of(labels: Iterable[str], key: Key) -> str:
    """What a key is called: by the first of the formats that has fields for its factors and no
    others, such as `{net}, lambda {lam:g}`; else its values one after another."""
    for label in labels:
        if {field for _, field, _, _ in Formatter().parse(label) if field} == key.keys():
            return label.format(**key)
    return ", ".join(map(str, key.values()))


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper that can be measured again."""

    settings: Settings
    """As the paper has it."""
    quick: Settings
    """Small enough for seconds: it shows that everything works, and nothing else."""
    run: Callable[[Any, int, "Runner"], Table]
    """(settings, seed, runner) -> table; raises OutOfTime where the runner says so."""
    draw: Callable[[Table, str], str]
    """(table, title) -> picture as SVG text."""
    judge: Callable[[Table], list[Claim]] = lambda _: []
    """table -> what the paper says, judged by its rows alone: so claims can be judged again
    without measuring anything."""
