"""What an experiment is made of: settings, runs, and a table of the paper's numbers beside ours."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from katachi.experiments.workbench import Workbench


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an experiment is done with; each has its own, and the defaults are the paper's."""

    runs: int = 1
    """Independent runs of each setting."""


class Quantity(msgspec.Struct, frozen=True):
    """A column of a table."""

    name: str
    unit: str = ""
    digits: int = 0
    """How many digits are told after the point."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One number of ours, beside the paper's where it states one."""

    setting: str
    quantity: str
    ours: float | None
    """None where there is nothing to tell, as the time of what never happened."""
    low: float | None = None
    high: float | None = None
    """95 % interval; the notes of the table say which."""
    n: int
    """How many runs, or games, it comes from."""
    paper: float | None = None
    remark: str = ""


class Claim(msgspec.Struct, frozen=True):
    """What the paper says in words, and what ours says to it."""

    paper: str
    ours: str
    holds: bool | None
    """None where our numbers are not sure enough to decide it."""

    @property
    def verdict(self) -> str:
        """Whether it holds, in a word or two."""
        return {True: "yes", False: "no", None: "not decided"}[self.holds]


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an experiment."""

    quantities: list[Quantity]
    rows: list[Row]
    claims: list[Claim] = []
    notes: list[str] = []
    """What a reader must know: which intervals, and where we depart from the paper."""
    shapes: dict[str, list[str]] = {}
    """Diagrams, by what they show."""
    report: dict[str, Any] = {}
    """What a picture needs beyond the rows: the report of a ladder, or the reading of a game."""

    def row(self, setting: str, quantity: str) -> Row:
        """The number of one setting; raises KeyError."""
        for row in self.rows:
            if (row.setting, row.quantity) == (setting, quantity):
                return row
        raise KeyError((setting, quantity))


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper that can be measured anew."""

    settings: Settings
    """As the paper has it."""
    quick: Settings
    """Small enough for seconds: it shows that everything works, and nothing else."""
    run: Callable[[Any, int, "Workbench"], Table]
    """(settings, seed, workbench) -> table; raises OutOfTime where the workbench says so."""
    draw: Callable[[Table, str], str]
    """(table, title) -> picture as SVG text."""
