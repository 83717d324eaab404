"""`katachi demo`: two agents that know nothing learn Go shape while you watch."""

import time
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from cyclopts import Parameter
from rich.console import Group
from rich.live import Live
from rich.text import Text

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_ranking import Order, RankedShape, Wanted, rank_set
from katachi.features.shape_tables import layout_of
from katachi.features.units import UNIT
from katachi.interfaces.cli.train_progress import describe_test, rate_words
from katachi.interfaces.cli.warmup import Forecast, compile_kernels
from katachi.interfaces.cli.web import show_learning
from katachi.interfaces.console import Console
from katachi.interfaces.views.board_text import render_board
from katachi.learning import shape_training
from katachi.learning.shape_metrics import Measurement, measured
from katachi.pictures.shape_text import Symbols, choose_symbols, shape_lines, side_by_side
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Player
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.td.shape_memory import MOVES_A_POINT

ROWS = 10
"""Lines of text from 0 to 100 %."""
GOAL = 0.8
"""The rate that is marked by a line."""


class Marks(NamedTuple):
    """What the curve is drawn with."""

    bars: str
    """From an empty cell to a full one."""
    dot: str
    goal: str
    """An empty cell whose top is the goal."""
    side: str
    foot: str


UNICODE = Marks(" ▁▂▃▄▅▆▇█", "•", "▔", "│", "└─")
ASCII = Marks("  ..::##", "o", "'", "|", "+-")


def curve_lines(rates: list[tuple[float, float]], width: int, *, is_ascii: bool) -> list[str]:
    """A column for each (lower, higher) pair of rates from 0 to 1, from the left, `width` columns
    in all: a bar up to the lower one, a dot for the higher one where it stands above the bar."""
    marks = ASCII if is_ascii else UNICODE
    columns = [_column(low, high, marks) for low, high in rates]
    columns += [_column(0.0, 0.0, marks)] * (width - len(rates))
    lines = [
        f"{_label(row)} {marks.side}{''.join(column[row] for column in columns)}"
        for row in reversed(range(ROWS))
    ]
    return [*lines, f"  0% {marks.foot[0]}{marks.foot[1] * width}"]


def curve_legend(*, is_ascii: bool) -> str:
    """What the marks of the curve mean, in one line."""
    marks = ASCII if is_ascii else UNICODE
    parts = {
        marks.bars[-1]: "wins v ALP of the worse agent",
        marks.dot: "of the better one",
        marks.goal: f"{GOAL:.0%}",
    }
    return "      " + ", ".join(f"{mark} {words}" for mark, words in parts.items())


def _label(row: int) -> str:
    """The rate at the top of a row, where it is printed."""
    top = (row + 1) / ROWS
    return f"{top:4.0%}" if top in (1.0, GOAL, 0.5) else "    "


def _column(low: float, high: float, marks: Marks) -> list[str]:
    """The cells of one test, from the bottom."""
    full = len(marks.bars) - 1
    eighths = [min(max(round((low * ROWS - row) * full), 0), full) for row in range(ROWS)]
    cells = [marks.bars[count] for count in eighths]
    goal = round(GOAL * ROWS) - 1
    if cells[goal] == marks.bars[0]:
        cells[goal] = marks.goal
    top = min(int(high * ROWS), ROWS - 1)
    if high > 0 and eighths[top] < full:
        cells[top] = marks.dot if eighths[top] == 0 else cells[top]
    return cells


COUNT = 10
OFTEN = 1e-4
"""The share of all that a set has seen that a shape must be to be shown."""
HEADING = "What it has learned: where to put a stone"
MEANING = (
    "The number is what the marked stone adds to its value when it is played there,\n"
    "on an otherwise empty board, all shapes of the board together: log-odds of\n"
    "winning, +1.1 turns an even chance into 75 %."
)
BEST = "Best of the moves it has often made:"
WORST = "Worst:"


def show_shapes(console: Console, model: LocalShape) -> None:
    """Shows the shapes of the largest set whose weights each stand for one shape."""
    numbers = [number for number, each in enumerate(model.sets) if not each.is_hashed]
    if not numbers:
        console.print("\nThese sets are hashed: `katachi shapes` shows what is in them.")
        return
    number = max(numbers, key=lambda each: model.sets[each].template.cells)
    ranking = rank_set(model, number, _wanted(model, number))
    symbols = choose_symbols(is_ascii=console.options.ascii_only)
    console.print(f"\n{HEADING} ({model.sets[number].template.name} shapes)", style="bold")
    console.print(f"{symbols.legend}   {symbols.played_legend}\n{MEANING}", style="dim")
    for sentence, shapes in ((BEST, ranking.best), (WORST, ranking.worst)):
        console.print(f"\n{sentence}")
        diagrams = [_diagram(each, model.size, symbols) for each in shapes]
        console.print(Text("\n".join(side_by_side(diagrams, console.width))), soft_wrap=True)


def _wanted(model: LocalShape, number: int) -> Wanted:
    """Shapes that were not just met by chance."""
    layout = layout_of(model.sets, model.size, model.bins)[number]
    seen = int(model.seen[layout.first : layout.end].sum())
    return Wanted(COUNT, max(1, int(OFTEN * seen)), Order.GAIN)


def _diagram(ranked: RankedShape, size: int, symbols: Symbols) -> list[str]:
    lines = shape_lines(ranked.shape, size, symbols, ranked.mark)
    return [f"{ranked.score * UNIT:+.2f}", *lines]


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
"""How many of the tests are printed where there is no terminal."""
MOVE_SECONDS = 0.15


class Progress(NamedTuple):
    """How far learning has come."""

    trainer: shape_training.ShapeTrainer
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
    web: Annotated[bool, Parameter(negative="")] = False,
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
    web
        Show it on a page in the browser instead: a run of 120,000 games on 5x5, which is kept.
    """
    if web:
        if (size, sets, games, seconds) != (5, SETS, GAMES, SECONDS):
            raise KatachiError("--web shows a run of its own: give no other option than --seed")
        compile_kernels(Console(stderr=True), (_use_learning, _use_players), FORECAST, "demo")
        return show_learning(seed)
    settings = _settings(size, sets, games, seed)
    if not seconds > 0:
        raise KatachiError(f"{seconds:g} seconds: use a number above 0")
    console = Console()
    trainer = shape_training.ShapeTrainer(settings)
    _introduce(console, trainer)
    took = compile_kernels(console, (_use_learning, _use_players), FORECAST, "demo")
    if took:
        console.print(f"compiled what this needs in {took:.0f} s; it is kept for the next time")
    progress = _learn(console, trainer, seconds)
    agents = trainer.final_agents()
    best = _judge(console, progress, agents)
    _play(console, agents[best], settings, f"agent {best + 1}")
    show_shapes(console, agents[best])
    return _tell_what_next(console, size)


def _settings(size: int, sets: str, games: int, seed: int) -> shape_training.TrainingSettings:
    if not 1 <= games <= MOST_GAMES:
        raise KatachiError(f"{games} games: use 1 to {MOST_GAMES}")
    settings = shape_training.TrainingSettings(
        size=size,
        sets=sets,
        alpha=ALPHA,
        final_alpha=FINAL_ALPHA,
        loss=shape_training.Loss.CROSS_ENTROPY,
        horizon=games,
        seed=seed,
    )
    shape_training.check_settings(settings)
    return settings


def _smallest_trainer() -> shape_training.ShapeTrainer:
    return shape_training.ShapeTrainer(shape_training.TrainingSettings(size=2, sets="1x1:LI"))


def _use_learning() -> None:
    _smallest_trainer().learn(1)


def _use_players() -> None:
    game = Game(2)
    agent = EvaluatingPlayer("agent", _smallest_trainer().agents[0])
    for player in (agent, make_player("alp")):
        game.play(game.to_play, player.choose(game, game.to_play).point or PASS)
    game.area_score()
    _smallest_trainer().test(1)


def _introduce(console: Console, trainer: shape_training.ShapeTrainer) -> None:
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


def _learn(console: Console, trainer: shape_training.ShapeTrainer, seconds: float) -> Progress:
    """Lets the agents learn, showing each test."""
    is_live = console.is_terminal and not console.is_dumb_terminal
    progress = Progress(trainer, [], 0.0)
    if not is_live:
        for progress in _learning(trainer, seconds):
            _tell_test(console, progress)
        return progress
    with Live(console=console, auto_refresh=False) as live:
        for progress in _learning(trainer, seconds):
            live.update(_progress_view(console, progress), refresh=True)
    return progress


def _learning(trainer: shape_training.ShapeTrainer, limit: float) -> Iterator[Progress]:
    """The state of learning at each test: the first before any game, the last at the end."""
    tests: list[Measurement] = []
    spent = 0.0
    for goal in test_games(trainer.settings.horizon):
        begin = time.perf_counter()
        trainer.learn(goal - trainer.games)
        spent += time.perf_counter() - begin
        wins = trainer.test(TEST_GAMES)
        size = trainer.settings.size
        tests.append(measured(trainer.games, size, trainer.games, TEST_GAMES, wins))
        yield Progress(trainer, tests, spent)
        if spent > limit:
            return


def test_games(games: int) -> list[int]:
    """After how many games there is a test: from none to all, the early ones closer together, for
    most is learned at the beginning."""
    return sorted({games * number * number // (TESTS * TESTS) for number in range(TESTS + 1)})


def _speed(progress: Progress) -> str:
    rate = progress.trainer.games / progress.seconds if progress.seconds else 0.0
    return f"{rate:,.0f} games/s"


def _progress_view(console: Console, progress: Progress) -> Group:
    """The picture of a terminal: numbers, and the curve as far as it has grown."""
    test = progress.tests[-1]
    horizon = progress.trainer.settings.horizon
    head = Text(f"{test.games:,} of {horizon:,} games, {_speed(progress)}", style="bold")
    agents = [
        Text(f"agent {agent + 1}  {rate_words(test, agent)[0]}") for agent in range(len(test.wins))
    ]
    pairs = [(min(each.rates), max(each.rates)) for each in progress.tests]
    curve = curve_lines(pairs, TESTS + 1, is_ascii=console.options.ascii_only)
    legend = curve_legend(is_ascii=console.options.ascii_only)
    return Group(head, *agents, Text("\n".join(curve), style="cyan"), Text(legend, style="dim"))


def _tell_test(console: Console, progress: Progress) -> None:
    """A plain line about every few tests and the last."""
    done, test = len(progress.tests) - 1, progress.tests[-1]
    if done % (TESTS // LINES) == 0 or test.games == progress.trainer.settings.horizon:
        text = f"{test.games:>9,} games  {describe_test(test)}"
        console.print(text, soft_wrap=True)


def _judge(console: Console, progress: Progress, agents: list[LocalShape]) -> int:
    """Tests what has been learned once more, with more games; returns the better agent."""
    trainer = progress.trainer
    wins = trainer.test(FINAL_GAMES, agents)
    final = measured(trainer.games, trainer.settings.size, trainer.games, FINAL_GAMES, wins)
    head = f"{trainer.games:,} games learned from in {progress.seconds:.1f} s, {_speed(progress)}"
    console.print(f"\n{head}; in a test of {FINAL_GAMES:,} games:", style="bold", soft_wrap=True)
    for agent in range(len(wins)):
        console.print(f"  agent {agent + 1}  {rate_words(final, agent)[0]}")
    return wins.index(max(wins))


def _play(
    console: Console, agent: LocalShape, settings: shape_training.TrainingSettings, name: str
) -> None:
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
        "To play, see why, and watch learning in the browser:",
        "  katachi web",
    ]
    console.print("\n".join(lines))
