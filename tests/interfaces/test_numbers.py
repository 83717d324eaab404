"""No number that an option can be given ends a command in anything but a result or one line."""

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest
from cyclopts import App

from katachi.interfaces.cli import app, main
from katachi.records.dataset import GameSet, open_games
from tests.interfaces.shown import Shown

GAMES = str(Path(__file__).parents[1] / "data" / "gnugo9.sgf")
HUGE = str(10**30)
FLOATS = ("nan", "inf", "-inf", "-1", "0", HUGE, "1e-320")
INTEGERS = ("-1", "0", HUGE, "9" * 5000)
ENDLESS = {"--seconds", "--hours", "--minutes", "--checkpoint-seconds"}
"""Where `inf` means what it says: until it is done."""
ROSTER = """
[ladder]
name = "x"
size = 2
games = 2
opening_moves = 0
[[player]]
name = "a"
spec = "random"
[[player]]
name = "b"
spec = "random"
"""


class Plain(NamedTuple):
    """A command with everything that it needs, and where its work begins: there it is stopped."""

    arguments: tuple[str, ...] = ()
    work: str | None = None


CLI = "katachi.interfaces.cli"
BEGIN = "katachi.learning.run.Run.begin"
PLAIN = {
    "demo": Plain(("--size", "2"), "katachi.learning.shape_training.ShapeTrainer"),
    "gtp": Plain((), "katachi.interfaces.gtp.run_engine"),
    "play": Plain(("alp", "--size", "2"), "katachi.interfaces.play.sitting.sit"),
    "web": Plain(("--no-open",), "katachi.interfaces.web.serving.serve"),
    "review": Plain((GAMES, "-p", "alp"), "katachi.search.review.review_moves"),
    "analysis": Plain((), "katachi.players.roster.make_player"),
    "match": Plain(("random", "random", "--games", "1", "--size", "2", "--openings", "0")),
    "ladder run": Plain(("r.toml", "-d", "new"), f"{CLI}.ladder.play_tasks"),
    "ladder query": Plain(("-d", "l")),
    "train shape": Plain(
        ("--size", "2", "--out", "o"), "katachi.learning.curriculum.Curriculum.__init__"
    ),
    "train territory": Plain(("--games", GAMES, "--out", "o"), BEGIN),
    "train features": Plain(("--games", GAMES, "--out", "o"), BEGIN),
    "train crbm": Plain(("--games", GAMES, "--out", "o"), BEGIN),
    "train linear": Plain(("--teacher", "self", "--out", "o"), BEGIN),
    "train selfplay": Plain(("--out", "o"), BEGIN),
    "experiment run": Plain(
        ("S1-F4", "--quick", "--out", "o", "--work", "w"),
        "katachi.experiments.runner.Runner.measure_all",
    ),
    "cgos connect": Plain(("--name", "x"), f"{CLI}.cgos._play"),
    "cgos serve": Plain((), f"{CLI}.cgos._serve"),
    "games show": Plain((GAMES,)),
    "games generate": Plain(("--engine", "x", "--out", "o.sgf.gz"), f"{CLI}.games.SelfPlaySet"),
    "filters": Plain(("crbm9",), f"{CLI}.filters.filter_plots"),
    "kernels": Plain(("crbm9",), f"{CLI}.filters.filter_plots"),
    "shapes": Plain(("shape9",), "katachi.evaluators.shape_ranking.rank_set"),
    "explain": Plain(("shape9", GAMES, "--move", "3"), f"{CLI}.explain.explain_position"),
    "evaluate": Plain(("alp", GAMES, "--limit", "2"), f"{CLI}.evaluate.measure_board"),
    "territory": Plain(
        (GAMES, "--move", "3", "-p", "alp"), "katachi.search.territory_views.read_territory"
    ),
    "openings cross": Plain(("alp", "random", "--by", "alp"), f"{CLI}.openings_play.cross_play"),
    "openings tree": Plain((), f"{CLI}.openings.OpeningTree"),
    "openings best": Plain(("-p", "alp"), f"{CLI}.openings_play.OpeningTree"),
    "openings explore": Plain((), f"{CLI}.openings.OpeningTree"),
    "openings judge": Plain(
        ("--by", "alp", "--out", "j.jsonl"), "katachi.arena.opening_judges.make_judge"
    ),
    "openings learn": Plain(("--out", "o"), "katachi.learning.opening_run.prepare"),
    "train openings": Plain(("--out", "o"), "katachi.learning.opening_run.prepare"),
}


Option = tuple[str, str, type]


def numeric_options(place: App = app, path: tuple[str, ...] = ()) -> Iterator[Option]:
    """(command, option, int or float) of everything that takes a number."""
    for name in place:
        if name.startswith("-"):
            continue
        command = place[name]
        if any(not each.startswith("-") for each in command):
            yield from numeric_options(command, (*path, name))
            continue
        for argument in command.assemble_argument_collection():
            kinds = set(kinds_in(argument.hint))
            if kinds & {int, float}:
                yield " ".join((*path, name)), argument.name, float if float in kinds else int


def kinds_in(hint: Any) -> Iterator[Any]:
    yield hint
    for part in get_args(hint):
        yield from kinds_in(part)


OPTIONS = list(numeric_options())


def test_every_command_that_takes_numbers_is_tried() -> None:
    assert {command for command, _, _ in OPTIONS} == set(PLAIN)
    assert len(OPTIONS) > 100


@cache
def opened(*files: Path) -> GameSet:
    return open_games(*files)


class Began(Exception):
    """A command has taken all its numbers and begins to work."""


def begin(*_: object, **__: object) -> None:
    raise Began


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder of two games."""
    folder = tmp_path_factory.mktemp("ladder")
    (folder / "r.toml").write_text(ROSTER)
    with pytest.MonkeyPatch.context() as patch:
        words = ("ladder", "run", str(folder / "r.toml"), "-d", str(folder / "l"))
        patch.setattr(sys, "argv", ["katachi", *words])
        main()
    return folder


@pytest.mark.parametrize(("command", "option", "kind"), OPTIONS)
def test_numbers_are_taken_or_refused_in_one_line(
    shown: Shown,
    monkeypatch: pytest.MonkeyPatch,
    ladder: Path,
    command: str,
    option: str,
    kind: type,
) -> None:
    monkeypatch.setenv("KATACHI_CGOS_PASSWORD", "x")
    plain = PLAIN[command]
    if plain.work is not None:
        monkeypatch.setattr(plain.work, begin)
    if "openings" in command:
        monkeypatch.setattr(f"{CLI}.openings.open_games", opened)
        monkeypatch.setattr("katachi.records.opening_book.open_games", opened)
    for name in ("r.toml", "l"):
        Path(name).symlink_to(ladder / name)
    for number, value in enumerate(INTEGERS if kind is int else FLOATS):
        words = tuple(f"o{number}" if word == "o" else word for word in plain.arguments)
        values = ("0", value) if option == "--sprt" else (value,)
        others = without(words, option)
        taken = is_taken(shown, *command.split(), *others, *assigned(option, values))
        must_refuse = value == "nan" or (value in ("inf", "-inf") and option not in ENDLESS)
        assert not (taken and must_refuse), f"{command} {option} {value} is taken"


def without(words: tuple[str, ...], option: str) -> tuple[str, ...]:
    """Arguments but for an option and its value."""
    if option not in words:
        return words
    at = words.index(option)
    return words[:at] + words[at + 2 :]


def assigned(option: str, values: tuple[str, ...]) -> tuple[str, ...]:
    return (f"{option}={values[0]}",) if len(values) == 1 else (option, *values)


def is_taken(shown: Shown, *words: str) -> bool:
    """Whether a command works with these; if not, it must have said why in one line."""
    shown.patch.setattr(sys, "argv", ["katachi", *words])
    shown.capsys.readouterr()
    status: object = 0
    try:
        main()
    except Began:
        return True
    except SystemExit as end:
        status = end.code
    if status == 0:
        return True
    error = shown.capsys.readouterr().err.splitlines()
    lines = [line for line in error if "first start" not in line]
    assert len(lines) == 1, (words, lines)
    assert lines[0].startswith("katachi: ")
    return False
