"""Options are made from records: names, defaults and help of a field are written once."""

from typing import Any

import msgspec
import pytest
from cyclopts import App

from katachi.errors import KatachiError
from katachi.interfaces.cli.options import NO_OPTIONS, Options, options_of, settings_of, taking
from katachi.interfaces.cli.train import app


class Pot(msgspec.Struct, frozen=True):
    """Something to set."""

    size: int = 3000
    """How large it is."""
    is_hot: bool = False
    """Heat it."""
    has_lid: bool = True
    """Leave it open."""
    tags: tuple[str, ...] = ()
    """What is written on it (nothing)."""
    lam: float = 0.5
    """Its lambda."""
    secret: int = 1


FORM = options_of(Pot(size=4000), without=("secret",), preset="small")


def given(*words: str) -> dict[str, Any]:
    """What a command is given."""
    found: list[Options] = []
    pot = App()

    @pot.default
    @taking(FORM)
    def command(options: Options = NO_OPTIONS) -> None:
        found.append(options)

    pot([*words], result_action="return_value")
    return found[0].given()


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("", {}),
        ("--size 2", {"size": 2}),
        ("--hot --no-lid", {"is_hot": True, "has_lid": False}),
        ("--tags a --tags b", {"tags": ["a", "b"]}),
        ("--lam 0.1", {"lam": 0.1}),
        ("--lam 0.1 --lambda 0.2", {"lam": 0.2}),
    ],
)
@pytest.mark.filterwarnings("ignore:Cyclopts application invoked without tokens")
def test_options_become_values_of_fields(words: str, values: dict[str, Any]) -> None:
    assert given(*words.split()) == values
    fields: dict[str, Any] = {
        name: tuple(each) if name == "tags" else each for name, each in values.items()
    }
    assert settings_of(values, Pot) == Pot(**fields)


def test_help_is_the_text_of_a_field_with_its_default() -> None:
    texts = [each.__metadata__[0].help for each in FORM.__annotations__.values()]
    assert texts[0] == "How large it is (4,000; small 3,000)."
    assert texts[3] == "What is written on it (nothing)."
    assert texts[4] == "Its lambda (0.5)."


@pytest.mark.parametrize("name", ["shape", "territory", "features", "linear", "openings"])
def test_every_option_of_a_training_command_has_a_text(name: str) -> None:
    command = app[name].default_command
    assert command is not None
    fields = command.__annotations__["options"].__annotations__
    shown = {name: kind.__metadata__[0] for name, kind in fields.items()}
    assert all(each.help or name.startswith("old_") for name, each in shown.items())


def test_a_number_beyond_all_bounds_is_named_by_its_option() -> None:
    with pytest.raises(KatachiError, match=r"out of range: --lambda inf, use at most 1e\+06"):
        settings_of({"lam": float("inf")}, Pot)
