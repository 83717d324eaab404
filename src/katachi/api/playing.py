"""Matches and training in one call."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from katachi.arena.game import play_game
from katachi.arena.match import MatchSettings
from katachi.arena.openings import sample_opening
from katachi.arena.outcome import Ending, Outcome
from katachi.arena.settings import GameSettings
from katachi.arena.workers import play_tasks
from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.learning.shape_config import DEFAULT, ShapeConfig, find_preset
from katachi.learning.shape_run import run_whole
from katachi.players.names import check_board, check_player_name
from katachi.players.protocol import Player
from katachi.players.roster import make_evaluator, make_player
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.statistics import Tally


class MatchResult(NamedTuple):
    """What came of a match."""

    tally: Tally
    """The first player's wins, losses and draws, with their rate and its interval."""
    games: list[Outcome]
    """Each with its record, in the order they were begun; the first player is Black in the first
    game and every second one."""


def match(
    first: str | Player,
    second: str | Player,
    games: int = 20,
    settings: GameSettings | None = None,
    seed: int = 1,
    workers: int = 1,
) -> MatchResult:
    """Plays a match of two players, by name or as objects; colours alternate, and each pair of
    games shares a random opening. Players by name can play on several processes at once.

    Raises KatachiError for names of none, players that are not for the board, and numbers that
    make no sense. Players that are given as objects are not closed.

    >>> result = katachi.match("alp", "random", games=4, settings=katachi.GameSettings(5))
    >>> result.tally.wins
    4
    """
    settings = settings or GameSettings()
    for player in (first, second):
        if isinstance(player, str):
            check_player_name(player)
            check_board(player, settings.size)
    if isinstance(first, str) and isinstance(second, str):
        plan = MatchSettings(first, second, games, settings, seed)
        played = play_tasks((plan.task(number) for number in range(games)), workers)
        found = sorted(played, key=lambda finished: finished.task.number)
        outcomes = [finished.outcome for finished in found]
    else:
        MatchSettings("first", "second", games, settings, seed)
        if workers != 1:
            raise KatachiError("players that are given as objects play on 1 process, this one")
        outcomes = list(_play_here((first, second), games, settings, seed))
    return MatchResult(_count(outcomes), outcomes)


def _play_here(
    players: tuple[str | Player, str | Player], games: int, settings: GameSettings, seed: int
) -> Iterator[Outcome]:
    made = [
        make_player(player, seed + side) if isinstance(player, str) else player
        for side, player in enumerate(players)
    ]
    try:
        for number in range(games):
            black, white = made if number % 2 == 0 else made[::-1]
            yield play_game(black, white, settings, sample_opening(settings, seed, number // 2))
    finally:
        for given, player in zip(players, made, strict=True):
            if isinstance(given, str):
                player.close()


def _count(outcomes: list[Outcome]) -> Tally:
    tally = Tally()
    for number, outcome in enumerate(outcomes):
        first = BLACK if number % 2 == 0 else WHITE
        if outcome.ending is Ending.LIMIT:
            tally.stopped += 1
        elif outcome.winner == EMPTY:
            tally.draws += 1
        elif outcome.winner == first:
            tally.wins += 1
        else:
            tally.losses += 1
    return tally


def train(
    folder: str | Path,
    size: int = 5,
    games: int = 20_000,
    sets: str | None = None,
    seed: int = 1,
    preset: str = DEFAULT,
) -> Evaluator:
    """Learns local shape by self-play in a new folder, which keeps the run, its curve and its
    models, and returns what it learned; `load_player(str(folder))` plays by it later.

    `sets` are the shapes, such as "1x1-2x2:LI"; by default those of the preset. `katachi train`
    has every other setting. Raises KatachiError for settings that cannot be learned with, and
    where the folder holds something.

    >>> evaluator = katachi.train(folder / "run", size=5, games=500, sets="1x1-2x2:LI")
    >>> game = katachi.Game(5)
    >>> found = katachi.analyse(evaluator, game)
    """
    known = find_preset(preset)
    plan = msgspec.structs.replace(known.plan, games=games)
    changes: dict[str, object] = {"size": size, "seed": seed}
    if sets is not None:
        changes["sets"] = sets
    if known.settings.final_alpha is not None:
        changes["horizon"] = games
    settings = msgspec.structs.replace(known.settings, **changes)
    run_whole(Path(folder), ShapeConfig(settings, plan, "katachi.train", preset=preset))
    return make_evaluator(str(folder))
