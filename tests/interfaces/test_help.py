"""Help says what commands do now, in one text each, and fits a terminal of 80 columns."""

import importlib
import io
import re
import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import pytest
from cyclopts import App

from katachi.interfaces.cli import _COMMANDS, _show_docstrings, app, main, place_of
from katachi.interfaces.console import Console
from katachi.players.kinds import PLAYER_NAMES
from katachi.rules.ruleset import RULESETS

WIDTH = 80
NOT_EVALUATORS = {"playouts", "gibbs", "search", "tree", "dyna", "phases", "rated", "gnugo"}
"""Players without an opinion of one position."""


def commands(place: App = app, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command by the words that name it, groups too."""
    yield path
    for name in place:
        if not name.startswith("-"):
            yield from commands(place[name], (*path, name))


def page(*words: str) -> str:
    """The help of a command on a terminal."""
    _show_docstrings([*words])
    screen = io.StringIO()
    app.help_print([*words], console=Console(file=screen, width=WIDTH))
    return screen.getvalue()


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_help_fits_a_terminal_and_has_no_noise(words: tuple[str, ...]) -> None:
    text = page(*words)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= WIDTH
    assert "--empty-" not in text
    assert not re.search(r"--lam\b", text)


@pytest.mark.parametrize("name", _COMMANDS)
def test_the_list_says_what_the_command_says_of_itself(name: str) -> None:
    text = _COMMANDS[name]
    module, _, attribute = place_of(name).partition(":")
    target = getattr(importlib.import_module(module), attribute)
    if isinstance(target, App):
        own = page(name)
    else:
        own = cleandoc(target.__doc__ or "")
        assert own.partition("\n\n")[0].replace("\n", " ") == text
    assert text in " ".join(own.split())


def test_a_command_shows_its_whole_docstring(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["katachi", "demo", "--help"])
    main()
    shown = " ".join(capsys.readouterr().out.split())
    assert "Watch two agents learn Go shape from nothing" in shown
    assert "tested against ALP, the average liberties player" in shown


def test_make_help_says_what_the_demo_is() -> None:
    text = (Path(__file__).parents[2] / "Makefile").read_text()
    assert re.search("^demo:.*## .*watch two agents learn", text, re.MULTILINE)


@pytest.mark.parametrize("words", [("match",), ("games", "generate")])
def test_all_rulesets_are_listed(words: tuple[str, ...]) -> None:
    text = " ".join(page(*words).replace("│", " ").split())
    for name in RULESETS:
        assert f" {name}" in text.replace("-\n", "-"), name


def test_evaluate_lists_the_players_that_it_takes() -> None:
    text = page("evaluate")
    for name in set(PLAYER_NAMES) - NOT_EVALUATORS:
        assert name in text, name
