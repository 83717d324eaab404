"""`katachi players` and `katachi models`: what there is to play with."""

from pathlib import Path
from textwrap import TextWrapper
from typing import Any

import msgspec
from rich.table import Table

from katachi.files.plain_text import one_line
from katachi.files.plugin_names import installed_names
from katachi.files.shipped_folders import CONFIG, model_names, read_model
from katachi.interfaces.console import Console
from katachi.interfaces.views.player_lines import Rated, rating_text, ratings_of, read_ratings
from katachi.players.kinds import DEFAULT_PLAYER, GNUGO, KINDS, player_of_model, split_name

CARD = "README.md"
NAME_WIDTH = 13
"""Columns that a model's name takes before its description."""


def players() -> None:
    """List every kind of player: how it is named, what it is good at, its rating.

    Ratings are those of the house ladders, in Elo, where the repository keeps them.
    """
    ratings = read_ratings()
    sizes = sorted({rated.size for rated in ratings})
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("player", "good at"):
        grid.add_column(title, overflow="fold")
    for size in sizes:
        grid.add_column(f"Elo {size}x{size}", justify="right", no_wrap=True)
    for kind in KINDS.values():
        grid.add_row(kind.form, kind.good_at, *_elos(_main_name(kind.name), sizes))
        for name in _rated_variants(kind.name, ratings):
            grid.add_row(f"  {name}", "", *_elos(name, sizes))
    for name in installed_names():
        grid.add_row(one_line(name), "of an installed package", *("" for _ in sizes))
    grid.add_row("gtp:COMMAND", "any program that speaks GTP", *("" for _ in sizes))
    console = Console()
    console.print(grid)
    console.print(
        f"\nBy default {DEFAULT_PLAYER} plays. A model's folder, a training run's folder and a\n"
        "name that `katachi models` lists are players, too."
    )


def _main_name(kind: str) -> str:
    """The name that stands for a kind; GNU Go's level is part of its name on ladders."""
    return f"{GNUGO}:10" if kind == GNUGO else kind


def _rated_variants(kind: str, ratings: tuple[Rated, ...]) -> list[str]:
    """The rated names of a kind beside the main one, the strongest first."""
    ranked = sorted(ratings, key=lambda rated: -rated.elo)
    names = dict.fromkeys(rated.spec for rated in ranked if split_name(rated.spec)[0] == kind)
    return [name for name in names if name != _main_name(kind)]


def _elos(name: str, sizes: list[int]) -> list[str]:
    found = {rated.size: f"{rated.elo:.0f}" for rated in ratings_of(name)}
    return [found.get(size, "") for size in sizes]


def models(*names: str) -> None:
    """List the models that come with katachi, or those of folders.

    Says of each which player plays by it, on which boards, what it knows, what it learned from
    and its rating on the house ladders.

    Parameters
    ----------
    names
        Folders of models or training runs, or shipped names; by default every shipped model.
    """
    console = Console()
    for name in names or model_names():
        console.print("\n".join(_about(name, console.width)), soft_wrap=True)


def _about(name: str, width: int) -> list[str]:
    """A model described in lines of at most so many columns."""
    folder = read_model(name).folder
    texts = [_summary(name, folder), *_card_lines(folder)]
    if folder.name != Path(name).name:
        texts.append(f"the best model of this training run: {folder}")
    indent = " " * NAME_WIDTH
    wrapper = TextWrapper(width, initial_indent=indent, subsequent_indent=indent)
    lines = [line for text in texts for line in wrapper.wrap(one_line(text))]
    if len(name) < NAME_WIDTH - 1:
        return [name.ljust(NAME_WIDTH) + lines[0][NAME_WIDTH:], *lines[1:]]
    return [one_line(name), *lines]


def _summary(name: str, folder: Path) -> str:
    player = player_of_model(name)
    plays = f"player {player}" if player else "features; `katachi filters` shows them"
    config = msgspec.json.decode((folder / CONFIG).read_bytes())
    parts = [plays, _boards(config)]
    rating = rating_text(f"{player}:{name}") if player else ""
    return ", ".join([*parts, rating] if rating else parts)


def _boards(config: dict[str, Any]) -> str:
    inputs = config.get("inputs")
    size = config.get("size", inputs.get("size") if isinstance(inputs, dict) else None)
    return f"{size}x{size}" if size else "any board"


def _card_lines(folder: Path) -> list[str]:
    """What a model's card says of what it knows and what it learned from."""
    try:
        lines = (folder / CARD).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    texts = [line for line in lines if line and not line.startswith(("#", "-"))]
    known = [text.partition(";")[0].rstrip(".") for text in texts[:1]]
    learned = [line[2:] for line in lines if line.startswith("- learned from")]
    return known + learned[:1]
