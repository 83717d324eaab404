"""`katachi demo`: two agents that know nothing learn Go shape while you watch."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from rich.console import Group
from rich.live import Live
from rich.text import Text

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.interfaces.cli.compiling import Forecast
from katachi.interfaces.cli.demo_curve import curve_legend, curve_lines
from katachi.interfaces.cli.demo_shapes import show_shapes
from katachi.interfaces.cli.train_progress import describe_test, rate_words
from katachi.interfaces.cli.warmup import compile_kernels
from katachi.interfaces.cold_start import Step
from katachi.interfaces.console import Console
from katachi.interfaces.views.board_text import render_board
from katachi.learning.progress import Measurement, measured
from katachi.learning.shape_training import (
    Loss,
    ShapeTrainer,
    TrainingSettings,
    check_settings,
)
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Player
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.td.shape_games import MOVES_A_POINT

FORECAST = Forecast(files=215, seconds=60, tail=0.35)
SETS = "1x1-3x3:LI"
GAMES = 300_000
MOST_GAMES = 100_000_000
SECONDS = 30.0
ALPHA, FINAL_ALPHA = 1.0, 0.03
"""Step sizes at the beginning and at the end: the agents learn in seconds, and then settle."""
TESTS = 48
TEST_GAMES, FINAL_GAMES = 100, 1000
LINES = 12
"""How many of the tests are told where there is no terminal."""
MOVE_SECONDS = 0.15


class Lesson(NamedTuple):
    """What the agents have become."""

    trainer: ShapeTrainer
    tests: list[Measurement]
    seconds: float
    """Spent on learning, tests left out."""


def demo(
    *,
    size: int = 5,
    sets: str = SETS,
    games: int = GAMES,
    seconds: float = SECONDS,
    seed: int = 1,
) -> None:
    """Watch two agents learn Go shape from nothing, by playing each other.

    They are tested against ALP, the average liberties player, as they learn; then one of them
    plays a game, and the shapes it likes best and least are shown.

    Parameters
    ----------
    size
        Board size.
    sets
        The shapes they may know, such as 2x2:LI or 1x1-3x3:LI+LD.
    games
        Games to learn from.
    seconds
        Learn for so many seconds at most.
    seed
        Equal seeds learn the same from the same number of games.
    """
    settings = _settings(size, sets, games, seed)
    if not seconds > 0:
        raise KatachiError(f"{seconds:g} seconds: use a number above 0")
    console = Console()
    trainer = ShapeTrainer(settings)
    _introduce(console, trainer)
    took = compile_kernels(console, _steps(), FORECAST, "demo")
    if took:
        console.print(f"compiled what this needs in {took:.0f} s; it is kept for the next time")
    lesson = _learn(console, trainer, seconds)
    agents = trainer.final_agents()
    best = _judge(console, lesson, agents)
    _play(console, agents[best], settings, f"agent {best + 1}")
    show_shapes(console, agents[best])
    _tell_what_next(console, size)


def _settings(size: int, sets: str, games: int, seed: int) -> TrainingSettings:
    if not 1 <= games <= MOST_GAMES:
        raise KatachiError(f"{games} games: use 1 to {MOST_GAMES}")
    settings = TrainingSettings(
        size=size,
        sets=sets,
        alpha=ALPHA,
        final_alpha=FINAL_ALPHA,
        loss=Loss.CROSS_ENTROPY,
        horizon=games,
        seed=seed,
    )
    check_settings(settings)
    return settings


def _steps() -> list[Step]:
    """What is compiled before anything is shown: no more than the demo needs."""
    return [
        Step("playing and learning", _use_learning),
        Step("players and test games", _use_players),
    ]


def _smallest_trainer() -> ShapeTrainer:
    return ShapeTrainer(TrainingSettings(size=2, sets="1x1:LI"))


def _use_learning() -> None:
    _smallest_trainer().train(1)


def _use_players() -> None:
    game = Game(2)
    agent = EvaluatingPlayer("agent", _smallest_trainer().agents[0])
    for player in (agent, make_player("alp")):
        game.play(game.to_play, player.choose(game, game.to_play).point or PASS)
    game.area_score()
    _smallest_trainer().test(1)


def _introduce(console: Console, trainer: ShapeTrainer) -> None:
    settings = trainer.settings
    agent = trainer.agents[0]
    board = f"{settings.size}x{settings.size}"
    lines = [
        f"Two agents know nothing but the rules. They play each other on {board} and",
        f"learn the value of local shapes: {len(agent.weights):,} weights each, all zero",
        f"({settings.sets}). ALP, who goes for liberties, tests them as they go.",
        f"Seed {settings.seed}.",
    ]
    console.print("\n".join(lines) + "\n")


def _learn(console: Console, trainer: ShapeTrainer, seconds: float) -> Lesson:
    """Lets the agents learn, showing each test."""
    is_live = console.is_terminal and not console.is_dumb_terminal
    lesson = Lesson(trainer, [], 0.0)
    if not is_live:
        for lesson in _lessons(trainer, seconds):
            _tell_test(console, lesson)
        return lesson
    with Live(console=console, auto_refresh=False) as live:
        for lesson in _lessons(trainer, seconds):
            live.update(_progress(console, lesson), refresh=True)
    return lesson


def _lessons(trainer: ShapeTrainer, limit: float) -> Iterator[Lesson]:
    """The state of learning at each test: the first before any game, the last at the end."""
    tests: list[Measurement] = []
    spent = 0.0
    for goal in test_games(trainer.settings.horizon):
        begin = time.perf_counter()
        trainer.train(goal - trainer.games)
        spent += time.perf_counter() - begin
        wins = trainer.test(TEST_GAMES)
        size = trainer.settings.size
        tests.append(measured(trainer.games, size, trainer.games, TEST_GAMES, wins))
        yield Lesson(trainer, tests, spent)
        if spent > limit:
            return


def test_games(games: int) -> list[int]:
    """After how many games there is a test: from none to all, the early ones closer together, for
    most is learned at the beginning."""
    return sorted({games * number * number // (TESTS * TESTS) for number in range(TESTS + 1)})


def _speed(lesson: Lesson) -> str:
    rate = lesson.trainer.games / lesson.seconds if lesson.seconds else 0.0
    return f"{rate:,.0f} games/s"


def _progress(console: Console, lesson: Lesson) -> Group:
    """The picture of a terminal: numbers, and the curve as far as it has grown."""
    test = lesson.tests[-1]
    horizon = lesson.trainer.settings.horizon
    head = Text(f"{test.games:,} of {horizon:,} games, {_speed(lesson)}", style="bold")
    agents = [
        Text(f"agent {agent + 1}  {rate_words(test, agent)[0]}") for agent in range(len(test.wins))
    ]
    pairs = [(min(each.rates), max(each.rates)) for each in lesson.tests]
    curve = curve_lines(pairs, TESTS + 1, is_ascii=console.options.ascii_only)
    legend = curve_legend(is_ascii=console.options.ascii_only)
    return Group(head, *agents, Text("\n".join(curve), style="cyan"), Text(legend, style="dim"))


def _tell_test(console: Console, lesson: Lesson) -> None:
    """A plain line about every few tests and the last."""
    done, test = len(lesson.tests) - 1, lesson.tests[-1]
    if done % (TESTS // LINES) == 0 or test.games == lesson.trainer.settings.horizon:
        words = f"{test.games:>9,} games  {describe_test(test)}"
        console.print(words, soft_wrap=True)


def _judge(console: Console, lesson: Lesson, agents: list[LocalShape]) -> int:
    """Tests what has been learned once more, with more games; returns the better agent."""
    trainer = lesson.trainer
    wins = trainer.test(FINAL_GAMES, agents)
    final = measured(trainer.games, trainer.settings.size, trainer.games, FINAL_GAMES, wins)
    head = f"{trainer.games:,} games learned from in {lesson.seconds:.1f} s, {_speed(lesson)}"
    console.print(f"\n{head}; in a test of {FINAL_GAMES:,} games:", style="bold", soft_wrap=True)
    for agent in range(len(wins)):
        console.print(f"  agent {agent + 1}  {rate_words(final, agent)[0]}")
    return wins.index(max(wins))


def _play(console: Console, agent: LocalShape, settings: TrainingSettings, name: str) -> None:
    """A game of the agent against ALP, move by move where there is a terminal."""
    game = Game(settings.size, settings.komi)
    players: dict[int, Player] = {
        BLACK: EvaluatingPlayer(name, agent, settings.seed),
        WHITE: make_player("alp", settings.seed + 1),
    }
    title = f"\n{name} (black) v ALP (white), komi {game.komi:g}"
    delay = MOVE_SECONDS if console.is_terminal else 0.0
    console.print(title, style="bold")
    with Live(render_board(console, game), console=console, auto_refresh=False) as live:
        while not game.is_over and len(game.moves) < MOVES_A_POINT * game.size * game.size:
            color = game.to_play
            game.play(color, players[color].choose(game, color).point or PASS)
            if delay:
                live.update(render_board(console, game), refresh=True)
                time.sleep(delay)
        live.update(render_board(console, game), refresh=True)
    if not console.is_terminal:  # there the live board ends without a line's end
        console.print()
    console.print(_verdict(game, players))


def _verdict(game: Game, players: dict[int, Player]) -> str:
    if not game.is_over:
        return f"stopped after {len(game.moves)} moves"
    score = game.area_score()
    winner = players[BLACK if score > 0 else WHITE].name
    return f"{winner} wins by {abs(score):g} points in {len(game.moves)} moves"


def _tell_what_next(console: Console, size: int) -> None:
    lines = [
        "\nNothing of this is kept. To learn agents, keep them in a folder RUN and use them:",
        f"  katachi train shape --size {size} --out RUN",
        "  katachi shapes RUN",
        f"  katachi match shape:RUN/agent-1 alp --size {size}",
        f"  katachi gtp --player shape:RUN/agent-1 --size {size}    (in a Go client)",
    ]
    console.print("\n".join(lines))
